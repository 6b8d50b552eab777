//! The plugins of a town: recurring or triggered work in folders with a file `plugin.md`.
//!
//! A plugin belongs to the town (`<town>/plugins/<dir>/`) or to a rig (`<rig>/plugins/<dir>/`).
//! A broken file breaks only its own plugin, and a file that is a link out of the town is not read.
//!
//! - `file`: the text of `plugin.md`.
//! - [`gate`]: when a plugin runs automatically.
//! - [`memory`]: the state of the gates, `.runtime/plugins.json`.
//! - [`history`]: the input of a gate, read from memory, run records and events.
//! - [`run`]: the records of runs, which are internal beads of the town.

mod file;
pub mod gate;
pub mod history;
pub mod memory;
pub mod run;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

pub use file::{
    ExecutionKind, ExecutionSpec, GateSpec, PluginFile, PluginFileError, TrackingSpec,
    parse_plugin_file,
};
pub use gate::PluginGate;

use crate::record::escalation::Severity;
use crate::town::TownLayout;
use crate::town::config::SettingsLayers;
use crate::town::lock::Lock;

/// The file that makes a folder a plugin.
pub const PLUGIN_FILE: &str = "plugin.md";

/// The program of a plugin that needs no agent.
pub const SCRIPT: &str = "run.sh";

/// The setting with the plugins that never run automatically.
pub const DISABLED: &str = "plugins.disabled";

/// The maximum size of a plugin's file in bytes.
const MAX_FILE_SIZE: u64 = 256 * 1024;

/// The time limit of a run without a setting, and the longest one.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// A plugin of the town or of a rig.
#[derive(Debug, Clone)]
pub struct Plugin {
    pub file: PluginFile,
    /// The rig that the plugin belongs to. None for the town's own.
    pub rig: Option<String>,
    pub folder: PathBuf,
    /// True if the folder has a program to run.
    pub has_script: bool,
    /// The time of the last change of the plugin's file.
    pub changed_at: Timestamp,
}

/// A folder whose `plugin.md` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenPlugin {
    pub path: PathBuf,
    pub reason: String,
    /// The rig that the folder belongs to. None for the town's own.
    #[serde(skip)]
    pub rig: Option<String>,
}

impl BrokenPlugin {
    /// Returns true for the name of the folder, or `RIG/NAME`.
    fn is_called(&self, name: &str) -> bool {
        let folder = self.path.parent().and_then(Path::file_name);
        folder.is_some_and(|folder| {
            let folder = folder.to_string_lossy();
            let rig = self.rig.as_ref();
            folder == name || rig.is_some_and(|rig| format!("{rig}/{folder}") == name)
        })
    }
}

/// All plugins of a town.
#[derive(Debug, Clone, Default)]
pub struct PluginShelf {
    /// The plugins, by name and rig.
    pub plugins: Vec<Plugin>,
    pub broken: Vec<BrokenPlugin>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PluginError {
    #[error(
        "there is no plugin `{name}` in this town: not found{}",
        list_known(known)
    )]
    Unknown { name: String, known: Vec<String> },
    /// The file of the plugin cannot be used.
    #[error("the plugin `{name}` cannot be used: {}: {reason}", path.display())]
    Broken {
        name: String,
        path: PathBuf,
        reason: String,
    },
    /// Several rigs have a plugin of the name.
    #[error("several plugins are called `{name}`; name one of {}", known.join(", "))]
    Ambiguous { name: String, known: Vec<String> },
}

fn list_known(known: &[String]) -> String {
    match known {
        [] => String::new(),
        known => format!(" (plugins: {})", known.join(", ")),
    }
}

impl Plugin {
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Returns the name that identifies the plugin in the whole town: `NAME`, or `RIG/NAME`.
    pub fn key(&self) -> String {
        match &self.rig {
            Some(rig) => format!("{rig}/{}", self.name()),
            None => self.name().to_owned(),
        }
    }

    /// Returns how the plugin runs: as its file says, otherwise by its program if it has one.
    pub fn execution_kind(&self) -> ExecutionKind {
        let by_itself = if self.has_script {
            ExecutionKind::Script
        } else {
            ExecutionKind::Agent
        };
        self.file.execution.kind.unwrap_or(by_itself)
    }

    /// Returns the path of the plugin's program.
    pub fn script(&self) -> PathBuf {
        self.folder.join(SCRIPT)
    }

    /// Returns the time limit of a run.
    pub fn timeout(&self) -> Duration {
        let limit = gate::parse_duration(&self.file.execution.timeout);
        let limit = limit.and_then(|limit| Duration::try_from(limit).ok());
        limit.unwrap_or(DEFAULT_TIMEOUT).min(MAX_TIMEOUT)
    }

    /// Returns the severity of the escalation about a failed run.
    pub fn severity(&self) -> Severity {
        Severity::parse(&self.file.execution.severity).unwrap_or_default()
    }

    /// Returns what is wrong in the plugin's file, although the plugin can be run by hand.
    pub fn problems(&self) -> Vec<String> {
        let execution = &self.file.execution;
        let mut problems = Vec::new();
        let gate = PluginGate::from_spec(&self.file.gate);
        if let PluginGate::Closed(reason) = &gate {
            problems.push(format!("{reason}, so it never runs automatically"));
        }
        problems.extend(gate.unknown_events());
        if !execution.timeout.is_empty() && gate::parse_duration(&execution.timeout).is_none() {
            problems.push(format!(
                "`{}` is no duration, so the time limit is 10m",
                execution.timeout
            ));
        }
        if !execution.severity.is_empty() && Severity::parse(&execution.severity).is_none() {
            problems.push(format!(
                "`{}` is no severity, so it is {}",
                execution.severity,
                self.severity().name()
            ));
        }
        if execution.kind == Some(ExecutionKind::Script) && !self.has_script {
            problems.push(format!("it has no {SCRIPT}"));
        }
        problems
    }

    /// Returns true if the settings turn the plugin off.
    pub fn is_disabled(&self, disabled: &BTreeSet<String>) -> bool {
        disabled.contains(self.name()) || disabled.contains(&self.key())
    }
}

/// Returns the names in the setting `plugins.disabled`.
pub fn disabled_plugins(layers: &SettingsLayers) -> BTreeSet<String> {
    let mut names = layers.list(DISABLED);
    names.retain(|name| !name.is_empty());
    names.into_iter().collect()
}

/// Finds all plugins of a town and the given rigs. A rig's plugin replaces the town's of the same
/// name in every rig, so the town's does not run then.
pub fn find_plugins<'a>(
    layout: &TownLayout,
    rigs: impl IntoIterator<Item = &'a str>,
) -> PluginShelf {
    let mut shelf = PluginShelf::default();
    for rig in rigs {
        scan_folder(layout, &layout.rig(rig).plugins(), Some(rig), &mut shelf);
    }
    let overridden: BTreeSet<String> = shelf
        .plugins
        .iter()
        .map(|plugin| plugin.name().to_owned())
        .collect();
    scan_folder(layout, &layout.plugins(), None, &mut shelf);
    shelf
        .plugins
        .retain(|plugin| plugin.rig.is_some() || !overridden.contains(plugin.name()));
    shelf
        .plugins
        .sort_by(|a, b| (a.name(), &a.rig).cmp(&(b.name(), &b.rig)));
    shelf
}

/// Reads the plugins of one folder. A missing folder has none, and a folder without a file
/// `plugin.md` is none.
fn scan_folder(layout: &TownLayout, folder: &Path, rig: Option<&str>, shelf: &mut PluginShelf) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    for folder in folders {
        let path = folder.join(PLUGIN_FILE);
        if path.symlink_metadata().is_err() {
            continue;
        }
        match read_plugin(layout, &folder, &path, rig) {
            Ok(plugin) => {
                let twin = shelf
                    .plugins
                    .iter()
                    .find(|other| other.key() == plugin.key());
                match twin {
                    Some(twin) => shelf.broken.push(BrokenPlugin {
                        reason: format!(
                            "{} has the name `{}` already",
                            twin.folder.display(),
                            plugin.name()
                        ),
                        path,
                        rig: rig.map(str::to_owned),
                    }),
                    None => shelf.plugins.push(plugin),
                }
            }
            Err(reason) => shelf.broken.push(BrokenPlugin {
                path,
                reason,
                rig: rig.map(str::to_owned),
            }),
        }
    }
}

fn read_plugin(
    layout: &TownLayout,
    folder: &Path,
    path: &Path,
    rig: Option<&str>,
) -> Result<Plugin, String> {
    check_inside(layout, rig, path)?;
    let meta = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if meta.len() > MAX_FILE_SIZE {
        return Err(format!("it has more than {} KiB", MAX_FILE_SIZE / 1024));
    }
    let bytes = kit::sys::file::read_regular_file(path)
        .map_err(|error| error.to_string())?
        .ok_or("it was removed")?;
    let text = String::from_utf8(bytes).map_err(|_| "it is no text (not UTF-8)".to_owned())?;
    let file = parse_plugin_file(&text).map_err(|error| error.to_string())?;
    let changed = meta.modified().ok().and_then(|at| at.try_into().ok());
    Ok(Plugin {
        file,
        rig: rig.map(str::to_owned),
        has_script: folder.join(SCRIPT).is_file(),
        folder: folder.to_owned(),
        changed_at: changed.unwrap_or(Timestamp::UNIX_EPOCH),
    })
}

/// The beginning of the work of a dog that has a plugin.
pub const DOG_WORK: &str = "plugin:";

/// Returns true if a dog's work is a plugin whose program runs now.
pub fn is_dog_work_running(layout: &TownLayout, work: &str) -> bool {
    let key = work.strip_prefix(DOG_WORK);
    key.is_some_and(|key| !Lock::is_free(&layout.plugin_lock(key)))
}

/// Refuses a path that a link leads out of the folder `plugins/` of the town or of a rig, for
/// example into a clone, whose content comes with a repository.
pub fn check_inside(layout: &TownLayout, rig: Option<&str>, path: &Path) -> Result<(), String> {
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    let plugins = match rig {
        Some(rig) => layout.rig(rig).plugins(),
        None => layout.plugins(),
    };
    let expected = plugins.strip_prefix(layout.root());
    let root = layout.root().canonicalize();
    if let (Ok(expected), Ok(root)) = (expected, root)
        && real.starts_with(root.join(expected))
    {
        return Ok(());
    }
    Err(format!(
        "a link leads out of {}, to {}: copy the files instead",
        plugins.display(),
        real.display()
    ))
}

impl PluginShelf {
    /// Returns the plugin of a name: `NAME`, `RIG/NAME`, or the name of its folder. Among plugins
    /// of several rigs, the one of `rig` counts.
    pub fn find(&self, name: &str, rig: Option<&str>) -> Result<&Plugin, PluginError> {
        let is_for_rig =
            |plugin: &Plugin| rig.is_none() || plugin.rig.is_none() || plugin.rig.as_deref() == rig;
        let mut found =
            self.select_for_rig(rig, |plugin| is_for_rig(plugin) && plugin.name() == name);
        if found.is_empty() {
            found = self.select_for_rig(rig, |plugin| plugin.key() == name);
        }
        if found.is_empty() {
            found = self.select_for_rig(rig, |plugin| {
                is_for_rig(plugin)
                    && plugin
                        .folder
                        .file_name()
                        .is_some_and(|folder| folder == name)
            });
        }
        match found.as_slice() {
            [plugin] => Ok(plugin),
            [] => Err(
                match self.broken.iter().find(|broken| broken.is_called(name)) {
                    Some(broken) => PluginError::Broken {
                        name: name.to_owned(),
                        path: broken.path.clone(),
                        reason: broken.reason.clone(),
                    },
                    None => PluginError::Unknown {
                        name: name.to_owned(),
                        known: self.plugins.iter().map(Plugin::key).collect(),
                    },
                },
            ),
            several => Err(PluginError::Ambiguous {
                name: name.to_owned(),
                known: several.iter().map(|plugin| plugin.key()).collect(),
            }),
        }
    }

    /// Selects plugins. The rig's own ones hide the others.
    fn select_for_rig(
        &self,
        rig: Option<&str>,
        is_wanted: impl Fn(&Plugin) -> bool,
    ) -> Vec<&Plugin> {
        let mut found: Vec<&Plugin> = self
            .plugins
            .iter()
            .filter(|plugin| is_wanted(plugin))
            .collect();
        if found.iter().any(|plugin| plugin.rig.as_deref() == rig) {
            found.retain(|plugin| plugin.rig.as_deref() == rig);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    fn put(folder: &Path, name: &str, text: &str) {
        std::fs::create_dir_all(folder.join(name)).unwrap();
        std::fs::write(folder.join(name).join(PLUGIN_FILE), text).unwrap();
    }

    fn keys(shelf: &PluginShelf) -> Vec<String> {
        shelf.plugins.iter().map(Plugin::key).collect()
    }

    #[test]
    fn a_broken_plugin_fails_alone_and_a_rig_overrides_the_town_by_name() {
        let place = TestTown::new();
        let layout = &place.town.layout;
        let rigs = ["web", "api"];
        assert!(find_plugins(layout, rigs).plugins.is_empty());
        let town = layout.plugins();
        put(&town, "one", "+++\nname = \"tidy\"\n+++\nTown.\n");
        put(&town, "two", "+++\nname = \"watch\"\n+++\n");
        put(&town, "bad", "+++\nname =\n+++\n");
        put(&town, ".hidden", "+++\nname = \"hidden\"\n+++\n");
        put(&town, "twin", "+++\nname = \"watch\"\n+++\n");
        std::fs::create_dir_all(town.join("keeper")).unwrap();
        let rig = layout.rig("web").plugins();
        put(&rig, "own", "+++\nname = \"tidy\"\n+++\nRig.\n");
        let shelf = find_plugins(layout, rigs);
        assert_eq!(keys(&shelf), ["web/tidy", "watch"]);
        assert_eq!(shelf.plugins[0].file.instructions, "Rig.\n");
        let broken: Vec<String> = shelf
            .broken
            .iter()
            .map(|broken| {
                broken
                    .path
                    .parent()
                    .unwrap()
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        assert_eq!(broken, ["bad", "two"]);
        let folder = |name: &str| shelf.find(name, None).map(Plugin::key);
        assert_eq!(folder("tidy").unwrap(), "web/tidy");
        assert_eq!(folder("web/tidy").unwrap(), "web/tidy");
        assert_eq!(
            folder("own").unwrap(),
            "web/tidy",
            "the folder's name is accepted"
        );
        assert!(matches!(folder("none"), Err(PluginError::Unknown { .. })));
        let broken = folder("bad").unwrap_err().to_string();
        assert!(broken.contains("bad/plugin.md: line 2: "), "{broken}");
        put(
            &layout.rig("api").plugins(),
            "own",
            "+++\nname = \"tidy\"\n+++\n",
        );
        let shelf = find_plugins(layout, rigs);
        assert!(matches!(
            shelf.find("tidy", None),
            Err(PluginError::Ambiguous { .. })
        ));
        assert_eq!(shelf.find("tidy", Some("api")).unwrap().key(), "api/tidy");
    }

    #[test]
    fn a_plugin_file_that_leads_out_of_the_town_is_not_read() {
        let place = TestTown::new();
        let layout = &place.town.layout;
        let outside = place.path_beside("outside");
        put(&outside, "evil", "+++\nname = \"evil\"\n+++\n");
        let folder = layout.plugins().join("evil");
        std::fs::create_dir_all(&folder).unwrap();
        let link = folder.join(PLUGIN_FILE);
        std::os::unix::fs::symlink(outside.join("evil").join(PLUGIN_FILE), link).unwrap();
        std::os::unix::fs::symlink(outside.join("evil"), layout.plugins().join("whole")).unwrap();
        let shelf = find_plugins(layout, []);
        assert!(shelf.plugins.is_empty());
        assert_eq!(shelf.broken.len(), 2);
        assert!(shelf.broken[0].reason.contains("leads out of"));
    }

    #[test]
    fn a_plugin_that_is_a_link_into_a_clone_is_not_read() {
        let place = TestTown::new();
        let layout = &place.town.layout;
        let clone = layout.root().join("web/crew/max");
        put(&clone, "evil", "+++\nname = \"evil\"\n+++\n");
        std::fs::create_dir_all(layout.plugins()).unwrap();
        std::os::unix::fs::symlink(clone.join("evil"), layout.plugins().join("evil")).unwrap();
        // The whole folder of the rig is a link.
        std::os::unix::fs::symlink(&clone, layout.rig("web").plugins()).unwrap();
        let shelf = find_plugins(layout, ["web"]);
        assert!(shelf.plugins.is_empty());
        assert_eq!(shelf.broken.len(), 2);
    }

    #[test]
    fn wrong_values_that_do_not_matter_for_a_run_are_problems() {
        let text = "+++\nname = \"p\"\n[gate]\ntype = \"lunar\"\n[execution]\ntimeout = \"soon\"\n\
                    severity = \"dire\"\ntype = \"script\"\n+++\n";
        let plugin = Plugin {
            file: parse_plugin_file(text).unwrap(),
            rig: None,
            folder: PathBuf::new(),
            has_script: false,
            changed_at: Timestamp::UNIX_EPOCH,
        };
        assert_eq!(plugin.timeout(), DEFAULT_TIMEOUT);
        let problems = plugin.problems();
        assert_eq!(problems.len(), 4, "{problems:#?}");
        assert!(problems[0].contains("lunar"), "{problems:#?}");
    }
}
