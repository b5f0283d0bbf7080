//! The AI at the other end of a wire: `realtime` speaks to a model from speech to speech over a
//! WebSocket; `cascade` asks one service after the other to write down, to answer, and to speak;
//! `model` is the language model that reads calls afterwards.
//!
//! A session is a task on the control runtime ([`Settings::control`]) and a handle that a media
//! thread polls; the two share bounded queues, and neither ever waits for the other.

mod cascade;
mod engines;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod keys;
mod link;
mod model;
mod provider;
mod realtime;
mod settings;
mod sound;
mod thoughts;

pub use engines::Engines;
pub use model::{BadKey, ChatModel, ModelSettings};
pub use settings::{Settings, Timeouts};
