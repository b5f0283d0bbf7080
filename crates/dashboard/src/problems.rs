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

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
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
    let numbers: String = problem.message.chars().filter(char::is_ascii_digit).collect();
    match (problem.code, problem.message.as_str()) {
        (Code::InvalidType, _) | (Code::TooSmall, "String must contain at least 1 character(s)") => {
            "Ce champ est obligatoire".to_owned()
        }
        (Code::TooSmall, _) => format!("Au moins {numbers} caractères"),
        (Code::TooBig, _) => format!("Au plus {numbers} caractères"),
        (Code::InvalidString, "Invalid email") => "Adresse courriel non valide".to_owned(),
        (Code::InvalidString, "Invalid phone number") => "Numéro de téléphone non valide".to_owned(),
        (Code::InvalidString, "Invalid url") => "Adresse URL non valide".to_owned(),
        (Code::InvalidEnumValue, _) => "Choisissez une valeur de la liste".to_owned(),
        (Code::Custom, "URL must use https") => "L’adresse doit commencer par https".to_owned(),
        (Code::Custom, "URL must point to a public address") => "L’adresse doit être publique".to_owned(),
        (Code::InvalidString, _) => "Valeur non valide".to_owned(),
        (Code::Custom, other) => other.to_owned(),
    }
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
}
