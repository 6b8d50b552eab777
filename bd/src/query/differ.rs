//! Compares two states of the beads.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::bead::{Bead, record};

/// A bead that differs between the two states.
#[derive(Debug)]
pub struct BeadDifference {
    /// The bead before; `None` if it did not exist.
    pub old: Option<Bead>,
    /// The bead after; `None` if it no longer exists.
    pub new: Option<Bead>,
    /// The fields that differ, if the bead existed before and after.
    pub fields: Vec<FieldDifference>,
}

/// A field that differs between the two states of a bead.
#[derive(Debug, Serialize)]
pub struct FieldDifference {
    #[serde(rename = "field")]
    pub name: String,
    pub old: Value,
    pub new: Value,
}

impl BeadDifference {
    /// The bead after, or before if it no longer exists.
    pub fn bead(&self) -> &Bead {
        static NONE: std::sync::LazyLock<Bead> = std::sync::LazyLock::new(Bead::default);
        self.new.as_ref().or(self.old.as_ref()).unwrap_or(&NONE)
    }

    pub fn kind(&self) -> &'static str {
        match (&self.old, &self.new) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "modified",
        }
    }
}

/// Returns the differences, sorted by id. Deleted beads count as missing.
pub fn find_differences(
    old: impl Iterator<Item = Bead>,
    new: impl Iterator<Item = Bead>,
) -> Vec<BeadDifference> {
    let mut pairs: BTreeMap<String, (Option<Bead>, Option<Bead>)> = BTreeMap::new();
    for bead in old.filter(|bead| !bead.is_tombstone()) {
        let id = bead.id.clone();
        pairs.entry(id).or_default().0 = Some(bead);
    }
    for bead in new.filter(|bead| !bead.is_tombstone()) {
        let id = bead.id.clone();
        pairs.entry(id).or_default().1 = Some(bead);
    }
    pairs
        .into_values()
        .filter(|(old, new)| old != new)
        .map(|(old, new)| {
            let fields = match (&old, &new) {
                (Some(old), Some(new)) => find_changed_fields(old, new),
                _ => Vec::new(),
            };
            BeadDifference { old, new, fields }
        })
        .collect()
}

fn find_changed_fields(old: &Bead, new: &Bead) -> Vec<FieldDifference> {
    let [old, new] = [old, new].map(|bead| match record::bead_to_json_value(bead) {
        Value::Object(object) => object,
        _ => Map::new(),
    });
    let mut names: Vec<&String> = old.keys().collect();
    names.extend(new.keys().filter(|name| !old.contains_key(*name)));
    names
        .into_iter()
        .map(|name| FieldDifference {
            name: name.clone(),
            old: old.get(name).cloned().unwrap_or(Value::Null),
            new: new.get(name).cloned().unwrap_or(Value::Null),
        })
        .filter(|field| field.old != field.new)
        .collect()
}
