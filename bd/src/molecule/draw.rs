//! Renders steps and their dependencies as text: a tree for the terminal, Mermaid and dot for other
//! programs.

use std::collections::HashMap;

use super::progress::{MoleculeProgress, MoleculeStep, StepState};
use crate::bead::{Bead, DepKind, Status};
use crate::graph::layers;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrawnStep {
    pub id: String,
    /// The title, with its prefix.
    pub title: String,
    /// The positions of the steps that this one waits for.
    pub needs: Vec<usize>,
    /// The position of the step that contains this one.
    pub parent: Option<usize>,
    pub is_done: bool,
    /// True if the step is in progress.
    pub is_current: bool,
}

/// Returns the steps of a molecule with their dependencies.
pub fn steps_of_molecule(molecule: &MoleculeProgress<'_>) -> Vec<DrawnStep> {
    molecule
        .steps
        .iter()
        .map(|step| draw_step(molecule, step))
        .collect()
}

fn draw_step(molecule: &MoleculeProgress<'_>, step: &MoleculeStep<'_>) -> DrawnStep {
    let mut needs = Vec::new();
    let mut parent = None;
    for (code, target) in step.bead_ref.edges() {
        let place = molecule
            .steps
            .iter()
            .position(|other| other.bead_ref.id() == target);
        match DepKind::from_code(code) {
            Some(DepKind::Blocks | DepKind::WaitsFor) => needs.extend(place),
            Some(DepKind::ParentChild) => parent = parent.or(place),
            _ => {}
        }
    }
    DrawnStep {
        id: step.bead_ref.id().to_owned(),
        title: step
            .bead_ref
            .bead()
            .map_or(String::new(), |bead| bead.title.clone()),
        needs,
        parent,
        is_done: step.state == StepState::Done,
        is_current: step.state == StepState::Current,
    }
}

/// Returns beads that are not a molecule as steps.
pub fn steps_of_beads(beads: &[&Bead]) -> Vec<DrawnStep> {
    let place: HashMap<&str, usize> = beads
        .iter()
        .enumerate()
        .map(|(at, bead)| (bead.id.as_str(), at))
        .collect();
    beads
        .iter()
        .map(|bead| DrawnStep {
            id: bead.id.clone(),
            title: bead.title.clone(),
            needs: layers::find_needs(bead, |id| place.contains_key(id))
                .into_iter()
                .filter_map(|id| place.get(id).copied())
                .collect(),
            parent: bead.parent().and_then(|id| place.get(id).copied()),
            is_done: !bead.is_open(),
            is_current: matches!(bead.status, Status::InProgress | Status::Hooked),
        })
        .collect()
}

/// Arranges steps in a tree: a step is below the last step that it waits for. Returns the roots and
/// the children of each step.
pub fn arrange_children(steps: &[DrawnStep]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut roots = Vec::new();
    let mut below = vec![Vec::new(); steps.len()];
    for (index, step) in steps.iter().enumerate() {
        match step.needs.iter().max().or(step.parent.as_ref()) {
            Some(above) if *above != index => below[*above].push(index),
            _ => roots.push(index),
        }
    }
    (roots, below)
}

/// Formats the steps as Mermaid: `graph TD`.
pub fn format_mermaid(steps: &[DrawnStep]) -> String {
    let mut text = String::from("graph TD\n");
    for (index, step) in steps.iter().enumerate() {
        let label = step.title.replace('\\', "\\\\").replace('"', "#quot;");
        text.push_str(&format!("  s{index}[\"{}: {label}\"]\n", step.id));
        for before in &step.needs {
            text.push_str(&format!("  s{before} --> s{index}\n"));
        }
        if let Some(parent) = step.parent {
            text.push_str(&format!("  s{parent} -.- s{index}\n"));
        }
    }
    for (index, step) in steps.iter().enumerate() {
        let class = match step {
            step if step.is_done => "done",
            step if step.is_current => "current",
            _ => continue,
        };
        text.push_str(&format!("  class s{index} {class}\n"));
    }
    text.push_str("  classDef done fill:#cfc\n  classDef current fill:#ffc\n");
    text
}

fn quote_for_dot(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Formats the steps as dot, for graphviz.
pub fn format_dot(name: &str, steps: &[DrawnStep]) -> String {
    let mut text = format!(
        "digraph {} {{\n  rankdir=TB;\n  node [shape=box];\n",
        quote_for_dot(name)
    );
    for (index, step) in steps.iter().enumerate() {
        let style = match step {
            step if step.is_done => ", style=filled, fillcolor=\"#ccffcc\"",
            step if step.is_current => ", style=filled, fillcolor=\"#ffffcc\"",
            _ => "",
        };
        let label = quote_for_dot(&format!("{}: {}", step.id, step.title));
        text.push_str(&format!("  s{index} [label={label}{style}];\n"));
        for before in &step.needs {
            text.push_str(&format!("  s{before} -> s{index};\n"));
        }
        if let Some(parent) = step.parent {
            text.push_str(&format!(
                "  s{parent} -> s{index} [style=dotted, dir=none];\n"
            ));
        }
    }
    text.push_str("}\n");
    text
}
