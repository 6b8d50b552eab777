//! Checks sandboxes: each polecat's is a worktree of its rig's repository, and every folder has its
//! polecat.

use std::fs;

use super::{CheckFindings, list_readable_rigs};
use crate::flow::place::sandbox::{self, Sandbox};
use crate::host::LiveTown;
use crate::record::polecat;
use crate::town::RigLayout;

pub(super) fn check_sandboxes(town: &LiveTown, page: &mut CheckFindings) {
    for rig in list_readable_rigs(town) {
        let Ok(beads) = rig.store().and_then(|store| Ok(store.snapshot()?)) else {
            // The check of beads reports the reason.
            continue;
        };
        let before = page.all.len();
        let polecats = polecat::list_polecats(&rig, &beads, None);
        let moved: Vec<_> = sandbox::list_moved_worktrees(&rig)
            .into_iter()
            .map(|tree| tree.place)
            .collect();
        for polecat in &polecats {
            let sandbox = Sandbox::new(&rig, &polecat.name);
            // The check of paths reports a sandbox that was moved.
            if !sandbox.path().exists() || moved.contains(&sandbox.path()) {
                continue;
            }
            if let Err(reason) = sandbox.check() {
                let text = format!(
                    "{}/{}: its sandbox is broken: {reason}",
                    rig.name(),
                    polecat.name
                );
                page.warn(
                    text,
                    "the next sling saves what it can and creates it again",
                );
            }
        }
        for folder in find_unknown_folders(&rig, &polecats) {
            let text = format!("{}: a sandbox without a polecat", folder.display());
            page.note(text, "check it for unsaved work before you remove it");
        }
        let text = format!(
            "rig {}: {} with a sound sandbox",
            rig.name(),
            kit::ui::counted(polecats.len(), "polecat")
        );
        page.ok_unless(before, text);
    }
}

fn find_unknown_folders(rig: &RigLayout, polecats: &[polecat::Polecat]) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(rig.polecats()).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            !name.starts_with('.') && !polecats.iter().any(|polecat| polecat.name == name)
        })
        .map(|entry| entry.path())
        .collect()
}
