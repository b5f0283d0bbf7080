//! Filling `{{name}}` places in an assistant's lines.

use std::collections::BTreeMap;

/// The values that a call brings for the assistant's lines, by name.
pub type Variables = BTreeMap<String, String>;

/// Replaces every `{{name}}` by its value; an unknown name becomes empty.
///
/// A value is taken as it is: braces inside it are not filled again.
pub fn fill(template: &str, values: &Variables) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, tail)) = after.split_once("}}") else { break };
        filled.push_str(before);
        filled.push_str(values.get(name.trim()).map_or("", String::as_str));
        rest = tail;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_unknown_ones_are_empty_and_values_are_not_filled_again() {
        let values = Variables::from([("a".into(), "{{b}}".into()), ("b".into(), "x".into())]);
        assert_eq!(fill("{{a}} {{ b }} {{c}}| {{open", &values), "{{b}} x | {{open");
    }
}
