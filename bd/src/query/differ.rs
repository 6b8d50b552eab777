//! How beads of one moment differ from those of another.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::bead::{Bead, record};

/// A bead that is not the same in both.
#[derive(Debug)]
pub struct BeadDifference {
    /// The bead before; `None` if it was not there.
    pub old: Option<Bead>,
    /// The bead after; `None` if it is gone.
    pub new: Option<Bead>,
    /// The fields that differ: name, value before, value after.
    pub fields: Vec<(String, Value, Value)>,
}

impl BeadDifference {
    /// The bead after; where it is gone, before.
    pub fn bead(&self) -> &Bead {
        static NONE: std::sync::LazyLock<Bead> = std::sync::LazyLock::new(Bead::default);
        self.new.as_ref().or(self.old.as_ref()).unwrap_or(&NONE)
    }

    /// The word for it.
    pub fn kind(&self) -> &'static str {
        match (&self.old, &self.new) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "modified",
        }
    }
}

/// The differences by id. Deleted beads count as not there.
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
    let all = pairs.into_values().filter(|(old, new)| old != new);
    let differ = |(old, new): (Option<Bead>, Option<Bead>)| {
        let fields = match (&old, &new) {
            (Some(old), Some(new)) => find_changed_fields(old, new),
            _ => Vec::new(),
        };
        BeadDifference { old, new, fields }
    };
    all.map(differ).collect()
}

fn find_changed_fields(old: &Bead, new: &Bead) -> Vec<(String, Value, Value)> {
    let object = |bead: &Bead| match record::bead_to_json_value(bead) {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    let (old, new) = (object(old), object(new));
    let mut names: Vec<&String> = old.keys().collect();
    names.extend(new.keys().filter(|name| !old.contains_key(*name)));
    let get = |of: &Map<String, Value>, name: &str| of.get(name).cloned().unwrap_or_default();
    let pairs = names
        .into_iter()
        .map(|name| (name.clone(), get(&old, name), get(&new, name)));
    pairs.filter(|(_, old, new)| old != new).collect()
}
