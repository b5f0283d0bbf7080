//! The TOML file that describes an assistant.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use domain::assistant::{Awaited, CallLimits, Engine, Language, Script, Step};
use serde::Deserialize;

/// What the file says, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) team: Option<String>,
    pub(super) engine: Engine,
    pub(super) language: Language,
    pub(super) limits: CallLimits,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadFile {
    /// Not TOML, an unknown key, or a value of the wrong kind.
    #[error("{0}")]
    Form(#[from] toml::de::Error),
    /// A value out of bounds.
    #[error("{key}: {allowed}")]
    Value {
        /// The key, with its step.
        key: String,
        /// What is allowed.
        allowed: String,
    },
}

/// The longest line, in characters.
const LINE_MAX: usize = 4_000;
/// The most steps.
const STEPS_MAX: usize = 100;
/// The most keys that a step waits for.
const DIGITS_MAX: u8 = 32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    team: Option<String>,
    engine: EngineName,
    language: Option<String>,
    first_message: String,
    closing_line: Option<String>,
    reprompt: Option<String>,
    #[serde(default)]
    steps: Vec<FileStep>,
    #[serde(default)]
    limits: FileLimits,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EngineName {
    Builtin,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileStep {
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

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLimits {
    #[serde(rename = "max_duration_seconds")]
    max_duration: Option<u64>,
    #[serde(rename = "silence_seconds")]
    silence: Option<u64>,
    #[serde(rename = "reprompt_seconds")]
    reprompt: Option<u64>,
}

/// Reads a file's text.
pub(super) fn parse(text: &str) -> Result<Draft, BadFile> {
    let file: File = toml::from_str(text)?;
    let EngineName::Builtin = file.engine;
    if file.steps.len() > STEPS_MAX {
        return Err(bad("steps", format!("at most {STEPS_MAX} steps")));
    }
    let steps = file.steps.into_iter().enumerate().map(|(index, step)| step.check(index + 1));
    Ok(Draft {
        name: name("name", &file.name)?,
        team: file.team.map(|team| name("team", &team)).transpose()?,
        engine: Engine::Builtin(Script {
            first_message: line("first_message", file.first_message)?,
            steps: steps.collect::<Result<_, _>>()?,
            closing_line: optional_line("closing_line", file.closing_line)?,
            reprompt: optional_line("reprompt", file.reprompt)?,
        }),
        language: language(file.language)?,
        limits: file.limits.check()?,
    })
}

impl FileStep {
    fn check(self, number: usize) -> Result<Step, BadFile> {
        let key = |name: &str| format!("steps[{number}].{name}");
        let wait_for = match (self.wait_for, self.digits) {
            (WaitFor::Digits, Some(digits @ 1..=DIGITS_MAX)) => Awaited::Digits(digits),
            (WaitFor::Digits, _) => {
                let allowed = format!("how many keys to wait for, 1 to {DIGITS_MAX}, ended early by #");
                return Err(bad(&key("digits"), allowed));
            }
            (_, Some(_)) => return Err(bad(&key("digits"), "goes with wait_for = \"digits\" only")),
            (WaitFor::Speech, None) => Awaited::Speech,
            (WaitFor::SpeechOrDigit, None) => Awaited::SpeechOrDigit,
        };
        let longest = match wait_for {
            Awaited::Speech if !self.replies.is_empty() => {
                return Err(bad(
                    &key("replies"),
                    "speech is not recognised: wait for digits to reply to them",
                ));
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
                return Err(bad(&name, format!("1 to {longest} of the keys 0-9, *, # and A-D")));
            }
            let say = line(&name, say)?;
            replies.insert(keys, say);
        }
        Ok(Step { wait_for, replies, say: optional_line(&key("say"), self.say)? })
    }
}

impl FileLimits {
    fn check(self) -> Result<CallLimits, BadFile> {
        let usual = CallLimits::default();
        let hour = 1..=3_600;
        Ok(CallLimits {
            max_duration: seconds(
                "max_duration_seconds",
                self.max_duration,
                &(1..=CallLimits::LONGEST.as_secs()),
                usual.max_duration,
            )?,
            silence: seconds("silence_seconds", self.silence, &hour, usual.silence)?,
            reprompt: seconds("reprompt_seconds", self.reprompt, &hour, usual.reprompt)?,
        })
    }
}

fn bad(key: &str, allowed: impl Into<String>) -> BadFile {
    BadFile::Value { key: key.to_owned(), allowed: allowed.into() }
}

fn name(key: &str, text: &str) -> Result<String, BadFile> {
    super::parse::name(text).map_err(|allowed| bad(key, allowed))
}

fn line(key: &str, text: String) -> Result<String, BadFile> {
    let fits = !text.trim().is_empty() && text.chars().count() <= LINE_MAX && !text.contains('\0');
    if fits { Ok(text) } else { Err(bad(key, format!("expected 1 to {LINE_MAX} characters to say"))) }
}

fn optional_line(key: &str, text: Option<String>) -> Result<Option<String>, BadFile> {
    text.map(|text| line(key, text)).transpose()
}

fn language(tag: Option<String>) -> Result<Language, BadFile> {
    let Some(tag) = tag else { return Ok(Language::EnglishUnitedStates) };
    let all = Language::ALL.map(Language::as_str).join(", ");
    Language::parse(&tag).ok_or_else(|| bad("language", format!("expected one of {all}")))
}

fn seconds(
    key: &str,
    value: Option<u64>,
    allowed: &RangeInclusive<u64>,
    usual: Duration,
) -> Result<Duration, BadFile> {
    match value {
        None => Ok(usual),
        Some(value) if allowed.contains(&value) => Ok(Duration::from_secs(value)),
        Some(_) => {
            let (first, last) = (allowed.start(), allowed.end());
            Err(bad(&format!("limits.{key}"), format!("expected {first} to {last} seconds")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = "name = 'A'\nengine = 'builtin'\nfirst_message = 'Hello {{x}}'\n";

    fn refused(more: &str) -> String {
        parse(&format!("{LEAST}{more}")).unwrap_err().to_string()
    }

    #[test]
    fn three_keys_are_enough() {
        let draft = parse(LEAST).unwrap();
        assert_eq!((draft.name.as_str(), draft.team), ("A", None));
        assert_eq!((draft.language, draft.limits), (Language::EnglishUnitedStates, CallLimits::default()));
        let Engine::Builtin(script) = draft.engine else { panic!("not a script") };
        let silent = Script {
            first_message: "Hello {{x}}".into(),
            steps: Vec::new(),
            closing_line: None,
            reprompt: None,
        };
        assert_eq!(script, silent);
    }

    #[test]
    fn everything_that_can_be_written_arrives() {
        let draft = parse(
            r#"
            name = "Reminder"
            team = "Desk"
            engine = "builtin"
            language = "fr-FR"
            first_message = "Bonjour"
            closing_line = "Au revoir"
            reprompt = "Encore là?"
            [[steps]]
            wait_for = "speech"
            say = "Bien."
            [[steps]]
            wait_for = "digits"
            digits = 2
            say = "Non."
            [steps.replies]
            12 = "Douze."
            "*#" = "Étoile."
            [[steps]]
            wait_for = "speech-or-digit"
            [limits]
            max_duration_seconds = 14400
            silence_seconds = 1
            reprompt_seconds = 3600
            "#,
        )
        .unwrap();
        assert_eq!((draft.team.as_deref(), draft.language), (Some("Desk"), Language::French));
        assert_eq!(draft.limits.max_duration, Duration::from_hours(4));
        assert_eq!((draft.limits.silence.as_secs(), draft.limits.reprompt.as_secs()), (1, 3600));
        let Engine::Builtin(script) = draft.engine else { panic!("not a script") };
        let awaited: Vec<_> = script.steps.iter().map(|step| step.wait_for).collect();
        assert_eq!(awaited, [Awaited::Speech, Awaited::Digits(2), Awaited::SpeechOrDigit]);
        assert_eq!(script.steps[1].replies["12"], "Douze.");
        assert_eq!(script.steps[1].replies["*#"], "Étoile.");
        assert_eq!(script.reprompt.as_deref(), Some("Encore là?"));
    }

    #[test]
    fn a_mistake_is_named_with_what_is_allowed() {
        for (more, key, allowed) in [
            ("langauge = 'en-US'", "langauge", "expected one of"),
            ("language = 'tlh'", "language", "en-US"),
            ("closing_line = ' '", "closing_line", "1 to 4000"),
            ("[[steps]]\nwait_for = 'applause'", "applause", "speech-or-digit"),
            ("[[steps]]\nwait_for = 'digits'", "steps[1].digits", "1 to 32"),
            ("[[steps]]\nwait_for = 'digits'\ndigits = 33", "steps[1].digits", "1 to 32"),
            ("[[steps]]\nwait_for = 'speech'\ndigits = 1", "steps[1].digits", "wait_for = \"digits\""),
            ("[[steps]]\nwait_for = 'speech'\nreplies = { 1 = 'x' }", "replies", "not recognised"),
            ("[[steps]]\nwait_for = 'speech-or-digit'\nreplies = { 12 = 'x' }", "replies.\"12\"", "1 to 1"),
            ("[[steps]]\nwait_for = 'digits'\ndigits = 1\nreplies = { x = 'x' }", "replies.\"x\"", "0-9"),
            ("[limits]\nmax_duration_seconds = 14401", "limits.max_duration_seconds", "1 to 14400"),
            ("[limits]\nsilence_seconds = 0", "limits.silence_seconds", "1 to 3600"),
        ] {
            let text = refused(more);
            assert!(text.contains(key) && text.contains(allowed), "{more:?}: {text}");
        }
        let text = parse("name = 'A'\nengine = 'telepathy'\nfirst_message = 'x'").unwrap_err().to_string();
        assert!(text.contains("telepathy") && text.contains("builtin"), "{text}");
        let text = parse("name = 'A'\nengine = 'builtin'").unwrap_err().to_string();
        assert!(text.contains("first_message"), "{text}");
    }
}
