//! The words of the pages about metadata.

use crate::language::Language;

pub(super) struct Words {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) empty: &'static str,
    pub(super) empty_ask: &'static str,
    pub(super) json: &'static str,
    pub(super) version: &'static str,
    pub(super) written: &'static str,
    pub(super) by: &'static str,
    pub(super) operator: &'static str,
    pub(super) save: &'static str,
    pub(super) saved: &'static str,
    pub(super) breaks: &'static str,
    pub(super) no_object: &'static str,
    pub(super) overtaken: &'static str,
    pub(super) newest: &'static str,
    pub(super) schema: &'static str,
    pub(super) about_own: &'static str,
    pub(super) about_tenants: &'static str,
    pub(super) schema_json: &'static str,
    pub(super) schema_save: &'static str,
    pub(super) schema_saved: &'static str,
    pub(super) look_only: &'static str,
}

pub(super) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

const ENGLISH: Words = Words {
    title: "Metadata",
    about: "Facts of your own about this organization, as one JSON object. Your systems read and replace it through the API.",
    empty: "The record is still empty. Write its first version here, or let your systems put it in place through the API. A schema can say what it has to contain.",
    empty_ask: "The record is still empty. Members and administrators write it, here or through the API.",
    json: "Record (JSON object)",
    version: "Version",
    written: "written",
    by: "by",
    operator: "the operator",
    save: "Save as a new version",
    saved: "Saved as a new version.",
    breaks: "Schema validation failed",
    no_object: "The record has to be a JSON object",
    overtaken: "Somebody wrote the version above meanwhile, and nothing of it was overwritten. Yours is here still: saving once more puts it in place of theirs",
    newest: "The newest version",
    schema: "Metadata schema",
    about_own: "What this organization’s record has to match (JSON Schema 2020-12). It holds from the next replacement on.",
    about_tenants: "What the records of all organizations without a schema of their own have to match (JSON Schema 2020-12). It holds from the next replacement on.",
    schema_json: "Schema (JSON)",
    schema_save: "Put in force",
    schema_saved: "The schema is in force.",
    look_only: "Your role lets you look, not change.",
};

const FRENCH: Words = Words {
    title: "Métadonnées",
    about: "Vos propres données sur cette organisation, en un seul objet JSON. Vos systèmes le lisent et le remplacent par l’API.",
    empty: "La fiche est encore vide. Écrivez-en la première version ici, ou laissez vos systèmes la mettre en place par l’API. Un schéma peut dire ce qu’elle doit contenir.",
    empty_ask: "La fiche est encore vide. Les membres et l’administration l’écrivent, ici ou par l’API.",
    json: "Fiche (objet JSON)",
    version: "Version",
    written: "écrite",
    by: "par",
    operator: "l’exploitant",
    save: "Enregistrer une nouvelle version",
    saved: "Nouvelle version enregistrée.",
    breaks: "La fiche ne respecte pas le schéma",
    no_object: "La fiche doit être un objet JSON",
    overtaken: "Quelqu’un a écrit entre-temps la version ci-dessus, et rien n’en a été remplacé. La vôtre est encore ici : enregistrez de nouveau pour la mettre à sa place",
    newest: "La version la plus récente",
    schema: "Schéma des métadonnées",
    about_own: "Ce que la fiche de cette organisation doit respecter (JSON Schema 2020-12). Il vaut dès le prochain remplacement.",
    about_tenants: "Ce que doivent respecter les fiches de toutes les organisations sans schéma propre (JSON Schema 2020-12). Il vaut dès le prochain remplacement.",
    schema_json: "Schéma (JSON)",
    schema_save: "Mettre en vigueur",
    schema_saved: "Le schéma est en vigueur.",
    look_only: "Votre rôle permet de consulter, pas de modifier.",
};
