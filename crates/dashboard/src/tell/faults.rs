//! What is wrong with a field of the interface.

use application::requests::{Fault, JsonType, NotJson};

use super::Tell;
use crate::language::Language;

impl Tell for Fault {
    fn tell(&self, language: Language) -> String {
        match language {
            Language::English => self.to_string(),
            Language::French => french(self),
        }
    }
}

fn french(fault: &Fault) -> String {
    let words = match fault {
        Fault::Missing | Fault::TooShort(1) => "Ce champ est obligatoire",
        Fault::WrongType { expected, received } => {
            return format!("On attend {}, pas {}", named(*expected), named(*received));
        }
        Fault::TooShort(least) => return format!("Au moins {least} caractères"),
        Fault::TooLong(1) => "Au plus 1 caractère",
        Fault::TooLong(most) => return format!("Au plus {most} caractères"),
        Fault::TooManyKeys(most) => return format!("Au plus {most} clés"),
        Fault::NotAPhoneNumber => "Numéro de téléphone non valide",
        Fault::NotAnEmail => "Adresse courriel non valide",
        Fault::NotAUrl => "Adresse URL non valide",
        Fault::NotAUuid => "Choix non valide",
        Fault::NotHttps => "L’adresse doit commencer par https",
        Fault::NotPublic => "L’adresse doit être publique",
        Fault::NoneOf(allowed) => {
            return format!("Valeur non valide. Valeurs permises : {}", allowed.join(", "));
        }
        // No form has one.
        Fault::OfRequest(_, words) => words,
    };
    words.to_owned()
}

const fn named(own: JsonType) -> &'static str {
    match own {
        JsonType::Null => "null",
        JsonType::Boolean => "true ou false",
        JsonType::Number => "un nombre",
        JsonType::String => "un texte",
        JsonType::Array => "une liste",
        JsonType::Object => "un objet",
    }
}

impl Tell for NotJson {
    fn tell(&self, language: Language) -> String {
        match (language, self) {
            (Language::English, bad) => format!("The text {bad}"),
            (Language::French, Self::TooDeep) => "Le texte est imbriqué trop profondément".to_owned(),
            (Language::French, Self::Invalid { line, column }) => {
                format!("Le texte n’est pas du JSON valide (ligne {line}, colonne {column})")
            }
            (Language::French, Self::Nul) => "Le texte contient un caractère NUL".to_owned(),
        }
    }
}
