//! Reading a model's answer.

use serde::Deserialize;
use serde_json::Value;

use crate::thoughts::Thoughts;

/// Why an answer cannot be used; it names nothing of what was asked or answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unusable {
    #[error("the answer is no chat completion")]
    NoCompletion,
    #[error("the model refused to answer")]
    Refused,
    #[error("the provider's filter held the answer back")]
    Filtered,
    #[error("the answer was cut off")]
    CutOff,
    #[error("the answer is not JSON")]
    NoJson,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

/// The JSON that the model wrote.
pub(super) fn read(answer: &[u8]) -> Result<Value, Unusable> {
    let completion: Completion = serde_json::from_slice(answer).map_err(|_| Unusable::NoCompletion)?;
    let choice = completion.choices.into_iter().next().ok_or(Unusable::NoCompletion)?;
    if choice.message.refusal.is_some_and(|refusal| !refusal.is_empty()) {
        return Err(Unusable::Refused);
    }
    match choice.finish_reason.as_deref() {
        Some("length") => return Err(Unusable::CutOff),
        Some("content_filter") => return Err(Unusable::Filtered),
        _ => {}
    }
    let content = choice.message.content.unwrap_or_default();
    let mut thoughts = Thoughts::default();
    let heard = thoughts.push(&content) + &thoughts.finish();
    json(&heard).ok_or(Unusable::NoJson)
}

/// The object in a text, whatever stands around it: models without a form put it in fences.
fn json(text: &str) -> Option<Value> {
    let (begin, end) = (text.find('{')?, text.rfind('}')?);
    serde_json::from_str(text.get(begin..=end)?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(content: &Value, refusal: &Value, reason: &str) -> Result<Value, Unusable> {
        let message = json!({"role": "assistant", "content": content, "refusal": refusal});
        read(json!({"choices": [{"message": message, "finish_reason": reason}]}).to_string().as_bytes())
    }

    #[test]
    fn json_is_found_wherever_the_model_put_it() {
        let expected = json!({"a": {"b": "}"}});
        for text in [
            "{\"a\":{\"b\":\"}\"}}",
            "```json\n{\"a\":{\"b\":\"}\"}}\n```",
            "<think>{x}</think> Here it is: {\"a\": {\"b\": \"}\"}}.",
        ] {
            assert_eq!(answer(&json!(text), &Value::Null, "stop"), Ok(expected.clone()), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_answer_is_told_apart() {
        let no = Value::Null;
        assert_eq!(answer(&json!("{}"), &json!("I cannot"), "stop"), Err(Unusable::Refused));
        assert_eq!(answer(&json!("{}"), &no, "length"), Err(Unusable::CutOff));
        assert_eq!(answer(&no, &no, "content_filter"), Err(Unusable::Filtered));
        for text in ["", "no", "[1]", "{", "}{"] {
            assert_eq!(answer(&json!(text), &no, "stop"), Err(Unusable::NoJson), "{text}");
        }
        for text in ["", "[]", "{\"choices\":[]}", "{\"choices\":[{}]}"] {
            assert_eq!(read(text.as_bytes()), Err(Unusable::NoCompletion), "{text}");
        }
    }
}
