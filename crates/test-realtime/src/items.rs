//! The items of a conversation, and how much of the assistant's sound they hold.

use serde_json::Value;

use crate::client_event::Refusal;
use crate::format::Format;

#[derive(Clone, Debug)]
enum Kind {
    /// Sound of the assistant's: its bytes so far.
    Spoken(usize),
    Call(String),
    Other,
}

/// The items of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Items {
    items: Vec<(String, Kind)>,
    made: usize,
}

impl Items {
    /// A name for a new item.
    pub(crate) fn name(&mut self, connection: usize) -> String {
        self.made += 1;
        format!("item_{connection}_{}", self.made)
    }

    pub(crate) fn last(&self) -> Option<&str> {
        self.items.last().map(|(id, _)| id.as_str())
    }

    pub(crate) fn add(&mut self, id: &str, item: &Value) {
        let kind = match (item["type"].as_str(), item["call_id"].as_str()) {
            (Some("function_call"), Some(call)) => Kind::Call(call.to_owned()),
            _ => Kind::Other,
        };
        self.items.push((id.to_owned(), kind));
    }

    pub(crate) fn speak(&mut self, id: &str, bytes: usize) {
        match self.items.iter_mut().find(|(known, _)| known == id) {
            Some((_, Kind::Spoken(spoken))) => *spoken += bytes,
            Some((_, kind)) => *kind = Kind::Spoken(bytes),
            None => self.items.push((id.to_owned(), Kind::Spoken(bytes))),
        }
    }

    pub(crate) fn knows_call(&self, call: &str) -> bool {
        self.items.iter().any(|(_, kind)| matches!(kind, Kind::Call(known) if known == call))
    }

    /// Cuts an item's sound, as the real server does: never longer than it is.
    pub(crate) fn truncate(&mut self, id: &str, end_ms: u64, format: Format) -> Result<(), Refusal> {
        let Some((_, kind)) = self.items.iter_mut().find(|(known, _)| known == id) else {
            let message = format!("Error truncating item: Item with item_id '{id}' not found.");
            return Err(Refusal::new("item_truncate_invalid_item_id", message));
        };
        let Kind::Spoken(bytes) = kind else {
            let message = "Only model output audio messages can be truncated";
            return Err(Refusal::new("unsupported_content_type", message));
        };
        let has_ms = *bytes / format.bytes_a_ms();
        let end = usize::try_from(end_ms).unwrap_or(usize::MAX);
        if end > has_ms {
            let message = format!("Audio content of {has_ms}ms is already shorter than {end_ms}ms");
            return Err(Refusal { code: Some("invalid_value"), message, param: None });
        }
        *bytes = end * format.bytes_a_ms();
        Ok(())
    }
}
