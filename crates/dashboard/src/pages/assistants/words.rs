//! The words of assistants.

use crate::language::Language;

pub(super) struct Words {
    pub(super) title: &'static str,
    pub(super) new: &'static str,
    pub(super) example: &'static str,
    pub(super) name: &'static str,
    pub(super) team: &'static str,
    pub(super) engine: &'static str,
    pub(super) language: &'static str,
    pub(super) created: &'static str,
    pub(super) page: &'static str,
    pub(super) empty: &'static str,
    pub(super) file: &'static str,
    pub(super) file_hint: &'static str,
    pub(super) begin_with: &'static str,
    pub(super) builtin: &'static str,
    pub(super) realtime: &'static str,
    pub(super) cascade: &'static str,
    pub(super) builtin_about: &'static str,
    pub(super) realtime_about: &'static str,
    pub(super) cascade_about: &'static str,
    pub(super) create: &'static str,
    pub(super) save: &'static str,
    pub(super) created_notice: &'static str,
    pub(super) saved: &'static str,
    pub(super) saved_without_key: &'static str,
    pub(super) keys: &'static str,
    pub(super) keys_text: &'static str,
    pub(super) key: &'static str,
    pub(super) give_key: &'static str,
    pub(super) remove_key: &'static str,
    pub(super) key_saved: &'static str,
    pub(super) no_key: &'static str,
    pub(super) stored_key: &'static str,
    pub(super) credential: &'static str,
    pub(super) variable: &'static str,
    pub(super) retire: &'static str,
    pub(super) retire_text: &'static str,
    pub(super) retire_button: &'static str,
    pub(super) retired: &'static str,
    builtin_file: &'static str,
    realtime_file: &'static str,
    cascade_file: &'static str,
}

impl Words {
    /// What an engine is called.
    pub(super) fn engine(&self, engine: &str) -> &'static str {
        match engine {
            "realtime" => self.realtime,
            "cascade" => self.cascade,
            _ => self.builtin,
        }
    }

    /// What an engine is.
    pub(super) fn about(&self, engine: &str) -> &'static str {
        match engine {
            "realtime" => self.realtime_about,
            "cascade" => self.cascade_about,
            _ => self.builtin_about,
        }
    }

    /// What was done, told above the page.
    pub(super) fn done(&self, what: Option<&str>) -> Option<&'static str> {
        match what? {
            "created" => Some(self.created_notice),
            "saved" => Some(self.saved),
            "key" => Some(self.key_saved),
            "key-lost" => Some(self.saved_without_key),
            _ => None,
        }
    }

    /// The file that a new assistant begins with.
    pub(super) fn beginning(&self, engine: &str) -> &'static str {
        match engine {
            "realtime" => self.realtime_file,
            "cascade" => self.cascade_file,
            _ => self.builtin_file,
        }
    }
}

/// One of the engines; the one that needs nothing else when none is named.
pub(super) fn known_engine(text: Option<&str>) -> &'static str {
    ["realtime", "cascade"].into_iter().find(|engine| Some(*engine) == text).unwrap_or("builtin")
}

pub(super) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

const ENGLISH: Words = Words {
    title: "Assistants",
    new: "New assistant",
    example: "Make an example assistant",
    name: "Name",
    team: "Team",
    engine: "Engine",
    language: "Language",
    created: "Created",
    page: "Page",
    empty: "There is no assistant yet. An assistant is who speaks on your calls; one that follows a script needs nothing else.",
    file: "Description",
    file_hint: "The file that the command line takes too (TOML). Keys of providers have no place in it.",
    begin_with: "Begin with",
    builtin: "Script",
    realtime: "AI, speech to speech",
    cascade: "AI, three services",
    builtin_about: "Built-in voice that follows a script. It needs no provider and no key.",
    realtime_about: "One provider hears and speaks (OpenAI Realtime and others). Its key is given once the assistant is there.",
    cascade_about: "Recognition, language model and voice of providers of your choice. Their keys are given once the assistant is there.",
    create: "Create assistant",
    save: "Save",
    created_notice: "The assistant was created. Place a call to hear it.",
    saved: "Saved. Calls from now on use it; calls that go on keep what they began with.",
    saved_without_key: "Saved. An endpoint moved to another server, so its stored key was removed. Store a key for the new one under Providers.",
    keys: "Providers",
    keys_text: "Keys are stored encrypted and never shown again. A key stays with its endpoint: one that goes elsewhere needs it anew.",
    key: "Key",
    give_key: "Store key",
    remove_key: "Remove key",
    key_saved: "The provider's key was changed.",
    no_key: "no key",
    stored_key: "key stored",
    credential: "credential of the operator:",
    variable: "credential of the operator with the variable",
    retire: "Retire assistant",
    retire_text: "It places no more calls and is no longer listed. Its calls keep naming it.",
    retire_button: "Retire",
    retired: "The assistant was retired.",
    builtin_file: "name = \"Reception\"\nengine = \"builtin\"\nlanguage = \"en-US\"\nfirst_message = \"Hello {{customerName}}, this is a test call. Press 1 to confirm, or say something.\"\nclosing_line = \"Thank you, goodbye.\"\n\n[[steps]]\nwait_for = \"speech-or-digit\"\nsay = \"Got it.\"\nreplies = { \"1\" = \"You are confirmed.\" }\n\n[variables]\ncustomerName = \"there\"\n",
    realtime_file: "name = \"Reception\"\nengine = \"realtime\"\nlanguage = \"en-US\"\ninstructions = \"\"\"\nYou call on behalf of the clinic to confirm an appointment. Be brief and friendly.\n\"\"\"\ntools = [\"end_call\"]\n\n[realtime]\nmodel = \"gpt-realtime\"\nvoice = \"marin\"\n",
    cascade_file: "name = \"Reception\"\nengine = \"cascade\"\nlanguage = \"en-US\"\ninstructions = \"\"\"\nYou call on behalf of the clinic to confirm an appointment. Be brief and friendly.\n\"\"\"\ntools = [\"end_call\"]\n\n[cascade]\nvoice = \"alloy\"\n\n[cascade.chat]\nmodel = \"gpt-4o-mini\"\n\n[cascade.transcription]\nmodel = \"gpt-4o-mini-transcribe\"\n\n[cascade.speech]\nmodel = \"gpt-4o-mini-tts\"\n",
};

const FRENCH: Words = Words {
    title: "Assistants",
    new: "Nouvel assistant",
    example: "Créer un assistant d’exemple",
    name: "Nom",
    team: "Équipe",
    engine: "Moteur",
    language: "Langue",
    created: "Créé",
    page: "Page",
    empty: "Il n’y a pas encore d’assistant. C’est lui qui parle pendant vos appels; un assistant qui suit un scénario n’a besoin de rien d’autre.",
    file: "Description",
    file_hint: "Le même fichier que celui de la ligne de commande (TOML). Les clés des fournisseurs n’y ont pas leur place.",
    begin_with: "Commencer par",
    builtin: "Scénario",
    realtime: "IA, voix à voix",
    cascade: "IA, trois services",
    builtin_about: "Une voix intégrée qui suit un scénario. Ni fournisseur ni clé ne sont nécessaires.",
    realtime_about: "Un seul fournisseur écoute et parle (OpenAI Realtime et d’autres). Sa clé se donne une fois l’assistant créé.",
    cascade_about: "Reconnaissance, modèle de langue et voix des fournisseurs de votre choix. Leurs clés se donnent une fois l’assistant créé.",
    create: "Créer l’assistant",
    save: "Enregistrer",
    created_notice: "L’assistant a été créé. Passez un appel pour l’entendre.",
    saved: "Enregistré. Les prochains appels l’utilisent; les appels en cours gardent ce avec quoi ils ont commencé.",
    saved_without_key: "Enregistré. Une adresse mène maintenant à un autre serveur; la clé enregistrée pour l’ancien a été retirée. Enregistrez une clé pour le nouveau sous Fournisseurs.",
    keys: "Fournisseurs",
    keys_text: "Les clés sont enregistrées chiffrées et ne sont plus jamais affichées. Une clé reste liée à son adresse : si l’adresse change, il faut la redonner.",
    key: "Clé",
    give_key: "Enregistrer la clé",
    remove_key: "Retirer la clé",
    key_saved: "La clé du fournisseur a été modifiée.",
    no_key: "aucune clé",
    stored_key: "clé enregistrée",
    credential: "identifiant de l’exploitant :",
    variable: "identifiant de l’exploitant avec la variable",
    retire: "Retirer l’assistant",
    retire_text: "Il ne passe plus d’appels et n’est plus affiché. Ses appels continuent de le nommer.",
    retire_button: "Retirer",
    retired: "L’assistant a été retiré.",
    builtin_file: "name = \"Accueil\"\nengine = \"builtin\"\nlanguage = \"fr-CA\"\nfirst_message = \"Bonjour {{customerName}}, ceci est un appel d'essai. Appuyez sur 1 pour confirmer, ou dites quelque chose.\"\nclosing_line = \"Merci, au revoir.\"\n\n[[steps]]\nwait_for = \"speech-or-digit\"\nsay = \"C'est noté.\"\nreplies = { \"1\" = \"C'est confirmé.\" }\n\n[variables]\ncustomerName = \"\"\n",
    realtime_file: "name = \"Accueil\"\nengine = \"realtime\"\nlanguage = \"fr-CA\"\ninstructions = \"\"\"\nVous appelez au nom de la clinique pour confirmer un rendez-vous. Soyez bref et aimable.\n\"\"\"\ntools = [\"end_call\"]\n\n[realtime]\nmodel = \"gpt-realtime\"\nvoice = \"marin\"\n",
    cascade_file: "name = \"Accueil\"\nengine = \"cascade\"\nlanguage = \"fr-CA\"\ninstructions = \"\"\"\nVous appelez au nom de la clinique pour confirmer un rendez-vous. Soyez bref et aimable.\n\"\"\"\ntools = [\"end_call\"]\n\n[cascade]\nvoice = \"alloy\"\n\n[cascade.chat]\nmodel = \"gpt-4o-mini\"\n\n[cascade.transcription]\nmodel = \"gpt-4o-mini-transcribe\"\n\n[cascade.speech]\nmodel = \"gpt-4o-mini-tts\"\n",
};
