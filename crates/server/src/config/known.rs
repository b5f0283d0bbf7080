//! The list of settings: their paths, kinds and defaults.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::secret::Secret;

use super::check::{self, Kind};
use super::layers::Written;
use super::{
    BuiltInPhone, Callbacks, Calls, Database, Http, Log, LogFormat, Media, Problem, Problems, Redis, Secrets,
    Settings, Sip, Tls, Trunks,
};
use crate::environment::Environment;

/// Reads every known setting and refuses the rest.
pub(super) fn read(
    written: &BTreeMap<String, Written>,
    environment: &Environment,
) -> Result<Settings, Problems> {
    let mut reader = Reader { written, known: Vec::new(), problems: Vec::new() };
    let engines = reader.engines(environment);
    let settings = Settings {
        http: Http {
            listen: reader
                .one("http.listen", &check::SOCKET)
                .unwrap_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080)),
            public_url: reader.one_or_none("http.public_url", &check::PUBLIC_URL),
            tls: reader.tls(),
            trusted_proxies: reader.many("http.trusted_proxies", &check::NETWORK),
        },
        database: Database { url: reader.database_url(), search_path: environment.search_path() },
        redis: Redis {
            address: reader.one_or_none("redis.url", &check::REDIS_URL),
            authorities: reader.one_or_none("redis.tls.authorities", &check::FILE),
        },
        data_dir: reader.one("data_dir", &check::FOLDER).unwrap_or_else(|| default_data_dir(environment)),
        secrets: Secrets { key_file: reader.one_or_none("secrets.key_file", &check::FILE) },
        sip: Sip {
            listen: reader
                .one("sip.listen", &check::SOCKET)
                .unwrap_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 5060)),
            public_address: reader.one_or_none("sip.public_address", &check::ADDRESS),
            authorities: reader.one_or_none("sip.tls.authorities", &check::FILE),
            max_connections: reader.one_or_none("sip.max_connections", &check::CONNECTIONS),
            max_connections_per_address: reader
                .one("sip.max_connections_per_address", &check::CONNECTIONS)
                .unwrap_or(32),
        },
        trunks: Trunks { allowed_networks: reader.many("trunks.allowed_networks", &check::NETWORK) },
        phone: BuiltInPhone { built_in: reader.one("phone.built_in", &check::SWITCH).unwrap_or(true) },
        // Below 32768, where Linux begins to give out ephemeral ports.
        media: Media { ports: reader.one("media.ports", &check::PORTS).unwrap_or(20_000..=29_999) },
        calls: Calls {
            ring_limit: reader.one("calls.ring_limit", &check::RING_LIMIT).unwrap_or(Duration::from_mins(1)),
            drain_limit: reader
                .one("calls.drain_limit", &check::DRAIN_LIMIT)
                .unwrap_or(Duration::from_mins(2)),
        },
        callbacks: Callbacks {
            allowed_networks: reader.many("callbacks.allowed_networks", &check::NETWORK),
            authorities: reader.one_or_none("callbacks.tls.authorities", &check::FILE),
        },
        analysis: reader.analysis(&engines),
        engines,
        s3: reader.s3(),
        log: Log {
            level: reader.one("log.level", &check::LOG_LEVEL).unwrap_or_else(|| "info".to_owned()),
            format: reader.one("log.format", &check::LOG_FORMAT).unwrap_or(LogFormat::Pretty),
        },
    };
    reader.refuse_unknown();
    if reader.problems.is_empty() { Ok(settings) } else { Err(Problems(reader.problems)) }
}

/// `/var/lib/callwright` for root, else where the desktop's rules (XDG) put a user's data.
fn default_data_dir(environment: &Environment) -> PathBuf {
    let set = |name| environment.get(name).filter(|path| Path::new(path).is_absolute());
    if rustix::process::geteuid().is_root() {
        PathBuf::from("/var/lib/callwright")
    } else if let Some(data) = set("XDG_DATA_HOME") {
        Path::new(data).join("callwright")
    } else if let Some(home) = set("HOME") {
        Path::new(home).join(".local/share/callwright")
    } else {
        std::path::absolute("callwright-data").unwrap_or_else(|_| PathBuf::from("callwright-data"))
    }
}

/// Reads settings by their paths, and keeps what is wrong with them.
pub(super) struct Reader<'a> {
    written: &'a BTreeMap<String, Written>,
    known: Vec<String>,
    pub(super) problems: Vec<Problem>,
}

impl Reader<'_> {
    /// A value that has a default: none when nobody wrote it, or when it is bad.
    pub(super) fn one<T>(&mut self, path: &str, kind: &Kind<T>) -> Option<T> {
        self.known.push(path.to_owned());
        let written = self.written.get(path)?;
        let text = match (written.items.as_deref(), written.list) {
            (Some([text]), false) => Some(text),
            _ => None,
        };
        let value = text.and_then(|text| (kind.read)(text.trim()));
        if value.is_none() {
            self.refuse(written, kind.allowed, text.map(String::as_str));
        }
        value
    }

    /// A value that may be absent, which an empty text means too.
    pub(super) fn one_or_none<T>(&mut self, path: &str, kind: &Kind<T>) -> Option<T> {
        let empty = |written: &Written| written.items.as_deref().is_some_and(|items| items == [""]);
        if self.written.get(path).is_some_and(empty) {
            self.known.push(path.to_owned());
            return None;
        }
        self.one(path, kind)
    }

    /// A list: comma-separated, or a list of TOML; empty when nobody wrote it.
    pub(super) fn many<T>(&mut self, path: &str, kind: &Kind<T>) -> Vec<T> {
        self.known.push(path.to_owned());
        let Some(written) = self.written.get(path) else { return Vec::new() };
        let Some(items) = &written.items else {
            self.refuse(written, kind.allowed, None);
            return Vec::new();
        };
        let mut values = Vec::new();
        let parts =
            items.iter().flat_map(|item| item.split(',')).map(str::trim).filter(|part| !part.is_empty());
        for part in parts {
            match (kind.read)(part) {
                Some(value) => values.push(value),
                None => self.refuse(written, kind.allowed, Some(part)),
            }
        }
        values
    }

    /// A URL by which the database would be reached, with a protection that can be had.
    fn database_url(&mut self) -> Option<Secret<String>> {
        let path = "database.url";
        let url = self.one_or_none(path, &check::DATABASE_URL)?;
        match postgres::protection(url.reveal()) {
            Ok(_) => Some(url),
            Err(error) => {
                self.refuse_path(path, error.to_string());
                None
            }
        }
    }

    /// Certificate and key come together or not at all.
    fn tls(&mut self) -> Option<Tls> {
        let (certificate, key) = ("http.tls.certificate", "http.tls.key");
        let both = (self.one_or_none(certificate, &check::FILE), self.one_or_none(key, &check::FILE));
        let lonely = match (self.is_set(certificate), self.is_set(key)) {
            (true, false) => Some((certificate, "HTTP__TLS__KEY")),
            (false, true) => Some((key, "HTTP__TLS__CERTIFICATE")),
            _ => None,
        };
        if let Some((path, missing)) = lonely {
            self.refuse_path(path, format!("needs CALLWRIGHT__{missing} beside it"));
        }
        match both {
            (Some(certificate), Some(key)) => Some(Tls { certificate, key }),
            _ => None,
        }
    }

    /// The paths that begin so.
    pub(super) fn written_below(&self, beginning: &str) -> Vec<String> {
        self.written.keys().filter(|path| path.starts_with(beginning)).cloned().collect()
    }

    /// How somebody wrote a setting: the variable, or the path in the file with the file's name.
    pub(super) fn written_as(&self, path: &str) -> String {
        self.written.get(path).map_or_else(|| path.to_owned(), |written| written.name.clone())
    }

    /// Knows a former setting where somebody wrote it, so that the list of settings does not offer it.
    pub(super) fn knows_if_written(&mut self, path: &str) {
        if self.written.contains_key(path) {
            self.knows(path);
        }
    }

    /// Marks a setting as one that there is, read or not.
    pub(super) fn knows(&mut self, path: &str) {
        self.known.push(path.to_owned());
    }

    /// Whether somebody wrote it, and not as an empty text.
    pub(super) fn is_set(&self, path: &str) -> bool {
        let given = |written: &Written| written.items.as_deref().is_none_or(|items| items != [""]);
        self.written.get(path).is_some_and(given)
    }

    /// Refuses a setting for what stands, or does not stand, beside it.
    pub(super) fn refuse_path(&mut self, path: &str, reason: String) {
        let setting = self.written_as(path);
        self.problems.push(Problem { setting, reason });
    }

    fn refuse(&mut self, written: &Written, allowed: &str, text: Option<&str>) {
        // Addresses of databases hold a password, and a key may stand where its variable should be
        // named: a bad value of those is not repeated.
        let secret = ["PASSWORD", "KEY", "CREDENTIAL", "secret"].iter().any(|word| allowed.contains(word));
        let shown = text.filter(|_| !secret).filter(|text| text.len() <= 200);
        let shown = shown.map(|text| format!(", but is `{text}`")).unwrap_or_default();
        let reason = format!("must be {allowed}{shown}");
        self.problems.push(Problem { setting: written.name.clone(), reason });
    }

    fn refuse_unknown(&mut self) {
        for (path, written) in self.written {
            if self.known.contains(path) {
                continue;
            }
            let of_environment = written.name.starts_with("CALLWRIGHT__");
            let spell = |known: &str| {
                if of_environment {
                    format!("CALLWRIGHT__{}", known.to_ascii_uppercase().replace('.', "__"))
                } else {
                    known.to_owned()
                }
            };
            let reason = if let Some(known) = nearest(path, &self.known) {
                format!("unknown setting; did you mean {}?", spell(known))
            } else {
                let all: Vec<_> = self.known.iter().map(|known| spell(known)).collect();
                format!("unknown setting; there are {}", all.join(", "))
            };
            self.problems.push(Problem { setting: written.name.clone(), reason });
        }
    }
}

/// The known path that differs in the fewest letters, when few enough to be a slip.
fn nearest<'a>(path: &str, known: &'a [String]) -> Option<&'a str> {
    let plain = |text: &str| text.replace(['.', '-'], "_");
    let told = |candidate: &'a String| (distance(&plain(path), &plain(candidate)), candidate.as_str());
    let (distance, found) = known.iter().map(told).min()?;
    (distance <= 3.min(found.len() / 3)).then_some(found)
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (to, above) in b.chars().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(from != to)).min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
