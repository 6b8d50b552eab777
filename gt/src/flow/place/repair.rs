//! Repairs a town without losing anything: adds missing files, hooks and routes, corrects paths
//! that lead to an earlier place of the town, and keeps what is there.

use std::collections::BTreeSet;
use std::path::Path;

use bd::git::Git;
use kit::sys::file;

use crate::flow::place::install::{InstallRequest, install_town};
use crate::flow::place::moved;
use crate::flow::place::rig::add_missing_route;
use crate::flow::place::sandbox::Sandbox;
use crate::host::runtime::installed;
use crate::town::{Rig, Town};

/// The refspec that keeps the branches of the remote apart from the rig's own refs.
const ORIGIN_REFSPEC: &str = "+refs/heads/*:refs/remotes/origin/*";

/// Descriptions of what was repaired, and of what could not be.
#[derive(Debug, Default)]
pub struct RepairReport {
    pub repaired: Vec<String>,
    pub failed: Vec<String>,
}

/// Repairs a town. `earlier` is a known earlier place of it.
pub fn repair_town(town: &Town, earlier: Option<&Path>) -> RepairReport {
    let mut report = RepairReport::default();
    let layout = &town.layout;
    let files = [
        layout.rigs_json(),
        layout.routes(),
        layout.overseer_json(),
        layout.daemon(),
        layout.runtime(),
    ];
    let missing: Vec<_> = files.into_iter().filter(|path| !path.exists()).collect();
    let request = InstallRequest::from_git_user(layout.root());
    match install_town(&town.env, &town.clock, layout.root(), &request) {
        Ok(_) => {
            report.repaired.extend(
                missing
                    .iter()
                    .filter(|path| path.exists())
                    .map(|path| format!("made {}", path.display())),
            );
        }
        Err(error) => report.failed.push(format!("{error:#}")),
    }
    match installed::sync_role_hooks(town, None, false) {
        Ok(changed) => report.repaired.extend(changed.into_iter().map(|hooks| {
            let path = hooks.display_path();
            format!("added the missing hooks of {} to {path}", hooks.target)
        })),
        Err(error) => report.failed.push(format!("{error:#}")),
    }
    if let Err(error) = repair_paths(town, earlier, &mut report) {
        report.failed.push(format!("{error:#}"));
    }
    match town.list_rigs() {
        Ok(rigs) => repair_rigs(&rigs, &mut report),
        Err(error) => report.failed.push(format!("{error:#}")),
    }
    report
}

fn repair_rigs(rigs: &[Rig], report: &mut RepairReport) {
    for rig in rigs.iter().filter(|rig| rig.repo().is_dir()) {
        if let Err(error) = repair_rig(rig, &mut report.repaired) {
            report.failed.push(format!("rig {}: {error:#}", rig.name()));
        }
    }
}

/// Replaces the paths that lead to an earlier place of the town.
fn repair_paths(
    town: &Town,
    earlier: Option<&Path>,
    report: &mut RepairReport,
) -> anyhow::Result<()> {
    let stale_paths = moved::find_stale_paths(town, earlier)?;
    report.failed.extend(stale_paths.unreadable);
    for stale in stale_paths.found {
        match stale.repair(town) {
            Ok(()) => report
                .repaired
                .push(format!("corrected {}", stale.path.display())),
            Err(error) => {
                let text = format!("{}: {error:#}", stale.describe());
                report.failed.push(text);
            }
        }
    }
    Ok(())
}

/// Adds the missing route of a rig, and sets what keeps its saved work safe from git.
fn repair_rig(rig: &Rig, repaired: &mut Vec<String>) -> anyhow::Result<()> {
    let name = rig.name();
    let git = rig.git();
    if let Some(prefix) = add_missing_route(rig)? {
        repaired.push(format!("added the route of {prefix}- to rig {name}"));
    }
    for worker in file::list_subfolders(&rig.polecats()) {
        // Another process works in the sandbox, and finds the fault itself.
        let Ok(_slot) = rig.try_take_slot(&worker) else {
            continue;
        };
        let sandbox = Sandbox::new(rig, &worker);
        if sandbox.check().is_err() && sandbox.repair_links()? {
            repaired.push(format!("repaired the repository of {name}/{worker}"));
        }
    }
    let prune = "gc.pruneExpire";
    if git.config_get(prune)?.as_deref() != Some("never") {
        git.config_set(prune, "never")?;
        repaired.push(format!("set {prune} of rig {name} to never"));
    }
    if git.remote_url("origin")?.is_some() {
        repair_refspecs(name, &git, repaired)?;
    }
    Ok(())
}

/// Returns true if a fetch with a refspec of origin may overwrite branches of workers or saved
/// work.
pub fn is_unsafe_refspec(refspec: &str) -> bool {
    let to = refspec.split_once(':').map_or("", |(_, to)| to);
    ["refs/*", "refs/heads/", "refs/gt/"]
        .iter()
        .any(|unsafe_place| to.starts_with(unsafe_place))
}

/// Removes the refspecs of origin that may overwrite work, and adds the usual one if none is left.
fn repair_refspecs(rig: &str, git: &Git, repaired: &mut Vec<String>) -> anyhow::Result<()> {
    let key = "remote.origin.fetch";
    let entries = git.own_config(r"^remote\.origin\.fetch$")?;
    let (bad, good): (BTreeSet<String>, BTreeSet<String>) = entries
        .into_iter()
        .map(|(_, refspec)| refspec)
        .partition(|refspec| is_unsafe_refspec(refspec));
    for refspec in bad {
        git.plumbing(["config", "--local", "--fixed-value", "--unset-all", key])
            .args([&refspec])
            .run()?;
        repaired.push(format!("removed the {key} {refspec} of rig {rig}"));
    }
    if good.is_empty() {
        git.plumbing(["config", "--local", "--add", key, ORIGIN_REFSPEC])
            .run()?;
        repaired.push(format!("set {key} of rig {rig} to {ORIGIN_REFSPEC}"));
    }
    Ok(())
}
