//! Labels. They do not move a bead's `updated_at`.

use super::{ChangeError, load_live_bead};
use crate::store::Tx;

/// Adds a label; one that is there already is fine. Says whether it is new.
pub fn add_label(tx: &mut Tx<'_>, id: &str, label: &str) -> Result<bool, ChangeError> {
    // What lists look for has no blanks around it either.
    let label = label.trim();
    if label.is_empty() {
        return Err(ChangeError::EmptyLabel);
    }
    let mut bead = load_live_bead(tx, id)?;
    if bead.has_label(label) {
        return Ok(false);
    }
    bead.labels.push(label.to_owned());
    tx.put(bead)?;
    Ok(true)
}

/// Removes a label; one that is not there is fine. Says whether it was there.
pub fn remove_label(tx: &mut Tx<'_>, id: &str, label: &str) -> Result<bool, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    let count = bead.labels.len();
    bead.labels.retain(|own| own != label);
    if bead.labels.len() == count {
        return Ok(false);
    }
    tx.put(bead)?;
    Ok(true)
}

/// Replaces all labels.
pub fn set_labels(tx: &mut Tx<'_>, id: &str, labels: Vec<String>) -> Result<(), ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    bead.labels = labels
        .into_iter()
        .filter(|label| !label.is_empty())
        .collect();
    tx.put(bead)?;
    Ok(())
}
