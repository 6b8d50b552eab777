//! Restores the sandbox of a worker that has work: after its folder was removed, or after its
//! links to the repository broke because the town was moved.
//!
//! 1. A folder that is there gets its links to the repository repaired, if the town was moved. In a
//!    copy of a town that is still there, it is refused: its links are the original's.
//! 2. What git cannot read is moved aside as a whole.
//! 3. The sandbox is added again on the branch of the work, which is in the rig's repository.
//! 4. The last snapshot of uncommitted files is put back.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::git::{GitError, rescue};
use jiff::Timestamp;
use kit::sys::file;

use super::snapshot::parse_snapshot_name;
use super::{Sandbox, SandboxError, find_start_commit, is_same_place};
use crate::record::dog;
use crate::record::polecat::Slot;
use crate::town::Rig;
use crate::town::event::event;
use crate::town::lock::Lock;
use crate::town::sandbox_git;

impl Sandbox<'_> {
    /// Makes the sandbox a working worktree on the branch of its work again. Does nothing if it is
    /// one. The caller holds the slot, and no process of the worker runs. Returns the folder of a
    /// sandbox that was moved aside.
    pub fn restore(&self, slot: &Slot) -> Result<Option<PathBuf>, SandboxError> {
        self.remove_partial_folder()?;
        let Err(reason) = self.check() else {
            if sandbox_git::is_held(self.rig, self.name) {
                self.hand_over()?;
            }
            return Ok(None);
        };
        let mut aside = None;
        let mut snapshot = None;
        if !self.repair_links()? {
            if self.path().exists() {
                aside = Some(self.move_aside(&reason)?.aside);
            }
            self.add_again(slot)?;
            snapshot = self.restore_snapshot(slot)?;
        }
        self.provision()?;
        self.hand_over()?;
        self.remove_adding_mark()?;
        self.rig.town().record_event(&event!(SandboxRestored,
            rig: self.rig.name(), polecat: self.name, reason: reason, snapshot: snapshot,
        ));
        Ok(aside)
    }

    /// Repairs the links between sandbox and repository after the town was moved. Returns true if
    /// the sandbox works. Fails in a copy of a town that is still there.
    pub fn repair_links(&self) -> Result<bool, SandboxError> {
        let path = self.path();
        if !path.join(".git").exists() {
            return Ok(false);
        }
        if self.check().is_ok() {
            return Ok(true);
        }
        if self.repair_loan()? {
            return Ok(true);
        }
        let _held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        if let Some(PlaceLinks::Copied { original }) = read_links(self.rig, &path) {
            return Err(SandboxError::Copied { path, original });
        }
        repair_worktrees(self.rig)?;
        Ok(self.check().is_ok())
    }

    /// Gives a sandbox a new repository if its own does not find the objects that it borrows. The
    /// town's repository has the worker's state. Returns true if the sandbox works then.
    fn repair_loan(&self) -> Result<bool, SandboxError> {
        if !sandbox_git::has_own_repository(self.rig, self.name) {
            return Ok(false);
        }
        let is_loan_broken = self
            .git()
            .is_ok_and(|git| git.check_borrowed_objects().is_err());
        if is_loan_broken {
            self.leave_branch(|_| {})?;
        }
        Ok(is_loan_broken && self.check().is_ok())
    }

    /// Adds the sandbox on its branch. The mark stays until the files are back, so that a killed
    /// run is repeated.
    fn add_again(&self, slot: &Slot) -> Result<(), SandboxError> {
        let _held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        let git = self.rig.git();
        let path = self.path();
        self.drop_repository()?;
        prune_worktrees(self.rig)?;
        self.write_adding_mark()?;
        let branch = format!("refs/heads/{}", slot.branch);
        if let Some(tip) = git.resolve(&branch)? {
            git.worktree_add_detached(&path, &tip)?;
            let tree = self.git()?;
            tree.plumbing(["symbolic-ref", "HEAD", &branch])
                .finish_checked()?;
            return Ok(tree.complete_checkout()?);
        }
        let start = match self.find_branch_start(slot)? {
            Some(start) => start,
            None => find_start_commit(self.rig, &slot.target)?,
        };
        git.worktree_add(&path, &slot.branch, &start)?;
        Ok(self.git()?.complete_checkout()?)
    }

    /// Returns the last known commit of a branch that is gone.
    fn find_branch_start(&self, slot: &Slot) -> Result<Option<String>, GitError> {
        let git = self.rig.git();
        let pushed = format!("refs/remotes/origin/{}", slot.branch);
        for known in self
            .last_snapshot(slot)?
            .map(|name| format!("{name}^1"))
            .into_iter()
            .chain([pushed, slot.base.clone()])
        {
            if known.is_empty() {
                continue;
            }
            if let Some(commit) = git.resolve(&format!("{known}^{{commit}}"))? {
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    /// Puts the last snapshot of the work back. Returns its ref. A snapshot that does not fit the
    /// branch any more stays where it is.
    fn restore_snapshot(&self, slot: &Slot) -> Result<Option<String>, SandboxError> {
        let Some(name) = self.last_snapshot(slot)? else {
            return Ok(None);
        };
        let git = self.rig.git();
        // A restore leaves out the work in submodules, and snapshots expire.
        if !rescue::list_submodule_commits(&git, &name)?.is_empty()
            && let Some(commit) = git.resolve(&name)?
        {
            git.update_ref(&self.rescue_ref(Some(&slot.bead)), &commit, None)?;
        }
        let restored = rescue::restore_rescue(&git, &self.git()?, &name);
        Ok(restored.is_ok().then_some(name))
    }

    /// Returns the last snapshot of this attempt. An earlier attempt at the bead was given up, and
    /// its snapshots may still be there.
    fn last_snapshot(&self, slot: &Slot) -> Result<Option<String>, GitError> {
        let folder = format!("refs/gt/snap/{}/polecats/{}", self.rig.name(), self.name);
        let of_bead = format!(" on {}", slot.bead);
        let claimed: Option<Timestamp> = slot.since.parse().ok();
        let claimed = claimed.map_or(0, Timestamp::as_millisecond);
        Ok(rescue::list_rescues(&self.rig.git(), &folder)?
            .into_iter()
            .filter_map(|snapshot| {
                let (lease, at) = parse_snapshot_name(&snapshot.refname)?;
                let is_of_attempt = lease == slot.lease.0 || at >= claimed;
                (snapshot.subject.ends_with(&of_bead) && is_of_attempt)
                    .then_some(((lease, at), snapshot.refname))
            })
            .max()
            .map(|(_, name)| name))
    }
}

/// Removes git's records of worktrees that are gone. Those of worktrees that were moved stay,
/// because the folder of the town may have been moved. The caller holds the lock of the repository.
pub(crate) fn prune_worktrees(rig: &Rig) -> Result<(), SandboxError> {
    repair_worktrees(rig)?;
    Ok(rig.git().worktree_prune()?)
}

/// A worktree that was moved with its town.
pub(crate) struct MovedWorktree {
    pub place: PathBuf,
    /// The earlier folder of the town, if the repository still names it.
    pub earlier: Option<PathBuf>,
}

/// Returns the worktrees of a rig whose links broke because the town was moved.
pub(crate) fn list_moved_worktrees(rig: &Rig) -> Vec<MovedWorktree> {
    let root = rig.town().layout.root();
    list_moved_places(rig)
        .into_iter()
        .map(|(place, record)| MovedWorktree {
            earlier: find_earlier_root(root, &place, &record),
            place,
        })
        .collect()
}

/// Returns the root of the town when the record of a worktree was written, if it was another one.
fn find_earlier_root(root: &Path, place: &Path, record: &Path) -> Option<PathBuf> {
    let inside = place.strip_prefix(root).ok()?.join(".git");
    let text = fs::read_to_string(record.join("gitdir")).ok()?;
    let named = Path::new(text.trim_end());
    if !named.is_absolute() || !named.ends_with(&inside) {
        return None;
    }
    let earlier = named.ancestors().nth(inside.components().count())?;
    (earlier != root).then(|| earlier.to_owned())
}

/// Repairs the links of all worktrees of a rig that were moved with their town.
pub(crate) fn repair_moved_worktrees(rig: &Rig) -> Result<(), SandboxError> {
    let _held = Lock::take(&rig.repo_lock(), Duration::from_secs(120))?;
    repair_worktrees(rig)
}

/// Returns true for a worktree of a copied town that belongs to the original.
pub(crate) fn is_of_other_town(rig: &Rig, place: &Path) -> bool {
    matches!(read_links(rig, place), Some(PlaceLinks::Copied { .. }))
}

/// Checks that the links between a linked worktree and its record in the rig's repository lead to
/// each other.
pub(super) fn check_links(rig: &Rig, place: &Path) -> Result<(), String> {
    match read_links(rig, place) {
        Some(PlaceLinks::Copied { original }) => {
            Err(format!("it belongs to {}", original.display()))
        }
        Some(PlaceLinks::Moved { record }) => {
            Err(format!("{} leads to another place", record.display()))
        }
        None => Ok(()),
    }
}

fn repair_worktrees(rig: &Rig) -> Result<(), SandboxError> {
    for name in file::list_subfolders(&rig.polecats()) {
        let own = rig.sandbox_repository(&name);
        if own.is_dir() {
            sandbox_git::write_git_link(&own, &rig.sandbox(&name))?;
        }
    }
    for (place, record) in list_moved_places(rig) {
        write_links(&place, &record)?;
    }
    Ok(())
}

/// Returns the places of worktrees that were moved, with the records in the repository.
fn list_moved_places(rig: &Rig) -> Vec<(PathBuf, PathBuf)> {
    let kennel = dog::kennel_folder(&rig.town().layout);
    let mut places: Vec<PathBuf> = file::list_subfolders(&rig.polecats())
        .iter()
        .map(|name| rig.sandbox(name))
        .collect();
    places.extend(
        file::list_subfolders(&kennel)
            .iter()
            .map(|name| kennel.join(name).join(rig.name())),
    );
    places.push(rig.refinery());
    places
        .into_iter()
        .filter_map(|place| match read_links(rig, &place) {
            Some(PlaceLinks::Moved { record }) => Some((place, record)),
            _ => None,
        })
        .collect()
}

/// The links between the place of a worktree and git's record of it in the rig's repository, if
/// they do not lead to each other.
#[derive(Debug, PartialEq, Eq)]
enum PlaceLinks {
    /// At least one leads nowhere, and none leads to another place.
    Moved { record: PathBuf },
    /// One leads to an original that is there.
    Copied { original: PathBuf },
}

/// Returns the links of a place. `None` if they are whole, or if the repository has no record of
/// the place. `git worktree repair` does not tell a town that was moved from one that was copied,
/// and takes the worktrees of the original over.
fn read_links(rig: &Rig, place: &Path) -> Option<PlaceLinks> {
    let link = place.join(".git");
    let named = fs::read_to_string(&link).ok()?;
    let linked = place.join(named.trim_end().strip_prefix("gitdir: ")?);
    let record = rig.repo().join("worktrees").join(linked.file_name()?);
    let named = fs::read_to_string(record.join("gitdir")).ok()?;
    let back = record.join(named.trim_end());
    let other = [(&linked, &record), (&back, &link)]
        .into_iter()
        .find(|(to, own)| to.exists() && !is_same_place(to, own));
    if let Some((original, _)) = other {
        let original = original.clone();
        return Some(PlaceLinks::Copied { original });
    }
    // The id of a record may be that of another place.
    let inside = link.strip_prefix(rig.town().layout.root()).ok()?;
    let is_whole = linked.exists() && back.exists();
    let is_of_place = back.exists() || back.ends_with(inside);
    (!is_whole && is_of_place).then_some(PlaceLinks::Moved { record })
}

fn write_links(place: &Path, record: &Path) -> Result<(), SandboxError> {
    let link = place.join(".git");
    for (path, text) in [
        (record.join("gitdir"), format!("{}\n", link.display())),
        (link, format!("gitdir: {}\n", record.display())),
    ] {
        file::replace_file(&path, text.as_bytes(), 0o644).map_err(SandboxError::at(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bd::git::Git;
    use kit::sys::ChildCommand;

    use super::*;
    use crate::flow::place::sandbox::save_snapshot;
    use crate::testing::TestTown;
    use crate::town::TownLayout;
    use crate::town::sandbox_git::open_tree;

    const BRANCH: &str = "polecat/nux/w-1@a";

    fn slot() -> Slot {
        Slot {
            bead: "w-1".into(),
            branch: BRANCH.into(),
            target: "main".to_owned(),
            ..Slot::default()
        }
    }

    /// Creates a town with a worktree of a dog, and a sandbox with an uncommitted file.
    fn create_town() -> TestTown {
        create_town_with(|rig| {
            Sandbox::new(rig, "nux")
                .prepare(BRANCH, "main", None)
                .unwrap();
        })
    }

    /// Creates a town whose sandbox is a linked worktree, as older versions made it.
    fn create_older_town() -> TestTown {
        create_town_with(|rig| {
            rig.git()
                .worktree_add(&rig.sandbox("nux"), BRANCH, "origin/main")
                .unwrap();
        })
    }

    fn create_town_with(add_sandbox: impl FnOnce(&Rig)) -> TestTown {
        let place = TestTown::new();
        let origin = place.create_origin(&[("a", "1")]);
        place.add_rig("web", Some(&origin)).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        add_sandbox(&rig);
        fs::write(rig.sandbox("nux").join("new"), "work").unwrap();
        let tree = dog_tree(&rig);
        rig.git().worktree_add_detached(&tree, BRANCH).unwrap();
        place
    }

    #[test]
    fn a_restore_that_was_killed_is_repeated_with_the_snapshot() {
        let place = create_town();
        let rig = place.town.find_rig("web").unwrap();
        let (sandbox, path) = (Sandbox::new(&rig, "nux"), rig.sandbox("nux"));
        save_snapshot(&rig, "nux", &slot()).unwrap().unwrap();
        fs::remove_dir_all(&path).unwrap();
        // Killed between the checkout and the snapshot, and in the middle of the checkout.
        for half in ["new", "a"] {
            sandbox.add_again(&slot()).unwrap();
            fs::remove_file(path.join(half)).ok();
            assert_eq!(save_snapshot(&rig, "nux", &slot()).unwrap(), None);
            sandbox.restore(&slot()).unwrap();
            assert_eq!(fs::read_to_string(path.join("new")).unwrap(), "work");
            assert_eq!(changed_files(&path).unwrap(), 1);
            fs::remove_dir_all(&path).unwrap();
        }
    }

    #[test]
    fn a_snapshot_of_an_earlier_attempt_does_not_come_back() {
        let place = create_town();
        let rig = place.town.find_rig("web").unwrap();
        let (sandbox, path) = (Sandbox::new(&rig, "nux"), rig.sandbox("nux"));
        save_snapshot(&rig, "nux", &slot()).unwrap().unwrap();
        fs::remove_dir_all(&path).unwrap();
        let again = Slot {
            lease: crate::town::name::Lease(7),
            since: "2026-02-01T00:00:00Z".to_owned(),
            ..slot()
        };
        sandbox.restore(&again).unwrap();
        assert_eq!(changed_files(&path).unwrap(), 0);
    }

    #[test]
    fn the_sandbox_of_a_worker_that_may_run_is_not_moved_aside() {
        let place = create_town();
        let rig = place.town.find_rig("web").unwrap();
        let (sandbox, path) = (Sandbox::new(&rig, "nux"), rig.sandbox("nux"));
        fs::write(path.join(".git/HEAD"), "ref: nowhere\n").unwrap();
        assert!(sandbox.keep_uncommitted(&slot()).unwrap().is_some());
        assert!(path.join("new").exists());
        let aside = sandbox.restore(&slot()).unwrap().unwrap();
        assert!(aside.join("new").exists());
    }

    fn dog_tree(rig: &Rig) -> PathBuf {
        dog::kennel_folder(&rig.town().layout).join("alpha/web")
    }

    fn changed_files(tree: &Path) -> Result<usize, GitError> {
        Ok(open_tree(tree)?.status()?.len())
    }

    #[test]
    fn all_worktrees_of_a_moved_town_work_again() {
        let mut place = create_older_town();
        let moved = place.path_beside("moved");
        fs::rename(place.town.layout.root(), &moved).unwrap();
        place.town.town.layout = TownLayout::new(&moved);
        let rig = place.town.find_rig("web").unwrap();
        assert!(Sandbox::new(&rig, "nux").check().is_err());
        prune_worktrees(&rig).unwrap();
        assert_eq!(changed_files(&rig.sandbox("nux")).unwrap(), 1);
        assert_eq!(changed_files(&dog_tree(&rig)).unwrap(), 0);
        assert!(Sandbox::new(&rig, "nux").repair_links().unwrap());
    }

    #[test]
    fn a_sandbox_with_its_own_repository_moves_and_is_copied_with_its_town() {
        let mut place = create_town();
        let (first, copy) = (place.town.layout.clone(), place.path_beside("copy"));
        let copying = ChildCommand::new("cp").args(["-r".as_ref(), first.root(), &copy]);
        copying.run().unwrap();
        place.town.town.layout = TownLayout::new(&copy);
        let rig = place.town.find_rig("web").unwrap();
        let own = Git::at(rig.sandbox("nux"));
        assert_eq!(own.status().unwrap().len(), 1);
        prune_worktrees(&rig).unwrap();
        assert_eq!(changed_files(&rig.sandbox("nux")).unwrap(), 1);
        let prepared = Sandbox::new(&rig, "nux").prepare("polecat/nux/w-2@b", "main", None);
        assert!(prepared.unwrap().rescued.is_some());
        place.town.town.layout = first;
        let rig = place.town.find_rig("web").unwrap();
        assert_eq!(changed_files(&rig.sandbox("nux")).unwrap(), 1);
        let git = Sandbox::new(&rig, "nux").git().unwrap();
        assert_eq!(git.head_branch().unwrap().as_deref(), Some(BRANCH));
    }

    #[test]
    fn a_repository_that_lost_its_lender_is_repaired_with_its_work() {
        let place = create_town();
        let rig = place.town.find_rig("web").unwrap();
        let sandbox = Sandbox::new(&rig, "nux");
        let own = Git::at(sandbox.path());
        own.plumbing(["add", "new"]).run().unwrap();
        let alternates = sandbox.path().join(".git/objects/info/alternates");
        fs::write(&alternates, "../../nowhere/objects\n").unwrap();
        assert!(own.status().is_err());
        assert!(sandbox.check().is_err());
        let report = crate::flow::place::repair::repair_town(&place.town, None);
        let repaired = "repaired the repository of web/nux".to_owned();
        assert!(report.repaired.contains(&repaired), "{report:?}");
        let changes = own.status().unwrap();
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].kind, bd::git::ChangeKind::Staged);
        assert_eq!(own.head_branch().unwrap().as_deref(), Some(BRANCH));
    }

    #[test]
    fn a_linked_worktree_becomes_a_repository_of_its_own_at_the_next_sling() {
        let place = create_older_town();
        let rig = place.town.find_rig("web").unwrap();
        let sandbox = Sandbox::new(&rig, "nux");
        assert!(sandbox.path().join(".git").is_file());
        assert_eq!(sandbox.git().unwrap().status().unwrap().len(), 1);
        let prepared = sandbox.prepare("polecat/nux/w-2@b", "main", None).unwrap();
        let kept = prepared.rescued.unwrap();
        let file = rig.git().file_at(&kept, "new").unwrap();
        assert_eq!(file.as_deref(), Some(&b"work"[..]));
        assert!(sandbox.path().join(".git").is_dir());
        assert!(sandbox.check().is_ok());
        let trees = rig.git().worktree_list().unwrap();
        let own = trees.iter().filter(|tree| tree.path == sandbox.path());
        assert_eq!(own.count(), 1);
    }

    #[test]
    fn a_copied_town_leaves_the_sandboxes_of_the_original_alone() {
        let mut place = create_older_town();
        let (first, copy) = (place.town.layout.clone(), place.path_beside("copy"));
        let copying = ChildCommand::new("cp").args(["-r".as_ref(), first.root(), &copy]);
        copying.run().unwrap();
        let link = first.rig("web").sandbox("nux").join(".git");
        let before = fs::read_to_string(&link).unwrap();
        place.town.town.layout = TownLayout::new(&copy);
        let rig = place.town.find_rig("web").unwrap();
        let sandbox = Sandbox::new(&rig, "nux");
        prune_worktrees(&rig).unwrap();
        for refused in [
            sandbox.restore(&slot()).map(drop),
            sandbox.prepare("polecat/nux/w-2@b", "main", None).map(drop),
        ] {
            assert!(
                matches!(refused, Err(SandboxError::Copied { .. })),
                "{refused:?}"
            );
        }
        assert_eq!(fs::read_to_string(&link).unwrap(), before);
        assert!(rig.sandbox("nux").join("new").exists());
        place.town.town.layout = first;
        let rig = place.town.find_rig("web").unwrap();
        prune_worktrees(&rig).unwrap();
        assert_eq!(changed_files(&rig.sandbox("nux")).unwrap(), 1);
        assert_eq!(changed_files(&dog_tree(&rig)).unwrap(), 0);
        // Without the original, the copy is a town that was moved.
        fs::remove_dir_all(place.town.layout.root()).unwrap();
        place.town.town.layout = TownLayout::new(&copy);
        let rig = place.town.find_rig("web").unwrap();
        assert!(Sandbox::new(&rig, "nux").repair_links().unwrap());
        assert_eq!(changed_files(&rig.sandbox("nux")).unwrap(), 1);
    }
}
