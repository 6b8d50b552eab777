//! The keys that other versions of Gas Town read: `gt/templates/settings-elsewhere.txt`.

use std::sync::LazyLock;

use kit::table;
use serde_json::Value;

const ELSEWHERE_TABLE: &str = include_str!("../../../templates/settings-elsewhere.txt");

/// A key of other versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ElsewhereKey {
    pub(super) name: &'static str,
    /// The values that ask for what this program does. `*` if no value of the key matters here.
    harmless: Vec<&'static str>,
    /// True if this program reads the key, outside of the table of settings.
    pub(super) is_read: bool,
    /// True if another value is a limit or a gate.
    pub(super) is_guard: bool,
    /// The next step for a key whose loss matters.
    pub(super) instead: &'static str,
}

impl ElsewhereKey {
    /// Returns true if ignoring the key loses nothing, whatever its value.
    pub(super) fn is_harmless(&self) -> bool {
        self.harmless == ["*"]
    }

    /// Returns true if this program does what the value asks for.
    pub(super) fn is_met_by(&self, value: &Value) -> bool {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.harmless.contains(&text.as_str())
    }
}

pub(super) fn all_keys() -> &'static [ElsewhereKey] {
    static KEYS: LazyLock<Vec<ElsewhereKey>> =
        LazyLock::new(|| table::read_rows(ELSEWHERE_TABLE).map(read_key).collect());
    &KEYS
}

/// Returns the row with the longest name that is this key or stands above it.
pub(super) fn find_key(name: &str) -> Option<&'static ElsewhereKey> {
    all_keys()
        .iter()
        .filter(|key| {
            name.strip_prefix(key.name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
        .max_by_key(|key| key.name.len())
}

/// Returns true if the name of a key begins with the parts of `above` and goes on.
pub(super) fn has_keys_below(above: &str) -> bool {
    all_keys().iter().any(|key| {
        key.name
            .strip_prefix(above)
            .is_some_and(|rest| rest.starts_with('.'))
    })
}

fn read_key([name, harmless, marks, instead]: [&'static str; 4]) -> ElsewhereKey {
    ElsewhereKey {
        name,
        harmless: harmless.split_whitespace().collect(),
        is_read: marks == "read",
        is_guard: marks == "guard",
        instead,
    }
}

#[cfg(test)]
mod tests {
    use super::super::key;
    use super::*;

    #[test]
    fn every_row_has_a_reason_or_is_harmless_and_is_no_setting_of_the_table() {
        for row in all_keys() {
            assert!(key::find_key(row.name).is_none(), "{}", row.name);
            assert!(
                row.harmless == ["*"] || !row.instead.is_empty(),
                "{}",
                row.name
            );
        }
    }
}
