//! The sealed keys of an assistant's providers, each in a column of its own.

use domain::assistant::{Assistant, BoundKey, ProviderKey, ProviderRole};
use domain::at_rest::AtRestKeys;
use domain::network::Origin;
use domain::secret::Secret;
use url::Url;
use uuid::Uuid;

use crate::failure::Failure;
use crate::sealing::{Place, SealingKey, seal_with};

/// Where a provider's key lies.
fn place(role: ProviderRole, id: Uuid) -> Place {
    let column = match role {
        ProviderRole::Realtime => "realtime_key",
        ProviderRole::Chat => "chat_key",
        ProviderRole::Transcription => "transcription_key",
        ProviderRole::Speech => "speech_key",
    };
    Place { table: "assistants", column, id }
}

/// Seals the key that an assistant's provider in this role has, if it is a stored one.
pub(crate) fn sealed(
    assistant: &Assistant,
    role: ProviderRole,
    keys: &AtRestKeys,
) -> Result<Option<Vec<u8>>, Failure> {
    let provider = assistant.providers().into_iter().find(|(own, _)| *own == role);
    let Some(ProviderKey::Stored(key)) = provider.map(|(_, provider)| &provider.key) else {
        return Ok(None);
    };
    let (secret, origin) = key.parts();
    let plain = Secret::new(format!("{origin}\n{}", secret.reveal()));
    seal_with(keys.sealing(), place(role, assistant.id.uuid()), plain.reveal().as_bytes())
        .map(Some)
        .map_err(|_| Failure::Refused("the key could not be encrypted"))
}

/// A key that was opened.
pub(super) struct OpenedKey {
    secret: Secret<String>,
    /// Sealed with the key. `None` for a key that an earlier release stored.
    origin: Option<Origin>,
}

impl OpenedKey {
    /// Reads what was sealed: the origin on a line of its own, and the key. A key has one line.
    fn read(plain: &str) -> Option<Self> {
        let (origin, key) = match plain.split_once('\n') {
            Some((origin, key)) => (Some(Origin::parse(origin)?), key),
            None => (None, plain),
        };
        Some(Self { secret: Secret::new(key.to_owned()), origin })
    }

    /// The key for the origin that it was stored for: that of the endpoint where none is stored with it.
    pub(super) fn bound(self, endpoint: &Url) -> Option<ProviderKey> {
        let origin = self.origin.or_else(|| Origin::of(endpoint))?;
        Some(ProviderKey::Stored(BoundKey::new(self.secret, origin)))
    }
}

/// The keys of an assistant's providers, opened; a script's four columns are empty and cost nothing.
#[derive(Default)]
pub(super) struct Opened {
    pub(super) realtime: Option<OpenedKey>,
    pub(super) chat: Option<OpenedKey>,
    pub(super) transcription: Option<OpenedKey>,
    pub(super) speech: Option<OpenedKey>,
}

/// Opens one column.
pub(super) fn open(
    sealed: Option<&[u8]>,
    role: ProviderRole,
    id: Uuid,
    key: &SealingKey,
) -> Result<Option<OpenedKey>, Failure> {
    let Some(sealed) = sealed else { return Ok(None) };
    let broken = |why| Failure::impossible("assistants", id, why);
    let plain = key
        .open(place(role, id), sealed)
        .ok_or_else(|| broken("a provider's key does not open with this key"))?;
    let text =
        String::from_utf8(plain.reveal().clone()).map_err(|_| broken("a provider's key is not text"))?;
    OpenedKey::read(&text).map(Some).ok_or_else(|| broken("a provider's key is bound to no origin"))
}
