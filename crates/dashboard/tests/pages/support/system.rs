//! A clock that tests move, randomness that repeats itself, and passwords that are quickly hashed.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::call::ArtifactKey;
use domain::password::PasswordHash;
use domain::ports::{
    ArtifactBody, Artifacts, ArtifactsUnavailable, Busy, Clock, Entropy, Passwords, Requester, Verdict,
};
use domain::secret::Secret;
use time::OffsetDateTime;
use time::macros::datetime;
use url::Url;

/// A clock that stands still until it is moved.
#[derive(Default)]
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> OffsetDateTime {
        datetime!(2026-11-20 16:05 UTC) + time::Duration::milliseconds(self.0.load(Ordering::Relaxed))
    }

    fn since_boot(&self) -> Duration {
        // A machine that started this very moment would never have beaten.
        Duration::from_secs(100)
            + Duration::from_millis(u64::try_from(self.0.load(Ordering::Relaxed)).unwrap())
    }
}

/// Bytes that are never the same twice.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes.fill(0xA5);
        for (place, byte) in bytes.iter_mut().rev().zip(count.iter().rev()) {
            *place = *byte;
        }
    }
}

/// What stands for a password's hash.
pub(crate) fn hash_of(password: &str) -> PasswordHash {
    PasswordHash::from_phc(format!("$hash$of {password}"))
}

/// Passwords without the cost of hashing.
#[derive(Default)]
pub(crate) struct PlainPasswords {
    /// How often a password was checked or hashed.
    pub(crate) asked: AtomicU64,
    /// As if too many were being hashed at once.
    pub(crate) busy: std::sync::atomic::AtomicBool,
}

impl PlainPasswords {
    fn ask(&self) -> Result<(), Busy> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if self.busy.load(Ordering::Relaxed) { Err(Busy) } else { Ok(()) }
    }
}

#[async_trait]
impl Passwords for PlainPasswords {
    async fn hash(
        &self,
        password: Secret<String>,
        _: Option<PasswordHash>,
        _: Requester,
    ) -> Result<PasswordHash, Busy> {
        self.ask()?;
        Ok(hash_of(password.reveal()))
    }

    async fn verify(
        &self,
        password: Secret<String>,
        against: Vec<PasswordHash>,
        _: Requester,
    ) -> Result<Verdict, Busy> {
        self.ask()?;
        let which = against.iter().position(|hash| *hash == hash_of(password.reveal()));
        Ok(which.map_or(Verdict::Wrong, |which| Verdict::Right { which, outdated: false }))
    }
}

/// Addresses of files elsewhere, another for each time that one is asked for.
pub(crate) struct Signs;

#[async_trait::async_trait]
impl Artifacts for Signs {
    async fn put(&self, _: &ArtifactKey, _: ArtifactBody) -> Result<u64, ArtifactsUnavailable> {
        Ok(0)
    }

    async fn sign(&self, key: &ArtifactKey, _: OffsetDateTime) -> Result<Url, ArtifactsUnavailable> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Ok(Url::parse(&format!("https://files.example/{key}?signature={count}")).unwrap())
    }

    fn origin(&self) -> url::Origin {
        Url::parse("https://files.example").unwrap().origin()
    }
}
