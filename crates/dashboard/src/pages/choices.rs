//! Choices that may be more than a form holds: some are offered at a time, and links lead to the others.

use domain::page::PageRequest;

use super::paging;
use super::shortened::shortened;
use crate::form::Form;

/// Choices that are offered at a time.
const OFFERED: u32 = 50;

/// Which of many choices are offered, as the address of the form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The name that tells it in the address.
    name: &'static str,
    /// From 1.
    number: u32,
}

impl Offer {
    pub(crate) fn of(query: &Form, name: &'static str) -> Self {
        Self { name, number: paging::number(query, name) }
    }

    pub(crate) const fn request(self) -> PageRequest {
        PageRequest { number: self.number, size: OFFERED }
    }

    /// What stands in an address that offers the same choices.
    pub(crate) fn kept(self) -> String {
        format!("{}={}", self.name, self.number)
    }

    /// The choices, as values and labels, of so many that were found; `home` is the form's address with a query that keeps
    /// what else is chosen. After as many as are offered there may be more.
    pub(crate) fn choices(
        self,
        home: &str,
        found: usize,
        options: impl IntoIterator<Item = (String, String)>,
    ) -> Choices {
        let sign = if home.contains('?') { '&' } else { '?' };
        let link = |wanted: bool, number: u32| {
            if wanted { format!("{home}{sign}{}={number}", self.name) } else { String::new() }
        };
        let full = u32::try_from(found).is_ok_and(|count| count >= OFFERED);
        Choices {
            options: options.into_iter().map(|(value, label)| (value, shortened(&label))).collect(),
            previous: link(self.number > 1, self.number - 1),
            next: link(full, self.number.saturating_add(1)),
        }
    }
}

/// The choices of a field.
pub(crate) struct Choices {
    /// Values and labels.
    pub(crate) options: Vec<(String, String)>,
    /// Where those before and after are offered; empty where there are none.
    pub(crate) previous: String,
    pub(crate) next: String,
}

impl Choices {
    pub(crate) fn offers(&self, value: &str) -> bool {
        self.options.iter().any(|(own, _)| own == value)
    }

    /// With one that was chosen already, wherever among them all it stands.
    pub(crate) fn with_chosen(mut self, chosen: Option<(String, String)>) -> Self {
        if let Some((value, label)) = chosen.filter(|(value, _)| !self.offers(value)) {
            self.options.insert(0, (value, shortened(&label)));
        }
        self
    }

    /// Whether there is nothing to choose from, here or elsewhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.options.is_empty() && self.previous.is_empty() && self.next.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(count: usize) -> Vec<(String, String)> {
        (0..count).map(|number| (number.to_string(), format!("Choice {number}"))).collect()
    }

    #[test]
    fn links_lead_to_the_choices_that_are_not_offered() {
        let full = usize::try_from(OFFERED).unwrap();
        let offer = |query| Offer::of(&Form::parse(query), "trunks");
        let few = offer("").choices("/new", 3, options(3));
        assert!(few.previous.is_empty() && few.next.is_empty() && !few.is_empty());
        let first = offer("trunks=x").choices("/new", full, options(1));
        assert_eq!((first.previous.as_str(), first.next.as_str()), ("", "/new?trunks=2"));
        let second = offer("trunks=2").choices("/call?numbers=3", full, options(full));
        assert_eq!(second.previous, "/call?numbers=3&trunks=1");
        assert_eq!(second.next, "/call?numbers=3&trunks=3");
        assert_eq!(offer("trunks=2").kept(), "trunks=2");
        assert!(offer("").choices("/new", 0, []).is_empty());
        assert!(!offer("trunks=2").choices("/new", 0, []).is_empty());
    }

    #[test]
    fn what_was_chosen_is_offered_once_wherever_it_stands() {
        let choices = || Offer { name: "trunks", number: 1 }.choices("/new", 2, options(2));
        let chosen = |value: &str| Some((value.to_owned(), "Chosen".to_owned()));
        assert_eq!(choices().with_chosen(chosen("1")).options, options(2));
        let further = choices().with_chosen(chosen("9"));
        assert_eq!(further.options.first(), chosen("9").as_ref());
        assert!(further.offers("9") && further.options.len() == 3);
        assert_eq!(choices().with_chosen(None).options, options(2));
    }
}
