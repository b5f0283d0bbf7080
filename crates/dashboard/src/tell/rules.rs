//! The rules of single values and of assistants' files.

use application::rules::{Rule, setting};

use super::{Tell, guard};

impl Tell for Rule {
    fn french(&self) -> String {
        let words = match self {
            Self::Text(most) => return format!("on attend un texte de 1 à {most} caractères"),
            Self::ShortText(most) => return format!("on attend un texte d’au plus {most} caractères"),
            Self::ShortName(most) => return format!("au plus {most} caractères"),
            Self::TrunkAddress => {
                "on attend HÔTE ou HÔTE:PORT, une adresse IPv6 entre crochets, p. ex. [2001:db8::1]:5060"
            }
            Self::TrunkHost(why) => return guard::host(*why, "TRUNKS__ALLOWED_NETWORKS"),
            Self::Transport => "on attend udp, tcp ou tls",
            Self::Srtp => "on attend off ou required",
            Self::Networks => "on attend des réseaux tels que 192.0.2.0/24 ou 2001:db8::/32",
            Self::DomainName => "on attend un nom d’hôte sans port",
            Self::CountryCode => "on attend un indicatif de pays, p. ex. 1 ou 49",
            Self::E164 => "on attend un numéro E.164, p. ex. +14155550123",
            Self::WholeNumber(most) => return format!("on attend un nombre entier de 1 à {most}"),
            Self::Seconds(first, last) => return format!("on attend de {first} à {last} secondes"),
            Self::ProviderKey(most) => {
                return format!("on attend une seule ligne de 1 à {most} caractères ASCII visibles");
            }
            Self::OneOf(all) => return format!("on attend l’une de ces valeurs : {}", all.join(", ")),
            Self::AnyOf(all) => return format!("on attend des valeurs parmi celles-ci : {}", all.join(", ")),
            Self::AtMost(most) => return format!("au plus {most}"),
            Self::AtMostSteps(most) => return format!("au plus {most} étapes"),
            Self::Twice(name) => return format!("{name} y figure deux fois"),
            Self::GoesWith { key, values } => {
                return format!("ne va qu’avec {}", setting(key, values, "ou"));
            }
            Self::NothingRecorded => "rien n’est enregistré avec record = false",
            Self::VoicemailMessage => "action = \"leave-message\" en demande un",
            Self::OutcomeNames(most) => {
                return format!("on attend des noms tels que quote_sent, d’au plus {most} caractères");
            }
            Self::StandardOutcome(name) => {
                return format!("{name} est un résultat standard, connu sans être nommé");
            }
            Self::VariableNames(most) => return format!("on attend des noms de 1 à {most} caractères"),
            Self::FirstMessage => "un scénario en demande un : que dit-on quand la personne appelée répond?",
            Self::Digits(most) => {
                return format!("le nombre de touches à attendre, de 1 à {most}; # y met fin plus tôt");
            }
            Self::NoRepliesToSpeech => {
                "la parole n’est pas reconnue : attendez des touches (digits) pour leur répondre"
            }
            Self::Keys(most) => return format!("de 1 à {most} des touches 0 à 9, *, # et A à D"),
            Self::Instructions => "une IA en a besoin : quelle est sa tâche?",
            Self::TransferTargets => "transfer_call a besoin de [[transfer_targets]] à nommer",
            Self::TransferCall => "personne n’est joint sans transfer_call dans tools",
            Self::RealtimeOrCascade => "il faut soit [realtime], soit [cascade]",
            Self::Realtime => "engine = \"realtime\" demande une table [realtime] avec son modèle (model)",
            Self::Cascade => {
                "engine = \"cascade\" demande [cascade] avec sa voix (voice), et les tables chat, transcription et \
             speech à l’intérieur"
            }
            Self::NoKeysHere => {
                "une clé n’a pas sa place dans un fichier : nommez un identifiant de l’exploitant avec \
             credential, ou enregistrez la clé sur la page de l’assistant"
            }
            Self::EndpointNeeded => {
                "ce dialecte n’a pas d’adresse habituelle : indiquez où se trouve le fournisseur"
            }
            Self::Endpoint(why) => return guard::endpoint(*why),
            Self::Credential => {
                "ce n’est pas un identifiant que l’exploitant met à la disposition de ce client (réglage \
             ENGINES__CREDENTIALS)"
            }
            Self::KeyOrigins(origins) => {
                return format!("la clé ne peut être envoyée qu’à {}", origins.join(", "));
            }
            Self::OneKey => "ne va pas avec key_variable, qui nomme aussi une clé",
        };
        words.to_owned()
    }
}
