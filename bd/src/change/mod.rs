//! The operations on beads, each with its rules.
//!
//! Every operation works inside a transaction, so the facts that it checks still hold when it
//! writes. Claims, closing and the choice of ids are compare-and-set. Nothing here prints or
//! prompts.

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
pub use edit::{
    BeadEdit, amend_bead, check_version, claim_bead, read_assignee, set_status, update_bead,
};
pub use import::{ImportOptions, ImportReport, OrphanPolicy, import_beads};
pub use label::{add_label, remove_label, set_labels};
pub use merge_slot::{SlotAttempt, acquire_merge_slot, create_merge_slot, release_merge_slot};
pub use plan::{BeadPlan, PlanBead, PlanEdge, PlanEndpoint, PlanError, create_all};
pub use relocate::{close_moved, copy_for_move, remap_edges};
pub use rename::{NewIds, apply_new_ids, map_to_prefix, rename_beads, rename_references};
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

/// The reason why a change is refused.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// No bead has this id.
    #[error("no issue found matching \"{0}\"")]
    NotFound(String),
    /// The id is in use.
    #[error("issue {0} already exists")]
    Exists(String),
    /// The id's prefix is not the store's prefix.
    #[error(
        "prefix mismatch: database uses '{prefix}-' but ID '{id}' doesn't match{}",
        allowed_note(allowed)
    )]
    Prefix {
        id: String,
        prefix: String,
        /// The additional prefixes that the store allows.
        allowed: Vec<String>,
    },
    /// The parent of a new bead does not exist.
    #[error("parent issue {0} not found")]
    NoParent(String),
    #[error("maximum hierarchy depth ({limit}) exceeded for parent {parent}")]
    TooDeep { parent: String, limit: usize },
    /// Every generated id is in use.
    #[error("failed to generate unique ID after trying lengths {from}-8 with 10 nonces each")]
    NoFreeId { from: usize },
    #[error("already claimed by {by}")]
    Claimed {
        id: String,
        by: String,
        /// True if no one works on it.
        is_open: bool,
    },
    /// The bead is not at the version that the caller expects.
    #[error("{id} was changed since: it is at version {version}, not {expected}")]
    Changed {
        id: String,
        version: String,
        expected: String,
    },
    /// A closed bead cannot be claimed.
    #[error("{0} is closed; reopen it first")]
    ClaimClosed(String),
    /// Templates are read-only.
    #[error(
        "cannot modify template {0}: templates are read-only; use 'bd mol pour' to create a work item"
    )]
    Template(String),
    #[error("cannot modify pinned issue {0} (use --force to override)")]
    Pinned(String),
    #[error("cannot close {id}: blocked by open issues [{}] (use --force to override)", blockers.join(" "))]
    Blocked { id: String, blockers: Vec<String> },
    /// The tombstone status, which only `delete` sets.
    #[error("cannot set status to tombstone directly; use 'bd delete' instead")]
    TombstoneStatus,
    /// The title is empty or too long.
    #[error("title must be 1-500 characters")]
    TitleLength,
    /// A bead cannot wait for itself.
    #[error("issue cannot depend on itself")]
    SelfDependency,
    /// The target of an edge does not exist.
    #[error("dependency target {0} not found")]
    NoTarget(String),
    /// The two beads already have an edge of another kind.
    #[error("failed to add dependency: {from} already depends on {to} ({kind})")]
    OtherEdge {
        from: String,
        to: String,
        /// The kind of the existing edge.
        kind: String,
    },
    /// The edge would close a cycle.
    #[error("cannot add dependency: would create a cycle ({})", path.join(" → "))]
    Cycle { path: Vec<String> },
    /// A parent-child edge in the wrong direction.
    #[error(
        "invalid parent-child dependency: parent ({parent}) cannot depend on child ({child}). Use: bd dep add {child} {parent} --type parent-child"
    )]
    ParentDependsOnChild {
        parent: String,
        /// The bead that is not an epic.
        child: String,
    },
    /// A child would wait for its own ancestor.
    #[error("{child} is already a child of {ancestor}: waiting for it would be a deadlock")]
    Deadlock { child: String, ancestor: String },
    /// A durable bead cannot have an edge to a wisp, which other clones do not have.
    #[error("{from} is in git and cannot depend on the wisp {to}; let the wisp hold the edge")]
    EdgeToWisp { from: String, to: String },
    /// The edge does not exist.
    #[error("dependency from {from} to {to} does not exist")]
    NoEdge {
        /// The source of the missing edge.
        from: String,
        to: String,
    },
    /// The agent's hook holds another bead.
    #[error("hook slot already occupied by {by}; use 'bd slot clear {agent} hook' first")]
    SlotTaken {
        agent: String,
        /// The bead on the hook.
        by: String,
    },
    /// The bead does not stand for an agent.
    #[error("{0} is not an agent bead (missing gt:agent label)")]
    NoAgent(String),
    /// Someone else holds the merge slot.
    #[error("slot held by {held}, not {asked}")]
    OtherHolder {
        held: String,
        /// The requester of the release.
        asked: String,
    },
    /// Imported records that refer to the same item of another tracker.
    #[error("batch import contains duplicate external_ref values: {} (use --clear-duplicate-external-refs to let the first keep it)", .0.join("; "))]
    SameReference(Vec<String>),
    #[error("label cannot be empty")]
    EmptyLabel,
    #[error(transparent)]
    Resolve(#[from] ResolveError),
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

/// Returns a copy of a live bead by its exact id, to be changed.
fn load_live_bead(snapshot: &Snapshot, id: &str) -> Result<Bead, ChangeError> {
    snapshot
        .get_live(id)
        .cloned()
        .ok_or_else(|| ChangeError::NotFound(id.to_owned()))
}
