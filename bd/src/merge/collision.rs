//! Resolves the collision of two beads that were created independently under one id.
//!
//! Without a base, a bead is identified by id, `created_at` and `created_by`. Of two beads with the
//! same id, the smaller by (`created_at`, `created_by`) keeps it. The other gets an id computed
//! from its old id and these two values. They never change after the creation, so every clone
//! computes the same id, regardless of edits in the meantime. A child stays below its parent
//! (`bd-a.1` → `bd-a.k3f9a0zq`, which does not affect the numbering). The moved bead keeps the old
//! id under `former_id` in its `metadata`, where every client preserves and shows it, and has a
//! `related` edge to the bead that kept the id, so that showing one bead names the other. The edges
//! of its own side follow.

use std::cmp::Ordering;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::bead::{Bead, Dep, DepKind, id};

/// The `metadata` key of the old id.
const FORMER_ID: &str = "former_id";

/// One second, in nanoseconds.
const SECOND: i128 = 1_000_000_000;

/// A bead that moved to another id.
#[derive(Debug, Clone)]
pub struct MovedBead {
    /// The bead under its new id.
    pub bead: Bead,
    pub from: String,
    /// True if the bead is of the left side, whose edges follow it.
    pub is_left: bool,
}

/// Returns the id that a bead had before another bead took it.
pub fn former_id(bead: &Bead) -> Option<String> {
    let raw = bead.metadata.as_ref()?;
    if !raw.get().contains(FORMER_ID) {
        return None;
    }
    match bead.metadata_object().remove(FORMER_ID)? {
        Value::String(id) => Some(id),
        _ => None,
    }
}

/// Returns true if two records with one id are the same bead: created by the same actor at the same
/// time. Some clients round the time to whole seconds.
pub fn is_same_bead(a: &Bead, b: &Bead) -> bool {
    let [a_at, b_at] = [a, b].map(|bead| bead.created_at.instant().as_nanosecond());
    let is_whole = [a_at, b_at].iter().any(|at| at % SECOND == 0);
    let is_near = is_whole && (a_at - b_at).abs() < SECOND;
    a.created_by == b.created_by && (a_at == b_at || is_near)
}

/// Returns true if both sides have the bead of the base: an id in the base is one bead, regardless
/// of later changes of its record. The id of a deleted bead is free for a new one.
pub(super) fn is_of_base(base: Option<&Bead>, left: &Bead, right: &Bead) -> bool {
    let are_new = !left.is_tombstone() && !right.is_tombstone();
    base.is_some_and(|base| !(base.is_tombstone() && are_new))
}

/// Compares two beads by their creation. The smaller one keeps a shared id.
pub(super) fn compare_identity(a: &Bead, b: &Bead) -> Ordering {
    let key = |bead: &Bead| (bead.created_at.instant(), bead.created_by.clone());
    key(a).cmp(&key(b))
}

/// Returns the bead under its new id.
pub(super) fn move_to_new_id(old: &Bead) -> Bead {
    let to = compute_new_id(old);
    let mut bead = old.clone();
    rename_in_bead(&mut bead, &old.id, &to);
    // A string always converts to JSON.
    bead.set_metadata(FORMER_ID, &old.id).ok();
    bead.dependencies.push(Dep {
        issue_id: to,
        depends_on_id: old.id.clone(),
        kind: DepKind::Related,
        created_at: bead.created_at.clone(),
        created_by: bead.created_by.clone(),
        ..Dep::default()
    });
    bead.dependencies
        .sort_by(|a, b| a.created_at.cmp(&b.created_at));
    bead
}

/// Changes the id of a bead if it is the old one, and redirects its edges to the new id.
pub(super) fn rename_in_bead(bead: &mut Bead, from: &str, to: &str) {
    if bead.id == from {
        to.clone_into(&mut bead.id);
        for edge in &mut bead.dependencies {
            to.clone_into(&mut edge.issue_id);
        }
        for comment in &mut bead.comments {
            to.clone_into(&mut comment.issue_id);
        }
    }
    for edge in &mut bead.dependencies {
        if edge.depends_on_id == from {
            to.clone_into(&mut edge.depends_on_id);
        }
    }
}

/// Computes the id of a bead that moves because another bead keeps its id.
pub(crate) fn compute_new_id(bead: &Bead) -> String {
    let seed = format!(
        "{}\n{}\n{}",
        bead.id,
        bead.created_at.instant().as_nanosecond(),
        bead.created_by
    );
    let digest = Sha256::digest(seed.as_bytes());
    let tail = encode_hash_part(&digest);
    let old = bead.id.as_str();
    let name = old.rfind('-').map_or(0, |at| at + 1);
    match old[name..].rfind('.') {
        Some(dot) => format!("{}.{tail}", &old[..name + dot]),
        None => format!("{}-{tail}", id::prefix_of(old).unwrap_or(old)),
    }
}

/// Returns eight base36 characters: a letter, so that the part is not a child's number; a digit, so
/// that it is recognized as a hash; and six more.
fn encode_hash_part(digest: &[u8]) -> String {
    let number = digest
        .iter()
        .take(8)
        .fold(0u64, |sum, byte| (sum << 8) | u64::from(*byte));
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let sizes = [26usize, 10, 36, 36, 36, 36, 36, 36];
    let mut rest = number;
    sizes
        .iter()
        .enumerate()
        .map(|(at, size)| {
            let size = *size as u64;
            let digit = usize::try_from(rest % size).unwrap_or(0);
            rest /= size;
            char::from(digits[if at == 0 { digit + 10 } else { digit }])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::Stamp;

    fn bead(id: &str, time: &str) -> Bead {
        Bead {
            id: id.into(),
            title: "t".into(),
            created_at: Stamp::parse(time),
            created_by: "dana".into(),
            ..Bead::default()
        }
    }

    #[test]
    fn the_new_id_keeps_prefix_and_parent_and_is_not_a_child_number() {
        let time = "2026-03-01T09:15:30Z";
        let top = compute_new_id(&bead("my-app-k3f", time));
        assert_eq!(id::prefix_of(&top), Some("my-app"));
        let child = compute_new_id(&bead("bd-a.1", time));
        assert!(child.starts_with("bd-a."), "{child}");
        assert_eq!(id::split_child(&child), None);
        assert_eq!(id::prefix_of(&child), Some("bd"));
        for id in [top, child, compute_new_id(&bead("my.app-k3f", time))] {
            assert!(id::is_well_formed(&id), "{id}");
        }
    }

    #[test]
    fn an_edit_after_creation_does_not_change_the_new_id() {
        let mut other = bead("bd-1", "2026-03-01T09:15:30.5-08:00");
        let first = compute_new_id(&other);
        other.title = "edited".into();
        other.created_at = Stamp::parse("2026-03-01T17:15:30.500Z");
        assert_eq!(compute_new_id(&other), first);
        assert_ne!(
            compute_new_id(&bead("bd-2", "2026-03-01T17:15:30.5Z")),
            first
        );
    }

    #[test]
    fn the_moved_bead_records_its_old_id_and_keeps_metadata_and_edges() {
        let mut old = bead("bd-1", "2026-03-01T09:15:30Z");
        old.metadata = serde_json::value::to_raw_value(&serde_json::json!({"a": 1})).ok();
        let moved = move_to_new_id(&old);
        assert_eq!(former_id(&moved).as_deref(), Some("bd-1"));
        assert_eq!(moved.metadata_object()["a"], 1);
        assert_eq!(former_id(&old), None);
        let edge = &moved.dependencies[0];
        assert_eq!(
            (edge.issue_id.as_str(), edge.depends_on_id.as_str()),
            (moved.id.as_str(), "bd-1")
        );
    }
}
