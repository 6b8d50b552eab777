//! States: labels `dimension:value`. A bead has one state per dimension, and an event bead records
//! each change.

use super::{ChangeError, NewBead, create_bead, load_live_bead};
use crate::bead::{Bead, Kind, Status};
use crate::store::Tx;

#[derive(Debug, Clone)]
pub struct StateChange {
    pub old: Option<String>,
    /// The bead that records the change; `None` if nothing changed.
    pub event: Option<Bead>,
}

/// Sets the state of a bead in one dimension.
pub fn set_state(
    tx: &mut Tx<'_>,
    id: &str,
    dimension: &str,
    value: &str,
    reason: &str,
) -> Result<StateChange, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    let start = format!("{dimension}:");
    let old = bead
        .labels
        .iter()
        .find_map(|label| label.strip_prefix(&start))
        .map(str::to_owned);
    if old.as_deref() == Some(value) {
        return Ok(StateChange { old, event: None });
    }
    let from = old.as_deref().unwrap_or("(unset)");
    let mut description = format!("Changed {dimension} from {from} to {value}");
    if !reason.is_empty() {
        description.push_str(&format!("\n\nReason: {reason}"));
    }
    let event = create_bead(
        tx,
        NewBead {
            title: format!("State change: {dimension} → {value}"),
            description,
            status: Status::Closed,
            priority: 4,
            issue_type: Kind::from("event"),
            parent: Some(id.to_owned()),
            ..NewBead::default()
        },
    )?;
    bead.labels.retain(|label| !label.starts_with(&start));
    bead.labels.push(format!("{start}{value}"));
    tx.put_updated(bead)?;
    let event = Some(event);
    Ok(StateChange { old, event })
}
