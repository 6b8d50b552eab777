//! Places the receipt's commits on the target as it is now, in a tree of the queue's own. Discovery documents
//! are taken out of them before, and beads stay as they are on the target.

use bd::git::{GitError, Identity, RebaseOutcome};
use serde_json::json;

use super::queue::{Job, payload};
use crate::convoy::integration;
use crate::discovery::{self, Kept};
use crate::done::is_beads;

/// What came of it.
pub(super) enum Rebased {
    /// This commit holds target and work.
    Candidate(String),
    /// The work does not fit.
    Conflict {
        /// The files in conflict.
        files: Vec<String>,
        /// What git said.
        detail: String,
    },
    /// Nothing but discovery documents, which are kept there now.
    OnlyDocuments {
        /// The ref.
        reference: String,
    },
    /// A commit of the receipt is not there.
    Gone {
        /// Which.
        commit: String,
    },
}

/// Rebases the commits named in the receipt onto `target`.
pub(super) fn rebase(job: &Job, target: &str) -> anyhow::Result<Rebased> {
    let (base, tip) = (&job.receipt.base, &job.receipt.tip);
    let gone = |commit: &str| Rebased::Gone {
        commit: commit.to_owned(),
    };
    if job.git.resolve(tip)?.is_none() {
        return Ok(gone(tip));
    }
    let base = match base.as_str() {
        // Requests of older towns do not say where their work began.
        "" => job.git.merge_base(tip, target)?.unwrap_or_default(),
        base => base.to_owned(),
    };
    if job.git.resolve(&base)?.is_none() {
        return Ok(gone(&base));
    }
    let documents = keep_documents(job, &base, tip)?;
    let tip = match &documents {
        Some((rest, kept)) if *rest == base => {
            let reference = kept.reference.clone();
            return Ok(Rebased::OnlyDocuments { reference });
        }
        Some((rest, _)) => rest,
        None => tip,
    };
    match job.git.rebase(target, &base, tip)? {
        RebaseOutcome::Conflict { files, detail } => Ok(Rebased::Conflict { files, detail }),
        RebaseOutcome::Done(candidate) => {
            let files = job.git.changed_files(target, &candidate)?;
            if files.iter().any(|file| is_beads(file)) {
                return Ok(Rebased::Candidate(restore_beads(job, target, &candidate)?));
            }
            Ok(Rebased::Candidate(candidate))
        }
    }
}

/// Keeps the discovery documents of the commits for the convoy; the tip of the same commits without them.
fn keep_documents(job: &Job, base: &str, tip: &str) -> anyhow::Result<Option<(String, Kept)>> {
    if is_convoys_own(job)? {
        return Ok(None);
    }
    let source = super::source_of(&job.request);
    let key = discovery::key_of(&job.town.store()?.snapshot()?, &source);
    let found = discovery::keep_committed(&job.git, &key, (base, tip), &identity(job))?;
    if let Some((_, kept)) = &found {
        let more = json!({ "ref": kept.reference, "files": kept.files });
        job.town.tell("discovery_kept", payload(job, more));
    }
    Ok(found)
}

/// Whether the target is a convoy's own branch: there documents stay until the convoy lands.
pub(super) fn is_convoys_own(job: &Job) -> anyhow::Result<bool> {
    let convoys = job.town.store()?.snapshot()?;
    let owner = integration::owner_of(&convoys, job.rig.name(), &job.receipt.target);
    Ok(owner.is_some())
}

/// The second door: whatever the commits do to beads is taken back in one commit on top.
fn restore_beads(job: &Job, target: &str, candidate: &str) -> Result<String, GitError> {
    let tree = job.git.tree_with(candidate, ".beads", target)?;
    let message = "Keep beads as they are on the target\n\nWork branches do not change beads.\n";
    job.git
        .commit_tree(&tree, &[candidate], message, &identity(job))
}

/// Who signs what the queue writes itself.
pub(super) fn identity(job: &Job) -> Identity {
    Identity {
        name: format!("{}/refinery", job.rig.name()),
        email: "refinery@gastown.local".to_owned(),
    }
}
