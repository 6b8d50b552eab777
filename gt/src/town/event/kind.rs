//! The kinds of events with a sentence for each: `gt/templates/events.txt`.

use kit::table;

const EVENTS_TABLE: &str = include_str!("../../../templates/events.txt");

/// A kind of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventKind {
    pub name: &'static str,
    /// The sentence for an event, with the names of fields in braces.
    pub phrase: &'static str,
}

/// Returns all kinds in alphabetical order.
pub fn list_event_kinds() -> impl Iterator<Item = EventKind> {
    table::read_rows(EVENTS_TABLE).map(|[name, phrase]| EventKind { name, phrase })
}

/// The maximum number of kinds that are proposed for an unknown one.
const MAX_PROPOSALS: usize = 3;

/// Returns true if this version records events of a kind.
pub fn is_known_kind(kind: &str) -> bool {
    list_event_kinds().any(|known| known.name == kind)
}

/// Returns the kinds that are spelled similarly to an unknown one, the nearest first.
pub fn find_near_kinds(kind: &str) -> Vec<&'static str> {
    let distance_to = |known: &str| strsim::damerau_levenshtein(kind, known);
    let mut near: Vec<&str> = list_event_kinds()
        .map(|known| known.name)
        .filter(|known| {
            let is_part = kind.len() > 2 && (known.contains(kind) || kind.contains(known));
            is_part || distance_to(known) <= 2
        })
        .collect();
    near.sort_by_key(|known| distance_to(known));
    near.truncate(MAX_PROPOSALS);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_of_the_enum_has_a_sentence() {
        let source = include_str!("mod.rs");
        let body = source.split_once("pub enum Event {").unwrap().1;
        let body = body.split_once("\n}\n").unwrap().0;
        let is_name = |c: char| c.is_ascii_alphanumeric();
        let variants = body.lines().filter_map(|line| {
            let line = line.strip_prefix("    ")?;
            let name = line.split(|c| !is_name(c)).next()?;
            name.starts_with(|c: char| c.is_ascii_uppercase())
                .then_some(name)
        });
        let to_snake_case = |name: &str| {
            let mut kind = String::new();
            for c in name.chars() {
                if c.is_ascii_uppercase() && !kind.is_empty() {
                    kind.push('_');
                }
                kind.push(c.to_ascii_lowercase());
            }
            kind
        };
        let mut kinds: Vec<String> = variants
            .filter(|name| *name != "Other")
            .map(to_snake_case)
            .collect();
        // Kinds of the original Gas Town, which old logs have.
        kinds.extend(["hook", "session_death"].map(str::to_owned));
        kinds.sort();
        let listed: Vec<&str> = list_event_kinds().map(|known| known.name).collect();
        assert_eq!(kinds, listed);
    }

    #[test]
    fn a_slip_has_the_kind_that_was_meant() {
        assert_eq!(find_near_kinds("mergd").first(), Some(&"merged"));
        assert_eq!(find_near_kinds("landed"), ["convoy_landed"]);
        assert!(find_near_kinds("full_moon").is_empty());
        assert!(is_known_kind("merged") && !is_known_kind("mergd"));
    }
}
