//! Saves the work in a sandbox to rescue refs of the rig's repository.
//!
//! Each rescue has a ref of its own. Only the same work, saved again, keeps the name that it has.

use std::fs;
use std::path::PathBuf;

use bd::git::rescue::{self, BigFilePolicy, SavedRescue};
use bd::git::{Git, GitError, Identity};

use super::{Sandbox, SandboxError};
use crate::flow::place::discovery;
use crate::flow::place::unsaved::{
    self, UnsavedWork, commits_left_detached, last_sling_branch, move_aside, visits_since_sling,
};
use crate::record::polecat::{PolecatIds, Slot, read_last_completion};
use crate::town::config;
use crate::town::event::{DiscoveryDocuments, Event, event};
use crate::town::sandbox_git::{self, hand_over_sandbox, hold_sandbox};

/// The commits that were taken over from the repository of a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakenWork {
    /// Those of branches and tags that HEAD does not stand on.
    BesideHead,
    All,
}

impl Sandbox<'_> {
    /// Saves work that will not be submitted to a rescue ref: uncommitted files, and the commits of
    /// the branch and of HEAD for which `is_work` returns true. `None` if there is none.
    pub fn keep_work(
        &self,
        slot: &Slot,
        is_work: &dyn Fn(&str) -> bool,
    ) -> Result<Option<String>, SandboxError> {
        if let Some(git) = sandbox_git::open_without_repository(self.rig, self.name) {
            return self.keep_work_in(&git, slot, is_work);
        }
        if !self.path().join(".git").exists() {
            return Ok(None);
        }
        if let Some(reason) = self.find_defect()? {
            return self.give_up(slot, &reason);
        }
        self.keep_abandoned_commits(slot.branch.as_str())?;
        self.keep_work_in(&self.git()?, slot, is_work)
    }

    /// Saves the files that `git` finds uncommitted, and the commits of the branch and of HEAD for
    /// which `is_work` returns true, to a rescue ref.
    fn keep_work_in(
        &self,
        git: &Git,
        slot: &Slot,
        is_work: &dyn Fn(&str) -> bool,
    ) -> Result<Option<String>, SandboxError> {
        let reference = self.rescue_ref(Some(&slot.bead));
        let mut kept = None;
        let head_commit = git.resolve("HEAD")?;
        if git.has_unsaved_files()? {
            let rig = self.rig.name();
            let name = self.name;
            let bead = &slot.bead;
            let message = format!("Work of {rig}/polecats/{name} on {bead}");
            rescue::save_rescue(
                git,
                &reference,
                &message,
                &self.identity(),
                BigFilePolicy::Leave,
            )?;
            kept = Some(reference.clone());
        } else if let Some(head_commit) = head_commit.as_deref().filter(|head| is_work(head)) {
            git.update_ref(&reference, head_commit, None)?;
            kept = Some(reference.clone());
        }
        let branch = git.resolve(&format!("refs/heads/{}", slot.branch))?;
        if let Some(tip) = branch.filter(|tip| Some(tip) != head_commit.as_ref() && is_work(tip)) {
            let reference = format!("{reference}-branch");
            git.update_ref(&reference, &tip, None)?;
            kept.get_or_insert(reference);
        }
        Ok(kept)
    }

    /// Moves a sandbox aside that git cannot read. Its content stays, and its branch, which is in
    /// the rig's repository, is saved to a rescue ref.
    pub fn give_up(&self, slot: &Slot, reason: &str) -> Result<Option<String>, SandboxError> {
        self.move_aside(reason)?;
        self.keep_branch(slot)
    }

    /// Saves the branch of the work to a rescue ref.
    fn keep_branch(&self, slot: &Slot) -> Result<Option<String>, SandboxError> {
        let git = self.rig.git();
        let Some(tip) = git.resolve(&format!("refs/heads/{}", slot.branch))? else {
            return Ok(None);
        };
        let reference = self.rescue_ref(Some(&slot.bead));
        git.update_ref(&reference, &tip, None)?;
        Ok(Some(reference))
    }

    /// Finds the work that a removal of the sandbox would lose.
    pub(crate) fn find_unsaved_work(&self) -> Result<Vec<UnsavedWork>, GitError> {
        let git = self.git()?;
        let branch = last_sling_branch(&git, self.name)?;
        unsaved::find_unsaved_work(self.rig, &git, branch.as_deref())
    }

    /// Saves commits that were made on no branch since the sling to `branch`, and left there, to
    /// rescue refs. Returns the refs.
    pub fn keep_abandoned_commits(&self, branch: &str) -> Result<Vec<String>, SandboxError> {
        let git = self.git()?;
        let visits = visits_since_sling(git.head_reflog()?, branch);
        let mut kept = Vec::new();
        let left = commits_left_detached(&visits);
        for (number, commit) in git.unreached_commits(&left)?.iter().enumerate() {
            let bead = parse_branch_bead(branch, self.name);
            let reference = self.numbered_ref(&format!("d{number}"), bead.as_deref());
            git.update_ref(&reference, commit, None)?;
            self.rig.town().record_event(&event!(CommitsKept,
                rig: self.rig.name(), polecat: self.name, r#ref: reference, commit: commit,
            ));
            kept.push(reference);
        }
        Ok(kept)
    }

    /// Saves the uncommitted work of a worker that loses its bead. Uses a rescue ref, not a
    /// snapshot, because the next worker of the bead is referred to it and snapshots expire. A
    /// sandbox that git cannot read stays, because the worker may run: only the branch is saved.
    pub fn keep_uncommitted(&self, slot: &Slot) -> Result<Option<String>, SandboxError> {
        let git = match sandbox_git::open_without_repository(self.rig, self.name) {
            Some(git) => git,
            None if !self.path().join(".git").exists() => return Ok(None),
            None if self.describe_defect().is_some() => return self.keep_branch(slot),
            None => self.git()?,
        };
        if !git.has_unsaved_files()? {
            return Ok(None);
        }
        let reference = self.rescue_ref(Some(&slot.bead));
        let rig = self.rig.name();
        let name = self.name;
        let bead = &slot.bead;
        let message = format!("Uncommitted work of {rig}/polecats/{name} on {bead}");
        let saved = rescue::save_rescue(
            &git,
            &reference,
            &message,
            &self.identity(),
            BigFilePolicy::Leave,
        )?;
        // A sling that fails and is retried saves the work only once.
        let earlier = saved
            .map(|saved| self.find_earlier_rescue(&git, &saved))
            .transpose()?;
        Ok(Some(earlier.flatten().unwrap_or(reference)))
    }

    /// Saves the work that a reset would lose: uncommitted files, commits that no remote has, and
    /// discovery documents that were not submitted. Inner repositories are moved beside the
    /// sandbox, because a rescue has only their files.
    pub fn rescue_leftovers(&self) -> Result<Option<String>, SandboxError> {
        let git = self.git()?;
        if let Some(kept) = discovery::take_documents(&git, None, &self.identity())? {
            let reference = kept.reference;
            let files = kept.files;
            self.rig
                .town()
                .record_event(&Event::DiscoveryKept(DiscoveryDocuments {
                    rig: self.rig.name().to_owned(),
                    polecat: self.name.to_owned(),
                    r#ref: reference,
                    files,
                    ..DiscoveryDocuments::default()
                }));
        }
        self.keep_stashes(&git)?;
        self.keep_taken(&git, TakenWork::BesideHead)?;
        if let Some(branch) = last_sling_branch(&git, self.name)? {
            self.keep_abandoned_commits(&branch)?;
        }
        let dirty = git.has_unsaved_files()?;
        let Some(head_commit) = git.resolve("HEAD")? else {
            return Ok(None);
        };
        if !dirty && is_commit_kept(&git, &head_commit)? {
            return Ok(None);
        }
        let bead = self.last_bead(&git);
        let reference = self.rescue_ref(bead.as_deref());
        if dirty {
            let after = bead.map_or_else(String::new, |bead| format!(", last on {bead}"));
            let message = format!(
                "Leftovers of {}/polecats/{}{after}",
                self.rig.name(),
                self.name
            );
            let saved = rescue::save_rescue(
                &git,
                &reference,
                &message,
                &self.identity(),
                BigFilePolicy::MoveAside,
            )?;
            self.move_inner_repositories(&git)?;
            if let Some(earlier) = saved.map(|saved| self.find_earlier_rescue(&git, &saved)) {
                return Ok(Some(earlier?.unwrap_or(reference)));
            }
        } else {
            git.update_ref(&reference, &head_commit, None)?;
        }
        Ok(Some(reference))
    }

    /// Moves the files beside the sandbox that only `info/exclude` or the user's own file makes git
    /// ignore. No rescue has them. Returns their new folder.
    pub(crate) fn move_ignored_files(&self) -> Result<Option<PathBuf>, SandboxError> {
        let git = self.git()?;
        let paths: Vec<PathBuf> = unsaved::find_ignored_files(self.rig, &git)?
            .into_iter()
            .map(|ignored| ignored.path)
            .collect();
        if paths.is_empty() {
            return Ok(None);
        }
        let stamp = self.rig.town().clock.now().as_millisecond();
        let aside = self.rig.polecat(self.name).join(format!("ignored-{stamp}"));
        move_aside(&git, &paths, &aside)?;
        Ok(Some(aside))
    }

    fn move_inner_repositories(&self, git: &Git) -> Result<(), SandboxError> {
        let folders = git.inner_repositories()?;
        if folders.is_empty() {
            return Ok(());
        }
        let stamp = self.rig.town().clock.now().as_millisecond();
        let aside = self.rig.polecat(self.name).join(format!("left-{stamp}"));
        move_aside(git, &folders, &aside)?;
        let folders = folders
            .iter()
            .map(|path| path.to_string_lossy().into_owned());
        let folders: Vec<String> = folders.collect();
        self.rig.town().record_event(&event!(InnerRepositoriesMoved,
            rig: self.rig.name(), polecat: self.name, folders: folders, moved_to: aside,
        ));
        Ok(())
    }

    /// Returns an earlier rescue ref of the same work: with the same bead, files and parents.
    /// Removes the new ref then, so that a piece of work has one name.
    fn find_earlier_rescue(
        &self,
        git: &Git,
        new: &SavedRescue,
    ) -> Result<Option<String>, GitError> {
        if !new.big.is_empty() {
            return Ok(None);
        }
        let read_content = |commit: &str| {
            let call = git.plumbing(["log", "-1", "--format=%T %P", commit, "--"]);
            call.text()
        };
        let folder = format!("refs/gt/rescue/{}/polecats/{}", self.rig.name(), self.name);
        let content = read_content(&new.commit)?;
        for earlier in rescue::list_rescues(git, &folder)? {
            if earlier.refname != new.refname
                && bead_in_ref(&earlier.refname) == bead_in_ref(&new.refname)
                && read_content(&earlier.commit)? == content
            {
                git.delete_ref(&new.refname, &new.commit)?;
                return Ok(Some(earlier.refname));
            }
        }
        Ok(None)
    }

    /// Changes a sandbox whose work is saved, after saving its stashes and other branches.
    pub fn leave_branch(&self, leave: impl FnOnce(&Git)) -> Result<(), SandboxError> {
        let git = self.git()?;
        self.keep_stashes(&git)?;
        self.keep_taken(&git, TakenWork::BesideHead)?;
        hold_sandbox(self.rig, self.name)?;
        leave(&git);
        // A linked worktree of an older town stays one until its next sling.
        if sandbox_git::has_own_repository(self.rig, self.name) {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Gives the sandbox a new repository of its own. What a process wrote into the earlier one
    /// since it was read goes to rescue refs.
    pub(super) fn hand_over(&self) -> Result<(), SandboxError> {
        let replaced = hand_over_sandbox(self.rig, self.name)?;
        let earlier = replaced.path().join(".git");
        if fs::symlink_metadata(&earlier).is_ok_and(|found| found.is_dir()) {
            let path = self.path();
            let own = self.rig.sandbox_repository(self.name);
            let git = Git::with_repository(&path, &own, Some(self.name));
            if git.take_over_refs(replaced.path()).is_ok() {
                self.keep_taken(&git, TakenWork::All)?;
            }
        }
        Ok(())
    }

    /// Saves commits that were taken over from the repository of the sandbox to rescue refs, because
    /// the town makes a new repository. Commits that are kept already are left out.
    pub(super) fn keep_taken(&self, git: &Git, which: TakenWork) -> Result<(), SandboxError> {
        if !sandbox_git::has_own_repository(self.rig, self.name) {
            return Ok(());
        }
        let folder = format!("refs/gt/sandbox/{}/", self.name);
        let current = match which {
            TakenWork::BesideHead => git.head_branch()?,
            TakenWork::All => None,
        };
        for (number, (name, id)) in git.refs_below(&folder)?.into_iter().enumerate() {
            let kind = name.strip_prefix(&folder).unwrap_or(&name);
            let branch = kind.strip_prefix("heads/");
            // HEAD, the stashes and the commits that HEAD left have rescues of their own.
            let is_beside_head = branch.is_some_and(|branch| Some(branch) != current.as_deref())
                || kind.starts_with("tags/");
            if which == TakenWork::BesideHead && !is_beside_head {
                continue;
            }
            let Some(tip) = git.resolve(&id)? else {
                continue;
            };
            let on_branch = git.plumbing(["for-each-ref", "--count=1", "--contains", &tip]);
            let on_branch = on_branch.args(["refs/heads"]).text()?;
            // The branch of the work stays in the rig's repository.
            let is_kept = which == TakenWork::All && !on_branch.is_empty();
            if is_kept || is_commit_kept(git, &tip)? {
                continue;
            }
            let bead = branch
                .and_then(|branch| parse_branch_bead(branch, self.name))
                .or_else(|| self.last_bead(git));
            let reference = self.numbered_ref(&format!("b{number}"), bead.as_deref());
            git.update_ref(&reference, &tip, None)?;
            self.rig.town().record_event(&event!(CommitsKept,
                rig: self.rig.name(), polecat: self.name, r#ref: reference, commit: tip,
            ));
        }
        Ok(())
    }

    /// Removes the town's repository of a sandbox that is gone, after saving what was taken over.
    pub(super) fn drop_repository(&self) -> Result<(), SandboxError> {
        let own = self.rig.sandbox_repository(self.name);
        if !own.is_dir() {
            return Ok(());
        }
        let git = self.rig.git();
        self.keep_taken(&git, TakenWork::All)?;
        fs::remove_dir_all(&own).map_err(SandboxError::at(&own))?;
        Ok(git.drop_taken_refs(self.name)?)
    }

    /// Saves the worker's stashes to rescue refs. The stashes of a linked worktree stay in the list
    /// too: all worktrees share it, and the name of a stash may refer to another worker's stash a
    /// moment later.
    fn keep_stashes(&self, git: &Git) -> Result<(), SandboxError> {
        let stashes = git.stashes()?;
        if stashes.is_empty() {
            return Ok(());
        }
        // If the target is unknown, the stashes of all visited branches are saved.
        let target = config::target_branch_of(self.rig).ok();
        let visits = git.head_reflog()?;
        let was_visited = |branch: &str| {
            let onto = format!(" to {branch}");
            target.as_deref() != Some(branch) && visits.iter().any(|(_, how)| how.ends_with(&onto))
        };
        let own_prefix = format!("polecat/{}/", self.name);
        let has_own_list = sandbox_git::has_own_repository(self.rig, self.name);
        for (number, stash) in stashes.iter().enumerate() {
            let branch = stash.branch().unwrap_or("");
            let is_own = has_own_list || branch.starts_with(&own_prefix) || was_visited(branch);
            let points_at = format!("--points-at={}", stash.commit);
            let kept = git.plumbing(["for-each-ref", &points_at, "refs/gt/rescue"]);
            if !is_own || !kept.text()?.is_empty() {
                continue;
            }
            let bead = parse_branch_bead(branch, self.name).or_else(|| self.last_bead(git));
            let reference = self.numbered_ref(&format!("s{number}"), bead.as_deref());
            git.update_ref(&reference, &stash.commit, None)?;
            self.rig.town().record_event(&event!(StashKept,
                rig: self.rig.name(), polecat: self.name, r#ref: reference, stash: stash.message,
            ));
        }
        Ok(())
    }

    /// Returns the last bead of the sandbox: the bead of its branch, otherwise the last bead that
    /// its worker completed.
    fn last_bead(&self, git: &Git) -> Option<String> {
        // An unknown bead is left out. The remaining work is saved in any case.
        let branch = git.head_branch().ok().flatten();
        let of_branch = branch.and_then(|branch| parse_branch_bead(&branch, self.name));
        of_branch.or_else(|| {
            let beads = self.rig.store().ok()?.snapshot().ok()?;
            let ids = PolecatIds::for_polecat(self.rig, self.name);
            let last = read_last_completion(&beads, beads.get(&ids.agent)?)?;
            Some(last.bead)
        })
    }

    /// Returns `refs/gt/rescue/<rig>/polecats/<name>/<time>-<bead>`, without the bead if it is
    /// unknown.
    pub(super) fn rescue_ref(&self, bead: Option<&str>) -> String {
        self.numbered_ref("", bead)
    }

    /// Returns a numbered ref, for several rescues at the same time.
    fn numbered_ref(&self, number: &str, bead: Option<&str>) -> String {
        let stamp = self.rig.town().clock.now().strftime("%Y%m%dT%H%M%S%3f");
        let bead = match bead {
            Some(bead) if is_valid_in_ref(bead) => format!("-{bead}"),
            _ => String::new(),
        };
        format!(
            "refs/gt/rescue/{}/polecats/{}/{stamp}{number}{bead}",
            self.rig.name(),
            self.name
        )
    }

    fn identity(&self) -> Identity {
        Identity {
            name: format!("{}/polecats/{}", self.rig.name(), self.name),
            email: self
                .rig
                .town()
                .env
                .get("GIT_AUTHOR_EMAIL")
                .unwrap_or("polecat@gastown.local")
                .to_owned(),
        }
    }
}

/// Parses the bead in `polecat/<name>/<bead>@<time>`.
pub(super) fn parse_branch_bead(branch: &str, name: &str) -> Option<String> {
    let rest = branch.strip_prefix("polecat/")?.strip_prefix(name)?;
    let (bead, _) = rest.strip_prefix('/')?.rsplit_once('@')?;
    Some(bead.to_owned())
}

/// Returns the bead at the end of the name of a rescue ref.
fn bead_in_ref(refname: &str) -> Option<&str> {
    let (_, last) = refname.rsplit_once('/')?;
    last.split_once('-').map(|(_, bead)| bead)
}

/// Returns true if an id is valid at the end of a ref's name.
fn is_valid_in_ref(id: &str) -> bool {
    let ending = std::path::Path::new(id).extension();
    !id.is_empty()
        && id
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && !id.contains("..")
        && !id.ends_with('.')
        && ending.is_none_or(|ending| ending != "lock")
}

/// Returns true if a commit is reachable from a remote branch, a rescue ref, or a branch of the
/// shared repository that is no polecat's.
pub(super) fn is_commit_kept(git: &Git, commit: &str) -> Result<bool, GitError> {
    let call = git.plumbing([
        "for-each-ref",
        "--format=%(refname)",
        "--contains",
        commit,
        "refs/remotes",
        "refs/gt/rescue",
        "refs/gt/merged",
        "refs/heads",
    ]);
    let names = call.text()?;
    Ok(names
        .lines()
        .any(|name| !name.starts_with("refs/heads/polecat/")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn the_bead_is_parsed_from_its_branch_and_only_valid_ids_fit_refs() {
        assert_eq!(
            parse_branch_bead("polecat/nux/w-1.2@abc", "nux").unwrap(),
            "w-1.2"
        );
        assert_eq!(parse_branch_bead("polecat/nux2/w-1@abc", "nux"), None);
        assert_eq!(parse_branch_bead("main", "nux"), None);
        assert!(is_valid_in_ref("web-1.2"));
        for bad in ["", "a b", "a..b", "a.", "a.lock", "a/b", "a@{"] {
            assert!(!is_valid_in_ref(bad), "{bad}");
        }
    }

    #[test]
    fn files_of_a_worker_that_removed_its_repository_are_saved() {
        let place = TestTown::new();
        let origin = place.create_origin(&[("a", "1")]);
        place.add_rig("web", Some(&origin)).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let sandbox = Sandbox::new(&rig, "nux");
        sandbox.prepare("polecat/nux/w-1@a", "main", None).unwrap();
        fs::write(sandbox.path().join("a"), "2").unwrap();
        fs::write(sandbox.path().join("new"), "3").unwrap();
        fs::remove_dir_all(sandbox.path().join(".git")).unwrap();
        let slot = Slot {
            bead: "w-1".into(),
            branch: "polecat/nux/w-1@a".into(),
            ..Slot::default()
        };
        let read = |reference: &str, file: &str| {
            let show = ["show".to_owned(), format!("{reference}:{file}")];
            rig.git().plumbing(show).text().unwrap()
        };
        let kept = sandbox.keep_uncommitted(&slot).unwrap().unwrap();
        assert_eq!(
            (read(&kept, "a"), read(&kept, "new")),
            ("2".into(), "3".into())
        );
        fs::write(sandbox.path().join("a"), "4").unwrap();
        let kept = sandbox.keep_work(&slot, &|_| false).unwrap().unwrap();
        assert_eq!(read(&kept, "a"), "4");
        // A folder that is gone as a whole has nothing to save.
        fs::remove_dir_all(sandbox.path()).unwrap();
        assert_eq!(sandbox.keep_work(&slot, &|_| false).unwrap(), None);
    }

    #[test]
    fn rescues_share_a_ref_only_if_they_are_the_same_work() {
        let place = TestTown::new();
        let origin = place.create_origin(&[("a", "1")]);
        place.add_rig("web", Some(&origin)).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let sandbox = Sandbox::new(&rig, "nux");
        sandbox.prepare("polecat/nux/w-1@a", "main", None).unwrap();
        let git = sandbox.git().unwrap();
        let save = |number: usize, bead: &str| {
            let reference = sandbox.numbered_ref(&number.to_string(), Some(bead));
            let author = sandbox.identity();
            let policy = BigFilePolicy::Leave;
            let saved = rescue::save_rescue(&git, &reference, "Work", &author, policy);
            let saved = saved.unwrap().unwrap();
            sandbox.find_earlier_rescue(&git, &saved).unwrap().is_some()
        };
        let write = |text: &str| fs::write(git.folder().join("a"), text).unwrap();
        write("2");
        assert!(!save(1, "w-1"));
        assert!(save(2, "w-1"));
        assert!(!save(3, "w-2"), "of another bead");
        write("3");
        assert!(!save(4, "w-1"), "another content");
        git.add_all().unwrap();
        write("2");
        assert!(!save(5, "w-1"), "another staged content");
    }
}
