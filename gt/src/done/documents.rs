//! Discovery documents that a worker leaves uncommitted: they are kept for the workers after it.

use bd::git::{Git, Identity};
use serde_json::json;

use super::Worker;
use crate::discovery;
use crate::polecat::Slot;
use crate::town::Town;

/// Keeps what was written below `.gt/` in the sandbox and not committed.
pub(super) fn hand_over(town: &Town, worker: &Worker, slot: &Slot) -> anyhow::Result<()> {
    let git = Git::at(worker.sandbox());
    let key = discovery::key_of(&town.store()?.snapshot()?, &slot.bead);
    if let Some(kept) = discovery::take(&git, Some(&key), &author(town, worker))? {
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
