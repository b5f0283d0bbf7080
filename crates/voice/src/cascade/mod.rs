//! Three services behind HTTP: one writes down what the callee says, one answers, one speaks.
//!
//! Turns are detected by the conversation. An answer is spoken sentence by sentence while the rest of it
//! is still being written.

mod answer;
mod chat;
mod history;
mod listening;
mod sentences;
mod session;
mod speech;

mod transcription;
mod wav;

use domain::assistant::{Cascade, Provider};
use domain::ports::AgentSpec;

#[cfg(feature = "fuzzing")]
pub use self::chat::fuzzing::{MOST_ARGUMENTS, MOST_USES, MOST_WORDS, Read, read_pieces};

use self::answer::Speaker;
use self::session::Session;
use self::speech::Speech;
use self::transcription::Transcription;
use crate::keys::Keys;
use crate::link::Ends;
use crate::provider::{Client, Service};

/// Makes a session; without what it needs it is told to be broken, and is none.
pub(crate) fn session(
    ends: Ends,
    spec: AgentSpec,
    cascade: Cascade,
    client: &Client,
    keys: &Keys,
) -> Option<Session> {
    let service = |provider: &Provider, path: &str| {
        let found =
            Service::new(client.clone(), provider, path, |url| keys.find(spec.tenant, &provider.key, url));
        found.map_err(|failure| failure.of_service(path))
    };
    let services = service(&cascade.chat, "chat/completions").and_then(|chat| {
        let transcription = service(&cascade.transcription, "audio/transcriptions")?;
        Ok((chat, transcription, service(&cascade.speech, "audio/speech")?))
    });
    let (chat, transcription, speech) = services.map_err(|failure| ends.teller.broken(failure)).ok()?;
    let warm = vec![transcription.clone(), chat.clone(), speech.clone()];
    let speaker = Speaker { chat, speech: Speech::new(speech, cascade.voice), tools: spec.tools };
    let transcription = Transcription::new(transcription, spec.language);
    Some(Session::new(ends, spec.instructions, speaker, transcription, warm))
}
