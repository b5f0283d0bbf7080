//! The core of a live call without input, output or clock: beats, keys and ready lines go in,
//! frames, turns and the end come out.
//!
//! The driver calls [`Conversation::handle`] once per 20 ms beat with [`Input::Heard`], and with
//! every other input as it comes, and then drains [`Conversation::next_output`]. Each beat yields
//! exactly one [`Output::Play`] or [`Output::Silence`], until [`Output::End`] ends everything.
//!
//! # Rules
//!
//! **Hearing.** 200 ms of speech are someone speaking; less is a noise, forgotten after 200 ms of
//! silence. Who spoke and then pauses for 500 ms has ended his turn.
//!
//! **Answers.** A step that waits for speech takes a turn that began after its question did; one
//! that waits for keys takes so many keys, or fewer ended by `#`, also while the question is still
//! being said. What the callee begins to say within the first second of the first message is his
//! greeting and answers nothing.
//!
//! **Interruptions.** Someone speaking holds the assistant's line. Where the speech may be an
//! answer, 600 ms of it drop the rest of the line, as does 200 ms when less than a second of the
//! line was left; anything shorter lets the line go on after the pause. Where it cannot be an
//! answer, the line goes on as soon as the callee pauses, or after 5 s, and is then not held
//! again. A line that is due waits for the callee's pause too, for at most 5 s. A key that is waited for drops the line at once.
//!
//! **Silence.** It counts from the callee's last word or key, or from the end of the last line of
//! the script, whichever is later, and only while no such line is due or being said. After the
//! reprompt time a step that waits asks again, if the words fit into what is left of the silence
//! limit, and forgets keys that did not make an answer; asking again does not reset the silence
//! limit, which ends the call.
//!
//! **The end.** After the last line and 200 ms of silence the assistant hangs up; the length limit
//! ends a call at any moment; a line that fails, or is not ready 5 s after it was due, is the
//! assistant's error.
//!
//! Playout, hearing and the limits know nothing of scripts: an engine that produces audio
//! as it goes takes the place of the script alone. Voicemail detection belongs beside the hearing.

mod agent;
mod beat;
mod conversation;
mod fallback;
mod floor;
mod hearing;
mod last_words;
mod lines;
mod moment;
mod opening;
mod playout;
mod put;
mod quiet;
mod script;
mod turn;
mod voicemail;

pub use conversation::Conversation;
pub use lines::LineId;
pub use moment::Millis;
pub use opening::Opening;
pub use put::{Input, Output};
pub use turn::Turn;
