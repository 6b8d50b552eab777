//! Changes the fields of beads.

use super::{ChangeError, dep, label, load_live_bead};
use crate::bead::{Bead, Kind, RawJson, Stamp, Status, hash};
use crate::store::Tx;

/// The fields to change. `None` leaves a field unchanged.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the fields are those of the bead")]
pub struct BeadEdit {
    pub title: Option<String>,
    pub description: Option<String>,
    pub design: Option<String>,
    pub acceptance_criteria: Option<String>,
    pub notes: Option<String>,
    /// A line to append to the notes.
    pub append_notes: Option<String>,
    pub spec_id: Option<String>,
    pub status: Option<Status>,
    pub priority: Option<i64>,
    pub issue_type: Option<Kind>,
    pub assignee: Option<String>,
    pub external_ref: Option<String>,
    pub estimated_minutes: Option<i64>,
    pub due_at: Option<Option<Stamp>>,
    pub defer_until: Option<Option<Stamp>>,
    pub await_id: Option<String>,
    pub ephemeral: Option<bool>,
    /// Replaces all metadata; `{}` clears it.
    pub metadata: Option<RawJson>,
    /// Keys of the metadata object to set.
    pub set_metadata: Vec<(String, RawJson)>,
    /// Keys of the metadata object to remove.
    pub unset_metadata: Vec<String>,
    pub hook_bead: Option<String>,
    pub agent_state: Option<String>,
    pub set_labels: Option<Vec<String>>,
    pub add_labels: Vec<String>,
    pub remove_labels: Vec<String>,
    /// The new parent. `Some(None)` detaches the bead.
    pub parent: Option<Option<String>>,
    /// The agent session that closes the bead, if the new status is closed.
    pub session: Option<String>,
}

/// Changes the fields of a bead. Moves `updated_at` only if a field of the bead changed, not for
/// labels and edges.
pub fn update_bead(tx: &mut Tx<'_>, id: &str, edit: BeadEdit) -> Result<Bead, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    if bead.is_template {
        return Err(ChangeError::Template(id.to_owned()));
    }
    apply_texts(&mut bead, &edit)?;
    if let Some(status) = &edit.status {
        apply_status(&mut bead, status, &tx.now())?;
        if bead.status == Status::Closed
            && let Some(session) = &edit.session
        {
            bead.closed_by_session.clone_from(session);
        }
    }
    apply_values(&mut bead, &edit);
    apply_metadata(&mut bead, &edit);
    if tx.get_live(id) == Some(&bead) {
        tx.put(bead)?;
    } else {
        tx.put_updated(bead)?;
    }
    if let Some(labels) = edit.set_labels {
        label::set_labels(tx, id, labels)?;
    }
    for label in &edit.add_labels {
        label::add_label(tx, id, label)?;
    }
    for label in &edit.remove_labels {
        label::remove_label(tx, id, label)?;
    }
    if let Some(parent) = edit.parent {
        dep::set_parent(tx, id, parent.as_deref())?;
    }
    load_live_bead(tx, id)
}

fn apply_texts(bead: &mut Bead, edit: &BeadEdit) -> Result<(), ChangeError> {
    if let Some(title) = &edit.title {
        if title.is_empty() || title.len() > 500 {
            return Err(ChangeError::TitleLength);
        }
        bead.title.clone_from(title);
    }
    let pairs = [
        (&mut bead.description, &edit.description),
        (&mut bead.design, &edit.design),
        (&mut bead.acceptance_criteria, &edit.acceptance_criteria),
        (&mut bead.notes, &edit.notes),
        (&mut bead.spec_id, &edit.spec_id),
        (&mut bead.assignee, &edit.assignee),
        (&mut bead.await_id, &edit.await_id),
        (&mut bead.hook_bead, &edit.hook_bead),
        (&mut bead.agent_state, &edit.agent_state),
    ];
    for (field, new) in pairs {
        if let Some(new) = new {
            field.clone_from(new);
        }
    }
    if let Some(more) = &edit.append_notes {
        if !bead.notes.is_empty() {
            bead.notes.push('\n');
        }
        bead.notes.push_str(more);
    }
    Ok(())
}

fn apply_values(bead: &mut Bead, edit: &BeadEdit) {
    if let Some(priority) = edit.priority {
        bead.priority = priority;
    }
    if let Some(kind) = &edit.issue_type {
        bead.issue_type = kind.clone();
    }
    if let Some(text) = &edit.external_ref {
        bead.external_ref = (!text.is_empty()).then(|| text.clone());
    }
    if let Some(minutes) = edit.estimated_minutes {
        bead.estimated_minutes = Some(minutes);
    }
    if let Some(due) = &edit.due_at {
        bead.due_at.clone_from(due);
    }
    if let Some(until) = &edit.defer_until {
        bead.defer_until.clone_from(until);
    }
    if let Some(ephemeral) = edit.ephemeral {
        bead.ephemeral = ephemeral;
    }
}

fn apply_metadata(bead: &mut Bead, edit: &BeadEdit) {
    if let Some(raw) = &edit.metadata {
        bead.metadata = not_empty(raw.clone());
    }
    if edit.set_metadata.is_empty() && edit.unset_metadata.is_empty() {
        return;
    }
    let mut object = bead.metadata_fields();
    for (key, value) in &edit.set_metadata {
        object.set(key, value);
    }
    for key in &edit.unset_metadata {
        object.0.retain(|(name, _)| name != key);
    }
    bead.metadata = object.to_raw_json().and_then(not_empty);
}

/// Returns `None` for an empty object and for `null`.
pub(super) fn not_empty(raw: RawJson) -> Option<RawJson> {
    (!matches!(raw.get(), "{}" | "null")).then_some(raw)
}

/// Fails unless the bead is at this version. `expected` is the first 8 or more digits of the
/// version, or the `updated_at`.
pub fn check_version(tx: &Tx<'_>, id: &str, expected: &str) -> Result<(), ChangeError> {
    let bead = load_live_bead(tx, id)?;
    let version = hash::compute_version(&bead);
    let time = expected.parse::<jiff::Timestamp>();
    let is_time = time.is_ok_and(|time| time == bead.updated_at.instant());
    if is_time || (expected.len() >= 8 && version.starts_with(&expected.to_lowercase())) {
        return Ok(());
    }
    Err(ChangeError::Changed {
        id: id.to_owned(),
        version,
        expected: expected.to_owned(),
    })
}

/// Sets the status of a bead and all fields that depend on it.
pub fn set_status(tx: &mut Tx<'_>, id: &str, status: Status) -> Result<Bead, ChangeError> {
    let edit = BeadEdit {
        status: Some(status),
        ..BeadEdit::default()
    };
    update_bead(tx, id, edit)
}

/// Sets the status. The status closed sets the closing time; any other status clears the closing
/// time and the reason.
pub(super) fn apply_status(
    bead: &mut Bead,
    status: &Status,
    now: &Stamp,
) -> Result<(), ChangeError> {
    if *status == Status::Tombstone {
        return Err(ChangeError::TombstoneStatus);
    }
    match (&bead.status, status) {
        (Status::Closed, Status::Closed) => {}
        (_, Status::Closed) => bead.closed_at = Some(now.clone()),
        _ => {
            bead.closed_at = None;
            bead.close_reason.clear();
            bead.closed_by_session.clear();
        }
    }
    bead.status = status.clone();
    Ok(())
}

/// Returns the assignee that a user names: the words for no one are an empty name.
pub fn read_assignee(name: &str) -> &str {
    match name.trim().to_ascii_lowercase().as_bytes() {
        b"none" | b"nobody" | b"-" => "",
        _ => name,
    }
}

/// Claims an unassigned bead: sets the assignee and the status in progress. A bead that was opened
/// again keeps its assignee, who may claim it.
pub fn claim_bead(tx: &mut Tx<'_>, id: &str, assignee: &str) -> Result<Bead, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    if bead.is_template {
        return Err(ChangeError::Template(id.to_owned()));
    }
    if bead.status == Status::Closed {
        return Err(ChangeError::ClaimClosed(id.to_owned()));
    }
    let is_opened_again = bead.assignee == assignee && bead.status == Status::Open;
    if !bead.assignee.is_empty() && !is_opened_again {
        return Err(ChangeError::Claimed {
            id: id.to_owned(),
            by: bead.assignee,
            is_open: bead.status == Status::Open,
        });
    }
    assignee.clone_into(&mut bead.assignee);
    bead.status = Status::InProgress;
    tx.put_updated(bead)?;
    load_live_bead(tx, id)
}

/// Applies `change` to a bead, and moves `updated_at` if the bead differs afterwards.
pub fn amend_bead(
    tx: &mut Tx<'_>,
    id: &str,
    change: impl FnOnce(&mut Bead),
) -> Result<Bead, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    change(&mut bead);
    if tx.get_live(id) != Some(&bead) {
        tx.put_updated(bead)?;
    }
    load_live_bead(tx, id)
}
