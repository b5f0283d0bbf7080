//! Speech to speech over the `OpenAI` Realtime protocol, in several dialects.

mod client_event;
mod complaint;
mod connecting;
mod dialect;
mod dialogue;
mod echo;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod handshake;
mod pulse;
mod reconnects;
mod server_event;
mod session;
mod socket;

#[cfg(feature = "fuzzing")]
pub use self::fuzzing::{Played, play};

use domain::assistant::Realtime;
use domain::ids::TenantId;
use domain::ports::{AgentFailure, AgentSpec};
use egress::WayOut;
use tracing::Instrument as _;

use self::dialogue::Character;
pub(crate) use self::handshake::Door;
use self::session::Session;
use crate::keys::Keys;
use crate::link::Ends;
use crate::settings::Timeouts;

/// The provider's address, and the key that may be sent there.
pub(crate) fn door(realtime: &Realtime, tenant: TenantId, keys: &Keys) -> Result<Door, AgentFailure> {
    let url = dialect::url(realtime.dialect, realtime);
    let key = keys.find(tenant, &realtime.provider.key, &url)?;
    let credentials = key.map(|key| dialect::credentials(realtime.dialect, key.reveal())).transpose();
    let credentials =
        credentials.map_err(|_| "the provider's key holds characters that a key cannot have")?;
    Ok(Door { url, credentials })
}

/// The life of a session, to be run on the control runtime: it ends when its handle is dropped.
pub(crate) async fn run(
    ends: Ends,
    spec: AgentSpec,
    realtime: Realtime,
    door: Door,
    way_out: WayOut,
    timeouts: Timeouts,
) {
    let call = spec.call;
    let dialect = realtime.dialect;
    let character = Character {
        dialect,
        instructions: spec.instructions.clone(),
        transcribes: realtime.transcription_model.is_some(),
    };
    let session = Session::new(ends, spec, realtime, character, way_out, door, timeouts);
    session.run().instrument(tracing::info_span!("realtime", %call)).await;
}
