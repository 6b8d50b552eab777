//! Where a molecule stands: its steps in the order of the formula, which is done, which is next.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::bead::{Bead, DepKind, Kind, Status, fields};
use crate::store::{BeadNode, BeadRef, Snapshot, TimeField, Tx};

/// The field of a work bead's description that names its molecule.
pub const ATTACHED: &str = "attached_molecule";

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// Closed.
    Done,
    /// Someone works on it.
    Current,
    /// It can be begun.
    Ready,
    /// It waits for another step.
    Blocked,
    /// It is put off, is a gate, or has steps of its own that are open.
    Pending,
}

impl StepState {
    /// The word for it.
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

/// A step of a molecule.
#[derive(Debug, Clone, Copy)]
pub struct MoleculeStep<'a> {
    /// Its bead.
    pub head: BeadRef<'a>,
    /// Where it stands.
    pub state: StepState,
}

/// A molecule and its steps.
#[derive(Debug, Clone)]
pub struct MoleculeProgress<'a> {
    /// Its root.
    pub root: BeadRef<'a>,
    /// Its steps in order.
    pub steps: Vec<MoleculeStep<'a>>,
}

impl<'a> MoleculeProgress<'a> {
    /// The molecule with this root.
    pub fn for_root(snapshot: &'a Snapshot, root: &str) -> Option<Self> {
        Self::with_members(snapshot, root, list_molecule_steps)
    }

    /// The same with its steps in the order of their numbers, which may have a step before one that it waits for: enough to
    /// count them and to find the next, and quicker for thousands of steps.
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
            .filter(|head| !head.is_tombstone())?;
        let steps = members(snapshot, root.id())
            .into_iter()
            .map(|head| MoleculeStep {
                state: step_state(&head),
                head,
            })
            .collect();
        Some(Self { root, steps })
    }

    /// How many steps are done.
    pub fn done(&self) -> usize {
        self.count(StepState::Done)
    }

    /// How many steps are in this state.
    pub fn count(&self, state: StepState) -> usize {
        self.steps.iter().filter(|step| step.state == state).count()
    }

    /// Whether all steps are done.
    pub fn is_complete(&self) -> bool {
        self.done() == self.steps.len()
    }

    /// The step that someone works on.
    pub fn current(&self) -> Option<&MoleculeStep<'a>> {
        self.first(StepState::Current)
    }

    /// The first step that can be begun.
    pub fn next(&self) -> Option<&MoleculeStep<'a>> {
        self.first(StepState::Ready)
    }

    fn first(&self, state: StepState) -> Option<&MoleculeStep<'a>> {
        self.steps.iter().find(|step| step.state == state)
    }
}

fn step_state(head: &BeadRef<'_>) -> StepState {
    match head.status() {
        Status::Closed | Status::Tombstone => return StepState::Done,
        Status::InProgress | Status::Hooked => return StepState::Current,
        Status::Blocked => return StepState::Blocked,
        Status::Open => {}
        _ => return StepState::Pending,
    }
    if head.is_blocked() {
        return StepState::Blocked;
    }
    match head.kind() {
        Kind::Gate => StepState::Pending,
        Kind::Epic if head.children().iter().any(BeadRef::is_open) => StepState::Pending,
        _ => StepState::Ready,
    }
}

/// The beads below a root, without it: by parent-child edges and by dotted ids. In the order of the formula, and
/// no step before one that it waits for.
pub fn list_molecule_steps<'a>(snapshot: &'a Snapshot, root: &str) -> Vec<BeadRef<'a>> {
    sort_by_dependencies(&list_steps_by_number(snapshot, root))
}

/// The same in the order of their numbers.
fn list_steps_by_number<'a>(snapshot: &'a Snapshot, root: &str) -> Vec<BeadRef<'a>> {
    let start = format!("{root}.");
    let dotted = snapshot.bead_refs_from(&start);
    let dotted: Vec<BeadRef<'a>> = dotted.filter(|head| !head.is_tombstone()).collect();
    // A step that was moved to another parent is none of it, nor a proto whose name only begins alike.
    let protos = dotted.iter().filter(|head| head.has_label("template"));
    let protos: Vec<String> = protos.map(|head| format!("{}.", head.id())).collect();
    let own = snapshot.bead_ref(root).map(|head| head.node());
    let mut direct = 0;
    let is_own = |head: &BeadRef<'a>| {
        let is_inside = |parent: &str| parent == root || parent.starts_with(&start);
        let is_of_other = |proto: &String| {
            head.id().starts_with(proto) || proto.strip_suffix('.') == Some(head.id())
        };
        let is_child = own.is_some_and(|own| head.has_parent_at(own));
        direct += usize::from(is_child);
        !protos.iter().any(is_of_other) && (is_child || head.parent().is_none_or(is_inside))
    };
    let (mut found, others): (Vec<_>, Vec<_>) = dotted.into_iter().partition(is_own);
    let others: HashSet<BeadNode> = others.iter().map(BeadRef::node).collect();
    let is_found =
        |head: &BeadRef<'a>| head.id().starts_with(&start) && !others.contains(&head.node());
    // Children that have other ids, and theirs.
    let children = own.and_then(|own| snapshot.count_holders(own, &DepKind::ParentChild));
    let mut front = if children == Some(direct) && others.is_empty() {
        Vec::new()
    } else {
        snapshot.child_refs(root)
    };
    front.retain(|head| !is_found(head));
    front.extend(found.iter().flat_map(BeadRef::children));
    let mut seen: HashSet<BeadNode> = own.into_iter().collect();
    while let Some(head) = front.pop() {
        if !is_found(&head) && seen.insert(head.node()) {
            front.extend(head.children());
            found.push(head);
        }
    }
    if let Some(found) = by_last_number(&found, &start) {
        return found;
    }
    found.sort_by_cached_key(|head| step_order(head, root));
    found
}

/// The steps in the order of their numbers, where none is below another: nearly all molecules.
fn by_last_number<'a>(found: &[BeadRef<'a>], start: &str) -> Option<Vec<BeadRef<'a>>> {
    let number = |head: &BeadRef<'_>| head.id().strip_prefix(start)?.parse::<usize>().ok();
    let numbers: Option<Vec<usize>> = found.iter().map(number).collect();
    let numbers = numbers?;
    let room = numbers.iter().max()?.checked_add(1)?;
    // Each has a place of its own, as long as few are missing.
    let mut places = vec![None; (room < 4 * numbers.len()).then_some(room)?];
    for (head, number) in found.iter().zip(numbers) {
        if places[number].replace(head).is_some() {
            return None;
        }
    }
    Some(places.into_iter().flatten().copied().collect())
}

/// The place of a step among the others: the numbers of its id, else the number that it was given, else its age.
fn step_order(head: &BeadRef<'_>, root: &str) -> (Vec<u64>, u64, i128, String) {
    let tail = head.id().strip_prefix(root).unwrap_or_default();
    let numbers: Option<Vec<u64>> = tail
        .trim_start_matches('.')
        .split('.')
        .map(|part| part.parse().ok())
        .collect();
    if let Some(numbers) = numbers {
        return (numbers, 0, 0, String::new());
    }
    let given = head
        .bead()
        .and_then(|bead| bead.metadata_object().get("order")?.as_u64());
    let made = head
        .time(TimeField::Created)
        .map_or(0, jiff::Timestamp::as_nanosecond);
    (
        vec![u64::MAX],
        given.unwrap_or(u64::MAX),
        made,
        head.id().to_owned(),
    )
}

/// The same beads, none before one that it waits for, else in the order in which they came.
fn sort_by_dependencies<'a>(found: &[BeadRef<'a>]) -> Vec<BeadRef<'a>> {
    let at: HashMap<&str, usize> = found
        .iter()
        .enumerate()
        .map(|(at, head)| (head.id(), at))
        .collect();
    let mut open = vec![0_usize; found.len()];
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
    for (own, head) in found.iter().enumerate() {
        for (kind, target) in head.edges() {
            let waits = kind == DepKind::Blocks.code() || kind == DepKind::WaitsFor.code();
            if let Some(before) = at.get(target).filter(|_| waits) {
                open[own] += 1;
                holders[*before].push(own);
            }
        }
    }
    let mut free: BTreeSet<usize> = (0..found.len()).filter(|own| open[*own] == 0).collect();
    let mut order = Vec::with_capacity(found.len());
    let mut taken = vec![false; found.len()];
    while let Some(own) = free.pop_first() {
        taken[own] = true;
        order.push(own);
        for holder in &holders[own] {
            open[*holder] -= 1;
            if open[*holder] == 0 {
                free.insert(*holder);
            }
        }
    }
    // Steps in a circle come last; none is left out.
    order.extend((0..found.len()).filter(|own| !taken[*own]));
    order.into_iter().map(|own| found[own]).collect()
}

/// The root of the molecule that a bead is a step of, or itself: the topmost ancestor by parent-child edges, where
/// that is an epic or carries the label `template`.
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

/// The roots of the molecules that an agent works on: those of the steps that it has begun; else those attached
/// to what is on its hook.
pub fn molecules_of_agent(snapshot: &Snapshot, who: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut hooked = Vec::new();
    for row in snapshot.open_rows() {
        let head = snapshot.bead_ref_at(row.node);
        if head.assignee() != who {
            continue;
        }
        match head.status() {
            Status::InProgress => {
                let root = root_of(snapshot, head.id());
                if let Some(root) = root.filter(|root| !found.contains(root)) {
                    found.push(root);
                }
            }
            Status::Hooked => hooked.push(head),
            _ => {}
        }
    }
    if found.is_empty() {
        for head in hooked {
            let attached = find_related_molecule(snapshot, &head);
            found.extend(attached.filter(|root| !found.contains(root)));
        }
    }
    found.sort();
    found
}

/// The molecule that somebody looks for who names a work bead: the attached one, else the epic that the bead waits for.
pub fn find_related_molecule(snapshot: &Snapshot, head: &BeadRef<'_>) -> Option<String> {
    let blocker = || {
        let bead = head.bead()?;
        let mut edges = bead.edges(&DepKind::Blocks);
        let is_epic = |id: &str| {
            let head = snapshot.bead_ref(id);
            head.is_some_and(|head| head.kind() == Kind::Epic && !head.is_tombstone())
        };
        edges
            .find(|edge| is_epic(&edge.depends_on_id))
            .map(|edge| edge.depends_on_id.clone())
    };
    attached_to(snapshot, head).or_else(blocker)
}

/// The molecule that follows a work bead by an edge of its own: what [`attach`](super::bond::attach) makes. Only this one
/// may be ended with the work: a name in a description is text that anybody can write.
pub fn follower_of(snapshot: &Snapshot, id: &str) -> Option<String> {
    let mut holders = snapshot.holder_refs(id, &DepKind::Tracks).into_iter();
    let found = holders.find(is_molecule);
    found.map(|holder| holder.id().to_owned())
}

/// Whether a bead is the root of a molecule: an epic that was poured.
pub fn is_molecule(head: &BeadRef<'_>) -> bool {
    let is_poured = || {
        head.bead()
            .is_some_and(|bead| !bead.source_formula.is_empty())
    };
    head.kind() == Kind::Epic && !head.has_label("template") && is_poured()
}

/// The molecule of a work bead, to be shown: the one that follows it, else the one that its description names.
pub fn attached_to(snapshot: &Snapshot, head: &BeadRef<'_>) -> Option<String> {
    let bead = head.bead()?;
    let named = fields::get_field(&bead.description, ATTACHED);
    let named = named.filter(|id| snapshot.get_live(id).is_some());
    follower_of(snapshot, &bead.id).or(named)
}

/// What followed the closing of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepAdvance {
    /// The molecule; nothing where the bead is no step of one.
    pub molecule: Option<String>,
    /// Whether all its steps are closed.
    pub is_complete: bool,
    /// The step that is next.
    pub next: Option<Bead>,
    /// Whether that step was begun.
    pub is_begun: bool,
}

/// Looks for the step after a closed one, and begins it if `begin` says so.
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
            // A step that somebody else has is not this one's to begin.
            let who = tx.get_live(closed).map(|bead| bead.assignee.clone());
            let is_free = |step: &&MoleculeStep<'_>| {
                let has = step.head.assignee();
                step.state == StepState::Ready
                    && (has.is_empty() || has == tx.actor() || Some(has) == who.as_deref())
            };
            let next = progress.steps.iter().find(is_free);
            let next = next.map(|step| step.head.id().to_owned());
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

/// Begins a step. The assignee of the step before goes on with it, unless it has one.
fn begin_step(tx: &mut Tx<'_>, id: &str, closed: &str) -> Result<(), crate::change::ChangeError> {
    let before = tx.get_live(closed).map(|bead| bead.assignee.clone());
    let who = before.filter(|who| !who.is_empty());
    let who = who.unwrap_or_else(|| tx.actor().to_owned());
    let mut bead = crate::change::set_status(tx, id, Status::InProgress)?;
    if bead.assignee.is_empty() {
        bead.assignee = who;
        tx.put(bead)?;
    }
    Ok(())
}
