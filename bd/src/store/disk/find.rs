//! Finds the beads folder of the place where a command runs.
//!
//! In order: `BEADS_DIR`; the parent of `BEADS_DB` or `BD_DB`; in a linked git worktree the main
//! repository's folder; then each folder from the working directory upwards, to the root of the git
//! repository (outside git: of the file system). A redirect file is followed once. Who names a place means
//! that one: where it has no beads nothing else is looked for, so that no write goes to another project.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git;
use crate::store::disk::paths;
use kit::sys::Env;

/// There is no beads folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// Neither here nor above.
    #[error("no beads database found")]
    Around {
        /// Where the search began.
        start: PathBuf,
        /// The branch that has beads for this place, if one was seen.
        branch: Option<String>,
    },
    /// Not where someone said that it is.
    #[error("no beads database found in {}, which {by} names", dir.display())]
    Named {
        /// The variable or flag.
        by: &'static str,
        /// The folder.
        dir: PathBuf,
    },
}

/// A beads folder and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLocation {
    /// The folder, redirect followed.
    pub dir: PathBuf,
    /// The folder whose redirect led there.
    pub redirected_from: Option<PathBuf>,
    /// What was odd on the way.
    pub warnings: Vec<String>,
}

/// The beads folder of a working directory.
pub fn find_beads_folder(env: &Env) -> Result<PathBuf, NotFound> {
    locate_project(env).map(|found| found.dir)
}

/// The beads folder of a working directory, with how it was found.
pub fn locate_project(env: &Env) -> Result<ProjectLocation, NotFound> {
    let mut warnings = Vec::new();
    let git = GitPlace::around(env.cwd());
    let main = || git.main_root.as_ref().map(|root| root.join(".beads"));
    let found = match find_named_folder(env) {
        Some((by, dir)) => {
            let found = resolve_project(&dir, &mut warnings);
            Some(found.ok_or(NotFound::Named { by, dir })?)
        }
        None => main()
            .and_then(|dir| resolve_project(&dir, &mut warnings))
            .or_else(|| walk_up(env.cwd(), &git, &mut warnings)),
    };
    let (dir, redirected_from) = found.ok_or_else(|| NotFound::Around {
        start: env.cwd().to_owned(),
        branch: None,
    })?;
    Ok(ProjectLocation {
        dir,
        redirected_from,
        warnings,
    })
}

/// The folder that the environment names, and the variable that does.
pub fn find_named_folder(env: &Env) -> Option<(&'static str, PathBuf)> {
    let resolve = |dir: PathBuf| fs::canonicalize(&dir).unwrap_or(dir);
    if let Some(path) = env.get("BEADS_DIR") {
        return Some(("BEADS_DIR", resolve(env.make_absolute(path))));
    }
    ["BEADS_DB", "BD_DB"].into_iter().find_map(|name| {
        let dir = folder_of_database(&env.make_absolute(env.get(name)?));
        Some((name, resolve(dir)))
    })
}

/// The beads folder of a path that names a database, which need not be there: a folder is meant itself, a file in a beads
/// folder means that folder. Any other file has a folder of its own beside it: its neighbours are not ours.
pub fn folder_of_database(path: &Path) -> PathBuf {
    let is_beads = |path: &Path| path.file_name().is_some_and(|name| name == ".beads");
    match path.parent() {
        _ if path.is_dir() || is_beads(path) => path.to_owned(),
        Some(folder) if is_beads(folder) || paths::is_project(folder) => folder.to_owned(),
        _ => path.with_added_extension("beads"),
    }
}

fn walk_up(
    cwd: &Path,
    git: &GitPlace,
    warnings: &mut Vec<String>,
) -> Option<(PathBuf, Option<PathBuf>)> {
    for folder in cwd.ancestors() {
        if let Some(found) = resolve_project(&folder.join(".beads"), warnings) {
            return Some(found);
        }
        if git.boundary.as_deref() == Some(folder) {
            return None;
        }
    }
    None
}

/// The folder itself or what it redirects to, if that is a project; then also the redirecting folder.
fn resolve_project(dir: &Path, warnings: &mut Vec<String>) -> Option<(PathBuf, Option<PathBuf>)> {
    if !dir.is_dir() {
        return None;
    }
    let target = follow_redirect(dir, warnings);
    let redirected_from = (target != dir).then(|| dir.to_owned());
    paths::is_project(&target).then_some((target, redirected_from))
}

/// Follows the redirect file of a beads folder, one hop. A redirect that leads nowhere is left with a
/// warning, as is a second one.
pub fn follow_redirect(dir: &Path, warnings: &mut Vec<String>) -> PathBuf {
    let Some(text) = redirect_text(dir) else {
        return dir.to_owned();
    };
    // Relative to the project's root; some writers meant the folder of the redirect file.
    let root = dir.parent().unwrap_or(dir);
    let target = [root.join(&text), dir.join(&text)]
        .into_iter()
        .find(|path| path.is_dir())
        .and_then(|path| fs::canonicalize(path).ok());
    let Some(target) = target else {
        warnings.push(format!(
            "{} names {text}, which is no folder; it is not followed",
            dir.join("redirect").display()
        ));
        return dir.to_owned();
    };
    let is_same = fs::canonicalize(dir).is_ok_and(|own| own == target);
    if redirect_text(&target).is_some() && !is_same {
        warnings.push(format!(
            "{} redirects again; only the first redirect is followed",
            target.display()
        ));
    }
    target
}

/// The first line of a redirect file that is neither blank nor a comment.
fn redirect_text(dir: &Path) -> Option<String> {
    let text = fs::read_to_string(dir.join("redirect")).ok()?;
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
}

/// Where a folder stands in git, as far as finding beads needs to know.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct GitPlace {
    /// The root of the working tree.
    pub root: Option<PathBuf>,
    /// The root of the main repository, in a linked worktree.
    pub main_root: Option<PathBuf>,
    /// The last folder to look in on the way up.
    pub boundary: Option<PathBuf>,
}

impl GitPlace {
    /// Looks at the folder and those above it.
    pub fn around(cwd: &Path) -> Self {
        let Some(root) = cwd.ancestors().find(|folder| folder.join(".git").exists()) else {
            return Self::default();
        };
        let shared = git::find_git_folders(root).filter(|git| git.own != git.common);
        let main_root = shared.and_then(|git| Some(git.common.parent()?.to_owned()));
        let above = main_root.as_deref().filter(|main| root.starts_with(main));
        Self {
            boundary: Some(above.unwrap_or(root).to_owned()),
            root: Some(root.to_owned()),
            main_root,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap();
        (folder, path)
    }

    fn make_project(dir: &Path) -> PathBuf {
        let beads = dir.join(".beads");
        fs::create_dir_all(&beads).unwrap();
        fs::write(beads.join("issues.jsonl"), "").unwrap();
        beads
    }

    fn at(cwd: &Path) -> Result<PathBuf, NotFound> {
        find_beads_folder(&Env::with_vars(cwd, []))
    }

    #[test]
    fn the_nearest_project_above_is_found_but_not_beyond_the_git_root() {
        let (_keep, root) = folder();
        let beads = make_project(&root);
        let deep = root.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(at(&deep).unwrap(), beads);
        fs::create_dir(root.join("a/.git")).unwrap();
        assert!(at(&deep).is_err());
    }

    #[test]
    fn a_named_place_wins_and_nothing_else_is_looked_for_where_it_has_no_beads() {
        let (_keep, root) = folder();
        let beads = make_project(&root);
        let other = make_project(&root.join("other"));
        let found = |name, value: &str| find_beads_folder(&Env::with_vars(&root, [(name, value)]));
        assert_eq!(found("BEADS_DIR", other.to_str().unwrap()).unwrap(), other);
        let database = other.join("beads.db");
        for value in [&other, &database] {
            let value = value.to_str().unwrap();
            assert_eq!(found("BEADS_DB", value).unwrap(), other);
        }
        assert_eq!(at(&root).unwrap(), beads);
        for (by, value) in [
            ("BEADS_DIR", "/no/such"),
            ("BEADS_DB", "/no/such/beads.db"),
            ("BD_DB", "/no/such/beads.db"),
        ] {
            // A file that is in no beads folder has its own.
            let own = if by == "BEADS_DIR" {
                value.to_owned()
            } else {
                format!("{value}.beads")
            };
            let dir = PathBuf::from(own);
            assert_eq!(found(by, value), Err(NotFound::Named { by, dir }));
        }
    }

    #[test]
    fn a_redirect_is_relative_to_the_project_and_followed_once() {
        let (_keep, root) = folder();
        let target = make_project(&root.join("target"));
        let here = root.join("here");
        fs::create_dir_all(here.join(".beads")).unwrap();
        fs::write(here.join(".beads/redirect"), "# note\n\n../target/.beads\n").unwrap();
        let found = locate_project(&Env::with_vars(&here, [])).unwrap();
        assert_eq!(found.dir, target);
        assert_eq!(found.redirected_from, Some(here.join(".beads")));
        fs::write(target.join("redirect"), "../../elsewhere").unwrap();
        let found = locate_project(&Env::with_vars(&here, [])).unwrap();
        assert_eq!((found.dir, found.warnings.len()), (target, 1));
    }

    #[test]
    fn a_redirect_to_nowhere_stays_with_a_warning() {
        let (_keep, root) = folder();
        let beads = make_project(&root);
        fs::write(beads.join("redirect"), "gone\n").unwrap();
        let found = locate_project(&Env::with_vars(&root, [])).unwrap();
        assert_eq!((found.dir, found.warnings.len()), (beads, 1));
    }

    #[test]
    fn a_linked_worktree_uses_the_main_repository() {
        let (_keep, root) = folder();
        let beads = make_project(&root.join("main"));
        let git_dir = root.join("main/.git/worktrees/wt");
        fs::create_dir_all(&git_dir).unwrap();
        fs::write(git_dir.join("commondir"), "../..\n").unwrap();
        let worktree = root.join("wt");
        let own = make_project(&worktree);
        fs::write(
            worktree.join(".git"),
            format!("gitdir: {}\n", git_dir.display()),
        )
        .unwrap();
        assert_eq!(at(&worktree).unwrap(), beads);
        fs::remove_dir_all(&beads).unwrap();
        assert_eq!(at(&worktree).unwrap(), own);
    }
}
