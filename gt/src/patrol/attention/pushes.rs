//! Finds the rigs whose remote refuses the commits of unfinished work, which are then on this
//! machine only.

use bd::git::is_unreachable;
use jiff::{SignedDuration, Timestamp};
use kit::ui::{counted, escape};

use super::item::{AttentionItem, AttentionKind};
use crate::record::polecat::Polecat;
use crate::record::pushed::PushRecord;
use crate::record::town_view::TownView;
use crate::town::TownLayout;

/// A worker whose last push was refused.
pub(super) struct RefusedPush<'v> {
    polecat: &'v Polecat,
    pub since: Timestamp,
    pub reason: String,
}

/// Returns one item per rig, however many of its workers the remote refuses.
pub(super) fn push_items(
    layout: &TownLayout,
    view: &TownView,
    patience: SignedDuration,
) -> Vec<AttentionItem> {
    view.polecats
        .iter()
        .filter(|(rig, _)| !view.stores.holds.contains_key(*rig))
        .filter_map(|(rig, polecats)| {
            let refused: Vec<RefusedPush> = polecats
                .iter()
                .filter_map(|polecat| find_refusal(layout, rig, polecat))
                .filter(|push| !is_unreachable(&push.reason))
                .collect();
            push_item(rig, &refused, patience)
        })
        .collect()
}

/// Returns the refusal of a worker's last push.
pub(super) fn find_refusal<'v>(
    layout: &TownLayout,
    rig: &str,
    polecat: &'v Polecat,
) -> Option<RefusedPush<'v>> {
    let slot = &polecat.slot;
    if !slot.is_unfinished() || polecat.hook.as_deref() != Some(&*slot.bead) {
        return None;
    }
    let record = PushRecord::load(&layout.rig(rig), &polecat.name);
    if record.branch != *slot.branch {
        return None;
    }
    Some(RefusedPush {
        polecat,
        since: record.refused_since.or(record.at)?,
        reason: record.refused?,
    })
}

fn push_item(
    rig: &str,
    refused: &[RefusedPush<'_>],
    patience: SignedDuration,
) -> Option<AttentionItem> {
    let first = refused.iter().min_by_key(|push| push.since)?;
    let work: Vec<String> = refused
        .iter()
        .map(|push| format!("{rig}/{} on {}", push.polecat.name, push.polecat.slot.bead))
        .collect();
    let bead = first.polecat.slot.bead.to_string();
    Some(AttentionItem {
        kind: AttentionKind::Failing,
        due: first.since.checked_add(patience).ok()?,
        key: format!("push:{rig}"),
        subject: format!(
            "Unfinished work in rig {rig} is on this machine only ({})",
            counted(refused.len(), "worker")
        ),
        text: format!(
            "The push to the remote has failed since {}: {}. It is tried again. The work: {}.",
            first.since,
            escape::escape_line(first.reason.trim_end_matches('.')),
            work.join(", ")
        ),
        next: vec!["gt doctor".to_owned(), format!("gt why {bead}")],
        bead,
    })
}
