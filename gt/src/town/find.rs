//! Finds the town of a command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kit::sys::{Env, file};

use super::TownLayout;

/// The folder is not in a town.
#[derive(Debug, thiserror::Error)]
#[error("not in a Gas Town workspace: no mayor/town.json in {} or above it", from.display())]
pub struct NotInTown {
    pub from: PathBuf,
}

/// Finds the town's root: the nearest folder with `mayor/town.json` at or above the working
/// directory. A worker's folder of another town does not count, because its files may be those of a
/// town themselves. Falls back to `GT_TOWN_ROOT` or `GT_ROOT`. A program in a jail is in no town:
/// it sees at most the names of its files.
pub fn find_town(env: &Env) -> Result<PathBuf, NotInTown> {
    if env.get(kit::gateway::ADDRESS_VARIABLE).is_some() {
        return Err(NotInTown {
            from: env.cwd().to_owned(),
        });
    }
    find_town_above(env.cwd())
        .or_else(|| {
            ["GT_TOWN_ROOT", "GT_ROOT"]
                .iter()
                .filter_map(|name| env.get(name).map(PathBuf::from))
                .find(|path| is_town(path))
        })
        .ok_or_else(|| NotInTown {
            from: env.cwd().to_owned(),
        })
}

/// Finds the town's root at or above a folder.
pub fn find_town_above(start: &Path) -> Option<PathBuf> {
    let towns: Vec<&Path> = start.ancestors().filter(|path| is_town(path)).collect();
    towns
        .iter()
        .find(|town| !towns.iter().any(|other| is_in_worker_folder(other, town)))
        .copied()
        .or_else(|| start.ancestors().filter(|path| is_old_town(path)).last())
        .map(Path::to_owned)
}

/// Returns true if a folder is in a worker's folder of this town: `<rig>/polecats/…` or
/// `<rig>/crew/…`.
fn is_in_worker_folder(town: &Path, folder: &Path) -> bool {
    let inside = folder.strip_prefix(town).ok();
    let component = inside.and_then(|inside| inside.components().nth(1));
    let kind = component.and_then(|kind| kind.as_os_str().to_str());
    matches!(kind, Some("polecats" | "crew"))
}

pub(crate) fn is_town(path: &Path) -> bool {
    path.join("mayor/town.json").is_file()
}

/// Returns true for a folder with `mayor/` and town beads, from before `town.json` existed.
fn is_old_town(path: &Path) -> bool {
    path.join("mayor/rigs.json").is_file()
}

/// Returns the name of a town: that of `mayor/town.json`, else that of its folder.
pub fn read_town_name(layout: &TownLayout) -> String {
    read_json_text(&layout.town_json(), "name").unwrap_or_else(|| {
        layout
            .root()
            .file_name()
            .map_or_else(|| "town".to_owned(), |name| name.display().to_string())
    })
}

/// Returns a text of a JSON file. None if it is missing or empty, or the file cannot be read.
pub(crate) fn read_json_text(path: &Path, key: &str) -> Option<String> {
    let bytes = file::read_file_if_exists(path).ok()??;
    let values: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&bytes).ok()?;
    values
        .get(key)?
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn town(root: &Path) {
        std::fs::create_dir_all(root.join("mayor")).unwrap();
        std::fs::write(root.join("mayor/town.json"), "{}").unwrap();
    }

    #[test]
    fn a_town_inside_a_sandbox_is_not_the_town_of_its_worker() {
        let folder = tempfile::tempdir().unwrap();
        let nested = folder.path().join("web/crew/max/sub");
        town(folder.path());
        town(&nested);
        assert_eq!(
            find_town(&Env::with_vars(&nested, [])).unwrap(),
            folder.path()
        );
    }

    #[test]
    fn a_town_created_around_another_takes_nothing_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("crew/town");
        town(folder.path());
        town(&inner);
        for below in ["", "web", "web/polecats/nux/web", "web/crew/max"] {
            let place = inner.join(below);
            assert_eq!(
                find_town(&Env::with_vars(&place, [])).unwrap(),
                inner,
                "{below}"
            );
        }
    }

    #[test]
    fn the_environment_variable_is_the_last_resort() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("town");
        town(&root);
        let outside = folder.path().join("elsewhere");
        assert!(find_town(&Env::with_vars(&outside, [])).is_err());
        let text = root.to_str().unwrap();
        assert_eq!(
            find_town(&Env::with_vars(&outside, [("GT_ROOT", text)])).unwrap(),
            root
        );
    }
}
