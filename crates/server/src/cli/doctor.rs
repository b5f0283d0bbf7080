//! `callwright doctor`: is everything here that calls need?

use std::net::{IpAddr, UdpSocket};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use domain::assistant::{Assistant, Credentials};
use domain::ports::{Clock, Directory, Entropy, StoreUnavailable, Telephony};
use domain::trunk::Trunk;
use postgres::Protection;
use serde_json::json;
use sip::SipTelephony;
use time::OffsetDateTime;

use super::office::{self, Database};
use super::output::{self, Fields, Output};
use crate::adapters;
use crate::config::Settings;
use crate::secrets::KeyFile;
use crate::system::{SystemClock, SystemEntropy};

/// How far this machine's clock may be from the database's: callbacks carry timestamps that
/// receivers judge by minutes.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);

/// How many of the media ports are tried.
const PORTS_TRIED: u16 = 16;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Check {
    name: String,
    ok: bool,
    /// It works, and should not stay so.
    warning: bool,
    detail: String,
}

impl Check {
    fn of(name: impl Into<String>, outcome: Result<String, String>) -> Self {
        let (ok, detail) = outcome.map_or_else(|why| (false, why), |detail| (true, detail));
        Self { name: name.into(), ok, warning: false, detail }
    }

    fn warning(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), ok: true, warning: true, detail: detail.into() }
    }

    const fn verdict(&self) -> &'static str {
        match (self.ok, self.warning) {
            (false, _) => "FAIL",
            (true, true) => "warn",
            (true, false) => "ok",
        }
    }
}

/// Looks at everything and fails when one thing is wrong.
pub(super) fn run(settings: &Settings, output: Output) -> anyhow::Result<()> {
    let mut checks = match Database::reach(settings) {
        Ok(database) => {
            let checks = database.runtime().block_on(with_database(settings, &database));
            database.close();
            checks
        }
        Err(error) => without_database(&format!("{error:#}")),
    };
    checks.push(Check::of("media ports", media_ports(settings.sip.listen.ip(), &settings.media.ports)));
    checks.extend(redis(settings));
    let healthy = checks.iter().all(|check| check.ok);
    show(&checks, healthy, output)?;
    if !healthy {
        bail!("not everything is well");
    }
    Ok(())
}

fn show(checks: &[Check], healthy: bool, output: Output) -> std::io::Result<()> {
    if output.is_json() {
        let item = |check: &Check| -> Fields {
            vec![
                ("name", json!(check.name)),
                ("ok", json!(check.ok)),
                ("warning", json!(check.warning)),
                ("detail", json!(check.detail)),
            ]
        };
        let items: Vec<_> = checks.iter().map(item).collect();
        return output.list(vec![("id", json!("doctor")), ("ok", json!(healthy))], "checks", &items);
    }
    let width = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or_default();
    for check in checks {
        let Check { name, detail, .. } = check;
        super::output::say(&format!("{name:width$}  {:4}  {detail}", check.verdict()))?;
    }
    Ok(())
}

fn without_database(why: &str) -> Vec<Check> {
    let unknown = || Err("not known without the database".to_owned());
    vec![
        Check::of("database", Err(why.to_owned())),
        Check::of("encryption", unknown()),
        Check::of("migrations", unknown()),
        Check::of("clock", unknown()),
        Check::of("trunks", unknown()),
    ]
}

async fn with_database(settings: &Settings, database: &Database) -> Vec<Check> {
    let began = SystemClock.since_boot();
    let key = match KeyFile::open(settings, &SystemEntropy, Arc::new(SystemClock)) {
        Ok(keys) => postgres::SealingKey::of(keys),
        Err(error) => return without_database(&output::reasons(&anyhow::Error::new(error))),
    };
    let store = match postgres::Store::connect(database.url(), key, postgres::Options::default()).await {
        Ok(store) => store,
        Err(error) => return without_database(&output::reasons(&anyhow::Error::new(error))),
    };
    let took = SystemClock.since_boot().saturating_sub(began).as_millis();
    let whose = if database.is_embedded() { "the private cluster" } else { "the configured database" };
    let mut checks = vec![
        Check::of("database", Ok(format!("{whose} answers within {took} ms"))),
        encryption(&store).await,
    ];
    let pending = match postgres::pending_migrations(database.url()).await {
        Ok(pending) if pending.is_empty() => Ok("up to date".to_owned()),
        Ok(pending) => Err(format!("{} to run: use `callwright migrate`", pending.len())),
        Err(error) => Err(error.to_string()),
    };
    let tables = pending.is_ok();
    checks.push(Check::of("migrations", pending));
    checks.push(Check::of("clock", clock(&SystemClock, &store).await));
    if tables {
        checks.push(Check::of("key file", key_file(&store).await));
        let directory = office::directory(&store);
        checks.extend(credentials(&directory, &adapters::allowed_assistants(settings).credentials).await);
        checks.extend(trunks(&directory, telephony(settings).await).await);
    } else {
        checks.push(Check::of("trunks", Err("not known before the migrations".to_owned())));
    }
    checks
}

/// What protects the connection to the database. Clear text to another machine is a warning.
async fn encryption(store: &postgres::Store) -> Check {
    const NAME: &str = "encryption";
    let version = match store.tls_version().await {
        Ok(version) => version,
        Err(error) => return Check::of(NAME, Err(cause_of(&error))),
    };
    // Something in between that ends our TLS may go on without it, or with another.
    let tls = version.unwrap_or_else(|| "TLS".to_owned());
    let detail = match store.protection() {
        Protection::UnixSocket => "none is needed: a Unix socket".to_owned(),
        Protection::Loopback => "none is needed: clear text on the loopback interface".to_owned(),
        Protection::ClearText => {
            return Check::warning(NAME, "NONE: clear text to another machine (sslmode=disable)");
        }
        Protection::Require => format!("{tls} with any certificate (sslmode=require)"),
        Protection::VerifyCa => format!("{tls}, certificate verified but for its name (sslmode=verify-ca)"),
        Protection::VerifyFull => format!("{tls}, certificate and name verified (sslmode=verify-full)"),
    };
    Check::of(NAME, Ok(detail))
}

async fn key_file(store: &postgres::Store) -> Result<String, String> {
    match store.key_fits().await {
        Ok(true) => Ok("opens the database's secrets".to_owned()),
        Ok(false) => Err("is not the one that the database's secrets are encrypted with".to_owned()),
        Err(error) => Err(cause_of(&error)),
    }
}

async fn clock(own: &dyn Clock, store: &postgres::Store) -> Result<String, String> {
    let before = own.now();
    let theirs = store.wall_clock().await.map_err(|error| error.to_string())?;
    compare(before, theirs, own.now())
}

/// The database's clock against ours, read before and after the question.
fn compare(before: OffsetDateTime, theirs: OffsetDateTime, after: OffsetDateTime) -> Result<String, String> {
    let apart = if theirs < before {
        before - theirs
    } else if theirs > after {
        theirs - after
    } else {
        time::Duration::ZERO
    };
    let apart = Duration::try_from(apart).unwrap_or_default();
    let told = format!("{} ms from the database's", apart.as_millis());
    if apart <= CLOCK_TOLERANCE { Ok(told) } else { Err(format!("{told}; is NTP running?")) }
}

/// A telephony of the doctor's own: the service may be using the configured port.
async fn telephony(settings: &Settings) -> Result<Arc<dyn Telephony>, String> {
    let start = async {
        let mut sip = adapters::sip_settings(settings)?;
        sip.listen.set_port(0);
        let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
        anyhow::Ok(SipTelephony::start(sip, entropy).await?)
    };
    match start.await {
        Ok(telephony) => Ok(telephony),
        Err(error) => Err(format!("{error:#}")),
    }
}

async fn trunks(directory: &Arc<dyn Directory>, telephony: Result<Arc<dyn Telephony>, String>) -> Vec<Check> {
    let one = |outcome| vec![Check::of("trunks", outcome)];
    // The built-in phone is in the service, not in this program.
    let outside = |trunks: Vec<Trunk>| -> Vec<Trunk> {
        trunks.into_iter().filter(|trunk| !trunk.leads_to_built_in_phone()).collect()
    };
    let trunks = match directory.trunks().await.map(outside) {
        Ok(trunks) if trunks.is_empty() => return one(Ok("there are none".to_owned())),
        Ok(trunks) => trunks,
        Err(error) => return one(Err(cause_of(&error))),
    };
    let mut checks = exposed(&trunks);
    let telephony = match telephony {
        Ok(telephony) => telephony,
        Err(why) => {
            checks.push(Check::of("trunks", Err(why)));
            return checks;
        }
    };
    // Side by side: each that is dead takes seconds to say nothing.
    let probes = trunks.iter().map(async |trunk| {
        let state = telephony.probe(trunk).await;
        let answer = state.last_ping.unwrap_or_else(|| "no answer".to_owned());
        let told = format!("{} {}: {answer}", trunk.transport.as_str(), trunk.address);
        Check::of(format!("trunk {}", trunk.name), if state.up { Ok(told) } else { Err(told) })
    });
    checks.extend(futures_util::future::join_all(probes).await);
    checks
}

/// Trunks from before SRTP needed TLS: they work, and whoever sees their signalling can hear their calls.
fn exposed(trunks: &[Trunk]) -> Vec<Check> {
    let told = |trunk: &Trunk| {
        let transport = trunk.transport.as_str();
        let detail = format!("SRTP over {transport}: its keys travel in clear; change the transport to tls");
        Check::warning(format!("trunk {}", trunk.name), detail)
    };
    trunks.iter().filter(|trunk| trunk.shows_keys()).map(told).collect()
}

/// How many assistants are read at a time.
const ASSISTANTS_READ: u32 = 200;

/// Assistants whose calls end as `assistant-error`, because a key may not be sent to its endpoint.
async fn credentials(directory: &Arc<dyn Directory>, credentials: &Credentials) -> Vec<Check> {
    let (mut checks, mut count, mut after) = (Vec::new(), 0_usize, None);
    loop {
        let batch = match directory.agents(after, ASSISTANTS_READ).await {
            Ok(batch) => batch,
            Err(error) => return vec![Check::of("credentials", Err(cause_of(&error)))],
        };
        let Some(last) = batch.last() else { break };
        after = Some(last.id);
        count += batch.len();
        checks.extend(batch.iter().filter_map(|assistant| refusal(assistant, credentials)));
    }
    if checks.is_empty() {
        let told = format!("no key of {count} AI assistants is refused by its origin or tenant");
        checks.push(Check::of("credentials", Ok(told)));
    }
    checks
}

fn refusal(assistant: &Assistant, credentials: &Credentials) -> Option<Check> {
    let refused = credentials.refusals(assistant);
    let told: Vec<_> = refused.iter().map(|(role, why)| format!("{}: {why}", role.as_str())).collect();
    let owner = format!("tenant {}, organization {}", assistant.tenant, assistant.organization);
    let detail = format!("{} ({}): {}", assistant.name, owner, told.join("; "));
    (!told.is_empty()).then(|| Check::of(format!("assistant {}", assistant.id), Err(detail)))
}

/// Only where one is configured.
fn redis(settings: &Settings) -> Option<Check> {
    settings.redis.address.as_ref()?;
    Some(Check::of("redis", ask_redis(settings).map_err(|error| format!("{error:#}"))))
}

fn ask_redis(settings: &Settings) -> anyhow::Result<String> {
    let redis = adapters::redis_settings(settings)?.context("REDIS__URL")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let began = SystemClock.since_boot();
    runtime.block_on(redis_window::probe(&redis)).with_context(|| redis.address.to_string())?;
    let took = SystemClock.since_boot().saturating_sub(began).as_millis();
    Ok(format!("{} counts, within {took} ms", redis.address))
}

fn cause_of(error: &StoreUnavailable) -> String {
    format!("{error}: {}", error.0)
}

/// Tries ports all over the range; those of live calls are taken, and that is fine.
fn media_ports(address: IpAddr, ports: &RangeInclusive<u16>) -> Result<String, String> {
    let (first, last) = (*ports.start(), *ports.end());
    let stride = (last - first) / PORTS_TRIED + 1;
    let mut candidates: Vec<u16> = ports.clone().step_by(usize::from(stride)).collect();
    candidates.push(last);
    let (mut free, mut taken) = (0, 0);
    for port in candidates {
        match UdpSocket::bind((address, port)) {
            Ok(_) => free += 1,
            Err(cause) if cause.kind() == std::io::ErrorKind::AddrInUse => taken += 1,
            Err(cause) => return Err(format!("UDP port {port} on {address} cannot be bound: {cause}")),
        }
    }
    let told = format!("{first}-{last} on {address}: {free} of {} tried are free", free + taken);
    if free == 0 { Err(told) } else { Ok(told) }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use domain::ids::{TenantId, TrunkId};
    use domain::trunk::{Srtp, Transport, TrunkAddress};
    use time::macros::datetime;

    use super::*;

    #[test]
    fn clocks_may_differ_by_two_seconds() {
        let (before, after) = (datetime!(2026-01-01 0:00:10 UTC), datetime!(2026-01-01 0:00:11 UTC));
        for (theirs, ok) in [
            (datetime!(2026-01-01 0:00:10.5 UTC), true),
            (datetime!(2026-01-01 0:00:08 UTC), true),
            (datetime!(2026-01-01 0:00:13 UTC), true),
            (datetime!(2026-01-01 0:00:07.9 UTC), false),
            (datetime!(2026-01-01 0:00:13.1 UTC), false),
        ] {
            let outcome = compare(before, theirs, after);
            assert_eq!(outcome.is_ok(), ok, "{theirs}: {outcome:?}");
        }
    }

    #[test]
    fn trunks_that_show_their_srtp_keys_are_warned_of() {
        let trunk = |name: &str, transport, srtp| Trunk {
            id: TrunkId::parse("01890000-0000-7000-8000-000000000001").unwrap(),
            tenant: TenantId::parse("01890000-0000-7000-8000-000000000002").unwrap(),
            name: name.to_owned(),
            address: TrunkAddress { host: "sip.example.com".to_owned(), port: None },
            transport,
            credentials: None,
            register: false,
            from_domain: None,
            default_country: None,
            wideband: false,
            srtp,
            guarded: false,
            nat: false,
            media_networks: Vec::new(),
            inbound_from: Vec::new(),
            realms: Vec::new(),
            max_calls: None,
            calls_per_second: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        };
        let checks = exposed(&[
            trunk("sealed", Transport::Tls, Srtp::Required),
            trunk("old", Transport::Udp, Srtp::Required),
            trunk("plain", Transport::Udp, Srtp::Off),
        ]);
        let told: Vec<_> =
            checks.iter().map(|check| (check.name.as_str(), check.verdict(), check.ok)).collect();
        assert_eq!(told, [("trunk old", "warn", true)]);
        assert!(checks[0].detail.contains("udp"), "{}", checks[0].detail);
    }

    #[test]
    fn media_ports_that_are_all_taken_or_of_another_machine_fail() {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let taken = UdpSocket::bind((address, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        assert!(media_ports(address, &(port..=port)).unwrap_err().contains("0 of"));
        drop(taken);
        let free = media_ports(address, &(port..=port)).unwrap();
        assert!(free.contains("tried are free"), "{free}");
        let foreign = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        assert!(media_ports(foreign, &(port..=port)).unwrap_err().contains("cannot be bound"));
    }
}
