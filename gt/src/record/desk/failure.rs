//! The failure that keeps the workers of a rig from starting: `.runtime/desk/failure.json`.

use std::fmt;
use std::path::PathBuf;

use kit::sys::{file, foreign};
use kit::ui::{cut, escape};
use serde::{Deserialize, Serialize};

use super::carried::list_carried_files;
use super::hash_parts;
use crate::record::state_file;
use crate::town::RigLayout;
use crate::town::config::{DeskSettings, SettingsLayers};

/// The maximum width of a quoted line of output.
const LAST_LINE_COLUMNS: usize = 80;

/// The setting that asks for a jail.
pub const JAIL_SETTING: &str = "sandbox.jail";

/// Its value if nothing is started without a jail.
const REQUIRED: &str = "required";

/// A step of the preparation of a desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeskStep {
    Setup,
    Check,
    Teardown,
    /// The jail of the sessions, which are started after all commands.
    Jail,
}

impl fmt::Display for DeskStep {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Setup => "setup",
            Self::Check => "check",
            Self::Teardown => "teardown",
            Self::Jail => "jail",
        })
    }
}

/// A failed command of a desk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeskFailure {
    /// The hash of the desk that failed, if it could be read. Another desk is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desk: Option<String>,
    pub step: DeskStep,
    pub command: String,
    /// How the command ended.
    pub end: String,
    /// The last lines of its output.
    #[serde(default)]
    pub tail: String,
    pub log: PathBuf,
    /// The work tree in which it ran.
    #[serde(default)]
    pub tree: PathBuf,
    /// The time, RFC 3339.
    #[serde(default)]
    pub at: String,
}

impl DeskFailure {
    /// Makes the failure one of the whole rig.
    pub fn save(&self, rig: &RigLayout) -> anyhow::Result<()> {
        state_file::write_state(&rig.desk_failure(), self)
    }

    /// Ends the failure of a rig. Returns true if there was one.
    pub fn clear(rig: &RigLayout) -> anyhow::Result<bool> {
        let path = rig.desk_failure();
        let found = path.exists();
        file::remove_file(&path)?;
        Ok(found)
    }

    /// Describes the failure in one line.
    pub fn describe(&self) -> String {
        if self.step == DeskStep::Jail {
            return escape::escape_line(&self.tail);
        }
        format!(
            "the {} of the desk failed ({}): {}",
            self.step,
            self.end,
            escape::escape_line(&self.command)
        )
    }

    /// Quotes the last line of the output, to be appended to a sentence.
    pub fn quote_last_line(&self) -> String {
        let last = self.tail.lines().rfind(|line| !line.trim().is_empty());
        last.map_or_else(String::new, |line| {
            let line = cut::cut_to_width(line.trim(), LAST_LINE_COLUMNS);
            format!("; its last line: {}", escape::escape_line(&line))
        })
    }

    /// Returns the commands of which one ends the failure.
    pub fn next_steps(&self, rig: &str) -> Vec<String> {
        let flag = self.step;
        if flag == DeskStep::Jail {
            return vec![
                "gt doctor jail".to_owned(),
                format!("gt rig desk {rig} --try"),
            ];
        }
        vec![
            format!("gt rig desk {rig} --try"),
            format!("gt rig desk {rig} --{flag} \"<command>\""),
        ]
    }
}

/// Returns the failure that keeps the workers of a rig from starting. None as soon as the desk was
/// changed. A record that cannot be read counts as none, because the next start fails again.
pub fn find_desk_failure(rig: &RigLayout, layers: &SettingsLayers) -> Option<DeskFailure> {
    let failure = state_file::read_state::<DeskFailure>(&rig.desk_failure());
    let failure = failure.ok().flatten()?;
    let is_of_rig = failure.step == DeskStep::Jail && failure.command == JAIL_SETTING;
    if is_of_rig && layers.text(JAIL_SETTING).as_deref() != Some(REQUIRED) {
        return None;
    }
    let desk = hash_desk(rig, &DeskSettings::from_layers(layers));
    (desk.is_none() || desk == failure.desk).then_some(failure)
}

/// Returns the hash of the commands of a desk and its carried files. None if they cannot be read.
pub fn hash_desk(rig: &RigLayout, settings: &DeskSettings) -> Option<String> {
    let DeskSettings {
        setup,
        setup_files,
        check,
        teardown: _,
    } = settings;
    let commands = [setup, check].map(|line| line.as_deref().unwrap_or("").as_bytes().to_vec());
    let mut parts = commands.to_vec();
    parts.extend(setup_files.iter().map(|name| name.as_bytes().to_vec()));
    for carried in list_carried_files(rig).ok()? {
        let content = foreign::read_small_file(&carried.path).ok()??;
        parts.extend([carried.name.into_bytes(), content]);
    }
    Some(hash_parts(parts))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::TestTown;
    use crate::town::config::{SettingsLayer, change_setting};

    #[test]
    fn a_failure_lasts_until_the_desk_changes() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let layers = || SettingsLayers::load(&place.town, Some(&rig)).unwrap();
        let set = |name: &str, text: &str| {
            let layer = SettingsLayer::Settings;
            change_setting(&place.town, Some(&rig), layer, name, Some(text)).unwrap();
        };
        let fail = || {
            let settings = DeskSettings::from_layers(&layers());
            let failure = DeskFailure {
                desk: hash_desk(&rig, &settings),
                step: DeskStep::Setup,
                command: "make\u{1b}[2J setup".to_owned(),
                end: "exit code 2".to_owned(),
                tail: String::new(),
                log: rig.desk_log(rig.root()),
                tree: rig.root().to_owned(),
                at: String::new(),
            };
            failure.save(&rig).unwrap();
            find_desk_failure(&rig, &layers()).unwrap()
        };
        assert_eq!(find_desk_failure(&rig, &layers()), None);
        let failure = fail();
        assert!(!failure.describe().contains('\u{1b}'));
        set("desk.teardown", "true");
        assert!(
            find_desk_failure(&rig, &layers()).is_some(),
            "not what failed"
        );
        for (name, text) in [
            ("desk.setup", "make env"),
            ("desk.check", "make check"),
            ("desk.setup_files", "a.lock"),
        ] {
            set(name, text);
            assert_eq!(find_desk_failure(&rig, &layers()), None, "{name}");
            fail();
        }
        fs::create_dir_all(rig.overlay()).unwrap();
        fs::write(rig.overlay().join(".env"), "A=1").unwrap();
        assert_eq!(find_desk_failure(&rig, &layers()), None);
        fail();
        fs::write(rig.desk_failure(), "{").unwrap();
        assert_eq!(find_desk_failure(&rig, &layers()), None);
        assert!(DeskFailure::clear(&rig).unwrap() && !DeskFailure::clear(&rig).unwrap());
    }
}
