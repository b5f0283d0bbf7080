//! Files that are written of assistants.

use domain::secret::Secret;
use time::OffsetDateTime;

use super::*;

fn assistant(draft: Draft) -> Assistant {
    let id = NewId::at(OffsetDateTime::UNIX_EPOCH, [1; 10]);
    let owned = draft.of_tenant(tenant(), &allowed().credentials).unwrap();
    owned.into_assistant(id.into(), id.into(), OffsetDateTime::UNIX_EPOCH)
}

#[test]
fn what_is_written_of_an_assistant_reads_as_the_same_one() {
    let top = "team = 'Front'\nlanguage = 'fr-CA'\nrecording_notice = '''Two\nlines \"x\"'''\noutcomes = ['quote_sent']\n";
    let tables = "[voicemail]\naction = 'leave-message'\nmessage = 'Call us.'\n\
        [variables]\nclinic = 'North'\n'odd name' = ''\n[limits]\nsilence_seconds = 5\n";
    let script = "closing_line = 'Bye.'\nreprompt = 'Still there?'\n";
    let steps = "[[steps]]\nwait_for = 'digits'\ndigits = 2\nsay = 'Thanks.'\nreplies = { '1*' = 'One.' }\n\
        [[steps]]\nwait_for = 'speech'\n[[steps]]\nwait_for = 'speech-or-digit'\nreplies = { '9' = 'Nine.' }\n";
    let agent = "first_message = 'Hello.'\nfallback_line = 'Sorry.'\ntools = ['end_call', 'transfer_call']\n";
    let people = "[[transfer_targets]]\nname = 'Ada'\nnumber = '+14155550123'\n";
    for text in [
        BUILTIN.to_owned(),
        format!("{top}{script}{BUILTIN}{tables}{steps}"),
        REALTIME.to_owned(),
        format!("{top}{agent}{REALTIME}{tables}{people}"),
        CASCADE.to_owned(),
        format!("{top}tools = []\n{CASCADE}{tables}"),
        format!("{CASCADE}chat.credential = 'openai'\nspeech.key_variable = 'OPENAI_API_KEY'\n"),
    ] {
        let draft = read(&text);
        let written = write(&assistant(draft.clone()));
        assert_eq!(read(&written), draft, "{written}");
    }
}

#[test]
fn no_stored_key_is_written() {
    let mut own = assistant(read(CASCADE));
    own.set_provider_key(None, Some(&Secret::new("sk-secret".to_owned())));
    let written = write(&own);
    assert!(!written.contains("sk-secret") && !written.contains("key"), "{written}");
    assert_eq!(read(&written), read(CASCADE));
}
