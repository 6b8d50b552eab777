//! Creates beads.
//!
//! Steps:
//! 1. Choose the id (given, child of a parent, or hashed) and check that it is free.
//! 2. Fill the record.
//! 3. Write the bead.
//! 4. Add its edges.

use super::{ChangeError, add_dep};
use crate::bead::{Bead, DepKind, Kind, RawJson, Stamp, Status, id, record};
use crate::store::Tx;

/// The values of a new bead. Everything except the title can keep its default.
#[derive(Debug, Clone)]
#[expect(
    missing_docs,
    clippy::struct_excessive_bools,
    reason = "the fields are those of the bead"
)]
pub struct NewBead {
    /// An id that the user chose.
    pub id: Option<String>,
    /// Accept an id with a foreign prefix.
    pub force: bool,
    /// A prefix for a hashed id that replaces the store's prefix, such as `gt-wisp`.
    pub prefix: Option<String>,
    /// The parent, which determines the id and gets a parent-child edge.
    pub parent: Option<String>,
    pub deps: Vec<(DepKind, String)>,
    /// A creator that replaces the actor.
    pub created_by: Option<String>,
    pub title: String,
    pub description: String,
    pub design: String,
    pub acceptance_criteria: String,
    pub notes: String,
    pub spec_id: String,
    pub status: Status,
    pub priority: i64,
    pub issue_type: Kind,
    pub assignee: String,
    pub estimated_minutes: Option<i64>,
    pub due_at: Option<Stamp>,
    pub defer_until: Option<Stamp>,
    pub external_ref: Option<String>,
    pub metadata: Option<RawJson>,
    pub labels: Vec<String>,
    pub sender: String,
    pub ephemeral: bool,
    pub wisp_type: String,
    pub mol_type: String,
    pub pinned: bool,
    pub is_template: bool,
    pub hook_bead: String,
    pub agent_state: String,
    pub role_type: String,
    pub rig: String,
    pub event_kind: String,
    pub actor: String,
    pub target: String,
    pub payload: String,
    pub await_type: String,
    pub await_id: String,
    /// The time limit of a gate, in nanoseconds.
    pub timeout: i64,
    pub source_formula: String,
    pub source_location: String,
    pub bonded_from: Option<serde_json::Value>,
}

impl NewBead {
    /// Copies the descriptive fields of a bead, without creator, times and links.
    pub(crate) fn from_bead(bead: &Bead) -> Self {
        Self {
            title: bead.title.clone(),
            description: bead.description.clone(),
            design: bead.design.clone(),
            acceptance_criteria: bead.acceptance_criteria.clone(),
            notes: bead.notes.clone(),
            spec_id: bead.spec_id.clone(),
            priority: bead.priority,
            issue_type: bead.issue_type.clone(),
            assignee: bead.assignee.clone(),
            estimated_minutes: bead.estimated_minutes,
            metadata: bead.metadata.clone(),
            labels: bead.labels.clone(),
            ..Self::default()
        }
    }
}

impl Default for NewBead {
    fn default() -> Self {
        let blank = String::new;
        Self {
            id: None,
            force: false,
            prefix: None,
            parent: None,
            deps: Vec::new(),
            created_by: None,
            title: blank(),
            description: blank(),
            design: blank(),
            acceptance_criteria: blank(),
            notes: blank(),
            spec_id: blank(),
            status: Status::Open,
            priority: 2,
            issue_type: Kind::Task,
            assignee: blank(),
            estimated_minutes: None,
            due_at: None,
            defer_until: None,
            external_ref: None,
            metadata: None,
            labels: Vec::new(),
            sender: blank(),
            ephemeral: false,
            wisp_type: blank(),
            mol_type: blank(),
            pinned: false,
            is_template: false,
            hook_bead: blank(),
            agent_state: blank(),
            role_type: blank(),
            rig: blank(),
            event_kind: blank(),
            actor: blank(),
            target: blank(),
            payload: blank(),
            await_type: blank(),
            await_id: blank(),
            timeout: 0,
            source_formula: blank(),
            source_location: blank(),
            bonded_from: None,
        }
    }
}

pub fn create_bead(tx: &mut Tx<'_>, new: NewBead) -> Result<Bead, ChangeError> {
    let now = tx.now();
    let creator = new
        .created_by
        .clone()
        .unwrap_or_else(|| tx.actor().to_owned());
    let id = choose_id(tx, &new, &creator, &now)?;
    let parent = new.parent.clone();
    let deps = new.deps.clone();
    let bead = build_bead(new, id, creator, now, &tx.author().owner);
    let id = bead.id.clone();
    tx.put(bead)?;
    if let Some(parent) = parent {
        add_dep(tx, &id, &parent, DepKind::ParentChild)?;
    }
    for (kind, target) in deps {
        add_dep(tx, &id, &target, kind)?;
    }
    super::load_live_bead(tx, &id)
}

pub(super) fn build_bead(
    new: NewBead,
    id: String,
    creator: String,
    now: Stamp,
    owner: &str,
) -> Bead {
    let closed_at = (new.status == Status::Closed).then(|| now.clone());
    let mut labels = new.labels;
    if labels.iter().any(|label| label == "gt:agent") {
        let facets = [("role_type", &new.role_type), ("rig", &new.rig)];
        labels.extend(
            facets
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| format!("{name}:{value}")),
        );
    }
    Bead {
        id,
        title: new.title,
        description: new.description,
        design: new.design,
        acceptance_criteria: new.acceptance_criteria,
        notes: new.notes,
        spec_id: new.spec_id,
        status: new.status,
        priority: new.priority,
        issue_type: new.issue_type,
        assignee: new.assignee,
        owner: owner.to_owned(),
        estimated_minutes: new.estimated_minutes,
        created_at: now.clone(),
        created_by: creator,
        updated_at: now,
        closed_at,
        due_at: new.due_at,
        defer_until: new.defer_until,
        external_ref: new.external_ref,
        metadata: new.metadata.and_then(super::edit::not_empty),
        labels,
        sender: new.sender,
        ephemeral: new.ephemeral,
        wisp_type: new.wisp_type,
        mol_type: new.mol_type,
        pinned: new.pinned,
        is_template: new.is_template,
        hook_bead: new.hook_bead,
        agent_state: new.agent_state,
        role_type: new.role_type,
        rig: new.rig,
        event_kind: new.event_kind,
        actor: new.actor,
        target: new.target,
        payload: new.payload,
        await_type: new.await_type,
        await_id: new.await_id,
        timeout: new.timeout,
        source_formula: new.source_formula,
        source_location: new.source_location,
        bonded_from: new.bonded_from.as_ref().and_then(record::to_raw_json),
        ..Bead::default()
    }
}

pub(super) fn choose_id(
    tx: &Tx<'_>,
    new: &NewBead,
    creator: &str,
    now: &Stamp,
) -> Result<String, ChangeError> {
    if let Some(parent) = &new.parent
        && tx.get_live(parent).is_none()
    {
        return Err(ChangeError::NoParent(parent.clone()));
    }
    match (&new.id, &new.parent) {
        (Some(id), _) => check_given_id(tx, id, new.force),
        (None, Some(parent)) => next_child_id(tx, parent),
        (None, None) => generate_hashed_id(tx, new, creator, now),
    }
}

/// Checks an id that the user chose. The id must be free, or belong to a deleted bead, which the
/// new bead replaces.
fn check_given_id(tx: &Tx<'_>, id: &str, force: bool) -> Result<String, ChangeError> {
    if !id::is_well_formed(id) {
        let invalid = crate::bead::validate::ValidationError::Id(id.to_owned());
        return Err(ChangeError::Store(invalid.into()));
    }
    if tx.get_live(id).is_some() || tx.is_archived(id) {
        return Err(ChangeError::Exists(id.to_owned()));
    }
    if !force {
        check_prefix(tx, id)?;
        if let Some((parent, _)) = id::split_child(id)
            && tx.get_live(parent).is_none()
        {
            return Err(ChangeError::NoParent(parent.to_owned()));
        }
    }
    Ok(id.to_owned())
}

fn check_prefix(tx: &Tx<'_>, id: &str) -> Result<(), ChangeError> {
    let prefix = tx.prefix()?;
    let allowed = tx.config().list("allowed_prefixes");
    if allowed.iter().chain([&prefix]).any(|prefix| {
        id.strip_prefix(prefix.trim_end_matches('-'))
            .is_some_and(|rest| rest.starts_with('-'))
    }) {
        return Ok(());
    }
    Err(ChangeError::Prefix {
        id: id.to_owned(),
        prefix,
        allowed,
    })
}

/// Returns the id of the next child. Numbers of deleted children are not reused.
fn next_child_id(tx: &Tx<'_>, parent: &str) -> Result<String, ChangeError> {
    check_depth(tx, parent)?;
    Ok(format!("{parent}.{}", tx.last_child_number(parent) + 1))
}

/// Fails if `parent` is already at the maximum nesting depth.
pub(super) fn check_depth(tx: &Tx<'_>, parent: &str) -> Result<(), ChangeError> {
    let limit = tx
        .config()
        .number("hierarchy.max-depth")
        .unwrap_or(3)
        .max(1);
    if parent.matches('.').count() >= limit {
        return Err(ChangeError::TooDeep {
            parent: parent.to_owned(),
            limit,
        });
    }
    Ok(())
}

fn generate_hashed_id(
    tx: &Tx<'_>,
    new: &NewBead,
    creator: &str,
    now: &Stamp,
) -> Result<String, ChangeError> {
    let prefix = match &new.prefix {
        Some(prefix) => prefix.clone(),
        None => tx.prefix()?,
    };
    let config = tx.config();
    let limit = config
        .get("max_collision_prob")
        .and_then(|text| text.parse().ok());
    let shortest = config.number("min_hash_length").unwrap_or(3);
    let count = tx.count_top_level(&prefix);
    let from = id::choose_hash_length(count, limit.unwrap_or(0.25))
        .max(shortest)
        .min(8);
    let seed = id::IdSeed {
        title: &new.title,
        description: &new.description,
        creator,
        nanos: now.instant().as_nanosecond(),
    };
    id::generate_id(&prefix, seed, from, |id| tx.is_taken(id)).ok_or(ChangeError::NoFreeId { from })
}
