//! Discovery documents that a worker leaves uncommitted: on a convoy's own branch they are committed, since that
//! is where they stay until it lands; else they are kept on the convoy's ref.

use bd::git::{Git, Identity};
use serde_json::json;

use super::Worker;
use crate::convoy::integration;
use crate::discovery;
use crate::polecat::Slot;
use crate::town::Town;

/// Looks after what was written below `.gt/` in the sandbox and not committed.
pub(super) fn hand_over(town: &Town, worker: &Worker, slot: &Slot) -> anyhow::Result<()> {
    let git = Git::at(worker.sandbox());
    let who = author(town, worker);
    let convoys = town.store()?.snapshot()?;
    let no_change = slot
        .done
        .as_ref()
        .is_some_and(|done| done.no_change.is_some());
    let on_branch = git.head_branch()?.as_deref() == Some(slot.branch.as_str());
    let own = integration::owner_of(&convoys, worker.rig.name(), &slot.target).is_some();
    if own && on_branch && !no_change {
        let files = discovery::commit(&git, &who)?;
        if !files.is_empty() {
            town.tell(
                "discovery_committed",
                json!({ "bead": slot.bead, "rig": worker.rig.name(), "branch": slot.branch, "files": files }),
            );
        }
        return Ok(());
    }
    let key = discovery::key_of(&convoys, &slot.bead);
    if let Some(kept) = discovery::take(&git, Some(&key), &who)? {
        let (reference, files) = (kept.reference, kept.files);
        town.tell(
            "discovery_kept",
            json!({ "bead": slot.bead, "rig": worker.rig.name(), "ref": reference, "files": files }),
        );
    }
    Ok(())
}

fn author(town: &Town, worker: &Worker) -> Identity {
    let email = town.env.get("GIT_AUTHOR_EMAIL");
    Identity {
        name: worker.address().to_string(),
        email: email.unwrap_or("polecat@gastown.local").to_owned(),
    }
}
