//! Runs chores: regular tasks of a town in plain code.

use std::path::Path;
use std::time::Duration;

use jiff::SignedDuration;
use kit::sys::env::local_time_zone;
use kit::sys::file;
use kit::ui::counted;
use serde::Serialize;

use crate::flow::agent::compact;
use crate::flow::agent::costs::daily::refresh_daily_sums;
use crate::flow::agent::seance::usage::RequestCache;
use crate::flow::townwide::deacon::stale_hooks::{self, HookVerdict};
use crate::flow::townwide::deacon::zombies;
use crate::flow::townwide::dog::health::{self, DogHealth};
use crate::host::{LiveTown, gateway};
use crate::record::dog;
use crate::town::Town;
use crate::town::event::event;

/// A younger process may belong to a session that is starting.
const MIN_PROCESS_AGE: Duration = Duration::from_secs(60);
/// The age at which a hook is stale.
const STALE_HOOK_AGE: SignedDuration = SignedDuration::from_hours(1);
/// The number of backups that are kept.
const MAX_BACKUPS: usize = 7;

/// A chore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Chore {
    /// List processes and hooks that no agent uses
    OrphanScan,
    /// End processes that ended sessions left behind
    SessionGc,
    /// Reopen work of agents that are gone
    StaleWork,
    /// Copy beads, settings and saved work to `.runtime/backups/`
    Backup,
    /// Free dogs whose session is gone, and remove idle ones beyond four
    Kennel,
    /// Move beads that were closed long ago to the archive (`patrol.archive_age`)
    Archive,
    /// Remove old logs of gates and merged branches, and pack the rigs' repositories
    Compact,
    /// Record the costs and counts of each day, which transcripts do not outlive
    Costs,
}

impl Chore {
    pub const ALL: [Self; 8] = [
        Self::OrphanScan,
        Self::SessionGc,
        Self::StaleWork,
        Self::Backup,
        Self::Kennel,
        Self::Archive,
        Self::Compact,
        Self::Costs,
    ];

    /// Returns the chore's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::OrphanScan => "orphan-scan",
            Self::SessionGc => "session-gc",
            Self::StaleWork => "stale-work",
            Self::Backup => "backup",
            Self::Kennel => "kennel",
            Self::Archive => "archive",
            Self::Compact => "compact",
            Self::Costs => "costs",
        }
    }
}

/// The result of a chore.
#[derive(Debug, Clone, Serialize)]
pub struct ChoreReport {
    pub chore: Chore,
    pub dog: String,
    /// True if the dog was added for the chore.
    pub dog_created: bool,
    /// The findings and actions, one per line.
    pub lines: Vec<String>,
}

/// Runs a chore with a dog.
pub fn dispatch_chore(
    town: &LiveTown,
    chore: Chore,
    wanted: Option<&str>,
    create: bool,
) -> anyhow::Result<ChoreReport> {
    let (dog, dog_created) = super::reserve_dog(town, wanted, create, chore.name())?;
    let result = run_chore(town, chore);
    let now = town.clock.now();
    // Also after a failure, because plain code that has ended does no more work.
    dog::change_dog(town, &dog.name, |dog| {
        dog.rest(now);
        Ok(())
    })?;
    let lines = result?;
    town.record_event(&event!(ChoreDone, dog: dog.name, chore: chore.name(), lines: lines));
    Ok(ChoreReport {
        chore,
        dog: dog.name,
        dog_created,
        lines,
    })
}

pub fn run_chore(town: &LiveTown, chore: Chore) -> anyhow::Result<Vec<String>> {
    match chore {
        Chore::OrphanScan => {
            let mut lines = handle_zombies(town, false)?;
            lines.extend(report_stale_hooks(town, true)?);
            Ok(lines)
        }
        Chore::SessionGc => end_left_sessions(town),
        Chore::StaleWork => report_stale_hooks(town, false),
        Chore::Backup => backup_town(town),
        Chore::Kennel => check_kennel(town),
        Chore::Archive => archive_beads(town),
        Chore::Compact => compact_rigs(town),
        Chore::Costs => {
            refresh_daily_sums(town, 1, &local_time_zone(), &mut RequestCache::default())?;
            Ok(Vec::new())
        }
    }
}

fn end_left_sessions(town: &LiveTown) -> anyhow::Result<Vec<String>> {
    let mut lines = handle_zombies(town, true)?;
    let removed = gateway::remove_left_calls(town)?;
    lines.extend(
        removed
            .iter()
            .map(|session| format!("files of calls of session {session} removed")),
    );
    Ok(lines)
}

fn check_kennel(town: &LiveTown) -> anyhow::Result<Vec<String>> {
    let found = health::check_dogs(town, health::HUNG, true)?;
    let mut lines: Vec<String> = found.iter().map(DogHealth::describe).collect();
    for name in health::remove_idle_dogs(town)? {
        lines.push(format!("dog {name} removed: it was idle for long"));
    }
    Ok(lines)
}

fn handle_zombies(town: &LiveTown, end: bool) -> anyhow::Result<Vec<String>> {
    Ok(zombies::find_zombies(town, MIN_PROCESS_AGE, end)?
        .into_iter()
        .map(|zombie| {
            let what = if zombie.ended { "ended" } else { "is left" };
            let pid = zombie.pid;
            let program = zombie.program;
            let session = zombie.session;
            format!("process {pid} ({program}) of session {session} {what}")
        })
        .collect())
}

fn report_stale_hooks(town: &LiveTown, dry_run: bool) -> anyhow::Result<Vec<String>> {
    Ok(
        stale_hooks::handle_stale_hooks(town, STALE_HOOK_AGE, dry_run)?
            .into_iter()
            .map(|hook| {
                let what = match (hook.verdict, hook.done) {
                    (HookVerdict::Reopen, true) => "is open again".to_owned(),
                    (HookVerdict::Reopen, false) => format!("can be reopened ({})", hook.reason),
                    (HookVerdict::Keep, _) => format!("stays on its hook ({})", hook.reason),
                };
                format!("{} of {} {what}", hook.bead, hook.assignee)
            })
            .collect(),
    )
}

fn compact_rigs(town: &Town) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    for rig in town.list_rigs()? {
        match compact::compact_rig(&rig, false) {
            Ok(reports) => lines.extend(
                reports
                    .iter()
                    .filter(|report| report.count > 0)
                    .map(compact::RetentionReport::describe),
            ),
            Err(error) => lines.push(format!("{}: {error:#}", rig.name())),
        }
    }
    Ok(lines)
}

/// Moves beads that were closed long ago to the archive of their store.
fn archive_beads(town: &Town) -> anyhow::Result<Vec<String>> {
    let rigs = town.list_rigs()?;
    let mut lines = Vec::new();
    for rig in std::iter::once(None).chain(rigs.iter().map(Some)) {
        let moved = compact::archive_beads(town, rig, false)?.count;
        if moved > 0 {
            let name = rig.map_or("the town", |rig| rig.name());
            lines.push(format!("{} of {name} archived", counted(moved, "bead")));
        }
    }
    Ok(lines)
}

/// Backs up data that only this machine has: beads with their local files, settings, and the refs
/// of saved work.
fn backup_town(town: &Town) -> anyhow::Result<Vec<String>> {
    let all = town.layout.runtime().join("backups");
    let stamp = town.clock.now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let part = all.join(format!(".{stamp}"));
    let rigs = town.list_rigs()?;
    let layout = &town.layout;
    let mut count = copy_records(&layout.beads(), &layout.settings(), &part.join("town"))?;
    for rig in &rigs {
        count += copy_records(&rig.beads(), &rig.settings(), &part.join(rig.name()))?;
    }
    let mut refs = 0;
    for rig in &rigs {
        refs += bundle_rescue_refs(rig, &part.join(rig.name()))?;
    }
    // Renamed when complete. A killed backup leaves a hidden folder.
    let folder = all.join(&stamp);
    std::fs::rename(&part, &folder)?;
    let removed = remove_old_backups(&all)?;
    Ok(vec![
        format!("{} copied to {}", counted(count, "file"), folder.display()),
        format!("{} of saved work bundled", counted(refs, "ref")),
        format!("{} removed", counted(removed, "older backup")),
    ])
}

/// Copies the files of a store and the settings beside it to a folder. Returns their number.
fn copy_records(beads: &Path, settings: &Path, folder: &Path) -> anyhow::Result<usize> {
    let mut files = [
        "issues.jsonl",
        "wisps.jsonl",
        "journal.jsonl",
        "config.yaml",
    ]
    .map(|name| (name, beads.join(name)))
    .to_vec();
    files.push(("config.json", settings.to_owned()));
    let mut count = 0;
    for (name, from) in files {
        if let Some(bytes) = file::read_file_if_exists(&from)? {
            file::create_folder(folder, 0o700)?;
            file::replace_file_relaxed(&folder.join(name), &bytes, 0o600)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Writes the refs of saved work to a bundle. Returns their number.
fn bundle_rescue_refs(rig: &crate::town::Rig, folder: &Path) -> anyhow::Result<usize> {
    let git = rig.git();
    let refs = git
        .plumbing(["for-each-ref", "--format=%(refname)", "refs/gt/"])
        .text()?;
    let count = refs.lines().count();
    if count > 0 {
        file::create_folder(folder, 0o700)?;
        let path = folder.join("saved-work.bundle");
        git.plumbing(["bundle", "create", "--quiet"])
            .args([path.as_os_str()])
            .args(refs.lines())
            .run()?;
    }
    Ok(count)
}

/// Removes all but the last backups, and the remains of killed ones.
fn remove_old_backups(all: &Path) -> anyhow::Result<usize> {
    let mut folders: Vec<_> = std::fs::read_dir(all)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort_by_key(|path| (!is_part_of_backup(path), path.clone()));
    let parts = folders
        .iter()
        .filter(|path| is_part_of_backup(path))
        .count();
    let old = (folders.len() - parts).saturating_sub(MAX_BACKUPS);
    for path in &folders[..parts + old] {
        std::fs::remove_dir_all(path)?;
    }
    Ok(old)
}

/// Returns true for the hidden folder of a backup that was killed.
fn is_part_of_backup(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
