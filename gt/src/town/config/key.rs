//! The table of settings, `gt/templates/settings.txt`. `gt config list`, the lookup and the check
//! of the files use it.

use std::sync::LazyLock;
use std::time::Duration;

use kit::table;

pub use super::setting_key::{FORGE_KINDS, LabelEffect, SettingKey, SettingKind, SettingPlacement};

const SETTINGS_TABLE: &str = include_str!("../../../templates/settings.txt");

/// Returns all settings in alphabetical order.
pub fn all_keys() -> &'static [SettingKey] {
    // A row that cannot be read would be left out, so a test compares the rows with the settings.
    static KEYS: LazyLock<Vec<SettingKey>> = LazyLock::new(|| {
        table::read_rows(SETTINGS_TABLE)
            .filter_map(parse_row)
            .collect()
    });
    &KEYS
}

/// Returns the setting of a name.
pub fn find_key(name: &str) -> Option<&'static SettingKey> {
    let parts: Vec<&str> = name.split('.').collect();
    find_key_of_parts(&parts)
}

/// Does the same for the parts of a name. The name of a gate may contain dots.
pub(super) fn find_key_of_parts(parts: &[&str]) -> Option<&'static SettingKey> {
    let keys = all_keys();
    let name = parts.join(".");
    keys.iter()
        .find(|key| key.name == name)
        .or_else(|| keys.iter().find(|key| key.is_for(parts)))
}

/// Returns the present name of a key that files of other versions have.
pub(super) fn current_name(name: &str) -> &str {
    match name {
        "max_polecats_per_rig" => "max_polecats",
        "merge_queue.batch.max_batch_size" => "merge_queue.batch.max",
        name => name,
    }
}

fn parse_row(row: [&'static str; 7]) -> Option<SettingKey> {
    let [name, kind, files, marks, changed_on, default, meaning] = row;
    let scope = match files {
        "town" => SettingPlacement::Town,
        "town and rig" => SettingPlacement::Rig,
        "rig" => SettingPlacement::RigOnly,
        _ => return None,
    };
    let is_on_page = match changed_on {
        "page" => true,
        "shell" => false,
        _ => return None,
    };
    let mut key = SettingKey {
        name,
        kind: parse_kind(kind)?,
        scope,
        layered: scope != SettingPlacement::Town,
        is_guard: false,
        is_unlimited_at_zero: false,
        labels: LabelEffect::None,
        is_on_page,
        default,
        meaning,
    };
    for mark in table::split_list(marks, ',') {
        match mark {
            "guard" => key.is_guard = true,
            "0 is no limit" => key.is_unlimited_at_zero = true,
            "files only" => key.layered = false,
            "labels lower" => key.labels = LabelEffect::Lower,
            "labels any" => key.labels = LabelEffect::Any,
            _ => return None,
        }
    }
    Some(key)
}

fn parse_kind(text: &'static str) -> Option<SettingKind> {
    Some(match text {
        "text" => SettingKind::Text,
        "flag" => SettingKind::Flag,
        "number" => SettingKind::Number(0..=u64::MAX),
        "port" => SettingKind::Port,
        "address" => SettingKind::Address,
        "sum" => SettingKind::Sum,
        "amount" => SettingKind::Amount,
        "list" => SettingKind::List,
        "duration" => SettingKind::Duration(Duration::ZERO),
        "duration 1s.." => SettingKind::Duration(Duration::from_secs(1)),
        _ => match (text.strip_prefix("number "), text.strip_prefix("one of ")) {
            (Some(range), _) => {
                let (first, last) = range.split_once("..")?;
                SettingKind::Number(first.parse().ok()?..=last.parse().ok()?)
            }
            (None, Some(words)) => SettingKind::OneOf(words.split(' ').collect()),
            (None, None) => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::super::{JailMode, LandingRoute, MergeStrategy};
    use super::*;

    #[test]
    fn every_row_is_a_setting_with_a_valid_built_in_value() {
        for row in table::read_rows(SETTINGS_TABLE) {
            let key = parse_row(row).unwrap_or_else(|| panic!("{row:?}"));
            let built_in = key.default.is_empty() || key.parse(key.default).is_some();
            assert!(built_in && !key.meaning.is_empty(), "{row:?}");
        }
        let names: Vec<&str> = all_keys().iter().map(|key| key.name).collect();
        assert!(names.is_sorted(), "{names:?}");
    }

    #[test]
    fn the_page_changes_no_setting_that_runs_programs_or_opens_doors() {
        let texts: Vec<&str> = all_keys()
            .iter()
            .filter(|key| key.is_on_page)
            .filter(|key| {
                matches!(
                    key.kind,
                    SettingKind::Text
                        | SettingKind::List
                        | SettingKind::Address
                        | SettingKind::Port
                )
            })
            .map(|key| key.name)
            .collect();
        // Names of polecats and of colours, each compared with a fixed list or checked as a name.
        assert_eq!(texts, ["namepool.names", "namepool.style", "theme.name"]);
        let flags: Vec<&str> = all_keys()
            .iter()
            .filter(|key| key.is_on_page && key.is_guard && key.kind == SettingKind::Flag)
            .map(|key| key.name)
            .collect();
        assert_eq!(flags, ["merge_queue.auto_repair", "merge_queue.enabled"]);
        let shell_only = [
            "agent",
            "default_agent",
            "discovery",
            "hooks",
            "merge_queue.gates",
            "metrics",
            "page",
            "patrol.mode",
            "patrol.rules",
            "plugins",
            "role_agents",
            "safety",
            "sandbox",
            "session.pass",
            "sling",
            "workflow",
        ];
        for key in all_keys().iter().filter(|key| key.is_on_page) {
            let is_shell_only = shell_only.iter().any(|part| {
                key.name
                    .strip_prefix(part)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            });
            assert!(!is_shell_only, "{}", key.name);
        }
    }

    #[test]
    fn each_limit_of_the_page_that_zero_takes_away_is_marked() {
        for key in all_keys()
            .iter()
            .filter(|key| key.is_guard && key.is_on_page)
        {
            let is_said = ["0 for no", "0 for any"]
                .iter()
                .any(|words| key.meaning.contains(words));
            let is_time = key.name == "scheduler.spawn_delay";
            assert_eq!(key.is_unlimited_at_zero, is_said || is_time, "{}", key.name);
        }
    }

    #[test]
    fn the_words_of_the_table_are_those_that_the_program_knows() {
        for (name, words) in [
            ("merge_queue.strategy", MergeStrategy::NAMES),
            ("merge_queue.merge_strategy", LandingRoute::NAMES),
            ("merge_queue.vcs_provider", FORGE_KINDS),
            ("sandbox.jail", JailMode::NAMES),
        ] {
            let key = find_key(name).unwrap();
            assert_eq!(key.kind, SettingKind::OneOf(words.to_vec()), "{name}");
        }
    }
}
