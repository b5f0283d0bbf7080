//! Reading a language model's answer: what is not of its form is not believed.

use domain::call::{Analysis, Sentiment, outcome};
use serde_json::Value;

/// The longest intent that is taken, in characters; the list's filter takes as many.
const INTENT: usize = 64;

/// The longest summary that is taken, in characters.
const SUMMARY: usize = 2_000;

/// How many fields an answer has.
const FIELDS: usize = 5;

/// An answer, as far as it is of its form.
pub(super) struct Answer {
    /// What it says; a field that is wrong says nothing.
    pub(super) analysis: Analysis,
    /// The fields that are wrong.
    pub(super) wrong: Vec<&'static str>,
}

/// A field that is missing or not of its form.
#[derive(Debug, PartialEq, Eq)]
struct Wrong;

impl Answer {
    /// Reads an answer of the model of this name, about a call of an assistant with outcomes of its
    /// `own`.
    pub(super) fn read(answer: &Value, model: &str, own: &[String]) -> Self {
        let mut wrong = Vec::new();
        let mut field = |name, read: &dyn Fn(&str) -> Result<Option<String>, Wrong>| {
            let told = match answer.get(name) {
                Some(Value::Null) => Ok(None),
                Some(Value::String(text)) => read(text),
                _ => Err(Wrong),
            };
            told.unwrap_or_else(|Wrong| {
                wrong.push(name);
                None
            })
        };
        let intent = field("intent", &intent);
        let sentiment = field("sentiment", &|text| one_of(&Sentiment::ALL.map(Sentiment::as_str), text));
        let outcome = field("outcome", &|text| one_of(&outcome::nameable(own), text));
        let summary = field("summary_en", &summary);
        let summary_fr = field("summary_fr", &|text| {
            // What is English word for word was not written in French.
            let text = self::summary(text)?;
            if text.is_some() && text == summary { Err(Wrong) } else { Ok(text) }
        });
        let analysis = Analysis {
            intent,
            sentiment: sentiment.as_deref().and_then(Sentiment::parse),
            outcome,
            summary,
            summary_fr,
            model: Some(model.to_owned()),
        };
        Self { analysis, wrong }
    }

    /// Whether anything of it can be used.
    pub(super) fn is_usable(&self) -> bool {
        self.wrong.len() < FIELDS
    }
}

fn one_of(names: &[&str], text: &str) -> Result<Option<String>, Wrong> {
    names.contains(&text).then(|| Some(text.to_owned())).ok_or(Wrong)
}

/// A label such as `book_appointment`; blanks, hyphens and capitals are forgiven.
fn intent(text: &str) -> Result<Option<String>, Wrong> {
    let words =
        text.split(|c: char| c.is_whitespace() || c == '_' || c == '-').filter(|word| !word.is_empty());
    let label = words.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    if ["", "null", "none", "unknown", "n/a"].contains(&label.as_str()) {
        return Ok(None);
    }
    let plain = label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if plain && label.len() <= INTENT { Ok(Some(label)) } else { Err(Wrong) }
}

/// One paragraph of plain text.
fn summary(text: &str) -> Result<Option<String>, Wrong> {
    // French keeps its hard blanks.
    let words = text.split(|c: char| c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{202f}'));
    let text = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let hidden = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    match text.chars().count() {
        0 => Ok(None),
        1..=SUMMARY if !text.contains(hidden) => Ok(Some(text)),
        _ => Err(Wrong),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole() -> Value {
        json!({
            "intent": "book_appointment", "sentiment": "positive", "outcome": "appointment_booked",
            "summary_en": "She booked.", "summary_fr": "Elle a pris rendez-vous\u{a0}: mardi.",
        })
    }

    fn read(answer: &Value) -> Answer {
        Answer::read(answer, "model-1", &["quote_sent".to_owned()])
    }

    /// What is read of one field, the others being right.
    fn alone(name: &str, value: Value) -> Result<Option<String>, Wrong> {
        let mut answer = whole();
        answer[name] = value;
        let Answer { analysis, wrong } = read(&answer);
        let told = match name {
            "intent" => analysis.intent,
            "sentiment" => analysis.sentiment.map(|sentiment| sentiment.as_str().to_owned()),
            "outcome" => analysis.outcome,
            "summary_en" => analysis.summary,
            _ => analysis.summary_fr,
        };
        if wrong.is_empty() {
            return Ok(told);
        }
        assert_eq!((wrong, told), (vec![name_of(name)], None));
        Err(Wrong)
    }

    fn name_of(name: &str) -> &'static str {
        let names = ["intent", "sentiment", "outcome", "summary_en", "summary_fr"];
        names.into_iter().find(|known| *known == name).unwrap()
    }

    #[test]
    fn an_answer_of_the_form_is_taken_whole() {
        let Answer { analysis, wrong } = read(&whole());
        assert_eq!(wrong, [""; 0]);
        assert_eq!(
            analysis,
            Analysis {
                intent: Some("book_appointment".to_owned()),
                sentiment: Some(Sentiment::Positive),
                outcome: Some("appointment_booked".to_owned()),
                summary: Some("She booked.".to_owned()),
                summary_fr: Some("Elle a pris rendez-vous\u{a0}: mardi.".to_owned()),
                model: Some("model-1".to_owned()),
            }
        );
    }

    #[test]
    fn every_field_may_be_null_and_none_may_be_missing_or_of_another_type() {
        for name in ["intent", "sentiment", "outcome", "summary_en", "summary_fr"] {
            assert_eq!(alone(name, Value::Null), Ok(None), "{name}");
            for bad in [json!(1), json!(true), json!(["x"]), json!({"a": "x"})] {
                assert_eq!(alone(name, bad), Err(Wrong), "{name}");
            }
            let mut answer = whole();
            answer.as_object_mut().unwrap().remove(name);
            assert_eq!(read(&answer).wrong, [name]);
        }
        for nothing in [json!([]), json!("x"), Value::Null, json!({})] {
            let answer = read(&nothing);
            assert_eq!(answer.wrong.len(), FIELDS);
            assert!(!answer.is_usable());
        }
    }

    #[test]
    fn names_are_taken_from_their_lists_alone() {
        let some = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(alone("outcome", json!("quote_sent")), some("quote_sent"));
        assert_eq!(alone("sentiment", json!("negative")), some("negative"));
        for bad in ["", "sold", "transferred_to_human", "voicemail_left", "Quote_sent", "quote_sent "] {
            assert_eq!(alone("outcome", json!(bad)), Err(Wrong), "{bad}");
        }
        for bad in ["", "angry", "Positive", "positive\n"] {
            assert_eq!(alone("sentiment", json!(bad)), Err(Wrong), "{bad}");
        }
    }

    #[test]
    fn an_intent_is_a_short_label() {
        let some = |text: &str| Ok(Some(text.to_owned()));
        for text in ["book_appointment", "Book appointment", " book--Appointment\n", "_book_appointment_"] {
            assert_eq!(alone("intent", json!(text)), some("book_appointment"), "{text}");
        }
        assert_eq!(alone("intent", json!("a".repeat(64))), some(&"a".repeat(64)));
        for nothing in ["", " ", "null", "None", "unknown", "N/A"] {
            assert_eq!(alone("intent", json!(nothing)), Ok(None), "{nothing}");
        }
        for bad in ["réserver", "book; drop table", "book\u{0}", "see https://x.example", &"a".repeat(65)] {
            assert_eq!(alone("intent", json!(bad)), Err(Wrong), "{bad}");
        }
    }

    #[test]
    fn a_summary_is_one_paragraph_of_plain_text() {
        let some = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(alone("summary_en", json!(" She\n\n booked.\t")), some("She booked."));
        assert_eq!(alone("summary_en", json!(" \n")), Ok(None));
        assert_eq!(alone("summary_en", json!("é".repeat(2_000))), some(&"é".repeat(2_000)));
        for bad in ["a\u{0}b", "a\u{1b}[31mb", "a\u{202e}b", "a\u{2066}b", &"é".repeat(2_001)] {
            assert_eq!(alone("summary_en", json!(bad)), Err(Wrong), "{bad}");
        }
    }

    #[test]
    fn english_is_not_taken_for_french() {
        assert_eq!(alone("summary_fr", json!("She booked.")), Err(Wrong));
    }
}
