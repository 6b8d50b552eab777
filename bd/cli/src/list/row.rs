//! A bead of a list with a summary of its edges.

use serde::{Serialize, Serializer};

use crate::line;
use bd::bead::{Bead, record};
use bd::store::Snapshot;

#[derive(Debug, Serialize)]
pub(crate) struct DrawnRow {
    #[serde(flatten, serialize_with = "serialize_without_comments")]
    pub(crate) bead: Bead,
    dependency_count: usize,
    dependent_count: usize,
    comment_count: usize,
    #[serde(skip)]
    pub(crate) links: String,
}

impl DrawnRow {
    pub(crate) fn from_bead(snapshot: &Snapshot, bead: &Bead) -> Self {
        let links = line::format_links(snapshot, bead);
        Self::new(bead.clone(), links, snapshot.dependent_count(&bead.id))
    }

    fn new(bead: Bead, links: String, dependent_count: usize) -> Self {
        Self {
            dependency_count: bead.dependencies.len(),
            dependent_count,
            comment_count: bead.comments.len(),
            links,
            bead,
        }
    }

    /// Removes the edges of the bead, and keeps their number.
    pub(crate) fn without_edges(mut self) -> Self {
        self.bead.dependencies.clear();
        self.bead
            .foreign
            .retain(|element| element.list != "dependencies");
        self
    }

    /// Builds the rows of the given beads. Moves beads from the snapshot instead of copying them.
    pub(crate) fn from_ids(mut snapshot: Snapshot, ids: &[String]) -> Vec<Self> {
        let counted: Vec<_> = ids
            .iter()
            .map(|id| {
                let bead = snapshot.get(id)?;
                Some((
                    line::format_links(&snapshot, bead),
                    snapshot.dependent_count(id),
                ))
            })
            .collect();
        ids.iter()
            .zip(counted)
            .filter_map(|(id, counts)| {
                let (links, dependents) = counts?;
                Some(Self::new(snapshot.take(id)?, links, dependents))
            })
            .collect()
    }
}

fn serialize_without_comments<S: Serializer>(
    bead: &Bead,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    record::serialize_for_json(bead, &["comments"], serializer)
}
