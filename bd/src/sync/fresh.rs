//! Reads the beads of a fresh clone, which are only on their branch.
//!
//! A store is fresh if its beads folder has no issues and was never written to here, or if the
//! project has no beads folder. A store that was in use and whose issues are gone (after `git
//! checkout`, for example) is not fresh: nothing is revived silently.
//!
//! Steps, under the writers' lock:
//! 1. Write the archive and history.
//! 2. Write the issues completely, only if there are none.
//! 3. Record the commit that they were read from.
//! 4. Add the other files of a beads folder. Files that the checked-out branch does not track are
//!    added to this clone's own exclude file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::SyncError;
use super::place::SyncPlace;
use super::side::CommitSide;
use crate::bead::lines;
use crate::bead::{id, record};
use crate::config::Config;
use crate::git::{Git, GitError};
use crate::store::find::{BeadsElsewhere, GitPlace, ProjectLocation};
use crate::store::paths::StorePaths;
use crate::store::{StoreError, create, exchange, route};
use kit::sys::lock;
use kit::sys::{Clock, Env, file};

/// The files that a store has once it was written to.
const TRACE_FILES: &[&str] = &[
    "journal.jsonl",
    "events.local.jsonl",
    "clone-id",
    "sync-base",
];

/// The time limit of the question to a remote whether it has beads.
pub const QUESTION_LIMIT: Duration = Duration::from_secs(5);

/// Beads that are only on their branch.
#[derive(Debug)]
pub struct FreshClone {
    pub dir: PathBuf,
    place: SyncPlace,
    commit: String,
    /// The branch by its local name, with the remote.
    pub branch: String,
    /// The name of the issues file.
    issues: String,
    side: CommitSide,
}

/// The beads that were read from their branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedBeads {
    pub beads: usize,
    pub dir: PathBuf,
    pub branch: String,
    /// The prefix of new ids.
    pub prefix: Option<String>,
}

/// Finds the beads of a working directory if they are only on their branch.
pub fn find_fresh_clone(
    env: &Env,
    config: &Config,
    found: Option<&ProjectLocation>,
) -> Option<FreshClone> {
    match found {
        Some(found) => find_fresh_store(&found.dir, config),
        // The clones of a town use their rig's beads and have none of their own, unless a command
        // names them.
        None if route::find_town_root(env.cwd()).is_some() => None,
        None => find_fresh_clone_around(env, config),
    }
}

/// Finds the beads of a folder if they are only on their branch.
pub fn find_fresh_store(dir: &Path, config: &Config) -> Option<FreshClone> {
    let paths = StorePaths::for_folder(dir);
    if paths.issues().is_file() || TRACE_FILES.iter().any(|name| dir.join(name).exists()) {
        return None;
    }
    let name = paths.issues().file_name()?.to_str()?.to_owned();
    // If the branch cannot be determined, there is nothing to read.
    let place = SyncPlace::for_folder(dir, config).ok()?;
    find_on_branch(dir.to_owned(), place, name)
}

/// Finds a project that is only on the branch, from the working directory upwards, even inside a
/// town.
pub fn find_fresh_clone_around(env: &Env, config: &Config) -> Option<FreshClone> {
    if ["BEADS_DIR", "BEADS_DB", "BD_DB"]
        .iter()
        .any(|name| env.get(name).is_some())
    {
        return None;
    }
    let git = GitPlace::around(env.cwd());
    let root = git.root?;
    let top = git.main_root.unwrap_or_else(|| root.clone());
    let inside = env.cwd().strip_prefix(&root).ok()?;
    let place = |prefix: String| {
        let branch = config.sync_branch()?;
        let git = Git::at(&root);
        Some(SyncPlace {
            git,
            prefix,
            branch,
        })
    };
    // Most repositories have no such branch, which takes one look at the refs.
    find_tip(&place(String::new())?).ok()??;
    inside.ancestors().find_map(|folder| {
        let inside = folder.join(".beads");
        let place = place(format!("{}/", inside.to_str()?))?;
        find_on_branch(top.join(&inside), place, "issues.jsonl".to_owned())
    })
}

/// Finds signs of beads that are neither in the work tree nor on a branch of this clone. The clones of
/// a town use their rig's beads.
pub fn find_absent_beads(env: &Env, config: &Config) -> Option<BeadsElsewhere> {
    if route::find_town_root(env.cwd()).is_some() {
        return None;
    }
    let git = Git::at(&GitPlace::around(env.cwd()).root?);
    let tracked = git.plumbing(["ls-files", "-z", "--", ".beads"]).records();
    let is_sparse = git.config_get("core.sparseCheckout").ok()?.as_deref() == Some("true");
    if is_sparse && tracked.is_ok_and(|files| !files.is_empty()) {
        return Some(BeadsElsewhere::SparseCheckout(".beads".to_owned()));
    }
    config.sync_branch()?;
    let remotes = git.remotes().ok()?;
    let remote = remotes.iter().find(|name| *name == "origin");
    let remote = remote.or(remotes.first())?;
    Some(BeadsElsewhere::Remote(remote.clone()))
}

/// Fetches the branch of the beads into a clone without it: one that fetches single branches only, or
/// that is older than the branch. Returns true if it fetched. `limit` is the time limit of the
/// question whether the remote has the branch.
pub fn fetch_missing_branch(
    folder: &Path,
    config: &Config,
    limit: Duration,
) -> Result<bool, GitError> {
    let git = Git::at(folder);
    let remotes = git.remotes()?;
    let (Some(branch), [remote]) = (config.sync_branch(), remotes.as_slice()) else {
        return Ok(false);
    };
    let from = format!("refs/heads/{branch}");
    let to = format!("refs/remotes/{remote}/{branch}");
    let is_here = git.resolve(&from)?.is_some() || git.resolve(&to)?.is_some();
    if is_here {
        return Ok(false);
    }
    let asked = git.clone().with_network(limit);
    if asked.ls_remote(remote, &branch)?.is_none() {
        return Ok(false);
    }
    git.fetch_ref(remote, &from, &to).map(|()| true)
}

fn find_on_branch(dir: PathBuf, place: SyncPlace, issues: String) -> Option<FreshClone> {
    let (branch, commit) = find_tip(&place).ok()??;
    let side = CommitSide::from_commit(&place, &issues, &commit).ok()?;
    side.issues.as_ref()?;
    Some(FreshClone {
        dir,
        place,
        commit,
        branch,
        issues,
        side,
    })
}

/// Returns the name and commit of the branch, here or at its remote, whichever is ahead.
fn find_tip(place: &SyncPlace) -> Result<Option<(String, String)>, GitError> {
    let git = &place.git;
    let ours = git.resolve(&place.reference())?;
    let known = git.remotes_with_branch(&place.branch)?;
    let remote = known
        .iter()
        .find(|name| *name == "origin")
        .or(known.first());
    let theirs = match remote {
        Some(remote) => git
            .resolve(&place.tracking(remote))?
            .map(|commit| (format!("{remote}/{}", place.branch), commit)),
        None => None,
    };
    let ours = ours.map(|commit| (place.branch.clone(), commit));
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if git.is_ancestor(&ours.1, &theirs.1)? => Ok(Some(theirs)),
        (None, theirs) => Ok(theirs),
        (ours, _) => Ok(ours),
    }
}

impl FreshClone {
    /// Reads the beads into their folder.
    pub fn fetch(&self, clock: &Clock) -> Result<FetchedBeads, SyncError> {
        file::create_folder(&self.dir, 0o750)
            .map_err(|source| StoreError::io("create", &self.dir, source))?;
        let _guard = lock::acquire_lock(&self.dir.join(".lock"), lock::PATIENCE)
            .map_err(StoreError::from)?;
        let text = self.side.issues_text(&self.place)?.unwrap_or_default();
        let (beads, prefix) = summarize_beads(&text);
        let taken = FetchedBeads {
            beads,
            dir: self.dir.clone(),
            branch: self.place.branch.clone(),
            prefix,
        };
        self.exclude()?;
        for (name, content) in self.side.archive_texts(&self.place)? {
            create_if_absent(&self.dir.join("archive").join(name), &content)?;
        }
        for (name, file) in &self.side.events {
            create_if_absent(
                &self.dir.join("events").join(name),
                &file.read(&self.place)?,
            )?;
        }
        // Written last, and never over the issues of a faster command.
        if create_if_absent(&self.dir.join(&self.issues), &text)? {
            exchange::record_first_base(&self.dir, &self.place.branch, &self.commit, clock)?;
        }
        if !self.dir.join("metadata.json").is_file() {
            let has_config = self.dir.join("config.yaml").is_file();
            create::complete_fetched_store(
                &self.dir,
                taken.prefix.as_deref().filter(|_| !has_config),
            )?;
        }
        Ok(taken)
    }

    /// Excludes the files that are not tracked from git.
    fn exclude(&self) -> Result<(), SyncError> {
        let git = &self.place.git;
        if git.is_bare()? {
            return Ok(());
        }
        let root = git.in_folder(git.top()?);
        let folder = self.place.prefix.trim_end_matches('/');
        if folder.is_empty() {
            return Ok(());
        }
        if root.tracked(&[folder])?.is_empty() {
            return Ok(git.exclude(&format!("/{folder}/"))?);
        }
        for name in [self.issues.as_str(), "archive"] {
            let path = format!("{folder}/{name}");
            if root.tracked(&[&path])?.is_empty() {
                git.exclude(&format!("/{path}"))?;
            }
        }
        Ok(())
    }
}

/// Returns the number of beads that are not deleted, and their prefix; of several, the most
/// frequent one.
fn summarize_beads(text: &[u8]) -> (usize, Option<String>) {
    let lines = lines::iter_line_spans(text, 0);
    let ids: Vec<String> = lines
        .filter_map(|(_, span)| record::parse_bead(&text[span]).ok())
        .filter(|bead| !bead.is_tombstone())
        .map(|bead| bead.id)
        .collect();
    (ids.len(), id::find_usual_prefix(&ids).map(str::to_owned))
}

fn create_if_absent(path: &Path, content: &[u8]) -> Result<bool, StoreError> {
    let failed = |error| StoreError::io("write", path, error);
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o777).map_err(failed)?;
    }
    file::create_file(path, content, file::SHARED).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_is_the_most_common_one_of_the_remaining_beads() {
        let text = b"{\"id\":\"a-1\"}\n{\"id\":\"b-1\"}\n{\"id\":\"b-2\"}\n{\"id\":\"a-2\",\"status\":\"tombstone\"}\n";
        assert_eq!(summarize_beads(text), (3, Some("b".to_owned())));
        assert_eq!(summarize_beads(b""), (0, None));
    }

    #[test]
    fn a_remote_that_accepts_and_stays_silent_is_asked_for_a_short_time_only() {
        let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        git.init("main", false).unwrap();
        let url = format!("git://{}/beads", silent.local_addr().unwrap());
        git.plumbing(["remote", "add", "origin", &url])
            .run()
            .unwrap();
        let mut config = Config::default();
        config.set_flag("sync-branch", "beads");
        let limit = Duration::from_millis(100);
        let asked = fetch_missing_branch(folder.path(), &config, limit);
        assert!(
            matches!(asked, Err(GitError::NoAnswer { limit: held, .. }) if held == limit),
            "{asked:?}"
        );
    }
}
