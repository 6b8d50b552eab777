//! Slings several beads at once: the named ones, and the members of epics and convoys among them.
//!
//! 1. `check_batch`: every named bead must be open and its target must exist, before anything is
//!    changed.
//! 2. `ensure_batch_convoy`: the named beads that no convoy tracks get one convoy, so that each
//!    worker is briefed with the results of the others.
//! 3. Claim one bead after the other, then start the sessions in parallel. If the daemon runs, more
//!    beads than it starts at once are only queued, so that a sling of a hundred answers at once.

use std::collections::BTreeMap;

use super::claim::check_open;
use super::enqueue::enqueue_beads;
use super::family::{claim_member, read_family};
use super::{
    SlingOptions, SlingProgress, SlingReport, SlingRequest, SlingTarget, SlingTurn, begin_sling,
    expand_family, is_convoy_reviewed, resolve_target,
};
use crate::flow::work::convoy;
use crate::host::LiveTown;
use crate::host::daemon::is_daemon_running;
use crate::record;
use crate::record::merge_task::MERGE_LABEL;
use crate::record::pause::TownPause;
use crate::town::Town;
use crate::town::beads::FoundBead;
use crate::town::config::{SettingsError, SettingsLayers};

/// Beads to sling with the same options.
#[derive(Debug, Clone, Default)]
pub struct SlingBatch {
    pub beads: Vec<String>,
    /// The target. Empty for the caller.
    pub target: String,
    pub options: SlingOptions,
}

impl SlingBatch {
    fn request(&self, bead: &str) -> SlingRequest {
        SlingRequest {
            bead: bead.to_owned(),
            target: self.target.clone(),
            options: self.options.clone(),
        }
    }
}

/// Slings the beads with the steps above, and starts as many sessions at once as the patrol does. A
/// member of a family that fails does not stop the others: `warn` gets its reason. If all of them
/// fail, returns the last error.
pub fn sling_batch(
    town: &LiveTown,
    batch: &SlingBatch,
    mut warn: impl FnMut(&str),
) -> anyhow::Result<Vec<SlingReport>> {
    if batch.beads.len() > 1 {
        let named = check_batch(town, batch)?;
        ensure_batch_convoy(town, batch, &named)?;
    }
    let members = list_members(town, batch)?;
    let limit = read_start_limit(town)?;
    let turn = if members.len() > limit && is_patrol_running(town) {
        SlingTurn::InQueue
    } else {
        SlingTurn::Now
    };
    let mut begun = Vec::new();
    let mut failed = None;
    let mut queued = Vec::new();
    for member in members {
        let request = batch.request(&member.id);
        let claim = match &member.family {
            None => begin_sling(town, &request, turn),
            Some(_) => claim_member(town, &request, turn),
        };
        match claim {
            Ok(SlingProgress::Queued(waiting)) => queued.push(*waiting),
            Err(error) if member.family.is_none() => {
                failed = Some(error);
                break;
            }
            claim => begun.push(BegunMember { member, claim }),
        }
    }
    // Before the sessions start, which takes a while.
    let queued = enqueue_beads(town, queued);
    let slung = finish_all(town, begun, limit, &mut warn);
    // The claimed beads have their sessions by now.
    if let Some(error) = failed {
        return Err(error);
    }
    let mut slung = slung?;
    slung.extend(queued?);
    Ok(slung)
}

/// Returns true if the daemon will sling queued beads. A paused one does not.
fn is_patrol_running(town: &Town) -> bool {
    is_daemon_running(&town.layout) && TownPause::load(&town.layout).is_none()
}

/// Lists the beads to sling: the named ones, and the members of the epics and convoys among them.
fn list_members(town: &LiveTown, batch: &SlingBatch) -> anyhow::Result<Vec<BatchMember>> {
    let mut all = Vec::new();
    for bead in &batch.beads {
        let Some(members) = expand_family(town, bead)? else {
            all.push(BatchMember {
                id: bead.clone(),
                family: None,
            });
            continue;
        };
        anyhow::ensure!(
            !members.is_empty(),
            "{bead} has no open, unassigned beads: nothing to sling"
        );
        let family = Some((bead.clone(), members.len()));
        all.extend(members.into_iter().map(|id| BatchMember {
            id,
            family: family.clone(),
        }));
    }
    Ok(all)
}

/// Returns the number of sessions that are started at once.
fn read_start_limit(town: &Town) -> Result<usize, SettingsError> {
    let limit = SettingsLayers::load(town, None)?.number("patrol.budget.starts");
    Ok(usize::try_from(limit).unwrap_or(usize::MAX).max(1))
}

/// Checks every bead of the batch, and returns those that are slung themselves: epics with children
/// and convoys are replaced by their members later.
fn check_batch(town: &LiveTown, batch: &SlingBatch) -> anyhow::Result<Vec<FoundBead>> {
    let mut named: Vec<FoundBead> = Vec::new();
    for id in &batch.beads {
        let found = town.find_bead(id)?;
        anyhow::ensure!(
            named.iter().all(|other| other.bead.id != found.bead.id),
            "{id} is named twice"
        );
        if read_family(town, &found)?.is_none() {
            let target = resolve_target(town, &batch.target, &found.home)?;
            anyhow::ensure!(
                !matches!(target, SlingTarget::Polecat(..)),
                "{} takes one bead at a time (sling several beads to the rig)",
                batch.target
            );
            check_open(&found.bead, batch.options.force)?;
            named.push(found);
        }
    }
    Ok(named)
}

/// Creates the convoy of the named beads that no convoy tracks, if there are several. A single one
/// gets its own with its claim.
fn ensure_batch_convoy(
    town: &LiveTown,
    batch: &SlingBatch,
    named: &[FoundBead],
) -> anyhow::Result<()> {
    if batch.options.no_convoy {
        return Ok(());
    }
    let convoys = town.open_town_store()?.snapshot()?;
    let untracked: Vec<&FoundBead> = named
        .iter()
        .filter(|found| !found.bead.has_label(MERGE_LABEL))
        .filter(|found| record::convoy::convoys_tracking(&convoys, &found.bead.id).is_empty())
        .collect();
    if untracked.len() < 2 {
        return Ok(());
    }
    let beads: Vec<_> = untracked.iter().map(|found| &found.bead).collect();
    let new = convoy::build_automatic_convoy(&beads);
    let mut is_reviewed = false;
    for found in &untracked {
        is_reviewed |= is_convoy_reviewed(town, &found.home)?;
    }
    if !is_reviewed {
        return convoy::create_convoy(town, &new).map(drop);
    }
    let requests = batch.beads.iter().map(|bead| batch.request(bead));
    let purpose = convoy::review::ConvoyPurpose {
        spec: String::new(),
        then: Some(serde_json::to_value(requests.collect::<Vec<_>>())?),
    };
    convoy::review::create_reviewed_convoy(town, &new, purpose).map(drop)
}

/// A bead of a batch.
struct BatchMember {
    id: String,
    /// The family and its number of beads.
    family: Option<(String, usize)>,
}

/// A bead of a batch with its claim.
struct BegunMember<'t> {
    member: BatchMember,
    claim: anyhow::Result<SlingProgress<'t>>,
}

/// Finishes the claimed slings, several at once, and returns the outcomes in order.
fn finish_all(
    town: &LiveTown,
    begun: Vec<BegunMember>,
    limit: usize,
    warn: &mut impl FnMut(&str),
) -> anyhow::Result<Vec<SlingReport>> {
    let mut slung = Vec::new();
    let mut failures = BTreeMap::new();
    let mut begun = begun.into_iter();
    loop {
        let some: Vec<BegunMember> = begun.by_ref().take(limit).collect();
        if some.is_empty() {
            return Ok(slung);
        }
        for member in finish_some(town, some) {
            let error = match (member.outcome, member.family) {
                (Ok(slung_bead), _) => {
                    slung.push(slung_bead);
                    continue;
                }
                (Err(error), None) => return Err(error),
                (Err(error), Some((family, size))) => {
                    let count: &mut usize = failures.entry(family).or_default();
                    *count += 1;
                    if *count == size {
                        return Err(error);
                    }
                    error
                }
            };
            warn(&format!("{}: {error:#}", member.id));
        }
    }
}

/// A finished member of a batch.
struct MemberOutcome {
    id: String,
    family: Option<(String, usize)>,
    outcome: anyhow::Result<SlingReport>,
}

fn finish_some(town: &LiveTown, members: Vec<BegunMember>) -> Vec<MemberOutcome> {
    std::thread::scope(|scope| {
        let running: Vec<_> = members
            .into_iter()
            .map(|begun| {
                let BegunMember { member, claim } = begun;
                (
                    member.id,
                    member.family,
                    scope.spawn(move || claim.and_then(|begun| begun.finish(town))),
                )
            })
            .collect();
        running
            .into_iter()
            .map(|(id, family, thread)| {
                let outcome = thread.join();
                let outcome =
                    outcome.unwrap_or_else(|_| Err(anyhow::anyhow!("the sling panicked")));
                MemberOutcome {
                    id,
                    family,
                    outcome,
                }
            })
            .collect()
    })
}
