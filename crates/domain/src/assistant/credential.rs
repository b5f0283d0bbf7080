//! Credentials of the operator: where each may be sent, and which tenants may use it. The keys themselves
//! are elsewhere.

use std::collections::BTreeSet;
use std::fmt;

use url::Url;

use super::{Assistant, Provider, ProviderKey, ProviderRole};
use crate::ids::TenantId;
use crate::network::Origin;
use crate::secret::Secret;

/// The name of a credential: 1 to 64 letters, digits and single underscores, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CredentialName(String);

impl CredentialName {
    /// The longest name, in characters.
    pub const LONGEST: usize = 64;

    /// Reads a name. Upper case means the same as lower case, because environment variables have no
    /// lower case. Underscores stand alone and inside, because two separate levels of a setting.
    pub fn parse(text: &str) -> Option<Self> {
        let letters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let begins = text.starts_with(|first: char| first.is_ascii_alphabetic());
        let underscores = !text.contains("__") && !text.ends_with('_');
        let fits = text.len() <= Self::LONGEST && letters && begins && underscores;
        fits.then(|| Self(text.to_ascii_lowercase()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CredentialName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The tenants that may use a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedTenants {
    /// Every tenant.
    All,
    /// These alone.
    Only(BTreeSet<TenantId>),
}

impl Default for AllowedTenants {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl AllowedTenants {
    fn include(&self, tenant: TenantId) -> bool {
        match self {
            Self::All => true,
            Self::Only(tenants) => tenants.contains(&tenant),
        }
    }
}

/// A credential of the operator, without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Its name.
    pub name: CredentialName,
    /// The environment variable that holds its key; assistants of earlier releases name this.
    pub variable: Option<String>,
    /// Where its key may be sent.
    pub origins: BTreeSet<Origin>,
    /// Who may use it.
    pub tenants: AllowedTenants,
}

impl Credential {
    /// Whether its key may be sent to this endpoint.
    pub fn covers(&self, endpoint: &Url) -> bool {
        Origin::of(endpoint).is_some_and(|origin| self.origins.contains(&origin))
    }

    fn judge(&self, tenant: TenantId, endpoint: &Url) -> Result<(), CredentialRefused> {
        if !self.tenants.include(tenant) {
            return Err(CredentialRefused::Tenant);
        }
        if !self.covers(endpoint) {
            return Err(CredentialRefused::Origin(self.origins.clone()));
        }
        Ok(())
    }
}

/// Why a provider's key is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialRefused {
    /// The operator has no such credential.
    #[error("the operator has no such credential")]
    Unknown,
    /// The credential is not for this tenant.
    #[error("the operator does not let this tenant use the credential")]
    Tenant,
    /// The credential may be sent to these origins, and the endpoint is at another.
    #[error("the credential may only be sent to {}", listed(.0))]
    Origin(BTreeSet<Origin>),
    /// The assistant's stored key was stored for this origin, and the endpoint is at another.
    #[error("the stored key may only be sent to {0}, which it was stored for")]
    Stored(Origin),
}

/// Origins for people.
pub fn listed(origins: &BTreeSet<Origin>) -> String {
    origins.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A key, and the only origin that it may be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundKey {
    key: Secret<String>,
    origin: Origin,
}

impl BoundKey {
    /// Binds a key to an origin.
    pub const fn new(key: Secret<String>, origin: Origin) -> Self {
        Self { key, origin }
    }

    /// The key, for an endpoint at its origin alone.
    pub fn for_endpoint(&self, endpoint: &Url) -> Result<&Secret<String>, CredentialRefused> {
        if Origin::of(endpoint).as_ref() == Some(&self.origin) {
            Ok(&self.key)
        } else {
            Err(CredentialRefused::Stored(self.origin.clone()))
        }
    }

    /// The key and its origin, to be stored together.
    pub const fn parts(&self) -> (&Secret<String>, &Origin) {
        (&self.key, &self.origin)
    }
}

/// All credentials of the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credentials(Vec<Credential>);

impl Credentials {
    /// Takes the credentials, each with a name of its own.
    pub const fn new(all: Vec<Credential>) -> Self {
        Self(all)
    }

    /// The credentials that a tenant may use.
    pub fn of_tenant(&self, tenant: TenantId) -> impl Iterator<Item = &Credential> {
        self.0.iter().filter(move |own| own.tenants.include(tenant))
    }

    /// The credential whose key `tenant` may have sent to `endpoint`, as `key` names it. Of several
    /// credentials with one variable, the first that may is meant.
    pub fn find(
        &self,
        key: CredentialReference<'_>,
        tenant: TenantId,
        endpoint: &Url,
    ) -> Result<&Credential, CredentialRefused> {
        let mut refused = CredentialRefused::Unknown;
        for own in self.0.iter().filter(|own| key.means(own)) {
            match own.judge(tenant, endpoint) {
                Ok(()) => return Ok(own),
                // A refusal by origin helps more than one by tenant: it names where the key may go.
                Err(why) if !matches!(refused, CredentialRefused::Origin(_)) => refused = why,
                Err(_) => {}
            }
        }
        Err(refused)
    }

    /// Whether the key of a provider may be sent to its endpoint, for an assistant of `tenant`.
    pub fn judge(&self, tenant: TenantId, provider: &Provider) -> Result<(), CredentialRefused> {
        match &provider.key {
            ProviderKey::None => Ok(()),
            ProviderKey::Stored(key) => key.for_endpoint(&provider.endpoint).map(|_| ()),
            ProviderKey::Credential(name) => {
                self.find(CredentialReference::Name(name), tenant, &provider.endpoint).map(|_| ())
            }
            ProviderKey::Variable(name) => {
                self.find(CredentialReference::Variable(name), tenant, &provider.endpoint).map(|_| ())
            }
        }
    }

    /// The providers of an assistant whose keys may not be sent to their endpoints.
    pub fn refusals(&self, assistant: &Assistant) -> Vec<(ProviderRole, CredentialRefused)> {
        let providers = assistant.providers().into_iter();
        let judged = providers.filter_map(|(role, provider)| {
            self.judge(assistant.tenant, provider).err().map(|refused| (role, refused))
        });
        judged.collect()
    }
}

/// How an assistant names a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialReference<'a> {
    /// By its name.
    Name(&'a CredentialName),
    /// By the environment variable with its key, as in earlier releases.
    Variable(&'a str),
}

impl CredentialReference<'_> {
    fn means(self, credential: &Credential) -> bool {
        match self {
            Self::Name(name) => credential.name == *name,
            Self::Variable(variable) => credential.variable.as_deref() == Some(variable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(number: u128) -> TenantId {
        TenantId::from_uuid(uuid::Uuid::from_u128(number))
    }

    fn credential(name: &str, variable: &str, origins: &[&str], tenants: AllowedTenants) -> Credential {
        Credential {
            name: CredentialName::parse(name).unwrap(),
            variable: Some(variable.to_owned()),
            origins: origins.iter().map(|origin| Origin::parse(origin).unwrap()).collect(),
            tenants,
        }
    }

    fn provider(endpoint: &str, key: ProviderKey) -> Provider {
        Provider { endpoint: Url::parse(endpoint).unwrap(), model: "m".to_owned(), key }
    }

    #[test]
    fn name_has_one_form_in_files_and_environment() {
        for (text, name) in [("openai", "openai"), ("OPENAI_EU2", "openai_eu2"), ("a", "a")] {
            assert_eq!(CredentialName::parse(text).unwrap().as_str(), name);
        }
        let long = "a".repeat(65);
        for bad in ["", "1a", "_a", "a_", "a__b", "a-b", "a.b", "é", "a b", &long] {
            assert_eq!(CredentialName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn credential_goes_to_its_origins_for_its_tenants_alone() {
        let openai = "https://api.openai.com";
        let all = Credentials::new(vec![
            credential("own", "OWN_KEY", &[openai], AllowedTenants::Only([tenant(1)].into())),
            credential("shared", "SHARED_KEY", &[openai, "http://10.0.0.7:8000"], AllowedTenants::All),
            credential("closed", "CLOSED_KEY", &[openai], AllowedTenants::default()),
        ]);
        let origins = |texts: &[&str]| {
            CredentialRefused::Origin(texts.iter().map(|text| Origin::parse(text).unwrap()).collect())
        };
        for (named, by, endpoint, judged) in [
            ("own", 1, "wss://api.openai.com/v1/realtime", Ok(())),
            ("own", 1, "https://api.openai.com/v1", Ok(())),
            ("own", 1, "https://evil.example/v1", Err(origins(&[openai]))),
            ("own", 1, "http://api.openai.com/v1", Err(origins(&[openai]))),
            ("own", 1, "https://api.openai.com:444/v1", Err(origins(&[openai]))),
            ("own", 2, "https://api.openai.com/v1", Err(CredentialRefused::Tenant)),
            ("shared", 2, "ws://10.0.0.7:8000/v1", Ok(())),
            ("shared", 2, "https://10.0.0.7:8000/v1", Err(origins(&[openai, "http://10.0.0.7:8000"]))),
            ("closed", 1, "https://api.openai.com/v1", Err(CredentialRefused::Tenant)),
            ("other", 1, "https://api.openai.com/v1", Err(CredentialRefused::Unknown)),
        ] {
            let name = CredentialName::parse(named).unwrap();
            let by_name = provider(endpoint, ProviderKey::Credential(name));
            assert_eq!(all.judge(tenant(by), &by_name), judged, "{named} {by} {endpoint}");
            let variable = format!("{}_KEY", named.to_uppercase());
            let by_variable = provider(endpoint, ProviderKey::Variable(variable));
            assert_eq!(all.judge(tenant(by), &by_variable), judged, "{named} {by} {endpoint}");
        }
        let of_tenant = |by| all.of_tenant(tenant(by)).map(|own| own.name.as_str()).collect::<Vec<_>>();
        assert_eq!((of_tenant(1), of_tenant(2)), (vec!["own", "shared"], vec!["shared"]));
    }

    #[test]
    fn variable_of_several_credentials_means_the_one_that_fits() {
        let only = |number| AllowedTenants::Only([tenant(number)].into());
        let all = Credentials::new(vec![
            credential("a", "KEY", &["https://a.example"], only(1)),
            credential("b", "KEY", &["https://b.example"], only(1)),
            credential("c", "KEY", &["https://c.example"], only(2)),
        ]);
        let find = |endpoint: &str| {
            let endpoint = Url::parse(endpoint).unwrap();
            let found = all.find(CredentialReference::Variable("KEY"), tenant(1), &endpoint);
            found.map(|own| own.name.as_str().to_owned())
        };
        assert_eq!(find("https://b.example/v1"), Ok("b".to_owned()));
        let refused = CredentialRefused::Origin([Origin::parse("https://a.example").unwrap()].into());
        assert_eq!(find("https://c.example/v1"), Err(refused));
    }

    #[test]
    fn stored_key_goes_to_the_origin_it_was_stored_for() {
        let origin = Origin::parse("https://a.example").unwrap();
        let key = BoundKey::new(Secret::new("sk-1".to_owned()), origin.clone());
        let none = Credentials::default();
        let judge = |endpoint| none.judge(tenant(1), &provider(endpoint, ProviderKey::Stored(key.clone())));
        assert_eq!(judge("https://a.example/v2"), Ok(()));
        assert_eq!(judge("wss://a.example/v2"), Ok(()));
        for endpoint in ["https://b.example/v1", "http://a.example/v1", "https://a.example:444/"] {
            assert_eq!(judge(endpoint), Err(CredentialRefused::Stored(origin.clone())), "{endpoint}");
        }
        assert!(!format!("{key:?}").contains("sk-1"));
    }
}
