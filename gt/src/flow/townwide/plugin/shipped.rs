//! Installs the plugins that come with Gas Town, from the folder `plugins/` of its repository, and
//! shows how the town's copies differ.
//!
//! `plugins/.shipped.json` has a hash of each file as it was installed. A file with that hash is
//! unchanged and may be replaced or removed. A file that a user changed is replaced only with
//! `force`, and stays beside the new one as `<file>.old`.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use bd::bead::hash::compute_short_hash;
use kit::sys::file;
use kit::sys::inside::ConfinedFolder;
use serde::Serialize;

use crate::host::daemon;
use crate::record::plugin::{SCRIPT, check_inside, parse_plugin_file};
use crate::record::state_file;
use crate::town::{Town, TownLayout};

/// A plugin in the folder `plugins/` of the repository.
struct ShippedPlugin {
    name: &'static str,
    /// The files by name.
    files: &'static [(&'static str, &'static str)],
}

macro_rules! shipped {
    ($($name:literal: [$($file:literal),*];)*) => {
        const SHIPPED: &[ShippedPlugin] = &[$(ShippedPlugin {
            name: $name,
            files: &[$((
                $file,
                include_str!(concat!("../../../../../plugins/", $name, "/", $file)),
            )),*],
        }),*];
    };
}

shipped! {
    "dependency-updates": ["plugin.md"];
    "flaky-gates": ["plugin.md", "run.sh"];
    "rebuild-briefings": ["plugin.md", "run.sh"];
    "stale-branches": ["plugin.md", "run.sh"];
    "town-backup": ["plugin.md", "run.sh"];
}

/// The hashes of the installed files, by plugin and file.
type Installed = BTreeMap<String, BTreeMap<String, String>>;

/// The state of a town's copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShippedState {
    Current,
    /// Not in the town.
    Missing,
    /// Unchanged since its installation, and older than what is shipped now.
    Outdated,
    /// Changed by a user.
    Changed,
    /// No longer shipped.
    Extra,
}

impl ShippedState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Missing => "missing",
            Self::Outdated => "outdated",
            Self::Changed => "changed",
            Self::Extra => "extra",
        }
    }
}

/// A file of a shipped plugin, and what was done with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShippedFile {
    pub plugin: String,
    pub file: String,
    pub state: ShippedState,
    /// `written`, `replaced` or `removed`; with `dry_run` what would be done. None if the file
    /// stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<&'static str>,
    /// The user's file that was moved aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_as: Option<String>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct SyncOptions {
    /// Only report.
    pub dry_run: bool,
    /// Remove unchanged files that are no longer shipped.
    pub clean: bool,
    /// Replace changed files, too. They are kept.
    pub force: bool,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no plugin `{name}` is shipped: not found (shipped: {})", known.join(", "))]
pub struct NotShipped {
    pub name: String,
    pub known: Vec<&'static str>,
}

/// Returns the names and descriptions of the shipped plugins that the town does not have.
pub fn list_available(layout: &TownLayout) -> Vec<(String, String)> {
    SHIPPED
        .iter()
        .filter(|shipped| !layout.plugins().join(shipped.name).exists())
        .map(|shipped| {
            let text = shipped.files.first().map_or("", |(_, text)| text);
            // A test reads the files, so they are valid.
            let file = parse_plugin_file(text);
            let description = file.map_or_else(|_| String::new(), |file| file.description);
            (shipped.name.to_owned(), description)
        })
        .collect()
}

/// Writes the shipped plugins, or the named ones, and returns the state of each file before that.
pub fn sync_shipped(
    town: &Town,
    names: &[String],
    options: SyncOptions,
) -> anyhow::Result<Vec<ShippedFile>> {
    for name in names {
        if SHIPPED.iter().all(|shipped| shipped.name != name) {
            let name = name.clone();
            let known = SHIPPED.iter().map(|shipped| shipped.name).collect();
            return Err(NotShipped { name, known }.into());
        }
    }
    let layout = &town.layout;
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let mut installed: Installed = state_file::read_state_or_default(&layout.shipped_plugins())?;
    let before = installed.clone();
    let mut found = Vec::new();
    for shipped in SHIPPED.iter().filter(|shipped| is_wanted(shipped.name)) {
        let folder = layout.plugins().join(shipped.name);
        if folder.exists() {
            check_inside(layout, None, &folder).map_err(anyhow::Error::msg)?;
        }
        for (name, text) in shipped.files {
            let record = installed.entry(shipped.name.to_owned()).or_default();
            found.push(sync_file(
                layout,
                shipped.name,
                name,
                text,
                record,
                options,
            )?);
        }
    }
    for (plugin, files) in &mut installed {
        if !is_wanted(plugin) {
            continue;
        }
        let shipped = SHIPPED.iter().find(|shipped| shipped.name == plugin);
        let shipped_files = shipped.map_or(&[][..], |shipped| shipped.files);
        let extra: Vec<String> = files
            .keys()
            .filter(|name| shipped_files.iter().all(|(file, _)| file != name))
            .cloned()
            .collect();
        for name in extra {
            found.extend(clean_file(layout, plugin, &name, files, options)?);
        }
    }
    installed.retain(|_, files| !files.is_empty());
    if !options.dry_run && installed != before {
        state_file::write_state(&layout.shipped_plugins(), &installed)?;
        daemon::wake_daemon(town);
    }
    Ok(found)
}

/// Brings one file of a plugin up to date. `record` has the hashes of the plugin's files.
fn sync_file(
    layout: &TownLayout,
    plugin: &str,
    name: &str,
    text: &str,
    record: &mut BTreeMap<String, String>,
    options: SyncOptions,
) -> anyhow::Result<ShippedFile> {
    let path = layout.plugins().join(plugin).join(name);
    let state = match read_hash(&path)? {
        None => ShippedState::Missing,
        Some(hash) if hash == hash_of(text.as_bytes()) => ShippedState::Current,
        Some(hash) if record.get(name) == Some(&hash) => ShippedState::Outdated,
        Some(_) => ShippedState::Changed,
    };
    let mut report = ShippedFile {
        plugin: plugin.to_owned(),
        file: name.to_owned(),
        state,
        action: None,
        kept_as: None,
    };
    let is_replaced = state == ShippedState::Changed && options.force;
    let is_written = matches!(state, ShippedState::Missing | ShippedState::Outdated);
    if is_written || is_replaced {
        report.action = Some(if is_replaced { "replaced" } else { "written" });
    }
    if options.dry_run {
        return Ok(report);
    }
    if is_replaced {
        report.kept_as = Some(move_aside(&path)?);
    }
    if report.action.is_some() {
        file::create_folder(&layout.plugins(), 0o755)?;
        let mode = if name == SCRIPT { 0o755 } else { 0o644 };
        let below = format!("{plugin}/{name}");
        ConfinedFolder::open(&layout.plugins())?.write(&below, text.as_bytes(), mode)?;
    }
    if report.action.is_some() || state == ShippedState::Current {
        record.insert(name.to_owned(), hash_of(text.as_bytes()));
    }
    Ok(report)
}

/// Handles a file that was installed and is no longer shipped. None if it is gone.
fn clean_file(
    layout: &TownLayout,
    plugin: &str,
    name: &str,
    record: &mut BTreeMap<String, String>,
    options: SyncOptions,
) -> anyhow::Result<Option<ShippedFile>> {
    let folder = layout.plugins().join(plugin);
    let path = folder.join(name);
    let Some(hash) = read_hash(&path)? else {
        record.remove(name);
        return Ok(None);
    };
    let is_removed = options.clean && record.get(name) == Some(&hash);
    if is_removed && !options.dry_run {
        check_inside(layout, None, &folder).map_err(anyhow::Error::msg)?;
        file::remove_file(&path)?;
        record.remove(name);
        // Fails while the folder has other files, which stay.
        std::fs::remove_dir(&folder).ok();
    }
    Ok(Some(ShippedFile {
        plugin: plugin.to_owned(),
        file: name.to_owned(),
        state: ShippedState::Extra,
        action: is_removed.then_some("removed"),
        kept_as: None,
    }))
}

fn hash_of(content: &[u8]) -> String {
    compute_short_hash(content, 16)
}

/// Returns the hash of a file. None if it does not exist.
fn read_hash(path: &Path) -> std::io::Result<Option<String>> {
    match file::read_regular_file(path) {
        Ok(content) => Ok(content.map(|content| hash_of(&content))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Renames a file to a free name beside it, and returns that name.
fn move_aside(path: &Path) -> std::io::Result<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut aside = format!("{name}.old");
    let mut number = 2;
    while path.with_file_name(&aside).symlink_metadata().is_ok() {
        aside = format!("{name}.old{number}");
        number += 1;
    }
    std::fs::rename(path, path.with_file_name(&aside))?;
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::townwide::plugin::load_plugins;
    use crate::record::plugin::ExecutionKind;
    use crate::testing::TestTown;

    fn sync(place: &TestTown, options: SyncOptions) -> Vec<ShippedFile> {
        sync_shipped(&place.town, &[], options).unwrap()
    }

    #[test]
    fn the_shipped_plugins_are_the_folders_of_the_repository_and_have_no_problems() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(root.join("plugins")).unwrap().flatten() {
            if entry.path().join("plugin.md").is_file() {
                folders.push(entry.file_name().into_string().unwrap());
                let files = std::fs::read_dir(entry.path()).unwrap().count();
                let name = folders.last().unwrap();
                let shipped = SHIPPED.iter().find(|one| one.name == name).unwrap();
                assert_eq!(shipped.files.len(), files, "{name}");
            }
        }
        assert_eq!(folders.len(), SHIPPED.len());
        let place = TestTown::new();
        assert_eq!(list_available(&place.town.layout).len(), SHIPPED.len());
        sync(&place, SyncOptions::default());
        let shelf = load_plugins(&place.town).unwrap();
        assert!(shelf.broken.is_empty(), "{:?}", shelf.broken);
        for plugin in &shelf.plugins {
            assert!(plugin.problems().is_empty(), "{:?}", plugin.problems());
            assert_eq!(plugin.folder.file_name().unwrap(), plugin.name());
            let is_agent = plugin.execution_kind() == ExecutionKind::Agent;
            assert_eq!(is_agent, plugin.name() == "dependency-updates");
        }
        assert!(list_available(&place.town.layout).is_empty());
    }

    #[test]
    fn a_changed_file_stays_without_force_and_is_kept_with_it() {
        let place = TestTown::new();
        let folder = place.town.layout.plugins().join("stale-branches");
        let all = sync(
            &place,
            SyncOptions {
                dry_run: true,
                ..SyncOptions::default()
            },
        );
        assert!(all.iter().all(|file| file.state == ShippedState::Missing));
        assert!(!folder.exists(), "a dry run writes nothing");
        sync(&place, SyncOptions::default());
        let mine = folder.join(SCRIPT);
        std::fs::write(&mine, "echo mine\n").unwrap();
        let of_script = |all: Vec<ShippedFile>| {
            let is_it = |file: &ShippedFile| file.plugin == "stale-branches" && file.file == SCRIPT;
            all.into_iter().find(is_it).unwrap()
        };
        let kept = of_script(sync(&place, SyncOptions::default()));
        assert_eq!((kept.state, kept.action), (ShippedState::Changed, None));
        assert_eq!(std::fs::read_to_string(&mine).unwrap(), "echo mine\n");
        let force = SyncOptions {
            force: true,
            ..SyncOptions::default()
        };
        let replaced = of_script(sync(&place, force));
        assert_eq!(replaced.action, Some("replaced"));
        let old = folder.join(replaced.kept_as.unwrap());
        assert_eq!(std::fs::read_to_string(old).unwrap(), "echo mine\n");
        assert_eq!(of_script(sync(&place, force)).state, ShippedState::Current);
        // An older version that nobody changed is replaced.
        std::fs::write(&mine, "echo older\n").unwrap();
        let mut installed: Installed = state_file::read_state(&place.town.layout.shipped_plugins())
            .unwrap()
            .unwrap();
        let files = installed.get_mut("stale-branches").unwrap();
        files.insert(SCRIPT.to_owned(), hash_of(b"echo older\n"));
        state_file::write_state(&place.town.layout.shipped_plugins(), &installed).unwrap();
        let updated = of_script(sync(&place, SyncOptions::default()));
        assert_eq!(
            (updated.state, updated.action),
            (ShippedState::Outdated, Some("written"))
        );
    }

    #[test]
    fn clean_removes_only_unchanged_extras() {
        let place = TestTown::new();
        let layout = &place.town.layout;
        let put = |plugin: &str, text: &str| {
            std::fs::create_dir_all(layout.plugins().join(plugin)).unwrap();
            std::fs::write(layout.plugins().join(plugin).join("plugin.md"), text).unwrap();
        };
        put("gone", "old\n");
        put("mine", "changed\n");
        let record =
            |text: &str| BTreeMap::from([("plugin.md".to_owned(), hash_of(text.as_bytes()))]);
        let installed: Installed = BTreeMap::from([
            ("gone".to_owned(), record("old\n")),
            ("mine".to_owned(), record("old\n")),
        ]);
        state_file::write_state(&layout.shipped_plugins(), &installed).unwrap();
        let extras = |options| -> Vec<(String, Option<&'static str>)> {
            let all = sync(&place, options).into_iter();
            let extra = all.filter(|file| file.state == ShippedState::Extra);
            extra.map(|file| (file.plugin, file.action)).collect()
        };
        let both = |gone| vec![("gone".to_owned(), gone), ("mine".to_owned(), None)];
        assert_eq!(extras(SyncOptions::default()), both(None));
        let clean = SyncOptions {
            clean: true,
            ..SyncOptions::default()
        };
        assert_eq!(extras(clean), both(Some("removed")));
        assert!(!layout.plugins().join("gone").exists());
        assert!(layout.plugins().join("mine/plugin.md").exists());
        let unknown = sync_shipped(&place.town, &["moon".to_owned()], clean).unwrap_err();
        assert!(unknown.to_string().contains("no plugin `moon` is shipped"));
    }
}
