//! The words of the pages about the callback secret.

use crate::language::Language;

pub(super) struct Words {
    language: Language,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) show: &'static str,
    pub(super) show_about: &'static str,
    pub(super) secret: &'static str,
    pub(super) previous: &'static str,
    pub(super) hide: &'static str,
    pub(super) overlap_runs: &'static str,
    pub(super) rotate: &'static str,
    pub(super) rotate_title: &'static str,
    pub(super) rotate_about: &'static str,
    pub(super) rotate_ends: &'static str,
    pub(super) overlap: &'static str,
    pub(super) overlap_hint: &'static str,
    pub(super) overlap_unknown: &'static str,
    pub(super) confirm: &'static str,
    pub(super) rotated: &'static str,
    pub(super) repeated: &'static str,
    pub(super) verify: &'static str,
    pub(super) verify_steps: [&'static str; 4],
    pub(super) verify_libraries: &'static str,
}

impl Words {
    /// How long an overlap is.
    pub(super) fn hours(&self, hours: u16) -> String {
        match (hours, self.language) {
            (0, Language::English) => "none: the old secret stops at once".to_owned(),
            (0, Language::French) => "aucun : l’ancien secret cesse aussitôt".to_owned(),
            (1, Language::English) => "1 hour".to_owned(),
            (1, Language::French) => "1 heure".to_owned(),
            (24, Language::English) => "1 day".to_owned(),
            (24, Language::French) => "1 jour".to_owned(),
            (hours, Language::English) => format!("{} days", hours / 24),
            (hours, Language::French) => format!("{} jours", hours / 24),
        }
    }
}

pub(super) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

const ENGLISH: Words = Words {
    language: Language::English,
    title: "Callback secret",
    about: "Every callback of this organization is signed with it, so that your receiver can tell ours from anybody else’s.",
    show: "Show the secret",
    show_about: "Whoever sees it can sign in our name; the audit log tells who has looked.",
    secret: "The secret in force",
    previous: "The secret before, which still signs",
    hide: "Hide it",
    overlap_runs: "The secret before signs beside the one in force until",
    rotate: "Replace it",
    rotate_title: "Replace the callback secret",
    rotate_about: "From now on callbacks are signed with a new secret. For a while the old one signs beside it, with two signatures in the header, so that your receivers can change over in peace.",
    rotate_ends: "The secret before the present one stops signing at once; it would have until",
    overlap: "The old secret signs on for",
    overlap_hint: "Change your receivers within this time.",
    overlap_unknown: "Choose one of these.",
    confirm: "Replace the secret",
    rotated: "A new secret is in force. Show it, and give it to your receivers.",
    repeated: "The secret had been replaced already, and was not replaced again.",
    verify: "How to check a callback",
    verify_steps: [
        "Take the headers webhook-id, webhook-timestamp and webhook-signature, and the body as it came, before anything parses it.",
        "Refuse it when the timestamp is more than five minutes away.",
        "Compute HMAC-SHA256 over id.timestamp.body; the key is what follows whsec_, base64-decoded.",
        "Compare its base64 with each signature behind v1, in constant time; one has to fit.",
    ],
    verify_libraries: "The libraries of Standard Webhooks do all of this.",
};

const FRENCH: Words = Words {
    language: Language::French,
    title: "Secret de rappel HTTP",
    about: "Il signe chaque rappel HTTP de cette organisation, pour que votre destinataire distingue les nôtres de ceux de n’importe qui.",
    show: "Afficher le secret",
    show_about: "Quiconque le voit peut signer en notre nom; le journal d’audit dit qui l’a consulté.",
    secret: "Le secret en vigueur",
    previous: "Le secret précédent, qui signe encore",
    hide: "Masquer",
    overlap_runs: "Le secret précédent signe à côté de celui en vigueur jusqu’au",
    rotate: "Le remplacer",
    rotate_title: "Remplacer le secret de rappel HTTP",
    rotate_about: "Dès maintenant, les rappels HTTP sont signés avec un nouveau secret. Pendant un temps, l’ancien signe à côté, avec deux signatures dans l’en-tête, pour que vos destinataires puissent changer sans hâte.",
    rotate_ends: "Le secret qui précède l’actuel cesse aussitôt de signer; il aurait signé jusqu’au",
    overlap: "L’ancien secret signe encore pendant",
    overlap_hint: "Changez vos destinataires dans ce délai.",
    overlap_unknown: "Choisissez l’une de ces durées.",
    confirm: "Remplacer le secret",
    rotated: "Un nouveau secret est en vigueur. Affichez-le et donnez-le à vos destinataires.",
    repeated: "Le secret avait déjà été remplacé et ne l’a pas été de nouveau.",
    verify: "Comment vérifier un rappel HTTP",
    verify_steps: [
        "Prenez les en-têtes webhook-id, webhook-timestamp et webhook-signature, et le corps tel qu’il est arrivé, avant toute analyse.",
        "Refusez-le quand l’horodatage s’écarte de plus de cinq minutes.",
        "Calculez HMAC-SHA256 sur id.timestamp.corps; la clé est ce qui suit whsec_, décodé de base64.",
        "Comparez son base64 à chaque signature derrière v1, en temps constant; l’une doit correspondre.",
    ],
    verify_libraries: "Les bibliothèques de Standard Webhooks font tout cela.",
};
