//! The English summary.

use super::{Length, OtherEnd};
use crate::call::{EndedReason, Evidence};

/// What happened on a call, in a few English sentences.
pub(in crate::call) fn english(evidence: &Evidence<'_>) -> String {
    let Evidence { facts, reason, duration, .. } = evidence;
    let mut told = Vec::new();
    told.extend(other_end(OtherEnd::of(evidence)));
    if let Some(target) = &facts.forwarding_failed {
        told.push(format!("A transfer to “{target}” failed."));
    }
    if facts.assistant_broke && *reason != EndedReason::AssistantError {
        told.push("The assistant had a technical fault.".to_owned());
    }
    let after = duration.map(|seconds| format!(" after {}", length(seconds))).unwrap_or_default();
    match &facts.forwarded_to {
        Some(target) if *reason == EndedReason::AssistantForwardedCall => {
            told.push(format!("The assistant transferred the call to “{target}”{after}."));
        }
        forwarded => {
            if let Some(target) = forwarded {
                told.push(format!("The assistant transferred the call to “{target}”."));
            }
            told.extend(end(evidence, &after));
        }
    }
    told.join(" ")
}

fn other_end(other: OtherEnd) -> Option<String> {
    let told = match other {
        OtherEnd::Machine { left: true } => "The call reached a voicemail, and the assistant left a message.",
        OtherEnd::Machine { left: false } => "The call reached a voicemail. No message was left.",
        OtherEnd::Silence => "The call was answered, but nobody spoke.",
        OtherEnd::Unknown => return None,
        OtherEnd::Somebody { spoke, keys } => {
            let pressed = match keys {
                0 => None,
                1 => Some("pressed a key".to_owned()),
                more => Some(format!("pressed {more} keys")),
            };
            let done: Vec<_> = spoke.then(|| "spoke".to_owned()).into_iter().chain(pressed).collect();
            return Some(format!("The customer {}.", done.join(" and ")));
        }
    };
    Some(told.to_owned())
}

fn end(evidence: &Evidence<'_>, after: &str) -> Option<String> {
    Some(match evidence.reason {
        EndedReason::CustomerEndedCall => format!("The customer hung up{after}."),
        EndedReason::AssistantEndedCall => format!("The assistant ended the call{after}."),
        EndedReason::AssistantForwardedCall => format!("The assistant transferred the call{after}."),
        EndedReason::SilenceTimedOut if OtherEnd::of(evidence) == OtherEnd::Silence => {
            format!("The assistant ended the call{after}.")
        }
        EndedReason::SilenceTimedOut => format!("The call ended{after} because nobody spoke any more."),
        EndedReason::ExceededMaxDuration => {
            format!("The call ended{after} because it had reached its time limit.")
        }
        EndedReason::Voicemail => {
            return evidence.duration.map(|seconds| format!("The call lasted {}.", length(seconds)));
        }
        EndedReason::AssistantError => {
            format!("The call ended{after} because of a technical fault of the assistant.")
        }
        EndedReason::MediaTimeout => {
            format!("The call ended{after} because no more sound came from the customer’s side.")
        }
        EndedReason::ServiceInterrupted => {
            format!("The call was cut off{after} by an interruption of the service.")
        }
        EndedReason::ManuallyEnded => format!("The call was ended by hand{after}."),
        EndedReason::CustomerBusy => "The line was busy.".to_owned(),
        EndedReason::CustomerDeclined => "The customer declined the call.".to_owned(),
        EndedReason::NoAnswer => "Nobody answered.".to_owned(),
        EndedReason::InvalidNumber => "The number is not in service.".to_owned(),
        EndedReason::TrunkRejected
        | EndedReason::TrunkError
        | EndedReason::TrunkUnreachable
        | EndedReason::CapacityExceeded => "The call could not be placed.".to_owned(),
    })
}

fn length(seconds: u64) -> String {
    let length = Length::of(seconds);
    if length.is_nothing() {
        return "less than a second".to_owned();
    }
    let parts = [(length.hours, "hour"), (length.minutes, "minute"), (length.seconds, "second")];
    let told = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, unit)| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {unit}{plural}")
    });
    told.collect::<Vec<_>>().join(" ")
}
