//! What the telephone inside the service does with each of its numbers.

use std::collections::HashMap;
use std::time::Duration;

use domain::assistant::Language;
use domain::test_line::TestCallee;

use crate::options::digits;
use crate::script::{Action, Behaviour, CallScript, Scripts};
use crate::sound::Sound;

/// No call to it lasts longer: whoever tries an assistant has heard enough.
const LONGEST: Duration = Duration::from_mins(3);

impl Scripts {
    /// The built-in phone: every number of [`TestCallee`], and 404 for all others.
    pub fn built_in() -> Self {
        let nobody = Behaviour::Reject { code: 404, phrase: "Not Found".to_owned() };
        let by_number: HashMap<_, _> =
            TestCallee::ALL.into_iter().map(|callee| (callee.number().to_owned(), script(callee))).collect();
        Self { default: CallScript::that(nobody), by_number }
    }
}

fn script(callee: TestCallee) -> CallScript {
    match callee {
        TestCallee::Answers => answering(vec![
            Action::LISTEN,
            say("Hello, yes, this is me."),
            Action::LISTEN,
            say("That sounds good to me."),
            Action::LISTEN,
            say("Thank you. Goodbye."),
            FAREWELL,
            Action::HangUp,
        ]),
        TestCallee::PressesKeys => {
            let mut actions = Vec::new();
            for keys in ["1", "2", "#"] {
                // Every key of the list is one.
                let press = digits(keys).map(Action::Press);
                actions.extend([Some(Action::LISTEN), press.ok()].into_iter().flatten());
            }
            actions.extend([FAREWELL, Action::HangUp]);
            answering(actions)
        }
        TestCallee::Voicemail => answering(vec![
            Action::Wait(Duration::from_millis(400)),
            say("Hello. You have reached the voicemail of the built-in phone. Nobody can take your call \
                 right now. Please leave a message after the tone."),
            Action::Wait(Duration::from_millis(600)),
            Action::Say(Sound::Tone { hertz: 1_000, length: Duration::from_millis(800) }),
            Action::Listen { quiet: Duration::from_secs(4), at_most: Duration::from_mins(1) },
            Action::HangUp,
        ]),
        TestCallee::Busy => CallScript::that(Behaviour::Busy),
        TestCallee::NeverAnswers => CallScript::that(Behaviour::NeverAnswer),
        TestCallee::Declines => CallScript::that(Behaviour::Decline),
    }
}

/// The assistant says goodbye and hangs up; should it only do the first, the phone does the other.
const FAREWELL: Action = Action::Listen { quiet: Duration::from_secs(3), at_most: Duration::from_secs(15) };

fn answering(actions: Vec<Action>) -> CallScript {
    let after = Duration::from_millis(1_500);
    let script = CallScript::that(Behaviour::Answer { after, ringing: true });
    CallScript { hang_up_after: Some(LONGEST), ..script.then(actions) }
}

fn say(words: &str) -> Action {
    Action::Say(Sound::Text { language: Language::EnglishUnitedStates, text: words.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_its_own_has_a_script_and_no_other_is_anybody() {
        let scripts = Scripts::built_in();
        assert_eq!(scripts.by_number.len(), TestCallee::ALL.len());
        assert!(matches!(scripts.default.behaviour, Behaviour::Reject { code: 404, .. }));
        let pressed: Vec<_> = scripts.by_number[TestCallee::PressesKeys.number()]
            .actions
            .iter()
            .filter_map(|action| if let Action::Press(keys) = action { Some(keys.len()) } else { None })
            .collect();
        assert_eq!(pressed, [1, 1, 1]);
    }
}
