//! Merges the status group, which is one value: the status, the closing time and all deletion
//! fields.
//!
//! These fields have no meaning on their own (a closed bead has a closing time, any other bead has
//! none), so they are taken together from one side. If both sides changed the group, there is a
//! conflict. A deletion wins over everything else, because a tombstone is how a deletion spreads.
//! The later of two deletions wins. Otherwise the record with the later `updated_at` wins and, in a
//! tie, the larger text. All other fields of the losing side are merged as usual, even into a
//! tombstone. Every edit conflicts with a deletion; the status group of the edited bead is then the
//! losing value. A tombstone that one side revived, while the other left it unchanged, stays
//! revived.
//!
//! The close reason and the closing session belong to the closing. If one side is closed and the
//! other is not, both come from the side whose status group won.

use std::cmp::Ordering;

use super::record::{BeadSides, MergeFields, ReportLoss, ValueSides, parse_instant};

/// The fields of the status group.
const STATUS_GROUP: [&str; 6] = [
    "status",
    "closed_at",
    "deleted_at",
    "deleted_by",
    "delete_reason",
    "original_type",
];

/// The fields that describe a closing.
const CLOSING_FIELDS: [&str; 2] = ["close_reason", "closed_by_session"];

/// Returns true if this module merges the field.
pub(super) fn is_status_field(name: &str) -> bool {
    STATUS_GROUP.contains(&name) || CLOSING_FIELDS.contains(&name)
}

/// Sets the fields of the status group and of the closing.
pub(super) fn merge_status_fields(
    sides: &BeadSides,
    merged: &mut MergeFields,
    report: ReportLoss<'_>,
) {
    let (winner, loser) = choose_side(sides);
    let stays_deleted = find_edited_side(sides, winner);
    for name in STATUS_GROUP {
        let value = winner.get(name);
        merged.set(name, value);
        if let Some(live_value) = stays_deleted.map(|live| live.get(name)) {
            if live_value.is_some() && live_value != value {
                report(name.to_owned(), live_value.map(str::to_owned));
            }
            continue;
        }
        report_loser(sides, loser, name, value, report);
    }
    let live = !is_tombstone(&sides.left) && !is_tombstone(&sides.right);
    let one_closed = is_closed(&sides.left) != is_closed(&sides.right);
    for name in CLOSING_FIELDS {
        if live && one_closed {
            let value = winner.get(name);
            merged.set(name, value);
            let other = if std::ptr::eq(winner, &raw const sides.left) {
                &sides.right
            } else {
                &sides.left
            };
            report_loser(sides, Some(other), name, value, report);
            continue;
        }
        let three = ValueSides {
            base: sides.base.get(name),
            left: sides.left.get(name),
            right: sides.right.get(name),
        };
        let (value, lost) = three.pick(false, sides.newer);
        merged.set(name, value);
        if let Some(lost) = lost {
            report(name.to_owned(), lost.map(str::to_owned));
        }
    }
}

/// Reports a value that the losing side had set.
fn report_loser(
    sides: &BeadSides,
    loser: Option<&MergeFields>,
    name: &str,
    winning: Option<&str>,
    report: ReportLoss<'_>,
) {
    let Some(loser) = loser else {
        return;
    };
    let value = loser.get(name);
    if value != winning && value != sides.base.get(name) {
        report(name.to_owned(), value.map(str::to_owned));
    }
}

/// Returns the side that edited the bead while the other one deleted it, if the deletion wins.
fn find_edited_side<'a>(sides: &'a BeadSides, winner: &MergeFields) -> Option<&'a MergeFields> {
    [&sides.left, &sides.right]
        .into_iter()
        .filter(|side| is_tombstone(winner) && !is_tombstone(side))
        .find(|side| side.is_edit_of(&sides.base))
}

/// Returns the side whose status group wins and, in a true conflict, the losing side.
fn choose_side(sides: &BeadSides) -> (&MergeFields, Option<&MergeFields>) {
    let base = &sides.base;
    let left = &sides.left;
    let right = &sides.right;
    match (is_same(left, base), is_same(right, base)) {
        // The group is unchanged, or only the same instants have another spelling.
        (true, true) if status_texts(left) == status_texts(base) => (right, None),
        (true, true) if status_texts(right) == status_texts(base) => (left, None),
        (true, false) => (right, None),
        (false, true) => (left, None),
        _ if is_same(left, right) => (order_by_text(left, right).0, None),
        _ => resolve_conflict(sides),
    }
}

fn resolve_conflict(sides: &BeadSides) -> (&MergeFields, Option<&MergeFields>) {
    let left = &sides.left;
    let right = &sides.right;
    let (won, lost) = match (is_tombstone(left), is_tombstone(right)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        (true, true) => order_pair(deletion_time(left).cmp(&deletion_time(right)), left, right),
        (false, false) => order_pair(sides.newer, left, right),
    };
    (won, Some(lost))
}

fn order_pair<'a>(
    order: Ordering,
    left: &'a MergeFields,
    right: &'a MergeFields,
) -> (&'a MergeFields, &'a MergeFields) {
    match order {
        Ordering::Less => (right, left),
        Ordering::Equal => order_by_text(left, right),
        Ordering::Greater => (left, right),
    }
}

fn order_by_text<'a>(
    left: &'a MergeFields,
    right: &'a MergeFields,
) -> (&'a MergeFields, &'a MergeFields) {
    if status_texts(left) < status_texts(right) {
        (right, left)
    } else {
        (left, right)
    }
}

fn status_texts(fields: &MergeFields) -> [Option<&str>; 6] {
    STATUS_GROUP.map(|name| fields.get(name))
}

fn is_same(a: &MergeFields, b: &MergeFields) -> bool {
    STATUS_GROUP.iter().all(|name| {
        let a = a.get(name);
        let b = b.get(name);
        let time = name.ends_with("_at") && a.and_then(parse_instant).is_some();
        a == b || time && a.and_then(parse_instant) == b.and_then(parse_instant)
    })
}

fn deletion_time(fields: &MergeFields) -> Option<jiff::Timestamp> {
    fields.get("deleted_at").and_then(parse_instant)
}

fn is_tombstone(fields: &MergeFields) -> bool {
    fields.get("status") == Some("\"tombstone\"")
}

fn is_closed(fields: &MergeFields) -> bool {
    fields.get("status") == Some("\"closed\"")
}
