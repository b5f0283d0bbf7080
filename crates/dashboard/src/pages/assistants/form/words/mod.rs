//! The words of the form.

mod english;
mod french;

use domain::assistant::tool::Tool;
use domain::assistant::{Dialect, Language as Spoken};

use crate::language::Language;

pub(in crate::pages::assistants) struct Words {
    pub(in crate::pages::assistants) views: &'static str,
    pub(in crate::pages::assistants) form: &'static str,
    pub(in crate::pages::assistants) file: &'static str,
    pub(super) trouble: &'static str,
    pub(super) go_there: &'static str,
    pub(super) name_hint: &'static str,
    pub(super) team_hint: &'static str,
    pub(super) talk: &'static str,
    pub(super) talk_about: &'static str,
    pub(super) first: &'static str,
    pub(super) step: &'static str,
    pub(super) wait_for: &'static str,
    pub(super) speech: &'static str,
    pub(super) speech_or_digit: &'static str,
    pub(super) digits: &'static str,
    pub(super) how_many: &'static str,
    pub(super) how_many_hint: &'static str,
    pub(super) say: &'static str,
    pub(super) say_hint: &'static str,
    pub(super) replies: &'static str,
    pub(super) replies_hint: &'static str,
    pub(super) replies_example: &'static str,
    pub(super) raise: &'static str,
    pub(super) remove: &'static str,
    pub(super) add_step: &'static str,
    pub(super) closing: &'static str,
    pub(super) closing_hint: &'static str,
    pub(super) reprompt: &'static str,
    pub(super) reprompt_hint: &'static str,
    pub(super) task: &'static str,
    pub(super) instructions: &'static str,
    pub(super) instructions_hint: &'static str,
    pub(super) first_hint: &'static str,
    pub(super) fallback: &'static str,
    pub(super) fallback_hint: &'static str,
    pub(super) may: &'static str,
    end_call: &'static str,
    transfer_call: &'static str,
    leave_voicemail: &'static str,
    send_dtmf: &'static str,
    pub(super) people: &'static str,
    pub(super) people_hint: &'static str,
    pub(super) person: &'static str,
    pub(super) person_example: &'static str,
    pub(super) number: &'static str,
    pub(super) number_example: &'static str,
    pub(super) add_person: &'static str,
    pub(super) brain: &'static str,
    pub(super) dialect: &'static str,
    pub(super) model: &'static str,
    pub(super) voice: &'static str,
    pub(super) voice_hint: &'static str,
    pub(super) writes_down: &'static str,
    pub(super) writes_down_hint: &'static str,
    pub(super) hearing: &'static str,
    pub(super) thinking: &'static str,
    pub(super) speaking: &'static str,
    pub(super) reach: &'static str,
    pub(super) endpoint: &'static str,
    pub(super) endpoint_hint: &'static str,
    pub(super) credential: &'static str,
    pub(super) credential_hint: &'static str,
    pub(super) no_credential: &'static str,
    pub(super) key_variable: &'static str,
    pub(super) key_variable_hint: &'static str,
    pub(super) every_call: &'static str,
    pub(super) recording: &'static str,
    pub(super) record: &'static str,
    pub(super) record_hint: &'static str,
    pub(super) notice: &'static str,
    pub(super) notice_hint: &'static str,
    pub(super) recorded: &'static str,
    pub(super) recorded_with_notice: &'static str,
    pub(super) not_recorded: &'static str,
    pub(super) machine: &'static str,
    pub(super) machine_answers: &'static str,
    pub(super) no_machines: &'static str,
    pub(super) hangs_up: &'static str,
    pub(super) leaves_message: &'static str,
    pub(super) message: &'static str,
    pub(super) variables: &'static str,
    pub(super) variables_hint: &'static str,
    pub(super) variables_example: &'static str,
    pub(super) outcomes: &'static str,
    pub(super) outcomes_hint: &'static str,
    pub(super) limits: &'static str,
    pub(super) limits_about: &'static str,
    pub(super) longest: &'static str,
    pub(super) longest_hint: &'static str,
    pub(super) silence: &'static str,
    pub(super) silence_hint: &'static str,
    pub(super) again: &'static str,
    pub(super) again_hint: &'static str,
    pub(super) no_variables: &'static str,
    pub(super) no_outcomes: &'static str,
    pub(super) at_most: fn(&str) -> String,
    languages: fn(Spoken) -> &'static str,
}

impl Words {
    /// What a tool does.
    pub(super) const fn tool(&self, tool: Tool) -> &'static str {
        match tool {
            Tool::EndCall => self.end_call,
            Tool::TransferCall => self.transfer_call,
            Tool::LeaveVoicemail => self.leave_voicemail,
            Tool::SendDtmf => self.send_dtmf,
        }
    }

    /// What a language of assistants is called.
    pub(super) fn spoken(&self, language: Spoken) -> &'static str {
        (self.languages)(language)
    }
}

/// What those who speak a dialect are called, in every language.
pub(super) const fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenAi => "OpenAI",
        Dialect::Azure => "Azure OpenAI",
        Dialect::XAi => "xAI",
        Dialect::LocalAi => "LocalAI",
        Dialect::Speaches => "Speaches",
    }
}

pub(in crate::pages::assistants) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &english::ENGLISH,
        Language::French => &french::FRENCH,
    }
}
