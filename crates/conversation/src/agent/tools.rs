//! What the agent does besides speaking, and what it is told of it.

use std::time::Duration;

use domain::assistant::tool::{self, ToolCall};
use domain::audio::Digit;
use domain::call::{EndedReason, Fact};
use domain::ports::AgentOrder;

use super::turn_taking::Hold;
use super::uses::{Deed, Keys, Use};
use super::{Dialogue, PARTING};
use crate::floor::Floor;
use crate::moment::Millis;
use crate::put::Output;
use crate::turn::Turn;

/// A trunk that was asked to hand a call over has settled it by then.
const REFERRED_WITHIN: Duration = Duration::from_secs(45);

pub(super) const MACHINE: &str = "Not done: a machine has answered, and a message is left for it.";
const INTERRUPTED: &str = "Not done: the caller interrupted you. Listen to what they say first.";
const LEAVING: &str = "The message will be said after the beep, and the call will end.";
const TRANSFERRING: &str = "Not done: the call is being handed over.";
const TOO_MANY: &str = "Not done: too many tools at once.";
const TRANSFERRED: &str = "The call was handed over.";
const NOT_TRANSFERRED: &str =
    "The call could not be handed over: nobody answered there. Tell the caller so, and go on.";

impl Dialogue {
    /// The model uses a tool. What takes time waits until its words have been heard.
    pub(super) fn tool_called(&mut self, floor: &mut Floor, id: String, name: &str, arguments: &str) {
        self.progress = floor.now;
        if self.message.is_some() {
            return result(floor, id, MACHINE);
        }
        if self.uses.is_transferring() {
            return result(floor, id, TRANSFERRING);
        }
        self.owed = true;
        self.after_tools = true;
        if !self.asks.is_empty() && self.asks.current().is_none() {
            return result(floor, id, INTERRUPTED);
        }
        let deed = match tool::read(&self.persona, name, arguments) {
            Err(wrong) => return result(floor, id, &wrong),
            Ok(ToolCall::LeaveVoicemail { message }) => {
                result(floor, id, LEAVING);
                floor.fact(Fact::MachineAnswered);
                return self.leave(floor, domain::spoken::speakable(&message));
            }
            Ok(ToolCall::EndCall { outcome }) => Deed::EndCall { outcome },
            Ok(ToolCall::TransferCall(target)) => Deed::Transfer { target, asked: None },
            Ok(ToolCall::SendDtmf(keys)) => Deed::Press(Keys::new(keys)),
        };
        if let Err(id) = self.uses.push(id, deed) {
            result(floor, id, TOO_MANY);
        }
    }

    /// Does what the tools in use ask for, once the words before it have been heard.
    pub(super) fn use_tools(&mut self, floor: &mut Floor) -> Option<EndedReason> {
        let now = floor.now;
        let heard = self.queue.is_empty() && self.asks.is_empty();
        let silent = heard && self.hold == Hold::Free;
        loop {
            match &mut self.uses.front()?.deed {
                Deed::EndCall { .. } if silent => {
                    let since = *self.parting.get_or_insert(now);
                    return (now.since(since) >= PARTING).then_some(EndedReason::AssistantEndedCall);
                }
                Deed::EndCall { .. } => {
                    self.parting = None;
                    return None;
                }
                Deed::Transfer { asked: Some(since), .. } => {
                    if now.since(*since) < REFERRED_WITHIN {
                        return None;
                    }
                    self.not_transferred(floor);
                }
                Deed::Transfer { target, asked } => {
                    if heard {
                        *asked = Some(now);
                        floor.put(Output::Refer(target.number.clone()));
                    }
                    return None;
                }
                Deed::Press(keys) if keys.is_done(now) => self.pressed_all(floor),
                Deed::Press(_) => return None,
            }
        }
    }

    /// The key that the agent presses in this beat.
    pub(super) fn next_key(&mut self, now: Millis) -> Option<Digit> {
        let heard = self.queue.is_empty() && self.asks.is_empty();
        match &mut self.uses.front()?.deed {
            Deed::Press(keys) if heard || keys.pressed().is_some() => keys.next(now),
            _ => None,
        }
    }

    fn pressed_all(&mut self, floor: &mut Floor) {
        let Some(one) = self.uses.done() else { return };
        tell_pressed(floor, &one);
        floor.quiet.broken(floor.now);
        let keys = if let Deed::Press(keys) = &one.deed { keys.pressed() } else { None };
        let told = format!("Pressed {}.", keys.map_or("", |(_, keys)| keys));
        result(floor, one.id, &told);
    }

    /// The handing over is settled.
    pub(crate) fn referred(&mut self, floor: &mut Floor, connected: bool) -> Option<EndedReason> {
        if !self.uses.is_transferring() {
            return None;
        }
        if !connected {
            self.not_transferred(floor);
            return None;
        }
        let Use { id, deed } = self.uses.done()?;
        if let Deed::Transfer { target, .. } = deed {
            floor.fact(Fact::Forwarded { target: target.name });
        }
        result(floor, id, TRANSFERRED);
        Some(EndedReason::AssistantForwardedCall)
    }

    fn not_transferred(&mut self, floor: &mut Floor) {
        let Some(Use { id, deed }) = self.uses.done() else { return };
        if let Deed::Transfer { target, .. } = deed {
            floor.fact(Fact::ForwardingFailed { target: target.name });
        }
        floor.quiet.broken(floor.now);
        result(floor, id, NOT_TRANSFERRED);
    }

    /// The callee has more to say: the call neither ends nor is handed over.
    pub(super) fn cancel_leaving(&mut self, floor: &mut Floor) {
        for one in self.uses.cancel_leaving() {
            self.owed = true;
            result(floor, one.id, INTERRUPTED);
        }
        self.parting = None;
    }
}

/// Tells the model what became of a tool's use.
pub(super) fn result(floor: &mut Floor, id: String, output: &str) {
    floor.order(AgentOrder::ToolResult { id, output: output.to_owned() });
}

/// The keys that the assistant pressed are a turn of its.
pub(super) fn tell_pressed(floor: &mut Floor, one: &Use) {
    if let Deed::Press(keys) = &one.deed
        && let Some((at, keys)) = keys.pressed()
    {
        floor.turn(Turn::AssistantPressed { at, keys: keys.to_owned() });
    }
}
