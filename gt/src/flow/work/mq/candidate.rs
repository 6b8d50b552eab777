//! Builds the commit that is to go to the target: its tree is the merge of the current target and
//! the receipt's commits, made without a checkout. Discovery documents are removed from the commits
//! first, and beads files keep the content of the target.

use bd::git::{CommitIdentities, CommitInfo, DrivenFile, GitError, Identity, TreeMerge};

use super::job::MergeJob;
use crate::flow::place::discovery::{self, KeptDocuments};
use crate::flow::place::target_history;
use crate::flow::work::convoy::integration;
use crate::record::approval::Approval;
use crate::record::merge_request;
use crate::town::beads::is_beads_file;
use crate::town::config::MergeStrategy;
use crate::town::event::{DiscoveryDocuments, Event};

/// A commit that contains target and work.
pub(crate) struct MergeCandidate {
    pub commit: String,
    /// The files that merge drivers merged.
    pub driven: Vec<DrivenFile>,
}

/// The reason why there is no commit of target and work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoCandidate {
    /// The merged tree equals that of the target.
    #[error("nothing is left to merge")]
    NothingLeft { base: String, tip: String },
    #[error("the work conflicts with the target")]
    Conflict { files: Vec<String>, detail: String },
    /// The documents are now kept on `reference`.
    #[error("the work has only discovery documents")]
    OnlyDocuments { reference: String },
    #[error("a merge driver left out the change of files")]
    LeftOutByDriver { files: Vec<DrivenFile> },
    #[error("the commit {commit} of its receipt is nowhere to be found")]
    MissingCommit { commit: String },
    /// The work has merged commits that left the target on purpose.
    #[error("the work brings back commits that left the target")]
    BringsBack { commits: Vec<CommitInfo> },
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}

impl From<GitError> for NoCandidate {
    fn from(error: GitError) -> Self {
        Self::Failed(error.into())
    }
}

/// The commits to merge, without their discovery documents.
pub(super) struct WorkRange {
    base: String,
    tip: String,
    /// True if the target contains the base. False if the target was reset in the meantime. Then
    /// the commits that were removed from the target must not return with the work.
    on_target: bool,
}

/// Merges the commits of the receipt with `target`.
pub(crate) fn build_candidate(job: &MergeJob, target: &str) -> Result<MergeCandidate, NoCandidate> {
    merge_work(job, &prepare_work(job, target)?, target)
}

/// Finds the commits of the receipt, and removes their discovery documents.
pub(super) fn prepare_work(job: &MergeJob, target: &str) -> Result<WorkRange, NoCandidate> {
    let WorkCommits { base, tip } = find_work_commits(job, target)?;
    let tip = match extract_documents(job, &base, &tip)? {
        Some((rest, kept)) if rest == base => {
            let reference = kept.reference;
            return Err(NoCandidate::OnlyDocuments { reference });
        }
        Some((rest, _)) => rest,
        None => tip,
    };
    let on_target = job.queue.git.is_ancestor(&base, target)?;
    let mut commits =
        target_history::find_returning_commits(&job.queue.git, &job.receipt.target, &base, &tip)?;
    // The worker's own commits may return: a user gave them to the queue again (`gt mq lost`).
    commits.retain(|commit| !job.receipt.commits.contains(&commit.id));
    if !commits.is_empty() {
        return Err(NoCandidate::BringsBack { commits });
    }
    Ok(WorkRange {
        base,
        tip,
        on_target,
    })
}

/// Merges prepared work with `target`.
pub(super) fn merge_work(
    job: &MergeJob,
    work: &WorkRange,
    target: &str,
) -> Result<MergeCandidate, NoCandidate> {
    let tree = match work.merge(job, target)? {
        TreeMerge::Conflict { files, detail, .. } => {
            return Err(NoCandidate::Conflict { files, detail });
        }
        TreeMerge::Clean(tree) => restore_target_beads(job, target, tree)?,
    };
    let driven = work.find_driven_files(job, target, &tree)?;
    let left_out = files_left_out(job, &driven)?;
    if !left_out.is_empty() {
        return Err(NoCandidate::LeftOutByDriver { files: left_out });
    }
    if tree == job.queue.git.tree_of(target)? {
        return Err(NoCandidate::NothingLeft {
            base: work.base.clone(),
            tip: work.tip.clone(),
        });
    }
    let commit = work.commit(job, target, &tree)?;
    Ok(MergeCandidate { commit, driven })
}

/// Returns the files whose change a merge driver left out and that no user has accepted.
fn files_left_out(job: &MergeJob, driven: &[DrivenFile]) -> anyhow::Result<Vec<DrivenFile>> {
    if driven.iter().all(|file| file.holds_change) {
        return Ok(Vec::new());
    }
    let accepted = Approval::load(job.queue.rig, &job.request.id)?.driven_files_accepted;
    Ok(driven
        .iter()
        .filter(|file| !file.holds_change && !accepted.contains(&file.path))
        .cloned()
        .collect())
}

/// The commits of a request's work: those after `base` up to `tip`.
pub(crate) struct WorkCommits {
    pub base: String,
    pub tip: String,
}

/// Returns base and tip of the work, or the missing commit.
pub(crate) fn find_work_commits(job: &MergeJob, target: &str) -> Result<WorkCommits, NoCandidate> {
    let git = &job.queue.git;
    let tip = job.receipt.tip.clone();
    if git.resolve(&tip)?.is_none() {
        return Err(NoCandidate::MissingCommit { commit: tip });
    }
    let base = match job.receipt.base.as_str() {
        // Requests of older towns do not record the start of their work.
        "" => git.merge_base(&tip, target)?.unwrap_or_default(),
        base => base.to_owned(),
    };
    match git.resolve(&base)? {
        Some(_) => Ok(WorkCommits { base, tip }),
        None => Err(NoCandidate::MissingCommit { commit: base }),
    }
}

impl WorkRange {
    fn merge(&self, job: &MergeJob, target: &str) -> anyhow::Result<TreeMerge> {
        Ok(if self.on_target {
            job.queue.git.merge_tree(target, &self.tip)?
        } else {
            job.queue.git.apply_change(&self.base, &self.tip, target)?
        })
    }

    /// Returns the files that merge drivers merged, and records the drivers.
    fn find_driven_files(
        &self,
        job: &MergeJob,
        target: &str,
        tree: &str,
    ) -> anyhow::Result<Vec<DrivenFile>> {
        let base = if self.on_target {
            job.queue.git.merge_base(target, &self.tip)?
        } else {
            Some(self.base.clone())
        };
        let Some(base) = base else {
            return Ok(Vec::new());
        };
        let mut files = job
            .queue
            .git
            .find_driven_files(&base, &self.tip, target, tree)?;
        files.retain(|file| !is_beads_file(&file.path));
        if files.is_empty() {
            return Ok(files);
        }
        job.queue.rig.town().record_event(&Event::MergeDriven {
            files: files.iter().map(|file| file.path.clone()).collect(),
            drivers: files.iter().map(|file| file.driver.clone()).collect(),
            request: job.merge_ref(),
        });
        Ok(files)
    }

    /// Creates the commit with exactly that tree, in the form that the rig's settings require.
    fn commit(&self, job: &MergeJob, target: &str, tree: &str) -> anyhow::Result<String> {
        match job.queue.settings.strategy() {
            MergeStrategy::Merge if self.on_target => self.merge_commit(job, target, tree),
            MergeStrategy::Rebase => {
                let upstream = if self.on_target { target } else { &self.base };
                let replayed = job.queue.git.replay(target, upstream, &self.tip)?;
                match replayed {
                    Some(tip) if job.queue.git.tree_of(&tip)? == tree => Ok(tip),
                    // A convoy's branch that merges its target must show that in its history,
                    // because the landing starts from there.
                    None if self.on_target && is_convoy_branch(job)? => {
                        self.merge_commit(job, target, tree)
                    }
                    _ => self.one_commit(job, target, tree),
                }
            }
            MergeStrategy::Squash | MergeStrategy::Merge => self.one_commit(job, target, tree),
        }
    }

    /// Creates a merge commit of the work as submitted.
    fn merge_commit(&self, job: &MergeJob, target: &str, tree: &str) -> anyhow::Result<String> {
        let message = format!("Merge {}\n", commit_title(job)?);
        let parents = [target, self.tip.as_str()];
        let git = &job.queue.git;
        Ok(git.commit_tree(tree, &parents, &message, &job.queue.identity())?)
    }

    /// Squashes the work to one commit of its worker.
    fn one_commit(&self, job: &MergeJob, target: &str, tree: &str) -> anyhow::Result<String> {
        let upstream = if self.on_target { target } else { &self.base };
        let range = format!("{upstream}..{}", self.tip);
        let log = job
            .queue
            .git
            .plumbing(["log", "--no-merges", "--reverse", "-z"]);
        let messages = log.args(["--format=%B", &range, "--"]).records()?;
        let message = match messages.as_slice() {
            [only] => only.clone(),
            several => {
                let mut text = format!("{}\n", commit_title(job)?);
                for message in several {
                    let subject = message.lines().next().unwrap_or("");
                    text.push_str(&format!("\n- {subject}"));
                }
                text.push('\n');
                text
            }
        };
        let author = author_of(job, &self.tip)?;
        let git = &job.queue.git;
        Ok(git.commit_tree_as(
            tree,
            &[target],
            &message,
            CommitIdentities {
                author: &author,
                committer: &job.queue.identity(),
            },
        )?)
    }
}

/// Returns the author of a commit. Git writes no commit without a name, so an author without one
/// gets the name of the worker.
pub(super) fn author_of(job: &MergeJob, commit: &str) -> anyhow::Result<Identity> {
    let call = job.queue.git.plumbing(["log", "-1", "--format=%an%x1f%ae"]);
    let who = call.args([commit]).text()?;
    let (name, email) = who.split_once('\u{1f}').unwrap_or((&who, ""));
    let has_name = name.contains(char::is_alphanumeric);
    Ok(Identity {
        name: if has_name {
            name
        } else {
            job.receipt.worker.as_str()
        }
        .to_owned(),
        email: email.to_owned(),
    })
}

/// Builds the title of a squashed commit: `Title of the bead (its id)`.
pub(super) fn commit_title(job: &MergeJob) -> anyhow::Result<String> {
    let id = merge_request::source_bead_of(&job.request);
    let beads = job.queue.store.snapshot()?;
    let title = beads
        .get(&id)
        .map(|bead| kit::ui::escape::escape_line(&bead.title));
    Ok(match title {
        Some(title) if !title.is_empty() => format!("{title} ({id})"),
        _ => id,
    })
}

/// Keeps the discovery documents of the commits for the convoy. Returns the tip of the rewritten
/// commits without them.
fn extract_documents(
    job: &MergeJob,
    base: &str,
    tip: &str,
) -> anyhow::Result<Option<(String, KeptDocuments)>> {
    if is_convoy_branch(job)? {
        return Ok(None);
    }
    let source = merge_request::source_bead_of(&job.request);
    let key = discovery::key_of(
        &job.queue.rig.town().open_town_store()?.snapshot()?,
        &source,
    );
    let found = discovery::keep_committed(&job.queue.git, &key, base, tip, &job.queue.identity())?;
    if let Some((_, kept)) = &found {
        let request = job.merge_ref();
        job.queue
            .rig
            .town()
            .record_event(&Event::DiscoveryKept(DiscoveryDocuments {
                r#ref: kept.reference.clone(),
                files: kept.files.clone(),
                mr: request.mr,
                rig: request.rig,
                bead: request.bead,
                worker: request.worker,
                branch: request.branch,
                ..DiscoveryDocuments::default()
            }));
    }
    Ok(found)
}

/// Returns true if the target is a convoy's own branch, on which documents stay until the convoy
/// lands.
pub(crate) fn is_convoy_branch(job: &MergeJob) -> anyhow::Result<bool> {
    let convoys = job.queue.rig.town().open_town_store()?.snapshot()?;
    let owner = integration::convoy_of_branch(&convoys, job.queue.rig.name(), &job.receipt.target);
    Ok(owner.is_some())
}

/// Replaces the beads files of the merged tree by those of the target. A second safeguard after `gt
/// done`.
fn restore_target_beads(job: &MergeJob, target: &str, tree: String) -> anyhow::Result<String> {
    let changed = job.queue.git.differing_files(target, &tree)?;
    if changed.iter().any(|file| is_beads_file(file)) {
        return Ok(job.queue.git.tree_with(&tree, ".beads", target)?);
    }
    Ok(tree)
}
