//! Trunks, with their sealed passwords.

use domain::ids::{TenantId, TrunkId};
use domain::network::Network;
use domain::number::CountryCode;
use domain::secret::Secret;
use domain::trunk::{Credentials, Srtp, Transport, Trunk, TrunkAddress};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::sealing::{Place, SealingKey};
use crate::statement::row;

row! {
    TrunkRow {
        trunk_id: Uuid,
        trunk_tenant_id: Uuid,
        trunk_name: String,
        host: String,
        port: Option<i32>,
        trunk_transport: String,
        username: Option<String>,
        password: Option<Vec<u8>>,
        register: bool,
        from_domain: Option<String>,
        default_country: Option<String>,
        wideband: bool,
        srtp: String,
        guarded: bool,
        nat: bool,
        media_networks: Vec<String>,
        inbound_from: Vec<String>,
        realms: Vec<String>,
        max_calls: Option<i64>,
        calls_per_second: Option<i64>,
        trunk_created_at: OffsetDateTime,
    }
}

/// Where a trunk's password lies.
pub(crate) fn password_place(id: Uuid) -> Place {
    Place { table: "trunks", column: "password", id }
}

/// Reads networks as they are stored; `None` when one of them is none.
fn networks(texts: &[String]) -> Option<Vec<Network>> {
    texts.iter().map(|text| Network::parse(text)).collect()
}

impl TrunkRow {
    pub(crate) fn into_trunk(self, key: &SealingKey) -> Result<Trunk, Failure> {
        let id = self.trunk_id;
        let broken = |why| Failure::impossible("trunks", id, why);
        let credentials = match (self.username, self.password) {
            (Some(username), Some(sealed)) => {
                let plain = key
                    .open(password_place(id), &sealed)
                    .ok_or_else(|| broken("the password does not open with this key"))?;
                let password = String::from_utf8(plain.reveal().clone())
                    .map_err(|_| broken("the password is not text"))?;
                Some(Credentials { username, password: Secret::new(password) })
            }
            (None, None) => None,
            _ => return Err(broken("a user name without a password, or the reverse")),
        };
        let default_country = match self.default_country {
            Some(code) => {
                Some(CountryCode::parse(&code).ok_or_else(|| broken("the default country is none"))?)
            }
            None => None,
        };
        Ok(Trunk {
            id: TrunkId::from_uuid(id),
            tenant: TenantId::from_uuid(self.trunk_tenant_id),
            name: self.trunk_name,
            address: TrunkAddress {
                host: self.host,
                port: self
                    .port
                    .map(u16::try_from)
                    .transpose()
                    .map_err(|_| broken("the port is out of range"))?,
            },
            transport: Transport::parse(&self.trunk_transport)
                .ok_or_else(|| broken("the transport is unknown"))?,
            credentials,
            register: self.register,
            from_domain: self.from_domain,
            default_country,
            wideband: self.wideband,
            srtp: Srtp::parse(&self.srtp).ok_or_else(|| broken("what it says of SRTP is unknown"))?,
            guarded: self.guarded,
            nat: self.nat,
            media_networks: networks(&self.media_networks)
                .ok_or_else(|| broken("media_networks holds what is no network"))?,
            inbound_from: networks(&self.inbound_from)
                .ok_or_else(|| broken("inbound_from holds what is no network"))?,
            realms: self.realms,
            max_calls: self
                .max_calls
                .map(u32::try_from)
                .transpose()
                .map_err(|_| broken("max_calls is out of range"))?,
            calls_per_second: self
                .calls_per_second
                .map(u32::try_from)
                .transpose()
                .map_err(|_| broken("calls_per_second is out of range"))?,
            created_at: self.trunk_created_at,
        })
    }
}
