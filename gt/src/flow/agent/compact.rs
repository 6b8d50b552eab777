//! Applies the retention policies of a town, `gt compact`.
//!
//! The only copy of work is removed only if a setting gives it an age: closed beads go to
//! the archive, branches are removed only if another ref keeps their commits, and saved work and
//! events stay for ever by default. The records of polecats that an earlier version wrote at
//! length are shortened without a loss.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bd::git::rescue;
use bd::store::BeadMark;
use jiff::SignedDuration;
use serde::Serialize;

use crate::flow::agent::polecat;
use crate::flow::place::merged_refs;
use crate::record::polecat::{move_entries_to_lines, read_old_entries};
use crate::town::config::SettingsLayers;
use crate::town::event::event;
use crate::town::{Rig, Town};

/// The time limit for packing a repository.
const PACK_TIMEOUT: Duration = Duration::from_secs(1800);

/// One policy, and what it did in one place.
#[derive(Debug, Serialize)]
pub struct RetentionReport {
    /// The town (`town`) or a rig.
    pub place: String,
    pub what: &'static str,
    /// The setting with the age; `None` if the policy has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<&'static str>,
    /// The age in seconds. `None` means that everything is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age: Option<i64>,
    pub action: RetentionAction,
    /// The number of objects that are past the policy.
    pub count: usize,
    /// The number of all objects.
    pub total: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RetentionAction {
    Archived,
    Removed,
    Packed,
    /// Written in a shorter form without a loss.
    Shortened,
    /// All objects stay.
    Kept,
}

/// Applies all policies, or reports what they would do. A rig that fails is an error after all
/// others are done.
pub fn compact_town(town: &Town, dry_run: bool) -> anyhow::Result<Vec<RetentionReport>> {
    let events = std::fs::metadata(town.layout.events()).map_or(0, |meta| meta.len());
    let mut reports = vec![
        archive_beads(town, None, dry_run)?,
        RetentionReport {
            place: "town".to_owned(),
            what: "bytes of events",
            setting: None,
            max_age: None,
            action: RetentionAction::Kept,
            count: 0,
            total: usize::try_from(events).unwrap_or(usize::MAX),
        },
    ];
    let mut failures = Vec::new();
    for rig in town.list_rigs()? {
        let archived = archive_beads(town, Some(&rig), dry_run).map(|report| reports.push(report));
        let compacted = compact_rig(&rig, dry_run).map(|found| reports.extend(found));
        failures.extend(
            [archived, compacted]
                .into_iter()
                .filter_map(Result::err)
                .map(|error| format!("{}: {error:#}", rig.name())),
        );
    }
    if !dry_run {
        let lines: Vec<String> = reports
            .iter()
            .filter(|report| report.count > 0)
            .map(RetentionReport::describe)
            .collect();
        town.record_event(&event!(Compacted, lines: lines));
    }
    anyhow::ensure!(failures.is_empty(), "{}", failures.join("; "));
    Ok(reports)
}

/// Applies the policies of a rig, except that for closed beads.
pub(crate) fn compact_rig(rig: &Rig, dry_run: bool) -> anyhow::Result<Vec<RetentionReport>> {
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    Ok(vec![
        move_records(rig, dry_run)?,
        remove_gate_logs(rig, &layers, dry_run)?,
        remove_saved_work(rig, &layers, dry_run)?,
        remove_branches(rig, dry_run)?,
        pack_repository(rig, dry_run)?,
    ])
}

impl RetentionReport {
    /// Returns the result as one line.
    pub fn describe(&self) -> String {
        let Self {
            place,
            what,
            count,
            total,
            ..
        } = self;
        let action = match self.action {
            RetentionAction::Archived => "archived",
            RetentionAction::Removed => "removed",
            RetentionAction::Packed => "packed",
            RetentionAction::Shortened => "shortened",
            RetentionAction::Kept => return format!("{place}: {total} {what} kept"),
        };
        format!("{place}: {count} of {total} {what} {action}")
    }
}

/// Returns the age of a setting. Zero means that nothing is removed.
fn read_max_age(layers: &SettingsLayers, setting: &str) -> Option<SignedDuration> {
    Some(layers.duration(setting)).filter(SignedDuration::is_positive)
}

/// Archives the closed beads of the town's store or a rig's.
pub(crate) fn archive_beads(
    town: &Town,
    rig: Option<&Rig>,
    dry_run: bool,
) -> anyhow::Result<RetentionReport> {
    let setting = "patrol.archive_age";
    let max_age = read_max_age(&SettingsLayers::load(town, None)?, setting);
    let store = match rig {
        Some(rig) => rig.store()?,
        None => town.open_town_store()?,
    };
    let beads = store.snapshot()?;
    let total = beads.bead_refs().filter(|bead| !bead.is_open()).count();
    let count = match max_age {
        None => 0,
        Some(age) => {
            let before = town.clock.now().checked_sub(age)?;
            if dry_run {
                bd::store::compact::find_archivable(&beads, before).len()
            } else {
                store.compact(&town.author(), &town.clock, before)?.len()
            }
        }
    };
    Ok(RetentionReport {
        place: rig.map_or("town", |rig| rig.name()).to_owned(),
        what: "closed beads",
        setting: Some(setting),
        max_age: max_age.map(|age| age.as_secs()),
        action: RetentionAction::Archived,
        count,
        total,
    })
}

/// Moves the records of polecats that an earlier version wrote into one line per polecat to lines
/// of their own.
fn move_records(rig: &Rig, dry_run: bool) -> anyhow::Result<RetentionReport> {
    let store = rig.store()?;
    let beads = store.snapshot()?;
    let agents = beads.select_marked(&[BeadMark::Label("gt:agent")], |_| true);
    let mut count = agents.map(|agent| read_old_entries(agent).len()).sum();
    if count > 0 && !dry_run {
        count = rig.transact(&store, move_old_entries)?;
    }
    Ok(RetentionReport {
        place: rig.name().to_owned(),
        what: "old entries of worker records",
        setting: None,
        max_age: None,
        action: RetentionAction::Shortened,
        count,
        total: count,
    })
}

/// Moves the old entries of all agents to lines of their own. Returns their number.
fn move_old_entries(tx: &mut bd::store::Tx) -> anyhow::Result<usize> {
    let agents: Vec<String> = tx
        .marked(&[BeadMark::Label("gt:agent")])
        .map(|agent| agent.id().to_owned())
        .collect();
    let mut count = 0;
    for agent in agents {
        let Some(mut agent) = tx.get_live(&agent).cloned() else {
            continue;
        };
        let moved = move_entries_to_lines(tx, &mut agent)?;
        if moved > 0 {
            tx.put_updated(agent)?;
        }
        count += moved;
    }
    Ok(count)
}

fn remove_gate_logs(
    rig: &Rig,
    layers: &SettingsLayers,
    dry_run: bool,
) -> anyhow::Result<RetentionReport> {
    let setting = "retention.gate_logs";
    let max_age = read_max_age(layers, setting);
    let now = SystemTime::from(rig.town().clock.now());
    let mut count = 0;
    let mut total = 0;
    for entry in std::fs::read_dir(rig.gate_logs()).into_iter().flatten() {
        let entry = entry?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let changed = std::fs::metadata(&path).and_then(|meta| meta.modified());
        let age = changed.ok().and_then(|at| now.duration_since(at).ok());
        total += 1;
        if max_age.is_some_and(|max| age.is_some_and(|age| age > max.unsigned_abs())) {
            count += 1;
            if !dry_run {
                kit::sys::file::remove_file(&path)?;
            }
        }
    }
    Ok(RetentionReport {
        place: rig.name().to_owned(),
        what: "logs of gates",
        setting: Some(setting),
        max_age: max_age.map(|age| age.as_secs()),
        action: RetentionAction::Removed,
        count,
        total,
    })
}

/// Removes saved work of a certain age. Snapshots are not counted, because each worker keeps only
/// its last ones.
fn remove_saved_work(
    rig: &Rig,
    layers: &SettingsLayers,
    dry_run: bool,
) -> anyhow::Result<RetentionReport> {
    let setting = "retention.rescues";
    let max_age = read_max_age(layers, setting);
    let git = rig.git();
    let saved = rescue::list_rescues(&git, &format!("refs/gt/rescue/{}/", rig.name()))?;
    let total = saved.len();
    let now = rig.town().clock.now();
    let old: Vec<rescue::Rescue> = saved
        .into_iter()
        .filter(|saved| max_age.is_some_and(|max| now.duration_since(saved.time) > max))
        .collect();
    if !dry_run {
        for saved in &old {
            rescue::drop_rescue(&git, &saved.refname)?;
        }
    }
    Ok(RetentionReport {
        place: rig.name().to_owned(),
        what: "rescues",
        setting: Some(setting),
        max_age: max_age.map(|age| age.as_secs()),
        action: RetentionAction::Removed,
        count: old.len(),
        total,
    })
}

fn remove_branches(rig: &Rig, dry_run: bool) -> anyhow::Result<RetentionReport> {
    let branches = polecat::prune_branches(rig, "polecat/*", dry_run)?;
    Ok(RetentionReport {
        place: rig.name().to_owned(),
        what: "branches of polecats",
        setting: None,
        max_age: None,
        action: RetentionAction::Removed,
        count: branches.iter().filter(|branch| branch.removed).count(),
        total: branches.len(),
    })
}

/// Packs loose refs, and loose objects if git finds that there are many.
fn pack_repository(rig: &Rig, dry_run: bool) -> anyhow::Result<RetentionReport> {
    let git = rig.git();
    let refs = git.plumbing(["for-each-ref", "--format=x"]).text()?;
    let loose = git.common_dir()?.join("refs");
    let count = count_loose_refs(&loose)?;
    if !dry_run {
        merged_refs::pack_refs_and_history(&git)?;
        git.plumbing(["gc", "--auto", "--quiet"])
            .limit(PACK_TIMEOUT)
            .run()?;
    }
    Ok(RetentionReport {
        place: rig.name().to_owned(),
        what: "refs",
        setting: None,
        max_age: None,
        action: RetentionAction::Packed,
        count,
        total: refs.lines().count(),
    })
}

/// Counts the refs below a folder, without those that name another ref, which are never packed. Git
/// may remove refs and folders at the same time.
fn count_loose_refs(folder: &Path) -> std::io::Result<usize> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut count = 0;
    for entry in entries {
        let entry = entry?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            count += count_loose_refs(&entry.path())?;
        } else if let Some(content) = kit::sys::file::read_file_if_exists(&entry.path())?
            && !content.starts_with(b"ref:")
        {
            count += 1;
        }
    }
    Ok(count)
}
