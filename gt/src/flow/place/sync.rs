//! Syncs the town's beads with their branches: does for every store automatically what `bd sync
//! --full` does by hand.
//!
//! A store without changes costs a check of three files and no process. A failure is reported once,
//! even if it repeats, and each retry waits longer.

use std::path::PathBuf;
use std::time::Duration;

use bd::config::Config;
use bd::git::{Identity, is_unreachable};
use bd::store::{Snapshot, Store};
use bd::sync::{self, SyncPlace, SyncReport, SyncRequest};
use jiff::{SignedDuration, Timestamp};
use kit::sys::file;
use serde::{Deserialize, Serialize};

use crate::flow::place::discovery;
use crate::flow::place::rig::check_remote;
use crate::record;
use crate::town::beads::TownStores;
use crate::town::lock::LockError;
use crate::town::{Town, TownLayout};

/// The time after which earlier failures no longer count.
const FAILURE_MEMORY: SignedDuration = SignedDuration::from_mins(64);
/// The time limit for the remote. Short, because the next try comes soon.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(20);

/// A store with changes for its branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncState {
    /// The rig. None for the town's own beads.
    pub rig: Option<String>,
    /// The time since the last write.
    pub rest: SignedDuration,
    /// The age of the oldest change.
    pub waits: SignedDuration,
    /// The time since the last try.
    pub since: Option<SignedDuration>,
    /// The number of failed tries in a row.
    pub failures: u32,
    /// True if the changes are committed and not pushed.
    pub unpushed: bool,
    /// True if a convoy has landed since the last try.
    pub landed: bool,
}

/// The record of a store between two tries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct SyncRecord {
    at: Timestamp,
    #[serde(default)]
    failures: u32,
    /// The time of the first failure in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failing_since: Option<Timestamp>,
    #[serde(default)]
    unpushed: bool,
    /// The failure that was reported last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<String>,
}

impl SyncRecord {
    /// Returns the number of failures in a row at `now`. Old failures do not count.
    fn failures_at(&self, now: Timestamp) -> u32 {
        let age = now.duration_since(self.at).abs();
        if age > FAILURE_MEMORY {
            return 0;
        }
        self.failures
    }
}

/// Returns the stores with changes for their branches. Only reads, and starts no process.
pub fn facts(town: &Town, stores: &TownStores, now: Timestamp) -> Vec<SyncState> {
    let rigs = stores.rigs.keys().map(|rig| Some(rig.as_str()));
    std::iter::once(None)
        .chain(rigs)
        .filter_map(|rig| store_facts(town, &stores.town, rig, now))
        .collect()
}

fn is_on(config: &Config) -> bool {
    config.flag("daemon.auto-sync") && config.sync_branch().is_some()
}

fn store_facts(
    town: &Town,
    convoys: &Snapshot,
    rig: Option<&str>,
    now: Timestamp,
) -> Option<SyncState> {
    let store = open_store(town, rig).ok()?;
    let record = load_record(&town.layout, rig);
    let unpushed = record.as_ref().is_some_and(|record| record.unpushed);
    if !store.has_changes_since_base() && !unpushed {
        return None;
    }
    // Invalid settings are reported where they are used.
    let config = Config::from_dir(store.dir()).ok()?;
    if !is_on(&config) || !SyncPlace::is_own(store.dir()) {
        return None;
    }
    let at = record.as_ref().map(|record| record.at);
    let changed = Timestamp::from_second(store.last_changed()).unwrap_or(now);
    Some(SyncState {
        rig: rig.map(str::to_owned),
        // A time in the future comes from another clock.
        rest: now.duration_since(changed).abs(),
        waits: store
            .oldest_waiting_change()
            .map_or(SignedDuration::ZERO, |at| now.duration_since(at)),
        since: at.map(|at| now.duration_since(at).abs()),
        failures: record.as_ref().map_or(0, |record| record.failures_at(now)),
        unpushed: unpushed && !store.has_changes_since_base(),
        landed: has_landed_since(convoys, at),
    })
}

/// Returns true if a convoy landed after `at`.
fn has_landed_since(convoys: &Snapshot, at: Option<Timestamp>) -> bool {
    record::convoy::list_convoys(convoys, true)
        .iter()
        .any(|convoy| {
            let closed = convoy.closed_at.as_ref();
            closed.is_some_and(|closed| at.is_none_or(|at| closed.instant() > at))
        })
}

/// Syncs one store with its branch and describes the result. None if nothing changed, or if the
/// failure was reported before.
pub fn sync_beads(town: &Town, rig: Option<&str>) -> anyhow::Result<Option<String>> {
    let before = load_record(&town.layout, rig).unwrap_or_default();
    let synced = sync_store(town, rig);
    let failure = match &synced {
        Ok(synced) => match &synced.unpushed {
            Some(reason) => Some(format!(
                "committed to {}, and not pushed: {reason}",
                synced.branch
            )),
            None => send_documents(town, rig)
                .err()
                .map(|error| format!("discovery documents are not pushed: {error:#}")),
        },
        Err(error) => Some(format!("{error:#}")),
    };
    let now = town.clock.now();
    let record = SyncRecord {
        at: now,
        failures: failure.as_ref().map_or(0, |_| before.failures_at(now) + 1),
        failing_since: failure.as_ref().map(|reason| {
            // A failure of another kind begins anew.
            let is_same = before
                .told
                .as_ref()
                .is_some_and(|told| is_unreachable(told) == is_unreachable(reason));
            before.failing_since.filter(|_| is_same).unwrap_or(now)
        }),
        unpushed: failure.is_some(),
        told: failure.clone(),
    };
    save_record(&town.layout, rig, &record)?;
    match (failure, synced) {
        (failure @ Some(_), _) if failure == before.told => Ok(None),
        (Some(failure), _) => Err(anyhow::anyhow!(failure)),
        (None, synced) => Ok(synced.ok().and_then(|synced| describe_sync(&synced))),
    }
}

/// Returns the failure of the last sync of a rig, and the time of the first failure of that cause in
/// a row. `None` if the sync is off, so that nothing tries it again.
pub fn find_failure(layout: &TownLayout, rig: &str) -> Option<(Timestamp, String)> {
    let record = load_record(layout, Some(rig))?;
    let config = Config::from_dir(&layout.rig(rig).beads()).ok()?;
    if !is_on(&config) {
        return None;
    }
    Some((record.failing_since?, record.told?))
}

/// Pushes the discovery documents of a rig to its origin.
fn send_documents(town: &Town, rig: Option<&str>) -> anyhow::Result<()> {
    let Some(rig) = rig.map(|rig| town.rig(rig)) else {
        return Ok(());
    };
    let config = Config::from_dir(&rig.beads())?;
    let git = rig.git().with_network(NETWORK_TIMEOUT);
    let may_push = config.flag("daemon.auto-push") && config.can_push();
    if !may_push || !discovery::is_sent(&rig) || !check_remote(&rig)? {
        return Ok(());
    }
    discovery::send_all(&git, &discovery::machine_identity(&rig)).map(drop)
}

fn sync_store(town: &Town, rig: Option<&str>) -> anyhow::Result<SyncReport> {
    let store = open_store(town, rig)?;
    let config = Config::from_dir(store.dir())?;
    let actor = Identity {
        name: town.actor.to_string(),
        email: "beads@gastown.local".to_owned(),
    };
    let request = SyncRequest {
        network: NETWORK_TIMEOUT,
        store: &store,
        config: &config,
        author: sync::choose_author(&config, store.dir(), &town.env, actor),
        message: None,
        pull: true,
        push: config.flag("daemon.auto-push") && config.can_push(),
        clock: &town.clock,
        random: &town.random,
    };
    Ok(sync::sync_store(&request)?)
}

fn describe_sync(synced: &SyncReport) -> Option<String> {
    if !synced.committed && synced.received == 0 {
        return None;
    }
    let pushed = match &synced.remote {
        Some(remote) if synced.pushed => format!(", pushed to {remote}"),
        _ => String::new(),
    };
    Some(format!(
        "{} committed to {}, {} changed by others{pushed}",
        kit::ui::counted(synced.sent, "bead"),
        synced.branch,
        synced.received
    ))
}

fn open_store(town: &Town, rig: Option<&str>) -> anyhow::Result<Store> {
    match rig {
        Some(rig) => town.rig(rig).store(),
        None => town.open_town_store(),
    }
}

fn record_path(layout: &TownLayout, rig: Option<&str>) -> PathBuf {
    layout.sync_state(rig)
}

fn load_record(layout: &TownLayout, rig: Option<&str>) -> Option<SyncRecord> {
    let text = file::read_file_if_exists(&record_path(layout, rig)).ok()??;
    serde_json::from_slice(&text).ok()
}

fn save_record(
    layout: &TownLayout,
    rig: Option<&str>,
    record: &SyncRecord,
) -> Result<(), LockError> {
    let path = record_path(layout, rig);
    let build_error = |source| LockError::Io {
        path: path.clone(),
        source,
    };
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o700).map_err(build_error)?;
    }
    let text = serde_json::to_vec(record).map_err(|error| build_error(error.into()))?;
    file::replace_file_relaxed(&path, &text, 0o600).map_err(build_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_failure_of_yesterday_is_ignored() {
        let record = SyncRecord {
            failures: 3,
            ..SyncRecord::default()
        };
        let after = |minutes| record.failures_at(record.at + SignedDuration::from_mins(minutes));
        assert_eq!((after(60), after(24 * 60)), (3, 0));
    }
}
