//! The keys of providers, and where each may be sent.

use std::collections::BTreeMap;

use domain::assistant::{CredentialName, CredentialReference, CredentialRefused, Credentials, ProviderKey};
use domain::ids::TenantId;
use domain::network::Origin;
use domain::ports::AgentFailure;
use domain::secret::Secret;
use url::Url;

/// The operator's credentials with their keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    credentials: Credentials,
    secrets: BTreeMap<CredentialName, Secret<String>>,
}

impl Keys {
    pub(crate) const fn new(
        credentials: Credentials,
        secrets: BTreeMap<CredentialName, Secret<String>>,
    ) -> Self {
        Self { credentials, secrets }
    }

    /// The key to be sent to `url` for an assistant of `tenant`; `None` when the provider needs none.
    /// `url` is the address that is connected to, so that nothing on the way from the stored endpoint
    /// to the connection leads the key elsewhere.
    pub(crate) fn find(
        &self,
        tenant: TenantId,
        key: &ProviderKey,
        url: &Url,
    ) -> Result<Option<Secret<String>>, AgentFailure> {
        let (named, reference) = match key {
            ProviderKey::None => return Ok(None),
            ProviderKey::Stored(key) => {
                let key = key.for_endpoint(url).map_err(|why| refused("its stored key", url, &why))?;
                return Ok(Some(key.clone()));
            }
            ProviderKey::Credential(name) => {
                (format!("the credential {name}"), CredentialReference::Name(name))
            }
            ProviderKey::Variable(name) => {
                (format!("the credential with the variable {name}"), CredentialReference::Variable(name))
            }
        };
        let found = self.credentials.find(reference, tenant, url);
        let credential = found.map_err(|why| refused(&named, url, &why))?;
        match self.secrets.get(&credential.name) {
            Some(secret) => Ok(Some(secret.clone())),
            None => Err(AgentFailure::Credential(format!("{named} has no key"))),
        }
    }
}

fn refused(key: &str, url: &Url, why: &CredentialRefused) -> AgentFailure {
    let origin = Origin::of(url).map_or_else(|| "the endpoint".to_owned(), |origin| origin.to_string());
    AgentFailure::Credential(format!("{key} was not sent to {origin}: {why}"))
}

#[cfg(test)]
mod tests {
    use domain::assistant::{AllowedTenants, BoundKey, Credential};
    use uuid::Uuid;

    use super::*;

    const TENANT: TenantId = TenantId::from_uuid(Uuid::from_u128(1));
    const OTHER: TenantId = TenantId::from_uuid(Uuid::from_u128(2));

    fn keys() -> Keys {
        let credential = |name: &str, variable: &str| Credential {
            name: CredentialName::parse(name).unwrap(),
            variable: Some(variable.to_owned()),
            origins: [Origin::parse("https://api.example.com").unwrap()].into(),
            tenants: AllowedTenants::Only([TENANT].into()),
        };
        let all = vec![credential("openai", "OPENAI_KEY"), credential("unset", "UNSET_KEY")];
        let secrets = [(CredentialName::parse("openai").unwrap(), Secret::new("sk-1".to_owned()))];
        Keys::new(Credentials::new(all), secrets.into())
    }

    fn find(tenant: TenantId, key: &ProviderKey, url: &str) -> Result<Option<String>, String> {
        let found = keys().find(tenant, key, &Url::parse(url).unwrap());
        found.map(|key| key.map(|key| key.reveal().clone())).map_err(|failure| {
            assert!(matches!(failure, AgentFailure::Credential(_)), "{failure:?}");
            failure.to_string()
        })
    }

    #[test]
    fn credential_is_found_for_its_tenant_and_origin_alone() {
        let good = "wss://api.example.com/v1/realtime";
        let name = |name: &str| ProviderKey::Credential(CredentialName::parse(name).unwrap());
        let variable = |name: &str| ProviderKey::Variable(name.to_owned());
        for key in [name("openai"), variable("OPENAI_KEY")] {
            assert_eq!(find(TENANT, &key, good), Ok(Some("sk-1".to_owned())));
            let elsewhere = find(TENANT, &key, "https://evil.example/v1").unwrap_err();
            assert!(elsewhere.contains("not sent to https://evil.example:"), "{elsewhere}");
            assert!(elsewhere.contains("only be sent to https://api.example.com"), "{elsewhere}");
            let stranger = find(OTHER, &key, good).unwrap_err();
            assert!(stranger.contains("does not let this tenant use"), "{stranger}");
        }
        for key in [name("other"), variable("HOME")] {
            assert!(find(TENANT, &key, good).unwrap_err().contains("no such credential"));
        }
        assert!(find(TENANT, &name("unset"), good).unwrap_err().contains("has no key"));
        assert_eq!(find(OTHER, &ProviderKey::None, good), Ok(None));
    }

    #[test]
    fn stored_key_is_found_for_its_origin_alone() {
        let origin = Origin::parse("https://own.example").unwrap();
        let key = ProviderKey::Stored(BoundKey::new(Secret::new("sk-own".to_owned()), origin));
        assert_eq!(find(OTHER, &key, "https://own.example/v1"), Ok(Some("sk-own".to_owned())));
        let elsewhere = find(OTHER, &key, "https://evil.example/v1").unwrap_err();
        assert!(elsewhere.contains("which it was stored for") && !elsewhere.contains("sk-"), "{elsewhere}");
    }
}
