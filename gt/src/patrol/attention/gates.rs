//! Reports the gates of beads that cannot open any more.

use bd::bead::hash::compute_short_hash;
use jiff::Timestamp;
use kit::ui::escape;

use super::super::gates::{self, FailedGate};
use super::item::{AttentionItem, AttentionKind};
use crate::record::town_view::TownView;
use crate::town::TownLayout;

/// Returns the gates that cannot open any more.
pub fn gate_items(layout: &TownLayout, view: &TownView) -> Vec<AttentionItem> {
    gates::find_failed_gates(layout, view)
        .into_iter()
        .map(build_item)
        .collect()
}

fn build_item(failed: FailedGate) -> AttentionItem {
    let FailedGate { gate, bead, reason } = failed;
    AttentionItem {
        key: format!("bead-gate:{gate}:{}", compute_short_hash(&reason, 3)),
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        subject: format!("The gate {gate} of {bead} cannot open"),
        text: format!(
            "{}. {bead} waits for it.",
            escape::escape_line(reason.trim_end_matches('.'))
        ),
        next: vec![
            format!("bd gate resolve {gate} --reason \"<why {bead} may go on>\""),
            format!("bd close {bead} --reason \"<why it is not needed>\""),
            format!("gt why {bead}"),
        ],
        bead,
    }
}
