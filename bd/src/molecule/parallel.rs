//! Determines the steps of a molecule that can run at the same time.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::progress::{MoleculeProgress, StepState};
use crate::bead::DepKind;

/// The maximum number of parallel steps listed for one step. The group lists all of them.
const MAX_NAMED_STEPS: usize = 20;

/// A step with its relations to the other steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ParallelStep {
    #[serde(rename = "step_id")]
    pub id: String,
    #[serde(rename = "status")]
    pub state: StepState,
    /// True if the step can start.
    pub is_ready: bool,
    /// The open steps that this one waits for.
    pub blocked_by: Vec<String>,
    /// The steps that wait for this one.
    pub blocks: Vec<String>,
    /// The steps that can run in parallel with this one.
    pub can_parallel: Vec<String>,
    /// The group of steps that can run in parallel; `None` for a single step.
    #[serde(rename = "parallel_group", skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// Groups the steps of a molecule by their depth in the graph. Steps of equal depth below the same
/// parent can run in parallel.
pub fn analyze_parallel_steps(progress: &MoleculeProgress<'_>) -> Vec<ParallelStep> {
    let steps = &progress.steps;
    let at: HashMap<&str, usize> = steps
        .iter()
        .enumerate()
        .map(|(at, step)| (step.bead_ref.id(), at))
        .collect();
    let mut found: Vec<ParallelStep> = Vec::with_capacity(steps.len());
    let mut depth = vec![0_usize; steps.len()];
    let mut parents: Vec<&str> = Vec::with_capacity(steps.len());
    let mut blocks: Vec<Vec<String>> = vec![Vec::new(); steps.len()];
    for (index, step) in steps.iter().enumerate() {
        let mut blocked_by = Vec::new();
        let mut parent = "";
        for (kind, target) in step.bead_ref.edges() {
            if kind == DepKind::ParentChild.code() {
                parent = target;
            }
            let waits = kind == DepKind::Blocks.code() || kind == DepKind::WaitsFor.code();
            let Some(before) = at.get(target).copied().filter(|_| waits) else {
                continue;
            };
            // No step precedes one that it waits for.
            depth[index] = depth[index].max(depth[before] + 1);
            blocks[before].push(step.bead_ref.id().to_owned());
            if steps[before].bead_ref.is_open() {
                blocked_by.push(target.to_owned());
            }
        }
        parents.push(parent);
        found.push(ParallelStep {
            id: step.bead_ref.id().to_owned(),
            state: step.state,
            is_ready: step.state == StepState::Ready,
            blocked_by,
            ..ParallelStep::default()
        });
    }
    let mut groups: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
    for index in 0..steps.len() {
        groups
            .entry((depth[index], parents[index]))
            .or_default()
            .push(index);
    }
    groups.retain(|_, group| group.len() > 1);
    for (number, group) in groups.values().enumerate() {
        for index in group {
            found[*index].group = Some(format!("group-{}", number + 1));
            found[*index].can_parallel = group
                .iter()
                .filter(|other| *other != index)
                .take(MAX_NAMED_STEPS)
                .map(|other| steps[*other].bead_ref.id().to_owned())
                .collect();
        }
    }
    for (index, blocks) in blocks.into_iter().enumerate() {
        found[index].blocks = blocks;
    }
    found
}

/// Returns the groups by name.
pub fn group_steps(steps: &[ParallelStep]) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for step in steps {
        if let Some(group) = &step.group {
            found
                .entry(group.clone())
                .or_default()
                .push(step.id.clone());
        }
    }
    found
}
