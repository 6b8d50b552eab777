//! Finds the beads folder for the directory in which a command runs.
//!
//! The order: `BEADS_DIR`; the parent of `BEADS_DB` or `BD_DB`; in a linked git worktree the main
//! repository's folder; then each folder from the working directory upwards, to the root of the git
//! repository (outside git: of the file system). A redirect file is followed once. A named folder
//! is binding: if it has no beads, nothing else is searched, so that no write goes to another
//! project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git;
use crate::store::disk::entries::is_tracked_link;
use crate::store::disk::paths;
use kit::gateway::ADDRESS_VARIABLE;
use kit::sys::{Env, file};

/// No beads folder was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    #[error("no beads database found")]
    Around {
        start: PathBuf,
        /// The other place that has the beads of this directory, or may have them.
        elsewhere: Option<BeadsElsewhere>,
    },
    /// A beads folder is there, or may be, and cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    /// The named folder has no beads.
    #[error("no beads database found in {}, which {by} names", dir.display())]
    Named { by: &'static str, dir: PathBuf },
}

/// A place of beads outside the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeadsElsewhere {
    /// A branch has them.
    Branch(String),
    /// The repository tracks this folder, and its sparse checkout leaves it out.
    SparseCheckout(String),
    /// This remote may have them on a branch that is not fetched yet.
    Remote(String),
}

/// A beads folder and the way in which it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLocation {
    pub dir: PathBuf,
    /// The folder with the redirect, if one was followed.
    pub redirected_from: Option<PathBuf>,
    /// Problems that were found on the way.
    pub warnings: Vec<String>,
}

/// Returns the beads folder of a working directory.
pub fn find_beads_folder(env: &Env) -> Result<PathBuf, NotFound> {
    locate_project(env).map(|found| found.dir)
}

/// Returns the location of the beads folder of a working directory. In a jail none can be reached: a
/// command that needs beads runs outside.
pub fn locate_project(env: &Env) -> Result<ProjectLocation, NotFound> {
    if env.get(ADDRESS_VARIABLE).is_some() {
        return Err(NotFound::Around {
            start: env.cwd().to_owned(),
            elsewhere: None,
        });
    }
    let mut warnings = Vec::new();
    let git = GitPlace::around(env.cwd());
    let found = match find_named_folder(env) {
        Some((by, dir)) => {
            let found = resolve_project(&dir, &mut warnings)?;
            Some(found.ok_or(NotFound::Named { by, dir })?)
        }
        None => {
            let main = match &git.main_root {
                Some(root) => resolve_project(&root.join(".beads"), &mut warnings)?,
                None => None,
            };
            match main {
                Some(found) => Some(found),
                None => walk_up(env.cwd(), &git, &mut warnings)?,
            }
        }
    };
    let (dir, redirected_from) = found.ok_or_else(|| NotFound::Around {
        start: env.cwd().to_owned(),
        elsewhere: None,
    })?;
    Ok(ProjectLocation {
        dir,
        redirected_from,
        warnings,
    })
}

/// Returns the folder that the environment names, and the name of the variable.
pub fn find_named_folder(env: &Env) -> Option<(&'static str, PathBuf)> {
    let resolve = |dir: PathBuf| resolve_links(&dir).unwrap_or(dir);
    if let Some(path) = env.get("BEADS_DIR") {
        return Some(("BEADS_DIR", resolve(env.make_absolute(path))));
    }
    ["BEADS_DB", "BD_DB"].into_iter().find_map(|name| {
        let dir = folder_of_database(&env.make_absolute(env.get(name)?));
        Some((name, resolve(dir)))
    })
}

/// Returns a folder without links. One that is a link of the repository stays as it is, and is
/// refused when it is opened.
fn resolve_links(dir: &Path) -> Option<PathBuf> {
    if is_tracked_link(dir) {
        return Some(dir.to_owned());
    }
    fs::canonicalize(dir).ok()
}

/// Returns the beads folder of a path that names a database, which need not exist. A folder means
/// itself; a file in a beads folder means that folder. Any other file gets its own folder beside
/// it, because its neighbours do not belong to bd.
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
) -> Result<Option<(PathBuf, Option<PathBuf>)>, NotFound> {
    for folder in cwd.ancestors() {
        if let Some(found) = resolve_project(&folder.join(".beads"), warnings)? {
            return Ok(Some(found));
        }
        if git.boundary.as_deref() == Some(folder) {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Returns the folder, or the target of its redirect, if that is a project. The second value is the
/// redirecting folder. A folder that cannot be read may be a project, so it is an error.
fn resolve_project(
    dir: &Path,
    warnings: &mut Vec<String>,
) -> Result<Option<(PathBuf, Option<PathBuf>)>, NotFound> {
    match fs::metadata(dir) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Ok(None),
        Err(error) => return check_absent(dir, &error).map(|()| None),
    }
    let target = follow_redirect(dir, warnings);
    if paths::is_project(&target) {
        let redirected_from = (target != dir).then(|| dir.to_owned());
        return Ok(Some((target, redirected_from)));
    }
    match fs::read_dir(&target) {
        Ok(_) => Ok(None),
        Err(error) => check_absent(&target, &error).map(|()| None),
    }
}

/// Returns an error unless the path does not exist.
fn check_absent(path: &Path, error: &io::Error) -> Result<(), NotFound> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(()),
        _ => Err(NotFound::Unreadable {
            path: path.to_owned(),
            reason: error.to_string(),
        }),
    }
}

/// Follows the redirect file of a beads folder, one hop. Ignores, with a warning, a redirect to a
/// missing folder and a second redirect.
pub fn follow_redirect(dir: &Path, warnings: &mut Vec<String>) -> PathBuf {
    let Some(text) = redirect_text(dir) else {
        return dir.to_owned();
    };
    // The path is relative to the project's root. Some writers meant the folder of the redirect
    // file.
    let root = dir.parent().unwrap_or(dir);
    let target = [root.join(&text), dir.join(&text)]
        .into_iter()
        .find(|path| path.is_dir())
        .and_then(|path| resolve_links(&path));
    let Some(target) = target else {
        warnings.push(format!(
            "{} names {text}, which is no folder; it is not followed",
            dir.join("redirect").display()
        ));
        return dir.to_owned();
    };
    let is_same = fs::canonicalize(dir).is_ok_and(|real_dir| real_dir == target);
    if redirect_text(&target).is_some() && !is_same {
        warnings.push(format!(
            "{} redirects again; only the first redirect is followed",
            target.display()
        ));
    }
    target
}

/// Returns the first line of a redirect file that is neither blank nor a comment.
fn redirect_text(dir: &Path) -> Option<String> {
    let text = String::from_utf8(file::read_regular_file(&dir.join("redirect")).ok()??).ok()?;
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
}

/// The position of a folder in git, as far as the search for beads needs it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct GitPlace {
    /// The root of the work tree.
    pub root: Option<PathBuf>,
    /// The root of the main repository, in a linked worktree.
    pub main_root: Option<PathBuf>,
    /// The last folder to search on the way up.
    pub boundary: Option<PathBuf>,
}

impl GitPlace {
    /// Inspects the folder and its ancestors.
    pub fn around(cwd: &Path) -> Self {
        let Some(root) = cwd.ancestors().find(|folder| folder.join(".git").exists()) else {
            return Self::default();
        };
        let main_root = git::find_git_folders(root)
            .filter(|git| git.git_dir != git.common)
            .and_then(|git| Some(git.common.parent()?.to_owned()));
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
    fn the_nearest_parent_project_is_found_within_the_git_root() {
        let (_keep, root) = folder();
        let beads = make_project(&root);
        let deep = root.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(at(&deep).unwrap(), beads);
        fs::create_dir(root.join("a/.git")).unwrap();
        assert!(at(&deep).is_err());
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_not_taken_for_an_absent_one() {
        let (_keep, root) = folder();
        let inner = root.join("a");
        fs::create_dir(&inner).unwrap();
        make_project(&root);
        // A link to itself cannot be read by root either.
        std::os::unix::fs::symlink(".beads", inner.join(".beads")).unwrap();
        let found = at(&inner);
        assert!(
            matches!(&found, Err(NotFound::Unreadable { path, .. }) if *path == inner.join(".beads")),
            "{found:?}"
        );
        assert!(check_absent(&root, &io::Error::from(io::ErrorKind::NotFound)).is_ok());
        let denied = check_absent(&root, &io::Error::from(io::ErrorKind::PermissionDenied));
        let text = denied.unwrap_err().to_string();
        assert_eq!(
            text,
            format!("cannot read {}: permission denied", root.display())
        );
    }

    #[test]
    fn beads_behind_a_link_to_their_folder_are_found() {
        let (_keep, root) = folder();
        make_project(&root.join("real"));
        fs::create_dir(root.join("here")).unwrap();
        std::os::unix::fs::symlink("../real/.beads", root.join("here/.beads")).unwrap();
        assert_eq!(at(&root.join("here")).unwrap(), root.join("here/.beads"));
        std::os::unix::fs::symlink("real", root.join("linked")).unwrap();
        assert_eq!(
            at(&root.join("linked")).unwrap(),
            root.join("linked/.beads")
        );
    }

    #[test]
    fn an_explicit_folder_wins_even_if_it_has_no_beads() {
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
    fn a_redirect_to_a_missing_folder_is_ignored_with_a_warning() {
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
