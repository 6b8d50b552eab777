//! Records the earlier attempts at a bead: one for each time that a worker had the bead and lost or
//! finished it.
//!
//! A submitted attempt is known from its merge request, with its commits. Any other, because the
//! bead was taken away or its worker is gone, is noted on the bead by the transaction that ended it
//! ([`record_end`]). A bead keeps the last few notes. Further facts are read from git
//! ([`read_trace`]) and may be missing: branch or folder removed, no commit. They are then left out
//! without an error.

use bd::bead::{Bead, DepKind, Stamp, Status, fields};
use bd::git::rescue::{self, Rescue};
use bd::git::{Git, GitError};
use bd::store::{Snapshot, StoreError, Tx};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::record::merge_request;
use crate::record::polecat::Slot;
use crate::town::Rig;

/// The maximum number of notes per bead.
const MAX_NOTES: usize = 5;

/// The metadata key of the notes.
const NOTES_KEY: &str = "attempts";

/// The metadata key that records that a worker closed its bead itself.
const UNPROVEN_KEY: &str = "closed_without_done";

/// The label of a bead that is or was closed in that way.
pub const UNPROVEN_LABEL: &str = "gt:closed-without-done";

/// The metadata key with the time at which a bead was given to its worker, RFC 3339. A later brief
/// shows the context of that time.
const GIVEN_KEY: &str = "given_at";

/// The key of the address that slung or hooked the bead.
const GIVEN_BY: &str = "dispatched_by";

/// The key of the instructions that came with the sling.
const INSTRUCTIONS_KEY: &str = "attached_args";

/// The words between a request and the reason in the comment on the bead of a rejected request.
pub(crate) const WAS_REJECTED: &str = " was rejected: ";

/// The label of a bead at which a worker gave up.
pub const FAILED_LABEL: &str = "gt:attempt-failed";

/// The label of an open bead whose pull request was closed without a merge.
pub const CLOSED_AT_FORGE_LABEL: &str = "gt:pull-request-closed";

/// An attempt at a bead that has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attempt {
    pub worker: String,
    /// The branch of the work.
    pub branch: String,
    /// The commit that the branch started from.
    pub base: String,
    /// The branch that the work was to be merged into.
    pub target: String,
    /// The last submitted commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tip: Option<String>,
    /// The end time, RFC 3339.
    pub at: String,
    /// The number of sessions. 0 if unknown.
    pub sessions: usize,
    pub why: String,
    /// True if the worker gave up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The hidden ref with the uncommitted work or with all work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// The worker's summary.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The changed files, from the receipt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The facts about an attempt that are read from git.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AttemptTrace {
    /// The commits, oldest first, each as a short id and a subject.
    pub commits: Vec<(String, String)>,
    /// The files that the commits change since the branch left its target.
    pub files: Vec<String>,
}

impl Attempt {
    /// Describes that and why the worker gave up: `web/polecats/nux gave up: it deadlocks`.
    pub fn describe_failure(&self) -> String {
        format!("{} gave up: {}", self.worker, self.failure_reason())
    }

    /// Returns the reason of the failure, without the prefix that marks a failure.
    pub fn failure_reason(&self) -> &str {
        let why = self.why.trim();
        why.strip_prefix("failed:").unwrap_or(why).trim()
    }
}

/// The end of an attempt.
#[derive(Debug, Clone, Copy)]
pub struct AttemptEnd<'a> {
    pub worker: &'a str,
    pub why: &'a str,
    /// The hidden ref with the uncommitted work, if there is one.
    pub kept: Option<&'a str>,
}

/// Notes on a bead that a worker gets it now.
pub fn record_start(
    bead: &mut Bead,
    now: &Stamp,
    by: &str,
    instructions: &str,
) -> serde_json::Result<()> {
    bead.labels
        .retain(|label| label != FAILED_LABEL && label != CLOSED_AT_FORGE_LABEL);
    bead.set_metadata(GIVEN_KEY, now.to_string())?;
    bead.set_metadata(GIVEN_BY, by)?;
    if !instructions.is_empty() || bead.metadata_object().contains_key(INSTRUCTIONS_KEY) {
        bead.set_metadata(INSTRUCTIONS_KEY, instructions)?;
    }
    Ok(())
}

/// Returns the instructions that came with the last sling. The original keeps them in the
/// description.
pub fn instructions_of(bead: &Bead) -> Option<String> {
    bead.metadata_value(INSTRUCTIONS_KEY)
        .or_else(|| fields::get_field(fields::split_block(&bead.description).0, INSTRUCTIONS_KEY))
}

/// Returns the time at which the last worker of a bead got it, if known.
pub fn given_at(bead: &Bead) -> Option<Timestamp> {
    let given = bead.metadata_object().remove(GIVEN_KEY)?;
    given.as_str()?.parse().ok()
}

/// Notes on a bead that its worker gave up, with the worker's explanation. `tip` is the last
/// commit.
pub fn record_giving_up(
    bead: &mut Bead,
    slot: &Slot,
    end: AttemptEnd<'_>,
    tip: &str,
    said: &str,
    at: &str,
) -> serde_json::Result<()> {
    let mut attempt = build_attempt(slot, end, at);
    attempt.failed = true;
    attempt.tip = (!tip.is_empty()).then(|| tip.to_owned());
    said.clone_into(&mut attempt.summary);
    add_note(bead, attempt)?;
    bead.labels.push(FAILED_LABEL.to_owned());
    bead.labels.sort();
    bead.labels.dedup();
    Ok(())
}

/// Marks an open bead whose pull request was closed without a merge.
pub(crate) fn mark_closed_at_forge(tx: &mut Tx, id: &str) -> Result<(), StoreError> {
    let Some(mut bead) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
        return Ok(());
    };
    bead.labels.push(CLOSED_AT_FORGE_LABEL.to_owned());
    bead.labels.sort();
    bead.labels.dedup();
    tx.put(bead)
}

/// Returns the reason for which the last request of an open bead was rejected, if no worker has got
/// the bead since.
pub fn last_rejection(bead: &Bead) -> Option<&str> {
    let comment = bead
        .comments
        .iter()
        .rev()
        .find(|comment| comment.text.contains(WAS_REJECTED))?;
    let is_current = given_at(bead).is_none_or(|given| comment.created_at.instant() >= given);
    (is_current && bead.status == Status::Open).then_some(comment.text.as_str())
}

/// Returns the last attempt, if its worker gave up.
pub fn last_given_up_attempt(bead: &Bead) -> Option<Attempt> {
    noted_attempts(bead).pop().filter(|attempt| attempt.failed)
}

/// Notes on a bead that the attempt of this slot has ended. Does nothing for a slot without a
/// branch, because it has done no work.
pub fn record_end(
    bead: &mut Bead,
    slot: &Slot,
    end: AttemptEnd<'_>,
    at: &str,
) -> serde_json::Result<()> {
    if slot.bead != bead.id || slot.base.is_empty() {
        return Ok(());
    }
    add_note(bead, build_attempt(slot, end, at))
}

fn build_attempt(slot: &Slot, end: AttemptEnd<'_>, at: &str) -> Attempt {
    Attempt {
        worker: end.worker.to_owned(),
        branch: slot.branch.to_string(),
        base: slot.base.clone(),
        target: slot.target.clone(),
        at: at.to_owned(),
        sessions: slot.session_count(),
        why: end.why.to_owned(),
        kept: end.kept.map(str::to_owned),
        ..Attempt::default()
    }
}

fn add_note(bead: &mut Bead, attempt: Attempt) -> serde_json::Result<()> {
    let mut notes = noted_attempts(bead);
    notes.push(attempt);
    let surplus = notes.len().saturating_sub(MAX_NOTES);
    bead.set_metadata(NOTES_KEY, &notes[surplus..])
}

/// Does the same for a bead of a transaction's store.
pub fn record_end_in(
    tx: &mut Tx,
    bead: &str,
    slot: &Slot,
    end: AttemptEnd<'_>,
) -> anyhow::Result<()> {
    let now = tx.now();
    if let Some(mut bead) = tx.get(bead).cloned() {
        self::record_end(&mut bead, slot, end, &now.to_string())?;
        tx.put(bead)?;
    }
    Ok(())
}

/// Marks a closed bead whose worker closed it without `gt done`, so that the place of its work is
/// unproven. The mark holds for this closing only. A user who closes the bead again accepts it.
pub fn mark_unproven(bead: &mut Bead, worker: &str) -> serde_json::Result<()> {
    let closed_at = bead.closed_at.as_ref().map(ToString::to_string);
    // The label allows a search without reading every closed bead.
    bead.labels.push(UNPROVEN_LABEL.to_owned());
    bead.labels.sort();
    bead.labels.dedup();
    bead.set_metadata(
        UNPROVEN_KEY,
        json!({ "by": worker, "closed_at": closed_at }),
    )
}

/// Returns the worker that closed a bead without `gt done`, if the bead was closed that way.
pub fn unproven_worker(bead: &Bead) -> Option<String> {
    let closed_at = bead
        .closed_at
        .as_ref()
        .filter(|_| !bead.is_open())?
        .to_string();
    let mark = bead.metadata_object().remove(UNPROVEN_KEY)?;
    let same = mark.get("closed_at")?.as_str() == Some(closed_at.as_str());
    same.then(|| mark.get("by")?.as_str().map(str::to_owned))?
}

/// Returns all attempts at a bead, oldest first.
pub fn list_attempts(beads: &Snapshot, bead: &Bead) -> Vec<Attempt> {
    let mut attempts = noted_attempts(bead);
    attempts.extend(submitted_attempts(beads, bead));
    attempts.sort_by(|a, b| (&a.at, &a.branch).cmp(&(&b.at, &b.branch)));
    attempts
}

/// Returns true if a worker had the bead before.
pub fn was_with(bead: &Bead, worker: &str) -> bool {
    noted_attempts(bead)
        .iter()
        .any(|attempt| attempt.worker == worker)
}

fn noted_attempts(bead: &Bead) -> Vec<Attempt> {
    read_notes(bead.metadata_object().get(NOTES_KEY))
}

fn read_notes(notes: Option<&serde_json::Value>) -> Vec<Attempt> {
    notes
        .and_then(|notes| Vec::deserialize(notes).ok())
        .unwrap_or_default()
}

/// Returns the failed attempts in the notes of a bead (`attempts` in its metadata), oldest first.
pub fn failed_attempts(notes: Option<&serde_json::Value>) -> Vec<Attempt> {
    let mut noted = read_notes(notes);
    noted.retain(|attempt| attempt.failed);
    noted
}

/// Returns the attempts that ended in a merge request, which the bead waits for.
fn submitted_attempts(beads: &Snapshot, bead: &Bead) -> Vec<Attempt> {
    bead.edges(&DepKind::Blocks)
        .filter_map(|edge| beads.get(&edge.depends_on_id))
        .filter(|request| {
            merge_request::is_merge_request(request)
                && merge_request::source_bead_of(request) == bead.id
        })
        .map(|request| {
            let receipt = merge_request::receipt_of(request);
            let request_reason = Some(request.close_reason.clone());
            let reason = request_reason
                .filter(|reason| reason.starts_with(merge_request::AS_IT_WAS))
                .or_else(|| fields::get_field(&request.description, "close_reason"))
                .unwrap_or_else(|| request.close_reason.clone());
            let how = match (request.is_open(), reason.as_str()) {
                (true, _) => "it is in the merge queue".to_owned(),
                (false, "") => "the request is closed".to_owned(),
                (false, reason) => reason.to_owned(),
            };
            Attempt {
                worker: receipt.worker,
                branch: receipt.branch,
                base: receipt.base,
                target: receipt.target,
                tip: (!receipt.tip.is_empty()).then_some(receipt.tip),
                at: request.created_at.to_string(),
                sessions: 0,
                why: format!("handed in as {}: {how}", request.id),
                failed: false,
                kept: None,
                summary: receipt.summary,
                files: receipt.files,
            }
        })
        .collect()
}

/// Returns all attempts at a bead, each with its trace in git.
pub fn list_traced_attempts(
    beads: &Snapshot,
    git: Option<&Git>,
    bead: &Bead,
) -> Vec<(Attempt, AttemptTrace)> {
    list_attempts(beads, bead)
        .into_iter()
        .map(|mut attempt| {
            let trace = read_trace(git, &attempt);
            // A dropped ref is not named, nor a pruned snapshot.
            attempt.kept = attempt.kept.filter(|kept| {
                git.is_some_and(|git| git.resolve(kept).is_ok_and(|tip| tip.is_some()))
            });
            (attempt, trace)
        })
        .collect()
}

/// Returns the rescue refs with work of a bead, oldest first. Their names end with the bead's id.
pub fn list_rescues(rig: &Rig, bead: &str) -> Result<Vec<Rescue>, GitError> {
    let folder = format!("refs/gt/rescue/{}/polecats/", rig.name());
    let mut found = rescue::list_rescues(&rig.git(), &folder)?;
    found.retain(|saved| {
        let name = saved.refname.rsplit('/').next().unwrap_or("");
        let of = name.split_once('-').map(|(_, of)| of);
        of.is_some_and(|of| of == bead || of.strip_suffix("-branch") == Some(bead))
    });
    Ok(found)
}

/// Reads the trace of an attempt from git. Failed queries are left out, and the files are then
/// those of the receipt.
pub fn read_trace(git: Option<&Git>, attempt: &Attempt) -> AttemptTrace {
    git.and_then(|git| read_git_trace(git, attempt))
        .unwrap_or_else(|| AttemptTrace {
            commits: Vec::new(),
            files: attempt.files.clone(),
        })
}

fn read_git_trace(git: &Git, attempt: &Attempt) -> Option<AttemptTrace> {
    let tip = find_tip(git, attempt)?;
    let base = find_base(git, attempt, &tip)?;
    let commits = git.commits(&base, &tip).ok()?;
    Some(AttemptTrace {
        commits: commits
            .iter()
            .rev()
            .map(|commit| (commit.id.chars().take(9).collect(), commit.subject.clone()))
            .collect(),
        // The commits are useful without the files.
        files: git
            .changed_files(&base, &tip)
            .unwrap_or_else(|_| Vec::new()),
    })
}

fn find_tip(git: &Git, attempt: &Attempt) -> Option<String> {
    attempt
        .tip
        .clone()
        .into_iter()
        .chain([
            format!("refs/heads/{}", attempt.branch),
            format!("refs/remotes/origin/{}", attempt.branch),
        ])
        .filter(|place| !place.ends_with('/'))
        .find_map(|place| git.resolve(&place).ok().flatten())
}

/// Returns the commit at which the branch left its target: the recorded one, otherwise the merge
/// base.
fn find_base(git: &Git, attempt: &Attempt, tip: &str) -> Option<String> {
    if let Ok(Some(base)) = git.resolve(&attempt.base) {
        return Some(base);
    }
    let targets = [
        format!("refs/remotes/origin/{}", attempt.target),
        format!("refs/heads/{}", attempt.target),
    ];
    targets.iter().find_map(|target| {
        let target = git.resolve(target).ok().flatten()?;
        git.merge_base(&target, tip).ok().flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot() -> Slot {
        Slot {
            bead: "w-1".to_owned().into(),
            branch: "polecat/nux/w-1".to_owned().into(),
            base: "abc".to_owned(),
            ..Slot::default()
        }
    }

    const END: AttemptEnd<'_> = AttemptEnd {
        worker: "web/polecats/nux",
        why: "taken off the hook",
        kept: None,
    };

    #[test]
    fn the_last_notes_are_kept_and_other_metadata_stays() {
        let mut bead = Bead {
            id: "w-1".to_owned(),
            ..Bead::default()
        };
        bead.set_metadata("summary", "kept").unwrap();
        for number in 0..7 {
            record_end(&mut bead, &slot(), END, &format!("2026-01-0{number}")).unwrap();
        }
        let notes = noted_attempts(&bead);
        assert_eq!(notes.len(), MAX_NOTES);
        assert_eq!(notes[0].at, "2026-01-02");
        assert_eq!(notes[4].at, "2026-01-06");
        assert_eq!(bead.metadata_object()["summary"], "kept");
    }

    #[test]
    fn a_worker_without_a_branch_or_on_another_bead_leaves_no_attempt() {
        let mut bead = Bead {
            id: "w-2".to_owned(),
            ..Bead::default()
        };
        record_end(&mut bead, &slot(), END, "2026").unwrap();
        assert!(noted_attempts(&bead).is_empty());
        let early = Slot {
            base: String::new(),
            bead: "w-2".to_owned().into(),
            ..slot()
        };
        record_end(&mut bead, &early, END, "2026").unwrap();
        assert!(noted_attempts(&bead).is_empty());
    }

    #[test]
    fn without_git_the_receipt_still_names_the_files() {
        let attempt = Attempt {
            files: vec!["a.rs".to_owned()],
            ..Attempt::default()
        };
        assert_eq!(read_trace(None, &attempt).files, ["a.rs"]);
        let folder = tempfile::tempdir().unwrap();
        let nowhere = Git::at(folder.path());
        assert_eq!(read_trace(Some(&nowhere), &attempt).files, ["a.rs"]);
    }
}
