//! The rules of single values and of assistants' files.

use application::rules::{Rule, setting};

use super::{Tell, guard};
use crate::language::Language;

impl Tell for Rule {
    fn tell(&self, language: Language) -> String {
        match language {
            Language::English => self.to_string(),
            Language::French => french(self),
        }
    }
}

fn french(rule: &Rule) -> String {
    let words = match rule {
        Rule::Text(most) => return format!("on attend un texte de 1 à {most} caractères"),
        Rule::ShortText(most) => return format!("on attend un texte d’au plus {most} caractères"),
        Rule::ShortName(most) => return format!("au plus {most} caractères"),
        Rule::TrunkAddress => {
            "on attend HÔTE ou HÔTE:PORT, une adresse IPv6 entre crochets, p. ex. [2001:db8::1]:5060"
        }
        Rule::TrunkHost(why) => guard::unfit(*why),
        Rule::Transport => "on attend udp, tcp ou tls",
        Rule::Srtp => "on attend off ou required",
        Rule::DomainName => "on attend un nom d’hôte sans port",
        Rule::CountryCode => "on attend un indicatif de pays, p. ex. 1 ou 49",
        Rule::E164 => "on attend un numéro E.164, p. ex. +14155550123",
        Rule::WholeNumber(most) => return format!("on attend un nombre entier de 1 à {most}"),
        Rule::Seconds(first, last) => return format!("on attend de {first} à {last} secondes"),
        Rule::ProviderKey(most) => {
            return format!("on attend une seule ligne de 1 à {most} caractères ASCII visibles");
        }
        Rule::OneOf(all) => return format!("on attend l’une de ces valeurs : {}", all.join(", ")),
        Rule::AnyOf(all) => return format!("on attend des valeurs parmi celles-ci : {}", all.join(", ")),
        Rule::AtMost(most) => return format!("au plus {most}"),
        Rule::AtMostSteps(most) => return format!("au plus {most} étapes"),
        Rule::Twice(name) => return format!("{name} y figure deux fois"),
        Rule::GoesWith { key, values } => {
            return format!("ne va qu’avec {}", setting(key, values, "ou"));
        }
        Rule::NothingRecorded => "rien n’est enregistré avec record = false",
        Rule::VoicemailMessage => "action = \"leave-message\" en demande un",
        Rule::OutcomeNames(most) => {
            return format!("on attend des noms tels que quote_sent, d’au plus {most} caractères");
        }
        Rule::StandardOutcome(name) => {
            return format!("{name} est un résultat standard, connu sans être nommé");
        }
        Rule::VariableNames(most) => return format!("on attend des noms de 1 à {most} caractères"),
        Rule::FirstMessage => "un scénario en demande un : que dit-on quand la personne appelée répond ?",
        Rule::Digits(most) => {
            return format!("le nombre de touches à attendre, de 1 à {most} ; # y met fin plus tôt");
        }
        Rule::NoRepliesToSpeech => {
            "la parole n’est pas reconnue : attendez des touches (digits) pour leur répondre"
        }
        Rule::Keys(most) => return format!("de 1 à {most} des touches 0 à 9, *, # et A à D"),
        Rule::Instructions => "une IA en a besoin : quelle est sa tâche ?",
        Rule::TransferTargets => "transfer_call a besoin de [[transfer_targets]] à nommer",
        Rule::TransferCall => "personne n’est joint sans transfer_call dans tools",
        Rule::RealtimeOrCascade => "il faut soit [realtime], soit [cascade]",
        Rule::Realtime => "engine = \"realtime\" demande une table [realtime] avec son modèle (model)",
        Rule::Cascade => {
            "engine = \"cascade\" demande [cascade] avec sa voix (voice), et les tables chat, transcription et \
             speech à l’intérieur"
        }
        Rule::NoKeysHere => {
            "une clé n’a pas sa place dans un fichier : nommez une variable avec key_variable, ou enregistrez \
             la clé sur la page de l’assistant"
        }
        Rule::EndpointNeeded => {
            "ce dialecte n’a pas d’adresse habituelle : indiquez où se trouve le fournisseur"
        }
        Rule::Endpoint(why) => guard::endpoint(*why),
        Rule::KeyVariable => {
            "ce n’est pas l’une des variables que le réglage ENGINES__KEY_VARIABLES permet de nommer"
        }
    };
    words.to_owned()
}
