//! Applies the parents of a formula: their steps come first, and their variables apply unless the
//! formula declares its own.

use std::collections::BTreeSet;

use super::find::FormulaSearchPath;
use super::problem::FormulaError;
use super::schema::{ComposeRules, Formula, FormulaStep};
use super::source::LoadedFormula;

/// Returns the formula merged with all its parents.
pub fn resolve_extends(
    shelf: &FormulaSearchPath,
    loaded: &LoadedFormula,
) -> Result<Formula, FormulaError> {
    resolve_once(shelf, loaded, &[], &mut BTreeSet::new())
}

/// Like [`resolve_extends`]. `chain` names the formulas from the root to this one. `seen` names the
/// formulas whose steps are already included, because a shared parent is included only once.
fn resolve_once(
    shelf: &FormulaSearchPath,
    loaded: &LoadedFormula,
    chain: &[String],
    seen: &mut BTreeSet<String>,
) -> Result<Formula, FormulaError> {
    let formula = &loaded.formula;
    let mut chain = chain.to_vec();
    let is_circle = chain.contains(&formula.name);
    chain.push(formula.name.clone());
    if is_circle {
        let start = chain.iter().position(|name| *name == formula.name);
        return Err(FormulaError::CircularExtends {
            chain: chain.split_off(start.unwrap_or(0)),
        });
    }
    if formula.extends.is_empty() {
        return Ok(formula.clone());
    }
    let mut merged = Formula::default();
    for parent in &formula.extends {
        let parent = shelf.load(parent).map_err(|error| match error {
            FormulaError::BadName(_) | FormulaError::NotFound { .. } => {
                let problem = loaded
                    .source
                    .problem("extends", format!("cannot extend: {error}"));
                FormulaError::Invalid(vec![problem])
            }
            other => other,
        })?;
        let name = &parent.formula.name;
        if !chain.contains(name) && !seen.insert(name.clone()) {
            continue;
        }
        let parent = resolve_once(shelf, &parent, &chain, seen)?;
        append_parent(&mut merged, parent);
    }
    let mut steps = std::mem::take(&mut merged.steps);
    steps.extend(formula.steps.iter().cloned());
    let mut vars = std::mem::take(&mut merged.vars);
    vars.extend(formula.vars.clone());
    let mut compose = std::mem::take(&mut merged.compose);
    add_compose(&mut compose, &formula.compose);
    let mut result = Formula {
        vars,
        steps,
        compose,
        ..formula.clone()
    };
    result.advice.splice(0..0, merged.advice);
    result.template.splice(0..0, merged.template);
    result.pointcuts.splice(0..0, merged.pointcuts);
    result.legs.splice(0..0, merged.legs);
    if result.phase.is_empty() {
        result.phase = merged.phase;
    }
    result.pour = result.pour.or(merged.pour);
    result.cycle = result.cycle.or(merged.cycle);
    if result.on_done.is_empty() {
        result.on_done = merged.on_done;
    }
    result.synthesis = result.synthesis.or(merged.synthesis);
    Ok(result)
}

/// Appends a parent after the earlier parents. If two variables have the same name, the first
/// counts.
fn append_parent(merged: &mut Formula, parent: Formula) {
    for (name, var) in parent.vars {
        merged.vars.entry(name).or_insert(var);
    }
    let origin = parent.name;
    let marked = parent
        .steps
        .into_iter()
        .map(|step| mark_origin(step, &origin));
    merged.steps.extend(marked);
    merged.advice.extend(parent.advice);
    merged.template.extend(parent.template);
    merged.pointcuts.extend(parent.pointcuts);
    merged.legs.extend(parent.legs);
    add_compose(&mut merged.compose, &parent.compose);
    if merged.phase.is_empty() {
        merged.phase = parent.phase;
    }
    merged.pour = merged.pour.or(parent.pour);
    merged.cycle = merged.cycle.or(parent.cycle);
    if merged.on_done.is_empty() {
        merged.on_done = parent.on_done;
    }
    merged.synthesis = merged.synthesis.take().or(parent.synthesis);
}

fn mark_origin(mut step: FormulaStep, origin: &str) -> FormulaStep {
    if step.origin.is_empty() {
        origin.clone_into(&mut step.origin);
    }
    step
}

/// Adds the rules of one `compose` to another. A bond point replaces an earlier one with the same
/// id.
fn add_compose(to: &mut ComposeRules, from: &ComposeRules) {
    for point in &from.bond_points {
        to.bond_points.retain(|existing| existing.id != point.id);
        to.bond_points.push(point.clone());
    }
    to.hooks.extend(from.hooks.iter().cloned());
    to.expand.extend(from.expand.iter().cloned());
    to.map.extend(from.map.iter().cloned());
    to.branch.extend(from.branch.iter().cloned());
    to.gate.extend(from.gate.iter().cloned());
    for aspect in &from.aspects {
        if !to.aspects.contains(aspect) {
            to.aspects.push(aspect.clone());
        }
    }
}
