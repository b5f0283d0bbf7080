//! The words of coming in, and what is said of passwords everywhere.

use std::time::Duration;

use domain::password::WeakPassword;

use super::whole_seconds;
use crate::language::Language;

pub(crate) struct Words {
    pub(crate) sign_in: &'static str,
    pub(crate) to_sign_in: &'static str,
    pub(crate) email: &'static str,
    pub(crate) password: &'static str,
    pub(crate) forgotten: &'static str,
    pub(crate) wrong: &'static str,
    pub(crate) busy: &'static str,
    pub(crate) tls_title: &'static str,
    pub(crate) tls_text: &'static str,
    pub(crate) welcome: &'static str,
    pub(crate) invited_as: &'static str,
    pub(crate) choose_password: &'static str,
    pub(crate) other_sessions_end: &'static str,
    pub(crate) own_password: &'static str,
    pub(crate) new_password: &'static str,
    pub(crate) password_hint: &'static str,
    pub(crate) go_on: &'static str,
    pub(crate) invitation_gone: &'static str,
    pub(crate) invitation_gone_text: &'static str,
    pub(crate) set_up: &'static str,
    pub(crate) set_up_text: &'static str,
    pub(crate) company: &'static str,
    pub(crate) company_hint: &'static str,
    pub(crate) organization: &'static str,
    pub(crate) organization_hint: &'static str,
    pub(crate) timezone: &'static str,
    pub(crate) timezone_hint: &'static str,
    pub(crate) create: &'static str,
    pub(crate) set_up_gone: &'static str,
    pub(crate) set_up_gone_text: &'static str,
    pub(crate) bad_name: &'static str,
    pub(crate) bad_email: &'static str,
    pub(crate) bad_timezone: &'static str,
}

pub(super) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

/// Why a password is not taken.
pub(crate) const fn weak(language: Language, why: WeakPassword) -> &'static str {
    match (language, why) {
        (Language::English, why) => why.as_str(),
        (Language::French, WeakPassword::TooShort) => "Un mot de passe compte au moins 12 caractères.",
        (Language::French, WeakPassword::TooLong) => "Un mot de passe compte au plus 128 caractères.",
        (Language::French, WeakPassword::IsEmail) => "Le mot de passe ne doit pas être l’adresse courriel.",
        (Language::French, WeakPassword::Common) => {
            "Ce mot de passe est l’un des premiers que l’on essaie. Choisissez-en un autre."
        }
    }
}

/// That too many tries failed.
pub(super) fn too_many(language: Language, wait: Duration) -> String {
    let wait = waiting(language, wait);
    match language {
        Language::English => format!("Too many tries have failed. Please try again in {wait}."),
        Language::French => format!("Trop de tentatives ont échoué. Réessayez dans {wait}."),
    }
}

/// How long to wait: seconds, or minutes rounded up.
fn waiting(language: Language, wait: Duration) -> String {
    let seconds = whole_seconds(wait).max(1);
    let (count, minutes) = if seconds < 60 { (seconds, false) } else { (seconds.div_ceil(60), true) };
    let unit = match (language, minutes) {
        (Language::English, false) => "second",
        (Language::French, false) => "seconde",
        (_, true) => "minute",
    };
    format!("{count} {unit}{}", if count > 1 { "s" } else { "" })
}

const ENGLISH: Words = Words {
    sign_in: "Sign in",
    to_sign_in: "Go to the sign-in",
    email: "E-mail address",
    password: "Password",
    forgotten: "Forgot your password? An administrator can send you a new link.",
    wrong: "The e-mail address or the password is wrong.",
    busy: "Too many people are signing in at this moment. Please try again in a few seconds.",
    tls_title: "A secure connection is needed",
    tls_text: "Passwords are not taken over plain HTTP, for others could read them on the way. Open this page by https, \
               or ask whoever runs the service to set up TLS.",
    welcome: "Welcome",
    invited_as: "You sign in as",
    choose_password: "Choose a password, and you are in.",
    other_sessions_end: "You will be signed out everywhere else.",
    own_password: "If you sign in to other companies with this address, choose another password here: the password \
                   tells which company you enter.",
    new_password: "New password",
    password_hint: "At least 12 characters. A few words in a row are easy to remember.",
    go_on: "Save and sign in",
    invitation_gone: "This link works no more",
    invitation_gone_text: "It was used already, replaced by a newer one, or is older than 7 days. Ask an administrator for \
                           a new one.",
    set_up: "Set up Callwright",
    set_up_text: "You are the first one here. This takes a minute.",
    company: "Company",
    company_hint: "Whose installation this is.",
    organization: "First organization",
    organization_hint: "A clinic, a branch, a team: it has its own assistants, numbers and calls.",
    timezone: "Time zone",
    timezone_hint: "In which its calls are shown.",
    create: "Create and go on",
    set_up_gone: "This link works no more",
    set_up_gone_text: "Somebody set this installation up already, or the link was replaced by a newer one. Every start of \
                       the service tells a new link, as long as nobody can sign in.",
    bad_name: "Enter 1 to 200 characters.",
    bad_email: "Enter an address such as name@example.com.",
    bad_timezone: "Choose one from the list.",
};

const FRENCH: Words = Words {
    sign_in: "Connexion",
    to_sign_in: "Aller à la connexion",
    email: "Adresse courriel",
    password: "Mot de passe",
    forgotten: "Mot de passe oublié? Une administratrice ou un administrateur peut vous envoyer un nouveau lien.",
    wrong: "L’adresse courriel ou le mot de passe est incorrect.",
    busy: "Trop de personnes se connectent en ce moment. Réessayez dans quelques secondes.",
    tls_title: "Une connexion sécurisée est nécessaire",
    tls_text: "Aucun mot de passe n’est accepté par HTTP simple, car d’autres pourraient le lire en chemin. Ouvrez cette \
               page par https, ou demandez à qui exploite le service de configurer TLS.",
    welcome: "Bienvenue",
    invited_as: "Vous vous connecterez avec",
    choose_password: "Choisissez un mot de passe, et vous y êtes.",
    other_sessions_end: "Vous serez déconnecté partout ailleurs.",
    own_password: "Si vous vous connectez à d’autres entreprises avec cette adresse, choisissez ici un autre mot de \
                   passe : c’est lui qui indique dans quelle entreprise vous entrez.",
    new_password: "Nouveau mot de passe",
    password_hint: "Au moins 12 caractères. Quelques mots à la suite se retiennent facilement.",
    go_on: "Enregistrer et se connecter",
    invitation_gone: "Ce lien ne fonctionne plus",
    invitation_gone_text: "Il a déjà servi, a été remplacé par un plus récent ou date de plus de 7 jours. Demandez-en un \
                           nouveau à une administratrice ou à un administrateur.",
    set_up: "Configurer Callwright",
    set_up_text: "Vous êtes la première personne ici. Cela prend une minute.",
    company: "Entreprise",
    company_hint: "À qui appartient cette installation.",
    organization: "Première organisation",
    organization_hint: "Une clinique, une succursale, une équipe : elle a ses propres assistants, numéros et appels.",
    timezone: "Fuseau horaire",
    timezone_hint: "Celui dans lequel ses appels sont affichés.",
    create: "Créer et continuer",
    set_up_gone: "Ce lien ne fonctionne plus",
    set_up_gone_text: "Quelqu’un a déjà configuré cette installation, ou le lien a été remplacé par un plus récent. Chaque \
                       démarrage du service donne un nouveau lien, tant que personne ne peut se connecter.",
    bad_name: "Entrez de 1 à 200 caractères.",
    bad_email: "Entrez une adresse comme nom@exemple.com.",
    bad_timezone: "Choisissez-en un dans la liste.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_times_are_told_in_seconds_and_then_in_minutes() {
        let told = |language, millis| waiting(language, Duration::from_millis(millis));
        assert_eq!(told(Language::English, 1), "1 second");
        assert_eq!(told(Language::French, 1_001), "2 secondes");
        assert_eq!(told(Language::English, 60_000), "1 minute");
        assert_eq!(told(Language::French, 899_000), "15 minutes");
    }
}
