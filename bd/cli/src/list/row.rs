//! A bead of a list with a summary of its edges.

use serde_json::{Value, json};

use crate::line;
use bd::bead::{Bead, record};
use bd::store::Snapshot;

/// A bead and its counts.
#[derive(Debug)]
pub(crate) struct DrawnRow {
    /// The bead.
    pub(crate) bead: Bead,
    pub(super) links: String,
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

    /// The rows of beads that are in the snapshot; those that came from a file are not copied.
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

    /// The bead with its counts; its edges only where they are asked for.
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
