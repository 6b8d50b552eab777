//! Reads the table of usage limits, `templates/runtime/usage-limits.json`: the messages and menus
//! of agent programs, each with the versions that show it.

use serde::{Deserialize, Serialize};

const KNOWN_LIMITS: &str = include_str!("../../../templates/runtime/usage-limits.json");

/// The begin of a message about a usage limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageLimitWords {
    #[serde(skip_serializing)]
    program: String,
    pub words: String,
    /// The program and the versions that print the words, and how that is known.
    pub version: String,
}

/// A menu that a program opens at a usage limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageLimitMenu {
    #[serde(skip_serializing)]
    program: String,
    /// The line above the options.
    pub sign: String,
    /// The option that waits for the end of the limit.
    pub choose: String,
    pub version: String,
}

/// The messages and menus of all programs.
#[derive(Debug, Default, Deserialize)]
pub(super) struct UsageLimitTable {
    words: Vec<UsageLimitWords>,
    menus: Vec<UsageLimitMenu>,
}

impl UsageLimitTable {
    pub(super) fn built_in() -> Self {
        // A test reads the table, so it is valid.
        serde_json::from_str(KNOWN_LIMITS).unwrap_or_else(|_| Self::default())
    }

    pub(super) fn words_of(&self, program: &str) -> Vec<UsageLimitWords> {
        self.words
            .iter()
            .filter(|row| row.program == program)
            .cloned()
            .collect()
    }

    pub(super) fn menus_of(&self, program: &str) -> Vec<UsageLimitMenu> {
        self.menus
            .iter()
            .filter(|row| row.program == program)
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::runtime::RuntimePreset;

    fn preset(name: &str) -> RuntimePreset {
        RuntimePreset::named(name).unwrap()
    }

    #[test]
    fn every_row_of_the_table_belongs_to_a_preset_and_names_its_version() {
        let table: UsageLimitTable = serde_json::from_str(KNOWN_LIMITS).unwrap();
        for row in &table.words {
            assert!(preset(&row.program).usage_limits.contains(row), "{row:?}");
            assert!(!row.version.is_empty(), "{row:?}");
        }
        for row in &table.menus {
            assert!(
                preset(&row.program).usage_limit_menus.contains(row),
                "{row:?}"
            );
            assert!(!row.version.is_empty(), "{row:?}");
        }
    }
}
