//! A polecat's sandbox: a worktree of the rig's shared repository that lasts, on a branch that changes.
//!
//! What must always hold: nothing in a sandbox is reset or removed before it is reachable from a remote
//! or a rescue ref, and a sandbox never contributes to beads.
//!
//! 1. Fetch, so that the branch starts from the target as it is now.
//! 2. Look at the sandbox: good, missing, or broken.
//! 3. Good: leftovers to a rescue ref, then a fresh branch by switch. Missing: worktree add. Broken: what
//!    can be saved is saved, the folder is moved aside, and it is added again.
//!    A run that was killed leaves a branch, or a folder marked as being added: both are begun again.
//! 4. Provision: redirect to the rig's beads, exclusions, files of the rig's overlay.
//! 5. Once the work has its convoy: the documents that earlier workers of it wrote (`discovery`).

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::git::rescue::{self, BigFilePolicy, SavedRescue};
use bd::git::{Git, GitError, Identity};
use kit::sys::{ConfinedFolder, InsideError, clock, file};

mod snapshot;

pub use snapshot::save_snapshot;

use crate::flow::discovery::{self, DiscoveryError};
use crate::host::LiveTown;
use crate::record::polecat::{PolecatIds, Slot, read_record};
use crate::town::RigLayout;
use crate::town::config;
use crate::town::event::{DiscoveryDocuments, Event, event};
use crate::town::lock::{Lock, LockError};

/// What local files a sandbox hides from git, through the shared `info/exclude`.
const EXCLUDED: [&str; 6] = [
    "/.gt/",
    "/.polecat-checkpoint.json",
    ".beads/redirect",
    ".runtime/",
    ".claude/settings.local.json",
    ".logs/",
];

/// Folders in a sandbox that are ours, whatever the repository has of these names.
const OUR_FOLDERS: [&str; 2] = [".beads", ".gt"];

/// A polecat's sandbox.
pub struct Sandbox<'a> {
    town: &'a LiveTown,
    rig: &'a RigLayout,
    name: &'a str,
}

/// What preparing a sandbox did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedSandbox {
    /// `added`, `switched` or `repaired`.
    pub how: &'static str,
    /// The commit that the branch starts from.
    pub base: String,
    /// The rescue ref that leftovers went to.
    pub rescued: Option<String>,
    /// Why the fetch before it failed, where it did: the base is what was known before.
    pub stale: Option<String>,
}

/// Why a sandbox could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file could not be written.
    #[error("cannot prepare {}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The branch to start from is not there.
    #[error("the branch `{target}` that work should start from is neither on origin nor in {}", repo.display())]
    NoTarget {
        /// The branch.
        target: String,
        /// The rig's shared repository.
        repo: PathBuf,
    },
    /// Another process holds the rig's repository.
    #[error(transparent)]
    Busy(#[from] LockError),
    /// A file of the sandbox could not be written.
    #[error(transparent)]
    Inside(#[from] InsideError),
    /// Discovery documents could not be kept or put there.
    #[error(transparent)]
    Discovery(#[from] DiscoveryError),
}

impl<'a> Sandbox<'a> {
    /// The sandbox of a polecat.
    pub fn new(town: &'a LiveTown, rig: &'a RigLayout, name: &'a str) -> Self {
        Self { town, rig, name }
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.rig.sandbox(self.name)
    }

    /// Puts the discovery documents kept under a name into the sandbox.
    pub fn place_documents(&self, key: &str) -> Result<usize, SandboxError> {
        Ok(discovery::place_documents(&Git::at(self.path()), key)?)
    }

    /// Brings the sandbox onto a fresh `branch` that starts from the present `target`, or from the commit of unmerged work
    /// that it is to stand on, where this repository has it.
    pub fn prepare(
        &self,
        branch: &str,
        target: &str,
        stands_on: Option<&str>,
    ) -> Result<PreparedSandbox, SandboxError> {
        let stale = self.fetch()?;
        let unmerged = match stands_on {
            Some(tip) => Git::at(self.rig.repo()).resolve(&format!("{tip}^{{commit}}"))?,
            None => None,
        };
        let base = match unmerged {
            Some(tip) => tip,
            None => find_start_commit(self.rig, target)?,
        };
        let path = self.path();
        self.remove_partial_folder()?;
        let (how, rescued) = if !path.exists() {
            self.add(branch, &base)?;
            ("added", None)
        } else if let Err(reason) = self.check() {
            let rescued = self.move_aside(&reason)?;
            self.add(branch, &base)?;
            ("repaired", rescued)
        } else {
            self.drop_stale_locks()?;
            let rescued = self.rescue_leftovers()?;
            self.clear_documents()?;
            self.switch(branch, &base)?;
            ("switched", rescued)
        };
        provision_worktree(self.rig, &path)?;
        Ok(PreparedSandbox {
            how,
            base,
            rescued,
            stale,
        })
    }

    /// Whether the sandbox is a working worktree of the rig's repository; if not, why.
    pub fn check(&self) -> Result<(), String> {
        let path = self.path();
        let git = Git::at(&path);
        let shown = |error: GitError| error.to_string();
        let common = git.common_dir().map_err(shown)?;
        let same = |a: &Path, b: &Path| a.canonicalize().ok() == b.canonicalize().ok();
        if !same(&common, &self.rig.repo()) {
            return Err(format!("it belongs to {}", common.display()));
        }
        let top = git.top().map_err(shown)?;
        if !same(&top, &path) {
            return Err(format!("its top is {}", top.display()));
        }
        git.status().map(drop).map_err(shown)
    }

    /// Fetches into the shared repository; a failure is told, not fatal: work can start offline.
    fn fetch(&self) -> Result<Option<String>, SandboxError> {
        let git = Git::at(self.rig.repo());
        if git.remote_url("origin")?.is_none() {
            return Ok(None);
        }
        Ok(git.fetch("origin").err().map(|error| error.to_string()))
    }

    fn add(&self, branch: &str, base: &str) -> Result<(), SandboxError> {
        let path = self.path();
        let home = self.rig.polecat(self.name);
        file::create_folder(&home, 0o755)
            .map_err(|source| SandboxError::Io { path: home, source })?;
        let _held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        let git = Git::at(self.rig.repo());
        git.worktree_prune()?;
        self.remove_partial_branch(branch)?;
        let mark = self.adding_mark();
        file::replace_file(&mark, b"", 0o644).map_err(|source| SandboxError::Io {
            path: mark.clone(),
            source,
        })?;
        git.worktree_add(&path, branch, base)?;
        file::remove_file(&mark).map_err(|source| SandboxError::Io { path: mark, source })
    }

    fn switch(&self, branch: &str, base: &str) -> Result<(), SandboxError> {
        let git = Git::at(self.path());
        for folder in OUR_FOLDERS {
            self.restore_folder(&git, folder)?;
        }
        // What the last worker was in the middle of keeps git from switching; there may be nothing of that.
        for verb in ["rebase", "am", "cherry-pick", "revert"] {
            git.plumbing([verb, "--quit"]).finish()?;
        }
        git.reset_hard("HEAD")?;
        git.clean()?;
        if git.head_branch()?.as_deref() == Some(branch) {
            git.checkout_detach(base)?;
        }
        self.remove_partial_branch(branch)?;
        Ok(git.switch_new_branch(branch, base)?)
    }

    /// Undoes what [`make_way`] did: git switches branches only where it finds what it put there.
    fn restore_folder(&self, git: &Git, folder: &str) -> Result<(), SandboxError> {
        let entry = git.plumbing(["ls-files", "--stage", "-z", "--", folder]);
        let is_it = |record: &String| {
            let is_file = record.starts_with("100") || record.starts_with("120");
            is_file
                && record
                    .split_once('\t')
                    .is_some_and(|(_, path)| path == folder)
        };
        let path = git.folder().join(folder);
        if !entry.records()?.iter().any(is_it) || !path.is_dir() || path.is_symlink() {
            return Ok(());
        }
        git.plumbing(["update-index", "--no-skip-worktree", "--", folder])
            .finish_checked()?;
        let io = |source| SandboxError::Io {
            path: path.clone(),
            source,
        };
        file::remove_file(&path.join("redirect")).map_err(io)?;
        if fs::remove_dir(&path).is_ok() {
            return Ok(());
        }
        let stamp = self.town.clock.now().as_millisecond();
        let home = self.rig.polecat(self.name);
        fs::rename(&path, home.join(format!("left-{stamp}{folder}"))).map_err(io)
    }

    /// Removes lock files that a killed git left in the sandbox's own part of the repository. Only for
    /// who holds the worker's slot and has ended its processes: what is still locked after a moment is
    /// nobody's then.
    pub fn drop_stale_locks(&self) -> Result<(), SandboxError> {
        let git = Git::at(self.path());
        let folder = PathBuf::from(git.plumbing(["rev-parse", "--absolute-git-dir"]).text()?);
        for name in ["index.lock", "HEAD.lock"] {
            let path = folder.join(name);
            // A person may be at it; that takes no longer.
            let gone = clock::wait_for(Duration::from_secs(2), || (!path.exists()).then_some(()));
            if gone.is_some() {
                continue;
            }
            self.town.record_event(&event!(StaleLockRemoved,
                rig: self.rig.name(), polecat: self.name, file: path,
            ));
            file::remove_file(&path).map_err(|source| SandboxError::Io { path, source })?;
        }
        Ok(())
    }

    /// Takes away a folder that a killed run was adding: nobody has worked in it yet.
    fn remove_partial_folder(&self) -> Result<(), SandboxError> {
        let (path, mark) = (self.path(), self.adding_mark());
        if !mark.exists() {
            return Ok(());
        }
        let _held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        if path.exists() {
            fs::remove_dir_all(&path).map_err(|source| SandboxError::Io {
                path: path.clone(),
                source,
            })?;
        }
        let git = Git::at(self.rig.repo());
        // Git locks a worktree while it adds it. One that is not locked, or not known, is fine.
        let unlock = git.plumbing(["worktree", "unlock"]).args([&path]);
        unlock.finish_checked().ok();
        git.worktree_prune()?;
        file::remove_file(&mark).map_err(|source| SandboxError::Io { path: mark, source })
    }

    /// Takes discovery documents away; what git does not keep, such as a repository below `.gt/`, is moved beside the
    /// sandbox.
    fn clear_documents(&self) -> Result<(), SandboxError> {
        let stamp = self.town.clock.now().as_millisecond();
        let aside = self.rig.polecat(self.name).join(format!("left-{stamp}"));
        let files = discovery::clear_documents(&Git::at(self.path()), &aside)?;
        if files > 0 {
            self.town.record_event(&event!(DiscoveryLeft,
                rig: self.rig.name(), polecat: self.name, moved_to: aside, files: files,
            ));
        }
        Ok(())
    }

    /// The mark of a sandbox that is being added, beside it.
    fn adding_mark(&self) -> PathBuf {
        self.rig.polecat(self.name).join(".adding")
    }

    /// Removes a branch that a killed run made already; commits that only it has are saved first.
    fn remove_partial_branch(&self, branch: &str) -> Result<(), SandboxError> {
        let git = Git::at(self.rig.repo());
        let Some(tip) = git.resolve(&format!("refs/heads/{branch}"))? else {
            return Ok(());
        };
        if !is_commit_kept(&git, &tip)? {
            let bead = parse_branch_bead(branch, self.name);
            git.update_ref(&self.rescue_ref(bead.as_deref()), &tip, None)?;
        }
        Ok(git.delete_branch(branch, &tip)?)
    }

    /// Saves the work of a slot that is not to be handed in to a rescue ref: what is not committed, and commits for which
    /// `is_work` holds, of the branch and of wherever the sandbox is now. `None` where there is none.
    pub fn keep_work(
        &self,
        slot: &Slot,
        is_work: &dyn Fn(&str) -> bool,
    ) -> Result<Option<String>, SandboxError> {
        if !self.path().join(".git").exists() {
            return Ok(None);
        }
        let reference = self.rescue_ref(Some(&slot.bead));
        let mut kept = None;
        if let Err(reason) = self.check() {
            // Whatever is in the folder stays, and the branch is in the rig's repository.
            self.move_aside(&reason)?;
            let git = Git::at(self.rig.repo());
            if let Some(tip) = git.resolve(&format!("refs/heads/{}", slot.branch))? {
                git.update_ref(&reference, &tip, None)?;
                kept = Some(reference);
            }
            return Ok(kept);
        }
        let git = Git::at(self.path());
        let head = git.resolve("HEAD")?;
        if !git.status()?.is_empty() {
            let (rig, name, bead) = (self.rig.name(), self.name, &slot.bead);
            let message = format!("Work of {rig}/polecats/{name} on {bead}");
            rescue::save_rescue(
                &git,
                &reference,
                &message,
                &self.identity(),
                BigFilePolicy::Leave,
            )?;
            kept = Some(reference.clone());
        } else if let Some(head) = head.as_deref().filter(|head| is_work(head)) {
            git.update_ref(&reference, head, None)?;
            kept = Some(reference.clone());
        }
        let branch = git.resolve(&format!("refs/heads/{}", slot.branch))?;
        if let Some(tip) = branch.filter(|tip| Some(tip) != head.as_ref() && is_work(tip)) {
            let reference = format!("{reference}-branch");
            git.update_ref(&reference, &tip, None)?;
            kept.get_or_insert(reference);
        }
        Ok(kept)
    }

    /// Saves what a worker has not committed whose bead is taken off it. A rescue ref, not a snapshot: the next worker of
    /// the bead is referred to it, however long that takes.
    pub fn keep_uncommitted(&self, slot: &Slot) -> Result<Option<String>, SandboxError> {
        let path = self.path();
        let git = Git::at(&path);
        if !path.join(".git").exists() || git.status()?.is_empty() {
            return Ok(None);
        }
        let reference = self.rescue_ref(Some(&slot.bead));
        let (rig, name, bead) = (self.rig.name(), self.name, &slot.bead);
        let message = format!("Uncommitted work of {rig}/polecats/{name} on {bead}");
        let saved = rescue::save_rescue(
            &git,
            &reference,
            &message,
            &self.identity(),
            BigFilePolicy::Leave,
        )?;
        // A sling that fails and is tried again saves it once.
        let earlier = saved
            .map(|saved| self.find_earlier_rescue(&git, &saved))
            .transpose()?;
        Ok(Some(earlier.flatten().unwrap_or(reference)))
    }

    /// Saves what a reset would lose: uncommitted files, commits that no remote has, and discovery documents
    /// that were never handed in.
    pub fn rescue_leftovers(&self) -> Result<Option<String>, SandboxError> {
        let git = Git::at(self.path());
        if let Some(kept) = discovery::take_documents(&git, None, &self.identity())? {
            let (reference, files) = (kept.reference, kept.files);
            self.town
                .record_event(&Event::DiscoveryKept(DiscoveryDocuments {
                    rig: self.rig.name().to_owned(),
                    polecat: self.name.to_owned(),
                    r#ref: reference,
                    files,
                    ..DiscoveryDocuments::default()
                }));
        }
        self.keep_stashes(&git)?;
        let dirty = !git.status()?.is_empty();
        let Some(head) = git.resolve("HEAD")? else {
            return Ok(None);
        };
        if !dirty && is_commit_kept(&git, &head)? {
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
            if let Some(earlier) = saved.map(|saved| self.find_earlier_rescue(&git, &saved)) {
                return Ok(Some(earlier?.unwrap_or(reference)));
            }
        } else {
            git.update_ref(&reference, &head, None)?;
        }
        Ok(Some(reference))
    }

    /// The earlier rescue ref of this worker that holds the same on the same commit, if there is one. The new ref is
    /// removed then: one piece of work has one name.
    fn find_earlier_rescue(
        &self,
        git: &Git,
        new: &SavedRescue,
    ) -> Result<Option<String>, GitError> {
        if !new.big.is_empty() {
            return Ok(None);
        }
        let held = |commit: &str| {
            let git = |what: &str| git.resolve(&format!("{commit}{what}"));
            Ok::<_, GitError>((git("^{tree}")?, git("^1")?))
        };
        let folder = format!("refs/gt/rescue/{}/polecats/{}", self.rig.name(), self.name);
        let wanted = held(&new.commit)?;
        for earlier in rescue::list_rescues(git, &folder)? {
            if earlier.refname != new.refname && held(&earlier.commit)? == wanted {
                git.delete_ref(&new.refname, &new.commit)?;
                return Ok(Some(earlier.refname));
            }
        }
        Ok(None)
    }

    /// Puts the worker's stashes on rescue refs. They stay in the list, too: all worktrees share it, and a name in it may
    /// mean another worker's stash a moment later.
    fn keep_stashes(&self, git: &Git) -> Result<(), SandboxError> {
        let stashes = git.stashes()?;
        if stashes.is_empty() {
            return Ok(());
        }
        let target = config::target_branch_of(self.town, self.rig);
        let visits = git.head_reflog()?;
        let visited = |branch: &str| {
            let onto = format!(" to {branch}");
            branch != target && visits.iter().any(|(_, how)| how.ends_with(&onto))
        };
        let own = format!("polecat/{}/", self.name);
        for (number, stash) in stashes.iter().enumerate() {
            let branch = stash.branch().unwrap_or_default();
            let is_own = branch.starts_with(&own) || visited(branch);
            let points_at = format!("--points-at={}", stash.commit);
            let kept = git.plumbing(["for-each-ref", &points_at, "refs/gt/rescue"]);
            if !is_own || !kept.text()?.is_empty() {
                continue;
            }
            let bead = parse_branch_bead(branch, self.name).or_else(|| self.last_bead(git));
            let reference = self.numbered_ref(&format!("s{number}"), bead.as_deref());
            git.update_ref(&reference, &stash.commit, None)?;
            self.town.record_event(&event!(StashKept,
                rig: self.rig.name(), polecat: self.name, r#ref: reference, stash: stash.message,
            ));
        }
        Ok(())
    }

    /// Moves a broken sandbox aside, whole, and saves its commits to a rescue ref where git still answers.
    fn move_aside(&self, reason: &str) -> Result<Option<String>, SandboxError> {
        let path = self.path();
        let rescued = self.rescue_leftovers().ok().flatten();
        let stamp = self.town.clock.now().as_millisecond();
        let aside = self.rig.polecat(self.name).join(format!("broken-{stamp}"));
        fs::rename(&path, &aside).map_err(|source| SandboxError::Io { path, source })?;
        Git::at(self.rig.repo()).worktree_prune()?;
        self.town.record_event(&event!(SandboxRepaired,
            rig: self.rig.name(), polecat: self.name, reason: reason, moved_to: aside,
            rescue: rescued,
        ));
        Ok(rescued)
    }

    /// The bead that the sandbox was used for last: the one that its branch is of, else the last one that
    /// its worker completed.
    fn last_bead(&self, git: &Git) -> Option<String> {
        // What is not known is left out: the leftovers are saved in any case.
        let branch = git.head_branch().ok().flatten();
        let of_branch = branch.and_then(|branch| parse_branch_bead(&branch, self.name));
        let completed = || {
            let beads = self.town.open_rig_store(self.rig).ok()?.snapshot().ok()?;
            let ids = PolecatIds::for_polecat(
                &self.town.prefix_of_rig(self.rig.name()),
                self.rig.name(),
                self.name,
            );
            let last = read_record(beads.get(&ids.agent)?).pop()?;
            Some(last.bead)
        };
        of_branch.or_else(completed)
    }

    /// `refs/gt/rescue/<rig>/polecats/<name>/<time>-<bead>`, the bead where it is known.
    fn rescue_ref(&self, bead: Option<&str>) -> String {
        self.numbered_ref("", bead)
    }

    /// One of several at the same time.
    fn numbered_ref(&self, number: &str, bead: Option<&str>) -> String {
        let stamp = self.town.clock.now().strftime("%Y%m%dT%H%M%S%3f");
        let bead = bead.filter(|bead| is_valid_in_ref(bead));
        let bead = bead.map_or_else(String::new, |bead| format!("-{bead}"));
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
                .town
                .env
                .get("GIT_AUTHOR_EMAIL")
                .unwrap_or("polecat@gastown.local")
                .to_owned(),
        }
    }
}

/// The bead in `polecat/<name>/<bead>@<time>`.
fn parse_branch_bead(branch: &str, name: &str) -> Option<String> {
    let rest = branch.strip_prefix("polecat/")?.strip_prefix(name)?;
    let (bead, _) = rest.strip_prefix('/')?.rsplit_once('@')?;
    Some(bead.to_owned())
}

/// Whether an id can stand at the end of a ref's name as it is.
fn is_valid_in_ref(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let ending = std::path::Path::new(id).extension();
    !id.is_empty()
        && id.chars().all(plain)
        && !id.contains("..")
        && !id.ends_with('.')
        && ending.is_none_or(|ending| ending != "lock")
}

/// Makes a work tree of a rig read the rig's beads and keep its own out of git; copies the rig's overlay.
pub(crate) fn provision_worktree(rig: &RigLayout, path: &Path) -> Result<(), SandboxError> {
    let git = Git::at(path);
    for pattern in EXCLUDED {
        git.exclude(pattern)?;
    }
    let tracked = git.tracked(&[".beads"])?;
    if tracked.is_empty() {
        git.exclude(".beads/")?;
    }
    let beads: Vec<&str> = tracked.iter().map(String::as_str).collect();
    git.set_skip_worktree(&beads)?;
    for folder in OUR_FOLDERS {
        replace_folder(&git, folder)?;
    }
    let inside = ConfinedFolder::open(path)?;
    let target = format!("{}\n", rig.beads().display());
    inside.write(".beads/redirect", target.as_bytes(), 0o644)?;
    copy_overlay(rig, &inside)
}

/// Takes away what has the name of a folder of ours in a work tree and is none. What the repository has there stays
/// as it is in every commit: git is told to leave its own alone.
fn replace_folder(git: &Git, folder: &str) -> Result<(), SandboxError> {
    let path = git.folder().join(folder);
    if fs::symlink_metadata(&path).map_or(true, |meta| meta.is_dir()) {
        return Ok(());
    }
    let io = |source| SandboxError::Io {
        path: path.clone(),
        source,
    };
    if git.tracked(&[folder])?.is_empty() {
        // No commit has it, so that it is kept, out of the way.
        let aside = git.folder().with_file_name(format!("left{folder}"));
        return fs::rename(&path, aside).map_err(io);
    }
    git.set_skip_worktree(&[folder])?;
    file::remove_file(&path).map_err(io)
}

fn copy_overlay(rig: &RigLayout, inside: &ConfinedFolder) -> Result<(), SandboxError> {
    let Ok(entries) = fs::read_dir(rig.overlay()) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let Some(meta) = entry.metadata().ok().filter(fs::Metadata::is_file) else {
            continue;
        };
        let path = entry.path();
        let name = entry.file_name().into_string();
        let name = name.map_err(|_| io::ErrorKind::InvalidFilename.into());
        let read = name.and_then(|name| Ok((name, fs::read(&path)?)));
        let (name, content) = read.map_err(|source| SandboxError::Io { path, source })?;
        inside.write(&name, &content, meta.permissions().mode())?;
    }
    Ok(())
}

/// The commit at which `target` stands: on origin where the rig has one, else in the shared repository.
pub(crate) fn find_start_commit(rig: &RigLayout, target: &str) -> Result<String, SandboxError> {
    let git = Git::at(rig.repo());
    for reference in [
        format!("refs/remotes/origin/{target}"),
        format!("refs/heads/{target}"),
    ] {
        if let Some(id) = git.resolve(&reference)? {
            return Ok(id);
        }
    }
    Err(SandboxError::NoTarget {
        target: target.to_owned(),
        repo: rig.repo(),
    })
}

/// Whether a commit is reachable from a remote branch, a rescue ref, or a branch of the shared repository
/// that is no polecat's.
fn is_commit_kept(git: &Git, commit: &str) -> Result<bool, GitError> {
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
    let is_other = |name: &str| !name.starts_with("refs/heads/polecat/");
    Ok(names.lines().any(is_other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_names_its_bead_and_only_plain_ids_go_into_a_ref() {
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
}
