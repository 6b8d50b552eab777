//! The last commits of a rig's target, each green, red or not tested by the rig's gates, and the
//! cause and the repair of a red target.

use std::collections::{BTreeMap, BTreeSet};

use bd::store::Snapshot;
use jiff::Timestamp;
use kit::ui::escape;
use serde::Serialize;

use crate::record::broken_target::BrokenTarget;
use crate::record::request_wait::BrokenTargets;
use crate::town::Rig;
use crate::town::config::target_branch_of;
use crate::town::event::{self, Event, EventLine};

/// The number of commits that are shown.
const MAX_COMMITS: usize = 20;

/// The last commits of a target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetStrip {
    pub rig: String,
    pub branch: String,
    /// The commits of the first parents, the newest last.
    pub commits: Vec<TargetCommit>,
    /// The failure that the queue found on the target, if it is not repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub red: Option<RedTarget>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetCommit {
    pub hash: String,
    pub at: Timestamp,
    pub subject: String,
    pub state: CommitState,
    /// The bead whose work the queue merged with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bead: Option<String>,
    /// The gates that failed last on this commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_gates: Vec<String>,
}

/// The last result of the gates on a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitState {
    Green,
    Red,
    /// No gate ran on this very commit: someone pushed it, or a later commit of a batch was tested.
    Untested,
}

/// A branch that fails its own gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedBranch {
    pub branch: String,
    #[serde(flatten)]
    pub failure: RedTarget,
}

impl RedBranch {
    /// Lists the targets of a rig that fail their own gates, without the commits that broke them.
    pub fn list_broken(beads: &Snapshot) -> Vec<Self> {
        BrokenTargets::find(beads)
            .iter()
            .map(|(branch, broken)| Self {
                branch: branch.clone(),
                failure: RedTarget::new(beads, broken),
            })
            .collect()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedTarget {
    pub commit: String,
    /// The time at which the queue found it, RFC 3339.
    pub since: String,
    /// The commit that broke the target, if a search found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_by: Option<String>,
    /// The bead of that commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_by_bead: Option<String>,
    /// The task that repairs it.
    pub repair: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair_assignee: Option<String>,
}

impl RedTarget {
    fn new(beads: &Snapshot, broken: &BrokenTarget) -> Self {
        Self {
            commit: broken.target.clone(),
            since: broken.known_since().to_owned(),
            broken_by: None,
            broken_by_bead: None,
            repair: broken.task.clone(),
            repair_assignee: beads
                .get(&broken.task)
                .map(|task| task.assignee.clone())
                .filter(|assignee| !assignee.is_empty()),
        }
    }

    /// Describes the cause and the repair, each in one line that is safe for a terminal. `time`
    /// formats the time.
    pub fn describe(&self, time: impl Fn(&str) -> String) -> [String; 2] {
        let by = match (&self.broken_by_bead, &self.broken_by) {
            (Some(bead), _) => format!(" by {bead}"),
            (None, Some(commit)) => format!(" by {commit:.8}"),
            (None, None) => String::new(),
        };
        let repair = match &self.repair_assignee {
            None => format!("repair {}, which no one has", self.repair),
            Some(assignee) => format!("repair {} by {assignee}", self.repair),
        };
        let cause = format!("red since {}{by}", time(&self.since));
        [cause, repair].map(|line| escape::escape_line(&line))
    }
}

/// Reads the strip of a rig's target. A rig without the target has none.
pub fn read_target_strips(rig: &Rig) -> anyhow::Result<Vec<TargetStrip>> {
    let branch = target_branch_of(rig)?;
    let commits = list_target_commits(rig, &branch)?;
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let hashes: BTreeSet<&str> = commits.iter().map(|commit| commit.hash.as_str()).collect();
    let events = event::read_events_with(&rig.town().layout, "commit", &hashes)?;
    let red = find_red_target(rig, &branch, &events)?;
    let commits = commits
        .into_iter()
        .map(|commit| judge_commit(commit, &events, red.as_ref()))
        .collect();
    Ok(vec![TargetStrip {
        rig: rig.name().to_owned(),
        branch,
        commits,
        red,
    }])
}

fn list_target_commits(rig: &Rig, branch: &str) -> anyhow::Result<Vec<TargetCommit>> {
    let git = rig.git();
    let mut tip = None;
    for folder in ["refs/remotes/origin", "refs/heads"] {
        tip = tip.or(git.resolve(&format!("{folder}/{branch}"))?);
    }
    let Some(tip) = tip else {
        return Ok(Vec::new());
    };
    let count = format!("--max-count={MAX_COMMITS}");
    let args = [
        "log",
        "-z",
        "--first-parent",
        &count,
        "--format=%H%x1f%ct%x1f%s",
        &tip,
        "--",
    ];
    let records = git.plumbing(args).records()?;
    let mut commits: Vec<TargetCommit> = records
        .iter()
        .filter_map(|text| parse_commit(text))
        .collect();
    commits.reverse();
    Ok(commits)
}

fn parse_commit(record: &str) -> Option<TargetCommit> {
    let mut parts = record.splitn(3, '\u{1f}');
    Some(TargetCommit {
        hash: parts.next()?.to_owned(),
        at: Timestamp::from_second(parts.next()?.parse().ok()?).ok()?,
        subject: parts.next()?.to_owned(),
        state: CommitState::Untested,
        bead: None,
        failed_gates: Vec::new(),
    })
}

fn judge_commit(
    mut commit: TargetCommit,
    events: &[EventLine],
    red: Option<&RedTarget>,
) -> TargetCommit {
    let mut last_results: BTreeMap<String, bool> = BTreeMap::new();
    for line in events {
        let is_about = line
            .payload
            .get("commit")
            .is_some_and(|hash| *hash == *commit.hash);
        if !is_about {
            continue;
        }
        match line.to_event() {
            Event::Gate { gate, passed, .. } => {
                last_results.insert(gate, passed);
            }
            Event::Merged(result) | Event::MergeAlreadyThere(result) => {
                commit.bead = Some(result.request.bead);
            }
            _ => {}
        }
    }
    let failed = last_results.iter().filter(|(_, passed)| !**passed);
    commit.failed_gates = failed.map(|(gate, _)| gate.clone()).collect();
    let is_red =
        !commit.failed_gates.is_empty() || red.is_some_and(|red| red.commit == commit.hash);
    commit.state = match (is_red, last_results.is_empty()) {
        (true, _) => CommitState::Red,
        (false, false) => CommitState::Green,
        (false, true) => CommitState::Untested,
    };
    commit
}

/// Returns the failure of the target that waits for its repair.
fn find_red_target(
    rig: &Rig,
    branch: &str,
    events: &[EventLine],
) -> anyhow::Result<Option<RedTarget>> {
    let beads = rig.store()?.snapshot()?;
    let broken_targets = BrokenTargets::find(&beads);
    let Some(broken) = broken_targets.find_branch(branch) else {
        return Ok(None);
    };
    let since = broken.known_since();
    // An earlier search was for an earlier failure.
    let culprit = events.iter().rev().find_map(|line| match line.to_event() {
        Event::TargetBisected {
            target,
            commit,
            bead,
            ..
        } if target == branch && is_not_before(&line.ts, since) => Some((commit, bead)),
        _ => None,
    });
    let (broken_by, broken_by_bead) = culprit.unzip();
    Ok(Some(RedTarget {
        broken_by,
        broken_by_bead: broken_by_bead.flatten(),
        ..RedTarget::new(&beads, broken)
    }))
}

fn is_not_before(at: &str, since: &str) -> bool {
    let at: Result<Timestamp, _> = at.parse();
    let since: Result<Timestamp, _> = since.parse();
    at.is_ok_and(|at| since.is_ok_and(|since| at.as_second() >= since.as_second()))
}
