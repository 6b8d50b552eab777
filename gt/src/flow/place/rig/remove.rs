//! Removes a rig from the town's registry. The rig's folder stays unchanged.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::bead::{Bead, Status};
use bd::git::Git;
use bd::store::{BeadMark, Snapshot};
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
    let title = |bead: &Bead| format!("{} {}", bead.id, escape_line(&bead.title));
    let hooked = beads.select_open(&[BeadMark::Status(&Status::Hooked)]);
    let mut lines: Vec<String> = hooked
        .map(|bead| {
            format!(
                "on the hook of {}: {}",
                escape_line(&bead.assignee),
                title(bead)
            )
        })
        .collect();
    let requests = merge_request::open_requests(&beads).into_iter();
    lines.extend(requests.map(|request| format!("not merged: {}", title(request))));
    let queued = queued_sling::list_queued_slings(&beads).into_iter();
    lines.extend(queued.map(|one| format!("queued for a worker: {}", one.work_bead_id)));
    let stores = town.open_town_store()?.snapshot()?;
    for convoy in convoy::list_convoys(&stores, false) {
        let open: Vec<&str> = convoy::tracked_ids(convoy)
            .filter(|id| beads.get(id).is_some_and(Bead::is_open))
            .collect();
        if !open.is_empty() {
            lines.push(format!("tracked by {}: {}", title(convoy), open.join(", ")));
        }
    }
    // Unreadable repositories must not keep a rig in the list either.
    lines.extend(find_unmerged_branches(&rig, &beads).into_iter().flatten());
    lines.extend(find_unsaved_trees(&rig));
    Ok(lines)
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
    let is_closed = |name: &&str| {
        let bead = name
            .rsplit('/')
            .next()
            .and_then(|last| last.split('@').next());
        let bead = bead.and_then(|id| beads.get(id));
        bead.is_some_and(|bead| !bead.is_open())
    };
    Ok(names
        .lines()
        .filter(|name| !is_closed(name))
        .map(|name| format!("commits that are not in {target}: {name}"))
        .collect())
}

/// Describes the unsaved work of all work trees of a rig.
fn find_unsaved_trees(rig: &Rig) -> Vec<String> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    };
    let sandboxes = names(&rig.polecats())
        .into_iter()
        .map(|name| (format!("polecats/{name}"), rig.sandbox(&name)));
    let crew = names(&rig.crew_folder()).into_iter();
    let clones = crew.map(|name| (format!("crew/{name}"), rig.crew(&name)));
    let kennel = dog::kennel_folder(&rig.town().layout);
    let worktrees = names(&kennel).into_iter().map(|name| {
        let tree = kennel.join(&name).join(rig.name());
        (format!("deacon/dogs/{name}"), tree)
    });
    let mut lines = Vec::new();
    for (name, tree) in sandboxes.chain(clones).chain(worktrees) {
        if !tree.join(".git").exists() {
            continue;
        }
        let git = Git::at(&tree);
        let polecat = name.strip_prefix("polecats/");
        let branch = polecat.map(|name| last_sling_branch(&git, name));
        let unsaved = branch.transpose().and_then(|branch| {
            let branch = branch.flatten();
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
    let of_rig = |session: &str| {
        let address = SessionName::parse_address(session, rigs.iter().copied());
        address.is_some_and(|address| address.rig() == Some(name))
    };
    let sessions: Vec<String> = town
        .host
        .list()?
        .into_iter()
        .filter(|live| live.dead.is_none() && of_rig(&live.name))
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
