//! Changes one setting, for `gt config` and for the page of the town.
//!
//! Every change is checked in the same way: the setting exists, its value fits, the names of agents
//! and accounts in it are known, and the file is one in which the setting counts. The page changes
//! only those settings that the table allows it, and only if the file still has the value that the
//! page has shown.
//!
//! 1. Check that the page may change the setting.
//! 2. Lock the settings, and compare the value of the file.
//! 3. Check and write the value.
//! 4. Record an event (`recorded_setting`). Wake the daemon, and describe the value that counts now.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kit::cli::slip::sort_nearest_first;
use kit::ui::escape::{escape_line, quote_for_shell};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::recorded_setting;
use crate::host::daemon::wake_daemon;
use crate::host::jail::check_jail_setting;
use crate::host::runtime;
use crate::record::account::AccountBook;
use crate::record::host_choice::check_host_names;
use crate::record::polecat;
use crate::record::rule::{self, RuleScope};
use crate::record::start_use::StartUse;
use crate::record::theme;
use crate::town::config::key::SettingKey;
use crate::town::config::{
    ChangeError, SettingOrigin, SettingsLayer, SettingsLayers, change_locked_setting, key,
    lock_settings,
};
use crate::town::identity::SESSION_ROLES;
use crate::town::lock::Lock;
use crate::town::permission;
use crate::town::{Rig, Town, TownLayout};

/// The maximum number of names that an error proposes.
const MAX_PROPOSALS: usize = 3;

/// The maximum length of a word that a family of settings leaves open, in bytes.
const MAX_MEMBER_NAME: usize = 64;

/// A change of one setting.
#[derive(Debug, Clone, Copy)]
pub struct SettingChange<'a> {
    pub key: &'a str,
    /// The value as a user writes it. None removes the setting from the layer.
    pub value: Option<&'a str>,
    pub layer: SettingsLayer,
}

impl SettingChange<'_> {
    /// Changes the setting of a rig, or of the town without a rig. Returns the changed file.
    pub fn apply(&self, town: &Town, rig: Option<&Rig>) -> anyhow::Result<PathBuf> {
        self.apply_locked(&lock_settings(town)?, town, rig)
    }

    fn apply_locked(&self, lock: &Lock, town: &Town, rig: Option<&Rig>) -> anyhow::Result<PathBuf> {
        if let Some(value) = self.value {
            rule::find_setting(&SettingsLayers::load(town, rig)?, self.key)?;
            check_rule_scope(rig, self.key)?;
            check_member_name(self.key)?;
            check_theme_name(self.key, value)?;
            check_agent_name(&town.layout, rig, self.key, value)?;
            check_limited_name(town, self.key)?;
            check_permission_names(self.key, value)?;
            check_jail_setting(town, self.key, value)?;
            check_host_names(&town.layout, self.key, value)?;
        }
        let before = recorded_setting::read_shown_value(town, rig, self.key);
        let file = change_locked_setting(lock, town, rig, self.layer, self.key, self.value)?;
        recorded_setting::record_change(town, rig, self.layer, self.key, &before);
        wake_daemon(town);
        Ok(file)
    }
}

/// Refuses names that are no permissions, with which no agent could run a command.
fn check_permission_names(key: &str, value: &str) -> anyhow::Result<()> {
    if !key.starts_with("permissions.") {
        return Ok(());
    }
    let known = permission::list_changeable();
    let mut names = value.split(',').map(str::trim);
    if let Some(unknown) = names.find(|name| !name.is_empty() && !known.contains(name)) {
        anyhow::bail!(
            "{} is no permission that can be given or taken: they are {}",
            quote_for_shell(unknown),
            known.join(", ")
        );
    }
    Ok(())
}

/// The settings file that a user changes on a screen, and the value that the screen has shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownSetting {
    pub key: String,
    /// The rig whose file is changed. None for the town's file.
    pub rig: Option<String>,
    /// The value of the file as the JSON text that [`crate::town::config::StoredSetting::text`] returned. None if the file
    /// does not have the setting.
    pub stored: Option<String>,
}

/// The reason why the page does not change a setting.
#[derive(Debug, thiserror::Error)]
pub enum RefusedOnPage {
    #[error(
        "{key} is changed in a shell only: it decides what is run, who gets in or which work \
         passes. Type\n{command}"
    )]
    ShellOnly { key: String, command: String },
    #[error(
        "{key} is a limit, and the page takes no limit away: a value above 0 changes it. To take it \
         away, type\n{command}"
    )]
    LimitTaken { key: String, command: String },
    #[error("{key} in {} was changed in the meantime, and is {now}", path.display())]
    Changed {
        key: String,
        path: PathBuf,
        now: String,
    },
}

impl ShownSetting {
    /// Describes the change in the imperative. `None` removes the setting.
    pub fn describe_change(&self, value: Option<&str>) -> String {
        let place = match &self.rig {
            Some(rig) => format!("rig {rig}"),
            None => "the town".to_owned(),
        };
        match value {
            Some(value) => format!("Set {} of {place} to \"{value}\"", self.key),
            None => format!("Remove {} from the settings of {place}", self.key),
        }
    }

    /// Changes the setting for a user of the page, and describes the result in one line.
    pub fn change(&self, town: &Town, value: Option<&str>) -> anyhow::Result<String> {
        let rig = self
            .rig
            .as_ref()
            .map(|rig| town.find_rig(rig))
            .transpose()?;
        rule::find_setting(&SettingsLayers::load(town, rig.as_ref())?, &self.key)?;
        let Some(setting) = key::find_key(&self.key).filter(|key| key.is_on_page) else {
            let value = value.map(|_| "VALUE");
            return Err(RefusedOnPage::ShellOnly {
                command: command_to_change(&self.key, self.rig.as_deref(), value),
                key: self.key.clone(),
            }
            .into());
        };
        let lock = lock_settings(town)?;
        let layers = SettingsLayers::load(town, rig.as_ref())?;
        let stored = layers.stored_setting(&self.key);
        if stored.text() != self.stored {
            return Err(RefusedOnPage::Changed {
                key: self.key.clone(),
                path: stored.path.to_owned(),
                now: match stored.text() {
                    None => "not set now".to_owned(),
                    Some(text) => format!("{text} now"),
                },
            }
            .into());
        }
        let below = self.value_below(town, setting)?;
        let before = Some(stored.value).filter(|value| !value.is_null());
        // A value that does not fit is refused below.
        let after = value.map(|text| setting.parse(text).unwrap_or_else(|| Value::from(text)));
        if setting.is_without_limit(after.as_ref().unwrap_or(&below))
            && !setting.is_without_limit(before.unwrap_or(&below))
        {
            return Err(RefusedOnPage::LimitTaken {
                command: command_to_change(&self.key, self.rig.as_deref(), value),
                key: self.key.clone(),
            }
            .into());
        }
        let change = SettingChange {
            key: &self.key,
            value,
            layer: SettingsLayer::Settings,
        };
        let file = change.apply_locked(&lock, town, rig.as_ref())?;
        describe_result(town, rig.as_ref(), &change, &file)
    }

    /// Returns the value that counts if the file does not have the setting.
    fn value_below(&self, town: &Town, key: &SettingKey) -> anyhow::Result<Value> {
        let of_town = match self.rig {
            Some(_) => SettingsLayers::load(town, None)?.get(&self.key),
            None => None,
        };
        Ok(of_town.map_or_else(|| key.built_in_value(), |setting| setting.value))
    }
}

/// Returns the command that sets or removes a setting of a rig, or of the town without a rig.
pub fn command_to_change(key: &str, rig: Option<&str>, value: Option<&str>) -> String {
    let verb = if value.is_some() { "set" } else { "unset" };
    let scope = match rig {
        Some(rig) => format!("--rig {}", quote_for_shell(rig)),
        None => "--town".to_owned(),
    };
    let value = value.map_or_else(String::new, |value| format!(" {}", quote_for_shell(value)));
    format!("gt config {verb} {scope} {}{value}", quote_for_shell(key))
}

/// Describes a change, and the value that counts now if it comes from another layer.
fn describe_result(
    town: &Town,
    rig: Option<&Rig>,
    change: &SettingChange,
    file: &Path,
) -> anyhow::Result<String> {
    let key = change.key;
    let counts = rule::find_setting(&SettingsLayers::load(town, rig)?, key)?;
    let is_from_file = match &counts.origin {
        SettingOrigin::Rig(path) | SettingOrigin::Town(path) => path == file,
        _ => false,
    };
    let done = match change.value {
        Some(value) => format!("{key} = {}  ({})", escape_line(value), file.display()),
        None => format!("{key} is no longer set in {}", file.display()),
    };
    Ok(if is_from_file {
        done
    } else {
        let value = match &counts.value {
            Value::Null => "no value".to_owned(),
            value => escape_line(&value.to_string()),
        };
        format!("{done}; {value} counts, from {}", counts.origin)
    })
}

/// Checks that the switch of a rule of the whole town is set for the town.
fn check_rule_scope(rig: Option<&Rig>, key: &str) -> Result<(), ChangeError> {
    let is_towns = rule::switched_by(key).is_some_and(|rule| rule.scope == RuleScope::Town);
    if is_towns && rig.is_some() {
        return Err(ChangeError::WrongPlace {
            name: key.to_owned(),
            reason: "it is the whole town's: use --town",
        });
    }
    Ok(())
}

/// Checks the words of a name that a family of settings leaves open. Files may have others: those
/// are read and removed, and no new ones are added.
fn check_member_name(name: &str) -> Result<(), ChangeError> {
    let Some(key) = key::find_key(name) else {
        return Ok(());
    };
    let is_of_roles = matches!(key.name, "context.budget.*" | "role_agents.*");
    for member in key.members_of(name) {
        let expected = if is_of_roles && !SESSION_ROLES.contains(&member) {
            format!("one of {}", SESSION_ROLES.join(", "))
        } else if !is_member_name(member) {
            format!("up to {MAX_MEMBER_NAME} letters, digits, `.`, `_`, `@` and `-`")
        } else {
            continue;
        };
        return Err(ChangeError::BadMember {
            family: key.name,
            member: member.to_owned(),
            expected,
        });
    }
    Ok(())
}

/// Handles of accounts may be addresses of mail, so `@` is allowed.
fn is_member_name(member: &str) -> bool {
    (1..=MAX_MEMBER_NAME).contains(&member.len())
        && member
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.@-".contains(&byte))
}

/// Checks that a theme of names or colours is one. An empty text chooses none.
fn check_theme_name(key: &str, value: &str) -> Result<(), ChangeError> {
    let known: Vec<String> = match key {
        "namepool.style" => polecat::theme_names().map(str::to_owned).collect(),
        "theme.name" => theme::list_themes()
            .into_iter()
            .map(|theme| theme.name)
            .collect(),
        _ => return Ok(()),
    };
    if value.is_empty() || known.iter().any(|name| name == value) {
        return Ok(());
    }
    Err(ChangeError::BadValue {
        name: key.to_owned(),
        text: escape_line(value),
        expected: format!("one of {}", known.join(", ")),
    })
}

/// Checks that an agent's name is defined in the settings or among the built-in presets.
fn check_agent_name(
    layout: &TownLayout,
    rig: Option<&Rig>,
    key: &str,
    value: &str,
) -> anyhow::Result<()> {
    let names_agent = match key {
        "default_agent" => rig.is_none(),
        "agent" => rig.is_some(),
        _ => key.starts_with("role_agents."),
    };
    if !names_agent {
        return Ok(());
    }
    let known = runtime::list_agent_names(layout, rig.map(Rig::layout))?;
    anyhow::ensure!(
        known.iter().any(|name| name == value),
        ChangeError::BadValue {
            name: key.to_owned(),
            text: value.to_owned(),
            expected: format!("an agent ({})", known.join(", ")),
        }
    );
    Ok(())
}

/// Checks that the name in a limit of the scheduler is an agent of the town or a rig, or an
/// account.
fn check_limited_name(town: &Town, key: &str) -> anyhow::Result<()> {
    let (kind, name, known) = match StartUse::from_setting(key) {
        Some(StartUse::Agent(name)) => {
            let mut known = runtime::list_agent_names(&town.layout, None)?;
            for rig in town.list_rigs()? {
                known.extend(runtime::list_agent_names(&town.layout, Some(rig.layout()))?);
            }
            ("agent", name, known)
        }
        Some(StartUse::Account(name)) => {
            let accounts = AccountBook::load(&town.layout)?.accounts;
            ("account", name, accounts.into_keys().collect())
        }
        None => return Ok(()),
    };
    if known.contains(&name) {
        return Ok(());
    }
    let names: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let mut near = sort_nearest_first(&name, names.into_iter().collect());
    near.truncate(MAX_PROPOSALS);
    let near = match near.as_slice() {
        [] => String::new(),
        near => format!(" (did you mean {}?)", near.join(", ")),
    };
    anyhow::bail!("there is no {kind} `{name}`{near}: not found");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::TestTown;
    use crate::town::identity::Address;

    /// Returns a town whose settings files are these texts.
    fn town_with(town_file: &str, rig_file: &str) -> TestTown {
        let place = TestTown::new();
        let origin = place.create_origin(&[("a.txt", "1\n")]);
        place.add_rig("web", Some(&origin)).unwrap();
        for (path, text) in [
            (place.town.layout.settings(), town_file),
            (place.town.rig("web").settings(), rig_file),
        ] {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        place
    }

    fn shown(key: &str, rig: Option<&str>, stored: &Value) -> ShownSetting {
        ShownSetting {
            key: key.to_owned(),
            rig: rig.map(str::to_owned),
            stored: (!stored.is_null()).then(|| stored.to_string()),
        }
    }

    fn read_files(place: &TestTown) -> [String; 2] {
        [
            place.town.layout.settings(),
            place.town.rig("web").settings(),
        ]
        .map(|path| std::fs::read_to_string(path).unwrap())
    }

    #[test]
    fn the_page_changes_one_value_of_one_file_and_names_the_layer_that_counts() {
        let place = town_with(
            "{\n  \"mine\": [1, 2.5],\n  \"budget\": {\n    \"day\": 5\n  }\n}\n",
            "{}\n",
        );
        let town = &place.town;
        let done = shown("budget.day", None, &json!(5)).change(town, Some("7"));
        assert!(done.unwrap().starts_with("budget.day = 7  ("));
        let [town_file, rig_file] = read_files(&place);
        let expected =
            "{\n  \"mine\": [\n    1,\n    2.5\n  ],\n  \"budget\": {\n    \"day\": 7\n  }\n}\n";
        assert_eq!((town_file.as_str(), rig_file.as_str()), (expected, "{}\n"));
        let done = shown("budget.rig", Some("web"), &Value::Null).change(town, Some("2.50"));
        assert!(!done.unwrap().contains("counts"));
        assert_eq!(read_files(&place)[0], expected);
        shown("patrol.patience", None, &Value::Null)
            .change(town, Some("1h"))
            .unwrap();
        let removed = shown("patrol.patience", None, &json!("1h")).change(town, None);
        let removed = removed.unwrap();
        assert!(
            removed.contains("is no longer set")
                && removed.ends_with("\"30m\" counts, from built-in"),
            "{removed}"
        );
        // A higher layer hides the value of the file.
        let local = SettingChange {
            key: "max_polecats",
            value: Some("3"),
            layer: SettingsLayer::Local,
        };
        local.apply(town, Some(&town.rig("web"))).unwrap();
        let hidden = shown("max_polecats", Some("web"), &Value::Null).change(town, Some("9"));
        let hidden = hidden.unwrap();
        assert!(hidden.contains("; 3 counts, from local: "), "{hidden}");
    }

    #[test]
    fn a_change_is_an_event_without_values_that_may_be_secret() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let town = &place.town;
        let rig = town.rig("web");
        let gate = "merge_queue.gates.check.cmd";
        for (key, value, in_rig) in [
            ("max_polecats", Some("3"), true),
            ("max_polecats", None, true),
            (gate, Some("TOKEN=hunter2 make"), true),
            (gate, Some("make"), true),
            ("permissions.polecat.given", Some("memories"), false),
            ("metrics.otlp", Some("http://127.0.0.1:4318"), false),
        ] {
            let layer = SettingsLayer::Settings;
            let change = SettingChange { key, value, layer };
            change.apply(town, in_rig.then_some(&rig)).unwrap();
        }
        let events = crate::town::event::read_events(&town.layout).unwrap();
        let changes = events
            .iter()
            .filter(|event| event.kind == "setting_changed");
        let changes: Vec<String> = changes
            .map(|event| {
                let [key, place, before, after] = ["key", "place", "before", "after"]
                    .map(|field| event.payload[field].as_str().unwrap());
                format!("{key} of {place}: {before} → {after}")
            })
            .collect();
        let expected = [
            "max_polecats of rig web: 10 → 3",
            "max_polecats of rig web: 3 → 10",
            "merge_queue.gates.check.cmd of rig web: no value → (not shown)",
            "merge_queue.gates.check.cmd of rig web: (not shown) → make",
            "permissions.polecat.given of the town: no value → [\"memories\"]",
            "metrics.otlp of the town: no value → http://127.0.0.1:4318",
        ];
        assert_eq!(changes, expected);
        assert_eq!(events.last().unwrap().actor, town.actor.to_string());
        let text = std::fs::read_to_string(town.layout.events()).unwrap();
        assert!(!text.contains("hunter2"), "{text}");
    }

    #[test]
    fn the_page_refuses_values_that_run_programs_and_names_the_command() {
        let place = town_with("{\"mine\":1}", "{\"mine\":2}");
        let before = read_files(&place);
        for key in key::all_keys().iter().filter(|key| !key.is_on_page) {
            let name = match key.name {
                "patrol.rules.*" => "patrol.rules.N1-run-plugin".to_owned(),
                name => name.replace('*', "x"),
            };
            for (rig, value) in [
                (None, Some("true")),
                (Some("web"), Some("true")),
                (None, None),
            ] {
                let setting = shown(&name, rig, &Value::Null);
                let refused = setting.change(&place.town, value).unwrap_err();
                let error = refused.downcast_ref::<RefusedOnPage>();
                let Some(RefusedOnPage::ShellOnly { command, .. }) = error else {
                    panic!("{name}: {refused:#}");
                };
                let scope = if rig.is_some() { "--rig web" } else { "--town" };
                let expected = match value {
                    Some(_) => format!("gt config set {scope} {name} VALUE"),
                    None => format!("gt config unset {scope} {name}"),
                };
                assert_eq!(*command, expected);
            }
        }
        // A name with shell syntax is quoted in the command.
        let gate = shown("merge_queue.gates.$(id).cmd", None, &Value::Null);
        let refused = gate.change(&place.town, Some("id")).unwrap_err();
        let text = refused.to_string();
        assert!(
            text.ends_with("\ngt config set --town 'merge_queue.gates.$(id).cmd' VALUE"),
            "{text}"
        );
        assert_eq!(read_files(&place), before);
    }

    #[test]
    fn the_page_changes_nothing_that_it_has_not_shown() {
        let place = town_with(
            "{\"budget\":{\"day\":5}}",
            "{\"budget\":{\"rig\":\"much\"}}",
        );
        let before = read_files(&place);
        let town = &place.town;
        for (setting, value, reason) in [
            (shown("budget.day", None, &json!(4)), Some("7"), "is 5 now"),
            (shown("budget.day", None, &json!(4)), None, "is 5 now"),
            (
                shown("budget.day", None, &json!("5")),
                Some("7"),
                "is 5 now",
            ),
            (
                shown("max_polecats", None, &json!(1)),
                Some("7"),
                "is not set now",
            ),
            (
                shown("budget.rig", Some("web"), &Value::Null),
                Some("1"),
                "is \"much\" now",
            ),
            (
                shown("budget.day", None, &json!(5)),
                Some("-1"),
                "must be an amount",
            ),
            (
                shown("budget.day", None, &json!(5)),
                Some("1e999"),
                "must be an amount",
            ),
            (
                shown("budget.day", Some("web"), &Value::Null),
                Some("7"),
                "use --town",
            ),
            (
                shown("theme.name", None, &Value::Null),
                Some("rust"),
                "--rig",
            ),
            (
                shown("budget.days", None, &Value::Null),
                Some("7"),
                "did you mean budget.day?",
            ),
            (
                shown("mine", None, &Value::Null),
                None,
                "there is no setting",
            ),
            (
                shown("budget", None, &json!({"day": 5})),
                None,
                "there is no setting",
            ),
            (
                shown("scheduler.max_per_agent.nobody", None, &Value::Null),
                Some("1"),
                "there is no agent",
            ),
            (
                shown("namepool.names", None, &Value::Null),
                Some("../up"),
                "name",
            ),
            (
                shown("max_polecats", Some("nowhere"), &Value::Null),
                Some("1"),
                "nowhere",
            ),
        ] {
            let refused = setting.change(town, value).unwrap_err();
            let text = format!("{refused:#}");
            assert!(text.contains(reason), "{setting:?}: {text}");
        }
        assert_eq!(read_files(&place), before);
    }

    #[test]
    fn the_page_takes_no_limit_away_and_names_the_command() {
        let place = town_with(
            "{\"budget\":{\"day\":5,\"rig\":4},\"scheduler\":{\"max_per_agent\":{\"claude\":2}}}",
            "{\"budget\":{\"rig\":3}}",
        );
        let town = &place.town;
        let before = read_files(&place);
        for (setting, value, command) in [
            (
                shown("budget.day", None, &json!(5)),
                Some("0.0"),
                "set --town budget.day 0.0",
            ),
            (
                shown("budget.day", None, &json!(5)),
                None,
                "unset --town budget.day",
            ),
            (
                shown("budget.rig", Some("web"), &json!(3)),
                Some("0"),
                "set --rig web budget.rig 0",
            ),
            (
                shown("patrol.budget.per_minute", None, &Value::Null),
                Some("0"),
                "set --town patrol.budget.per_minute 0",
            ),
            (
                shown("scheduler.min_free_disk_mb", None, &Value::Null),
                Some(" 0 "),
                "set --town scheduler.min_free_disk_mb ' 0 '",
            ),
            (
                shown("scheduler.max_per_agent.claude", None, &json!(2)),
                None,
                "unset --town scheduler.max_per_agent.claude",
            ),
        ] {
            let refused = setting.change(town, value).unwrap_err().to_string();
            let end = format!("To take it away, type\ngt config {command}");
            assert!(refused.ends_with(&end), "{refused}");
        }
        assert_eq!(read_files(&place), before);
        for (setting, value, expected) in [
            (
                shown("budget.day", None, &json!(5)),
                "1e308",
                "up to 1000000000",
            ),
            (
                shown("git.network_timeout", None, &Value::Null),
                "1ns",
                "at least 1s",
            ),
        ] {
            let refused = setting.change(town, Some(value)).unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        }
        // The town's limit counts in place of the rig's, and nothing is no limit already.
        let rigs = shown("budget.rig", Some("web"), &json!(3));
        rigs.change(town, None).unwrap();
        shown("scheduler.max_load", None, &Value::Null)
            .change(town, Some("0"))
            .unwrap();
    }

    #[test]
    fn a_value_is_compared_as_the_text_that_the_page_got() {
        let place = town_with(
            "{\"budget\":{\"day\":5.0},\"max_polecats_per_rig\":3}",
            "{\"max_polecats_per_rig\":4}",
        );
        let town = &place.town;
        let layers = SettingsLayers::load(town, None).unwrap();
        let day = layers.stored_setting("budget.day").text();
        assert_eq!(day.as_deref(), Some("5.0"));
        shown("budget.day", None, &json!(5.0))
            .change(town, Some("7"))
            .unwrap();
        // The name of other versions counts in the town's file.
        let refused = shown("max_polecats", None, &Value::Null).change(town, Some("9"));
        assert!(refused.unwrap_err().to_string().contains("is 3 now"));
        let removed = shown("max_polecats", None, &json!(3)).change(town, None);
        let removed = removed.unwrap();
        assert!(removed.ends_with("10 counts, from built-in"), "{removed}");
        let done = shown("max_polecats", Some("web"), &Value::Null).change(town, Some("9"));
        done.unwrap();
    }

    #[test]
    fn only_plain_names_join_a_family_and_only_known_themes_are_chosen() {
        let old = "merge_queue.gates.my gate.cmd";
        let place = town_with(
            "{}",
            "{\"merge_queue\":{\"gates\":{\"my gate\":{\"cmd\":\"x\"}}}}",
        );
        let town = &place.town;
        let rig = town.rig("web");
        let before = read_files(&place);
        let change =
            |key, value, layer| SettingChange { key, value, layer }.apply(town, Some(&rig));
        let long = format!("merge_queue.gates.{}.cmd", "x".repeat(30_000));
        for (name, value) in [
            ("context.budget.\u{1b}[31mred", "1"),
            ("context.budget.*", "1"),
            ("context.budget.overseer", "1"),
            ("context.budget.my role", "1"),
            ("role_agents.pole", "claude"),
            ("merge_queue.gates.*.cmd", "true"),
            ("merge_queue.gates.a\nb.cmd", "true"),
            (&*long, "true"),
            ("namepool.style", "ri\u{1b}vers"),
            ("theme.name", "#(touch owned)"),
        ] {
            for layer in [SettingsLayer::Settings, SettingsLayer::Local] {
                let refused = change(name, Some(value), layer).unwrap_err().to_string();
                let is_plain = !refused.chars().any(char::is_control) && refused.len() < 500;
                assert!(is_plain, "{refused:?}");
                assert!(
                    refused.contains("must be") || refused.contains("there is no"),
                    "{refused}"
                );
            }
        }
        assert_eq!(read_files(&place), before);
        let settings = SettingsLayer::Settings;
        change(old, None, settings).unwrap();
        for (name, value) in [
            ("context.budget.polecat", "1"),
            ("merge_queue.gates.unit_1-a.cmd", "true"),
            ("namepool.style", "rivers"),
            ("theme.name", "ocean"),
            ("theme.name", ""),
        ] {
            change(name, Some(value), settings).unwrap();
        }
        for address in [
            Address::Mayor,
            Address::Deacon,
            Address::Boot,
            Address::Dog("a".to_owned()),
            Address::Witness("web".to_owned()),
            Address::Refinery("web".to_owned()),
            Address::Polecat("web".to_owned(), "a".to_owned()),
            Address::Crew("web".to_owned(), "a".to_owned()),
        ] {
            assert!(SESSION_ROLES.contains(&address.role()), "{address:?}");
        }
    }

    #[test]
    fn a_label_of_the_rig_is_not_taken_for_the_value_of_the_file() {
        let place = town_with("{}", "{}");
        let town = &place.town;
        let rig = town.rig("web");
        let label = |tx: &mut bd::store::Tx| {
            let mut bead = tx.get("web-rig-web").cloned().unwrap();
            bead.labels.push("priority_adjustment:9".to_owned());
            Ok(tx.put(bead)?)
        };
        town.transact(&rig.store().unwrap(), label).unwrap();
        let setting = shown("priority_adjustment", Some("web"), &json!(9));
        let refused = setting.change(town, Some("1")).unwrap_err();
        assert!(refused.to_string().contains("is not set now"));
        let setting = shown("priority_adjustment", Some("web"), &Value::Null);
        let done = setting.change(town, Some("1")).unwrap();
        assert!(done.contains("; 10 counts, from 9 (bead: "), "{done}");
        let layers = SettingsLayers::load(town, Some(&rig)).unwrap();
        assert_eq!(layers.sum("priority_adjustment"), 10);
    }
}
