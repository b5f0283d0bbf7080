//! The database's URL: what it says of TLS is read here, the driver reads the rest.
//!
//! The driver knows neither `verify-ca`, `verify-full` nor `sslrootcert`, and its default (`prefer`) goes
//! on in clear text when the other side says so.

use std::borrow::Cow;
use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::tls::{self, Verification};

/// The database URL cannot be used. No text of it holds a part of the URL that could be a password.
#[derive(Debug, thiserror::Error)]
pub enum UrlError {
    /// It has another scheme.
    #[error("it must begin with postgres:// or postgresql://")]
    Scheme,
    /// `sslmode` is not one of the four.
    #[error(
        "its sslmode must be disable, require, verify-ca or verify-full (prefer and allow go on in clear \
         text when the server, or somebody in between, asks for it)"
    )]
    Mode,
    /// A parameter is there twice.
    #[error("it has {0} twice")]
    Twice(&'static str),
    /// `sslrootcert` would verify nothing.
    #[error("its sslrootcert needs sslmode=verify-ca or sslmode=verify-full: otherwise nothing is verified")]
    UnusedAuthorities,
    /// `verify-ca` with the system's authorities accepts too much.
    #[error(
        "its sslmode=verify-ca needs sslrootcert=FILE with the database's authority: the system's \
         authorities give anybody a certificate; or use sslmode=verify-full"
    )]
    AnyPublicCertificate,
    /// Unix sockets beside other hosts.
    #[error(
        "it names Unix sockets beside other hosts, which TLS cannot protect alike: use hosts of one kind"
    )]
    MixedHosts,
    /// The file of `sslrootcert` cannot be used.
    #[error("its sslrootcert {path} {reason}")]
    Authorities {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// TLS cannot be set up here.
    #[error("TLS cannot be set up: {0}")]
    Setup(rustls::Error),
    /// It has a parameter that the driver does not know, whose name may be the end of a password.
    #[error("it has an unknown parameter (is the password percent-encoded?)")]
    UnknownParameter,
    /// The driver cannot read the rest.
    #[error("{0}")]
    Unreadable(String),
}

/// How connections to the database are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// By a Unix socket: nothing leaves the machine.
    UnixSocket,
    /// In clear text on the loopback interface: nothing leaves the machine.
    Loopback,
    /// Not at all: in clear text to another machine (`sslmode=disable`).
    ClearText,
    /// By TLS with whatever certificate is shown (`sslmode=require`): against listeners, not against
    /// somebody in between.
    Require,
    /// By TLS with a certificate of a trusted authority, made out to any name (`sslmode=verify-ca`).
    VerifyCa,
    /// By TLS with a certificate of a trusted authority for the host of the URL (`sslmode=verify-full`).
    VerifyFull,
}

/// The authorities that a certificate may come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Authorities {
    /// Those that the system trusts.
    System,
    /// Those in a PEM file.
    File(PathBuf),
}

/// A database URL that was read.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) protection: Protection,
    /// None for clear text.
    pub(crate) verification: Option<Verification>,
}

/// Reads how connections to a database URL would be protected, and refuses a URL that [`Store::connect`]
/// would refuse; nothing is connected to.
///
/// [`Store::connect`]: crate::Store::connect
pub fn protection(url: &str) -> Result<Protection, UrlError> {
    let address = Address::parse(url)?;
    if let Some(Verification::Chain(file) | Verification::Name(Authorities::File(file))) =
        &address.verification
    {
        tls::roots_of(file)?;
    }
    Ok(address.protection)
}

impl Address {
    pub(crate) fn parse(url: &str) -> Result<Self, UrlError> {
        let Parameters { rest, mode, authorities } = Parameters::split(url)?;
        let mut config = Config::from_str(&rest).map_err(|error| unreadable(&error))?;
        if config.get_hosts().is_empty() {
            // The driver wants a name for TLS, and an address is one.
            for address in config.get_hostaddrs().to_vec() {
                config.host(address.to_string());
            }
        }
        let reach = Reach::of(&config);
        let protection = match (mode, reach) {
            (_, Reach::UnixSockets) => Protection::UnixSocket,
            (None | Some(Mode::Disable), Reach::Loopback) => Protection::Loopback,
            (Some(Mode::Disable), _) => Protection::ClearText,
            (Some(Mode::Require), _) => Protection::Require,
            (Some(Mode::VerifyCa), _) => Protection::VerifyCa,
            (None | Some(Mode::VerifyFull), _) => Protection::VerifyFull,
        };
        let verification = match (protection, authorities) {
            // Like `sslmode`, it says nothing about Unix sockets.
            (Protection::UnixSocket, _) | (Protection::Loopback | Protection::ClearText, None) => None,
            (Protection::Require, None) => Some(Verification::None),
            (Protection::Loopback | Protection::ClearText | Protection::Require, Some(_)) => {
                return Err(UrlError::UnusedAuthorities);
            }
            (Protection::VerifyCa, Some(Authorities::File(file))) => Some(Verification::Chain(file)),
            (Protection::VerifyCa, None | Some(Authorities::System)) => {
                return Err(UrlError::AnyPublicCertificate);
            }
            (Protection::VerifyFull, authorities) => {
                Some(Verification::Name(authorities.unwrap_or(Authorities::System)))
            }
        };
        if verification.is_some() && matches!(reach, Reach::Mixed) {
            return Err(UrlError::MixedHosts);
        }
        Ok(Self { config, protection, verification })
    }
}

/// What the driver says of a URL, unless it repeats a part of it: the name of an unknown parameter.
fn unreadable(error: &tokio_postgres::Error) -> UrlError {
    let told = crate::connection::chain(error);
    if told.contains("unknown option") { UrlError::UnknownParameter } else { UrlError::Unreadable(told) }
}

/// The values of `sslmode` that are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Disable,
    Require,
    VerifyCa,
    VerifyFull,
}

impl Mode {
    fn parse(text: &str) -> Result<Self, UrlError> {
        match text {
            "disable" => Ok(Self::Disable),
            "require" => Ok(Self::Require),
            "verify-ca" => Ok(Self::VerifyCa),
            "verify-full" => Ok(Self::VerifyFull),
            _ => Err(UrlError::Mode),
        }
    }
}

/// A URL without the parameters that the driver must not see, and these.
struct Parameters {
    rest: String,
    mode: Option<Mode>,
    authorities: Option<Authorities>,
}

impl Parameters {
    /// Splits a URL where the driver does, so that both read the same.
    fn split(url: &str) -> Result<Self, UrlError> {
        let body = ["postgres://", "postgresql://"].iter().find_map(|scheme| url.strip_prefix(scheme));
        let body = body.ok_or(UrlError::Scheme)?;
        // To the driver, credentials end at the first `@`, wherever it stands.
        let place = body.split_once('@').map_or(body, |(_, place)| place);
        let (_, query) = place.split_once('?').unwrap_or((place, ""));
        let (mut mode, mut authorities, mut kept) = (None, None, Vec::new());
        let mut unread = query;
        while let Some((name, behind)) = unread.split_once('=') {
            let (value, next) = behind.split_once('&').unwrap_or((behind, ""));
            let decoded = || percent_decode_str(value).decode_utf8_lossy();
            match percent_decode_str(name).decode_utf8_lossy().as_ref() {
                "sslmode" => put(&mut mode, "sslmode", Mode::parse(&decoded())?)?,
                "sslrootcert" => put(&mut authorities, "sslrootcert", authorities_of(decoded()))?,
                _ => kept.push(format!("{name}={value}")),
            }
            unread = next;
        }
        if !unread.is_empty() {
            // A name without a value, which is the driver's to refuse.
            kept.push(unread.to_owned());
        }
        let rest = format!("{}{}", url.strip_suffix(query).unwrap_or(url), kept.join("&"));
        Ok(Self { rest, mode, authorities })
    }
}

fn put<T>(place: &mut Option<T>, name: &'static str, value: T) -> Result<(), UrlError> {
    if place.replace(value).is_some() { Err(UrlError::Twice(name)) } else { Ok(()) }
}

fn authorities_of(text: Cow<'_, str>) -> Authorities {
    if text == "system" { Authorities::System } else { Authorities::File(text.into_owned().into()) }
}

/// Where the hosts of a URL are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    UnixSockets,
    Loopback,
    Network,
    /// Unix sockets and others.
    Mixed,
}

impl Reach {
    /// Names are not looked up: only `localhost` is known to be this machine.
    fn of(config: &Config) -> Self {
        let addresses = config.get_hostaddrs();
        if !addresses.is_empty() {
            // They are connected to, whatever the hosts are.
            let local = addresses.iter().all(|address| address.to_canonical().is_loopback());
            return if local { Self::Loopback } else { Self::Network };
        }
        let is_socket = |host: &Host| matches!(host, Host::Unix(_));
        let hosts = config.get_hosts();
        match (hosts.iter().any(is_socket), hosts.iter().all(is_socket)) {
            (true, true) => Self::UnixSockets,
            (true, false) => Self::Mixed,
            _ if hosts.iter().all(is_loopback) => Self::Loopback,
            _ => Self::Network,
        }
    }
}

fn is_loopback(host: &Host) -> bool {
    let Host::Tcp(name) = host else { return false };
    let address = name.parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protection(url: &str) -> Protection {
        Address::parse(url).unwrap_or_else(|error| panic!("{url}: {error}")).protection
    }

    fn refusal(url: &str) -> UrlError {
        Address::parse(url).map(|address| address.protection).unwrap_err()
    }

    #[test]
    fn without_sslmode_only_this_machine_is_reached_in_clear_text() {
        for (url, expected) in [
            ("postgres://u:p@localhost/d", Protection::Loopback),
            ("postgres://u@LOCALHOST:5433/d", Protection::Loopback),
            ("postgres://127.8.0.1/d", Protection::Loopback),
            ("postgres://u@[::1]:5432/d", Protection::Loopback),
            ("postgresql://u@[::ffff:127.0.0.1]/d", Protection::Loopback),
            ("postgres://u@%2Fvar%2Frun%2Fpostgresql/d", Protection::UnixSocket),
            ("postgres:///d?host=/run/postgresql&user=u", Protection::UnixSocket),
            ("postgres://u@db.example/d", Protection::VerifyFull),
            ("postgres://u@10.0.0.7/d", Protection::VerifyFull),
            ("postgres://u@localhost.example/d", Protection::VerifyFull),
            ("postgres://u@127.1/d", Protection::VerifyFull),
            ("postgres://u@0.0.0.0/d", Protection::VerifyFull),
            ("postgres://u@localhost,db.example/d", Protection::VerifyFull),
            ("postgres://u@localhost/d?hostaddr=10.0.0.7", Protection::VerifyFull),
            ("postgres:///d?hostaddr=10.0.0.7", Protection::VerifyFull),
            ("postgres://u@db.example/d?hostaddr=127.0.0.1", Protection::Loopback),
        ] {
            assert_eq!(protection(url), expected, "{url}");
        }
    }

    #[test]
    fn sslmode_decides_for_every_host_but_unix_sockets() {
        for (mode, there, here) in [
            ("disable", Protection::ClearText, Protection::Loopback),
            ("require", Protection::Require, Protection::Require),
            ("verify-ca&sslrootcert=/ca.pem", Protection::VerifyCa, Protection::VerifyCa),
            ("verify-full", Protection::VerifyFull, Protection::VerifyFull),
            ("verify%2Dfull&ssl%72ootcert=%2Fca.pem", Protection::VerifyFull, Protection::VerifyFull),
            ("verify-full&sslrootcert=system", Protection::VerifyFull, Protection::VerifyFull),
        ] {
            assert_eq!(protection(&format!("postgres://u:p@db.example/d?sslmode={mode}")), there, "{mode}");
            assert_eq!(protection(&format!("postgres://u:p@127.0.0.1/d?sslmode={mode}")), here, "{mode}");
            let socket = format!("postgres://u:p@%2Frun/d?sslmode={mode}");
            assert_eq!(protection(&socket), Protection::UnixSocket, "{mode}");
        }
    }

    #[test]
    fn what_would_protect_less_than_it_says_is_refused() {
        for mode in ["prefer", "allow", "", "Require", "verify_full", "disable "] {
            let error = refusal(&format!("postgres://u:hunter2@db.example/d?sslmode={mode}"));
            assert!(matches!(error, UrlError::Mode), "{mode}: {error}");
            let told = error.to_string();
            assert!(told.contains("disable, require, verify-ca or verify-full"), "{told}");
        }
        let with = |query: &str| refusal(&format!("postgres://u:hunter2@db.example/d?{query}"));
        assert!(matches!(with("sslmode=require&sslmode=disable"), UrlError::Twice("sslmode")));
        assert!(matches!(with("sslrootcert=a&sslrootcert=b"), UrlError::Twice("sslrootcert")));
        assert!(matches!(with("sslmode=require&sslrootcert=/ca.pem"), UrlError::UnusedAuthorities));
        assert!(matches!(with("sslmode=disable&sslrootcert=/ca.pem"), UrlError::UnusedAuthorities));
        assert!(matches!(refusal("postgres://localhost/d?sslrootcert=/ca"), UrlError::UnusedAuthorities));
        assert!(matches!(with("sslmode=verify-ca"), UrlError::AnyPublicCertificate));
        assert!(matches!(with("sslmode=verify-ca&sslrootcert=system"), UrlError::AnyPublicCertificate));
        assert!(matches!(refusal("postgres://u@%2Frun,db.example/d"), UrlError::MixedHosts));
        assert!(matches!(refusal("host=db.example sslmode=disable"), UrlError::Scheme));
    }

    #[test]
    fn the_driver_reads_everything_else() {
        let url = "postgres://us%40er:p%3Fss@h1:1,h2:2/d%20b?a%70plication_name=a%26b&sslmode=require\
                   &channel_binding=require&sslnegotiation=direct&options=-c%20x%3Dy";
        let config = Address::parse(url).unwrap().config;
        assert_eq!((config.get_user(), config.get_dbname()), (Some("us@er"), Some("d b")));
        assert_eq!(config.get_password(), Some(&b"p?ss"[..]));
        assert_eq!(config.get_hosts(), [Host::Tcp("h1".into()), Host::Tcp("h2".into())]);
        assert_eq!((config.get_application_name(), config.get_options()), (Some("a&b"), Some("-c x=y")));
        assert_eq!(config.get_channel_binding(), tokio_postgres::config::ChannelBinding::Require);
        for (url, rest) in [
            ("postgres://h/d?sslmode=disable", "postgres://h/d?"),
            ("postgres://u:a?sslmode=b@h/d", "postgres://u:a?sslmode=b@h/d"),
            ("postgres://h?sslmode=disable&user=u", "postgres://h?user=u"),
            ("postgres://h/d?user=u&sslmode=disable&dbname=e", "postgres://h/d?user=u&dbname=e"),
            ("postgres://h/d?dbname=a?&sslmode=disable&user=u", "postgres://h/d?dbname=a?&user=u"),
            ("postgres://h/d?user=u&sslmode", "postgres://h/d?user=u&sslmode"),
        ] {
            assert_eq!(Parameters::split(url).unwrap().rest, rest, "{url}");
        }
    }

    #[test]
    fn an_unreadable_url_is_told_without_its_password() {
        for url in ["postgres://u:hunter2@h:port/d", "postgres://u:hunter2@h/d?connect_timeout=soon"] {
            let told = refusal(url).to_string();
            assert!(told.contains("invalid value") && !told.contains("hunter2"), "{told}");
        }
    }

    #[test]
    fn the_end_of_an_unencoded_password_is_not_told() {
        for url in ["postgres://u:a@b?hunter2=c@h/d", "postgres://u:p@h/d?hunter2=x"] {
            let error = refusal(url);
            assert!(matches!(error, UrlError::UnknownParameter), "{url}: {error}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
