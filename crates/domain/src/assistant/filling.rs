//! Filling an assistant's texts for one call, within limits.

use super::{Assistant, Engine, OnVoicemail};
use crate::variables::{Piece, Variables, fill, filled_length, pieces};

/// The longest filled line that is spoken, in characters.
pub const LINE_MAX: usize = 10_000;
/// The longest filled instructions, in characters.
pub const INSTRUCTIONS_MAX: usize = 64_000;
/// The longest total of all filled texts of an assistant, in characters; see [`TEMPLATE_GROWTH_MAX`].
pub const TOTAL_MAX: usize = 200_000;
/// Texts whose templates are long may always grow by so many characters in total.
pub const TEMPLATE_GROWTH_MAX: usize = 65_536;

/// A text, or all texts, of an assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilledText {
    /// A line that is spoken.
    Line,
    /// The instructions of a model.
    Instructions,
    /// All texts together.
    Total,
}

/// Where the values come from that make a text too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// The assistant alone, its own variables included.
    Assistant,
    /// The customer's name.
    CustomerName,
    /// The variables of the call.
    Variables,
}

/// An assistant's texts become too long for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} would have more than {most} characters when filled with values of {values:?}")]
pub struct FilledTooLong {
    /// Which text.
    pub text: FilledText,
    /// Its limit, in characters.
    pub most: usize,
    /// Where the values come from that are the cause.
    pub values: ValueSource,
}

/// The values that fill an assistant's texts on one call.
///
/// There is no other way to fill them, and none of these exists whose texts exceed the limits.
#[derive(Clone, Debug)]
pub struct Filling(Variables);

impl Filling {
    /// The values of one call: its variables, else `customerName`, else the assistant's own variables.
    ///
    /// Lengths are counted without building any text. Only values that a text uses are kept, so that these are
    /// never more than the texts themselves.
    pub fn for_call(
        assistant: &Assistant,
        customer_name: Option<&str>,
        variables: &Variables,
    ) -> Result<Self, FilledTooLong> {
        let all = Values { assistant: &assistant.variables, customer_name, call: Some(variables) };
        let texts = texts(assistant);
        check(&texts, all).map_err(|(text, most)| {
            let named = Values { call: None, ..all };
            let own = Values { customer_name: None, ..named };
            let values = if check(&texts, own).is_err() {
                ValueSource::Assistant
            } else if check(&texts, named).is_err() {
                ValueSource::CustomerName
            } else {
                ValueSource::Variables
            };
            FilledTooLong { text, most, values }
        })?;
        let mut used = Variables::new();
        for (_, template) in texts {
            for piece in pieces(template) {
                if let Piece::Placeholder(name) = piece
                    && let Some(value) = all.get(name)
                    && !used.contains_key(name)
                {
                    used.insert(name.to_owned(), value.to_owned());
                }
            }
        }
        Ok(Self(used))
    }

    /// Fills one of the assistant's texts.
    pub fn text(&self, template: &str) -> String {
        fill(template, |name| self.0.get(name).map(String::as_str))
    }
}

/// Values by name, of which the call's come first.
#[derive(Clone, Copy)]
struct Values<'a> {
    assistant: &'a Variables,
    customer_name: Option<&'a str>,
    call: Option<&'a Variables>,
}

impl<'a> Values<'a> {
    fn get(self, name: &str) -> Option<&'a str> {
        let of_call = self.call.and_then(|variables| variables.get(name)).map(String::as_str);
        let of_name = || self.customer_name.filter(|_| name == "customerName");
        of_call.or_else(of_name).or_else(|| self.assistant.get(name).map(String::as_str))
    }
}

/// The limit that is exceeded, if one is.
fn check(texts: &[(FilledText, &str)], values: Values<'_>) -> Result<(), (FilledText, usize)> {
    let templates = texts.iter().fold(0_usize, |sum, (_, text)| sum.saturating_add(text.chars().count()));
    let most_in_total = TOTAL_MAX.max(templates.saturating_add(TEMPLATE_GROWTH_MAX));
    let mut total = 0_usize;
    for (kind, template) in texts {
        let most = match kind {
            FilledText::Line => LINE_MAX,
            FilledText::Instructions => INSTRUCTIONS_MAX,
            FilledText::Total => most_in_total,
        };
        let length = filled_length(template, |name| values.get(name), most);
        if length > most {
            return Err((*kind, most));
        }
        total = total.saturating_add(length);
        if total > most_in_total {
            return Err((FilledText::Total, most_in_total));
        }
    }
    Ok(())
}

/// Every text of an assistant that may hold placeholders.
fn texts<'a>(assistant: &'a Assistant) -> Vec<(FilledText, &'a str)> {
    let mut texts = Vec::new();
    let mut line =
        |text: Option<&'a String>| texts.extend(text.map(|text| (FilledText::Line, text.as_str())));
    let conduct = &assistant.conduct;
    line(conduct.recording_notice.as_ref());
    if let Some(OnVoicemail::LeaveMessage(message)) = &conduct.voicemail {
        line(Some(message));
    }
    match &assistant.engine {
        Engine::Builtin(script) => {
            line(Some(&script.first_message));
            for step in &script.steps {
                step.replies.values().for_each(|reply| line(Some(reply)));
                line(step.say.as_ref());
            }
            line(script.closing_line.as_ref());
            line(script.reprompt.as_ref());
        }
        Engine::Agent(agent) => {
            let persona = &agent.persona;
            line(persona.first_message.as_ref());
            line(persona.fallback_line.as_ref());
            texts.push((FilledText::Instructions, persona.instructions.as_str()));
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use time::OffsetDateTime;
    use url::Url;
    use uuid::Uuid;

    use super::*;
    use crate::assistant::{
        Agent, Awaited, Brain, CallLimits, Conduct, Dialect, Language, Persona, Provider, ProviderKey,
        Realtime, Script, Step,
    };
    use crate::ids::{AssistantId, OrganizationId, TenantId};

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn script(first_message: String) -> Script {
        Script { first_message, steps: Vec::new(), closing_line: None, reprompt: None }
    }

    fn assistant(engine: Engine) -> Assistant {
        Assistant {
            id: AssistantId::from_uuid(Uuid::nil()),
            tenant: TenantId::from_uuid(Uuid::nil()),
            organization: OrganizationId::from_uuid(Uuid::nil()),
            name: "Reception".to_owned(),
            team: None,
            engine,
            language: Language::EnglishUnitedStates,
            limits: CallLimits::default(),
            conduct: Conduct { recording_notice: None, ..Conduct::default() },
            variables: Variables::new(),
            created_at: OffsetDateTime::UNIX_EPOCH,
        }
    }

    fn agent(instructions: String) -> Assistant {
        let provider = Provider {
            endpoint: Url::parse("wss://voice.example.com/v1").unwrap(),
            model: "m".to_owned(),
            key: ProviderKey::None,
        };
        let brain = Brain::Realtime(Realtime {
            provider,
            dialect: Dialect::OpenAi,
            voice: None,
            transcription_model: None,
        });
        let persona = Persona {
            instructions,
            first_message: None,
            fallback_line: None,
            tools: BTreeSet::new(),
            transfer_targets: Vec::new(),
        };
        assistant(Engine::Agent(Box::new(Agent { persona, brain })))
    }

    /// Steps that say `{{v}}` each.
    fn steps(count: usize) -> Vec<Step> {
        let step =
            Step { wait_for: Awaited::Digits(1), replies: BTreeMap::new(), say: Some("{{v}}".to_owned()) };
        vec![step; count]
    }

    fn exceeded(assistant: &Assistant, variables: &Variables) -> Option<(FilledText, usize, ValueSource)> {
        let error = Filling::for_call(assistant, None, variables).err()?;
        Some((error.text, error.most, error.values))
    }

    #[test]
    fn values_of_the_call_precede_those_of_the_assistant() {
        let template = "{{customerName}}, {{clinic}}, {{day}}, {{unknown}}.";
        let mut assistant = assistant(Engine::Builtin(script(template.to_owned())));
        assistant.variables =
            variables(&[("clinic", "North"), ("day", "today"), ("customerName", "neighbour")]);
        for (name, own, expected) in [
            (Some("Ada"), variables(&[("day", "Monday")]), "Ada, North, Monday, ."),
            (None, variables(&[("day", "Monday")]), "neighbour, North, Monday, ."),
            (
                Some("Ada"),
                variables(&[("customerName", "Dr. Lovelace"), ("clinic", "")]),
                "Dr. Lovelace, , today, .",
            ),
        ] {
            assert_eq!(Filling::for_call(&assistant, name, &own).unwrap().text(template), expected);
        }
    }

    #[test]
    fn line_of_10000_characters_fits_and_one_more_does_not() {
        let assistant = assistant(Engine::Builtin(script("{{v}}{{v}}!".to_owned())));
        let value = |length: usize| variables(&[("v", &"é".repeat(length))]);
        assert_eq!(exceeded(&assistant, &value(4_999)), None);
        assert_eq!(
            exceeded(&assistant, &value(5_000)),
            Some((FilledText::Line, 10_000, ValueSource::Variables))
        );
    }

    #[test]
    fn instructions_of_64000_characters_fit_and_one_more_do_not() {
        let assistant = agent("{{v}}{{v}}".to_owned());
        let value = |length: usize| variables(&[("v", &"x".repeat(length))]);
        assert_eq!(exceeded(&assistant, &value(32_000)), None);
        assert_eq!(
            exceeded(&assistant, &value(32_001)),
            Some((FilledText::Instructions, 64_000, ValueSource::Variables))
        );
    }

    #[test]
    fn texts_of_200000_characters_fit_and_one_more_do_not() {
        let mut script = script("{{w}}".to_owned());
        script.steps = steps(20);
        let assistant = assistant(Engine::Builtin(script));
        let values = |rest: &str| variables(&[("v", &"x".repeat(10_000)), ("w", rest)]);
        assert_eq!(exceeded(&assistant, &values("")), None);
        assert_eq!(
            exceeded(&assistant, &values("x")),
            Some((FilledText::Total, 200_000, ValueSource::Variables))
        );
    }

    #[test]
    fn texts_with_long_templates_may_grow_by_64_kib() {
        let mut script = script(String::new());
        script.steps = steps(60);
        for step in &mut script.steps {
            step.say = Some(format!("{}{{{{v}}}}", "x".repeat(3_995)));
        }
        let assistant = assistant(Engine::Builtin(script));
        // 60 templates of 4,000 characters, whose placeholders of 5 are replaced by 5 more than 1,092.
        let value = |length: usize| variables(&[("v", &"x".repeat(length))]);
        assert_eq!(exceeded(&assistant, &value(1_092 + 5)), None);
        let most = 60 * 4_000 + 65_536;
        assert_eq!(
            exceeded(&assistant, &value(1_093 + 5)),
            Some((FilledText::Total, most, ValueSource::Variables))
        );
    }

    #[test]
    fn error_tells_whose_values_are_too_long() {
        let mut assistant = assistant(Engine::Builtin(script("{{customerName}}{{v}}".repeat(100))));
        assistant.conduct.voicemail = Some(OnVoicemail::LeaveMessage("{{w}}".to_owned()));
        let name = "x".repeat(101);
        let source = |assistant: &Assistant, name: &str| {
            let filling = Filling::for_call(assistant, Some(name), &variables(&[("v", "")]));
            filling.map(|_| ()).map_err(|error| error.values)
        };
        assert_eq!(source(&assistant, &name), Err(ValueSource::CustomerName));
        assert_eq!(source(&assistant, "x"), Ok(()));
        assistant.variables = variables(&[("w", &"x".repeat(10_001))]);
        assert_eq!(source(&assistant, "x"), Err(ValueSource::Assistant));
    }

    #[test]
    fn every_kind_of_line_is_counted() {
        let long = || Some("{{v}}".to_owned());
        let own = variables(&[("v", &"x".repeat(10_001))]);
        let with = |change: fn(&mut Script, Option<String>)| {
            let mut script = script(String::new());
            script.steps = vec![Step { wait_for: Awaited::Speech, replies: BTreeMap::new(), say: None }];
            change(&mut script, long());
            assistant(Engine::Builtin(script))
        };
        let mut all = vec![
            with(|script, line| script.first_message = line.unwrap()),
            with(|script, line| script.closing_line = line),
            with(|script, line| script.reprompt = line),
            with(|script, line| script.steps[0].say = line),
            with(|script, line| _ = script.steps[0].replies.insert("1".to_owned(), line.unwrap())),
        ];
        let changes: [fn(&mut Agent, Option<String>); 2] = [
            |agent, line| agent.persona.first_message = line,
            |agent, line| agent.persona.fallback_line = line,
        ];
        for change in changes {
            let mut one = agent(String::new());
            let Engine::Agent(inner) = &mut one.engine else { unreachable!() };
            change(inner, long());
            all.push(one);
        }
        let mut plain = with(|_, _| {});
        plain.conduct.recording_notice = long();
        all.push(plain.clone());
        plain.conduct.recording_notice = None;
        plain.conduct.voicemail = long().map(OnVoicemail::LeaveMessage);
        all.push(plain.clone());
        for assistant in &all {
            let expected = Some((FilledText::Line, 10_000, ValueSource::Variables));
            assert_eq!(exceeded(assistant, &own), expected, "{assistant:?}");
            assert_eq!(exceeded(assistant, &Variables::new()), None);
        }
    }
}
