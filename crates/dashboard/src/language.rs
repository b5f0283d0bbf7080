//! The two languages of the pages, and which of them a reader wants.

use actix_web::HttpRequest;
use actix_web::http::header::{ACCEPT_LANGUAGE, AcceptLanguage, Header};

/// The cookie that keeps a reader's choice.
pub(crate) const COOKIE: &str = "callwright-language";

/// A language of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    #[default]
    English,
    /// As it is written in Canada.
    French,
}

impl Language {
    pub(crate) const ALL: [Self; 2] = [Self::English, Self::French];

    /// The language tag (RFC 5646).
    pub(crate) const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr-CA",
        }
    }

    /// What it calls itself.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::French => "Français",
        }
    }

    /// Reads the tag.
    pub(crate) fn parse(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(tag))
    }

    /// The chosen one, else the first that the browser asks for and we have, else English.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let chosen = request.cookie(COOKIE).and_then(|cookie| Self::parse(cookie.value()));
        chosen.unwrap_or_else(|| {
            if !request.headers().contains_key(ACCEPT_LANGUAGE) {
                return Self::default();
            }
            let ranked = AcceptLanguage::parse(request).map(|accepted| accepted.ranked()).unwrap_or_default();
            let known = |wanted: &str| match wanted.split('-').next().unwrap_or_default() {
                "en" => Some(Self::English),
                "fr" => Some(Self::French),
                _ => None,
            };
            ranked
                .iter()
                .find_map(|wanted| known(&wanted.to_string().to_ascii_lowercase()))
                .unwrap_or_default()
        })
    }

    /// One of two texts.
    pub(crate) const fn pick<T: Copy>(self, english: T, french: T) -> T {
        match self {
            Self::English => english,
            Self::French => french,
        }
    }
}
