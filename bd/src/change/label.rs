//! Adds and removes labels. Changes of labels leave `updated_at` unchanged.

use super::{ChangeError, load_live_bead};
use crate::store::Tx;

/// The key of the list of labels.
const LABELS_KEY: &str = "labels";

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

/// Removes a label. Removing a missing label succeeds. Returns true if the bead had the label. A
/// label of another program that is no text, such as a number, is named by its JSON.
pub fn remove_label(tx: &mut Tx<'_>, id: &str, label: &str) -> Result<bool, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    let before = bead.labels.len() + bead.foreign.len();
    bead.labels.retain(|existing| existing != label);
    bead.foreign
        .retain(|element| element.list != LABELS_KEY || element.raw.get() != label);
    if bead.labels.len() + bead.foreign.len() == before {
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
    bead.foreign.retain(|element| element.list != LABELS_KEY);
    tx.put(bead)?;
    Ok(())
}
