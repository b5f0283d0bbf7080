//! What the built-in voice says when an agent is lost and its assistant has no line of its own.

use domain::assistant::Language;

pub(crate) const fn line(language: Language) -> &'static str {
    match language {
        Language::EnglishUnitedStates | Language::EnglishGreatBritain => {
            "I am sorry, there is a technical problem and I cannot go on. Goodbye."
        }
        Language::French | Language::FrenchCanada => {
            "Je suis désolé, il y a un problème technique et je ne peux pas continuer. Au revoir."
        }
        Language::German => {
            "Es tut mir leid, wegen einer technischen Störung kann ich nicht weitersprechen. Auf Wiederhören."
        }
        Language::Spanish => "Lo siento, hay un problema técnico y no puedo continuar. Adiós.",
        Language::Italian => "Mi dispiace, c'è un problema tecnico e non posso continuare. Arrivederci.",
    }
}
