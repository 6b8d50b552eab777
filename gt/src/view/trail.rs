//! Lists recent commits and recently changed beads of all rigs.

use std::collections::HashSet;

use bd::bead::Bead;
use bd::store::Store;
use jiff::Timestamp;
use kit::ui::time::format_ago;
use serde::Serialize;

use crate::town::config::target_branch_of;
use crate::town::identity::Address;
use crate::town::{Rig, Town};

/// The time and number limits of a list.
#[derive(Debug, Clone, Copy)]
pub struct TrailRange {
    pub since: Option<Timestamp>,
    /// The maximum number of entries; 0 means no limit.
    pub limit: usize,
}

impl TrailRange {
    fn includes(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since)
    }

    /// Sorts by time, newest first, and removes what is over the limit.
    pub(super) fn cut<T>(&self, entries: &mut Vec<T>, time_of: impl Fn(&T) -> Timestamp) {
        entries.retain(|entry| self.includes(time_of(entry)));
        entries.sort_by_key(|entry| std::cmp::Reverse(time_of(entry)));
        if self.limit > 0 {
            entries.truncate(self.limit);
        }
    }
}

/// A commit on a branch of a rig.
#[derive(Debug, Clone, Serialize)]
pub struct TrailCommit {
    pub rig: String,
    pub hash: String,
    pub short_hash: String,
    pub author: String,
    pub email: String,
    #[serde(rename = "date")]
    pub at: Timestamp,
    #[serde(rename = "date_relative")]
    pub age: String,
    pub subject: String,
    /// True if the author is an agent of the town.
    pub is_agent: bool,
    /// True if the commit is on the rig's target.
    pub merged: bool,
}

/// A bead by its last change.
#[derive(Debug, Clone, Serialize)]
pub struct TrailBead {
    pub id: String,
    pub title: String,
    pub status: String,
    /// The author of the change.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    #[serde(rename = "updated_at")]
    pub at: Timestamp,
    #[serde(rename = "updated_relative")]
    pub age: String,
}

/// Lists the commits on the branches of all rigs, newest first: those of agents, or all.
pub fn list_commits(
    town: &Town,
    range: &TrailRange,
    all: bool,
) -> anyhow::Result<Vec<TrailCommit>> {
    let mut found = Vec::new();
    for rig in town.list_rigs()? {
        found.extend(read_commits(&rig, range, all)?);
    }
    range.cut(&mut found, |commit| commit.at);
    Ok(found)
}

fn read_commits(rig: &Rig, range: &TrailRange, all: bool) -> anyhow::Result<Vec<TrailCommit>> {
    let now = rig.town().clock.now();
    let mut args = vec![
        "log".to_owned(),
        "-z".to_owned(),
        "--branches".to_owned(),
        "--remotes".to_owned(),
        "--format=%H%x1f%h%x1f%an%x1f%ae%x1f%at%x1f%s".to_owned(),
    ];
    if let Some(since) = range.since {
        args.push(format!("--since=@{}", since.as_second()));
    }
    // Commits of other authors do not count towards the limit.
    if all && range.limit > 0 {
        args.push(format!("--max-count={}", range.limit));
    }
    let records = rig.git().plumbing(args).records()?;
    let unmerged = list_unmerged(rig)?;
    Ok(records
        .iter()
        .filter_map(|record| parse_commit(rig.name(), record, now))
        .filter(|commit| all || commit.is_agent)
        .map(|commit| TrailCommit {
            merged: !unmerged.contains(&commit.hash),
            ..commit
        })
        .collect())
}

/// Returns the commits of all branches that are not on the rig's target.
fn list_unmerged(rig: &Rig) -> anyhow::Result<HashSet<String>> {
    let git = rig.git();
    let target = target_branch_of(rig)?;
    let mut args = ["rev-list", "--branches", "--remotes"]
        .map(str::to_owned)
        .to_vec();
    for folder in ["refs/remotes/origin", "refs/heads"] {
        let name = format!("{folder}/{target}");
        if git.resolve(&name)?.is_some() {
            args.push(format!("^{name}"));
        }
    }
    let listed = git.plumbing(args).text()?;
    Ok(listed.lines().map(str::to_owned).collect())
}

fn parse_commit(rig: &str, record: &str, now: Timestamp) -> Option<TrailCommit> {
    let mut parts = record.splitn(6, '\u{1f}').map(str::to_owned);
    let hash = parts.next()?;
    let short_hash = parts.next()?;
    let author = parts.next()?;
    let email = parts.next()?;
    let at = Timestamp::from_second(parts.next()?.parse().ok()?).ok()?;
    Some(TrailCommit {
        rig: rig.to_owned(),
        is_agent: is_agent_name(&author),
        merged: false,
        age: format_ago(now, at),
        subject: parts.next()?,
        hash,
        short_hash,
        author,
        email,
        at,
    })
}

/// Returns true for the name of an agent, which is the author of its commits.
fn is_agent_name(name: &str) -> bool {
    let address: Result<Address, _> = name.parse();
    address.is_ok_and(|address| address != Address::Overseer)
}

/// Lists the beads of the town and its rigs by their last change, newest first.
pub fn list_beads(town: &Town, range: &TrailRange) -> anyhow::Result<Vec<TrailBead>> {
    let now = town.clock.now();
    let mut found = read_changed_beads(&town.open_town_store()?, range, now)?;
    for rig in town.list_rigs()? {
        // A rig with unreadable beads hides no other rig; `gt status` reports it.
        if let Ok(store) = rig.store() {
            found.extend(read_changed_beads(&store, range, now)?);
        }
    }
    range.cut(&mut found, |bead| bead.at);
    Ok(found)
}

fn read_changed_beads(
    store: &Store,
    range: &TrailRange,
    now: Timestamp,
) -> anyhow::Result<Vec<TrailBead>> {
    let beads = store.snapshot()?;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for event in store.events()?.iter().rev() {
        let Ok(at) = event.at.parse() else { continue };
        if !range.includes(at) {
            break;
        }
        for change in &event.changes {
            let Some(bead) = beads.get(&change.id).filter(|bead| is_work(bead)) else {
                continue;
            };
            if seen.insert(change.id.clone()) {
                found.push(TrailBead {
                    id: bead.id.clone(),
                    title: bead.title.clone(),
                    status: bead.status.to_string(),
                    agent: event.actor.clone(),
                    age: format_ago(now, at),
                    at,
                });
            }
        }
        if range.limit > 0 && seen.len() >= range.limit {
            break;
        }
    }
    Ok(found)
}

fn is_work(bead: &Bead) -> bool {
    !bead.is_tombstone() && !bead.is_internal()
}
