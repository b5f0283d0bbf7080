//! The keys to providers' doors.

use std::collections::BTreeMap;

use domain::assistant::ProviderKey;
use domain::secret::Secret;

/// The operator's list does not have the environment variable that an assistant names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the assistant names an environment variable that the operator does not allow, or that is not set")]
pub(crate) struct NotAllowed;

/// The environment variables that the operator lets assistants name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(BTreeMap<String, Secret<String>>);

impl Keys {
    pub(crate) const fn new(variables: BTreeMap<String, Secret<String>>) -> Self {
        Self(variables)
    }

    /// The key itself; none when the door stands open.
    pub(crate) fn find(&self, key: &ProviderKey) -> Result<Option<Secret<String>>, NotAllowed> {
        match key {
            ProviderKey::None => Ok(None),
            ProviderKey::Stored(key) => Ok(Some(key.clone())),
            ProviderKey::Variable(name) => self.0.get(name).cloned().map(Some).ok_or(NotAllowed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_opens_a_door_only_if_the_operator_lists_it() {
        let keys = Keys::new([("OPENAI_KEY".to_owned(), Secret::new("sk-1".to_owned()))].into());
        let find = |name: &str| keys.find(&ProviderKey::Variable(name.to_owned()));
        assert_eq!(find("OPENAI_KEY"), Ok(Some(Secret::new("sk-1".to_owned()))));
        assert_eq!(find("HOME"), Err(NotAllowed));
        assert_eq!(keys.find(&ProviderKey::None), Ok(None));
    }
}
