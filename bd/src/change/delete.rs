//! Deletes beads. The bead becomes a tombstone, so that the deletion spreads to other clones.
//!
//! All edges from and to the bead are removed. In the texts of connected beads, a note replaces the
//! id. A wisp, and any bead deleted with `hard`, leaves no tombstone.

use serde::Serialize;

use super::{ChangeError, load_live_bead};
use crate::bead::{Bead, Status};
use crate::store::Tx;

/// The side effects of a deletion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DeletionEffects {
    pub dependencies_removed: usize,
    /// The number of beads whose text mentioned the deleted bead.
    pub references_updated: usize,
}

pub fn delete_bead(
    tx: &mut Tx<'_>,
    id: &str,
    reason: &str,
    hard: bool,
) -> Result<DeletionEffects, ChangeError> {
    let bead = load_live_bead(tx, id)?;
    let mut done = DeletionEffects {
        dependencies_removed: bead.dependencies.len(),
        references_updated: 0,
    };
    let mut connected: Vec<String> = tx
        .dependents_of(id)
        .into_iter()
        .map(|(holder, _)| holder.id.clone())
        .chain(
            bead.dependencies
                .iter()
                .map(|edge| edge.depends_on_id.clone()),
        )
        .collect();
    connected.sort();
    connected.dedup();
    for other in connected {
        let Some(mut other) = tx.get_live(&other).cloned() else {
            continue;
        };
        let edges = other.dependencies.len();
        other.dependencies.retain(|edge| edge.depends_on_id != id);
        done.dependencies_removed += edges - other.dependencies.len();
        if replace_mentions(&mut other, id) {
            done.references_updated += 1;
            tx.put_updated(other)?;
        } else {
            tx.put(other)?;
        }
    }
    if hard || bead.ephemeral {
        tx.erase(id)?;
    } else {
        write_tombstone(tx, bead, reason)?;
    }
    Ok(done)
}

fn write_tombstone(tx: &mut Tx<'_>, mut bead: Bead, reason: &str) -> Result<(), ChangeError> {
    let now = tx.now();
    bead.original_type = bead.issue_type.to_string();
    bead.status = Status::Tombstone;
    bead.closed_at = None;
    bead.deleted_at = Some(now.clone());
    bead.updated_at = now;
    tx.actor().clone_into(&mut bead.deleted_by);
    reason.clone_into(&mut bead.delete_reason);
    bead.dependencies.clear();
    tx.put(bead)?;
    Ok(())
}

/// Returns the texts of a bead that may mention other beads.
pub(super) fn mutable_texts(bead: &mut Bead) -> [&mut String; 4] {
    [
        &mut bead.description,
        &mut bead.notes,
        &mut bead.design,
        &mut bead.acceptance_criteria,
    ]
}

/// Returns the note that replaces a deleted bead's id in texts.
pub(super) fn format_deletion_note(id: &str) -> String {
    format!("[deleted:{id}]")
}

/// Replaces an id in the texts of a bead. Returns true if a text mentioned the id.
fn replace_mentions(bead: &mut Bead, id: &str) -> bool {
    let mut found = false;
    for text in mutable_texts(bead) {
        if let Some(fresh) = replace_id(text, id) {
            *text = fresh;
            found = true;
        }
    }
    found
}

/// Returns the text with every whole mention of an id replaced, or `None` if there is no mention.
/// Neither `bd-10` nor the child `bd-1.2` mentions `bd-1`.
fn replace_id(text: &str, id: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find(id) {
        let before = &rest[..at];
        let after = &rest[at + id.len()..];
        let is_word_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let mut following = after.chars();
        let child =
            following.next() == Some('.') && following.next().is_some_and(|c| c.is_ascii_digit());
        let part = before.ends_with(is_word_char) || after.starts_with(is_word_char) || child;
        out.push_str(before);
        if part {
            out.push_str(id);
        } else {
            out.push_str(&format_deletion_note(id));
            found = true;
        }
        rest = after;
    }
    out.push_str(rest);
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::replace_id;

    #[test]
    fn only_whole_ids_are_replaced() {
        let fresh = replace_id("bd-1, bd-10, x-bd-1, bd-1.2 and (bd-1).", "bd-1");
        assert_eq!(
            fresh.as_deref(),
            Some("[deleted:bd-1], bd-10, x-bd-1, bd-1.2 and ([deleted:bd-1]).")
        );
        assert_eq!(replace_id("bd-10", "bd-1"), None);
    }
}
