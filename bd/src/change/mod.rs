//! The verbs: what can be done to beads, each with its rules.
//!
//! Every verb works inside a transaction, so what it checks still holds when it writes: claims, closing and
//! the making of ids are compare-and-set. Nothing here prints or asks.

mod agent;
mod audit;
mod close;
mod comment;
mod create;
mod delete;
mod dep;
mod edit;
mod import;
mod label;
mod merge_slot;
mod plan;
mod relocate;
mod rename;
mod replace;
mod restore;
mod revive;
mod script;
mod state;
mod swarm;
mod undo;

#[cfg(test)]
mod tests;

pub use agent::{AGENT_LABEL, AGENT_STATES, AgentSlot, agent_heartbeat, set_agent_state, set_slot};
pub use audit::{AuditEntry, append_audit, has_audit};
pub use close::{close_bead, mark_closed, mark_open, reopen_bead};
pub use comment::add_comment;
pub use create::{NewBead, create_bead};
pub use delete::{DeletionEffects, delete_bead};
pub use dep::{
    add_dep, add_dep_with_metadata, find_cycle, is_ancestor_id, relate_beads, remove_dep,
    set_parent, unrelate_beads,
};
pub use edit::{BeadEdit, amend_bead, check_version, claim_bead, set_status, update_bead};
pub use import::{ImportOptions, ImportReport, OrphanPolicy, import_beads};
pub use label::{add_label, remove_label, set_labels};
pub use merge_slot::{SlotAttempt, acquire_merge_slot, create_merge_slot, release_merge_slot};
pub use plan::{BeadPlan, PlanBead, PlanEdge, PlanEndpoint, PlanError, create_all};
pub use relocate::{close_moved, copy_for_move, remap_edges};
pub use rename::{NewIds, apply_new_ids, rename_beads};
pub use replace::replace_bead;
pub use restore::{RestoredBeads, restore_beads, restore_parents};
pub use revive::{RevivedBead, revive_beads};
pub use script::{ScriptChange, ScriptError, ScriptStep, read_script};
pub use state::{StateChange, set_state};
pub use swarm::{create_swarm, epic_for_swarm};
pub use undo::{UndoError, UndoOutcome, undo_event};

use crate::bead::Bead;
use crate::bead::id::ResolveError;
use crate::store::{Snapshot, StoreError};

/// Why a change is refused.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// There is no such bead.
    #[error("no issue found matching \"{0}\"")]
    NotFound(String),
    /// The id is in use.
    #[error("issue {0} already exists")]
    Exists(String),
    /// The id has another prefix than this store.
    #[error(
        "prefix mismatch: database uses '{prefix}-' but ID '{id}' doesn't match{}",
        allowed_note(allowed)
    )]
    Prefix {
        /// The id.
        id: String,
        /// The store's prefix.
        prefix: String,
        /// Further prefixes that may be used.
        allowed: Vec<String>,
    },
    /// The parent of a new bead is not there.
    #[error("parent issue {0} not found")]
    NoParent(String),
    /// Children nest too deep.
    #[error("maximum hierarchy depth ({limit}) exceeded for parent {parent}")]
    TooDeep {
        /// The parent.
        parent: String,
        /// The limit.
        limit: usize,
    },
    /// Every id that was tried is in use.
    #[error("failed to generate unique ID after trying lengths {from}-8 with 10 nonces each")]
    NoFreeId {
        /// The shortest length tried.
        from: usize,
    },
    /// Someone has it already.
    #[error("already claimed by {by}")]
    Claimed {
        /// The bead.
        id: String,
        /// Who has it.
        by: String,
    },
    /// It is not at the version that the caller has seen.
    #[error("{id} was changed since: it is at version {version}, not {expected}")]
    Changed {
        /// The bead.
        id: String,
        /// Its version.
        version: String,
        /// What was expected.
        expected: String,
    },
    /// It is closed, so it cannot be claimed.
    #[error("{0} is closed; reopen it first")]
    ClaimClosed(String),
    /// Templates are read-only.
    #[error(
        "cannot modify template {0}: templates are read-only; use 'bd mol pour' to create a work item"
    )]
    Template(String),
    /// Pinned beads stay open.
    #[error("cannot modify pinned issue {0} (use --force to override)")]
    Pinned(String),
    /// It waits for others.
    #[error("cannot close {id}: blocked by open issues [{}] (use --force to override)", blockers.join(" "))]
    Blocked {
        /// The bead.
        id: String,
        /// What it waits for.
        blockers: Vec<String>,
    },
    /// A status that only `delete` gives.
    #[error("cannot set status to tombstone directly; use 'bd delete' instead")]
    TombstoneStatus,
    /// A title that is empty or too long.
    #[error("title must be 1-500 characters")]
    TitleLength,
    /// A bead cannot wait for itself.
    #[error("issue cannot depend on itself")]
    SelfDependency,
    /// The target of an edge is not there.
    #[error("dependency target {0} not found")]
    NoTarget(String),
    /// Two edges of different kinds between the same beads.
    #[error("failed to add dependency: {from} already depends on {to} ({kind})")]
    OtherEdge {
        /// The bead that depends.
        from: String,
        /// Its target.
        to: String,
        /// The kind of the edge that is there.
        kind: String,
    },
    /// The edge would close a circle.
    #[error("cannot add dependency: would create a cycle ({})", path.join(" → "))]
    Cycle {
        /// The circle.
        path: Vec<String>,
    },
    /// A parent-child edge the wrong way round.
    #[error(
        "invalid parent-child dependency: parent ({parent}) cannot depend on child ({child}). Use: bd dep add {child} {parent} --type parent-child"
    )]
    ParentDependsOnChild {
        /// The epic.
        parent: String,
        /// The bead that is no epic.
        child: String,
    },
    /// A child that would wait for its own ancestor.
    #[error("{child} is already a child of {ancestor}: waiting for it would be a deadlock")]
    Deadlock {
        /// The child.
        child: String,
        /// Its ancestor.
        ancestor: String,
    },
    /// A durable bead cannot point at a wisp, which others do not have.
    #[error("{from} is in git and cannot depend on the wisp {to}; let the wisp hold the edge")]
    EdgeToWisp {
        /// The durable bead.
        from: String,
        /// The wisp.
        to: String,
    },
    /// The edge is not there.
    #[error("dependency from {from} to {to} does not exist")]
    NoEdge {
        /// The bead that would depend.
        from: String,
        /// Its target.
        to: String,
    },
    /// An agent's hook has another bead.
    #[error("hook slot already occupied by {by}; use 'bd slot clear {agent} hook' first")]
    SlotTaken {
        /// The agent.
        agent: String,
        /// The bead on its hook.
        by: String,
    },
    /// The bead stands for no agent.
    #[error("{0} is not an agent bead (missing gt:agent label)")]
    NoAgent(String),
    /// Another one holds the merge slot.
    #[error("slot held by {held}, not {asked}")]
    OtherHolder {
        /// Who holds it.
        held: String,
        /// Who wanted to free it.
        asked: String,
    },
    /// Records of an import that stand for one thing of another tracker.
    #[error("batch import contains duplicate external_ref values: {} (use --clear-duplicate-external-refs to let the first keep it)", .0.join("; "))]
    SameReference(Vec<String>),
    /// A label without text.
    #[error("label cannot be empty")]
    EmptyLabel,
    /// An id that cannot be resolved.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// What the store refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn allowed_note(allowed: &[String]) -> String {
    if allowed.is_empty() {
        " (use --force to override)".to_owned()
    } else {
        format!(" (allowed: {})", allowed.join(", "))
    }
}

/// A live bead by its exact id, to be changed.
fn load_live_bead(snapshot: &Snapshot, id: &str) -> Result<Bead, ChangeError> {
    snapshot
        .get_live(id)
        .cloned()
        .ok_or_else(|| ChangeError::NotFound(id.to_owned()))
}
