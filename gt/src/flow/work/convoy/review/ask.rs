//! Runs the review hooks of every rig with beads in the convoy.

use std::sync::atomic::Ordering;

use bd::bead::Bead;

use super::{BeadsByRig, PendingDecision, ReviewError, ReviewRequest, ReviewState};
use crate::flow::place::town_hook::{
    self, TownHookCall, TownHookEvent, TownHookRun, TownHookVerdict,
};
use crate::flow::work::convoy::decision::HookDecision;
use crate::town::beads::{BeadsHome, TownStores, UnknownBead};
use crate::town::{Rig, Town};

/// Returns true if any hook reviews these beads.
pub(super) fn has_hooks(town: &Town, beads: &[String]) -> anyhow::Result<bool> {
    let has_hooks_in =
        |rig: Option<&Rig>| town_hook::has_event_hooks(&town.layout, rig, TownHookEvent::PreConvoy);
    if has_hooks_in(None) {
        return Ok(true);
    }
    let rigs: Vec<Rig> = town
        .list_rigs()?
        .into_iter()
        .filter(|rig| has_hooks_in(Some(rig)))
        .collect();
    for rig in rigs {
        let snapshot = rig.store()?.snapshot()?;
        if beads.iter().any(|id| snapshot.get(id).is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The answer of all hooks to a request.
#[derive(Debug)]
pub(super) enum HooksAnswer {
    Approved {
        /// Warnings for the user.
        warnings: Vec<String>,
    },
    Refused(ReviewError),
}

/// Runs the hooks of each rig without a decision, and adds their decisions. The first refusal ends
/// the run.
pub(super) fn ask_hooks(town: &Town, request: &mut ReviewRequest) -> anyhow::Result<HooksAnswer> {
    let stores = town.read_stores()?;
    let groups = group_beads(&stores, &request.new.beads)?;
    let spec = spec_of(request, &groups);
    let mut warnings = Vec::new();
    for (rig, beads) in &groups {
        if let Some(known) = request.decisions.iter_mut().find(|known| known.rig == *rig) {
            for bead in beads {
                known.keep_bead_keys(bead);
            }
            continue;
        }
        let home = match rig.as_str() {
            "" => BeadsHome::Town,
            rig => BeadsHome::Rig(rig.to_owned()),
        };
        let layout = (!rig.is_empty()).then(|| town.rig(rig));
        let call = TownHookCall {
            rig: layout.as_ref(),
            convoy: request.new.title.clone(),
            spec: spec.clone(),
            issues: beads.iter().map(|bead| bead.id.clone()).collect(),
            about: vec![
                ("convoy", request.convoy.clone()),
                ("request", request.id.clone()),
            ],
            ..TownHookCall::default()
        };
        let report = town_hook::run_event_hooks(town, TownHookEvent::PreConvoy, &call);
        warnings.extend(report.warnings.iter().cloned());
        let mut decision = HookDecision::for_home(&home);
        for ran in &report.runs {
            decision.add(&ran.answer)?;
        }
        for bead in beads {
            decision.keep_bead_keys(bead);
        }
        drop_foreign_overrides(&mut decision, beads, &mut warnings);
        if let Some(ran) = report.refusal() {
            let refusal = handle_refusal(town, request, decision, ran)?;
            return Ok(HooksAnswer::Refused(refusal));
        }
        request.decisions.push(decision);
    }
    Ok(HooksAnswer::Approved { warnings })
}

/// Handles a refusal: the request is deferred to the user or ends.
fn handle_refusal(
    town: &Town,
    request: &mut ReviewRequest,
    decision: HookDecision,
    ran: &TownHookRun,
) -> anyhow::Result<ReviewError> {
    let hook = ran.hook.clone();
    let reason = ran.reason.clone();
    let stopping = town.stop.load(Ordering::Relaxed);
    // A request with an answer is deferred again instead of being discarded.
    let answered = request.state == ReviewState::Approved && !stopping;
    let to_a_person = ran.verdict == TownHookVerdict::Deferred
        || (ran.verdict == TownHookVerdict::Broken && answered);
    if !to_a_person {
        return Ok(match ran.verdict {
            TownHookVerdict::Rejected => ReviewError::Rejected { hook, reason },
            _ => ReviewError::Broken { hook, reason },
        });
    }
    request.pending = Some(PendingDecision {
        decision,
        hook: hook.clone(),
        reason: reason.clone(),
    });
    request.defer(town)?;
    Ok(ReviewError::Deferred {
        request: request.id.clone(),
        hook,
        reason,
    })
}

/// Drops overrides for beads outside the convoy, with a warning.
fn drop_foreign_overrides(
    decision: &mut HookDecision,
    beads: &[&Bead],
    warnings: &mut Vec<String>,
) {
    decision.own.retain(|id, _| {
        let known = beads.iter().any(|bead| bead.id == *id);
        if !known {
            let id = kit::ui::escape::escape_line(id);
            warnings.push(format!(
                "an override names {id}, which is not in the convoy"
            ));
        }
        known
    });
}

/// Groups the beads by rig. Each bead must exist.
pub(super) fn group_beads<'a>(
    stores: &'a TownStores,
    ids: &[String],
) -> anyhow::Result<BeadsByRig<'a>> {
    let mut groups = BeadsByRig::new();
    for id in ids {
        let bead = stores
            .get(id)
            .filter(|bead| !bead.is_tombstone())
            .ok_or_else(|| UnknownBead { id: id.clone() })?;
        let rig = stores.rig_of(id).unwrap_or("").to_owned();
        groups.entry(rig).or_default().push(bead);
    }
    if groups.is_empty() {
        groups.insert(String::new(), Vec::new());
    }
    Ok(groups)
}

/// Returns the convoy's purpose: its specification, otherwise the texts of its beads.
fn spec_of(request: &ReviewRequest, groups: &BeadsByRig) -> String {
    if !request.spec.trim().is_empty() {
        return request.spec.clone();
    }
    let mut text = format!("{}\n", request.new.title.trim());
    for bead in groups.values().flatten() {
        let (_, description) = bd::bead::fields::split_front_matter(&bead.description);
        text.push_str(&format!(
            "\n## {}: {}\n\n{}\n",
            bead.id,
            bead.title,
            description.trim()
        ));
    }
    text
}
