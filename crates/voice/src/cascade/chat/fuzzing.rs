//! The way in for the fuzz target of chat completions.

use super::{LONGEST_ANSWER, LONGEST_ARGUMENTS, MOST_TOOLS, Pieces};

/// What an answer came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The words that are spoken.
    pub words: String,
    /// Identifier, name and arguments of each tool.
    pub tools: Vec<[String; 3]>,
}

/// The most bytes that one answer may be spoken with, beyond its last piece.
pub const MOST_WORDS: usize = LONGEST_ANSWER;
/// The most tools of one answer.
pub const MOST_USES: usize = MOST_TOOLS;
/// The longest arguments of a tool, in bytes.
pub const MOST_ARGUMENTS: usize = LONGEST_ARGUMENTS;

/// Puts an answer together from the data of its events; none when it is refused.
pub fn read_pieces(data: &[String]) -> Option<Read> {
    let mut pieces = Pieces::default();
    let mut words = String::new();
    for piece in data {
        words.push_str(&pieces.take(piece).ok()?);
    }
    words.push_str(&pieces.thoughts.finish());
    let tools = pieces.tools.into_iter().map(|tool| [tool.id, tool.name, tool.arguments]).collect();
    Some(Read { words, tools })
}
