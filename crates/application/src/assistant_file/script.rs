//! The script of the built-in engine.

use std::collections::BTreeMap;

use domain::assistant::{Awaited, Script, Step};
use serde::Deserialize;

use super::BadFile;
use super::checks::{bad, line, optional_line};
use crate::rules::Rule;

/// The most steps.
const STEPS_MAX: usize = 100;
/// The most keys that a step waits for.
const DIGITS_MAX: u8 = 32;

pub(super) struct FileScript {
    pub(super) steps: Option<Vec<FileStep>>,
    pub(super) closing_line: Option<String>,
    pub(super) reprompt: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileStep {
    wait_for: WaitFor,
    digits: Option<u8>,
    say: Option<String>,
    #[serde(default)]
    replies: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum WaitFor {
    Speech,
    Digits,
    SpeechOrDigit,
}

impl FileScript {
    /// The keys that only a script has, and whether they are there.
    pub(super) fn written(&self) -> [(&'static str, bool); 3] {
        [
            ("steps", self.steps.is_some()),
            ("closing_line", self.closing_line.is_some()),
            ("reprompt", self.reprompt.is_some()),
        ]
    }

    pub(super) fn check(self, first_message: Option<String>) -> Result<Script, BadFile> {
        let first_message = first_message.ok_or_else(|| bad("first_message", Rule::FirstMessage))?;
        let steps = self.steps.unwrap_or_default();
        if steps.len() > STEPS_MAX {
            return Err(bad("steps", Rule::AtMostSteps(STEPS_MAX)));
        }
        let steps = steps.into_iter().enumerate().map(|(index, step)| step.check(index + 1));
        Ok(Script {
            first_message: line("first_message", first_message)?,
            steps: steps.collect::<Result<_, _>>()?,
            closing_line: optional_line("closing_line", self.closing_line)?,
            reprompt: optional_line("reprompt", self.reprompt)?,
        })
    }
}

impl FileStep {
    fn check(self, number: usize) -> Result<Step, BadFile> {
        let key = |name: &str| format!("steps[{number}].{name}");
        let wait_for = match (self.wait_for, self.digits) {
            (WaitFor::Digits, Some(digits @ 1..=DIGITS_MAX)) => Awaited::Digits(digits),
            (WaitFor::Digits, _) => {
                return Err(bad(&key("digits"), Rule::Digits(DIGITS_MAX)));
            }
            (_, Some(_)) => {
                let rule = Rule::GoesWith { key: "wait_for", values: &["digits"] };
                return Err(bad(&key("digits"), rule));
            }
            (WaitFor::Speech, None) => Awaited::Speech,
            (WaitFor::SpeechOrDigit, None) => Awaited::SpeechOrDigit,
        };
        let longest = match wait_for {
            Awaited::Speech if !self.replies.is_empty() => {
                return Err(bad(&key("replies"), Rule::NoRepliesToSpeech));
            }
            Awaited::Speech => 0,
            Awaited::Digits(digits) => usize::from(digits),
            Awaited::SpeechOrDigit => 1,
        };
        let mut replies = BTreeMap::new();
        for (keys, say) in self.replies {
            let name = key(&format!("replies.\"{keys}\""));
            let pressable = keys.bytes().all(|byte| byte.is_ascii_digit() || b"*#ABCD".contains(&byte));
            if !pressable || !(1..=longest).contains(&keys.len()) {
                return Err(bad(&name, Rule::Keys(longest)));
            }
            let say = line(&name, say)?;
            replies.insert(keys, say);
        }
        Ok(Step { wait_for, replies, say: optional_line(&key("say"), self.say)? })
    }
}
