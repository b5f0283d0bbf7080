//! Reads single values; each reader says what it allows.

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use domain::assistant::CredentialName;
use domain::ids::TenantId;
use domain::network::{Network, Origin};
use domain::secret::Secret;
use url::Url;

use super::LogFormat;

/// A reader of one value, with what it allows in words.
pub(super) struct Kind<T> {
    /// What is allowed, e.g. in "must be …".
    pub(super) allowed: &'static str,
    /// Reads a trimmed text.
    pub(super) read: fn(&str) -> Option<T>,
}

pub(super) const SOCKET: Kind<SocketAddr> =
    Kind { allowed: "ADDRESS:PORT, e.g. 127.0.0.1:8080 or [::1]:8080", read: |text| text.parse().ok() };

pub(super) const ADDRESS: Kind<IpAddr> =
    Kind { allowed: "an IPv4 or IPv6 address, e.g. 198.51.100.7", read: |text| text.parse().ok() };

pub(super) const NETWORK: Kind<Network> = Kind {
    allowed: "addresses or networks in CIDR form, e.g. 10.0.0.0/8 or ::1, separated by commas",
    read: Network::parse,
};

pub(super) const PUBLIC_URL: Kind<Url> = Kind {
    allowed: "an http:// or https:// address without query and fragment, e.g. https://calls.example.com",
    read: |text| {
        Url::parse(text).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
                && url.password().is_none()
        })
    },
};

pub(super) const DATABASE_URL: Kind<Secret<String>> = Kind {
    allowed: "a PostgreSQL address: postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE",
    read: |text| {
        let postgres = text.starts_with("postgres://") || text.starts_with("postgresql://");
        postgres.then(|| Secret::new(text.to_owned()))
    },
};

pub(super) const REDIS_URL: Kind<redis_window::Address> = Kind {
    allowed: "a Redis address: redis://USER:PASSWORD@HOST:PORT/DATABASE, or rediss:// for TLS",
    read: redis_window::Address::parse,
};

pub(super) const VARIABLE: Kind<String> = Kind {
    allowed: "the name of an environment variable such as OPENAI_API_KEY, none of Callwright's own",
    read: |text| {
        let own = text.starts_with("CALLWRIGHT__") || text == "DATABASE_URL";
        let letters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let begins = !text.is_empty() && !text.starts_with(|first: char| first.is_ascii_digit());
        (begins && letters && !own && text.len() <= 200).then(|| text.to_owned())
    },
};

pub(super) const CREDENTIAL: Kind<CredentialName> =
    Kind { allowed: "the name of one of the credentials ENGINES__CREDENTIALS", read: CredentialName::parse };

pub(super) const ORIGIN: Kind<Origin> = Kind {
    allowed: "origins such as https://api.openai.com or http://10.0.0.7:8000, without a path, separated by commas",
    read: Origin::parse,
};

/// `None` is every tenant.
pub(super) const TENANT: Kind<Option<TenantId>> = Kind {
    allowed: "ids of tenants separated by commas, or * for every tenant",
    read: |text| if text == "*" { Some(None) } else { TenantId::parse(text).map(Some) },
};

pub(super) const WORD: Kind<String> = Kind {
    allowed: "one word of at most 2048 characters",
    read: |text| {
        let fits = !text.is_empty() && text.chars().count() <= 2048;
        let plain = |c: char| !c.is_control() && !c.is_whitespace();
        (fits && text.chars().all(plain)).then(|| text.to_owned())
    },
};

pub(super) const FILE: Kind<PathBuf> = Kind {
    allowed: "the path of a file that exists and can be read",
    read: |text| {
        let path = std::path::absolute(text).ok()?;
        let readable = path.is_file() && std::fs::File::open(&path).is_ok();
        readable.then_some(path)
    },
};

pub(super) const FOLDER: Kind<PathBuf> = Kind {
    allowed: "the path of a folder; it is made when absent",
    read: |text| std::path::absolute(text).ok(),
};

pub(super) const PORTS: Kind<RangeInclusive<u16>> = Kind {
    allowed: "FIRST-LAST with ports from 1024 to 65535 and room for one call (two ports), e.g. 20000-29999",
    read: |text| {
        let (first, last) = text.split_once('-')?;
        let (first, last) = (first.trim().parse::<u16>().ok()?, last.trim().parse::<u16>().ok()?);
        // RTP takes an even port and RTCP the odd one above it (RFC 3550 §11).
        let rtp = first.checked_next_multiple_of(2)?;
        (first >= 1024 && last > rtp).then_some(first..=last)
    },
};

pub(super) const RING_LIMIT: Kind<Duration> =
    Kind { allowed: "whole seconds from 1 to 180", read: |text| seconds(text, 1..=180) };

pub(super) const DRAIN_LIMIT: Kind<Duration> =
    Kind { allowed: "whole seconds from 0 to 86400", read: |text| seconds(text, 0..=86_400) };

pub(super) const CONNECTIONS: Kind<usize> = Kind {
    allowed: "a whole number from 1 to 16384",
    read: |text| text.parse().ok().filter(|count| (1..=16_384).contains(count)),
};

pub(super) const SWITCH: Kind<bool> = Kind { allowed: "true or false", read: |text| text.parse().ok() };

pub(super) const LOG_LEVEL: Kind<String> = Kind {
    allowed: "error, warn, info, debug, trace or off, or such levels by module, e.g. info,sip=debug",
    read: |text| {
        let level = |word: &str| matches!(word, "error" | "warn" | "info" | "debug" | "trace" | "off");
        let module = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:-".contains(&b))
        };
        let directive = |part: &str| match part.trim().split_once('=') {
            Some((target, word)) => module(target) && level(word),
            None => level(part.trim()),
        };
        let text = text.to_ascii_lowercase();
        text.split(',').all(directive).then(|| text.replace(' ', ""))
    },
};

pub(super) const LOG_FORMAT: Kind<LogFormat> = Kind {
    allowed: "pretty or json",
    read: |text| match text {
        "pretty" => Some(LogFormat::Pretty),
        "json" => Some(LogFormat::Json),
        _ => None,
    },
};

fn seconds(text: &str, allowed: RangeInclusive<u64>) -> Option<Duration> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|seconds| digits && allowed.contains(seconds)).map(Duration::from_secs)
}
