//! `dynamicVariables`: names and strings for the assistant's lines.

use domain::variables::Variables;
use serde_json::Value;

use super::fault::{Fault, Problem};
use super::fields::{object, string_up_to};

const FIELD: &str = "dynamicVariables";
/// The interface sets no bounds; these keep an answer about wrong ones in proportion.
pub const COUNT_MAX: usize = 1_000;
/// Characters of a name.
pub const NAME_MAX: usize = 255;
/// Characters of a value.
pub const VALUE_MAX: usize = 32_768;
/// Bytes of all names and values together, in UTF-8.
pub const TOTAL_BYTES_MAX: usize = 65_536;

/// Reads the variables; each wrong one is a problem of its own, at `dynamicVariables.<name>`.
pub(super) fn variables(value: &Value) -> Result<Variables, Vec<Problem>> {
    let members = object(value).map_err(|fault| vec![fault.at(FIELD)])?;
    if members.len() > COUNT_MAX {
        return Err(vec![Fault::TooManyKeys(COUNT_MAX).at(FIELD)]);
    }
    let (mut variables, mut problems) = (Variables::new(), Vec::new());
    for (name, value) in members {
        let read = match name.chars().count() {
            0..=NAME_MAX => string_up_to(VALUE_MAX, value),
            _ => Err(Fault::TooLong(NAME_MAX)),
        };
        match read {
            Ok(text) => {
                variables.insert(name.clone(), text.to_owned());
            }
            Err(fault) => problems.push(fault.at(format!("{FIELD}.{name}"))),
        }
    }
    let bytes = variables
        .iter()
        .fold(0_usize, |sum, (name, value)| sum.saturating_add(name.len()).saturating_add(value.len()));
    if bytes > TOTAL_BYTES_MAX {
        problems.push(Fault::TooManyBytes(TOTAL_BYTES_MAX).at(FIELD));
    }
    if problems.is_empty() { Ok(variables) } else { Err(problems) }
}
