//! `chat/completions`, streamed: the request, and its pieces put together.

#[cfg(feature = "fuzzing")]
pub(super) mod fuzzing;

use domain::assistant::tool::ToolForm;
use serde::Deserialize;
use serde_json::{Value, json};

use super::history::ToolUse;

use crate::provider::{Events, Fault, Reply};
use crate::thoughts::Thoughts;

/// The most that a model may say in one answer, in bytes: some four minutes. What follows is not heard.
const LONGEST_ANSWER: usize = 4_000;
/// The most tools that one answer uses, and the longest arguments, in bytes; more is not a use of tools.
const MOST_TOOLS: usize = 16;
const LONGEST_ARGUMENTS: usize = 32 * 1024;
/// The longest answer of a server that does not stream, in bytes.
const LONGEST_WHOLE: usize = 1024 * 1024;

/// The body of a request.
pub(crate) fn request(model: &str, messages: &[Value], tools: &[ToolForm]) -> Value {
    let mut body = json!({"model": model, "messages": messages, "stream": true});
    if !tools.is_empty() {
        let forms: Vec<Value> = tools
            .iter()
            .map(|form| {
                json!({"type": "function", "function": {
                    "name": form.tool.as_str(), "description": form.description, "parameters": form.parameters
                }})
            })
            .collect();
        if let Some(body) = body.as_object_mut() {
            body.insert("tools".to_owned(), Value::Array(forms));
        }
    }
    body
}

/// What we read of a piece or of a whole answer; providers add to it as they like.
#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(alias = "message")]
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    content: Option<String>,
    #[serde(default, deserialize_with = "null_is_none")]
    tool_calls: Vec<ToolDelta>,
}

#[derive(Debug, Deserialize)]
struct ToolDelta {
    index: Option<usize>,
    id: Option<String>,
    #[serde(default)]
    function: FunctionDelta,
}

#[derive(Debug, Default, Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<String>,
}

fn null_is_none<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Vec<ToolDelta>, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}

/// An answer that is being read.
pub(crate) struct Answer {
    reply: Reply,
    events: Events,
    pieces: Pieces,
    waiting: Vec<String>,
}

impl Answer {
    /// Begins to read. A server that does not stream sends one JSON instead.
    pub(crate) async fn read(mut reply: Reply) -> Result<Self, Fault> {
        let mut waiting = Vec::new();
        match reply.media_type() {
            "text/event-stream" => {}
            "application/json" => {
                let whole = reply.all(LONGEST_WHOLE).await?;
                waiting.push(String::from_utf8_lossy(&whole).into_owned());
            }
            _ => return Err(Fault::Malformed("the answer is no event stream")),
        }
        Ok(Self { reply, events: Events::default(), pieces: Pieces::default(), waiting })
    }

    /// More words; none when the answer is complete.
    pub(crate) async fn words(&mut self) -> Result<Option<String>, Fault> {
        while !self.pieces.is_complete() {
            let mut words = String::new();
            for data in std::mem::take(&mut self.waiting) {
                words.push_str(&self.pieces.take(&data)?);
            }
            if !words.is_empty() {
                return Ok(Some(words));
            }
            if self.pieces.is_complete() {
                break;
            }
            if let Some(piece) = self.reply.piece().await? {
                self.events.push(&piece, &mut self.waiting)?;
                continue;
            }
            std::mem::take(&mut self.events).finish(&mut self.waiting)?;
            if self.waiting.is_empty() {
                return Err(Fault::Broken("the answer ended before it was complete"));
            }
        }
        let rest = std::mem::take(&mut self.pieces.thoughts).finish();
        Ok(Some(rest).filter(|rest| !rest.is_empty()))
    }

    /// The tools that the complete answer uses.
    pub(crate) fn tools(self) -> Vec<ToolUse> {
        if matches!(self.pieces.ended, Ended::Finished | Ended::Done) {
            self.reply.finish();
        }
        self.pieces.tools
    }
}

/// How far an answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ended {
    #[default]
    Open,
    /// A reason for its end was named; `[DONE]` may follow.
    Finished,
    Done,
    /// It was too long.
    Cut,
}

/// Pieces of an answer, put together.
#[derive(Debug, Default)]
struct Pieces {
    thoughts: Thoughts,
    said: usize,
    tools: Vec<ToolUse>,
    /// The provider's numbers of the tools.
    numbers: Vec<usize>,
    ended: Ended,
}

impl Pieces {
    fn is_complete(&self) -> bool {
        self.ended != Ended::Open
    }

    /// Takes one event, and returns the words in it.
    fn take(&mut self, data: &str) -> Result<String, Fault> {
        if self.is_complete() || data.trim().is_empty() {
            return Ok(String::new());
        }
        if data.trim() == "[DONE]" {
            self.ended = Ended::Done;
            return Ok(String::new());
        }
        let chunk: Chunk = serde_json::from_str(data)
            .map_err(|_| Fault::Malformed("a piece of the answer is no chat completion"))?;
        if chunk.error.is_some_and(|error| !error.is_null()) {
            return Err(Fault::Broken("the provider broke its answer off with an error"));
        }
        let mut words = String::new();
        // Others are alternatives, which nobody asked for.
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(words) };
        if let Some(delta) = choice.delta {
            if let Some(content) = delta.content {
                words = self.thoughts.push(&content);
                self.said += words.len();
            }
            for tool in delta.tool_calls {
                self.tool(tool)?;
            }
        }
        if self.said > LONGEST_ANSWER {
            self.ended = Ended::Cut;
        } else if choice.finish_reason.is_some_and(|reason| !reason.is_empty()) {
            self.ended = Ended::Finished;
        }
        Ok(words)
    }

    fn tool(&mut self, delta: ToolDelta) -> Result<(), Fault> {
        let id = delta.id.filter(|id| !id.is_empty());
        let last = self.tools.len().saturating_sub(1);
        let number = delta.index.unwrap_or_else(|| match (&id, self.tools.last()) {
            // Who does not count begins a new use with a new name.
            (Some(id), Some(tool)) if tool.id != *id => last + 1,
            _ => last,
        });
        let place = self.numbers.iter().rposition(|known| *known == number);
        // Some servers give every use the number 0.
        let place = place.filter(|place| {
            let known = self.tools.get(*place).map(|tool| tool.id.as_str()).unwrap_or_default();
            known.is_empty() || id.as_ref().is_none_or(|id| id == known)
        });
        let place = place.unwrap_or_else(|| {
            self.numbers.push(number);
            self.tools.push(ToolUse { id: String::new(), name: String::new(), arguments: String::new() });
            self.tools.len() - 1
        });
        if self.tools.len() > MOST_TOOLS {
            return Err(Fault::Malformed("the answer uses too many tools"));
        }
        if let Some(tool) = self.tools.get_mut(place) {
            tool.id = id.unwrap_or_else(|| std::mem::take(&mut tool.id));
            tool.name.push_str(&delta.function.name.unwrap_or_default());
            tool.arguments.push_str(&delta.function.arguments.unwrap_or_default());
            if tool.arguments.len() > LONGEST_ARGUMENTS || tool.name.len() > LONGEST_ARGUMENTS {
                return Err(Fault::Malformed("a tool's arguments are too long"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(delta: &Value) -> String {
        json!({"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}).to_string()
    }

    fn call(index: Option<usize>, id: Option<&str>, name: Option<&str>, arguments: &str) -> String {
        let function = json!({"name": name, "arguments": arguments});
        delta(&json!({"content": null, "tool_calls": [{"index": index, "id": id, "function": function}]}))
    }

    fn tools(deltas: &[String]) -> Vec<(String, String, String)> {
        let mut pieces = Pieces::default();
        for delta in deltas {
            pieces.take(delta).unwrap();
        }
        pieces.tools.into_iter().map(|tool| (tool.id, tool.name, tool.arguments)).collect()
    }

    fn tool(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn uses_of_tools_are_put_together_from_their_pieces() {
        let two = [
            call(Some(0), Some("a"), Some("send_dtmf"), ""),
            call(Some(0), None, None, "{\"digits\""),
            call(Some(1), Some("b"), Some("end_call"), "{}"),
            call(Some(0), None, None, ":\"1\"}"),
        ];
        let expected = [tool("a", "send_dtmf", "{\"digits\":\"1\"}"), tool("b", "end_call", "{}")];
        assert_eq!(tools(&two), expected);
        for number in [Some(0), None] {
            let whole = [
                call(number, Some("a"), Some("send_dtmf"), "{\"digits\":\"1\"}"),
                call(number, Some("b"), Some("end_call"), "{}"),
            ];
            assert_eq!(tools(&whole), expected, "{number:?}");
        }
        let unnamed = [call(Some(0), Some(""), Some("end_call"), "{"), call(Some(0), None, None, "}")];
        assert_eq!(tools(&unnamed), [tool("", "end_call", "{}")]);
    }

    #[test]
    fn words_come_as_they_are_written_until_the_answer_ends() {
        let mut pieces = Pieces::default();
        assert_eq!(pieces.take(&delta(&json!({"role": "assistant", "content": ""}))).unwrap(), "");
        assert_eq!(pieces.take(&delta(&json!({"content": "<think>x</think>Hi"}))).unwrap(), "Hi");
        assert_eq!(pieces.take("{\"choices\":[],\"usage\":{}}").unwrap(), "");
        assert!(!pieces.is_complete());
        assert_eq!(pieces.take("{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}").unwrap(), "");
        assert!(pieces.is_complete());
        assert_eq!(pieces.take(&delta(&json!({"content": "late"}))).unwrap(), "");
    }

    #[test]
    fn an_error_in_the_stream_may_be_over_soon_and_nonsense_is_not() {
        let error = Pieces::default().take("{\"error\":{\"message\":\"overloaded\"}}").unwrap_err();
        assert!(error.wait().is_some());
        for nonsense in ["<html>", "{\"choices\":{}}", "[1]"] {
            assert!(Pieces::default().take(nonsense).unwrap_err().wait().is_none());
        }
        let many: Vec<String> = (0..=MOST_TOOLS).map(|n| call(Some(n), Some("a"), Some("b"), "")).collect();
        let mut pieces = Pieces::default();
        assert!(many.iter().any(|delta| pieces.take(delta).is_err()));
        let long = call(Some(0), Some("a"), None, &"x".repeat(LONGEST_ARGUMENTS + 1));
        assert!(Pieces::default().take(&long).is_err());
    }
}
