//! The words of the call pages.

use std::borrow::Cow;

use domain::call::{CallOrder, CallState, CallStatus, CallType, EndedReason, Speaker, TranscriptEntry};

use crate::language::Language;

/// In one language.
pub(crate) struct Words {
    pub(crate) title: &'static str,
    pub(crate) live: &'static str,
    pub(crate) export: &'static str,
    pub(crate) filters: &'static str,
    pub(crate) apply: &'static str,
    pub(crate) clear: &'static str,
    pub(crate) remove: &'static str,
    pub(crate) any: &'static str,
    pub(crate) status: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) assistant: &'static str,
    pub(crate) intent: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) order: &'static str,
    pub(crate) bad_day: &'static str,
    pub(crate) ends_before: &'static str,
    pub(crate) customer: &'static str,
    pub(crate) number: &'static str,
    pub(crate) time: &'static str,
    pub(crate) duration: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) all: &'static str,
    pub(crate) totals: &'static str,
    pub(crate) whatever: &'static str,
    pub(crate) as_table: &'static str,
    pub(crate) when: &'static str,
    pub(crate) none_yet: &'static str,
    pub(crate) none_yet_advice: &'static str,
    pub(crate) place_first: &'static str,
    pub(crate) none_found: &'static str,
    pub(crate) none_found_advice: &'static str,
    pub(crate) back: &'static str,
    pub(crate) hang_up: &'static str,
    pub(crate) facts: &'static str,
    pub(crate) team: &'static str,
    pub(crate) started: &'static str,
    pub(crate) ended: &'static str,
    pub(crate) call_id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) english: &'static str,
    pub(crate) french: &'static str,
    pub(crate) sentiment: &'static str,
    pub(crate) outcome: &'static str,
    pub(crate) analysis_due: &'static str,
    pub(crate) from_facts: &'static str,
    pub(crate) by_model: &'static str,
    pub(crate) recording: &'static str,
    pub(crate) recording_later: &'static str,
    pub(crate) no_recording: &'static str,
    pub(crate) transcript: &'static str,
    pub(crate) download: &'static str,
    pub(crate) transcript_later: &'static str,
    pub(crate) no_transcript: &'static str,
    pub(crate) play_from: &'static str,
    pub(crate) timeline: &'static str,
    pub(crate) during: &'static str,
    pub(crate) too_long: &'static str,
    pub(crate) report_to: &'static str,
}

impl Words {
    pub(crate) const fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::French => &FRENCH,
        }
    }
}

const ENGLISH: Words = Words {
    title: "Calls",
    live: "Live",
    export: "Download as CSV",
    filters: "Filters",
    apply: "Show",
    clear: "Clear all",
    remove: "Remove the filter",
    any: "Any",
    status: "Status",
    kind: "Type",
    assistant: "Assistant",
    intent: "Intent",
    from: "From",
    to: "To",
    order: "Sorted by",
    bad_day: "This is no date.",
    ends_before: "This is before the start.",
    customer: "Customer",
    number: "Number",
    time: "Time",
    duration: "Length",
    reason: "Ended because",
    unknown: "Unknown",
    all: "All calls",
    totals: "Calls by outcome",
    whatever: "All calls of the period, whatever their assistant and intent.",
    as_table: "Show as a table",
    when: "When",
    none_yet: "No calls yet",
    none_yet_advice: "Calls appear here as soon as they are placed, and stand at the top while they go on.",
    place_first: "Place a first call",
    none_found: "No calls match",
    none_found_advice: "Take a filter away, or choose a longer period.",
    back: "All calls",
    hang_up: "Hang up",
    facts: "Details",
    team: "Team",
    started: "Answered",
    ended: "Ended",
    call_id: "Call ID",
    summary: "Summary",
    english: "English",
    french: "French",
    sentiment: "Sentiment",
    outcome: "Outcome",
    analysis_due: "The summary is being written.",
    from_facts: "Written from what happened, without a language model.",
    by_model: "Written by",
    recording: "Recording",
    recording_later: "The recording appears here shortly after the call.",
    no_recording: "There is no recording.",
    transcript: "Transcript",
    download: "Download",
    transcript_later: "The transcript appears here shortly after the call.",
    no_transcript: "There is no transcript.",
    play_from: "Play from",
    timeline: "Timeline",
    during: "during the call",
    too_long: "The transcript goes on; all of it is in the file.",
    report_to: "Reported to",
};

const FRENCH: Words = Words {
    title: "Appels",
    live: "En direct",
    export: "Télécharger en CSV",
    filters: "Filtres",
    apply: "Afficher",
    clear: "Tout effacer",
    remove: "Retirer le filtre",
    any: "Tous",
    status: "État",
    kind: "Type",
    assistant: "Assistant",
    intent: "Intention",
    from: "Du",
    to: "Au",
    order: "Trier par",
    bad_day: "Ce n’est pas une date.",
    ends_before: "C’est avant le début.",
    customer: "Client",
    number: "Numéro",
    time: "Heure",
    duration: "Durée",
    reason: "Motif de fin",
    unknown: "Inconnu",
    all: "Tous les appels",
    totals: "Appels par résultat",
    whatever: "Tous les appels de la période, quels que soient l’assistant et l’intention.",
    as_table: "Afficher sous forme de tableau",
    when: "Quand",
    none_yet: "Aucun appel pour l’instant",
    none_yet_advice: "Les appels apparaissent ici dès qu’ils sont passés et restent en haut tant qu’ils durent.",
    place_first: "Passer un premier appel",
    none_found: "Aucun appel ne correspond",
    none_found_advice: "Retirez un filtre ou choisissez une période plus longue.",
    back: "Tous les appels",
    hang_up: "Raccrocher",
    facts: "Détails",
    team: "Équipe",
    started: "Répondu",
    ended: "Terminé",
    call_id: "ID de l’appel",
    summary: "Résumé",
    english: "Anglais",
    french: "Français",
    sentiment: "Sentiment",
    outcome: "Résultat",
    analysis_due: "Le résumé est en cours de rédaction.",
    from_facts: "Rédigé à partir des faits, sans modèle de langage.",
    by_model: "Rédigé par",
    recording: "Enregistrement",
    recording_later: "L’enregistrement apparaît ici peu après l’appel.",
    no_recording: "Il n’y a pas d’enregistrement.",
    transcript: "Transcription",
    download: "Télécharger",
    transcript_later: "La transcription apparaît ici peu après l’appel.",
    no_transcript: "Il n’y a pas de transcription.",
    play_from: "Écouter à partir de",
    timeline: "Chronologie",
    during: "pendant l’appel",
    too_long: "La transcription continue; le fichier la contient en entier.",
    report_to: "Signalé à",
};

/// How a call stands.
pub(crate) const fn state(language: Language, state: CallState) -> &'static str {
    match state {
        CallState::Dialling => language.pick("Dialling", "Composition"),
        CallState::Ringing => language.pick("Ringing", "Sonnerie"),
        CallState::Connected => language.pick("Connected", "En communication"),
        CallState::Completed => status(language, CallStatus::Completed),
        CallState::NoAnswer => status(language, CallStatus::NoAnswer),
        CallState::Busy => status(language, CallStatus::Busy),
        CallState::Failed => status(language, CallStatus::Failed),
    }
}

pub(crate) const fn status(language: Language, status: CallStatus) -> &'static str {
    match status {
        CallStatus::Calling => language.pick("In progress", "En cours"),
        CallStatus::Completed => language.pick("Completed", "Terminé"),
        CallStatus::NoAnswer => language.pick("No answer", "Sans réponse"),
        CallStatus::Busy => language.pick("Busy", "Occupé"),
        CallStatus::Failed => language.pick("Failed", "Échoué"),
    }
}

pub(crate) const fn call_type(language: Language, call_type: CallType) -> &'static str {
    match call_type {
        CallType::Inbound => language.pick("Inbound", "Entrant"),
        CallType::Outbound => language.pick("Outbound", "Sortant"),
        CallType::Web => language.pick("Web", "Web"),
    }
}

pub(crate) const fn order(language: Language, order: CallOrder) -> &'static str {
    match order {
        CallOrder::Newest => language.pick("Newest first", "Plus récents d’abord"),
        CallOrder::Oldest => language.pick("Oldest first", "Plus anciens d’abord"),
        CallOrder::Longest => language.pick("Longest first", "Plus longs d’abord"),
        CallOrder::Shortest => language.pick("Shortest first", "Plus courts d’abord"),
    }
}

pub(crate) const fn speaker(language: Language, speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Assistant => language.pick("Assistant", "Assistant"),
        Speaker::Customer => language.pick("Customer", "Client"),
    }
}

pub(crate) const fn reason(language: Language, reason: EndedReason) -> &'static str {
    use EndedReason as Why;
    let (english, french) = match reason {
        Why::CustomerEndedCall => ("The customer hung up", "Le client a raccroché"),
        Why::AssistantEndedCall => ("The assistant hung up", "L’assistant a raccroché"),
        Why::AssistantForwardedCall => ("Handed to a person", "Transféré à une personne"),
        Why::SilenceTimedOut => ("Nobody spoke any more", "Plus personne ne parlait"),
        Why::ExceededMaxDuration => ("The length limit was reached", "La durée maximale a été atteinte"),
        Why::Voicemail => ("A machine answered", "Une boîte vocale a répondu"),
        Why::CustomerBusy => ("The line was busy", "La ligne était occupée"),
        Why::CustomerDeclined => ("The customer declined", "Le client a refusé l’appel"),
        Why::NoAnswer => ("Nobody answered", "Personne n’a répondu"),
        Why::InvalidNumber => ("There is no such number", "Ce numéro n’existe pas"),
        Why::TrunkRejected => ("The trunk rejected us", "La ligne SIP nous a refusés"),
        Why::TrunkError => ("The trunk reported an error", "La ligne SIP a signalé une erreur"),
        Why::TrunkUnreachable => ("The trunk could not be reached", "La ligne SIP était injoignable"),
        Why::CapacityExceeded => ("No line was free", "Aucune ligne n’était libre"),
        Why::AssistantError => ("The assistant broke", "L’assistant est tombé en panne"),
        Why::MediaTimeout => ("No sound came", "Aucun son n’est parvenu"),
        Why::ServiceInterrupted => ("The service was interrupted", "Le service a été interrompu"),
        Why::ManuallyEnded => ("Hung up by hand", "Raccroché manuellement"),
    };
    language.pick(english, french)
}

/// A name in snake case, for people: customers may have made it up.
pub(crate) fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

/// A number with its thousands apart: `12,345`, and `12 345` in French, without a break.
pub(crate) fn grouped(language: Language, number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 2);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(language.pick(',', '\u{202f}'));
        }
        grouped.push(digit);
    }
    grouped
}

/// What was heard of a turn, or what was done where no words are known: that is kept in English.
pub(crate) fn said(language: Language, entry: &TranscriptEntry) -> Cow<'_, str> {
    let text = entry.text.as_str();
    let done = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let french = done.filter(|_| language == Language::French && !entry.is_words()).and_then(|done| {
        if let Some(seconds) = done.strip_prefix("caller spoke, ").and_then(|rest| rest.strip_suffix(" s")) {
            return Some(format!("[le client a parlé, {} s]", seconds.replace('.', ",")));
        }
        Some(format!("[touches {}]", done.strip_prefix("pressed ")?))
    });
    french.map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let told = |number| grouped(Language::English, number);
        assert_eq!([told(0), told(999), told(1_000), told(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(grouped(Language::French, 12_345), "12\u{202f}345");
    }

    #[test]
    fn what_was_done_is_told_in_the_readers_language_and_what_was_said_as_it_was() {
        let told = |text: &str, language| {
            let entry = TranscriptEntry { at: Duration::ZERO, who: Speaker::Customer, text: text.to_owned() };
            said(language, &entry).into_owned()
        };
        for (text, french) in [
            ("[caller spoke, 2.1 s]", "[le client a parlé, 2,1 s]"),
            ("[pressed 1 #]", "[touches 1 #]"),
            ("pressed 1", "pressed 1"),
        ] {
            assert_eq!(told(text, Language::French), french);
            assert_eq!(told(text, Language::English), text);
        }
    }
}
