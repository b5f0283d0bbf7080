//! The summary in Canadian French: hard blanks after numbers and within guillemets, and typographic
//! apostrophes.

use super::{Length, OtherEnd};
use crate::call::{EndedReason, Evidence};

/// What happened on a call, in a few French sentences.
pub(in crate::call) fn french(evidence: &Evidence<'_>) -> String {
    let Evidence { facts, reason, duration, .. } = evidence;
    let mut told = Vec::new();
    told.extend(other_end(OtherEnd::of(evidence)));
    if let Some(target) = &facts.forwarding_failed {
        told.push(format!("Un transfert à {} a échoué.", quoted(target)));
    }
    if facts.assistant_broke && *reason != EndedReason::AssistantError {
        told.push("L’assistant a eu une défaillance technique.".to_owned());
    }
    let after = duration.map(|seconds| format!(" après {}", length(seconds))).unwrap_or_default();
    match &facts.forwarded_to {
        Some(target) if *reason == EndedReason::AssistantForwardedCall => {
            told.push(format!("L’assistant a transféré l’appel à {}{after}.", quoted(target)));
        }
        forwarded => {
            if let Some(target) = forwarded {
                told.push(format!("L’assistant a transféré l’appel à {}.", quoted(target)));
            }
            told.extend(end(evidence, &after));
        }
    }
    told.join(" ")
}

fn quoted(name: &str) -> String {
    format!("«\u{a0}{name}\u{a0}»")
}

fn other_end(other: OtherEnd) -> Option<String> {
    let told = match other {
        OtherEnd::Machine { left: true } => {
            "L’appel a abouti à une boîte vocale, où l’assistant a laissé un message."
        }
        OtherEnd::Machine { left: false } => {
            "L’appel a abouti à une boîte vocale. Aucun message n’a été laissé."
        }
        OtherEnd::Silence => "On a décroché, mais personne n’a parlé.",
        OtherEnd::Unknown => return None,
        OtherEnd::Somebody { spoke, keys } => {
            let pressed = match keys {
                0 => None,
                1 => Some("a appuyé sur une touche".to_owned()),
                more => Some(format!("a appuyé sur {more}\u{a0}touches")),
            };
            let done: Vec<_> = spoke.then(|| "a parlé".to_owned()).into_iter().chain(pressed).collect();
            return Some(format!("Le client {}.", done.join(" et ")));
        }
    };
    Some(told.to_owned())
}

fn end(evidence: &Evidence<'_>, after: &str) -> Option<String> {
    Some(match evidence.reason {
        EndedReason::CustomerEndedCall => format!("Le client a raccroché{after}."),
        EndedReason::AssistantEndedCall => format!("L’assistant a mis fin à l’appel{after}."),
        EndedReason::AssistantForwardedCall => format!("L’assistant a transféré l’appel{after}."),
        EndedReason::SilenceTimedOut if OtherEnd::of(evidence) == OtherEnd::Silence => {
            format!("L’assistant a mis fin à l’appel{after}.")
        }
        EndedReason::SilenceTimedOut => {
            format!("L’appel a pris fin{after} parce que plus personne ne parlait.")
        }
        EndedReason::ExceededMaxDuration => {
            format!("L’appel a pris fin{after} parce que la durée maximale permise était atteinte.")
        }
        EndedReason::Voicemail => {
            return evidence.duration.map(|seconds| format!("L’appel a duré {}.", length(seconds)));
        }
        EndedReason::AssistantError => {
            format!("L’appel a pris fin{after} en raison d’une défaillance technique de l’assistant.")
        }
        EndedReason::MediaTimeout => {
            format!("L’appel a pris fin{after} parce qu’aucun son ne parvenait plus du côté du client.")
        }
        EndedReason::ServiceInterrupted => {
            format!("L’appel a été coupé{after} par une interruption du service.")
        }
        EndedReason::ManuallyEnded => format!("L’appel a été interrompu manuellement{after}."),
        EndedReason::CustomerBusy => "La ligne était occupée.".to_owned(),
        EndedReason::CustomerDeclined => "Le client a refusé l’appel.".to_owned(),
        EndedReason::NoAnswer => "Personne n’a répondu.".to_owned(),
        EndedReason::InvalidNumber => "Le numéro n’est pas en service.".to_owned(),
        EndedReason::TrunkRejected
        | EndedReason::TrunkError
        | EndedReason::TrunkUnreachable
        | EndedReason::CapacityExceeded => "L’appel n’a pas pu être établi.".to_owned(),
    })
}

fn length(seconds: u64) -> String {
    let length = Length::of(seconds);
    if length.is_nothing() {
        return "moins d’une seconde".to_owned();
    }
    let parts = [(length.hours, "heure"), (length.minutes, "minute"), (length.seconds, "seconde")];
    let told = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, unit)| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count}\u{a0}{unit}{plural}")
    });
    told.collect::<Vec<_>>().join(" et ")
}
