//! What is wrong with a value, in the reader's language. English has the words that the command line and the
//! interface have; in French each rule is told by a `match` that knows them all.

mod faults;
mod files;
mod guard;
mod rules;

use crate::language::Language;

pub(crate) use guard::unfit;

/// Something that is wrong with what somebody wrote.
pub(crate) trait Tell {
    fn tell(&self, language: Language) -> String;
}

/// Words of a page, which are in the reader's language already.
impl Tell for str {
    fn tell(&self, _language: Language) -> String {
        self.to_owned()
    }
}

impl<T: Tell + ?Sized> Tell for &T {
    fn tell(&self, language: Language) -> String {
        (*self).tell(language)
    }
}

#[cfg(test)]
mod tests;
