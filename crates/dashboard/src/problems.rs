//! What is wrong with a form's fields: the interface's own words in English, and as much in French.

use std::collections::BTreeMap;

use application::requests::{Code, Problem};

use crate::language::Language;

/// Problems by field, for templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Problems(BTreeMap<String, String>);

impl Problems {
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// The problems that a request's reader found; of several at one field the first is told.
    pub(crate) fn of(problems: &[Problem], language: Language) -> Self {
        let mut told = Self::default();
        for problem in problems {
            told.0.entry(problem.field.clone()).or_insert_with(|| words(problem, language));
        }
        told
    }

    /// With one more.
    pub(crate) fn and(mut self, field: &str, words: impl Into<String>) -> Self {
        self.0.entry(field.to_owned()).or_insert_with(|| words.into());
        self
    }

    /// What is wrong with a field; empty when nothing is.
    pub(crate) fn at(&self, field: &str) -> &str {
        self.0.get(field).map_or("", String::as_str)
    }
}

/// A problem in the reader's language. The interface's words hold the numbers.
pub(crate) fn words(problem: &Problem, language: Language) -> String {
    if language == Language::English {
        return problem.message.clone();
    }
    let message = problem.message.as_str();
    let told = match (problem.code, message) {
        (Code::InvalidType, _) | (Code::TooSmall, "String must contain at least 1 character(s)") => {
            "Ce champ est obligatoire"
        }
        (Code::TooSmall | Code::TooBig, _) => return bound(message).unwrap_or_else(|| message.to_owned()),
        (Code::InvalidString, "Invalid email") => "Adresse courriel non valide",
        (Code::InvalidString, "Invalid phone number") => "Numéro de téléphone non valide",
        (Code::InvalidString, "Invalid url") => "Adresse URL non valide",
        (Code::InvalidString, "Invalid uuid") => "Choix non valide",
        (Code::InvalidString, _) => "Valeur non valide",
        (Code::InvalidEnumValue, _) => match message.strip_prefix("Invalid enum value. Expected ") {
            Some(allowed) => return format!("Valeur non valide. Valeurs permises : {allowed}"),
            None => "Choisissez une valeur de la liste",
        },
        (Code::Custom, "URL must use https") => "L’adresse doit commencer par https",
        (Code::Custom, "URL must point to a public address") => "L’adresse doit être publique",
        (Code::Custom, other) => other,
    };
    told.to_owned()
}

/// `String must contain at most 255 character(s)`, and what else has a bound.
fn bound(message: &str) -> Option<String> {
    let (what, rest) = message.split_once(" must ")?;
    let (least, rest) = [("contain at least ", true), ("contain at most ", false)]
        .into_iter()
        .chain([("be greater than or equal to ", true), ("be less than or equal to ", false)])
        .find_map(|(words, least)| Some((least, rest.strip_prefix(words)?)))?;
    let number = rest.split(' ').next()?;
    let words = if least { "Au moins" } else { "Au plus" };
    Some(match (what, number) {
        ("String", "1") => format!("{words} 1 caractère"),
        ("String", _) => format!("{words} {number} caractères"),
        ("Object", "1") => format!("{words} 1 clé"),
        ("Object", _) => format!("{words} {number} clés"),
        ("Array", "1") => format!("{words} 1 élément"),
        ("Array", _) => format!("{words} {number} éléments"),
        ("Number", _) => format!("{words} {number}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use application::requests::Fault;

    use super::*;

    #[test]
    fn the_first_problem_of_a_field_is_told_in_the_readers_language() {
        let email = Fault::new(Code::InvalidString, "Invalid email").at("email");
        let long = Fault::new(Code::TooBig, "String must contain at most 254 character(s)").at("email");
        let name = Fault::new(Code::TooBig, "String must contain at most 255 character(s)").at("name");
        let all = [email, long, name];
        let english = Problems::of(&all, Language::English);
        assert_eq!(english.at("email"), "Invalid email");
        let french = Problems::of(&all, Language::French).and("name", "autre");
        assert_eq!((french.at("name"), french.at("city")), ("Au plus 255 caractères", ""));
    }

    #[test]
    fn bounds_name_what_they_bound() {
        for (code, english, french) in [
            (Code::TooBig, "String must contain at most 255 character(s)", "Au plus 255 caractères"),
            (Code::TooSmall, "String must contain at least 12 character(s)", "Au moins 12 caractères"),
            (Code::TooBig, "Object must contain at most 1000 key(s)", "Au plus 1000 clés"),
            (Code::TooBig, "Array must contain at most 20 element(s)", "Au plus 20 éléments"),
            (Code::TooSmall, "Number must be greater than or equal to -5", "Au moins -5"),
            (Code::TooBig, "3 of 4 are too many", "3 of 4 are too many"),
            (
                Code::InvalidEnumValue,
                "Invalid enum value. Expected '24h' | '7d'",
                "Valeur non valide. Valeurs permises : '24h' | '7d'",
            ),
        ] {
            let problem = Fault::new(code, english).at("field");
            assert_eq!(words(&problem, Language::French), french);
            assert_eq!(words(&problem, Language::English), english);
        }
    }
}
