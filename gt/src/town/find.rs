//! Finds the town that a command is about.

use std::path::{Path, PathBuf};

use bd::sys::Env;

/// There is no town here.
#[derive(Debug, thiserror::Error)]
#[error("not in a Gas Town workspace: no mayor/town.json in {} or above it", from.display())]
pub struct NotInTown {
    /// Where the search began.
    pub from: PathBuf,
}

/// Finds the town's root: the folder with `mayor/town.json` at or above the working directory (the
/// outermost one when inside a worker's folder, which may itself hold a town), else `GT_TOWN_ROOT` or
/// `GT_ROOT`.
pub fn find(env: &Env) -> Result<PathBuf, NotInTown> {
    above(env.cwd())
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

fn above(start: &Path) -> Option<PathBuf> {
    let inside_worker = start
        .components()
        .any(|part| matches!(part.as_os_str().to_str(), Some("polecats" | "crew")));
    let mut towns = start.ancestors().filter(|path| is_town(path));
    let found = if inside_worker {
        towns.last()
    } else {
        towns.next()
    };
    found
        .or_else(|| start.ancestors().filter(|path| is_old_town(path)).last())
        .map(Path::to_owned)
}

fn is_town(path: &Path) -> bool {
    path.join("mayor/town.json").is_file()
}

/// A folder with `mayor/` and town beads, from before `town.json` existed.
fn is_old_town(path: &Path) -> bool {
    path.join("mayor/rigs.json").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn town(root: &Path) {
        std::fs::create_dir_all(root.join("mayor")).unwrap();
        std::fs::write(root.join("mayor/town.json"), "{}").unwrap();
    }

    #[test]
    fn the_outermost_town_wins_inside_a_workers_folder() {
        let folder = tempfile::tempdir().unwrap();
        let nested = folder.path().join("web/crew/max/sub");
        town(folder.path());
        town(&nested);
        assert_eq!(find(&Env::with(&nested, [])).unwrap(), folder.path());
    }

    #[test]
    fn a_variable_is_the_last_resort() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("town");
        town(&root);
        let outside = folder.path().join("elsewhere");
        assert!(find(&Env::with(&outside, [])).is_err());
        let text = root.to_str().unwrap();
        assert_eq!(
            find(&Env::with(&outside, [("GT_ROOT", text)])).unwrap(),
            root
        );
    }
}
