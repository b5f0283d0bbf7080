//! Transcripts and facts: one JSON value each, for they are only ever read as a whole.

use std::time::Duration;

use domain::call::{CallFacts, Speaker, TranscriptEntry};
use serde_json::{Value, json};

/// The stored form of a transcript.
pub(crate) fn entries_json(transcript: &[TranscriptEntry]) -> Value {
    let entry = |entry: &TranscriptEntry| {
        let at_ms = u64::try_from(entry.at.as_millis()).unwrap_or(u64::MAX);
        json!({"at_ms": at_ms, "who": entry.who.as_str(), "text": storable(&entry.text)})
    };
    transcript.iter().map(entry).collect()
}

/// Reads a transcript; none when an entry is not of the stored form.
pub(crate) fn entries_from(stored: &Value) -> Option<Vec<TranscriptEntry>> {
    stored.as_array()?.iter().map(entry_from).collect()
}

fn entry_from(stored: &Value) -> Option<TranscriptEntry> {
    Some(TranscriptEntry {
        at: Duration::from_millis(stored.get("at_ms")?.as_u64()?),
        who: Speaker::parse(stored.get("who")?.as_str()?)?,
        text: stored.get("text")?.as_str()?.to_owned(),
    })
}

/// The stored form of facts.
pub(crate) fn facts_json(facts: &CallFacts) -> Value {
    let CallFacts {
        machine_answered,
        message_left,
        forwarded_to,
        forwarding_failed,
        outcome_named,
        customer_active,
        credential_refused,
        assistant_broke,
        foreign_packets,
    } = facts;
    json!({
        "machine_answered": machine_answered,
        "message_left": message_left,
        "forwarded_to": forwarded_to.as_deref().map(storable),
        "forwarding_failed": forwarding_failed.as_deref().map(storable),
        "outcome_named": outcome_named.as_deref().map(storable),
        "customer_active": customer_active,
        "credential_refused": credential_refused,
        "assistant_broke": assistant_broke,
        "foreign_packets": foreign_packets,
    })
}

/// Reads facts; none when one is not of the stored form.
pub(crate) fn facts_from(stored: &Value) -> Option<CallFacts> {
    let flag = |name| stored.get(name)?.as_bool();
    let text = |name| match stored.get(name)? {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    };
    Some(CallFacts {
        machine_answered: flag("machine_answered")?,
        message_left: flag("message_left")?,
        forwarded_to: text("forwarded_to")?,
        forwarding_failed: text("forwarding_failed")?,
        outcome_named: text("outcome_named")?,
        customer_active: flag("customer_active")?,
        // Transcripts of earlier releases lack it.
        credential_refused: flag("credential_refused").unwrap_or(false),
        assistant_broke: flag("assistant_broke")?,
        // Older rows do not have it.
        foreign_packets: stored.get("foreign_packets").map_or(Some(0), Value::as_u64)?,
    })
}

/// What is said may hold what a PostgreSQL `jsonb` cannot.
fn storable(text: &str) -> String {
    text.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(at_ms: u64, who: Speaker, text: &str) -> TranscriptEntry {
        TranscriptEntry { at: Duration::from_millis(at_ms), who, text: text.to_owned() }
    }

    #[test]
    fn a_transcript_comes_back_as_it_was_stored() {
        let said = [
            entry(0, Speaker::Assistant, "Hello \"Ada\"\n\u{1F600}"),
            entry(14_400_000, Speaker::Customer, ""),
        ];
        assert_eq!(entries_from(&entries_json(&said)), Some(said.to_vec()));
        assert_eq!(entries_from(&entries_json(&[])), Some(Vec::new()));
    }

    #[test]
    fn facts_come_back_as_they_were_stored() {
        let full = CallFacts {
            machine_answered: true,
            message_left: true,
            forwarded_to: Some("reception".to_owned()),
            forwarding_failed: Some("sales".to_owned()),
            outcome_named: Some("booked".to_owned()),
            customer_active: true,
            credential_refused: true,
            assistant_broke: true,
            foreign_packets: u64::MAX,
        };
        for facts in [full, CallFacts::default()] {
            assert_eq!(facts_from(&facts_json(&facts)), Some(facts));
        }
        let mut of_earlier_release = facts_json(&CallFacts::default());
        of_earlier_release.as_object_mut().unwrap().remove("credential_refused");
        assert_eq!(facts_from(&of_earlier_release), Some(CallFacts::default()));
    }

    #[test]
    fn facts_of_older_rows_have_no_foreign_packets() {
        let mut stored = facts_json(&CallFacts { foreign_packets: 7, ..CallFacts::default() });
        stored.as_object_mut().unwrap().remove("foreign_packets");
        assert_eq!(facts_from(&stored), Some(CallFacts::default()));
    }

    #[test]
    fn what_no_column_can_hold_is_left_out() {
        let stored = entries_json(&[entry(1, Speaker::Customer, "a\0b")]);
        assert_eq!(entries_from(&stored), Some(vec![entry(1, Speaker::Customer, "ab")]));
        let facts = CallFacts { outcome_named: Some("\0x".to_owned()), ..CallFacts::default() };
        assert_eq!(facts_from(&facts_json(&facts)).unwrap().outcome_named.as_deref(), Some("x"));
    }

    #[test]
    fn another_form_is_not_guessed_at() {
        for bad in [
            json!({}),
            json!([{"at_ms": -1, "who": "Customer", "text": ""}]),
            json!([{"at_ms": 1, "who": "Nobody", "text": ""}]),
            json!([{"at_ms": 1, "who": "Customer"}]),
        ] {
            assert_eq!(entries_from(&bad), None, "{bad}");
        }
        let mut facts = facts_json(&CallFacts::default());
        facts["forwarded_to"] = json!(7);
        assert_eq!(facts_from(&facts), None);
        assert_eq!(facts_from(&json!({})), None);
    }
}
