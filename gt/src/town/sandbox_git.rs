//! Opens the sandboxes of workers for git. No other code runs git in a sandbox.
//!
//! A sandbox is a repository of its own, which its worker writes. The town reads it through a
//! repository that the worker does not reach: a folder of the rig's repository like that of a linked
//! worktree, with HEAD and index. Each opening first takes over what the worker has done since.
//!
//! While the town changes a sandbox, the state of the town's repository counts, and nothing is taken
//! over: from [`hold_sandbox`] until the sandbox was handed over. A mark says so, also after a crash.
//!
//! The sandboxes of older towns are linked worktrees of the rig's repository until their next sling.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::git::{Git, GitError, HandOver, ScratchFolder};
use kit::sys::{ForeignFolder, file};

use crate::town::lock::Lock;
use crate::town::{RigLayout, TownLayout};

/// The mark in the town's repository of a sandbox that the town is changing.
const HELD_MARK: &str = "gt-held";

/// The longest time that one taking over is waited for.
const TAKING_TIME: Duration = Duration::from_secs(60);

/// The maximum size of the `.git` of a linked worktree, in bytes.
const LINK_FILE: u64 = 4096;

/// A line in the hooks that the town installs in the rig's repository for linked worktrees.
pub(crate) const OWN_HOOK_MARK: &str = "# Gas Town: ";

/// Opens the sandbox of a polecat, with the present state of its repository.
pub(crate) fn open_sandbox(rig: &RigLayout, name: &str) -> Result<Git, GitError> {
    let place = rig.sandbox(name);
    let own = rig.sandbox_repository(name);
    if own.is_dir() {
        let git = Git::with_repository(&place, &own, Some(name));
        git.check_stalling_file()?;
        let _taking = lock_sandbox(&own)?;
        if own.join(HELD_MARK).exists() {
            // Keeps the commits that a session made after a crash of the town. A sandbox that is
            // being changed may have no repository.
            git.take_over_refs(&place).ok();
        } else {
            git.take_over()?;
        }
        return Ok(git);
    }
    match find_linked_repository(rig, &place)? {
        Some(linked) => {
            let git = Git::with_repository(&place, &linked, None);
            git.check_stalling_file()?;
            Ok(git)
        }
        None => Err(GitError::NotARepository { path: place }),
    }
}

/// Opens a sandbox whose worker has removed its repository, in the state that the town took over
/// last. `None` if the sandbox has a repository, or never had one of its own.
pub(crate) fn open_without_repository(rig: &RigLayout, name: &str) -> Option<Git> {
    let place = rig.sandbox(name);
    let own = rig.sandbox_repository(name);
    let is_removed = place.is_dir() && place.join(".git").symlink_metadata().is_err();
    (is_removed && own.is_dir()).then(|| Git::with_repository(&place, &own, Some(name)))
}

/// Opens the work tree of an agent: a sandbox, or a clone that belongs to the agent as a whole.
pub(crate) fn open_tree(tree: &Path) -> Result<Git, GitError> {
    match sandbox_of_path(tree) {
        Some((rig, name)) => open_sandbox(&rig, &name),
        None => Ok(Git::at(tree)),
    }
}

/// Returns the folder of the town's repository of a sandbox; `None` for another work tree.
pub(crate) fn find_sandbox_repository(tree: &Path) -> Option<PathBuf> {
    let (rig, name) = sandbox_of_path(tree)?;
    let own = rig.sandbox_repository(&name);
    if own.is_dir() {
        return Some(own);
    }
    find_linked_repository(&rig, tree).ok().flatten()
}

/// Returns true if the sandbox has a repository of its own.
pub(crate) fn has_own_repository(rig: &RigLayout, name: &str) -> bool {
    rig.sandbox_repository(name).is_dir()
}

/// Returns true if the town was changing a sandbox and did not come to the end.
pub(crate) fn is_held(rig: &RigLayout, name: &str) -> bool {
    rig.sandbox_repository(name).join(HELD_MARK).exists()
}

/// Makes the state of the town's repository of a sandbox count from now on, until
/// [`hand_over_sandbox`]. The caller must have saved the worker's state.
pub(crate) fn hold_sandbox(rig: &RigLayout, name: &str) -> Result<(), GitError> {
    let own = rig.sandbox_repository(name);
    if !own.is_dir() {
        return Ok(());
    }
    let _taking = lock_sandbox(&own)?;
    write_mark(&own)
}

/// Gives a sandbox a new repository of its own in the state of the town's repository. A linked
/// worktree stops being one. Returns a folder with the earlier repository, which is removed on drop:
/// the caller must save what a process wrote there in the meantime.
pub(crate) fn hand_over_sandbox(rig: &RigLayout, name: &str) -> Result<ScratchFolder, GitError> {
    let place = rig.sandbox(name);
    let own = rig.sandbox_repository(name);
    if !own.is_dir() {
        let linked = find_linked_repository(rig, &place)?;
        let linked = linked.ok_or_else(|| GitError::NotARepository {
            path: place.clone(),
        })?;
        write_mark(&linked)?;
        fs::rename(&linked, &own).map_err(|source| file_error(&own, source))?;
    }
    let _taking = lock_sandbox(&own)?;
    let git = Git::with_repository(&place, &own, Some(name));
    write_git_link(&own, &place)?;
    let workshop = rig.runtime();
    file::create_folder(&workshop, 0o755).map_err(|source| file_error(&workshop, source))?;
    let replaced = git.hand_over(HandOver {
        workshop: &workshop,
        readable: &format!("refs/gt/rescue/{}", rig.name()),
        own_hooks: OWN_HOOK_MARK,
    })?;
    let mark = own.join(HELD_MARK);
    file::remove_file(&mark).map_err(|source| file_error(&mark, source))?;
    Ok(replaced)
}

/// Makes git know the place of a sandbox, and that only the town removes its repository.
pub(crate) fn write_git_link(own: &Path, place: &Path) -> Result<(), GitError> {
    let lock = own.join("locked");
    if !lock.exists() {
        file::replace_file(&lock, b"the sandbox of a worker\n", 0o644)
            .map_err(|source| file_error(&lock, source))?;
    }
    let path = own.join("gitdir");
    let text = format!("{}\n", place.join(".git").display());
    if fs::read_to_string(&path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    file::replace_file(&path, text.as_bytes(), 0o644).map_err(|source| file_error(&path, source))
}

fn lock_sandbox(own: &Path) -> Result<Lock, GitError> {
    let path = own.join("gt-taking.lock");
    Lock::take(&path, TAKING_TIME).map_err(|error| GitError::Foreign {
        path: own.to_owned(),
        problem: error.to_string(),
    })
}

fn write_mark(own: &Path) -> Result<(), GitError> {
    let mark = own.join(HELD_MARK);
    file::replace_file(&mark, b"", 0o644).map_err(|source| file_error(&mark, source))
}

fn file_error(path: &Path, source: std::io::Error) -> GitError {
    GitError::File {
        path: path.to_owned(),
        source,
    }
}

/// Returns the folder that the rig's repository has for a linked worktree. The link in the work
/// tree only says which one of them it is.
fn find_linked_repository(rig: &RigLayout, place: &Path) -> Result<Option<PathBuf>, GitError> {
    let read = || {
        let Some(folder) = ForeignFolder::open(place)? else {
            return Ok(None);
        };
        folder.read_file(".git", LINK_FILE)
    };
    let bytes = read().map_err(|error: std::io::Error| GitError::Foreign {
        path: place.to_owned(),
        problem: error.to_string(),
    })?;
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let named = text
        .as_deref()
        .and_then(|text| text.strip_prefix("gitdir: "));
    let id = named.and_then(|named| Path::new(named.trim_end()).file_name());
    let record = id
        .filter(|id| !id.as_encoded_bytes().starts_with(b"sandbox."))
        .map(|id| rig.repo().join("worktrees").join(id));
    Ok(record.filter(|record| record.is_dir() && is_record_of(record, place)))
}

/// Returns true if the record of a linked worktree is that of `place`, or of a place that is gone
/// because the town was moved.
fn is_record_of(record: &Path, place: &Path) -> bool {
    let Ok(text) = fs::read_to_string(record.join("gitdir")) else {
        return false;
    };
    let named = Path::new(text.trim_end());
    let own = place.join(".git");
    named == own || !named.exists() || named.canonicalize().ok() == own.canonicalize().ok()
}

/// Returns the rig and the worker of a sandbox: `<rig>/polecats/<name>/<rig>`, or without the last
/// part in the old layout.
fn sandbox_of_path(tree: &Path) -> Option<(RigLayout, String)> {
    let home = tree.ancestors().take(2).find(|home| {
        home.parent()
            .is_some_and(|above| above.ends_with("polecats"))
    })?;
    let rig = home.parent()?.parent()?;
    if !rig.join(".repo.git").is_dir() {
        return None;
    }
    let layout = TownLayout::new(rig.parent()?).rig(rig.file_name()?.to_str()?);
    let name = home.file_name()?.to_str()?.to_owned();
    (layout.sandbox(&name) == tree).then_some((layout, name))
}
