//! The core of a live call without input, output or clock: beats, keys, ready lines and what an agent
//! tells go in; frames, orders, turns, facts and the end come out.
//!
//! The driver calls [`Conversation::handle`] once per 20 ms beat with [`Input::Heard`], and with
//! every other input as it comes, and then drains [`Conversation::next_output`]. Each beat yields
//! exactly one [`Output::Play`] or [`Output::Silence`], until [`Output::End`] ends everything.
//!
//! # Rules for every call
//!
//! **Hearing.** 200 ms of speech are someone speaking; less is a noise, forgotten after 200 ms of
//! silence. Who spoke and then pauses for 500 ms has ended his turn. 600 ms are more than a word in
//! passing. A tone is no speech.
//!
//! **Notice.** On a call that is recorded, the notice is said before all else and is not interrupted.
//!
//! **Silence.** It counts from the callee's last word or key, or from the end of what the assistant said
//! last, whichever is later, and only while nothing is due, awaited or being said. After the reprompt
//! time the callee is asked again, which does not reset the silence limit, which ends the call.
//!
//! **Machines**, where the assistant deals with them, are found within 30 s of the answer: by a first turn
//! that begins within 5 s and lasts for 2.5 s, by a beep (150 ms of one tone) within 5 s of speech, or by
//! what machines say. The assistant stops speaking; then it hangs up, or says its message after the beep,
//! after 2 s of silence, or after 30 s, and hangs up when it was wholly said.
//!
//! **The length limit** ends a call at any moment.
//!
//! # Rules for scripts
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
//! again. A line that is due waits for the callee's pause too, for at most 5 s. A key that is waited
//! for drops the line at once.
//!
//! **Asking again.** A step that waits repeats its question, or the reprompt, if the words fit into what is
//! left of the silence limit, and forgets keys that did not make an answer.
//!
//! **The end.** After the last line and 200 ms of silence the assistant hangs up; a line that fails, or is
//! not ready 5 s after it was due, is the assistant's error.
//!
//! # Rules for agents
//!
//! **Turns** are detected here, and told to the agent; or by the agent, and then what is heard here is of
//! no account but for machines. When a turn is over and nothing is being said, an answer is ordered, one
//! at a time.
//!
//! **Interruptions.** The callee's speech holds what is being said, between two frames; one that the agent
//! detected, at once. 600 ms of it drop the rest, with every answer under way (where the agent detects
//! speech, 1.1 s without an end, which it tells half a second late); the agent learns how much was heard.
//! Less than that waits for the words of the turn, for at most 2 s: words drop the rest, none let it go on
//! where it stopped. Of an agent that writes no words down, a short turn drops an answer that was not heard
//! yet, and lets one that was go on. Words that come later are answered when the agent has finished. A key drops the rest
//! too; keys are told together, 2 s after the last or with `#`. The opening is not dropped by what the
//! callee begins to say before its first second is over: he greets, and is not answered; it waits for his
//! pause, for at most 5 s.
//!
//! **Audio** may come in pieces of any length, faster or slower than it is played. Where it runs dry there is
//! silence until 60 ms are there. At most 120 s wait; the rest of the utterance is dropped and counts as
//! unheard. What comes of an utterance that was interrupted is ignored.
//!
//! **Tools** are used when the words before them have been heard, one after the other. Who insists before
//! then keeps the call from ending or being handed over. When all are done the agent goes on, at most eight
//! times in a row without a word from either side.
//!
//! **A lost agent** is one that says so, is not ready 5 s after the answer, or gives nothing for 10 s when it
//! should speak. The built-in voice says the fallback line, or the message for a machine, and the call ends.
//!
//! **The transcript** holds of the assistant's words those that were heard: by the part of the audio that was
//! played, in whole words. A turn of the callee's is told when its words are known; one whose words never
//! came, at the end.

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
