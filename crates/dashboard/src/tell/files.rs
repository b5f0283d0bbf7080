//! What is wrong with an assistant's file.

use application::assistant_file::{BadFile, Misread, Wanted, Wrong};

use super::Tell;

impl Tell for BadFile {
    fn french(&self) -> String {
        match self {
            Self::Form { line, misread } => format!("ligne {line} : {}", misread.french()),
            Self::Value { key, rule } => format!("{key} : {}", rule.french()),
        }
    }
}

impl Tell for Misread {
    fn french(&self) -> String {
        let words = match &self.wrong {
            Wrong::Syntax => "ce n’est pas du TOML valide",
            Wrong::Repeated => "cette clé y figure deux fois",
            Wrong::UnknownKey { key, known } => {
                return format!("la clé {key} n’existe pas; clés permises : {}", known.join(", "));
            }
            Wrong::MissingKey(key) => return format!("il manque la clé {key}"),
            Wrong::UnknownValue(known) => {
                return format!("on attend l’une de ces valeurs : {}", known.join(", "));
            }
            Wrong::Kind(Wanted::Boolean) => "on attend true ou false",
            Wrong::Kind(Wanted::Text) => "on attend un texte entre guillemets",
            Wrong::Kind(Wanted::Number) => "on attend un nombre entier, ni négatif ni trop grand",
            Wrong::Kind(Wanted::List) => "on attend une liste entre crochets",
            Wrong::Kind(Wanted::Table) => "on attend une table",
            // No words of ours fit: the library's are better than none.
            Wrong::Other => return format!("ce n’est pas ce qu’on attend ici ({self})"),
        };
        words.to_owned()
    }
}
