//! Undo: the inverse of one whole transaction, itself a transaction.
//!
//! Each field that an event changed gets back the value it had, merged with what was done since: an edit
//! that came later stays, and where both touch the same value the undo is refused. What is more than a
//! record (claims, hooks, merges, landings, mail) is refused with the verb that does it.

use super::ChangeError;
use crate::bead::record::{self, RecordFields};
use crate::bead::{Bead, Kind, Status};
use crate::merge;
use crate::store::Tx;
use crate::store::event::{BeadChange, Event};

/// What becomes of a bead that is in no file any more.
const GONE: &str = "gone";
/// What becomes of one that was deleted.
const DELETED: &str = "deleted";

/// Why an event cannot be taken back.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// Later edits would be lost.
    #[error("{id} was changed again since: its {field} would be lost")]
    Later {
        /// The bead.
        id: String,
        /// The field that both touch.
        field: String,
    },
    /// The bead is not there any more, or there again.
    #[error(
        "{id} is {state} since: nothing was undone ({})",
        describe_recovery(id, state)
    )]
    Gone {
        /// The bead.
        id: String,
        /// What became of it.
        state: &'static str,
    },
    /// All that it changed is as it was before it.
    #[error(
        "nothing was undone: {} the values from before it already (bd activity has earlier events, bd undo EVENT takes one back)",
        describe_holders(ids)
    )]
    Nothing {
        /// The beads that it changed.
        ids: Vec<String>,
    },
    /// It is more than a change of a record.
    #[error("{id}: {what} is not undone by its record; use: {verb}")]
    NotARecord {
        /// The bead.
        id: String,
        /// What was done.
        what: &'static str,
        /// The verb that takes it back.
        verb: String,
    },
    /// Part of it is not in history.
    #[error("event {0} also changed local records, which history does not have")]
    Wisps(String),
    /// What the rules of beads refuse.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// Who has the old values, as the beginning of a sentence.
fn describe_holders(ids: &[String]) -> String {
    match ids {
        [] => "it changed no bead, and all have".to_owned(),
        [id] => format!("{id} has"),
        ids => format!("{} have", ids.join(", ")),
    }
}

/// How a bead comes back that an undo did not find as it was.
fn describe_recovery(id: &str, state: &str) -> String {
    match state {
        DELETED => format!("`bd restore {id}` brings it back"),
        GONE => format!(
            "`bd restore --lost {id}` brings back what git took away, `bd history {id}` shows what it was"
        ),
        _ => format!("`bd history {id}` shows what was done"),
    }
}

/// What an undo did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoOutcome {
    /// The beads that changed.
    pub changed: Vec<String>,
    /// Those that had their old values again already.
    pub already: Vec<String>,
}

/// Takes an event back, whole. One of which nothing is left to be taken back is an error.
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

/// Takes back what an event did to one bead. Says whether that changed it.
fn undo_change(tx: &mut Tx<'_>, event: &Event, change: &BeadChange) -> Result<bool, UndoError> {
    let gone = |state| UndoError::Gone {
        id: change.id.clone(),
        state,
    };
    match (&change.old, &change.new) {
        // It was made: it becomes a tombstone, so that the undo can be undone.
        (None, Some(new)) => {
            let bead = tx.get(&change.id).cloned().ok_or_else(|| gone(GONE))?;
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
        // It was removed without a trace: it comes back as it was.
        (Some(old), None) => {
            if tx.get(&change.id).is_some() {
                return Err(gone("there again"));
            }
            let bead = parse_fields(old).ok_or_else(|| gone("unreadable"))?;
            tx.put(bead).map_err(ChangeError::from)?;
        }
        (Some(old), Some(new)) => {
            let bead = tx.get(&change.id).cloned().ok_or_else(|| gone(GONE))?;
            // An edit from before its deletion; the deletion itself can be taken back.
            if bead.is_tombstone() && new.get("deleted_at").is_none() {
                return Err(gone(DELETED));
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

/// The bead with old values again, later edits kept; the name of a field where that cannot be.
fn merge_old_values(now: &Bead, old: &RecordFields, new: &RecordFields) -> Result<Bead, String> {
    let now_fields = RecordFields::from_bead(now);
    let (old, new) = (without_updated_at(old), without_updated_at(new));
    let base = parse_fields(&now_fields.patched_with(&new)).ok_or("record")?;
    let wanted = parse_fields(&now_fields.patched_with(&old)).ok_or("record")?;
    let result = merge::merge_beads(Some(&base), Some(&wanted), Some(now));
    if let Some(lost) = result.lost.first() {
        return Err(lost.field.clone());
    }
    result.bead.map(|bead| *bead).ok_or_else(|| "id".to_owned())
}

/// The fields without when the bead was last changed, which is no edit.
fn without_updated_at(fields: &RecordFields) -> RecordFields {
    let mut fields = fields.clone();
    fields.0.retain(|(key, _)| key != "updated_at");
    fields
}

/// Refuses where a value that the event set is another one now.
fn refuse_changed_since(
    id: &str,
    then: &RecordFields,
    now: &RecordFields,
) -> Result<(), UndoError> {
    let changed = then
        .keys()
        .chain(now.keys())
        .filter(|key| *key != "updated_at")
        .find(|key| then.get(key) != now.get(key));
    match changed {
        Some(field) => Err(UndoError::Later {
            id: id.to_owned(),
            field: field.to_owned(),
        }),
        None => Ok(()),
    }
}

fn parse_fields(fields: &RecordFields) -> Option<Bead> {
    record::parse_bead(fields.to_raw_json()?.get().as_bytes()).ok()
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
    let bead = tx.get(id);
    let is_a = |kind: Kind| bead.is_some_and(|bead| bead.issue_type == kind);
    if is_a(Kind::Message) {
        return refuse("mail", format!("gt mail archive {id}"));
    }
    if is_a(Kind::MergeRequest) {
        return refuse("a merge", format!("gt mq status {id}"));
    }
    let set =
        |side: &Option<RecordFields>, key: &str| side.as_ref().and_then(|side| side.text(key));
    let statuses = [set(&change.old, "status"), set(&change.new, "status")];
    if is_a(Kind::Convoy) && statuses[1].as_deref() == Some(Status::Closed.as_str()) {
        return refuse("a landing", format!("gt convoy status {id}"));
    }
    let has_key = |key: &str| {
        let sides = [&change.old, &change.new];
        sides.iter().any(|side| set(side, key).is_some())
    };
    let hooked = Some(Status::Hooked.as_str().to_owned());
    if has_key("hook_bead") || statuses.contains(&hooked) || is_a(Kind::Agent) {
        return refuse("a hook", format!("gt unsling {id}"));
    }
    let claimed = statuses[1].as_deref() == Some(Status::InProgress.as_str())
        && set(&change.new, "assignee").is_some();
    if claimed && change.old.is_some() {
        return refuse(
            "a claim",
            format!("bd update {id} --status open --assignee \"\""),
        );
    }
    Ok(())
}
