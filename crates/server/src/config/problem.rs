//! What is wrong with a setting, in words that name it and say what is allowed.

use std::fmt;

/// One setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The setting as it was written: a variable, or a path in the file.
    pub setting: String,
    /// What is wrong and what is allowed.
    pub reason: String,
}

/// Every problem of one start; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration cannot be used:")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n  {}: {}", problem.setting, problem.reason))
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}
