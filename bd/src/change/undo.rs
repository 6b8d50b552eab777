//! Undoes one whole transaction in a new transaction.
//!
//! Each field that the event changed gets its old value back, merged with later edits. A later edit
//! stays, and if both touch the same value, the undo is refused. An event with effects beyond the
//! record (claims, hooks, merges, landings, mail) is refused, and the error names the command that
//! reverts it.

use super::ChangeError;
use crate::bead::record::RecordFields;
use crate::bead::{Bead, Kind, Status};
use crate::merge;
use crate::store::Tx;
use crate::store::event::{BeadChange, Event};

/// The state of a bead that is no longer in any file.
const GONE_STATE: &str = "gone";
/// The state of a deleted bead.
const DELETED_STATE: &str = "deleted";

/// The reason why an event cannot be undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// Later edits would be lost.
    #[error("{id} was changed again since: its {field} would be lost")]
    Later {
        id: String,
        /// The field that both changed.
        field: String,
    },
    /// The bead no longer exists, or exists again.
    #[error(
        "{id} is {state} since: nothing was undone ({})",
        describe_recovery(id, state)
    )]
    Gone { id: String, state: &'static str },
    /// Every value that the event changed already has its old value.
    #[error(
        "nothing was undone: {} the values from before it already (bd activity has earlier events, bd undo EVENT takes one back)",
        describe_holders(ids)
    )]
    Nothing {
        /// The beads that the event changed.
        ids: Vec<String>,
    },
    /// The event is more than a change of a record.
    #[error("{id}: {what} is not undone by its record; use: {verb}")]
    NotARecord {
        id: String,
        what: &'static str,
        /// The command that reverts the event.
        verb: String,
    },
    /// A part of the event is not in history.
    #[error("event {0} also changed local records, which history does not have")]
    Wisps(String),
    /// A rule of beads refuses the undo.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// Names the beads that have the old values, as the beginning of a sentence.
fn describe_holders(ids: &[String]) -> String {
    match ids {
        [] => "it changed no bead, and all have".to_owned(),
        [id] => format!("{id} has"),
        ids => format!("{} have", ids.join(", ")),
    }
}

/// Describes how to recover a bead that is not in the state that the undo expects.
fn describe_recovery(id: &str, state: &str) -> String {
    match state {
        DELETED_STATE => format!("`bd restore {id}` brings it back"),
        GONE_STATE => format!(
            "`bd restore --lost {id}` brings back what git took away, `bd history {id}` shows what it was"
        ),
        _ => format!("`bd history {id}` shows what was done"),
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoOutcome {
    pub changed: Vec<String>,
    /// The beads that already had their old values.
    pub already: Vec<String>,
}

/// Undoes a whole event. Fails if nothing remains to be undone.
pub fn undo_event(tx: &mut Tx<'_>, event: &Event) -> Result<UndoOutcome, UndoError> {
    if event.wisps {
        return Err(UndoError::Wisps(event.id.clone()));
    }
    for change in &event.changes {
        refuse_side_effects(tx, event, change)?;
    }
    let mut done = UndoOutcome::default();
    for change in &event.changes {
        let list = if undo_change(tx, event, change)? {
            &mut done.changed
        } else {
            &mut done.already
        };
        list.push(change.id.clone());
    }
    if done.changed.is_empty() {
        return Err(UndoError::Nothing { ids: done.already });
    }
    tx.describe("undo", &event.id);
    Ok(done)
}

/// Undoes the effect of an event on one bead. Returns true if the bead changed.
fn undo_change(tx: &mut Tx<'_>, event: &Event, change: &BeadChange) -> Result<bool, UndoError> {
    let build_gone_error = |state| UndoError::Gone {
        id: change.id.clone(),
        state,
    };
    match (&change.old, &change.new) {
        // The event created the bead. The bead becomes a tombstone, so that the undo can be undone.
        (None, Some(new)) => {
            let bead = tx
                .get(&change.id)
                .cloned()
                .ok_or_else(|| build_gone_error(GONE_STATE))?;
            if bead.is_tombstone() {
                return Ok(false);
            }
            refuse_changed_since(&change.id, new, &RecordFields::from_bead(&bead))?;
            if !tx.dependents_of(&change.id).is_empty() {
                return Err(UndoError::Later {
                    id: change.id.clone(),
                    field: "dependents".to_owned(),
                });
            }
            let reason = format!("undo of {}", event.id);
            super::delete::delete_bead(tx, &change.id, &reason, false)?;
        }
        // The event removed the bead without a trace. The bead comes back unchanged.
        (Some(old), None) => {
            if tx.get(&change.id).is_some() {
                return Err(build_gone_error("there again"));
            }
            let bead = old
                .to_bead()
                .ok_or_else(|| build_gone_error("unreadable"))?;
            tx.put(bead).map_err(ChangeError::from)?;
        }
        (Some(old), Some(new)) => {
            let bead = tx
                .get(&change.id)
                .cloned()
                .ok_or_else(|| build_gone_error(GONE_STATE))?;
            // The edit is older than the deletion of the bead. Only the deletion can be undone.
            if bead.is_tombstone() && new.raw_text("deleted_at").is_none() {
                return Err(build_gone_error(DELETED_STATE));
            }
            let merged = merge_old_values(&bead, old, new).map_err(|field| UndoError::Later {
                id: change.id.clone(),
                field,
            })?;
            if refuse_changed_since(
                &change.id,
                &RecordFields::from_bead(&merged),
                &RecordFields::from_bead(&bead),
            )
            .is_ok()
            {
                return Ok(false);
            }
            tx.put_updated(merged).map_err(ChangeError::from)?;
        }
        (None, None) => return Ok(false),
    }
    Ok(true)
}

/// Returns the bead with its old values and all later edits, or the name of the field that prevents
/// it.
fn merge_old_values(now: &Bead, old: &RecordFields, new: &RecordFields) -> Result<Bead, String> {
    let now_fields = RecordFields::from_bead(now);
    let old = without_updated_at(old);
    let new = without_updated_at(new);
    let base = now_fields.patched_with(&new).to_bead().ok_or("record")?;
    let wanted = now_fields.patched_with(&old).to_bead().ok_or("record")?;
    let result = merge::merge_beads(Some(&base), Some(&wanted), Some(now));
    if let Some(lost) = result.lost.first() {
        return Err(lost.field.clone());
    }
    result.bead.map(|bead| *bead).ok_or_else(|| "id".to_owned())
}

/// Removes `updated_at`, whose change is not an edit.
fn without_updated_at(fields: &RecordFields) -> RecordFields {
    let mut fields = fields.clone();
    fields.0.retain(|(key, _)| key != "updated_at");
    fields
}

/// Fails if a value that the event set has changed since.
fn refuse_changed_since(
    id: &str,
    then: &RecordFields,
    now: &RecordFields,
) -> Result<(), UndoError> {
    let changed = then
        .keys()
        .chain(now.keys())
        .filter(|key| *key != "updated_at")
        .find(|key| then.raw_text(key) != now.raw_text(key));
    match changed {
        Some(field) => Err(UndoError::Later {
            id: id.to_owned(),
            field: field.to_owned(),
        }),
        None => Ok(()),
    }
}

fn refuse_side_effects(tx: &Tx<'_>, event: &Event, change: &BeadChange) -> Result<(), UndoError> {
    let refuse = |what, verb: String| {
        Err(UndoError::NotARecord {
            id: change.id.clone(),
            what,
            verb,
        })
    };
    let id = &change.id;
    match event.verb.as_str() {
        "merge" => return refuse("a merge by git", format!("bd update {id} …")),
        "archive" => return refuse("a move to the archive", format!("bd restore {id}")),
        "unarchive" => return refuse("a return from the archive", "bd compact".to_owned()),
        _ => {}
    }
    let kind = tx.get(id).map(|bead| &bead.issue_type);
    if kind == Some(&Kind::Message) {
        return refuse("mail", format!("gt mail archive {id}"));
    }
    if kind == Some(&Kind::MergeRequest) {
        return refuse("a merge", format!("gt mq status {id}"));
    }
    let sides = [&change.old, &change.new].map(Option::as_ref);
    let statuses = sides.map(|side| side?.plain_text("status"));
    if kind == Some(&Kind::Convoy) && statuses[1].as_deref() == Some(Status::Closed.as_str()) {
        return refuse("a landing", format!("gt convoy status {id}"));
    }
    let has_hook = sides
        .into_iter()
        .flatten()
        .any(|side| side.plain_text("hook_bead").is_some());
    let hooked = Some(Status::Hooked.as_str().to_owned());
    if has_hook || statuses.contains(&hooked) || kind == Some(&Kind::Agent) {
        return refuse("a hook", format!("gt unsling {id}"));
    }
    let claimed = statuses[1].as_deref() == Some(Status::InProgress.as_str())
        && sides[1].is_some_and(|new| new.plain_text("assignee").is_some());
    if claimed && change.old.is_some() {
        return refuse(
            "a claim",
            format!("bd update {id} --status open --assignee \"\""),
        );
    }
    Ok(())
}
