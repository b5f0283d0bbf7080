//! How a provider is asked: servers differ in what they understand beside the messages.

use domain::ports::Prompt;
use serde_json::{Value, json};

/// The most that the model may write, in tokens: several times what an analysis takes.
const MOST_TOKENS: u32 = 4_096;

/// How the form of the answer is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// The server holds the model to the schema.
    #[default]
    Strict,
    /// The server holds the model to JSON, and the schema is in the prompt.
    Json,
    /// All is in the prompt.
    Told,
}

/// How a provider is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manner {
    form: Form,
    temperature: bool,
    limit: bool,
}

impl Default for Manner {
    fn default() -> Self {
        Self { form: Form::Strict, temperature: true, limit: true }
    }
}

impl Manner {
    /// The body of a request.
    pub(super) fn request(self, model: &str, prompt: &Prompt) -> Value {
        let (name, schema) = &prompt.schema;
        let system = match self.form {
            Form::Strict => prompt.system.clone(),
            Form::Json | Form::Told => format!(
                "{}\n\nAnswer with one JSON object and nothing else. It must match this JSON Schema:\n{schema}",
                prompt.system
            ),
        };
        let mut body = json!({
            "model": model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": prompt.user}
            ],
        });
        let mut add = |key: &str, value: Value| {
            if let Some(body) = body.as_object_mut() {
                body.insert(key.to_owned(), value);
            }
        };
        match self.form {
            Form::Strict => add(
                "response_format",
                json!({
                    "type": "json_schema",
                    "json_schema": {"name": name, "strict": true, "schema": schema}
                }),
            ),
            Form::Json => add("response_format", json!({"type": "json_object"})),
            Form::Told => {}
        }
        if self.temperature {
            add("temperature", json!(0));
        }
        if self.limit {
            add("max_completion_tokens", json!(MOST_TOKENS));
        }
        body
    }

    /// A simpler manner, without what a refusal complains of; none when it is about something else.
    pub(super) fn without_what(self, refusal: &str) -> Option<Self> {
        let about = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        if self.limit && about(&["max_completion_tokens", "max_tokens"]) {
            return Some(Self { limit: false, ..self });
        }
        if self.temperature && about(&["temperature"]) {
            return Some(Self { temperature: false, ..self });
        }
        let form = match self.form {
            Form::Strict if about(&["response_format", "json_schema", "schema", "strict"]) => Form::Json,
            Form::Json if about(&["response_format", "json_object"]) => Form::Told,
            _ => return None,
        };
        Some(Self { form, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_complained_of_is_left_out() {
        let manner = Manner::default();
        let simpler = manner.without_what("Unsupported value: 'temperature' does not support 0").unwrap();
        assert_eq!(simpler, Manner { temperature: false, ..manner });
        let simpler = simpler.without_what("Unrecognized argument: max_completion_tokens").unwrap();
        let simpler = simpler.without_what("'response_format.type' must be 'text' or 'json_object'").unwrap();
        assert_eq!(simpler, Manner { form: Form::Json, temperature: false, limit: false });
        let told = simpler.without_what("unknown field `response_format`").unwrap();
        assert_eq!(told.form, Form::Told);
        for refusal in ["unknown field `response_format`", "temperature"] {
            assert_eq!(told.without_what(refusal), None);
        }
        assert_eq!(manner.without_what("This model's maximum context length is 128000"), None);
    }
}
