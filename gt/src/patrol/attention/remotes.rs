//! Finds the rigs whose remote cannot be reached: one cause, however much work waits for it.

use bd::git::is_unreachable;
use jiff::{SignedDuration, Timestamp};
use kit::ui::{counted, escape};

use super::super::memory::PatrolMemory;
use super::item::{AttentionItem, AttentionKind, REMOTE_KEY};
use super::pushes::find_refusal;
use crate::flow::place::sync;
use crate::record::merge_request;
use crate::record::polecat::Polecat;
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::name::Worker;

/// A failed contact with the remote of a rig.
struct FailedContact {
    since: Timestamp,
    reason: String,
    /// The work that waits.
    waiting: String,
    /// The key of the item about that work alone.
    key: String,
    /// The command that tries it again at once, and the one that explains it.
    next: Vec<String>,
    bead: String,
    next_try: Option<Timestamp>,
}

/// Replaces the items about single work that waits for the remote of a rig with one item.
pub(super) fn join_remote_failures(
    layout: &TownLayout,
    view: &TownView,
    rig: &str,
    items: &mut Vec<AttentionItem>,
    patience: SignedDuration,
) {
    let failed = find_failed_contacts(layout, view, rig);
    items.retain(|item| failed.iter().all(|contact| contact.key != item.key));
    items.extend(build_item(layout, rig, &failed, patience));
}

fn find_failed_contacts(layout: &TownLayout, view: &TownView, rig: &str) -> Vec<FailedContact> {
    let polecats = view.polecats_of(rig);
    let mut failed = find_failed_requests(layout, view, rig);
    failed.extend(
        polecats
            .iter()
            .filter_map(|polecat| find_failed_done(layout, view, polecat)),
    );
    failed.extend(polecats.iter().filter_map(|polecat| {
        let push = find_refusal(layout, rig, polecat)?;
        let bead = polecat.slot.bead.to_string();
        Some(FailedContact {
            since: push.since,
            reason: push.reason,
            waiting: format!("the push of {rig}/{} on {bead}", polecat.name),
            key: String::new(),
            next: vec![format!("gt why {bead}")],
            bead,
            next_try: None,
        })
    }));
    if let Some((since, reason)) = sync::find_failure(layout, rig) {
        failed.push(FailedContact {
            since,
            reason,
            waiting: "the sync of its beads".to_owned(),
            key: String::new(),
            next: Vec::new(),
            bead: String::new(),
            next_try: None,
        });
    }
    failed.retain(|contact| is_unreachable(&contact.reason));
    failed
}

fn find_failed_requests(layout: &TownLayout, view: &TownView, rig: &str) -> Vec<FailedContact> {
    let Some(beads) = view.stores.rigs.get(rig) else {
        return Vec::new();
    };
    let next_try = PatrolMemory::next_queue_run(layout, rig, view.now);
    merge_request::requests_with_findings(beads)
        .filter(|request| {
            merge_request::reason_for_user(request).is_none()
                && merge_request::awaited_pull_request(request).is_none()
                && merge_request::gate_that_cannot_run(request).is_none()
        })
        .filter_map(|request| {
            let (since, reason) = merge_request::failing_since(request)?;
            let id = &request.id;
            let bead = merge_request::source_bead_of(request);
            Some(FailedContact {
                since: since.parse().ok()?,
                reason,
                waiting: format!("{id} ({bead})"),
                key: format!("merging:{id}"),
                next: vec![format!("gt mq retry {id}"), format!("gt why {bead}")],
                bead,
                next_try,
            })
        })
        .collect()
}

fn find_failed_done(
    layout: &TownLayout,
    view: &TownView,
    polecat: &Polecat,
) -> Option<FailedContact> {
    let slot = &polecat.slot;
    let bead = polecat.hook.clone().filter(|hook| *hook == slot.bead)?;
    let done = slot.state.done_record()?;
    let failed = done.failed.as_ref()?;
    if !failed.retry || slot.state.stuck_reason().is_some() {
        return None;
    }
    let short = format!("{}/{}", polecat.rig, polecat.name);
    let worker = Worker::new(polecat.rig.as_str(), polecat.name.as_str());
    Some(FailedContact {
        since: done.since.parse().ok()?,
        reason: failed.reason.clone(),
        waiting: format!("{short}, which hands in {bead}"),
        key: format!("done:{bead}:{}", slot.lease),
        next: vec![
            format!("gt polecat retry {short}"),
            format!("gt why {bead}"),
        ],
        bead,
        next_try: PatrolMemory::next_done(layout, worker, view.now),
    })
}

fn build_item(
    layout: &TownLayout,
    rig: &str,
    failed: &[FailedContact],
    patience: SignedDuration,
) -> Option<AttentionItem> {
    const MAX_NAMED: usize = 3;
    let first = failed.iter().min_by_key(|contact| contact.since)?;
    let reason = escape::escape_line(first.reason.trim_end_matches('.'));
    let since = first.since;
    let next_try = failed
        .iter()
        .filter_map(|contact| contact.next_try)
        .min()
        .map_or_else(
            || "It is tried again".to_owned(),
            |at| format!("The next try is at {at:.0}"),
        );
    let mut waiting: Vec<&str> = failed
        .iter()
        .take(MAX_NAMED)
        .map(|contact| contact.waiting.as_str())
        .collect();
    let others = counted(failed.len().saturating_sub(MAX_NAMED), "other");
    if failed.len() > MAX_NAMED {
        waiting.push(&others);
    }
    let repository = layout.rig(rig).repo();
    let repository = escape::quote_for_shell(&repository.to_string_lossy());
    let check = format!("git -C {repository} ls-remote origin HEAD");
    Some(AttentionItem {
        kind: AttentionKind::Failing,
        due: first.since.checked_add(patience).ok()?,
        key: format!("{REMOTE_KEY}{rig}"),
        subject: format!("The remote of rig {rig} cannot be reached"),
        text: format!(
            "It has not been reached since {since:.0}: {reason}. {next_try}. Waiting: {}.",
            waiting.join(", ")
        ),
        next: [check].into_iter().chain(first.next.clone()).collect(),
        bead: first.bead.clone(),
    })
}
