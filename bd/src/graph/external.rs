//! Capabilities of other projects: `external:<project>:<capability>`.
//!
//! Satisfied once the project has a closed bead labelled `provides:<capability>`. Where no project is
//! configured nothing is checked.

use std::collections::HashMap;
use std::path::Path;

use crate::bead::{Bead, DepKind, Status};
use crate::store::{Snapshot, Store, find};

/// Looks up capabilities, opening each project once.
#[derive(Debug)]
pub struct Capabilities<'a> {
    snapshot: &'a Snapshot,
    root: &'a Path,
    projects: HashMap<String, Option<Snapshot>>,
}

impl<'a> Capabilities<'a> {
    /// For the beads folder `dir`; relative project paths start at the folder above it.
    pub fn new(snapshot: &'a Snapshot, dir: &'a Path) -> Self {
        Self {
            snapshot,
            root: dir.parent().unwrap_or(dir),
            projects: HashMap::new(),
        }
    }

    /// Whether any project is configured.
    pub fn are_checked(&self) -> bool {
        !self
            .snapshot
            .config()
            .family("external_projects")
            .is_empty()
    }

    /// The external targets of a bead's `blocks` edges that are not satisfied.
    pub fn missing(&mut self, bead: &Bead) -> Vec<String> {
        let mut missing = Vec::new();
        for edge in bead
            .edges(&DepKind::Blocks)
            .filter(|edge| edge.is_external())
        {
            if !(self.are_checked() && self.is_shipped(&edge.depends_on_id)) {
                missing.push(edge.depends_on_id.clone());
            }
        }
        missing
    }

    fn is_shipped(&mut self, target: &str) -> bool {
        let mut parts = target.splitn(3, ':').skip(1);
        let (Some(project), Some(capability)) = (parts.next(), parts.next()) else {
            return false;
        };
        let label = format!("provides:{capability}");
        let (snapshot, root) = (self.snapshot, self.root);
        let other = self
            .projects
            .entry(project.to_owned())
            .or_insert_with(|| open(snapshot, root, project));
        other.as_ref().is_some_and(|other| {
            other
                .heads()
                .any(|head| head.status() == Status::Closed && head.has_label(&label))
        })
    }
}

fn open(snapshot: &Snapshot, root: &Path, project: &str) -> Option<Snapshot> {
    let path = snapshot
        .config()
        .family("external_projects")
        .remove(project)?;
    let dir = find::follow(&root.join(path).join(".beads"), &mut Vec::new());
    Store::open(&dir).ok()?.snapshot().ok()
}
