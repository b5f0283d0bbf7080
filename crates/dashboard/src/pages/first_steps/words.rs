//! The words of the first steps.

use crate::language::Language;

pub(super) struct Words {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) assistant: &'static str,
    pub(super) assistant_text: &'static str,
    pub(super) assistant_link: &'static str,
    pub(super) call: &'static str,
    pub(super) call_text: &'static str,
    pub(super) call_link: &'static str,
    pub(super) listen: &'static str,
    pub(super) listen_text: &'static str,
    pub(super) listen_link: &'static str,
    pub(super) later: &'static str,
    pub(super) trunks: &'static str,
    pub(super) trunks_text: &'static str,
    pub(super) users: &'static str,
    pub(super) users_text: &'static str,
}

pub(super) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

const ENGLISH: Words = Words {
    title: "First steps",
    about: "Three steps to the first call. The telephone for it is built in: no provider, no number, no cost.",
    assistant: "Write an assistant",
    assistant_text: "What it says first, and what it asks. It can be changed at any time.",
    assistant_link: "To the assistants",
    call: "Place a call",
    call_text: "Choose the assistant and the built-in telephone, and let them talk.",
    call_link: "Place a call",
    listen: "Listen to it",
    listen_text: "The call is in the list while it lasts. When it is over, recording and transcript stand beside it.",
    listen_link: "To the calls",
    later: "And when that works",
    trunks: "Trunks",
    trunks_text: "Connect a SIP provider, then add its numbers, to call real people.",
    users: "Users",
    users_text: "Invite those you work with.",
};

const FRENCH: Words = Words {
    title: "Premiers pas",
    about: "Trois étapes jusqu’au premier appel. Le téléphone est intégré : ni fournisseur, ni numéro, ni frais.",
    assistant: "Écrire un assistant",
    assistant_text: "Ce qu’il dit d’abord, et ce qu’il demande. Tout peut être changé plus tard.",
    assistant_link: "Aller aux assistants",
    call: "Passer un appel",
    call_text: "Choisissez l’assistant et le téléphone intégré, et laissez-les converser.",
    call_link: "Passer un appel",
    listen: "L’écouter",
    listen_text: "L’appel figure dans la liste pendant qu’il dure. Ensuite, l’enregistrement et la transcription s’y ajoutent.",
    listen_link: "Aller aux appels",
    later: "Et quand cela fonctionne",
    trunks: "Lignes SIP",
    trunks_text: "Connectez un fournisseur SIP, puis ajoutez ses numéros, pour appeler de vraies personnes.",
    users: "Utilisateurs",
    users_text: "Invitez vos collègues.",
};
