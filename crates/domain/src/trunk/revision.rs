//! Changing a trunk, whose password is written and never read.

use super::{Credentials, Srtp, SrtpNeedsTls, Transport, Trunk, TrunkAddress};
use crate::network::Network;
use crate::number::CountryCode;
use crate::secret::Secret;

/// What a trunk is to become: everything but its identity, its owner and its age.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct TrunkRevision {
    /// What it is called.
    pub name: String,
    /// Where its requests go.
    pub address: TrunkAddress,
    /// How they go there.
    pub transport: Transport,
    /// Who we are to it.
    pub login: Option<Login>,
    /// Whether we register with it.
    pub register: bool,
    /// The host part of our From.
    pub from_domain: Option<String>,
    /// Put before numbers that come without a country.
    pub default_country: Option<CountryCode>,
    /// Whether its calls may use G.722.
    pub wideband: bool,
    /// Whether the sound of its calls is encrypted.
    pub srtp: Srtp,
    /// Whether another address must pass the address guard: who changes it is not the operator.
    pub guarded: bool,
    /// Whether audio may come from other addresses.
    pub nat: bool,
    /// The networks that audio may come from and go to.
    pub media_networks: Vec<Network>,
    /// The networks whose SIP requests count as this trunk's. `None` keeps them while the address
    /// stays; a trunk with another address has none.
    pub inbound_from: Option<Vec<Network>>,
    /// The digest realms that the credentials answer.
    pub realms: Vec<String>,
    /// The most calls at a time.
    pub max_calls: Option<u32>,
    /// The most new calls a second.
    pub calls_per_second: Option<u32>,
}

/// A user name and, when it is a new one, the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The user name.
    pub username: String,
    /// The new password; without one the stored one stays.
    pub password: Option<Secret<String>>,
}

/// Why a trunk is not changed so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrunkRevisionError {
    /// A stored password is for the address that it was given for: a trunk that goes elsewhere, or that
    /// has none yet, needs it written anew.
    #[error("the password must be given anew")]
    PasswordNeeded,
    /// See [`SrtpNeedsTls`]; a trunk that is so already may stay so.
    #[error(transparent)]
    SrtpNeedsTls(#[from] SrtpNeedsTls),
}

impl TrunkRevision {
    /// The revision that changes nothing.
    pub fn unchanged(trunk: &Trunk) -> Self {
        let login = trunk
            .credentials
            .as_ref()
            .map(|known| Login { username: known.username.clone(), password: None });
        Self {
            name: trunk.name.clone(),
            address: trunk.address.clone(),
            transport: trunk.transport,
            login,
            register: trunk.register,
            from_domain: trunk.from_domain.clone(),
            default_country: trunk.default_country.clone(),
            wideband: trunk.wideband,
            srtp: trunk.srtp,
            guarded: trunk.guarded,
            nat: trunk.nat,
            media_networks: trunk.media_networks.clone(),
            inbound_from: None,
            realms: trunk.realms.clone(),
            max_calls: trunk.max_calls,
            calls_per_second: trunk.calls_per_second,
        }
    }
}

impl Trunk {
    /// The trunk after a revision. While it goes where it went it stays as trusted as it was. From TLS
    /// to another transport it loses its login, and with it its registration, unless a password is given:
    /// what was told under encryption is not answered in clear.
    pub fn revised(&self, revision: TrunkRevision) -> Result<Self, TrunkRevisionError> {
        let stays = revision.address == self.address;
        let bared = self.transport == Transport::Tls && revision.transport != Transport::Tls;
        let credentials = match revision.login {
            None => None,
            Some(Login { username, password: Some(password) }) => Some(Credentials { username, password }),
            Some(Login { username, password: None }) => {
                let kept = self.credentials.as_ref().filter(|_| stays);
                let kept = kept.ok_or(TrunkRevisionError::PasswordNeeded)?;
                (!bared).then(|| Credentials { username, password: kept.password.clone() })
            }
        };
        let revised = Self {
            id: self.id,
            tenant: self.tenant,
            created_at: self.created_at,
            name: revision.name,
            address: revision.address,
            transport: revision.transport,
            register: revision.register && (credentials.is_some() || !bared),
            credentials,
            from_domain: revision.from_domain,
            default_country: revision.default_country,
            wideband: revision.wideband,
            srtp: revision.srtp,
            guarded: if stays { self.guarded } else { revision.guarded },
            nat: revision.nat,
            media_networks: revision.media_networks,
            inbound_from: match revision.inbound_from {
                Some(given) => given,
                None if stays => self.inbound_from.clone(),
                None => Vec::new(),
            },
            realms: revision.realms,
            max_calls: revision.max_calls,
            calls_per_second: revision.calls_per_second,
        };
        if self.shows_keys() { Ok(revised) } else { Ok(revised.checked()?) }
    }
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;
    use crate::ids::{TenantId, TrunkId};

    fn trunk(password: Option<&str>, guarded: bool) -> Trunk {
        let password = password.map(|text| Secret::new(text.to_owned()));
        Trunk {
            id: TrunkId::from_uuid(uuid::Uuid::from_u128(1)),
            tenant: TenantId::from_uuid(uuid::Uuid::from_u128(2)),
            name: "main".into(),
            address: TrunkAddress { host: "10.0.0.9".into(), port: Some(5060) },
            transport: Transport::Udp,
            credentials: password.map(|password| Credentials { username: "acme".into(), password }),
            register: false,
            from_domain: None,
            default_country: None,
            wideband: false,
            srtp: Srtp::Off,
            guarded,
            nat: false,
            media_networks: Vec::new(),
            inbound_from: Network::parse("198.51.100.0/24").into_iter().collect(),
            realms: Vec::new(),
            max_calls: None,
            calls_per_second: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        }
    }

    fn revision(of: &Trunk, port: u16, password: Option<&str>) -> TrunkRevision {
        let password = password.map(|text| Secret::new(text.to_owned()));
        TrunkRevision {
            name: "new".into(),
            address: TrunkAddress { port: Some(port), ..of.address.clone() },
            transport: of.transport,
            login: Some(Login { username: "other".into(), password }),
            register: true,
            from_domain: None,
            default_country: None,
            wideband: true,
            srtp: Srtp::Off,
            guarded: true,
            nat: true,
            media_networks: Network::parse("203.0.113.0/24").into_iter().collect(),
            inbound_from: None,
            realms: vec!["pbx".into()],
            max_calls: Some(2),
            calls_per_second: None,
        }
    }

    fn password(trunk: Result<Trunk, TrunkRevisionError>) -> Option<String> {
        Some(trunk.ok()?.credentials?.password.reveal().clone())
    }

    #[test]
    fn a_password_stays_with_its_address_and_is_never_told_to_another() {
        let known = trunk(Some("old"), false);
        assert_eq!(password(known.revised(revision(&known, 5060, None))).as_deref(), Some("old"));
        assert_eq!(password(known.revised(revision(&known, 5060, Some("new")))).as_deref(), Some("new"));
        assert_eq!(password(known.revised(revision(&known, 5070, Some("new")))).as_deref(), Some("new"));
        assert_eq!(known.revised(revision(&known, 5070, None)), Err(TrunkRevisionError::PasswordNeeded));
        let without = trunk(None, false);
        assert_eq!(without.revised(revision(&without, 5060, None)), Err(TrunkRevisionError::PasswordNeeded));
        let anonymous = TrunkRevision { login: None, ..revision(&known, 5060, None) };
        assert_eq!(known.revised(anonymous).map(|trunk| trunk.credentials), Ok(None));
    }

    #[test]
    fn an_unchanged_revision_changes_nothing() {
        let known = Trunk { nat: true, realms: vec!["pbx".into()], ..trunk(Some("old"), true) };
        assert_eq!(known.revised(TrunkRevision::unchanged(&known)), Ok(known));
    }

    #[test]
    fn inbound_networks_go_when_the_address_changes() {
        let known = trunk(Some("old"), false);
        let networks = |port, given| {
            let to = TrunkRevision { inbound_from: given, ..revision(&known, port, Some("x")) };
            known.revised(to).map(|trunk| trunk.inbound_from)
        };
        assert_eq!(networks(5060, None), Ok(known.inbound_from.clone()));
        assert_eq!(networks(5060, Some(Vec::new())), Ok(Vec::new()));
        assert_eq!(networks(5070, None), Ok(Vec::new()));
        assert_eq!(networks(5070, Some(known.inbound_from.clone())), Ok(known.inbound_from.clone()));
    }

    #[test]
    fn a_login_told_under_tls_is_not_kept_for_clear_text() {
        let encrypted = Trunk { transport: Transport::Tls, ..trunk(Some("old"), false) };
        for (from, to, kept) in [
            (Transport::Tls, Transport::Udp, false),
            (Transport::Tls, Transport::Tcp, false),
            (Transport::Tls, Transport::Tls, true),
            (Transport::Udp, Transport::Tcp, true),
            (Transport::Udp, Transport::Tls, true),
        ] {
            let known = Trunk { transport: from, ..encrypted.clone() };
            let to = |password| TrunkRevision { transport: to, ..revision(&known, 5060, password) };
            let revised = known.revised(to(None)).unwrap();
            assert_eq!((revised.credentials.is_some(), revised.register), (kept, kept), "{from:?}");
            let given = known.revised(to(Some("new"))).unwrap();
            assert_eq!((password(Ok(given.clone())).as_deref(), given.register), (Some("new"), true));
        }
    }

    #[test]
    fn srtp_without_tls_is_neither_made_nor_reached() {
        let made = |transport, srtp| Trunk { transport, srtp, ..trunk(None, false) };
        for transport in [Transport::Udp, Transport::Tcp] {
            assert_eq!(made(transport, Srtp::Required).checked(), Err(SrtpNeedsTls));
            let plain = made(transport, Srtp::Off);
            assert_eq!(plain.clone().checked(), Ok(plain.clone()));
            let wish = TrunkRevision { srtp: Srtp::Required, ..TrunkRevision::unchanged(&plain) };
            assert_eq!(plain.revised(wish).map_err(|error| error.to_string()), Err(SrtpNeedsTls.to_string()));
            // One that is so already goes on, and can be renamed.
            let known = made(transport, Srtp::Required);
            let renamed = TrunkRevision { name: "b".into(), ..TrunkRevision::unchanged(&known) };
            assert_eq!(known.revised(renamed).map(|trunk| trunk.name), Ok("b".to_owned()));
            let encrypted = made(Transport::Tls, Srtp::Required);
            let bared = TrunkRevision { transport, ..TrunkRevision::unchanged(&encrypted) };
            assert_eq!(encrypted.revised(bared), Err(TrunkRevisionError::SrtpNeedsTls(SrtpNeedsTls)));
        }
        assert!(made(Transport::Tls, Srtp::Required).checked().is_ok());
        let host = crate::trunk::BUILT_IN_PHONE.to_owned();
        let phone =
            Trunk { address: TrunkAddress { host, port: None }, ..made(Transport::Udp, Srtp::Required) };
        assert!(phone.checked().is_ok(), "nothing of it leaves the service");
    }

    #[test]
    fn the_operators_trunk_is_trusted_until_it_goes_elsewhere() {
        for (guarded, port, expected) in [(false, 5060, false), (false, 5070, true), (true, 5060, true)] {
            let known = trunk(Some("old"), guarded);
            let revised = known.revised(revision(&known, port, Some("x")));
            assert_eq!(revised.map(|trunk| trunk.guarded), Ok(expected));
        }
    }
}
