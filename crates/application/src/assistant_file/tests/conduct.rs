//! What every assistant does, whatever its engine.

use std::time::Duration;

use domain::assistant::OnVoicemail;

use super::*;

#[test]
fn every_engine_takes_the_same_conduct() {
    let top = "record = true\nrecording_notice = 'Recorded.'\noutcomes = ['quote_sent', 'a2']\nlanguage = 'fr-CA'\n";
    let tables = "[voicemail]\naction = 'leave-message'\nmessage = 'Call us.'\n\
        [variables]\nclinic = 'North'\n'odd name' = ''\n[limits]\nsilence_seconds = 5\n";
    for least in [BUILTIN, REALTIME, CASCADE] {
        let draft = read(&format!("{top}{least}{tables}"));
        assert_eq!(draft.language, Language::FrenchCanada);
        let conduct = Conduct {
            records: true,
            recording_notice: Some("Recorded.".to_owned()),
            voicemail: Some(OnVoicemail::LeaveMessage("Call us.".to_owned())),
            outcomes: vec!["quote_sent".to_owned(), "a2".to_owned()],
        };
        assert_eq!(draft.conduct, conduct);
        let variables =
            [("clinic", "North"), ("odd name", "")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(draft.variables, Variables::from(variables));
        assert_eq!(draft.limits.silence, Duration::from_secs(5));
        assert_eq!(read(least).conduct, Conduct::default());
        let hangs_up = read(&format!("record = false\n{least}[voicemail]\naction = 'hang-up'\n")).conduct;
        assert_eq!((hangs_up.records, hangs_up.voicemail), (false, Some(OnVoicemail::HangUp)));
    }
}

#[test]
fn a_mistake_is_named_with_what_is_allowed() {
    let listed = |names: Vec<String>| format!("outcomes = ['{}']", names.join("', '"));
    let many = listed((0..21).map(|number| format!("a{number}")).collect());
    let long = listed(vec!["x".repeat(51)]);
    let variables = (0..201).map(|number| format!("a{number} = ''")).collect::<Vec<_>>().join("\n");
    assert_refused(
        BUILTIN,
        &[
            ("record = 'yes'", "line 4", "boolean"),
            ("record = false\nrecording_notice = 'x'", "recording_notice", "nothing is recorded"),
            ("recording_notice = ''", "recording_notice", "1 to 4000"),
            ("[voicemail]", "missing field", "action"),
            ("voicemail.action = 'sing'", "sing", "leave-message"),
            ("voicemail = { action = 'hang-up', message = 'x' }", "voicemail.message", "leave-message"),
            ("voicemail = { action = 'leave-message' }", "voicemail.message", "needs one"),
            ("voicemail = { action = 'leave-message', message = ' ' }", "voicemail.message", "1 to 4000"),
            ("outcomes = ['Quote Sent']", "outcomes", "quote_sent"),
            ("outcomes = ['_a']", "outcomes", "quote_sent"),
            ("outcomes = ['']", "outcomes", "quote_sent"),
            ("outcomes = ['a', 'b', 'a']", "outcomes", "a stands there twice"),
            ("outcomes = ['wrong_number']", "outcomes", "standard outcome"),
            (&many, "outcomes", "at most 20"),
            (&long, "outcomes", "at most 50"),
            ("variables.a = 1", "invalid type", "string"),
            ("variables.'a}}b' = ''", "variables", "names of 1 to 255"),
            ("variables.' a' = ''", "variables", "names of 1 to 255"),
            (&format!("variables.a = '{}'", "x".repeat(4_001)), "variables.a", "at most 4000"),
            (&format!("[variables]\n{variables}"), "variables", "at most 200"),
        ],
    );
}
