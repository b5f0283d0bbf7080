//! One answer, from a request to its words, its sound, and the tools that it uses.

use domain::assistant::tool::ToolForm;
use domain::audio::AudioFormat;
use domain::spoken::speakable;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::chat::{self, Answer};
use super::history::ToolUse;
use super::sentences::Sentences;
use super::speech::Speech;
use crate::provider::{Fault, Patience, Service};

/// How many sentences may wait to be spoken; then the model is not read any further.
const WAITING_SENTENCES: usize = 8;
/// What the model is told when its answer was cut off and the beginning has been heard.
const GO_ON: &str =
    "Your answer was cut off here. Go on from exactly this point, without repeating anything.";

/// What comes of an answer, in order.
#[derive(Debug)]
pub(crate) enum Step {
    /// More words, to be appended; their sound follows.
    Words(String),
    /// More sound, in the call's format.
    Audio(Vec<u8>),
    /// All has been said; these tools are used.
    Uses(Vec<ToolUse>),
    /// It could not be completed; why, for the log.
    Lost(String),
}

/// What an answer is made of.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    pub(crate) chat: Service,
    pub(crate) speech: Speech,
    pub(crate) tools: Vec<ToolForm>,
}

impl Speaker {
    /// Lets the model answer these messages, sentence by sentence.
    pub(crate) async fn answer(self, messages: Vec<Value>, format: AudioFormat, steps: mpsc::Sender<Step>) {
        let (sender, sentences) = mpsc::channel(WAITING_SENTENCES);
        let written =
            async { self.write(messages, sender).await.map_err(|fault| lost("chat/completions", &fault)) };
        let spoken = async {
            let spoken = self.speech.speak(sentences, format, &steps).await;
            spoken.map_err(|fault| lost("audio/speech", &fault))
        };
        let last = match tokio::try_join!(written, spoken) {
            Ok((uses, ())) => Step::Uses(uses),
            Err(lost) => lost,
        };
        // A session that is gone wants to know nothing.
        let _ = steps.send(last).await;
    }

    /// Says a text.
    pub(crate) async fn say(self, text: String, format: AudioFormat, steps: mpsc::Sender<Step>) {
        let (mut split, mut pieces) = (Sentences::default(), Vec::new());
        split.push(&text, &mut pieces);
        split.finish(&mut pieces);
        let (sender, sentences) = mpsc::channel(WAITING_SENTENCES);
        let written = async {
            pass(pieces, &sender).await;
            drop(sender);
        };
        let (spoken, ()) = tokio::join!(self.speech.speak(sentences, format, &steps), written);
        let last = spoken.map_or_else(|fault| lost("audio/speech", &fault), |()| Step::Uses(Vec::new()));
        let _ = steps.send(last).await;
    }

    /// Lets the model write. An answer that breaks off is asked for once more; if some of it was passed
    /// on by then, the model is told to go on from there.
    async fn write(
        &self,
        mut messages: Vec<Value>,
        sentences: mpsc::Sender<String>,
    ) -> Result<Vec<ToolUse>, Fault> {
        let mut patience = Patience::default();
        loop {
            let mut passed = String::new();
            match self.stream(&messages, &sentences, &mut passed).await {
                Ok(uses) => return Ok(uses),
                Err(fault) => patience.wait(fault).await?,
            }
            if !passed.is_empty() {
                messages.push(json!({"role": "assistant", "content": passed}));
                messages.push(json!({"role": "system", "content": GO_ON}));
            }
        }
    }

    async fn stream(
        &self,
        messages: &[Value],
        sentences: &mpsc::Sender<String>,
        passed: &mut String,
    ) -> Result<Vec<ToolUse>, Fault> {
        let body = chat::request(self.chat.model(), messages, &self.tools);
        let mut answer = Answer::read(self.chat.ask(&body, "text/event-stream").await?).await?;
        let (mut split, mut pieces) = (Sentences::default(), Vec::new());
        while let Some(words) = answer.words().await? {
            split.push(&words, &mut pieces);
            for piece in &pieces {
                passed.push_str(piece);
                passed.push(' ');
            }
            pass(pieces.drain(..), sentences).await;
        }
        split.finish(&mut pieces);
        pass(pieces, sentences).await;
        Ok(answer.tools())
    }
}

/// Passes sentences on as they are to be spoken; those without words are left out.
async fn pass(pieces: impl IntoIterator<Item = String>, sentences: &mpsc::Sender<String>) {
    for piece in pieces {
        let spoken = speakable(&piece);
        if spoken.chars().any(char::is_alphanumeric) {
            // A voice that is gone is told of by itself.
            let _ = sentences.send(spoken).await;
        }
    }
}

fn lost(service: &str, fault: &Fault) -> Step {
    Step::Lost(format!("{service}: {fault}"))
}
