//! A script from simple values, as a command line has them.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use domain::assistant::Language;
use domain::audio::Digit;

use crate::script::{Action, Behaviour, CallScript, Transfers};
use crate::sound::Sound;

/// A value that cannot be used; the text names it and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadOption(String);

/// How calls are received and what is done, in plain values.
#[derive(Clone, Debug)]
pub struct Options {
    /// How calls are received.
    pub receive: Receive,
    /// Whether a ringback tone is heard before the answer (183 with SDP).
    pub early_media: bool,
    /// What is done after the answer, in order.
    pub steps: Vec<Step>,
    /// The language of the words.
    pub language: Language,
    /// What becomes of transfers.
    pub transfers: Transfers,
    /// Seconds from the answer to our BYE.
    pub hang_up_after: Option<f64>,
    /// Folder or `.wav` file for what is heard.
    pub record: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            receive: Receive::AnswerAfter(1.0),
            early_media: false,
            steps: Vec::new(),
            language: Language::EnglishUnitedStates,
            transfers: Transfers::default(),
            hang_up_after: None,
            record: None,
        }
    }
}

/// How calls are received, in plain values.
#[derive(Clone, Debug, PartialEq)]
pub enum Receive {
    /// Answer after so many seconds.
    AnswerAfter(f64),
    /// Ring until the caller gives up.
    NeverAnswer,
    /// 486.
    Busy,
    /// 603.
    Decline,
    /// Another status, 300–699.
    Reject(u16),
}

/// One step, in plain values; from text as `say:WORDS`, `play:FILE`, `press:KEYS`, `wait:SECONDS`,
/// `listen` or `hang-up`.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Says the words.
    Say(String),
    /// Plays a WAV file.
    Play(PathBuf),
    /// Presses the keys.
    Press(String),
    /// Waits so many seconds.
    Wait(f64),
    /// Waits for a pause in what the other side says.
    Listen,
    /// Hangs up.
    HangUp,
}

impl FromStr for Step {
    type Err = BadOption;

    fn from_str(text: &str) -> Result<Self, BadOption> {
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        let bad = || {
            BadOption(format!(
                "step {text:?}: expected say:WORDS, play:FILE, press:KEYS, wait:SECONDS, listen or hang-up"
            ))
        };
        match (name, value) {
            ("say", words) if !words.trim().is_empty() => Ok(Self::Say(words.to_owned())),
            ("play", file) if !file.is_empty() => Ok(Self::Play(file.into())),
            ("press", keys) if !keys.is_empty() => Ok(Self::Press(keys.to_owned())),
            ("wait", seconds) => seconds.parse().map(Self::Wait).map_err(|_| bad()),
            ("listen", "") => Ok(Self::Listen),
            ("hang-up", "") => Ok(Self::HangUp),
            _ => Err(bad()),
        }
    }
}

impl Options {
    /// The script. Before each utterance that follows no `wait` or `listen` of its own, the phone
    /// listens first, so that it answers instead of interrupting.
    pub fn script(&self) -> Result<CallScript, BadOption> {
        let behaviour = match self.receive {
            Receive::AnswerAfter(after) => {
                Behaviour::Answer { after: seconds("answer after", after)?, ringing: true }
            }
            Receive::NeverAnswer => Behaviour::NeverAnswer,
            Receive::Busy => Behaviour::Busy,
            Receive::Decline => Behaviour::Decline,
            Receive::Reject(code) => reject(code)?,
        };
        let mut actions = Vec::with_capacity(self.steps.len() * 2);
        for step in &self.steps {
            let speaks = matches!(step, Step::Say(_) | Step::Play(_) | Step::Press(_));
            let patient = matches!(actions.last(), Some(Action::Wait(_) | Action::Listen { .. }));
            if speaks && !patient {
                actions.push(Action::LISTEN);
            }
            actions.push(self.action(step)?);
        }
        let hang_up_after = self.hang_up_after.map(|after| seconds("hang up after", after)).transpose()?;
        let (early_media, transfers, record) = (self.early_media, self.transfers, self.record.clone());
        Ok(CallScript { behaviour, early_media, actions, record, transfers, hang_up_after })
    }

    fn action(&self, step: &Step) -> Result<Action, BadOption> {
        Ok(match step {
            Step::Say(text) => Action::Say(Sound::Text { language: self.language, text: text.clone() }),
            Step::Play(file) => Action::Say(Sound::Wav(file.clone())),
            Step::Press(keys) => Action::Press(digits(keys)?),
            Step::Wait(wait) => Action::Wait(seconds("wait", *wait)?),
            Step::Listen => Action::LISTEN,
            Step::HangUp => Action::HangUp,
        })
    }
}

/// Telephone keys from text.
pub fn digits(keys: &str) -> Result<Vec<Digit>, BadOption> {
    keys.chars()
        .map(|key| {
            Digit::from_char(key)
                .ok_or_else(|| BadOption(format!("keys {keys:?}: only 0-9, *, # and A-D can be pressed")))
        })
        .collect()
}

fn seconds(name: &str, value: f64) -> Result<Duration, BadOption> {
    Duration::try_from_secs_f64(value)
        .ok()
        .filter(|length| *length <= Duration::from_hours(24))
        .ok_or_else(|| BadOption(format!("{name} {value}: expected seconds from 0 to 86400")))
}

fn reject(code: u16) -> Result<Behaviour, BadOption> {
    let phrase = match code {
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        410 => "Gone",
        480 => "Temporarily Unavailable",
        484 => "Address Incomplete",
        486 => "Busy Here",
        488 => "Not Acceptable Here",
        500 => "Server Internal Error",
        503 => "Service Unavailable",
        600 => "Busy Everywhere",
        603 => "Decline",
        604 => "Does Not Exist Anywhere",
        607 => "Unwanted",
        // 608 (RFC 8688), and whatever has no phrase of its own here.
        300..=699 => "Rejected",
        _ => return Err(BadOption(format!("reject {code}: expected a status code from 300 to 699"))),
    };
    Ok(Behaviour::Reject { code, phrase: phrase.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_from_text() {
        let steps: Vec<Step> = ["say:Hello: there", "press:12#", "wait:0.5", "listen", "hang-up"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        let expected = [
            Step::Say("Hello: there".into()),
            Step::Press("12#".into()),
            Step::Wait(0.5),
            Step::Listen,
            Step::HangUp,
        ];
        assert_eq!(steps, expected);
        for bad in ["", "say:", "sing:la", "wait:soon", "listen:2"] {
            assert!(bad.parse::<Step>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_phone_listens_before_it_speaks_unless_told_otherwise() {
        let options = Options {
            steps: vec![Step::Say("yes".into()), Step::Wait(2.0), Step::Press("1".into()), Step::HangUp],
            ..Options::default()
        };
        let actions = options.script().unwrap().actions;
        let kinds: Vec<&str> = actions
            .iter()
            .map(|action| match action {
                Action::Listen { .. } => "listen",
                Action::Say(_) => "say",
                Action::Wait(_) => "wait",
                Action::Press(_) => "press",
                Action::HangUp => "hang up",
            })
            .collect();
        assert_eq!(kinds, ["listen", "say", "wait", "press", "hang up"]);
    }

    #[test]
    fn values_out_of_range_are_named() {
        let wrong = [
            Options { receive: Receive::AnswerAfter(-1.0), ..Options::default() },
            Options { receive: Receive::Reject(200), ..Options::default() },
            Options { hang_up_after: Some(f64::NAN), ..Options::default() },
            Options { steps: vec![Step::Press("12x".into())], ..Options::default() },
        ];
        for options in wrong {
            let error = options.script().unwrap_err().to_string();
            assert!(error.contains("expected") || error.contains("only"), "{error}");
        }
    }
}
