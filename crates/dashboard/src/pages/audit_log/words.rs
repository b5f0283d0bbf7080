//! The words around the audit log's sentences.

use crate::language::Language;

pub(super) struct Words {
    pub(super) title: &'static str,
    pub(super) of_all: &'static str,
    pub(super) of_organization: &'static str,
    pub(super) show_all: &'static str,
    pub(super) only: &'static str,
    pub(super) when: &'static str,
    pub(super) who: &'static str,
    pub(super) what: &'static str,
    pub(super) from: &'static str,
    pub(super) a_key: &'static str,
    pub(super) operator: &'static str,
    pub(super) here: &'static str,
    pub(super) empty_title: &'static str,
    pub(super) empty_about: &'static str,
    pub(super) over_title: &'static str,
    pub(super) over_about: &'static str,
}

pub(super) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

const ENGLISH: Words = Words {
    title: "Audit log",
    of_all: "Every change of settings, keys, secrets and users, and everything that was done by hand. Nothing is ever changed or removed here.",
    of_organization: "What was changed or done by hand in {}. Nothing is ever changed or removed here.",
    show_all: "Show the whole company",
    only: "Only {}",
    when: "When",
    who: "Who",
    what: "What",
    from: "From",
    a_key: "API key {}",
    operator: "The operator",
    here: "the command line",
    empty_title: "Nothing yet",
    empty_about: "As soon as somebody changes a setting, makes a key or signs in, it is told here.",
    over_title: "Nothing older",
    over_about: "The log begins with what the page before this one ends with.",
};

const FRENCH: Words = Words {
    title: "Journal d’audit",
    of_all: "Chaque modification des paramètres, des clés, des secrets et des utilisateurs, et tout ce qui a été fait à la main. Rien n’y est jamais modifié ni supprimé.",
    of_organization: "Ce qui a été modifié ou fait à la main dans {}. Rien n’y est jamais modifié ni supprimé.",
    show_all: "Voir toute l’entreprise",
    only: "Seulement {}",
    when: "Quand",
    who: "Qui",
    what: "Quoi",
    from: "D’où",
    a_key: "Clé d’API {}",
    operator: "L’exploitant",
    here: "la ligne de commande",
    empty_title: "Rien pour l’instant",
    empty_about: "Dès qu’une personne modifie un paramètre, crée une clé ou ouvre une session, c’est écrit ici.",
    over_title: "Rien de plus ancien",
    over_about: "Le journal commence par ce qui termine la page précédente.",
};
