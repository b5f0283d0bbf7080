//! What is wrong with a value, in the reader's language. English has the words that the command line and the
//! interface have; in French each rule is told by a `match` that knows them all.

mod faults;
mod files;
mod guard;
mod rules;
mod schemas;

use std::fmt;

use crate::language::Language;

pub(crate) use faults::Unreadable;
pub(crate) use guard::unfit;

/// Something that is wrong with what somebody wrote; its `Display` is in English.
pub(crate) trait Tell: fmt::Display {
    fn french(&self) -> String;

    fn tell(&self, language: Language) -> String {
        match language {
            Language::English => self.to_string(),
            Language::French => self.french(),
        }
    }
}

/// Words of a page, which are in the reader's language already.
impl Tell for str {
    fn french(&self) -> String {
        self.to_owned()
    }
}

impl<T: Tell + ?Sized> Tell for &T {
    fn french(&self) -> String {
        (*self).french()
    }
}

#[cfg(test)]
mod tests;
