//! Checks that the caller may finish the work: only a polecat, with the current lease, with work on
//! its hook.

use std::path::PathBuf;

use bd::git::{Git, GitError};

use crate::record::polecat::Slot;
use crate::town::identity::{Address, caller_from_folder};
use crate::town::lock::Lock;
use crate::town::name::Lease;
use crate::town::process::TOKEN;
use crate::town::{Rig, Town};

/// A polecat whose work is being finished. Holds its slot lock.
pub struct HeldWorker<'t> {
    pub rig: Rig<'t>,
    pub name: String,
    /// The id of the polecat's local record.
    pub slot_id: String,
    /// The polecat's local record at the start of the flow.
    pub slot: Slot,
    /// The id of the polecat's identity bead.
    pub agent_id: String,
    _lock: Lock,
}

impl HeldWorker<'_> {
    pub fn address(&self) -> Address {
        Address::Polecat(self.rig.name().to_owned(), self.name.clone())
    }

    pub fn sandbox(&self) -> PathBuf {
        self.rig.sandbox(&self.name)
    }

    pub fn git(&self) -> Result<Git, GitError> {
        self.rig.sandbox_git(&self.name)
    }
}

/// Defines why a caller may not finish the work.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum IdentifyError {
    /// The caller is not a polecat.
    #[error("only a polecat finishes work with `gt done`; this is {who}")]
    NoPolecat { who: String },
    /// The caller's hook is empty.
    #[error("there is no work on the hook of {who}: nothing to finish")]
    NoWork { who: String },
    /// The caller's session has no lease.
    #[error(
        "this is no session of {who}: GT_LEASE is not set, and only the session that holds the lease \
         finishes its work (look at it with `gt attach {who}`)"
    )]
    NoLease { who: String },
    /// The caller names a worker that it is not.
    #[error(
        "this is no session of {who}: GT_SESSION_TOKEN is another one, and only the session that holds the work hands it in"
    )]
    OtherSession { who: String },
    /// The caller is in the folder of another agent.
    #[error(
        "this is the folder of {owner}: `gt done` of {who} runs in its own sandbox, {}", sandbox.display()
    )]
    OtherFolder {
        who: String,
        owner: String,
        sandbox: PathBuf,
    },
    /// The bead is no longer at the attempt of this worker.
    #[error(
        "{bead} was {what}, after it was given to {worker}: nothing is handed in. The commits are kept on a rescue ref, \
         and this session may end"
    )]
    Superseded {
        bead: String,
        worker: String,
        what: String,
    },
    /// A newer session has taken over.
    #[error(
        "this session holds lease {held} of {who}, but lease {current} is current: a newer session \
         has taken over this work, and this one may end"
    )]
    OldLease {
        who: String,
        held: Lease,
        current: Lease,
    },
}

/// Identifies the calling polecat and takes its slot lock.
pub fn identify_worker(town: &Town) -> anyhow::Result<HeldWorker<'_>> {
    let who = town.actor.to_string();
    let Address::Polecat(rig, name) = &town.actor else {
        return Err(IdentifyError::NoPolecat { who }.into());
    };
    let rig = town.find_rig(rig)?;
    let held = town
        .env
        .get("GT_LEASE")
        .and_then(|text| text.parse().ok())
        .map(Lease);
    // A patrol or the last step of a sling may hold the lock for a moment.
    let lock = rig.take_slot(name, std::time::Duration::from_secs(30))?;
    let worker = find_worker(rig, name, lock)?;
    check_folder(town, &worker)?;
    let token = town.env.get(TOKEN).unwrap_or("");
    match held {
        Some(held) if held == worker.slot.lease && token == worker.slot.token => Ok(worker),
        Some(held) if held == worker.slot.lease => Err(IdentifyError::OtherSession { who }.into()),
        Some(held) => Err(IdentifyError::OldLease {
            who,
            held,
            current: worker.slot.lease,
        }
        .into()),
        None => Err(IdentifyError::NoLease { who }.into()),
    }
}

/// Refuses a caller in the folder of another agent of the town.
fn check_folder(town: &Town, worker: &HeldWorker) -> Result<(), IdentifyError> {
    match caller_from_folder(town.layout.root(), town.env.cwd()) {
        Some(owner) if owner != worker.address() => Err(IdentifyError::OtherFolder {
            who: worker.address().to_string(),
            owner: owner.to_string(),
            sandbox: worker.sandbox(),
        }),
        _ => Ok(()),
    }
}

/// Returns a polecat with work on its hook, by name, under a lock that the caller took.
pub fn find_worker<'t>(rig: Rig<'t>, name: &str, lock: Lock) -> anyhow::Result<HeldWorker<'t>> {
    let prefix = rig.prefix();
    let address = Address::Polecat(rig.name().to_owned(), name.to_owned());
    let agent_id = address.bead_id(&prefix);
    let slot_id = Slot::id(&prefix, rig.name(), name);
    let snapshot = rig.store()?.snapshot()?;
    let slot = Slot::load(&snapshot, &slot_id);
    let agent = snapshot.get(&agent_id);
    let hook = agent.map_or("", |agent| &agent.hook_bead);
    anyhow::ensure!(
        !hook.is_empty() && hook == slot.bead,
        IdentifyError::NoWork {
            who: address.to_string()
        }
    );
    Ok(HeldWorker {
        rig,
        name: name.to_owned(),
        slot_id,
        slot,
        agent_id,
        _lock: lock,
    })
}
