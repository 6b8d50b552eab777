//! Removes a rig from the town's registry. The rig's folder stays unchanged.

use std::path::PathBuf;
use std::time::Duration;

use bd::bead::{Bead, Status};
use bd::store::{BeadMark, Snapshot};
use kit::sys::file;
use kit::ui::escape::escape_line;
use serde::Serialize;

use super::{RigError, route};
use crate::flow::place::unsaved::{find_unsaved_work, last_sling_branch};
use crate::host::LiveTown;
use crate::record::{convoy, dog, merge_request, queued_sling};
use crate::town::config;
use crate::town::event::event;
use crate::town::identity::SessionName;
use crate::town::lock::Lock;
use crate::town::sandbox_git::open_tree;
use crate::town::{Rig, Town};

/// A removed rig.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemoveRigReport {
    pub name: String,
    /// The folder, which still exists.
    pub path: PathBuf,
    /// The unfinished work in the folder, each in one line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<String>,
}

/// Returns the work of a rig that is not finished, each in one line: beads on hooks, queued beads,
/// requests in the merge queue, convoys with open beads of the rig, and work that is in no request:
/// commits of polecats, and uncommitted or unpushed work of work trees.
pub fn find_unfinished(town: &Town, name: &str) -> anyhow::Result<Vec<String>> {
    let rig = town.find_rig(name)?;
    // Unreadable beads must not keep a rig in the list.
    let Ok(beads) = rig.store().and_then(|store| Ok(store.snapshot()?)) else {
        return Ok(Vec::new());
    };
    let mut lines: Vec<String> = beads
        .select_open(&[BeadMark::Status(&Status::Hooked)])
        .map(|bead| {
            let holder = escape_line(&bead.assignee);
            format!("on the hook of {holder}: {}", describe_bead(bead))
        })
        .collect();
    lines.extend(
        merge_request::open_requests(&beads)
            .into_iter()
            .map(|request| format!("not merged: {}", describe_bead(request))),
    );
    lines.extend(
        queued_sling::list_queued_slings(&beads)
            .iter()
            .map(|queued| format!("queued for a worker: {}", queued.work_bead_id)),
    );
    let stores = town.open_town_store()?.snapshot()?;
    for convoy in convoy::list_convoys(&stores, false) {
        let open: Vec<&str> = convoy::tracked_ids(convoy)
            .filter(|id| beads.get(id).is_some_and(Bead::is_open))
            .collect();
        if !open.is_empty() {
            let convoy = describe_bead(convoy);
            lines.push(format!("tracked by {convoy}: {}", open.join(", ")));
        }
    }
    // Unreadable repositories must not keep a rig in the list either.
    lines.extend(find_unmerged_branches(&rig, &beads).into_iter().flatten());
    lines.extend(find_unsaved_trees(&rig));
    Ok(lines)
}

fn describe_bead(bead: &Bead) -> String {
    format!("{} {}", bead.id, escape_line(&bead.title))
}

/// Describes the branches of polecats with commits that the target does not have. The branch of a
/// closed bead is left out, because a merge may rewrite its commits.
fn find_unmerged_branches(rig: &Rig, beads: &Snapshot) -> anyhow::Result<Vec<String>> {
    let git = rig.git();
    let target = config::target_branch_of(rig)?;
    let mut tip = None;
    for place in [
        format!("refs/remotes/origin/{target}"),
        format!("refs/heads/{target}"),
    ] {
        tip = tip.or(git.resolve(&place)?);
    }
    let Some(tip) = tip else {
        return Ok(Vec::new());
    };
    let list = [
        "for-each-ref",
        "--format=%(refname:short)",
        "--no-merged",
        &tip,
    ];
    let names = git.plumbing(list).args(["refs/heads/polecat"]).text()?;
    Ok(names
        .lines()
        .filter(|name| {
            let last = name.rsplit('/').next();
            let id = last.and_then(|last| last.split('@').next());
            let bead = id.and_then(|id| beads.get(id));
            bead.is_none_or(Bead::is_open)
        })
        .map(|name| format!("commits that are not in {target}: {name}"))
        .collect())
}

/// Describes the unsaved work of all work trees of a rig.
fn find_unsaved_trees(rig: &Rig) -> Vec<String> {
    let kennel = dog::kennel_folder(&rig.town().layout);
    let mut trees: Vec<(String, PathBuf)> = Vec::new();
    for name in file::list_subfolders(&rig.polecats()) {
        trees.push((format!("polecats/{name}"), rig.sandbox(&name)));
    }
    for name in file::list_subfolders(&rig.crew_folder()) {
        trees.push((format!("crew/{name}"), rig.crew(&name)));
    }
    for name in file::list_subfolders(&kennel) {
        let tree = kennel.join(&name).join(rig.name());
        trees.push((format!("deacon/dogs/{name}"), tree));
    }
    let mut lines = Vec::new();
    for (name, tree) in trees {
        if !tree.join(".git").exists() {
            continue;
        }
        let polecat = name.strip_prefix("polecats/");
        let unsaved = open_tree(&tree).and_then(|git| {
            let branch = polecat.map(|name| last_sling_branch(&git, name));
            let branch = branch.transpose()?.flatten();
            find_unsaved_work(rig, &git, branch.as_deref())
        });
        match unsaved {
            Ok(unsaved) => {
                lines.extend(
                    unsaved
                        .iter()
                        .map(|work| format!("{}/{name}: {work}", rig.name())),
                );
            }
            Err(error) => lines.push(format!("{}/{name} cannot be read: {error}", rig.name())),
        }
    }
    lines
}

/// Removes a rig from the registry. Refused if it has running sessions.
pub fn remove_rig(town: &LiveTown, name: &str) -> anyhow::Result<RemoveRigReport> {
    let unfinished = find_unfinished(town, name)?;
    let _registry = Lock::take(&town.layout.registry_lock(), Duration::from_secs(60))?;
    let rig = town.find_rig(name)?;
    let mut registry = town.read_registry()?;
    let rigs: Vec<&str> = registry.rigs.keys().map(String::as_str).collect();
    let sessions: Vec<String> = town
        .host
        .list()?
        .into_iter()
        .filter(|live| live.dead.is_none())
        .filter(|live| {
            SessionName::parse_address(&live.name, rigs.iter().copied())
                .is_some_and(|address| address.rig() == Some(name))
        })
        .map(|live| live.name)
        .collect();
    if !sessions.is_empty() {
        let rig = name.to_owned();
        return Err(RigError::Running { rig, sessions }.into());
    }
    super::add::remove_mark(&rig)?;
    registry.rigs.remove(name);
    registry.save(&town.layout.rigs_json())?;
    route::remove_routes(&town.layout.routes(), name)?;
    town.record_event(&event!(RigRemoved, rig: name));
    Ok(RemoveRigReport {
        name: name.to_owned(),
        path: rig.root().to_owned(),
        unfinished,
    })
}
