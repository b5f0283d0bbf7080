//! The words of the pages about API keys.

use domain::access::{KeyLevel, Permission};

use crate::language::Language;

pub(super) struct Words {
    pub(super) title: &'static str,
    about_organization: &'static str,
    about_tenant: &'static str,
    pub(super) add: &'static str,
    pub(super) add_title: &'static str,
    pub(super) create: &'static str,
    pub(super) name: &'static str,
    pub(super) name_hint: &'static str,
    pub(super) name_missing: &'static str,
    pub(super) name_long: &'static str,
    pub(super) permissions: &'static str,
    pub(super) permissions_missing: &'static str,
    may: [&'static str; 3],
    pub(super) full: &'static str,
    pub(super) gone: &'static str,
    pub(super) created: &'static str,
    pub(super) used: &'static str,
    pub(super) never: &'static str,
    pub(super) delete: &'static str,
    pub(super) deleted: &'static str,
    pub(super) delete_title: &'static str,
    pub(super) delete_about: &'static str,
    pub(super) delete_confirm: &'static str,
    pub(super) made_title: &'static str,
    pub(super) made_about: &'static str,
    pub(super) key: &'static str,
    pub(super) try_it: &'static str,
    pub(super) done: &'static str,
    pub(super) repeated_title: &'static str,
    pub(super) repeated_about: &'static str,
    pub(super) empty_title: &'static str,
    pub(super) empty_about: &'static str,
}

impl Words {
    pub(super) const fn about(&self, level: KeyLevel) -> &'static str {
        match level {
            KeyLevel::Organization => self.about_organization,
            KeyLevel::Tenant => self.about_tenant,
        }
    }

    pub(super) const fn permission(&self, permission: Permission) -> &'static str {
        let [calls, outbound, create] = self.may;
        match permission {
            Permission::CallsRead => calls,
            Permission::OutboundRead => outbound,
            Permission::OutboundCreate => create,
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
    title: "API Keys",
    about_organization: "With a key your systems place calls and read call logs of this organization. Give each system one of its own, so that you can take it away alone. There is room for 5.",
    about_tenant: "These keys act on all organizations of the company, and are the only ones that manage organizations. Prefer a key of one organization where it suffices.",
    add: "Add Key",
    add_title: "Add an API key",
    create: "Create API Key",
    name: "Name",
    name_hint: "What the key is for, e.g. “Booking system, production”.",
    name_missing: "Give the key a name.",
    name_long: "At most 200 characters, on one line.",
    permissions: "What the key may do",
    permissions_missing: "Choose at least one.",
    may: ["Read call logs", "Read the status of outbound calls", "Place outbound calls"],
    full: "This organization has 5 keys already. Delete one to make room.",
    gone: "This organization was deleted: it gets no more keys.",
    created: "Created",
    used: "Last used",
    never: "never",
    delete: "Delete",
    deleted: "The key was deleted. It is refused from now on.",
    delete_title: "Delete this key?",
    delete_about: "Whatever uses it is refused at once. This cannot be undone.",
    delete_confirm: "Delete the key",
    made_title: "Copy your key now",
    made_about: "It is shown this once, and cannot be shown again. Keep it where secrets belong, and out of code that runs in browsers.",
    key: "The whole key",
    try_it: "Try it",
    done: "I have copied it",
    repeated_title: "This key was made already",
    repeated_about: "It was shown when it was made, and no second one was made now. If you did not copy it, delete it and add another.",
    empty_title: "No keys yet",
    empty_about: "Add one to place calls and read call logs from your own systems.",
};

const FRENCH: Words = Words {
    title: "Clés d’API",
    about_organization: "Avec une clé, vos systèmes passent des appels et lisent le journal des appels de cette organisation. Donnez à chaque système la sienne, pour pouvoir la retirer seule. Il y a de la place pour 5 clés.",
    about_tenant: "Ces clés agissent sur toutes les organisations de l’entreprise et sont les seules à gérer des organisations. Préférez la clé d’une seule organisation là où elle suffit.",
    add: "Ajouter une clé",
    add_title: "Ajouter une clé d’API",
    create: "Créer la clé d’API",
    name: "Nom",
    name_hint: "À quoi sert la clé, p. ex. « Prise de rendez-vous, production ».",
    name_missing: "Donnez un nom à la clé.",
    name_long: "Au plus 200 caractères, sur une seule ligne.",
    permissions: "Ce que la clé permet",
    permissions_missing: "Choisissez au moins une permission.",
    may: ["Lire le journal des appels", "Lire l’état des appels sortants", "Passer des appels sortants"],
    full: "Cette organisation a déjà 5 clés. Supprimez-en une pour faire de la place.",
    gone: "Cette organisation a été supprimée : elle ne reçoit plus de clés.",
    created: "Créée",
    used: "Dernière utilisation",
    never: "jamais",
    delete: "Supprimer",
    deleted: "La clé a été supprimée. Elle est refusée à partir de maintenant.",
    delete_title: "Supprimer cette clé?",
    delete_about: "Tout ce qui l’utilise est refusé immédiatement. Cette action est irréversible.",
    delete_confirm: "Supprimer la clé",
    made_title: "Copiez votre clé maintenant",
    made_about: "Elle n’est affichée que cette fois-ci et ne pourra plus l’être. Gardez-la là où vont les secrets, et hors du code qui s’exécute dans les navigateurs.",
    key: "La clé complète",
    try_it: "Pour l’essayer",
    done: "Je l’ai copiée",
    repeated_title: "Cette clé existe déjà",
    repeated_about: "Elle a été affichée à sa création, et aucune autre n’a été créée. Si vous ne l’avez pas copiée, supprimez-la et ajoutez-en une autre.",
    empty_title: "Aucune clé pour l’instant",
    empty_about: "Ajoutez-en une pour passer des appels et lire le journal des appels depuis vos systèmes.",
};
