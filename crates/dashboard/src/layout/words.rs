//! The words of the frame around every page.

use super::Section;
use crate::language::Language;

/// The frame's words in one language.
pub(crate) struct Words {
    pub(crate) skip: &'static str,
    pub(crate) menu: &'static str,
    pub(crate) main_navigation: &'static str,
    pub(crate) settings: &'static str,
    pub(crate) company: &'static str,
    pub(crate) sign_out: &'static str,
    pub(crate) api_reference: &'static str,
    pub(crate) back: &'static str,
    pub(crate) cancel: &'static str,
    pub(crate) previous: &'static str,
    pub(crate) next: &'static str,
    pub(crate) pages: &'static str,
    pub(crate) newest: &'static str,
    pub(crate) older: &'static str,
    pub(crate) some_choices: &'static str,
    pub(crate) previous_choices: &'static str,
    pub(crate) next_choices: &'static str,
    pub(crate) copy: &'static str,
    pub(crate) copied: &'static str,
    pub(crate) overtaken: &'static str,
    pub(crate) look_at_theirs: &'static str,
    sections: fn(Section) -> &'static str,
}

impl Words {
    /// What a section is called in the navigation.
    pub(crate) fn section(&self, section: Section) -> &'static str {
        (self.sections)(section)
    }
}

pub(crate) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

const ENGLISH: Words = Words {
    skip: "Skip to the content",
    menu: "Menu",
    main_navigation: "Main",
    settings: "Settings",
    company: "Company",
    sign_out: "Sign out",
    api_reference: "API reference",
    back: "Back to the start",
    cancel: "Cancel",
    previous: "Previous",
    next: "Next",
    pages: "Pages of the list",
    newest: "Newest",
    older: "Older",
    some_choices: "The list does not show all choices:",
    previous_choices: "see the previous ones",
    next_choices: "see the next ones",
    copy: "Copy",
    copied: "Copied",
    overtaken: "Somebody changed this meanwhile, and nothing of theirs was overwritten. What you typed is still here: send it once more to put it in place of theirs.",
    look_at_theirs: "Look at theirs first (new tab)",
    sections: |section| match section {
        Section::None => "",
        Section::FirstSteps => "First steps",
        Section::Calls => "Calls",
        Section::PlaceCall => "Place a call",
        Section::Assistants => "Assistants",
        Section::Numbers => "Numbers",
        Section::Metadata => "Metadata",
        Section::ApiKeys | Section::TenantKeys => "API Keys",
        Section::Profile => "Organization",
        Section::CallbackSecret => "Callback secret",
        Section::Callbacks => "Callbacks",
        Section::Organizations => "Organizations",
        Section::Trunks => "Trunks",
        Section::Schema => "Metadata schema",
        Section::Users => "Users",
        Section::AuditLog => "Audit log",
        Section::Account => "My account",
    },
};

const FRENCH: Words = Words {
    skip: "Aller au contenu",
    menu: "Menu",
    main_navigation: "Principale",
    settings: "Paramètres",
    company: "Entreprise",
    sign_out: "Se déconnecter",
    api_reference: "Référence de l’API",
    back: "Retour à l’accueil",
    cancel: "Annuler",
    previous: "Précédent",
    next: "Suivant",
    pages: "Pages de la liste",
    newest: "Page la plus récente",
    older: "Page plus ancienne",
    some_choices: "La liste ne montre pas tous les choix :",
    previous_choices: "voir les précédents",
    next_choices: "voir les suivants",
    copy: "Copier",
    copied: "Copié",
    overtaken: "Quelqu’un a modifié ceci entre-temps, et rien n’en a été remplacé. Ce que vous avez saisi est encore ici : envoyez-le de nouveau pour le mettre à la place.",
    look_at_theirs: "Voir d’abord l’autre version (nouvel onglet)",
    sections: |section| match section {
        Section::None => "",
        Section::FirstSteps => "Premiers pas",
        Section::Calls => "Appels",
        Section::PlaceCall => "Passer un appel",
        Section::Assistants => "Assistants",
        Section::Numbers => "Numéros",
        Section::Metadata => "Métadonnées",
        Section::ApiKeys | Section::TenantKeys => "Clés d’API",
        Section::Profile => "Organisation",
        Section::CallbackSecret => "Secret de rappel HTTP",
        Section::Callbacks => "Rappels HTTP",
        Section::Organizations => "Organisations",
        Section::Trunks => "Lignes SIP",
        Section::Schema => "Schéma des métadonnées",
        Section::Users => "Utilisateurs",
        Section::AuditLog => "Journal d’audit",
        Section::Account => "Mon compte",
    },
};
