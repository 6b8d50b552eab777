//! Describes a bead with its links and the earlier attempts at it.

use bd::bead::{Bead, DepKind};
use bd::store::Snapshot;
use serde::Serialize;

use crate::record::attempt::{self, Attempt};
use crate::record::convoy;
use crate::town::Town;
use crate::town::beads::TownStores;

#[derive(Debug, Clone, Serialize)]
pub struct BeadDetails {
    pub id: String,
    pub title: String,
    pub status: String,
    pub priority: i64,
    pub kind: String,
    pub assignee: String,
    pub labels: Vec<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    pub close_reason: String,
    /// The texts that are not empty, each with its name.
    pub texts: Vec<BeadText>,
    pub links: Vec<BeadLink>,
    /// Each as its author, its time and its text.
    pub comments: Vec<BeadText>,
    pub attempts: Vec<Attempt>,
}

#[derive(Debug, Clone, Serialize)]
pub struct BeadText {
    pub name: String,
    pub text: String,
}

/// Another bead that a bead names, or that names it. One that no store has has neither a title nor a
/// status.
#[derive(Debug, Clone, Serialize)]
pub struct BeadLink {
    /// The relation, from the bead to the other one: `waits for`, `blocks`, `tracked by`.
    pub relation: String,
    pub id: String,
    pub title: String,
    pub status: String,
}

impl BeadDetails {
    /// Reads a bead of any store.
    pub fn read(town: &Town, id: &str) -> anyhow::Result<Self> {
        let stores = town.read_stores()?;
        let found = std::iter::once(&stores.town)
            .chain(stores.rigs.values())
            .find_map(|beads| Some((beads, beads.get_live(id)?)));
        let (beads, bead) =
            found.ok_or_else(|| anyhow::anyhow!("there is no bead `{id}`: not found"))?;
        let texts = [
            ("description", &bead.description),
            ("design", &bead.design),
            ("acceptance criteria", &bead.acceptance_criteria),
            ("notes", &bead.notes),
        ];
        Ok(Self {
            id: bead.id.clone(),
            title: bead.title.clone(),
            status: bead.status.to_string(),
            priority: bead.priority,
            kind: bead.issue_type.to_string(),
            assignee: bead.assignee.clone(),
            labels: bead.labels.clone(),
            created_at: bead.created_at.to_string(),
            updated_at: bead.updated_at.to_string(),
            close_reason: bead.close_reason.clone(),
            texts: texts
                .into_iter()
                .filter(|(_, text)| !text.is_empty())
                .map(|(name, text)| BeadText {
                    name: name.to_owned(),
                    text: text.clone(),
                })
                .collect(),
            links: list_links(&stores, beads, bead),
            comments: bead
                .comments
                .iter()
                .map(|comment| BeadText {
                    name: format!("{}, {}", comment.author, comment.created_at),
                    text: comment.text.clone(),
                })
                .collect(),
            attempts: attempt::list_attempts(beads, bead),
        })
    }
}

fn list_links(stores: &TownStores, beads: &Snapshot, bead: &Bead) -> Vec<BeadLink> {
    let mut links = Vec::new();
    for edge in &bead.dependencies {
        let relation = match &edge.kind {
            DepKind::Blocks => "waits for",
            DepKind::ParentChild => "part of",
            kind => kind.as_str(),
        };
        links.push(build_link(stores, relation, &edge.depends_on_id));
    }
    for (other, edge) in beads.dependents_of(&bead.id) {
        let relation = match &edge.kind {
            DepKind::Blocks => "blocks".to_owned(),
            DepKind::ParentChild => "has the part".to_owned(),
            kind => format!("{} of", kind.as_str()),
        };
        links.push(build_link(stores, &relation, &other.id));
    }
    if let Some(convoy) = convoy::convoy_of_bead(&stores.town, &bead.id) {
        links.push(build_link(stores, "tracked by", &convoy.id));
    }
    links
}

fn build_link(stores: &TownStores, relation: &str, id: &str) -> BeadLink {
    let other = stores.get(id);
    BeadLink {
        relation: relation.to_owned(),
        id: id.to_owned(),
        title: other.map_or_else(String::new, |other| other.title.clone()),
        status: other.map_or_else(String::new, |other| other.status.to_string()),
    }
}
