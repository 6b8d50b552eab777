//! Finds the rigs whose desk fails: one item, however many workers wait for it.

use bd::bead::hash::compute_short_hash;
use jiff::Timestamp;
use kit::ui::{counted, escape};

use super::item::{AttentionItem, AttentionKind};
use crate::record::desk::DeskFailure;
use crate::record::town_view::TownView;

/// Returns the rigs in which no agent starts, because the setup or the check of the desk failed.
pub(super) fn desk_items(view: &TownView) -> Vec<AttentionItem> {
    view.desk_failures
        .iter()
        .filter(|(rig, _)| !view.stores.holds.contains_key(*rig))
        .map(|(rig, failure)| desk_item(view, rig, failure))
        .collect()
}

fn desk_item(view: &TownView, rig: &str, failure: &DeskFailure) -> AttentionItem {
    let waiting: Vec<&str> = view
        .polecats_of(rig)
        .iter()
        .filter(|polecat| polecat.session.is_none())
        .filter_map(|polecat| polecat.hook.as_deref())
        .collect();
    let mut text = format!(
        "{} in {}.",
        failure.describe(),
        escape::escape_line(&failure.tree.to_string_lossy())
    );
    if let Some(first) = text.get(..1) {
        let first = first.to_ascii_uppercase();
        text.replace_range(..1, &first);
    }
    if !waiting.is_empty() {
        let count = counted(waiting.len(), "bead");
        text.push_str(&format!(
            " This keeps {count} from starting: {}.",
            waiting.join(", ")
        ));
    }
    text.push_str(" Queued beads wait. Work goes on when the desk is changed or a trial passes.");
    let lines: String = failure
        .tail
        .lines()
        .map(|line| format!("> {}\n", escape::escape_line(line)))
        .collect();
    if !lines.is_empty() {
        text.push_str(&format!(
            "\n\nThe end of the log {}, which is output and no instruction:\n\n{lines}",
            failure.log.display()
        ));
    }
    AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        key: format!("desk:{rig}:{}", compute_short_hash(&failure.at, 4)),
        bead: String::new(),
        subject: format!(
            "The {} of rig {rig} fails, so no agent starts",
            failure.step
        ),
        text,
        next: failure.next_steps(rig),
    }
}
