//! What was done on a bead before: one attempt for each time that a worker had it and has it no more.
//!
//! An attempt that was handed in is known by its merge request, with its commits. One that ended otherwise, because
//! the bead was taken away or its worker is gone, is noted on the bead by the transaction that ended it
//! ([`end`]); the last few of these are kept. What git is asked for besides ([`trace`]) may be missing: branch
//! or folder gone, nothing committed. Then that much less is known, and nothing fails.

use bd::bead::{Bead, DepKind, Stamp, fields};
use bd::git::rescue::{self, Rescue};
use bd::git::{Git, GitError};
use bd::store::{Snapshot, Tx};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::record::merge_request;
use crate::record::polecat::Slot;

/// How many notes a bead keeps.
const NOTES: usize = 5;

/// Where on a bead they are.
const KEY: &str = "attempts";

/// Where it is written that a worker closed its bead itself.
const UNPROVEN: &str = "closed_without_done";

/// The label of a bead that is or was closed in that way.
pub const UNPROVEN_LABEL: &str = "gt:closed-without-done";

/// When a bead was given to its worker, RFC 3339: a brief afterwards shows the context of that time.
const GIVEN: &str = "given_at";

/// The label of a bead at which a worker gave up.
pub const FAILED_LABEL: &str = "gt:attempt-failed";

/// One attempt at a bead, ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attempt {
    /// The worker's address.
    pub worker: String,
    /// The branch of the work.
    pub branch: String,
    /// The commit that it started from.
    pub base: String,
    /// The branch that it was to be merged into.
    pub target: String,
    /// The last commit that was handed in; empty where nothing was.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tip: String,
    /// When it ended, RFC 3339.
    pub at: String,
    /// How many sessions it took; 0 where that is not known.
    pub sessions: usize,
    /// Why it ended.
    pub why: String,
    /// Whether its worker gave up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The hidden ref with what was not committed, or with all of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kept: String,
    /// What the worker said of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The files that it changed, by its receipt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// What git has of an attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AttemptTrace {
    /// Its commits, oldest first: a short id and the subject.
    pub commits: Vec<(String, String)>,
    /// The files that they change since the branch left its target.
    pub files: Vec<String>,
}

impl Attempt {
    /// That its worker gave up, and why: `web/polecats/nux gave up: it deadlocks`.
    pub fn describe_failure(&self) -> String {
        format!("{} gave up: {}", self.worker, self.failure_reason())
    }

    /// Why it failed, without the word that marks it as failed.
    pub fn failure_reason(&self) -> &str {
        let why = self.why.trim();
        why.strip_prefix("failed:").unwrap_or(why).trim()
    }
}

/// Why an attempt ends.
#[derive(Debug, Clone, Copy)]
pub struct AttemptEnd<'a> {
    /// The worker's address.
    pub worker: &'a str,
    /// Why.
    pub why: &'a str,
    /// The hidden ref with what was not committed, where there is one.
    pub kept: Option<&'a str>,
}

/// Notes on a bead that it is given to a worker now.
pub fn record_start(bead: &mut Bead, now: &Stamp) -> serde_json::Result<()> {
    bead.labels.retain(|label| label != FAILED_LABEL);
    bead.set_metadata(GIVEN, now.to_string())
}

/// When a bead was given to the worker that had it last, where that is known.
pub fn given_at(bead: &Bead) -> Option<Timestamp> {
    let given = bead.metadata_object().remove(GIVEN)?;
    given.as_str()?.parse().ok()
}

/// Notes on a bead that its worker gave up, with what it says of it. `tip` is its last commit.
pub fn record_giving_up(
    bead: &mut Bead,
    slot: &Slot,
    end: AttemptEnd<'_>,
    (tip, said): (&str, &str),
    at: &str,
) -> serde_json::Result<()> {
    let mut attempt = build_attempt(slot, end, at);
    attempt.failed = true;
    tip.clone_into(&mut attempt.tip);
    said.clone_into(&mut attempt.summary);
    add_note(bead, attempt)?;
    bead.labels.push(FAILED_LABEL.to_owned());
    bead.labels.sort();
    bead.labels.dedup();
    Ok(())
}

/// The attempt that ended last, if its worker gave up.
pub fn last_given_up_attempt(bead: &Bead) -> Option<Attempt> {
    noted_attempts(bead).pop().filter(|attempt| attempt.failed)
}

/// Notes on a bead that the attempt of this slot at it has ended. A slot that has no branch yet has done nothing.
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
        kept: end.kept.unwrap_or_default().to_owned(),
        ..Attempt::default()
    }
}

fn add_note(bead: &mut Bead, attempt: Attempt) -> serde_json::Result<()> {
    let mut notes = noted_attempts(bead);
    notes.push(attempt);
    let surplus = notes.len().saturating_sub(NOTES);
    bead.set_metadata(KEY, &notes[surplus..])
}

/// The same for a bead of the store that a transaction changes.
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

/// Marks a closed bead whose worker closed it without `gt done`: nothing proves that its work is anywhere. The mark
/// holds for this closing only; a person who closes the bead again takes it as it is.
pub fn mark_unproven(bead: &mut Bead, worker: &str) -> serde_json::Result<()> {
    let closed_at = bead.closed_at.as_ref().map(ToString::to_string);
    // So that it is found without reading every closed bead.
    bead.labels.push(UNPROVEN_LABEL.to_owned());
    bead.labels.sort();
    bead.labels.dedup();
    bead.set_metadata(UNPROVEN, json!({ "by": worker, "closed_at": closed_at }))
}

/// The worker that closed a bead without `gt done`, if that is how the bead was closed.
pub fn unproven_worker(bead: &Bead) -> Option<String> {
    let closed_at = bead
        .closed_at
        .as_ref()
        .filter(|_| !bead.is_open())?
        .to_string();
    let mark = bead.metadata_object().remove(UNPROVEN)?;
    let same = mark.get("closed_at")?.as_str() == Some(closed_at.as_str());
    same.then(|| mark.get("by")?.as_str().map(str::to_owned))?
}

/// All attempts at a bead, oldest first.
pub fn list_attempts(beads: &Snapshot, bead: &Bead) -> Vec<Attempt> {
    let mut attempts = noted_attempts(bead);
    attempts.extend(submitted_attempts(beads, bead));
    attempts.sort_by(|a, b| (&a.at, &a.branch).cmp(&(&b.at, &b.branch)));
    attempts
}

/// Whether a worker had a bead before, and has it no more.
pub fn was_with(bead: &Bead, worker: &str) -> bool {
    noted_attempts(bead)
        .iter()
        .any(|attempt| attempt.worker == worker)
}

fn noted_attempts(bead: &Bead) -> Vec<Attempt> {
    read_notes(bead.metadata_object().get(KEY))
}

fn read_notes(notes: Option<&serde_json::Value>) -> Vec<Attempt> {
    notes
        .and_then(|notes| Vec::deserialize(notes).ok())
        .unwrap_or_default()
}

/// The attempts that failed among the notes of a bead (`attempts` of its metadata), oldest first.
pub fn failed_attempts(notes: Option<&serde_json::Value>) -> Vec<Attempt> {
    let mut noted = read_notes(notes);
    noted.retain(|attempt| attempt.failed);
    noted
}

/// Those that ended in a merge request: a bead waits for each of its own.
fn submitted_attempts(beads: &Snapshot, bead: &Bead) -> Vec<Attempt> {
    let requests = bead
        .edges(&DepKind::Blocks)
        .filter_map(|edge| beads.get(&edge.depends_on_id))
        .filter(|request| {
            merge_request::is_merge_request(request)
                && merge_request::source_bead_of(request) == bead.id
        });
    requests
        .map(|request| {
            let receipt = merge_request::receipt_of(request);
            let told = Some(request.close_reason.clone());
            let along = told.filter(|told| told.starts_with(merge_request::AS_IT_WAS));
            let how = along.or_else(|| fields::get_field(&request.description, "close_reason"));
            let how = how.unwrap_or_else(|| request.close_reason.clone());
            let how = match (request.is_open(), how.as_str()) {
                (true, _) => "it is in the merge queue".to_owned(),
                (false, "") => "the request is closed".to_owned(),
                (false, how) => how.to_owned(),
            };
            Attempt {
                worker: receipt.worker,
                branch: receipt.branch,
                base: receipt.base,
                target: receipt.target,
                tip: receipt.tip,
                at: request.created_at.to_string(),
                sessions: 0,
                why: format!("handed in as {}: {how}", request.id),
                failed: false,
                kept: String::new(),
                summary: receipt.summary,
                files: receipt.files,
            }
        })
        .collect()
}

/// All attempts at a bead, each with what git has of it.
pub fn list_traced_attempts(
    beads: &Snapshot,
    git: Option<&Git>,
    bead: &Bead,
) -> Vec<(Attempt, AttemptTrace)> {
    let attempts = list_attempts(beads, bead).into_iter();
    attempts
        .map(|mut attempt| {
            let trace = read_trace(git, &attempt);
            // A ref that somebody dropped is not named, nor a snapshot of earlier versions that was pruned.
            let is_there = |git: &Git| git.resolve(&attempt.kept).is_ok_and(|tip| tip.is_some());
            if !attempt.kept.is_empty() && !git.is_some_and(is_there) {
                attempt.kept.clear();
            }
            (attempt, trace)
        })
        .collect()
}

/// The rescue refs that hold work of a bead, oldest first: what was taken from sandboxes. Their names end with the bead.
pub fn list_rescues(git: &Git, rig: &str, bead: &str) -> Result<Vec<Rescue>, GitError> {
    let mut found = rescue::list_rescues(git, &format!("refs/gt/rescue/{rig}/polecats/"))?;
    found.retain(|saved| {
        let name = saved.refname.rsplit('/').next().unwrap_or_default();
        let of = name.split_once('-').map(|(_, of)| of);
        of.is_some_and(|of| of == bead || of.strip_suffix("-branch") == Some(bead))
    });
    Ok(found)
}

/// What git has of an attempt; what it cannot answer is left out, and the files are then those of the receipt.
pub fn read_trace(git: Option<&Git>, attempt: &Attempt) -> AttemptTrace {
    let from_receipt = || AttemptTrace {
        commits: Vec::new(),
        files: attempt.files.clone(),
    };
    git.and_then(|git| read_git_trace(git, attempt))
        .unwrap_or_else(from_receipt)
}

fn read_git_trace(git: &Git, attempt: &Attempt) -> Option<AttemptTrace> {
    let tip = find_tip(git, attempt)?;
    let base = find_base(git, attempt, &tip)?;
    let commits = git.commits(&base, &tip).ok()?;
    let shown = |id: &str| id.chars().take(9).collect::<String>();
    Some(AttemptTrace {
        commits: commits
            .iter()
            .rev()
            .map(|commit| (shown(&commit.id), commit.subject.clone()))
            .collect(),
        // The commits are worth telling without the files.
        files: git.changed_files(&base, &tip).unwrap_or_default(),
    })
}

fn find_tip(git: &Git, attempt: &Attempt) -> Option<String> {
    let places = [
        attempt.tip.clone(),
        format!("refs/heads/{}", attempt.branch),
        format!("refs/remotes/origin/{}", attempt.branch),
    ];
    let mut places = places.into_iter().filter(|place| !place.ends_with('/'));
    places.find_map(|place| git.resolve(&place).ok().flatten())
}

/// Where the branch left its target: of an attempt that says so that commit, else the merge base.
fn find_base(git: &Git, attempt: &Attempt, tip: &str) -> Option<String> {
    if let Ok(Some(base)) = git.resolve(&attempt.base) {
        return Some(base);
    }
    let targets = [
        format!("refs/remotes/origin/{}", attempt.target),
        format!("refs/heads/{}", attempt.target),
    ];
    let bases = targets.iter().filter_map(|target| {
        let target = git.resolve(target).ok().flatten()?;
        git.merge_base(&target, tip).ok().flatten()
    });
    bases.into_iter().next()
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
        assert_eq!(notes.len(), NOTES);
        assert_eq!(notes[0].at, "2026-01-02");
        assert_eq!(notes[4].at, "2026-01-06");
        assert_eq!(bead.metadata_object()["summary"], "kept");
    }

    #[test]
    fn a_worker_that_had_no_branch_yet_or_another_bead_left_nothing() {
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
