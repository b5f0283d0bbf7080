//! Where Redis is, as operators write it.

use std::fmt;

use domain::secret::Secret;
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// A Redis server: `redis://` or, by TLS, `rediss://`, then `[USER:PASSWORD@]HOST[:PORT][/DATABASE]`.
///
/// It prints without user and password.
#[derive(Clone)]
pub struct Address {
    pub(crate) tls: bool,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) database: u32,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<Secret<String>>,
}

impl Address {
    /// Reads a URL; none when it is anything but the above.
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let tls = match url.scheme() {
            "redis" => false,
            "rediss" => true,
            _ => return None,
        };
        if url.query().is_some() || url.fragment().is_some() {
            return None;
        }
        let host = match url.host()? {
            // The scheme is none that the parser knows: an IPv4 address comes as a name.
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let database = match url.path().trim_start_matches('/') {
            "" => 0,
            number => number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))?,
        };
        let decoded = |text: &str| percent_decode_str(text).decode_utf8().ok().map(String::from);
        let user = Some(decoded(url.username())?).filter(|user| !user.is_empty());
        let password = match url.password() {
            Some(password) => Some(Secret::new(decoded(password)?)),
            None => None,
        };
        // A name alone authenticates nobody.
        let complete = user.is_none() || password.is_some();
        complete.then(|| Self { tls, host, port: url.port().unwrap_or(6379), database, user, password })
    }

    /// Whether it is reached by TLS.
    pub const fn is_tls(&self) -> bool {
        self.tls
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, database, .. } = self;
        let scheme = if self.tls { "rediss" } else { "redis" };
        if host.contains(':') {
            write!(f, "{scheme}://[{host}]:{port}/{database}")
        } else {
            write!(f, "{scheme}://{host}:{port}/{database}")
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_their_parts_and_printed_without_secrets() {
        for (text, printed, user, password) in [
            ("redis://cache", "redis://cache:6379/0", None, None),
            ("redis://10.0.0.7:7000/", "redis://10.0.0.7:7000/0", None, None),
            ("redis://[::1]:7000/3", "redis://[::1]:7000/3", None, None),
            ("rediss://:s%40crt@h/1", "rediss://h:6379/1", None, Some("s@crt")),
            ("rediss://ann:pw@h:1", "rediss://h:1/0", Some("ann"), Some("pw")),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.to_string(), printed);
            assert_eq!(address.user.as_deref(), user);
            assert_eq!(address.password.as_ref().map(|p| p.reveal().as_str()), password);
            assert_eq!(format!("{address:?}"), format!("Address({printed})"));
        }
    }

    #[test]
    fn whatever_else_is_refused() {
        for text in [
            "",
            "cache:6379",
            "http://cache",
            "redis://",
            "redis:///0",
            "redis://h/zero",
            "redis://h/-1",
            "redis://h/+1",
            "redis://h/1/2",
            "redis://h:70000",
            "redis://h?protocol=resp3",
            "rediss://h#insecure",
            "redis://ann@h",
            "redis://:%ff@h",
        ] {
            assert!(Address::parse(text).is_none(), "{text}");
        }
    }
}
