//! Resolves edges to other stores: `external:<rig>:<id>`, a bead of another rig of the town, and
//! `external:<project>:<capability>`, a capability of another project.
//!
//! A bead of another rig blocks while it is open, and if that rig cannot be read. A capability is
//! satisfied once its project has a closed bead labelled `provides:<capability>`. If the project
//! cannot be read, the capability is unsatisfied.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::bead::{Bead, DepKind, Status};
use crate::store::find;
use crate::store::{Routes, Snapshot, Store, StoreReports};

/// Resolves external targets, and opens each store once.
#[derive(Debug)]
pub struct ExternalLookup<'a> {
    snapshot: &'a Snapshot,
    root: &'a Path,
    routes: Routes,
    stores: HashMap<String, Option<Snapshot>>,
}

impl<'a> ExternalLookup<'a> {
    /// Creates the lookup for the beads folder `dir`. Relative project paths start at the folder
    /// above it. `routes` lead to the rigs of the town.
    pub fn new(snapshot: &'a Snapshot, dir: &'a Path, routes: Routes) -> Self {
        Self {
            snapshot,
            root: dir.parent().unwrap_or(dir),
            routes,
            stores: HashMap::new(),
        }
    }

    /// Returns true if any open bead has an edge to another store.
    pub fn has_external_edges(&self) -> bool {
        self.snapshot.open_rows().any(|row| row.has_external_edge())
    }

    /// Returns the unsatisfied external targets of a bead's `blocks` edges.
    pub fn unsatisfied(&mut self, bead: &Bead) -> Vec<String> {
        let edges = bead.edges(&DepKind::Blocks);
        let targets: Vec<String> = edges
            .filter(|edge| edge.is_external())
            .map(|edge| edge.depends_on_id.clone())
            .collect();
        targets
            .into_iter()
            .filter(|target| !self.is_satisfied(target))
            .collect()
    }

    fn is_satisfied(&mut self, target: &str) -> bool {
        let mut parts = target.splitn(3, ':').skip(1);
        let (Some(project), Some(what)) = (parts.next(), parts.next()) else {
            return false;
        };
        let snapshot = self.snapshot;
        let root = self.root;
        let routes = &self.routes;
        let other = self.stores.entry(project.to_owned()).or_insert_with(|| {
            open_project(snapshot, root, project).or_else(|| open_rig(snapshot, routes, project))
        });
        let Some(other) = other else {
            return false;
        };
        // A deleted or missing bead blocks nothing, as in the local store.
        if let Some(bead) = other.bead_ref(what) {
            return !bead.is_open();
        }
        let label = format!("provides:{what}");
        self.routes.route_of_rig(project).is_some()
            || other
                .bead_refs()
                .any(|bead| bead.status() == Status::Closed && bead.has_label(&label))
    }
}

fn open_rig(snapshot: &Snapshot, routes: &Routes, rig: &str) -> Option<Snapshot> {
    let dir = routes.dir_of(routes.route_of_rig(rig)?)?;
    open_snapshot(&dir, snapshot.reports())
}

fn open_snapshot(dir: &Path, reports: &StoreReports) -> Option<Snapshot> {
    let store = Store::open(dir).ok()?.reporting_to(reports);
    store.snapshot().ok()
}

/// Returns the path along `blocks` edges, across the rigs of a town, from one bead to another. Both
/// ends are ids or `external:<rig>:<id>`. `None` means that the second bead may depend on the
/// first.
pub fn find_path_across_rigs(
    routes: &Routes,
    reports: &StoreReports,
    from: &str,
    to: &str,
) -> Option<Vec<String>> {
    let goal = strip_reference(to);
    let mut stores: HashMap<String, Option<Snapshot>> = HashMap::new();
    let mut seen = HashSet::from([strip_reference(from).to_owned()]);
    let mut front = vec![vec![strip_reference(from).to_owned()]];
    while let Some(path) = front.pop() {
        let Some(last) = path.last().cloned() else {
            continue;
        };
        if last == goal {
            return Some(path);
        }
        let Some(dir) = routes.dir_for(&last) else {
            continue;
        };
        let store = stores
            .entry(dir.display().to_string())
            .or_insert_with(|| open_snapshot(&dir, reports));
        let bead = store.as_ref().and_then(|store| store.get(&last));
        for edge in bead.iter().flat_map(|bead| bead.edges(&DepKind::Blocks)) {
            let next = strip_reference(&edge.depends_on_id).to_owned();
            if seen.insert(next.clone()) {
                front.push([path.clone(), vec![next]].concat());
            }
        }
    }
    None
}

/// Returns the id in `external:<rig>:<id>`, or the text unchanged.
fn strip_reference(reference: &str) -> &str {
    let rest = reference.strip_prefix("external:");
    rest.and_then(|rest| rest.split_once(':'))
        .map_or(reference, |(_, id)| id)
}

fn open_project(snapshot: &Snapshot, root: &Path, project: &str) -> Option<Snapshot> {
    let path = snapshot
        .config()
        .family("external_projects")
        .remove(project)?;
    let dir = find::follow_redirect(&root.join(path).join(".beads"), &mut Vec::new());
    open_snapshot(&dir, snapshot.reports())
}
