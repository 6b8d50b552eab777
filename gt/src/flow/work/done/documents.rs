//! Handles discovery documents that a worker leaves uncommitted. On a convoy's own branch they are
//! committed, and stay there until it lands. Otherwise they are kept on the convoy's ref.

use bd::git::Identity;

use super::HeldWorker;
use super::proof::find_own_commits;
use crate::flow::place::discovery;
use crate::flow::work::convoy::integration;
use crate::record::polecat::{DoneRecord, Slot};
use crate::town::event::{DiscoveryDocuments, Event, event};

/// Returns the no-change reason of a worker whose task was to explore or plan and who leaves only
/// documents.
pub(super) fn documents_only_reason(
    worker: &HeldWorker,
    slot: &Slot,
    record: &DoneRecord,
) -> anyhow::Result<Option<String>> {
    let Some(kept) = &record.documents else {
        return Ok(None);
    };
    let beads = worker.rig.store()?.snapshot()?;
    let explored = beads
        .get(&slot.bead)
        .is_some_and(discovery::is_discovery_work);
    let git = worker.git()?;
    let tip = git.resolve("HEAD")?.unwrap_or_default();
    let nothing =
        git.status()?.is_empty() && find_own_commits(&git, slot, &tip)?.commits.is_empty();
    Ok((explored && nothing).then(|| format!("only discovery documents, kept on {kept}")))
}

/// Keeps the uncommitted files below `.gt/` in the sandbox. Returns the ref that holds them, if
/// they are on one.
pub(super) fn keep_uncommitted(worker: &HeldWorker, slot: &Slot) -> anyhow::Result<Option<String>> {
    let git = worker.git()?;
    let who = author_identity(worker);
    let convoys = worker.rig.town().open_town_store()?.snapshot()?;
    let no_change = slot
        .state
        .done_record()
        .is_some_and(|done| done.no_change.is_some());
    let on_branch = git.head_branch()?.as_deref() == Some(slot.branch.as_str());
    let is_convoy_branch =
        integration::convoy_of_branch(&convoys, worker.rig.name(), &slot.target).is_some();
    if is_convoy_branch && on_branch && !no_change {
        let files = discovery::commit_documents(&git, &who)?;
        if !files.is_empty() {
            worker.rig.town().record_event(&event!(DiscoveryCommitted,
                bead: slot.bead, rig: worker.rig.name(), branch: slot.branch, files: files,
            ));
        }
        return Ok(None);
    }
    let key = discovery::key_of(&convoys, &slot.bead);
    if let Some(kept) = discovery::take_documents(&git, Some(&key), &who)? {
        let reference = kept.reference;
        let files = kept.files;
        worker
            .rig
            .town()
            .record_event(&Event::DiscoveryKept(DiscoveryDocuments {
                bead: slot.bead.to_string(),
                rig: worker.rig.name().to_owned(),
                r#ref: reference.clone(),
                files,
                ..DiscoveryDocuments::default()
            }));
        return Ok(Some(reference));
    }
    Ok(None)
}

fn author_identity(worker: &HeldWorker) -> Identity {
    let email = worker.rig.town().env.get("GIT_AUTHOR_EMAIL");
    Identity {
        name: worker.address().to_string(),
        email: email.unwrap_or("polecat@gastown.local").to_owned(),
    }
}
