//! The state of a molecule: its steps in the order of the formula, with the completed steps and the
//! next one.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Serialize;

use crate::bead::{Bead, DepKind, Kind, Status, fields};
use crate::store::{BeadNode, BeadRef, Snapshot, TimeField, Tx};

/// The field of a work bead's description that names its molecule.
pub const ATTACHED: &str = "attached_molecule";

/// The state of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    Done,
    Current,
    Ready,
    /// The step waits for another step.
    Blocked,
    /// The step is deferred, is a gate, or has open steps of its own.
    #[default]
    Pending,
}

impl StepState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Current => "current",
            Self::Ready => "ready",
            Self::Blocked => "blocked",
            Self::Pending => "pending",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct MoleculeStep<'a> {
    pub bead_ref: BeadRef<'a>,
    pub state: StepState,
}

/// A molecule and its steps.
#[derive(Debug, Clone)]
pub struct MoleculeProgress<'a> {
    pub root: BeadRef<'a>,
    pub steps: Vec<MoleculeStep<'a>>,
}

impl<'a> MoleculeProgress<'a> {
    /// Returns the molecule with this root.
    pub fn for_root(snapshot: &'a Snapshot, root: &str) -> Option<Self> {
        Self::with_members(snapshot, root, list_molecule_steps)
    }

    /// Like [`Self::for_root`], with the steps in the order of their numbers, so that a step may
    /// precede one that it waits for. This suffices to count steps and to find the next one, and is
    /// faster for thousands of steps.
    pub fn by_number(snapshot: &'a Snapshot, root: &str) -> Option<Self> {
        Self::with_members(snapshot, root, list_steps_by_number)
    }

    fn with_members(
        snapshot: &'a Snapshot,
        root: &str,
        members: impl Fn(&'a Snapshot, &str) -> Vec<BeadRef<'a>>,
    ) -> Option<Self> {
        let root = snapshot
            .bead_ref(root)
            .filter(|bead| !bead.is_tombstone())?;
        let steps = members(snapshot, root.id())
            .into_iter()
            .map(|bead_ref| MoleculeStep {
                state: step_state(&bead_ref),
                bead_ref,
            })
            .collect();
        Some(Self { root, steps })
    }

    /// The number of completed steps.
    pub fn done(&self) -> usize {
        self.count(StepState::Done)
    }

    pub fn count(&self, state: StepState) -> usize {
        self.steps.iter().filter(|step| step.state == state).count()
    }

    /// Returns true if all steps are completed.
    pub fn is_complete(&self) -> bool {
        self.done() == self.steps.len()
    }

    /// The step in progress.
    pub fn current(&self) -> Option<&MoleculeStep<'a>> {
        self.first(StepState::Current)
    }

    /// The first step that can start.
    pub fn next(&self) -> Option<&MoleculeStep<'a>> {
        self.first(StepState::Ready)
    }

    fn first(&self, state: StepState) -> Option<&MoleculeStep<'a>> {
        self.steps.iter().find(|step| step.state == state)
    }
}

fn step_state(bead: &BeadRef<'_>) -> StepState {
    match bead.status() {
        Status::Closed | Status::Tombstone => return StepState::Done,
        Status::InProgress | Status::Hooked => return StepState::Current,
        Status::Blocked => return StepState::Blocked,
        Status::Open => {}
        _ => return StepState::Pending,
    }
    if bead.is_blocked() {
        return StepState::Blocked;
    }
    match bead.kind() {
        Kind::Gate => StepState::Pending,
        Kind::Epic if bead.children().iter().any(BeadRef::is_open) => StepState::Pending,
        _ => StepState::Ready,
    }
}

/// Returns the descendants of a root by parent-child edges and by dotted ids, in the order of the
/// formula. No step precedes one that it waits for.
pub fn list_molecule_steps<'a>(snapshot: &'a Snapshot, root: &str) -> Vec<BeadRef<'a>> {
    sort_by_dependencies(&list_steps_by_number(snapshot, root))
}

/// Like [`list_molecule_steps`], in the order of their numbers.
fn list_steps_by_number<'a>(snapshot: &'a Snapshot, root: &str) -> Vec<BeadRef<'a>> {
    let start = format!("{root}.");
    let dotted: Vec<BeadRef<'a>> = snapshot
        .bead_refs_from(&start)
        .filter(|bead| !bead.is_tombstone())
        .collect();
    // A step that was moved to another parent does not belong to the molecule, nor does a proto
    // whose name merely begins alike.
    let protos: Vec<String> = dotted
        .iter()
        .filter(|bead| bead.has_label("template"))
        .map(|bead| format!("{}.", bead.id()))
        .collect();
    let root_node = snapshot.bead_ref(root).map(|bead| bead.node());
    let mut direct = 0;
    let (mut found, others): (Vec<_>, Vec<_>) = dotted.into_iter().partition(|bead| {
        let is_child = root_node.is_some_and(|own| bead.has_parent_at(own));
        direct += usize::from(is_child);
        let is_of_proto = protos.iter().any(|proto| {
            bead.id().starts_with(proto) || proto.strip_suffix('.') == Some(bead.id())
        });
        !is_of_proto
            && (is_child
                || bead
                    .parent()
                    .is_none_or(|parent| parent == root || parent.starts_with(&start)))
    });
    let others: HashSet<BeadNode> = others.iter().map(BeadRef::node).collect();
    let is_found =
        |bead: &BeadRef<'a>| bead.id().starts_with(&start) && !others.contains(&bead.node());
    // Children with other ids, and their descendants.
    let children = root_node.and_then(|own| snapshot.count_holders(own, &DepKind::ParentChild));
    let mut front = if children == Some(direct) && others.is_empty() {
        Vec::new()
    } else {
        snapshot.child_refs(root)
    };
    front.retain(|bead| !is_found(bead));
    front.extend(found.iter().flat_map(BeadRef::children));
    let mut seen: HashSet<BeadNode> = root_node.into_iter().collect();
    while let Some(bead) = front.pop() {
        if !is_found(&bead) && seen.insert(bead.node()) {
            front.extend(bead.children());
            found.push(bead);
        }
    }
    if let Some(found) = by_last_number(&found, &start) {
        return found;
    }
    found.sort_by_cached_key(|bead| step_order(bead, root));
    found
}

/// Returns the steps in the order of their numbers if none is below another, which holds for nearly
/// all molecules.
fn by_last_number<'a>(found: &[BeadRef<'a>], start: &str) -> Option<Vec<BeadRef<'a>>> {
    let numbers = found
        .iter()
        .map(|bead| bead.id().strip_prefix(start)?.parse().ok())
        .collect::<Option<Vec<usize>>>()?;
    let room = numbers.iter().max()?.checked_add(1)?;
    // Each step has its own position, as long as few numbers are missing.
    let mut places = vec![None; (room < 4 * numbers.len()).then_some(room)?];
    for (bead, number) in found.iter().zip(numbers) {
        if places[number].replace(bead).is_some() {
            return None;
        }
    }
    Some(places.into_iter().flatten().copied().collect())
}

/// The sort key of a step.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct StepOrder {
    /// The numbers in the id.
    numbers: Vec<u64>,
    /// The number in the metadata.
    given: u64,
    /// The creation time in nanoseconds.
    created: i128,
    id: String,
}

fn step_order(bead_ref: &BeadRef<'_>, root: &str) -> StepOrder {
    let id_rest = bead_ref.id().strip_prefix(root).unwrap_or("");
    let numbers: Option<Vec<u64>> = id_rest
        .trim_start_matches('.')
        .split('.')
        .map(|part| part.parse().ok())
        .collect();
    if let Some(numbers) = numbers {
        return StepOrder {
            numbers,
            ..StepOrder::default()
        };
    }
    let given = bead_ref
        .bead()
        .and_then(|bead| bead.metadata_object().get("order")?.as_u64());
    let created = bead_ref
        .time(TimeField::Created)
        .map_or(0, jiff::Timestamp::as_nanosecond);
    StepOrder {
        numbers: vec![u64::MAX],
        given: given.unwrap_or(u64::MAX),
        created,
        id: bead_ref.id().to_owned(),
    }
}

/// Sorts beads so that none precedes one that it waits for, and otherwise keeps their order.
fn sort_by_dependencies<'a>(found: &[BeadRef<'a>]) -> Vec<BeadRef<'a>> {
    let at: HashMap<&str, usize> = found
        .iter()
        .enumerate()
        .map(|(at, bead)| (bead.id(), at))
        .collect();
    let mut open = vec![0_usize; found.len()];
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
    for (index, bead) in found.iter().enumerate() {
        for (kind, target) in bead.edges() {
            let waits = kind == DepKind::Blocks.code() || kind == DepKind::WaitsFor.code();
            if let Some(before) = at.get(target).filter(|_| waits) {
                open[index] += 1;
                holders[*before].push(index);
            }
        }
    }
    let mut free: BTreeSet<usize> = (0..found.len()).filter(|index| open[*index] == 0).collect();
    let mut order = Vec::with_capacity(found.len());
    let mut taken = vec![false; found.len()];
    while let Some(index) = free.pop_first() {
        taken[index] = true;
        order.push(index);
        for holder in &holders[index] {
            open[*holder] -= 1;
            if open[*holder] == 0 {
                free.insert(*holder);
            }
        }
    }
    // Steps of a cycle come last, so that none is left out.
    order.extend((0..found.len()).filter(|index| !taken[*index]));
    order.into_iter().map(|index| found[index]).collect()
}

/// Returns the root of the molecule that contains a bead: the topmost ancestor by parent-child
/// edges that is an epic or has the label `template`.
pub fn root_of(snapshot: &Snapshot, id: &str) -> Option<String> {
    let mut here = snapshot.bead_ref(id)?;
    let mut seen = BTreeSet::new();
    while let Some(parent) = here.parent().and_then(|id| snapshot.bead_ref(id)) {
        if !seen.insert(here.id()) {
            break;
        }
        here = parent;
    }
    let is_root = here.id() != id && (here.kind() == Kind::Epic || here.has_label("template"));
    is_root.then(|| here.id().to_owned())
}

/// Returns the roots of the molecules that an agent works on: those of its steps in progress, or
/// those attached to its hooked beads.
pub fn molecules_of_agent(snapshot: &Snapshot, who: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut hooked = Vec::new();
    for row in snapshot.open_rows() {
        let bead = snapshot.bead_ref_at(row.node);
        if bead.assignee() != who {
            continue;
        }
        match bead.status() {
            Status::InProgress => {
                let root = root_of(snapshot, bead.id());
                if let Some(root) = root.filter(|root| !found.contains(root)) {
                    found.push(root);
                }
            }
            Status::Hooked => hooked.push(bead),
            _ => {}
        }
    }
    if found.is_empty() {
        for bead in hooked {
            let attached = find_related_molecule(snapshot, &bead);
            found.extend(attached.filter(|root| !found.contains(root)));
        }
    }
    found.sort();
    found
}

/// Returns the molecule that a user means by a work bead: the attached one, or the epic that the
/// bead waits for.
pub fn find_related_molecule(snapshot: &Snapshot, bead_ref: &BeadRef<'_>) -> Option<String> {
    attached_to(snapshot, bead_ref).or_else(|| {
        bead_ref
            .bead()?
            .edges(&DepKind::Blocks)
            .find(|edge| {
                snapshot
                    .bead_ref(&edge.depends_on_id)
                    .is_some_and(|blocker| blocker.kind() == Kind::Epic && !blocker.is_tombstone())
            })
            .map(|edge| edge.depends_on_id.clone())
    })
}

/// Returns the molecule with an edge to a work bead, as
/// [`attach_molecule`](super::bond::attach_molecule) creates it. Only this molecule may be ended
/// with the work, because anyone can write a name into a description.
pub fn follower_of(snapshot: &Snapshot, id: &str) -> Option<String> {
    let found = snapshot
        .holder_refs(id, &DepKind::Tracks)
        .into_iter()
        .find(is_molecule);
    found.map(|holder| holder.id().to_owned())
}

/// Returns true if a bead is the root of a molecule: a poured epic.
pub fn is_molecule(bead_ref: &BeadRef<'_>) -> bool {
    bead_ref.kind() == Kind::Epic
        && !bead_ref.has_label("template")
        && bead_ref
            .bead()
            .is_some_and(|bead| !bead.source_formula.is_empty())
}

/// Returns the molecule to show for a work bead: the one with an edge to it, or the one that its
/// description names.
pub fn attached_to(snapshot: &Snapshot, bead_ref: &BeadRef<'_>) -> Option<String> {
    let bead = bead_ref.bead()?;
    let named =
        fields::get_field(&bead.description, ATTACHED).filter(|id| snapshot.get_live(id).is_some());
    follower_of(snapshot, &bead.id).or(named)
}

/// The result of advancing a molecule after a step was closed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepAdvance {
    /// The molecule; `None` if the bead is not a step.
    pub molecule: Option<String>,
    /// True if all steps are closed.
    pub is_complete: bool,
    /// The next step.
    pub next: Option<Bead>,
    /// True if the next step was started.
    pub is_begun: bool,
}

/// Finds the step after a closed one, and starts it if `begin` is set.
pub fn advance_molecule(
    tx: &mut Tx<'_>,
    closed: &str,
    begin: bool,
) -> Result<StepAdvance, crate::change::ChangeError> {
    let Some(root) = root_of(tx, closed) else {
        return Ok(StepAdvance::default());
    };
    let (is_complete, next) = match MoleculeProgress::by_number(tx, &root) {
        Some(progress) => {
            // A step with another assignee must not be started here.
            let who = tx.get_live(closed).map(|bead| bead.assignee.clone());
            let next = progress
                .steps
                .iter()
                .find(|step| {
                    let has = step.bead_ref.assignee();
                    step.state == StepState::Ready
                        && (has.is_empty() || has == tx.actor() || Some(has) == who.as_deref())
                })
                .map(|step| step.bead_ref.id().to_owned());
            (progress.is_complete(), next)
        }
        None => (false, None),
    };
    let mut advance = StepAdvance {
        molecule: Some(root),
        is_complete,
        ..StepAdvance::default()
    };
    if let Some(id) = next {
        if begin {
            begin_step(tx, &id, closed)?;
            advance.is_begun = true;
        }
        advance.next = tx.get_live(&id).cloned();
    }
    Ok(advance)
}

/// Starts a step. It keeps its assignee, or gets the assignee of the closed step.
fn begin_step(tx: &mut Tx<'_>, id: &str, closed: &str) -> Result<(), crate::change::ChangeError> {
    let who = tx
        .get_live(closed)
        .map(|bead| bead.assignee.clone())
        .filter(|who| !who.is_empty())
        .unwrap_or_else(|| tx.actor().to_owned());
    let mut bead = crate::change::set_status(tx, id, Status::InProgress)?;
    if bead.assignee.is_empty() {
        bead.assignee = who;
        tx.put(bead)?;
    }
    Ok(())
}
