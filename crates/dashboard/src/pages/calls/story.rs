//! The story of a call in words: what happened when.

use domain::call::{CallStory, CallType, Happening, timeline};
use domain::ports::{DeliveryTry, TryOutcome};

use super::words;
use crate::causes::cause;
use crate::language::Language;
use crate::moment::{Moment, Moments};

/// A line of the timeline.
pub(super) struct Told {
    /// None when nobody noted the moment.
    pub(super) at: Option<Moment>,
    pub(super) text: String,
    /// What is told beside it.
    pub(super) detail: String,
    /// How it looks: `good`, `bad`, `live` or `calm`.
    pub(super) class: &'static str,
}

pub(super) fn told(language: Language, moments: &Moments, story: &CallStory) -> Vec<Told> {
    let entries = timeline(story).into_iter();
    entries
        .map(|entry| {
            let (class, text, detail) = words_of(language, entry.what);
            Told { at: entry.at.map(|at| moments.time(at)), text, detail, class }
        })
        .collect()
}

fn words_of(language: Language, what: Happening<'_>) -> (&'static str, String, String) {
    let say = |english: &'static str, french: &'static str| language.pick(english, french).to_owned();
    let plain = |class, text| (class, text, String::new());
    match what {
        Happening::Accepted(CallType::Outbound) => plain("calm", say("Call accepted", "Appel accepté")),
        Happening::Accepted(_) => plain("calm", say("Call came in", "Appel reçu")),
        Happening::Dialled(trunk) => ("calm", say("Dialled over", "Composé par"), trunk.to_owned()),
        Happening::Rang => plain("live", say("Ringing", "Sonnerie")),
        Happening::Answered => plain("good", say("Answered", "Répondu")),
        Happening::MachineAnswered => {
            plain("calm", say("A machine had answered", "Une boîte vocale avait répondu"))
        }
        Happening::MessageLeft => plain("good", say("A message was left", "Un message a été laissé")),
        Happening::Forwarded(target) => ("good", say("Handed to", "Transféré à"), target.to_owned()),
        Happening::ForwardingFailed(target) => {
            ("bad", say("Could not be handed to", "N’a pas pu être transféré à"), target.to_owned())
        }
        Happening::CredentialRefused => plain(
            "bad",
            say(
                "The key of the assistant’s provider may not be sent to its endpoint",
                "La clé du fournisseur de l’assistant ne peut pas être envoyée à son adresse",
            ),
        ),
        Happening::AssistantBroke => {
            plain("bad", say("The assistant broke", "L’assistant est tombé en panne"))
        }
        Happening::OutcomeNamed(outcome) => (
            "calm",
            say("The assistant named the outcome", "L’assistant a indiqué le résultat"),
            words::spaced(outcome),
        ),
        Happening::ForeignAudio(packets) => (
            "bad",
            say("Audio from other addresses was dropped", "Du son venu d’autres adresses a été écarté"),
            match (packets, language) {
                (1, Language::English) => "1 packet".to_owned(),
                (_, Language::English) => format!("{packets} packets"),
                (1, Language::French) => "1 paquet".to_owned(),
                (_, Language::French) => format!("{packets} paquets"),
            },
        ),
        Happening::Ended { reason, answer } => {
            let said = answer.map(|answer| format!("SIP {} {}", answer.code, answer.phrase));
            let class = super::list::badge(domain::call::CallState::ended(reason, true));
            (class, words::reason(language, reason).to_owned(), said.unwrap_or_default())
        }
        Happening::Reported { tried } => reported(language, tried),
        Happening::ReportDue => {
            plain("live", say("The next callback try is due", "Le prochain rappel HTTP est prévu"))
        }
    }
}

fn reported(
    language: Language,
    DeliveryTry { number, record, by }: &DeliveryTry,
) -> (&'static str, String, String) {
    let class = if record.outcome.confirmed() { "good" } else { "bad" };
    let text = match (by, language) {
        (None, Language::English) => format!("Callback, try {number}"),
        (None, Language::French) => format!("Rappel HTTP, essai {number}"),
        (Some(_), Language::English) => "Callback sent by hand".to_owned(),
        (Some(_), Language::French) => "Rappel HTTP envoyé manuellement".to_owned(),
    };
    let outcome = match &record.outcome {
        TryOutcome::Answered(status) => format!("HTTP {status}"),
        TryOutcome::TimedOut => language.pick("no answer in time", "pas de réponse à temps").to_owned(),
        TryOutcome::Broken(why) | TryOutcome::Refused(why) => cause(why, language).to_owned(),
    };
    (class, text, format!("{outcome} · {} ms", record.took.as_millis()))
}
