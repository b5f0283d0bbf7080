//! The sealed keys of an assistant's providers, each in a column of its own.

use domain::assistant::{Assistant, ProviderKey, ProviderRole};
use domain::at_rest::AtRestKeys;
use domain::secret::Secret;
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
    let Some(ProviderKey::Stored(secret)) = provider.map(|(_, provider)| &provider.key) else {
        return Ok(None);
    };
    seal_with(keys.sealing(), place(role, assistant.id.uuid()), secret.reveal().as_bytes())
        .map(Some)
        .map_err(|_| Failure::Refused("the key could not be encrypted"))
}

/// The keys of an assistant's providers, opened; a script's four columns are empty and cost nothing.
#[derive(Default)]
pub(super) struct Opened {
    pub(super) realtime: Option<ProviderKey>,
    pub(super) chat: Option<ProviderKey>,
    pub(super) transcription: Option<ProviderKey>,
    pub(super) speech: Option<ProviderKey>,
}

/// Opens one column.
pub(super) fn open(
    sealed: Option<&[u8]>,
    role: ProviderRole,
    id: Uuid,
    key: &SealingKey,
) -> Result<Option<ProviderKey>, Failure> {
    let Some(sealed) = sealed else { return Ok(None) };
    let broken = |why| Failure::impossible("assistants", id, why);
    let plain = key
        .open(place(role, id), sealed)
        .ok_or_else(|| broken("a provider's key does not open with this key"))?;
    let text =
        String::from_utf8(plain.reveal().clone()).map_err(|_| broken("a provider's key is not text"))?;
    Ok(Some(ProviderKey::Stored(Secret::new(text))))
}
