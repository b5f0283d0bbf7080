//! Speech to speech over the `OpenAI` Realtime protocol, in several dialects.

mod client_event;
mod complaint;
mod connecting;
mod dialect;
mod dialogue;
mod echo;
mod handshake;
mod pulse;
mod reconnects;
mod server_event;
mod session;
mod socket;

use domain::assistant::Realtime;
use domain::ports::AgentSpec;
use domain::secret::Secret;
use egress::WayOut;
use tracing::Instrument as _;

use self::dialogue::Character;
use self::handshake::Door;
use self::session::Session;
use crate::link::Ends;
use crate::settings::Timeouts;

/// The life of a session, to be run on the control runtime: it ends when its handle is dropped.
pub(crate) async fn run(
    ends: Ends,
    spec: AgentSpec,
    realtime: Realtime,
    key: Option<Secret<String>>,
    way_out: WayOut,
    timeouts: Timeouts,
) {
    let call = spec.call;
    let dialect = realtime.dialect;
    let credentials = key.map(|key| dialect::credentials(dialect, key.reveal())).transpose();
    let Ok(credentials) = credentials else {
        return ends.teller.broken("the provider's key holds characters that a key cannot have");
    };
    let door = Door { url: dialect::url(dialect, &realtime), credentials };
    let character = Character {
        dialect,
        instructions: spec.instructions.clone(),
        transcribes: realtime.transcription_model.is_some(),
    };
    let session = Session::new(ends, spec, realtime, character, way_out, door, timeouts);
    session.run().instrument(tracing::info_span!("realtime", %call)).await;
}
