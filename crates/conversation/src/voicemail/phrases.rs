//! What machines say and people hardly do, in the languages of the built-in voices.

/// In lower case and without accents.
const PHRASES: [&str; 58] = [
    // English
    "after the tone",
    "after the beep",
    "at the tone",
    "at the beep",
    "leave your message",
    "leave me a message",
    "leave a voice message",
    "leave your name",
    "please leave a",
    "record your message",
    "voicemail",
    "voice mail",
    "voice mailbox",
    "mailbox is full",
    "answering machine",
    "can't take your call",
    "cannot take your call",
    "unable to take your call",
    "not available to take your call",
    "can't come to the phone",
    "can't get to the phone",
    // French
    "laissez un message",
    "laissez-moi un message",
    "laissez moi un message",
    "laissez votre message",
    "laisser votre message",
    "apres le bip",
    "apres le signal",
    "apres la tonalite",
    "messagerie vocale",
    "boite vocale",
    "repondeur",
    // German
    "nach dem ton",
    "nach dem signalton",
    "nach dem piep",
    "nachricht nach dem",
    "hinterlassen sie",
    "hinterlasst",
    "anrufbeantworter",
    "sprachbox",
    "mobilbox",
    // Spanish
    "deje su mensaje",
    "deje un mensaje",
    "deja tu mensaje",
    "deja un mensaje",
    "despues de la senal",
    "despues del tono",
    "despues del pitido",
    "buzon de voz",
    "contestador automatico",
    // Italian
    "lasciate un messaggio",
    "lasci un messaggio",
    "lascia un messaggio",
    "lasciare un messaggio",
    "dopo il segnale",
    "dopo il bip",
    "segreteria telefonica",
    "casella vocale",
];

/// Whether a machine says this, in whatever language.
pub(super) fn are_of_a_machine(text: &str) -> bool {
    let text: String = text.to_lowercase().chars().map(bare).collect();
    PHRASES.iter().any(|phrase| text.contains(phrase))
}

/// A lower-case letter without its accent, as some recognisers write it.
const fn bare(letter: char) -> char {
    match letter {
        'á' | 'à' | 'â' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        '’' => '\'',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_known_by_their_words_in_each_language() {
        for text in [
            "Hi, you've reached Ann. Please leave a message after the tone.",
            "I can’t come to the phone right now.",
            "Bonjour, vous êtes bien sur la messagerie vocale de Luc.",
            "Laissez un message après le bip.",
            "Bitte hinterlassen Sie eine Nachricht nach dem Signalton.",
            "Deje su mensaje después de la señal.",
            "Risponde la segreteria telefonica, lasciate un messaggio dopo il segnale acustico.",
        ] {
            assert!(are_of_a_machine(text), "{text}");
        }
    }

    #[test]
    fn people_are_not() {
        for text in [
            "Hello?",
            "You've reached Acme, how can I help?",
            "He is out. Would you like to leave a message?",
            "Oui, bonjour, qui est-ce ?",
            "Guten Tag, Meier am Apparat.",
            "",
        ] {
            assert!(!are_of_a_machine(text), "{text}");
        }
    }

    #[test]
    fn the_list_is_written_as_it_is_compared() {
        for phrase in PHRASES {
            let folded: String = phrase.to_lowercase().chars().map(bare).collect();
            assert_eq!(folded, phrase);
        }
    }
}
