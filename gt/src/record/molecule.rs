//! Reads the molecule of a work bead: its steps and the worker's progress.

use bd::bead::{Bead, DepKind, Kind};
use bd::molecule::progress::{self, MoleculeProgress, StepState};
use bd::molecule::squash;
use bd::store::{BeadRef, Snapshot};
use serde::Serialize;
use serde_json::Value;

/// A molecule and its steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Molecule {
    /// The id. That of the digest if only the digest is left.
    pub id: String,
    pub title: String,
    /// True if it is local to this machine.
    pub is_wisp: bool,
    /// True if only the digest is left, because the work has ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_digest: bool,
    /// True if `gt done` closes open steps instead of refusing.
    pub closes_steps: bool,
    pub steps: Vec<MoleculeStep>,
    /// The current step.
    pub current: Option<CurrentStep>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MoleculeStep {
    /// The id. Empty in a digest.
    pub id: String,
    pub title: String,
    pub state: StepState,
}

impl MoleculeStep {
    pub fn is_done(&self) -> bool {
        self.state == StepState::Done
    }
}

/// The current step of a molecule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CurrentStep {
    /// The position among the steps, from 1.
    pub number: usize,
    pub id: String,
    pub title: String,
    pub description: String,
    pub acceptance: String,
    /// True if the worker has begun the step.
    pub is_begun: bool,
    /// True if a fresh session continues after the step. None if the step does not define it.
    pub cycles: Option<bool>,
}

impl Molecule {
    /// Returns the number of completed steps.
    pub fn count_done(&self) -> usize {
        self.steps.iter().filter(|step| step.is_done()).count()
    }

    pub fn open_steps(&self) -> impl Iterator<Item = &MoleculeStep> {
        self.steps.iter().filter(|step| !step.is_done())
    }

    pub fn step_after_current(&self) -> Option<&MoleculeStep> {
        let at = self.current.as_ref()?.number;
        self.steps.iter().skip(at).find(|step| !step.is_done())
    }

    /// Loads the molecule with this root.
    pub fn load(beads: &Snapshot, root: &str) -> Option<Self> {
        let progress = MoleculeProgress::for_root(beads, root)?;
        let bead = progress.root.bead()?;
        let steps: Vec<MoleculeStep> = progress
            .steps
            .iter()
            .map(|step| MoleculeStep {
                id: step.bead_ref.id().to_owned(),
                title: step
                    .bead_ref
                    .bead()
                    .map_or("", |bead| &bead.title)
                    .to_owned(),
                state: step.state,
            })
            .collect();
        let now = progress.current().or_else(|| progress.next());
        let current = now.and_then(|step| {
            let bead = step.bead_ref.bead()?;
            let at = steps
                .iter()
                .position(|listed_step| listed_step.id == bead.id)?;
            Some(CurrentStep {
                number: at + 1,
                id: bead.id.clone(),
                title: bead.title.clone(),
                description: bead.description.clone(),
                acceptance: bead.acceptance_criteria.clone(),
                is_begun: step.state == StepState::Current,
                cycles: bead.metadata_object().get("cycle").and_then(Value::as_bool),
            })
        });
        let metadata = bead.metadata_object();
        Some(Self {
            is_digest: false,
            id: bead.id.clone(),
            title: bead.title.clone(),
            is_wisp: bead.ephemeral,
            closes_steps: metadata.get("on_done").is_some_and(|word| word == "close"),
            steps,
            current,
        })
    }
}

/// Returns the root of the molecule that is attached to a work bead, or the bead itself if it is a
/// root.
pub fn root_of(beads: &Snapshot, bead: &str) -> Option<String> {
    let bead_ref = beads.bead_ref(bead)?;
    if let Some(attached) = progress::attached_to(beads, &bead_ref) {
        return Some(attached);
    }
    let root_bead = bead_ref.bead()?;
    is_molecule_root(root_bead).then(|| root_bead.id.clone())
}

/// Returns the root of the molecule that ends with a work bead: the one that was poured for it, or
/// the bead itself.
pub fn own_root_of(beads: &Snapshot, bead: &str) -> Option<String> {
    progress::follower_of(beads, bead).or_else(|| {
        beads
            .get_live(bead)
            .is_some_and(is_molecule_root)
            .then(|| bead.to_owned())
    })
}

/// Returns the molecule that ends with a work bead.
pub fn find_own_molecule(beads: &Snapshot, bead: &str) -> Option<Molecule> {
    Molecule::load(beads, &own_root_of(beads, bead)?)
}

/// Returns true if a bead is the root of a molecule, which is slung as a whole, not child by child.
pub fn is_molecule_root(bead: &Bead) -> bool {
    bead.issue_type == Kind::Epic && !bead.source_formula.is_empty()
}

/// Returns the molecule of a work bead.
pub fn molecule_of_bead(beads: &Snapshot, bead: &str) -> Option<Molecule> {
    let found = Molecule::load(beads, &root_of(beads, bead)?);
    found.filter(|found| !found.steps.is_empty())
}

/// Returns the newest digest of a bead as a molecule.
pub fn molecule_of_digest(beads: &Snapshot, bead: &str) -> Option<Molecule> {
    let own = beads
        .dependents_of(bead)
        .into_iter()
        .filter(|(holder, edge)| {
            holder.has_label(squash::DIGEST_LABEL)
                && matches!(edge.kind, DepKind::Related | DepKind::ParentChild)
        })
        .map(|(digest, _)| (digest, digest.description.as_str()));
    let (digest, section) = own
        .chain(
            beads
                .bead_refs()
                .filter(BeadRef::is_ephemeral)
                .filter(|wisp| wisp.has_label(squash::DIGEST_LABEL))
                .filter_map(|wisp| wisp.bead())
                .filter_map(|daily| Some((daily, squash::find_section(&daily.description, bead)?))),
        )
        .max_by(|(a, _), (b, _)| a.created_at.cmp(&b.created_at))?;
    let steps = section.lines().filter_map(|line| {
        let (number, rest) = line.split_once(". **[")?;
        number.parse::<usize>().ok()?;
        let (status, title) = rest.split_once("]** ")?;
        let state = if status == "closed" {
            StepState::Done
        } else {
            StepState::Pending
        };
        Some(MoleculeStep {
            id: String::new(),
            title: title.to_owned(),
            state,
        })
    });
    Some(Molecule {
        id: digest.id.clone(),
        title: digest.title.clone(),
        is_digest: true,
        steps: steps.collect(),
        ..Molecule::default()
    })
}
