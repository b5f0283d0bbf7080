//! Built-in speech: SVOX Pico speaks lines in a child process without network, environment or
//! secrets, and what it said is kept, encoded, by voice, words and codec.
//!
//! The parent's side is [`PicoSpeech`]; the child's is [`child::run`], which the program calls when
//! it is started with the arguments of [`Settings::args`].

mod cache;
pub mod child;
mod encoding;
mod narrowband;
mod pico;
mod process;
mod speaker;
mod voices;
mod wire;
mod words;

pub use process::Failure;
pub use speaker::{PicoSpeech, Settings};
