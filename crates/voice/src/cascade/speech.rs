//! `audio/speech`: sentences become sound, in order, with the next under way while one is spoken.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use domain::audio::AudioFormat;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::answer::Step;
use crate::provider::{Fault, Patience, Reply, Service};
use crate::sound::{FromProvider, WireFormat};

/// Samples a second of what is sent back (the endpoint's `pcm`: 16 bits, one channel).
const RATE: u32 = 24_000;
/// How many sentences are made into sound at a time.
const AT_A_TIME: usize = 2;
/// How many pieces of a sentence wait for those before it; then the provider has to.
const WAITING_PIECES: usize = 32;
/// The most sound of one sentence, in bytes: two minutes. What never ends is not a sentence.
const LONGEST: usize = 120 * 48_000;

/// By so many first bytes a file with a head is known.
const MAGIC: usize = 4;
const OTHER_FORMAT: Fault = Fault::Malformed("the voice answers in another format than pcm");

/// Says sentences in a voice of the provider's.
#[derive(Clone, Debug)]
pub(crate) struct Speech {
    service: Service,
    voice: String,
}

/// A sentence that is being made into sound.
struct Synthesis {
    text: String,
    pieces: mpsc::Receiver<Result<Bytes, Fault>>,
    begun: bool,
    _task: AbortOnDropHandle<()>,
}

impl Speech {
    pub(crate) const fn new(service: Service, voice: String) -> Self {
        Self { service, voice }
    }

    /// Speaks sentences as they come, until there are no more: of each its words, then its sound.
    pub(crate) async fn speak(
        &self,
        mut sentences: mpsc::Receiver<String>,
        format: AudioFormat,
        steps: &mpsc::Sender<Step>,
    ) -> Result<(), Fault> {
        let mut sound = FromProvider::new(WireFormat::Pcm { rate: RATE }, format)
            .map_err(|_| Fault::Malformed("the voice's sound cannot be played"))?;
        let (mut under_way, mut more, mut first) = (VecDeque::new(), true, true);
        while more || !under_way.is_empty() {
            tokio::select! {
                sentence = sentences.recv(), if more && under_way.len() < AT_A_TIME => match sentence {
                    Some(sentence) => under_way.push_back(self.synthesis(sentence)),
                    None => more = false,
                },
                piece = piece_of_first(&mut under_way), if !under_way.is_empty() => {
                    if let Some((words, piece)) = piece {
                        if let Some(words) = words {
                            let space = if std::mem::take(&mut first) { "" } else { " " };
                            tell(steps, Step::Words(format!("{space}{words}"))).await;
                        }
                        let audio = sound.push(piece?.into());
                        if !audio.is_empty() {
                            tell(steps, Step::Audio(audio)).await;
                        }
                    } else {
                        under_way.pop_front();
                        sound.align();
                    }
                },
            }
        }
        let rest = sound.finish();
        if !first && !rest.is_empty() {
            tell(steps, Step::Audio(rest)).await;
        }
        Ok(())
    }

    fn synthesis(&self, text: String) -> Synthesis {
        let (sender, pieces) = mpsc::channel(WAITING_PIECES);
        let (speech, words) = (self.clone(), text.clone());
        let task = tokio::spawn(async move {
            if let Err(fault) = speech.say(&words, &sender).await {
                // Nobody waits any more when the answer was given up.
                let _ = sender.send(Err(fault)).await;
            }
        });
        Synthesis { text, pieces, begun: false, _task: AbortOnDropHandle::new(task) }
    }

    /// One sentence. When its sound breaks off it is asked for once more, and goes on where it was.
    async fn say(&self, text: &str, pieces: &mpsc::Sender<Result<Bytes, Fault>>) -> Result<(), Fault> {
        let body = json!({
            "model": self.service.model(), "input": text, "voice": self.voice, "response_format": "pcm"
        });
        let (mut patience, mut said) = (Patience::default(), 0);
        loop {
            match self.stream(&body, &mut said, pieces).await {
                Ok(()) => return Ok(()),
                Err(fault) => patience.wait(fault).await?,
            }
        }
    }

    async fn stream(
        &self,
        body: &serde_json::Value,
        said: &mut usize,
        pieces: &mpsc::Sender<Result<Bytes, Fault>>,
    ) -> Result<(), Fault> {
        let mut reply = self.service.ask(body, "audio/pcm, application/octet-stream").await?;
        check_type(&reply)?;
        let mut again = *said;
        let mut beginning = Some(BytesMut::new());
        while let Some(mut piece) = reply.piece().await? {
            if let Some(mut bytes) = beginning.take() {
                bytes.extend_from_slice(&piece);
                if bytes.len() < MAGIC {
                    beginning = Some(bytes);
                    continue;
                }
                piece = bytes.freeze();
                if is_container(&piece) {
                    return Err(OTHER_FORMAT);
                }
            }
            let known = again.min(piece.len());
            again -= known;
            let piece = piece.split_off(known);
            *said += piece.len();
            if *said > LONGEST {
                return Err(Fault::Malformed("the voice does not end a sentence"));
            }
            if !piece.is_empty() && pieces.send(Ok(piece)).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// More sound of the first sentence, with its words when it begins; none when it is complete.
async fn piece_of_first(
    under_way: &mut VecDeque<Synthesis>,
) -> Option<(Option<String>, Result<Bytes, Fault>)> {
    let synthesis = under_way.front_mut()?;
    let piece = synthesis.pieces.recv().await?;
    let begins = !std::mem::replace(&mut synthesis.begun, true);
    Some((begins.then(|| std::mem::take(&mut synthesis.text)), piece))
}

async fn tell(steps: &mpsc::Sender<Step>, step: Step) {
    // A session that is gone ends this task as well.
    let _ = steps.send(step).await;
}

/// Refuses what is surely not bare samples.
fn check_type(reply: &Reply) -> Result<(), Fault> {
    let kind = reply.media_type();
    let container = ["mpeg", "mp3", "ogg", "opus", "flac", "aac", "wav", "x-wav", "webm", "mp4"];
    let refused = match kind.split_once('/') {
        Some(("audio", kind)) => container.contains(&kind),
        Some(("application", kind)) => kind != "octet-stream",
        Some(_) => true,
        None => false,
    };
    if refused { Err(OTHER_FORMAT) } else { Ok(()) }
}

/// Whether these are the first bytes of a file with a head, whatever it was called.
fn is_container(bytes: &Bytes) -> bool {
    [&b"RIFF"[..], b"ID3", b"OggS", b"fLaC"].iter().any(|magic| bytes.starts_with(magic))
}
