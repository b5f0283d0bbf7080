//! What is wrong with a field of the interface.

use application::requests::{Fault, JsonType, NotJson};
use domain::assistant::filling::FilledText;

use super::Tell;

impl Tell for Fault {
    fn french(&self) -> String {
        let words = match self {
            Self::Missing | Self::TooShort(1) => "Ce champ est obligatoire",
            Self::WrongType { expected, received } => {
                return format!("On attend {}, pas {}", named(*expected), named(*received));
            }
            Self::TooShort(least) => return format!("Au moins {least} caractères"),
            Self::TooLong(1) => "Au plus 1 caractère",
            Self::TooLong(most) => return format!("Au plus {most} caractères"),
            Self::TooManyKeys(most) => return format!("Au plus {most} clés"),
            Self::TooManyBytes(most) => {
                return format!("Au plus {most} octets pour tous les noms et valeurs");
            }
            Self::FilledTooLong(text, most) => {
                let text = match text {
                    FilledText::Line => "chaque réplique de l’assistant",
                    FilledText::Instructions => "les consignes de l’assistant",
                    FilledText::Total => "tous les textes de l’assistant réunis",
                };
                return format!("Une fois les variables remplies, au plus {most} caractères pour {text}");
            }
            Self::NotAPhoneNumber => "Numéro de téléphone non valide",
            Self::NotAnEmail => "Adresse courriel non valide",
            Self::NotAUrl => "Adresse URL non valide",
            Self::NotAUuid => "Choix non valide",
            Self::NotHttps => "L’adresse doit commencer par https",
            Self::NotPublic => "L’adresse doit être publique",
            Self::NoneOf(allowed) => {
                return format!("Valeur non valide. Valeurs permises : {}", allowed.join(", "));
            }
            // No form has one.
            Self::OfRequest(_, words) => words,
        };
        words.to_owned()
    }
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

/// A text that was typed and is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The text {0}")]
pub(crate) struct Unreadable(pub(crate) NotJson);

impl Tell for Unreadable {
    fn french(&self) -> String {
        match self.0 {
            NotJson::TooDeep => "Le texte est imbriqué trop profondément".to_owned(),
            NotJson::Invalid { line, column } => {
                format!("Le texte n’est pas du JSON valide (ligne {line}, colonne {column})")
            }
            NotJson::Nul => "Le texte contient un caractère NUL".to_owned(),
        }
    }
}
