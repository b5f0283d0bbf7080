//! Leaving out what a model thinks aloud before it answers: `<think>…</think>` at the beginning of its
//! text, as open reasoning models write it.

const OPENS: &str = "<think>";
const CLOSES: &str = "</think>";

/// A filter for a growing text.
#[derive(Debug, Default)]
pub(crate) struct Thoughts {
    held: String,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// It cannot be told yet whether the text begins with a thought.
    #[default]
    Beginning,
    Thinking,
    Answering,
}

impl Thoughts {
    /// What of the text, as far as it is there, is to be heard.
    pub(crate) fn push(&mut self, text: &str) -> String {
        if self.state == State::Answering {
            return text.to_owned();
        }
        self.held.push_str(text);
        if self.state == State::Beginning {
            let begun = self.held.trim_start();
            if begun.is_empty() {
                // Space without end would be held without end.
                self.held.clear();
                return String::new();
            }
            if begun.starts_with(OPENS) {
                self.state = State::Thinking;
            } else if OPENS.starts_with(begun) {
                return String::new();
            } else {
                self.state = State::Answering;
                return std::mem::take(&mut self.held);
            }
        }
        if let Some((_, answer)) = self.held.split_once(CLOSES) {
            self.state = State::Answering;
            return answer.to_owned();
        }
        // Only as much is kept as the closing mark may have begun with.
        let kept = self.held.char_indices().rev().nth(CLOSES.len()).map_or(0, |(at, _)| at);
        self.held.drain(..kept);
        String::new()
    }

    /// The text is complete: what was held back turns out to be no thought.
    pub(crate) fn finish(self) -> String {
        if self.state == State::Beginning { self.held } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(pieces: &[&str]) -> String {
        let mut thoughts = Thoughts::default();
        let heard: String = pieces.iter().map(|piece| thoughts.push(piece)).collect();
        heard + &thoughts.finish()
    }

    #[test]
    fn leading_space_is_not_held() {
        let mut thoughts = Thoughts::default();
        for _ in 0..1_000 {
            assert_eq!(thoughts.push(" \n"), "");
            assert!(thoughts.held.is_empty());
        }
        assert_eq!(thoughts.push("<think>x</think>Hello"), "Hello");
    }

    #[test]
    fn a_thought_at_the_beginning_is_not_heard_wherever_it_is_cut() {
        for (text, heard) in [
            ("\n<think>Hmm, é < 3 </thin</think>Hello <b>", "Hello <b>"),
            ("<thinner> than", "<thinner> than"),
            ("Hello <think>x</think>", "Hello <think>x</think>"),
            ("<thi", "<thi"),
            ("<think>never closed", ""),
            ("", ""),
        ] {
            assert_eq!(filter(&[text]), heard);
            let letters: Vec<String> = text.chars().map(String::from).collect();
            assert_eq!(filter(&letters.iter().map(String::as_str).collect::<Vec<_>>()), heard);
        }
    }
}
