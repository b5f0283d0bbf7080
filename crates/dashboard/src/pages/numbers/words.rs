//! The words of numbers.

use crate::language::Language;

pub(super) struct Words {
    pub(super) title: &'static str,
    pub(super) new: &'static str,
    pub(super) number: &'static str,
    pub(super) number_hint: &'static str,
    pub(super) trunk: &'static str,
    pub(super) trunk_hint: &'static str,
    pub(super) no_trunk: &'static str,
    pub(super) no_trunks: &'static str,
    pub(super) to_trunks: &'static str,
    pub(super) not_carried: &'static str,
    pub(super) created: &'static str,
    pub(super) page: &'static str,
    pub(super) empty: &'static str,
    pub(super) empty_ask: &'static str,
    pub(super) create: &'static str,
    pub(super) added: &'static str,
    pub(super) retire: &'static str,
    pub(super) retire_text: &'static str,
    pub(super) retire_button: &'static str,
    pub(super) retired: &'static str,
}

pub(super) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

const ENGLISH: Words = Words {
    title: "Numbers",
    new: "Add a number",
    number: "Number",
    number_hint: "In E.164 form, e.g. +14155550123",
    trunk: "Trunk",
    trunk_hint: "What carries its calls",
    no_trunk: "Choose a trunk that is in use",
    no_trunks: "There is no trunk yet, and a number needs one to carry its calls.",
    to_trunks: "Go to trunks",
    not_carried: "trunk retired: no calls",
    created: "Added",
    page: "Page",
    empty: "There is no number yet. Calls are placed from a number, which a trunk carries.",
    empty_ask: "An administrator adds one.",
    create: "Add number",
    added: "The number was added.",
    retire: "Retire number",
    retire_text: "No more calls are placed from it. Calls that it has had keep showing it.",
    retire_button: "Retire",
    retired: "The number was retired.",
};

const FRENCH: Words = Words {
    title: "Numéros",
    new: "Ajouter un numéro",
    number: "Numéro",
    number_hint: "Au format E.164, par exemple +14155550123",
    trunk: "Ligne SIP",
    trunk_hint: "Celle qui achemine ses appels",
    no_trunk: "Choisissez une ligne SIP en service",
    no_trunks: "Il n’y a pas encore de ligne SIP, et un numéro en a besoin pour acheminer ses appels.",
    to_trunks: "Aller aux lignes SIP",
    not_carried: "ligne SIP retirée : aucun appel",
    created: "Ajouté",
    page: "Page",
    empty: "Il n’y a pas encore de numéro. Les appels partent d’un numéro, qu’une ligne SIP achemine.",
    empty_ask: "Une administratrice ou un administrateur peut en ajouter un.",
    create: "Ajouter le numéro",
    added: "Le numéro a été ajouté.",
    retire: "Retirer le numéro",
    retire_text: "Plus aucun appel n’en part. Les appels passés continuent de l’afficher.",
    retire_button: "Retirer",
    retired: "Le numéro a été retiré.",
};
