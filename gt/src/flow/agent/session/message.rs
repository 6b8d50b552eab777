//! Fills the templates of first messages.

use crate::town::Town;

/// Replaces the `{name}` places of a template in one pass, so that a value can contain braces.
pub fn fill_template(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let found = after.split_once('}').and_then(|(name, tail)| {
            values
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value, tail))
        });
        match found {
            Some((value, tail)) => {
                text.push_str(value);
                rest = tail;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// Returns the current time for a message, in the zone of the user.
pub(super) fn format_local_time(town: &Town) -> String {
    let zone = kit::sys::env::local_time_zone();
    town.clock
        .now()
        .to_zoned(zone)
        .strftime("%Y-%m-%dT%H:%M")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_substituted_once_and_may_contain_braces() {
        let text = fill_template("{a} {b} {c} {", &[("a", "{b}"), ("b", "2")]);
        assert_eq!(text, "{b} 2 {c} {");
    }
}
