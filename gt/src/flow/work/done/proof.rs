//! Proves that work is finished: it is committed, on the right branch, and contains nothing but
//! work.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bd::git::{CommitInfo, FileChange, Git, GitError, IgnoreSource, LocallyIgnoredFile};
use jiff::Timestamp;

use super::{HeldWorker, elsewhere};
use crate::flow::place::rig::check_remote;
use crate::flow::place::target_history;
use crate::flow::place::unsaved::{find_ignored_files, visits_since_sling};
use crate::flow::work::mq::verify;
use crate::record::desk::list_carried_files;
use crate::record::polecat::{DoneRecord, Slot};
use crate::town::Rig;
use crate::town::beads::is_beads_file;
use kit::ui::escape;

#[derive(Debug, Clone)]
pub struct WorkProof {
    pub tip: String,
    /// The commit that the work is based on: the start of the branch, or the newest commit of the
    /// target that the branch contains.
    pub base: String,
    /// The commits, oldest first. Empty without a change.
    pub commits: Vec<CommitInfo>,
    pub files: Vec<String>,
    /// True if the worker has pushed the commits to the target already.
    pub pushed_to_target: bool,
    /// True if the rig has a remote.
    pub remote: bool,
}

/// Defines why work does not count as finished.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    #[error("the carried files of the rig cannot be read, so none can be kept out of the work")]
    CarriedFiles(#[source] std::io::Error),
    /// The sandbox is on another branch.
    #[error("the sandbox is on {found}, but the work belongs on {expected} ({command})")]
    WrongBranch {
        found: String,
        expected: String,
        /// The command that leads to the right branch.
        command: String,
    },
    #[error(
        "{} not committed: {files} (commit the work, or remove it in a commit that explains why)", kit::ui::counted(*count, "file")
    )]
    Uncommitted { count: usize, files: String },
    /// Git was told to hide changes of these files.
    #[error(
        "git hides changes of {files}, so they would not be merged (git update-index --no-assume-unchanged -- \
         {files} and git update-index --no-skip-worktree -- {files}, then commit or restore them)"
    )]
    HiddenChanges { files: String },
    /// The worker made files that a line of `info/exclude` makes git ignore. All sandboxes of a rig
    /// share it, so the line may be of another worker.
    #[error(
        "git ignores {files} because of a line in {}, so the work would be merged without: run git add -f -- {files} \
         and commit, or delete what is no part of the work", exclude.display()
    )]
    IgnoredFiles { files: String, exclude: PathBuf },
    /// The commits hold a file that the town copied into the sandbox.
    #[error(
        "the commits hold {file}, which the town carries into each sandbox and which must not get to a remote. Take it \
         out of them: git reset --soft {base}, git rm --cached -- {file}, and commit again"
    )]
    CarriedFile { file: String, base: String },
    /// The branch has no commit.
    #[error(
        "branch {branch} has no commit beyond {base} that changes anything: nothing to merge (commit your work, or give the \
         reason with --no-change \"why\")"
    )]
    NothingDone { branch: String, base: String },
    /// The target has the whole change by other commits.
    #[error(
        "{target} has this change already: {commit:.12}{of_bead} brought it, and nothing is left to merge (gt done --no-change \
         \"{target} has it since {commit:.12}\")"
    )]
    AlreadyThere {
        target: String,
        commit: String,
        /// The words that name the bead of that commit, if there is one.
        of_bead: String,
    },
    /// The branch contains commits that a user removed from the target.
    #[error(
        "the branch would bring back {count} that {target} no longer has: {commits}. Move the other commits to the present \
         {target}: git rebase --onto {tip} {newest}"
    )]
    BringsBack {
        target: String,
        /// The present tip of the target.
        tip: String,
        count: String,
        commits: String,
        /// The last of these commits.
        newest: String,
    },
    /// The worker reports no change, but there are commits.
    #[error("--no-change was given, but branch {branch} has {} beyond {base}", kit::ui::counted(*count, "commit"))]
    HasCommits {
        branch: String,
        count: usize,
        base: String,
    },
    /// The worker reports no change, but there is work elsewhere.
    #[error("--no-change was given, but there is work that is not on branch {branch}: {found}")]
    Elsewhere {
        branch: String,
        /// The places of the work with their next steps.
        found: String,
    },
    /// The commits change beads files.
    #[error(
        "the branch changes beads, which a sandbox must not: {files}. Drop them from it: \
         git restore --source {base} --staged --worktree -- {files} and commit"
    )]
    TouchesBeads { files: String, base: String },
    /// The commits add a folder with a repository of its own, of which git records only the commit.
    #[error(
        "{folder} is a git repository of its own, so git has only the id of its commit, and none of its files would be \
         merged. Move {folder}/.git out of the sandbox, then run git rm --cached {folder} and git add {folder}, and commit"
    )]
    InnerRepository { folder: String },
    /// The commits refer to a commit of a submodule that no one else can fetch.
    #[error(
        "no remote of the submodule {folder} has the commit that the branch refers to. Push it: \
         git -C {folder} push origin HEAD:refs/heads/BRANCH"
    )]
    SubmoduleNotPushed { folder: String },
    /// The fetch failed, so the state of the target is unknown.
    #[error("cannot fetch from origin, to see what is on the target already")]
    Fetch(#[source] GitError),
    #[error(transparent)]
    Git(#[from] GitError),
}

impl ProofError {
    /// Returns true if a retry can help without a user.
    pub fn can_retry(&self) -> bool {
        matches!(self, Self::Fetch(_))
    }
}

/// The part of a branch that is the worker's own.
#[derive(Debug, Clone)]
pub(crate) struct OwnCommits {
    /// The commit that the part is based on.
    pub base: String,
    pub commits: Vec<CommitInfo>,
    /// The files that the commits change, except merges that only bring the target in.
    pub files: Vec<String>,
}

/// Returns the worker's own part of `tip`, as far as the target is known locally. Commits that came
/// from the target do not count.
pub(crate) fn find_own_commits(git: &Git, slot: &Slot, tip: &str) -> Result<OwnCommits, GitError> {
    list_own_commits(git, &base_of(git, slot, tip)?, tip)
}

/// Returns the commits of `tip` since `base`. None if they change nothing.
pub(super) fn list_own_commits(git: &Git, base: &str, tip: &str) -> Result<OwnCommits, GitError> {
    let files = git.changed_files(base, tip)?;
    let mut commits = if files.is_empty() {
        Vec::new()
    } else {
        git.commits(base, tip)?
    };
    commits.reverse();
    Ok(OwnCommits {
        base: base.to_owned(),
        commits,
        files,
    })
}

/// Returns the worker's commits that the target has already, because the worker pushed them there
/// itself. The log of HEAD tells them from commits that came from the target. `None` if they are
/// not there, or change nothing.
fn find_pushed_commits(git: &Git, slot: &Slot, tip: &str) -> Result<Option<OwnCommits>, GitError> {
    let target = find_target_tip(git, &slot.target)?;
    let is_pushed = match &target {
        Some(target) => git.is_ancestor(tip, target)?,
        None => false,
    };
    if slot.base.is_empty() || !is_pushed {
        return Ok(None);
    }
    let visits = visits_since_sling(git.head_reflog()?, slot.branch.as_str());
    let mut commits = git.commits(&slot.base, tip)?;
    commits.retain(|commit| {
        // A rebase picks only commits that the target lacks.
        visits.iter().any(|(id, how)| {
            *id == commit.id && (how.starts_with("commit") || how.contains("(pick)"))
        })
    });
    commits.reverse();
    let Some(first) = commits.first() else {
        return Ok(None);
    };
    let Some(base) = git.resolve(&format!("{}^", first.id))? else {
        return Ok(None);
    };
    let mut files = BTreeSet::new();
    for commit in &commits {
        files.extend(git.differing_files(&format!("{}^", commit.id), &commit.id)?);
    }
    let own_commits = OwnCommits {
        base,
        commits,
        files: files.into_iter().collect(),
    };
    Ok(Some(own_commits).filter(|own| !own.files.is_empty()))
}

/// Returns the tip of the target, as last fetched.
fn find_target_tip(git: &Git, target: &str) -> Result<Option<String>, GitError> {
    for place in ["refs/remotes/origin", "refs/heads"] {
        if let Some(tip) = git.resolve(&format!("{place}/{target}"))? {
            return Ok(Some(tip));
        }
    }
    Ok(None)
}

/// Refuses a branch that has merged commits which left the target on purpose.
pub(super) fn refuse_returning_commits(
    git: &Git,
    target: &str,
    own_commits: &OwnCommits,
    tip: &str,
) -> Result<(), ProofError> {
    let base = &own_commits.base;
    let commits = target_history::find_returning_commits(git, target, base, tip)?;
    let Some(newest) = commits.last() else {
        return Ok(());
    };
    Err(ProofError::BringsBack {
        target: target.to_owned(),
        tip: find_target_tip(git, target)?.unwrap_or_else(|| target.to_owned()),
        count: kit::ui::counted(commits.len(), "commit"),
        commits: target_history::describe_commits(&commits),
        newest: newest.id.clone(),
    })
}

/// Returns the commit that brought the whole change of the worker's commits to the target, if
/// someone else's did.
fn find_bringing_commit(
    git: &Git,
    slot: &Slot,
    own_commits: &OwnCommits,
    tip: &str,
) -> Result<Option<String>, GitError> {
    let Some(target) =
        find_target_tip(git, &slot.target)?.filter(|_| !own_commits.commits.is_empty())
    else {
        return Ok(None);
    };
    if git.is_ancestor(tip, &target)? {
        return Ok(None);
    }
    // The target may have changed the same lines again since the branch began.
    for holder in [&target, &slot.base] {
        if git.resolve(holder)?.is_some()
            && let Some(commit) = verify::find_bringing_commit(git, &own_commits.base, tip, holder)?
        {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

/// Builds the error for commits whose change `commit` has brought to the target.
pub(super) fn build_already_there_error(
    rig: &Rig,
    target: &str,
    commit: String,
) -> Result<ProofError, GitError> {
    // If the beads cannot be read, the commit is named alone.
    let beads = rig.store().and_then(|store| Ok(store.snapshot()?));
    let bead = match beads {
        Ok(beads) => verify::find_bead_of_commit(&rig.git(), &beads, &commit)?,
        Err(_) => None,
    };
    let of_bead = match bead {
        Some(bead) => format!(", the work of {bead},"),
        None => String::new(),
    };
    Ok(ProofError::AlreadyThere {
        target: target.to_owned(),
        commit,
        of_bead,
    })
}

/// Returns the start of the branch. If the branch has merged newer commits of the target, or was
/// rebased onto them, returns the newest of those.
fn base_of(git: &Git, slot: &Slot, tip: &str) -> Result<String, GitError> {
    let Some(target) = find_target_tip(git, &slot.target)? else {
        return Ok(slot.base.clone());
    };
    let Some(fork) = git.merge_base(tip, &target)? else {
        return Ok(slot.base.clone());
    };
    // If the target was reset, the commits that it lost do not count as the worker's.
    let went_back = git.is_ancestor(&fork, &slot.base)? && git.is_ancestor(&slot.base, tip)?;
    let mut base = if went_back { slot.base.clone() } else { fork };
    for dropped in target_history::list_dropped_tips(git, &slot.target)? {
        if let Some(fork) = git.merge_base(tip, &dropped)?
            && fork != tip
            && git.is_ancestor(&base, &fork)?
        {
            base = fork;
        }
    }
    Ok(base)
}

/// Proves the work in the worker's sandbox.
pub(super) fn prove_work(
    worker: &HeldWorker,
    slot: &Slot,
    record: &DoneRecord,
) -> Result<WorkProof, ProofError> {
    let git = worker.git()?;
    if record.no_change.is_some() {
        refuse_stray_work(&git, slot)?;
    }
    let remote = check_remote(&worker.rig)?;
    let branch = git.head_branch()?;
    // A `gt done` that was killed in its last step has left the branch already.
    let tip = git.resolve("HEAD")?.unwrap_or_default();
    let let_go = branch.is_none() && record.tip.as_ref() == Some(&tip);
    if branch.as_deref() != Some(slot.branch.as_str()) && !let_go {
        let found = branch.unwrap_or_else(|| format!("no branch ({tip:.12})"));
        return Err(ProofError::WrongBranch {
            command: find_command_to_branch(&git, slot)?,
            found,
            expected: slot.branch.to_string(),
        });
    }
    check_files(&worker.rig, &git, slot)?;
    if remote {
        git.fetch("origin").map_err(ProofError::Fetch)?;
        // The queue compares the targets again, and reports if it cannot.
        target_history::check_targets(&worker.rig).ok();
    }
    let mut own_commits = find_own_commits(&git, slot, &tip)?;
    let mut pushed_to_target = false;
    if own_commits.commits.is_empty() && record.no_change.is_none() {
        let pushed = find_pushed_commits(&git, slot, &tip)?;
        pushed_to_target = pushed.is_some();
        own_commits = pushed.unwrap_or(own_commits);
    }
    refuse_returning_commits(&git, &slot.target, &own_commits, &tip)?;
    if let Some(commit) = find_bringing_commit(&git, slot, &own_commits, &tip)? {
        if record.no_change.is_none() {
            return Err(build_already_there_error(
                &worker.rig,
                &slot.target,
                commit,
            )?);
        }
        own_commits.commits.clear();
    }
    check_carried_files(&worker.rig, &git, &own_commits.base, &tip)?;
    let branch = slot.branch.as_str();
    match (&record.no_change, own_commits.commits.len()) {
        (None, _) => check_branch_commits(&git, branch, &tip, &own_commits)?,
        (Some(_), 0) => {}
        (Some(_), count) => {
            return Err(ProofError::HasCommits {
                branch: branch.to_owned(),
                count,
                base: format!("{:.12}", own_commits.base),
            });
        }
    }
    Ok(WorkProof {
        tip,
        base: own_commits.base,
        commits: own_commits.commits,
        files: own_commits.files,
        pushed_to_target,
        remote,
    })
}

/// Returns the command that leads back to the branch of the work, also if the worker renamed or
/// deleted the branch.
fn find_command_to_branch(git: &Git, slot: &Slot) -> Result<String, GitError> {
    let expected = slot.branch.as_str();
    if git.is_own_branch(expected)? {
        return Ok(format!("git switch {expected}"));
    }
    let renamed = format!("Branch: renamed refs/heads/{expected} to refs/heads/");
    let visits = git.head_reflog()?;
    let new_name = visits
        .iter()
        .find_map(|(_, how)| how.strip_prefix(&renamed));
    Ok(match new_name {
        Some(new_name) if git.is_own_branch(new_name)? => {
            let rename = format!("git branch -m {} {expected}", quote_paths(&[new_name]));
            match git.head_branch()? {
                Some(branch) if branch == new_name => rename,
                _ => format!("{rename} && git switch {expected}"),
            }
        }
        _ => format!("git switch -c {expected}"),
    })
}

/// Checks that no file of the worker is left out of the commits: uncommitted files, changes that
/// git hides, and files that git ignores although the repository does not say so.
fn check_files(rig: &Rig, git: &Git, slot: &Slot) -> Result<(), ProofError> {
    let changes = git.status()?;
    if !changes.is_empty() {
        let files: Vec<String> = changes
            .iter()
            .take(5)
            .map(FileChange::display_path)
            .collect();
        return Err(ProofError::Uncommitted {
            count: changes.len(),
            files: files.join(", "),
        });
    }
    let hidden = git.hidden_changes()?;
    if !hidden.is_empty() {
        return Err(ProofError::HiddenChanges {
            files: quote_paths(&hidden),
        });
    }
    let mut ignored = find_own_ignored_files(rig, git, slot)?;
    ignored.retain(|file| file.source == IgnoreSource::InfoExclude);
    if !ignored.is_empty() {
        let files: Vec<&PathBuf> = ignored.iter().map(|file| &file.path).take(5).collect();
        return Err(ProofError::IgnoredFiles {
            files: quote_paths(&files),
            exclude: git.common_dir()?.join("info/exclude"),
        });
    }
    Ok(())
}

/// Returns the files that the worker made since it has its bead, and that git ignores although no
/// `.gitignore` names them.
pub(super) fn find_own_ignored_files(
    rig: &Rig,
    git: &Git,
    slot: &Slot,
) -> Result<Vec<LocallyIgnoredFile>, GitError> {
    let mut ignored = find_ignored_files(rig, git)?;
    let since: Option<Timestamp> = slot.since.parse().ok();
    let since = since.map_or(i64::MIN, Timestamp::as_second);
    ignored.retain(|file| {
        let metadata = fs::symlink_metadata(git.folder().join(&file.path));
        metadata.is_ok_and(|metadata| metadata.ctime() >= since)
    });
    Ok(ignored)
}

/// Refuses commits of which any has a carried file, changed or not: one with its path, unless the
/// target has a file there, or one with its name and its content elsewhere.
pub(super) fn check_carried_files(
    rig: &Rig,
    git: &Git,
    base: &str,
    tip: &str,
) -> Result<(), ProofError> {
    let carried = list_carried_files(rig).map_err(ProofError::CarriedFiles)?;
    if carried.is_empty() || base == tip {
        return Ok(());
    }
    let range = format!("{base}..{tip}");
    let listed = git
        .plumbing(["rev-list", "--objects", &range, "--"])
        .text()?;
    let objects = || listed.lines().filter_map(|line| line.split_once(' '));
    let committed: BTreeSet<(&str, Option<&OsStr>)> = objects()
        .map(|(id, path)| (id, Path::new(path).file_name()))
        .collect();
    let paths: BTreeSet<&str> = objects().map(|(_, path)| path).collect();
    for file in carried {
        let hash = git.plumbing(["hash-object", "--no-filters", "--"]);
        let hash = hash.args([&file.path]).text()?;
        let name = Path::new(&file.name);
        let has_path = paths.contains(file.name.as_str())
            && git
                .plumbing(["ls-tree", base, "--", &file.name])
                .text()?
                .is_empty();
        if has_path || committed.contains(&(hash.as_str(), name.file_name())) {
            return Err(ProofError::CarriedFile {
                file: quote_paths(&[name]),
                base: format!("{base:.12}"),
            });
        }
    }
    Ok(())
}

/// Checks that everyone can check out the submodules that the commits change.
fn check_submodules(git: &Git, base: &str, tip: &str) -> Result<(), ProofError> {
    let changed = git.changed_submodules(base, tip)?;
    if changed.is_empty() {
        return Ok(());
    }
    let names = git.submodule_names()?;
    for path in changed {
        let folder = quote_paths(&[&path]);
        if !names.contains_key(&path) {
            return Err(ProofError::InnerRepository { folder });
        }
        if !git.is_submodule_commit_pushed(tip, &path)? {
            return Err(ProofError::SubmoduleNotPushed { folder });
        }
    }
    Ok(())
}

/// Quotes paths for a command that a message proposes. Their names come from the repository.
fn quote_paths(paths: &[impl AsRef<Path>]) -> String {
    let quoted = paths
        .iter()
        .map(|path| escape::quote_for_shell(&path.as_ref().to_string_lossy()));
    quoted.collect::<Vec<_>>().join(" ")
}

/// Refuses work elsewhere before any advice to switch branches, because commits on no branch are
/// hard to find later.
fn refuse_stray_work(git: &Git, slot: &Slot) -> Result<(), ProofError> {
    let found = elsewhere::find_stray_work(git, slot)?;
    if found.is_empty() {
        return Ok(());
    }
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    Err(ProofError::Elsewhere {
        branch: slot.branch.to_string(),
        found: found.join("; "),
    })
}

/// Checks that a branch has commits, that they contain nothing but work, and that everyone can
/// check them out.
pub(super) fn check_branch_commits(
    git: &Git,
    branch: &str,
    tip: &str,
    own_commits: &OwnCommits,
) -> Result<(), ProofError> {
    let base = format!("{:.12}", own_commits.base);
    if own_commits.commits.is_empty() {
        let branch = branch.to_owned();
        return Err(ProofError::NothingDone { branch, base });
    }
    let files = own_commits.files.iter().map(String::as_str);
    let beads: Vec<&str> = files.filter(|file| is_beads_file(file)).collect();
    if !beads.is_empty() {
        let files = quote_paths(&beads);
        return Err(ProofError::TouchesBeads { files, base });
    }
    check_submodules(git, &own_commits.base, tip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_for_the_proposed_command() {
        let paths = ["a.txt", "$(touch owned)", "two words"];
        assert_eq!(quote_paths(&paths), "a.txt '$(touch owned)' 'two words'");
    }

    #[test]
    fn only_the_top_level_beads_folder_counts_as_bead_files() {
        for file in [".beads", ".beads/issues.jsonl", ".beads/a/b"] {
            assert!(is_beads_file(file), "{file}");
        }
        for file in [".beads2", ".beadsx/y", "sub/.beads/x", "beads/x", ""] {
            assert!(!is_beads_file(file), "{file}");
        }
    }
}
