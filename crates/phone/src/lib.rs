//! A scriptable telephone: it takes calls over SIP and RTP and does with each what its script says.
//! It is the callee of the demo and of the tests, and lets people try an assistant without a trunk.

mod built_in;
mod call;
mod event;
mod filing;
mod hearing;
mod house;
mod line;
mod options;
mod performance;
mod phone;
mod script;
mod sound;
mod talk;
mod tape;

pub use event::{CallLabel, Events, Happening, PhoneEvent, Recorded};
pub use options::{BadOption, Options, Receive, Step, digits};
pub use phone::{Phone, PhoneSettings, Registration, StartError};
pub use script::{Action, Behaviour, CallScript, Scripts, Transfers};
pub use sound::{Sound, Unsayable};
