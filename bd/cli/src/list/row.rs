//! A bead of a list with a summary of its edges.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::line;
use bd::bead::{Bead, record};
use bd::store::Snapshot;

#[derive(Debug)]
pub(crate) struct DrawnRow {
    pub(crate) bead: Bead,
    pub(crate) links: String,
    dependents: usize,
}

impl DrawnRow {
    pub(crate) fn from_bead(snapshot: &Snapshot, bead: &Bead) -> Self {
        Self {
            bead: bead.clone(),
            links: line::format_links(snapshot, bead),
            dependents: snapshot.dependent_count(&bead.id),
        }
    }

    /// Builds the rows of the given beads. Moves beads from the snapshot instead of copying them.
    pub(crate) fn from_ids(mut snapshot: Snapshot, ids: &[String]) -> Vec<Self> {
        let counts = |id: &String| {
            let bead = snapshot.get(id)?;
            Some((
                line::format_links(&snapshot, bead),
                snapshot.dependent_count(id),
            ))
        };
        let counted: Vec<_> = ids.iter().map(counts).collect();
        let row = |(id, counts): (&String, Option<(String, usize)>)| {
            let (links, dependents) = counts?;
            Some(Self {
                bead: snapshot.take(id)?,
                links,
                dependents,
            })
        };
        ids.iter().zip(counted).filter_map(row).collect()
    }

    /// Converts the bead with its counts to JSON, with its edges if `edges` is set.
    pub(crate) fn json(&self, edges: bool) -> Value {
        let mut value = record::bead_to_json_value(&self.bead);
        if let Value::Object(object) = &mut value {
            object.shift_remove("comments");
            if !edges {
                object.shift_remove("dependencies");
            }
        }
        value["dependency_count"] = json!(self.bead.dependencies.len());
        value["dependent_count"] = json!(self.dependents);
        value["comment_count"] = json!(self.bead.comments.len());
        value
    }
}

/// Serializes the bead with its counts and edges.
impl Serialize for DrawnRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json(true).serialize(serializer)
    }
}
