//! Adds and removes labels. Changes of labels leave `updated_at` unchanged.

use super::{ChangeError, load_live_bead};
use crate::store::Tx;

/// Adds a label. Adding an existing label succeeds. Returns true if the label is new.
pub fn add_label(tx: &mut Tx<'_>, id: &str, label: &str) -> Result<bool, ChangeError> {
    // List filters look for trimmed labels too.
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

/// Removes a label. Removing a missing label succeeds. Returns true if the bead had the label.
pub fn remove_label(tx: &mut Tx<'_>, id: &str, label: &str) -> Result<bool, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    let count = bead.labels.len();
    bead.labels.retain(|existing| existing != label);
    if bead.labels.len() == count {
        return Ok(false);
    }
    tx.put(bead)?;
    Ok(true)
}

pub fn set_labels(tx: &mut Tx<'_>, id: &str, labels: Vec<String>) -> Result<(), ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    bead.labels = labels
        .into_iter()
        .filter(|label| !label.is_empty())
        .collect();
    tx.put(bead)?;
    Ok(())
}
