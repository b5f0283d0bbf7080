//! Pages of a list whose whole length nobody counts.

use domain::page::PageRequest;

use crate::form::Form;

/// Rows on a page: it stays under 100 KiB whatever their texts are.
const SIZE: u32 = 25;

/// Which page of a list is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paging {
    /// From 1.
    pub(crate) number: u32,
}

impl Paging {
    /// What a query asks for; the first page, when it asks for none.
    pub(crate) fn of(query: &Form) -> Self {
        Self { number: number(query, "page") }
    }

    pub(crate) const fn request(self) -> PageRequest {
        PageRequest { number: self.number, size: SIZE }
    }

    /// The addresses of the pages before and after; empty where there is none. After a full page one more is
    /// offered, which may be empty.
    pub(crate) fn neighbours(self, home: &str, shown: usize) -> (String, String) {
        let link = |wanted: bool, number: u32| {
            if wanted { format!("{home}?page={number}") } else { String::new() }
        };
        let full = u32::try_from(shown).is_ok_and(|count| count >= SIZE);
        (link(self.number > 1, self.number - 1), link(full, self.number.saturating_add(1)))
    }
}

/// The number of a page that a field of a query asks for; 1 when it asks for none.
pub(crate) fn number(query: &Form, name: &str) -> u32 {
    query.text(name).and_then(|text| text.parse().ok()).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_offered_where_there_may_be_some() {
        let at = |query| Paging::of(&Form::parse(query));
        let full = usize::try_from(SIZE).unwrap();
        assert_eq!(at("").neighbours("/trunks", 3), (String::new(), String::new()));
        assert_eq!(at("page=0").neighbours("/trunks", full), (String::new(), "/trunks?page=2".to_owned()));
        assert_eq!(at("page=3").neighbours("/trunks", 0), ("/trunks?page=2".to_owned(), String::new()));
        assert_eq!(at("page=nonsense").request().number, 1);
    }
}
