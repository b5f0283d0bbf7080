//! What was said and done so far, to tell it to a server that knows nothing of it.

use std::collections::VecDeque;

use domain::assistant::Dialect;
use domain::ports::{TurnId, UtteranceId};

use super::super::client_event::{self, ClientEvent};

/// How many entries are kept; the oldest go first.
const MOST_ENTRIES: usize = 400;
/// How many bytes of text are kept: more than an hour of talk.
const MOST_BYTES: usize = 128 * 1024;
/// How many bytes of one turn are kept.
const MOST_OF_TURN: usize = 16 * 1024;

#[derive(Debug)]
enum Entry {
    Caller { turn: TurnId, text: String },
    Assistant { utterance: UtteranceId, text: String },
    Note { text: String },
    Tool { call: String, name: String, arguments: String, output: Option<String>, told: bool },
}

impl Entry {
    fn bytes(&self) -> usize {
        match self {
            Self::Caller { text, .. } | Self::Assistant { text, .. } | Self::Note { text } => text.len(),
            Self::Tool { call, name, arguments, output, .. } => {
                call.len() + name.len() + arguments.len() + output.as_ref().map_or(0, String::len)
            }
        }
    }
}

/// The conversation so far, in order of its beginnings.
#[derive(Debug, Default)]
pub(super) struct History {
    entries: VecDeque<Entry>,
}

impl History {
    /// The callee begins a turn.
    pub(super) fn caller(&mut self, turn: TurnId) {
        self.push(Entry::Caller { turn, text: String::new() });
    }

    /// The assistant begins to say something.
    pub(super) fn assistant(&mut self, utterance: UtteranceId) {
        self.push(Entry::Assistant { utterance, text: String::new() });
    }

    /// Something to know of happened.
    pub(super) fn note(&mut self, text: &str) {
        self.push(Entry::Note { text: text.to_owned() });
    }

    /// A tool is used.
    pub(super) fn tool(&mut self, call: &str, name: &str, arguments: &str) {
        let [call, name, arguments] = [call, name, arguments].map(str::to_owned);
        self.push(Entry::Tool { call, name, arguments, output: None, told: true });
    }

    /// The words of a turn of the callee's.
    pub(super) fn caller_said(&mut self, of: TurnId, words: &str) {
        for entry in self.entries.iter_mut().rev() {
            if let Entry::Caller { turn, text } = entry
                && *turn == of
            {
                beginning(words, MOST_OF_TURN).clone_into(text);
                return;
            }
        }
    }

    /// More words of the assistant's.
    pub(super) fn assistant_says(&mut self, of: UtteranceId, words: &str) {
        if let Some(text) = self.assistant_text(of) {
            text.push_str(beginning(words, MOST_OF_TURN.saturating_sub(text.len())));
        }
    }

    /// Of what the assistant said, only this was heard.
    pub(super) fn assistant_heard(&mut self, of: UtteranceId, words: &str) {
        if let Some(text) = self.assistant_text(of) {
            words.clone_into(text);
        }
    }

    fn assistant_text(&mut self, of: UtteranceId) -> Option<&mut String> {
        self.entries.iter_mut().rev().find_map(|entry| match entry {
            Entry::Assistant { utterance, text } if *utterance == of => Some(text),
            _ => None,
        })
    }

    /// What became of a tool's use: the events that tell it to the server.
    pub(super) fn tool_result(&mut self, of: &str, result: &str) -> Vec<ClientEvent> {
        for entry in self.entries.iter_mut().rev() {
            if let Entry::Tool { call, name, arguments, output, told } = entry
                && call == of
            {
                *output = Some(result.to_owned());
                let use_of = (!*told).then(|| client_event::function_call(call, name, arguments));
                *told = true;
                return use_of.into_iter().chain([client_event::function_output(call, result)]).collect();
            }
        }
        vec![client_event::function_output(of, result)]
    }

    /// Whether a tool's use is known.
    pub(super) fn knows_tool(&self, of: &str) -> bool {
        self.entries.iter().any(|entry| matches!(entry, Entry::Tool { call, .. } if call == of))
    }

    /// The events that tell everything to a server that knows nothing.
    pub(super) fn retell(&mut self, dialect: Dialect) -> Vec<ClientEvent> {
        let mut events = Vec::with_capacity(self.entries.len());
        for entry in &mut self.entries {
            match entry {
                Entry::Caller { text, .. } => {
                    if !text.is_empty() {
                        events.push(client_event::user_message(text));
                    }
                }
                Entry::Assistant { text, .. } => {
                    if !text.is_empty() {
                        events.push(client_event::assistant_message(dialect, text));
                    }
                }
                Entry::Note { text } => events.push(client_event::system_message(text)),
                Entry::Tool { call, name, arguments, output, told } => {
                    // A use without its result would wait for it for ever.
                    *told = output.is_some();
                    if let Some(output) = output {
                        events.push(client_event::function_call(call, name, arguments));
                        events.push(client_event::function_output(call, output));
                    }
                }
            }
        }
        events
    }

    fn push(&mut self, entry: Entry) {
        self.entries.push_back(entry);
        let mut bytes: usize = self.entries.iter().map(Entry::bytes).sum();
        while self.entries.len() > MOST_ENTRIES || bytes > MOST_BYTES {
            let Some(oldest) = self.entries.pop_front() else { break };
            bytes -= oldest.bytes();
        }
    }
}

/// As much of a text as fits into so many bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(history: &mut History) -> Vec<(String, String)> {
        let told = history.retell(Dialect::OpenAi);
        told.iter()
            .map(|event| {
                let item = &event["item"];
                let role = item["role"].as_str().unwrap_or(item["type"].as_str().unwrap());
                let text = item["content"][0]["text"].as_str().or(item["output"].as_str());
                (role.to_owned(), text.unwrap_or_default().to_owned())
            })
            .collect()
    }

    #[test]
    fn what_was_heard_is_retold_in_order() {
        let mut history = History::default();
        history.assistant(UtteranceId(0));
        history.assistant_says(UtteranceId(0), "Good morning, ");
        history.assistant_says(UtteranceId(0), "this is long.");
        history.caller(TurnId(0));
        history.caller(TurnId(1));
        history.assistant_heard(UtteranceId(0), "Good morning,");
        history.caller_said(TurnId(1), "Two");
        history.caller_said(TurnId(0), "One");
        history.note("[pressed 1]");
        history.assistant(UtteranceId(1));
        let expected =
            [("assistant", "Good morning,"), ("user", "One"), ("user", "Two"), ("system", "[pressed 1]")];
        assert_eq!(told(&mut history), expected.map(|(role, text)| (role.to_owned(), text.to_owned())));
    }

    #[test]
    fn the_use_of_a_tool_is_retold_with_its_result_or_when_it_comes() {
        let mut history = History::default();
        history.tool("1", "send_dtmf", "{}");
        assert_eq!(history.tool_result("1", "done").len(), 1);
        history.tool("2", "end_call", "{}");
        let retold: Vec<_> = told(&mut history).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(retold, ["function_call", "function_call_output"]);
        let late = history.tool_result("2", "ok");
        assert_eq!(late[0]["item"]["type"], "function_call");
        assert_eq!(late[1]["item"], json!({"type": "function_call_output", "call_id": "2", "output": "ok"}));
        assert!(history.knows_tool("2") && !history.knows_tool("3"));
    }

    #[test]
    fn a_turn_without_end_is_cut() {
        let mut history = History::default();
        history.assistant(UtteranceId(0));
        history.caller(TurnId(0));
        for _ in 0..1_000 {
            history.assistant_says(UtteranceId(0), &"é".repeat(1_000));
        }
        history.caller_said(TurnId(0), &"é".repeat(1_000_000));
        let kept: Vec<usize> = told(&mut history).iter().map(|(_, text)| text.len()).collect();
        assert_eq!(kept, [MOST_OF_TURN; 2]);
    }

    #[test]
    fn only_so_much_is_kept() {
        let mut history = History::default();
        for number in 0..1_000 {
            history.note(&format!("{number}{}", "x".repeat(1_000)));
        }
        let kept = told(&mut history);
        assert!(kept.len() < 132, "{}", kept.len());
        assert!(kept.last().unwrap().1.starts_with("999"));
    }
}
