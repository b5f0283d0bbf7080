//! What every store of artifacts must keep, as it is seen by whoever fetches from it over HTTP.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;
use url::Url;

use super::fixtures::{TestResult, fresh};
use crate::call::{ArtifactKey, ArtifactKind};
use crate::ports::{ArtifactBody, Artifacts, URL_LIFE};

/// What came back.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The status.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Content-Disposition`.
    pub disposition: Option<String>,
    /// `Content-Range`.
    pub range: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// A plain HTTP client that knows nothing of the store.
#[async_trait]
pub trait Fetches: Send + Sync {
    /// The moment by which the other side judges addresses.
    fn now(&self) -> OffsetDateTime;

    /// Asks by GET, perhaps for a range.
    async fn fetch(&self, address: &Url, range: Option<&str>) -> TestResult<Fetched>;

    /// Lays a file down to be stored.
    async fn file(&self, bytes: &[u8]) -> TestResult<PathBuf>;
}

/// A store, and the outside.
pub struct ArtifactWorld {
    store: Arc<dyn Artifacts>,
    outside: Arc<dyn Fetches>,
    /// Whatever must live as long as the store, e.g. its server.
    _ground: Box<dyn Any + Send + Sync>,
}

impl ArtifactWorld {
    /// Wraps them; `keep` is dropped with the world.
    pub fn new(store: Arc<dyn Artifacts>, outside: Arc<dyn Fetches>, keep: impl Any + Send + Sync) -> Self {
        Self { store, outside, _ground: Box::new(keep) }
    }

    /// The address of an artifact, signed so long ago.
    async fn address(&self, key: &ArtifactKey, ago: Duration) -> TestResult<Url> {
        Ok(self.store.sign(key, self.outside.now() - ago).await?)
    }

    async fn fetch(&self, key: &ArtifactKey) -> TestResult<Fetched> {
        let address = self.address(key, Duration::ZERO).await?;
        self.outside.fetch(&address, None).await
    }

    async fn text(&self, key: &ArtifactKey, text: &str) -> TestResult<u64> {
        Ok(self.store.put(key, ArtifactBody::Text(text.to_owned())).await?)
    }

    async fn recording(&self, key: &ArtifactKey, bytes: &[u8]) -> TestResult<u64> {
        let file = self.outside.file(bytes).await?;
        Ok(self.store.put(key, ArtifactBody::File(file)).await?)
    }
}

/// A key of a call that nobody else has.
fn key(kind: ArtifactKind) -> ArtifactKey {
    ArtifactKey { tenant: fresh().into(), organization: fresh().into(), call: fresh().into(), kind }
}

/// The address brings the bytes, as what they are, under a name.
pub async fn what_is_stored_is_fetched_by_its_address(world: &ArtifactWorld) -> TestResult {
    let recording = key(ArtifactKind::Recording);
    let transcript = ArtifactKey { kind: ArtifactKind::Transcript, ..recording };
    let sound: Vec<u8> = (0..=255).cycle().take(70_001).collect();
    assert_eq!(world.recording(&recording, &sound).await?, 70_001);
    assert_eq!(world.text(&transcript, "[00:01] Customer: Allô, où êtes-vous?\n").await?, 41);
    let fetched = world.fetch(&recording).await?;
    assert_eq!((fetched.status, fetched.content_type.as_deref()), (200, Some("audio/wav")));
    assert!(fetched.body == sound, "{} bytes", fetched.body.len());
    assert_eq!(fetched.disposition.as_deref(), Some("inline; filename=\"recording.wav\""));
    let fetched = world.fetch(&transcript).await?;
    assert_eq!((fetched.status, fetched.content_type.as_deref()), (200, Some("text/plain; charset=utf-8")));
    assert_eq!(String::from_utf8(fetched.body)?, "[00:01] Customer: Allô, où êtes-vous?\n");
    assert_eq!(fetched.disposition.as_deref(), Some("inline; filename=\"transcript.txt\""));
    Ok(())
}

/// The later one counts, shorter or longer.
pub async fn what_is_stored_again_replaces_what_was(world: &ArtifactWorld) -> TestResult {
    let key = key(ArtifactKind::Transcript);
    for text in ["first", "the second, which is longer", "3rd", ""] {
        world.text(&key, text).await?;
        assert_eq!(String::from_utf8(world.fetch(&key).await?.body)?, text);
    }
    Ok(())
}

/// Players seek.
pub async fn a_part_is_fetched_by_its_range(world: &ArtifactWorld) -> TestResult {
    let key = key(ArtifactKind::Recording);
    world.recording(&key, b"0123456789").await?;
    let address = world.address(&key, Duration::ZERO).await?;
    for (range, part, told) in [
        ("bytes=0-0", "0", "bytes 0-0/10"),
        ("bytes=2-4", "234", "bytes 2-4/10"),
        ("bytes=7-", "789", "bytes 7-9/10"),
        ("bytes=8-100", "89", "bytes 8-9/10"),
        ("bytes=-3", "789", "bytes 7-9/10"),
    ] {
        let fetched = world.outside.fetch(&address, Some(range)).await?;
        assert_eq!((fetched.status, fetched.range.as_deref()), (206, Some(told)), "{range}");
        assert_eq!(String::from_utf8(fetched.body)?, part, "{range}");
        assert_eq!(fetched.content_type.as_deref(), Some("audio/wav"));
    }
    assert_eq!(world.outside.fetch(&address, Some("bytes=10-")).await?.status, 416);
    Ok(())
}

/// It works at once and for an hour, and then no more.
pub async fn an_address_works_for_an_hour(world: &ArtifactWorld) -> TestResult {
    let key = key(ArtifactKind::Transcript);
    world.text(&key, "said").await?;
    for (ago, status) in [
        (Duration::ZERO, 200),
        // A minute is left for the other side's clock to go on.
        (Duration::from_mins(59), 200),
        (URL_LIFE + Duration::from_secs(1), 403),
        (URL_LIFE * 10_000, 403),
    ] {
        let address = world.address(&key, ago).await?;
        assert_eq!(world.outside.fetch(&address, None).await?.status, status, "{ago:?}");
    }
    Ok(())
}

/// Whatever of it is changed, left out or added twice, nothing is shown.
pub async fn an_address_that_was_changed_opens_nothing(world: &ArtifactWorld) -> TestResult {
    let (own, others) = (key(ArtifactKind::Transcript), key(ArtifactKind::Transcript));
    for key in [&own, &others] {
        world.text(key, "what was said").await?;
    }
    let address = world.address(&own, Duration::ZERO).await?;
    assert_eq!(world.outside.fetch(&address, None).await?.status, 200);
    let mut changed = Vec::new();
    for other in [others, ArtifactKey { kind: ArtifactKind::Recording, ..own }] {
        let mut address = address.clone();
        address.set_path(&address.path().replace(&own.to_string(), &other.to_string()));
        changed.push(address);
    }
    let pairs: Vec<(String, String)> = address.query_pairs().into_owned().collect();
    let with = |pairs: &[(String, String)]| {
        let mut address = address.clone();
        address.query_pairs_mut().clear().extend_pairs(pairs);
        address
    };
    changed.push(with(&[]));
    let mut unsigned = address.clone();
    unsigned.set_query(None);
    changed.push(unsigned);
    for at in 0..pairs.len() {
        let mut without = pairs.clone();
        let (name, value) = without.remove(at);
        changed.push(with(&without));
        // Of digits, letters and hexadecimal digits alike another one.
        let last = if value.ends_with('1') { '2' } else { '1' };
        let kept = value.get(..value.len() - 1).unwrap_or_default();
        for value in [format!("{kept}{last}"), String::new(), format!("{value}0")] {
            let mut with_other = pairs.clone();
            with_other.insert(at, (name.clone(), value));
            with_other.remove(at + 1);
            changed.push(with(&with_other));
        }
    }
    for address in changed {
        let fetched = world.outside.fetch(&address, None).await?;
        // 501 is what S3 says to another algorithm.
        assert!(matches!(fetched.status, 400..=403 | 501), "{}: {address}", fetched.status);
        assert!(!String::from_utf8_lossy(&fetched.body).contains("what was said"));
    }
    Ok(())
}

/// A good address of nothing.
pub async fn what_is_not_there_is_missing(world: &ArtifactWorld) -> TestResult {
    assert_eq!(world.fetch(&key(ArtifactKind::Recording)).await?.status, 404);
    Ok(())
}

/// What cannot be read to its end is not there in part either.
pub async fn what_cannot_be_read_is_not_stored(world: &ArtifactWorld) -> TestResult {
    let key = key(ArtifactKind::Recording);
    let file = world.outside.file(b"sound").await?;
    let folder = file.parent().ok_or("no folder")?.to_owned();
    for body in [folder, file.with_extension("absent")] {
        assert!(world.store.put(&key, ArtifactBody::File(body)).await.is_err());
        assert_eq!(world.fetch(&key).await?.status, 404);
    }
    // Nothing of it stands in the way.
    world.recording(&key, b"sound").await?;
    assert_eq!(world.fetch(&key).await?.body, b"sound");
    Ok(())
}

/// A long call's recording is what it was.
pub async fn a_large_file_arrives_whole(world: &ArtifactWorld) -> TestResult {
    let key = key(ArtifactKind::Recording);
    // No two parts of it are alike, whatever a store takes for a part.
    let words = (0_u32..5_500_000).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes());
    let sound: Vec<u8> = words.chain([7]).collect();
    assert_eq!(world.recording(&key, &sound).await?, 22_000_001);
    let fetched = world.fetch(&key).await?;
    assert_eq!((fetched.status, fetched.body.len()), (200, sound.len()));
    assert!(fetched.body == sound);
    let address = world.address(&key, Duration::ZERO).await?;
    let middle = world.outside.fetch(&address, Some("bytes=16777210-16777219")).await?;
    assert_eq!(Some(middle.body.as_slice()), sound.get(16_777_210..=16_777_219));
    Ok(())
}

/// Runs every contract of artifacts as a test of its own: `artifact_contracts!(make_world)`, where
/// `make_world` is an async function that returns an [`ArtifactWorld`].
#[macro_export]
macro_rules! artifact_contracts {
    ($make_world:ident) => {
        $crate::artifact_contracts! { @each $make_world,
            what_is_stored_is_fetched_by_its_address
            what_is_stored_again_replaces_what_was
            a_part_is_fetched_by_its_range
            an_address_works_for_an_hour
            an_address_that_was_changed_opens_nothing
            what_is_not_there_is_missing
            what_cannot_be_read_is_not_stored
            a_large_file_arrives_whole
        }
    };
    (@each $make_world:ident, $($name:ident)+) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() -> $crate::testing::TestResult {
                $crate::testing::artifacts::$name(&$make_world().await).await
            }
        )+
    };
}
