//! The sandboxes of a box: made for new work, and read for the town.
//!
//! A box keeps a sandbox like a town does: a repository of its own, which borrows the objects of the
//! repository of its rig. A worker is trusted as little here as in the town.

use std::collections::BTreeMap;
use std::fs;
use std::iter;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use bd::git::rescue::{BigFilePolicy, save_rescue};
use bd::git::{Git, Identity};
use kit::sys::file;

use super::pack::{PackFolder, ReceivedPack, check_complete, is_object_id};
use super::protocol::{GivenSandbox, SandboxQuestion, SandboxState};
use crate::town::lock::Lock;
use crate::town::sandbox_git::{hand_over_sandbox, has_own_repository, hold_sandbox, open_sandbox};
use crate::town::{RigLayout, TownLayout};

/// The branches of the remote, which are all the refs that a town gives.
const GIVEN_REFS: &str = "refs/remotes/origin/";

/// The refs with the uncommitted files of workers, as the town took them last.
const FILES_REFS: &str = "refs/gt/far/";

/// The number of packs of a repository above which they are joined.
const MAX_PACKS: usize = 50;

/// The time for other work on the same rig.
const RIG_TIMEOUT: Duration = Duration::from_secs(600);

/// Makes the sandbox of a worker for new work. The town must have taken its last state.
pub(super) fn make_sandbox(
    town: &TownLayout,
    given: &GivenSandbox,
    pack: Option<ReceivedPack>,
) -> anyhow::Result<()> {
    let rig = find_rig(town, &given.rig, &given.worker)?;
    let _held = lock_rig(&rig)?;
    check_refs(&given.refs)?;
    for commit in iter::once(&given.commit).chain(&given.files) {
        anyhow::ensure!(is_object_id(commit), "`{commit}` is no commit");
    }
    let repository = rig.repo();
    let shared = Git::at(&repository);
    if !repository.is_dir() {
        file::create_folder(&repository, 0o700)?;
        shared.init("main", true)?;
    }
    if let Some(pack) = pack {
        pack.add_to(&shared)?;
    }
    let mut commits: Vec<String> = given.refs.values().cloned().collect();
    commits.push(given.commit.clone());
    commits.extend(given.files.clone());
    check_complete(&shared, &commits)?;
    for (name, commit) in &given.refs {
        shared.plumbing(["update-ref", "--", name, commit]).run()?;
    }
    for pattern in &given.excluded {
        shared.exclude(pattern)?;
    }
    let path = rig.sandbox(&given.worker);
    let is_usable = has_own_repository(&rig, &given.worker) && path.is_dir();
    if !is_usable || reset_sandbox(&rig, given).is_err() {
        add_sandbox(&rig, given)?;
    }
    let git = open_sandbox(&rig, &given.worker)?;
    if let Some(files) = &given.files {
        hold_sandbox(&rig, &given.worker)?;
        restore_files(&git, files, &given.commit)?;
    }
    git.set_skip_worktree(&given.hidden)?;
    for hidden in &given.hidden {
        remove_tracked(&path.join(hidden))?;
    }
    hand_over_sandbox(&rig, &given.worker)?;
    // A disk that has no room now may have some the next time.
    join_packs(&shared).ok();
    Ok(())
}

/// Joins the packs of a repository if there are many. Objects that only a sandbox needs stay.
fn join_packs(repository: &Git) -> anyhow::Result<()> {
    let entries = fs::read_dir(repository.folder().join("objects/pack"))?.flatten();
    let is_pack = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|end| end == "pack");
    if entries.filter(is_pack).count() > MAX_PACKS {
        let repack = ["repack", "-a", "-d", "--keep-unreachable", "--quiet"];
        repository.plumbing(repack).limit(RIG_TIMEOUT).run()?;
    }
    Ok(())
}

/// Puts uncommitted files into a sandbox at `head`, as they were saved.
pub(crate) fn restore_files(git: &Git, files: &str, head: &str) -> anyhow::Result<()> {
    git.plumbing(["read-tree", "-u", "--reset", files]).run()?;
    let staged = git.resolve(&format!("{files}^2"))?;
    let staged = staged.unwrap_or_else(|| head.to_owned());
    git.plumbing(["read-tree", &staged]).run()?;
    // Files that are the same on disk count as the same again. Differing ones are no error.
    git.plumbing(["update-index", "-q", "--refresh"]).finish()?;
    Ok(())
}

/// Puts the new branch into the existing sandbox. Ignored files stay: they are caches.
fn reset_sandbox(rig: &RigLayout, given: &GivenSandbox) -> anyhow::Result<()> {
    let git = open_sandbox(rig, &given.worker)?;
    let earlier = git.head_branch()?;
    hold_sandbox(rig, &given.worker)?;
    let own = rig.sandbox_repository(&given.worker);
    let branch = format!("refs/heads/{}", given.branch);
    git.plumbing(["update-ref", "--", &branch, &given.commit])
        .run()?;
    git.plumbing(["symbolic-ref", "HEAD", &branch]).run()?;
    // Without marks that hide changes.
    file::remove_file(&own.join("index"))?;
    git.reset_hard(&given.commit)?;
    git.clean()?;
    if let Some(earlier) = earlier.filter(|earlier| *earlier != given.branch) {
        let earlier = format!("refs/heads/{earlier}");
        git.plumbing(["update-ref", "-d", "--", &earlier]).run()?;
    }
    Ok(())
}

fn add_sandbox(rig: &RigLayout, given: &GivenSandbox) -> anyhow::Result<()> {
    let path = rig.sandbox(&given.worker);
    for folder in [path.clone(), rig.sandbox_repository(&given.worker)] {
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    file::create_folder(path.parent().unwrap_or(&path), 0o700)?;
    let shared = Git::at(rig.repo());
    shared.worktree_prune()?;
    let branch = format!("refs/heads/{}", given.branch);
    shared.plumbing(["update-ref", "-d", "--", &branch]).run()?;
    shared.worktree_add(&path, &given.branch, &given.commit)?;
    hand_over_sandbox(rig, &given.worker)?;
    hold_sandbox(rig, &given.worker)?;
    Ok(())
}

/// Returns the state of a sandbox, and offers the objects that the town lacks.
pub(super) fn read_state(
    town: &TownLayout,
    question: &SandboxQuestion,
    packs: &PackFolder,
) -> anyhow::Result<SandboxState> {
    let rig = find_rig(town, &question.rig, &question.worker)?;
    let _held = lock_rig(&rig)?;
    let git = open_sandbox(&rig, &question.worker)?;
    let head = git.resolve("HEAD")?.context("the sandbox has no commit")?;
    let files = save_files(&git, &question.worker)?;
    let mut wanted = vec![head.clone()];
    wanted.extend(files.clone());
    Ok(SandboxState {
        branch: git.head_branch()?,
        pack: packs.offer(&git, &wanted, &question.has)?,
        head,
        files,
    })
}

/// Saves the uncommitted files as a commit, the same one for the same files.
fn save_files(git: &Git, worker: &str) -> anyhow::Result<Option<String>> {
    let reference = format!("{FILES_REFS}{worker}");
    let earlier = git.resolve(&reference)?;
    if let Some(earlier) = &earlier {
        git.delete_ref(&reference, earlier)?;
    }
    let author = Identity {
        name: worker.to_owned(),
        email: "polecat@gastown.local".to_owned(),
    };
    let message = "Uncommitted work";
    let saved = save_rescue(git, &reference, message, &author, BigFilePolicy::Leave)?;
    let Some(saved) = saved else {
        return Ok(None);
    };
    if let Some(earlier) = earlier
        && describe_commit(git, &earlier)? == describe_commit(git, &saved.commit)?
    {
        git.plumbing(["update-ref", "--", &reference, &earlier])
            .run()?;
        return Ok(Some(earlier));
    }
    Ok(Some(saved.commit))
}

/// Returns the files and the parents of a commit.
fn describe_commit(git: &Git, commit: &str) -> anyhow::Result<String> {
    let call = git.plumbing(["log", "-1", "--format=%T %P", commit, "--"]);
    Ok(call.text()?)
}

/// Returns the layout of a rig. Names that come from the town become paths.
pub(super) fn find_rig(town: &TownLayout, rig: &str, worker: &str) -> anyhow::Result<RigLayout> {
    for name in [rig, worker] {
        anyhow::ensure!(is_plain_name(name), "`{name}` is no valid name");
    }
    Ok(town.rig(rig))
}

fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(is_plain)
}

fn check_refs(refs: &BTreeMap<String, String>) -> anyhow::Result<()> {
    for (name, commit) in refs {
        anyhow::ensure!(
            name.starts_with(GIVEN_REFS) && is_object_id(commit),
            "`{name}` is no branch of the remote"
        );
    }
    Ok(())
}

fn lock_rig(rig: &RigLayout) -> anyhow::Result<Lock> {
    Ok(Lock::take(&rig.repo_lock(), RIG_TIMEOUT)?)
}

/// Removes a tracked file, or the work tree of a submodule.
fn remove_tracked(path: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => file::remove_file(path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_packs(git: &Git) -> usize {
        let entries = fs::read_dir(git.folder().join("objects/pack")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        names
            .filter(|name| name.to_string_lossy().ends_with(".pack"))
            .count()
    }

    #[test]
    fn many_packs_are_joined_and_lose_no_object() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        git.init("main", true).unwrap();
        let mut objects = Vec::new();
        for number in 0..=MAX_PACKS {
            let write = git.plumbing(["hash-object", "-w", "--stdin"]);
            let object = write.stdin(format!("{number}")).text().unwrap();
            let base = folder.path().join("objects/pack/pack");
            let pack = git.plumbing(["pack-objects", "--quiet"]).args([base]);
            pack.stdin(object.clone()).run().unwrap();
            git.plumbing(["prune-packed", "--quiet"]).run().unwrap();
            objects.push(object);
        }
        assert_eq!(count_packs(&git), MAX_PACKS + 1);
        join_packs(&git).unwrap();
        assert_eq!(count_packs(&git), 1);
        for object in objects {
            git.plumbing(["cat-file", "-e", object.trim()])
                .run()
                .unwrap();
        }
    }
}
