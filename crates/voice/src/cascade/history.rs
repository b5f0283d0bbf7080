//! What was said and done on a call, as a language model is told of it.

use std::collections::VecDeque;

use domain::ports::TurnId;
use serde_json::{Value, json};

/// How much of a call is remembered, in bytes of text; then the oldest is forgotten. It is some two
/// hours of talk, and fits into what today's models read at once.
const REMEMBERED: usize = 96 * 1024;
/// How many things are remembered.
const MOST: usize = 2_000;

/// A use of a tool by the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolUse {
    /// The provider's name for it.
    pub(crate) id: String,
    /// The tool.
    pub(crate) name: String,
    /// JSON, as the model wrote it.
    pub(crate) arguments: String,
}

/// Something of the agent's in the history, for as long as it is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SaidId(u64);

/// Uses of tools, with the outcomes that are known.
type Uses = Vec<(ToolUse, Option<String>)>;

#[derive(Debug)]
enum Entry {
    /// A turn of the callee's; its words may still be on their way.
    Heard { turn: TurnId, text: String },
    /// Words of the agent's, and what it did after them.
    Said { id: SaidId, text: String, uses: Uses },
    /// Something to know of.
    Noted(String),
}

/// What was said and done, in order.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: VecDeque<Entry>,
    next: u64,
}

impl History {
    /// A turn of the callee's is over; its words come later, and belong here.
    pub(crate) fn turn(&mut self, turn: TurnId) {
        self.push(Entry::Heard { turn, text: String::new() });
    }

    /// The words of a turn.
    pub(crate) fn heard(&mut self, wanted: TurnId, words: &str) {
        let entry = self.entries.iter_mut().rev().find_map(|entry| match entry {
            Entry::Heard { turn, text } if *turn == wanted => Some(text),
            _ => None,
        });
        if let Some(text) = entry {
            words.clone_into(text);
        }
    }

    /// Something to know of.
    pub(crate) fn note(&mut self, text: String) {
        self.push(Entry::Noted(text));
    }

    /// The agent begins to say or do something.
    pub(crate) fn begin(&mut self) -> SaidId {
        let id = SaidId(self.next);
        self.next += 1;
        self.push(Entry::Said { id, text: String::new(), uses: Vec::new() });
        id
    }

    /// More words of the agent's.
    pub(crate) fn say(&mut self, said: SaidId, words: &str) {
        if let Some((text, _)) = self.said(said) {
            text.push_str(words);
        }
    }

    /// Only so much was heard of what the agent said.
    pub(crate) fn cut(&mut self, said: SaidId, heard: &str) {
        if let Some((text, _)) = self.said(said) {
            heard.trim().clone_into(text);
        }
    }

    /// The agent uses a tool.
    pub(crate) fn uses(&mut self, said: SaidId, tool: ToolUse) {
        if let Some((_, uses)) = self.said(said) {
            uses.push((tool, None));
        }
    }

    /// What became of a tool's use.
    pub(crate) fn result(&mut self, id: &str, output: String) {
        let uses = self.entries.iter_mut().rev().filter_map(|entry| match entry {
            Entry::Said { uses, .. } => Some(uses),
            _ => None,
        });
        let found = uses.flatten().find(|(tool, outcome)| tool.id == id && outcome.is_none());
        if let Some((_, outcome)) = found {
            *outcome = Some(output);
        }
    }

    /// The messages of a request, after the task.
    pub(crate) fn messages(&self, instructions: &str) -> Vec<Value> {
        let mut messages = vec![json!({"role": "system", "content": instructions})];
        for entry in &self.entries {
            match entry {
                Entry::Heard { text, .. } | Entry::Noted(text) => {
                    if !text.is_empty() {
                        messages.push(json!({"role": "user", "content": text}));
                    }
                }
                Entry::Said { text, uses, .. } => said(text, uses, &mut messages),
            }
        }
        messages
    }

    fn said(&mut self, wanted: SaidId) -> Option<(&mut String, &mut Uses)> {
        self.entries.iter_mut().rev().find_map(|entry| match entry {
            Entry::Said { id, text, uses } if *id == wanted => Some((text, uses)),
            _ => None,
        })
    }

    fn push(&mut self, entry: Entry) {
        self.entries.push_back(entry);
        let mut size: usize = self.entries.iter().map(Entry::size).sum();
        // The last stays, however long it is.
        while self.entries.len() > 1 && (size > REMEMBERED || self.entries.len() > MOST) {
            size -= self.entries.pop_front().map_or(0, |entry| entry.size());
        }
    }
}

impl Entry {
    fn size(&self) -> usize {
        match self {
            Self::Heard { text, .. } | Self::Noted(text) => text.len(),
            Self::Said { text, uses, .. } => {
                let uses = uses.iter().map(|(ToolUse { id, name, arguments }, outcome)| {
                    id.len() + name.len() + arguments.len() + outcome.as_ref().map_or(0, String::len)
                });
                text.len() + uses.sum::<usize>()
            }
        }
    }
}

/// Words and tools are one message; providers insist that each use is followed by its outcome.
fn said(text: &str, uses: &[(ToolUse, Option<String>)], messages: &mut Vec<Value>) {
    if uses.is_empty() {
        if !text.is_empty() {
            messages.push(json!({"role": "assistant", "content": text}));
        }
        return;
    }
    let calls: Vec<Value> = uses
        .iter()
        .map(|(tool, _)| {
            json!({
                "id": tool.id, "type": "function",
                "function": {"name": tool.name, "arguments": tool.arguments}
            })
        })
        .collect();
    let content = if text.is_empty() { Value::Null } else { json!(text) };
    messages.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
    for (tool, outcome) in uses {
        let outcome = outcome.as_deref().unwrap_or("not known yet");
        messages.push(json!({"role": "tool", "tool_call_id": tool.id, "content": outcome}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(id: &str) -> ToolUse {
        ToolUse { id: id.to_owned(), name: "send_dtmf".to_owned(), arguments: "{}".to_owned() }
    }

    #[test]
    fn words_stand_where_they_were_said_however_late_they_are_known() {
        let mut history = History::default();
        history.turn(TurnId(0));
        let first = history.begin();
        history.say(first, "Hello.");
        history.turn(TurnId(1));
        history.note("[pressed 1]".to_owned());
        let empty = history.begin();
        history.heard(TurnId(1), "second");
        history.heard(TurnId(0), "first");
        history.cut(first, " Hel ");
        history.cut(empty, "");
        assert_eq!(
            Value::from(history.messages("Be kind.")),
            json!([
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "first"},
                {"role": "assistant", "content": "Hel"},
                {"role": "user", "content": "second"},
                {"role": "user", "content": "[pressed 1]"},
            ])
        );
    }

    #[test]
    fn every_use_of_a_tool_is_followed_by_its_outcome_known_or_not() {
        let mut history = History::default();
        let said = history.begin();
        history.uses(said, tool("a"));
        history.uses(said, tool("b"));
        history.turn(TurnId(0));
        history.heard(TurnId(0), "so?");
        history.result("b", "pressed".to_owned());
        history.result("unknown", "x".to_owned());
        let call =
            |id| json!({"id": id, "type": "function", "function": {"name": "send_dtmf", "arguments": "{}"}});
        assert_eq!(
            Value::from(history.messages("")).as_array().unwrap()[1..],
            [
                json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]}),
                json!({"role": "tool", "tool_call_id": "a", "content": "not known yet"}),
                json!({"role": "tool", "tool_call_id": "b", "content": "pressed"}),
                json!({"role": "user", "content": "so?"}),
            ]
        );
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut history = History::default();
        for number in 0..3 {
            history.note(format!("{number}{}", "x".repeat(REMEMBERED / 2 - 1)));
        }
        let messages = history.messages("");
        assert_eq!(messages.len(), 3);
        assert!(messages[1]["content"].as_str().unwrap().starts_with('1'));
        let said = history.begin();
        history.uses(said, ToolUse { name: "x".repeat(REMEMBERED), ..tool("a") });
        history.note("last".to_owned());
        assert_eq!(history.messages("").len(), 2, "names count as well");
        for _ in 0..=MOST {
            history.note(".".to_owned());
        }
        assert_eq!(history.messages("").len(), MOST + 1);
    }
}
