//! What a phone tells about its calls.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use domain::audio::{AudioFormat, Digit};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::script::Transfers;

/// Which call an event belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLabel {
    /// Call-ID.
    pub call_id: String,
    /// Who calls: the user part of From.
    pub from: String,
    /// The number dialled: the user part of the Request-URI.
    pub to: String,
}

/// Something that happened on a call.
#[derive(Clone, Debug, PartialEq)]
pub struct PhoneEvent {
    /// The call.
    pub call: Arc<CallLabel>,
    /// When, counted from the call's INVITE.
    pub at: Duration,
    /// What.
    pub what: Happening,
}

/// What may happen on a call, mostly in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// An INVITE came.
    Incoming,
    /// We said 180 or 183.
    Ringing,
    /// We refused it with this status.
    Refused {
        /// Status code.
        code: u16,
    },
    /// The caller gave up before our answer.
    Cancelled,
    /// We said 200.
    Answered {
        /// The format of both directions; none until the caller's answer comes in its ACK.
        format: Option<AudioFormat>,
    },
    /// The other side began to speak.
    HeardSpeechStarted {
        /// When, in milliseconds of the call's audio.
        at_ms: u64,
    },
    /// The other side stopped speaking half a second ago.
    HeardSpeechStopped {
        /// When, in milliseconds of the call's audio.
        at_ms: u64,
    },
    /// The other side pressed a key.
    Pressed(Digit),
    /// We pressed a key.
    PressedByUs(Digit),
    /// We said something, to its end.
    Said {
        /// What, as the script has it.
        what: String,
    },
    /// The caller wanted us connected with somebody else.
    Transferred {
        /// Whom, as a URI.
        target: String,
        /// What we said to that.
        answer: Transfers,
    },
    /// No audio came for 30 s.
    MediaTimedOut,
    /// The call could not go on.
    Failed {
        /// Why, for people.
        why: String,
    },
    /// The answered call ended.
    HungUp {
        /// Whether we said BYE.
        by_us: bool,
    },
    /// What we heard is in a file.
    Recorded(Recorded),
    /// Nothing follows; comes once for every call.
    Over {
        /// From the answer to the end; none when it was not answered.
        talked: Option<Duration>,
    },
}

/// A recording of what was heard on a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The WAV file: mono, 8,000 samples a second, 16 bits.
    pub path: PathBuf,
    /// Its length in seconds.
    pub seconds: f64,
    /// How many seconds of it are louder than silence.
    pub voiced_seconds: f64,
    /// The level of those, as root mean square in dBFS; none when all is silence.
    pub loudness: Option<f64>,
}

impl PhoneEvent {
    /// The event as one line of JSON, with `event`, `callId`, `from`, `to` and `atMs`.
    pub fn to_json(&self) -> String {
        let (name, more) = self.what.fields();
        let mut line = json!({
            "event": name,
            "callId": self.call.call_id,
            "from": self.call.from,
            "to": self.call.to,
            "atMs": u64::try_from(self.at.as_millis()).unwrap_or(u64::MAX),
        });
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        line.to_string()
    }
}

impl Happening {
    fn fields(&self) -> (&'static str, Value) {
        match self {
            Self::Incoming => ("incoming", Value::Null),
            Self::Ringing => ("ringing", Value::Null),
            Self::Refused { code } => ("refused", json!({ "code": code })),
            Self::Cancelled => ("cancelled", Value::Null),
            Self::Answered { format } => ("answered", json!({ "format": format.map(format_name) })),
            Self::HeardSpeechStarted { at_ms } => ("speech-started", json!({ "audioMs": at_ms })),
            Self::HeardSpeechStopped { at_ms } => ("speech-stopped", json!({ "audioMs": at_ms })),
            Self::Pressed(digit) => ("pressed", json!({ "key": digit.as_char().to_string() })),
            Self::PressedByUs(digit) => ("pressed-by-us", json!({ "key": digit.as_char().to_string() })),
            Self::Said { what } => ("said", json!({ "what": what })),
            Self::Transferred { target, answer } => {
                ("transferred", json!({ "target": target, "answer": answer.as_str() }))
            }
            Self::MediaTimedOut => ("media-timed-out", Value::Null),
            Self::Failed { why } => ("failed", json!({ "why": why })),
            Self::HungUp { by_us } => ("hung-up", json!({ "byUs": by_us })),
            Self::Recorded(recorded) => (
                "recorded",
                json!({
                    "path": recorded.path.to_string_lossy(),
                    "seconds": recorded.seconds,
                    "voicedSeconds": recorded.voiced_seconds,
                    "loudness": recorded.loudness,
                }),
            ),
            Self::Over { talked } => {
                ("over", json!({ "talkedSeconds": talked.map(|talked| talked.as_secs_f64()) }))
            }
        }
    }
}

impl fmt::Display for PhoneEvent {
    /// A line for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:7.2} s  {:<16}  ", self.at.as_secs_f64(), self.call.to)?;
        match &self.what {
            Happening::Incoming => write!(f, "call from {}", self.call.from),
            Happening::Ringing => write!(f, "ringing"),
            Happening::Refused { code } => write!(f, "refused with {code}"),
            Happening::Cancelled => write!(f, "the caller gave up"),
            Happening::Answered { format: Some(format) } => write!(f, "answered ({})", format_name(*format)),
            Happening::Answered { format: None } => write!(f, "answered"),
            Happening::HeardSpeechStarted { .. } => write!(f, "hears speech"),
            Happening::HeardSpeechStopped { .. } => write!(f, "hears a pause"),
            Happening::Pressed(digit) => write!(f, "hears key {}", digit.as_char()),
            Happening::PressedByUs(digit) => write!(f, "pressed {}", digit.as_char()),
            Happening::Said { what } => write!(f, "said {what}"),
            Happening::Transferred { target, answer } => {
                write!(f, "is to be transferred to {target}: {}", answer.as_str())
            }
            Happening::MediaTimedOut => write!(f, "no audio for 30 s"),
            Happening::Failed { why } => write!(f, "failed: {why}"),
            Happening::HungUp { by_us: true } => write!(f, "hung up"),
            Happening::HungUp { by_us: false } => write!(f, "the caller hung up"),
            Happening::Recorded(recorded) => {
                write!(f, "recorded {:.1} s in {}", recorded.seconds, recorded.path.display())?;
                match recorded.loudness {
                    Some(level) => {
                        write!(f, ", {:.1} s of sound at {level:.0} dBFS", recorded.voiced_seconds)
                    }
                    None => write!(f, ", all silence"),
                }
            }
            Happening::Over { talked: Some(talked) } => write!(f, "over after {:.1} s", talked.as_secs_f64()),
            Happening::Over { talked: None } => write!(f, "over, never answered"),
        }
    }
}

fn format_name(format: AudioFormat) -> &'static str {
    match format {
        AudioFormat::Pcmu => "PCMU",
        AudioFormat::Pcma => "PCMA",
        AudioFormat::G722 => "G722",
    }
}

/// A bounded queue of events, from the moment it was asked for; a reader that falls behind by more
/// than its length loses the oldest.
#[derive(Debug)]
pub struct Events(pub(crate) broadcast::Receiver<PhoneEvent>);

impl Events {
    /// The next event; none once the phone is gone.
    pub async fn next(&mut self) -> Option<PhoneEvent> {
        loop {
            match self.0.recv().await {
                Ok(event) => return Some(event),
                Err(broadcast::error::RecvError::Lagged(lost)) => {
                    tracing::warn!(lost, "phone events were not read in time");
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// Reads on until an event that `wanted` accepts; none once the phone is gone.
    pub async fn until(&mut self, mut wanted: impl FnMut(&PhoneEvent) -> bool) -> Option<PhoneEvent> {
        loop {
            let event = self.next().await?;
            if wanted(&event) {
                return Some(event);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(what: Happening) -> PhoneEvent {
        let call = CallLabel { call_id: "a@b".into(), from: "+15550100".into(), to: "+15550199".into() };
        PhoneEvent { call: Arc::new(call), at: Duration::from_millis(1_234), what }
    }

    #[test]
    fn an_event_is_one_json_object_with_its_call_and_moment() {
        let line = event(Happening::HungUp { by_us: true }).to_json();
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            value,
            json!({"event": "hung-up", "callId": "a@b", "from": "+15550100", "to": "+15550199",
                   "atMs": 1234, "byUs": true})
        );
        assert!(!line.contains('\n'));
    }

    #[test]
    fn a_silent_recording_has_no_loudness() {
        let recorded = Recorded { path: "x.wav".into(), seconds: 2.0, voiced_seconds: 0.0, loudness: None };
        let value: Value = serde_json::from_str(&event(Happening::Recorded(recorded)).to_json()).unwrap();
        assert_eq!(value["loudness"], Value::Null);
        assert_eq!(value["seconds"], 2.0);
    }
}
