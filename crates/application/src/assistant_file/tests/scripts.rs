//! Files of the built-in engine.

use std::time::Duration;

use domain::assistant::{Awaited, Script};

use super::*;

#[test]
fn three_keys_are_enough() {
    let draft = read(BUILTIN);
    assert_eq!((draft.name.as_str(), draft.team), ("A", None));
    assert_eq!((draft.language, draft.limits), (Language::EnglishUnitedStates, CallLimits::default()));
    let Engine::Builtin(script) = draft.engine else { panic!("not a script") };
    let silent =
        Script { first_message: "Hello {{x}}".into(), steps: Vec::new(), closing_line: None, reprompt: None };
    assert_eq!(script, silent);
}

#[test]
fn everything_that_can_be_written_arrives() {
    let draft = read(
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
    );
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
    assert_refused(
        BUILTIN,
        &[
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
        ],
    );
    let told = |text: &str| parse(text, &allowed()).unwrap_err().to_string();
    let text = told("name = 'A'\nengine = 'telepathy'\nfirst_message = 'x'");
    assert!(text.contains("telepathy") && text.contains("builtin"), "{text}");
    let text = told("name = 'A'\nengine = 'builtin'");
    assert!(text.contains("first_message"), "{text}");
}

#[test]
fn what_only_an_ai_has_is_refused() {
    for more in [
        "instructions = 'x'",
        "fallback_line = 'x'",
        "tools = ['end_call']",
        "[[transfer_targets]]\nname = 'a'\nnumber = '+14155550100'",
        "[realtime]\nmodel = 'x'",
    ] {
        let text = told(BUILTIN, more);
        assert!(text.contains("goes with engine = \"realtime\" or \"cascade\" only"), "{more}: {text}");
    }
}
