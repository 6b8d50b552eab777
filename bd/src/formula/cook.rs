//! Cooking: a formula with all that it extends, repeats, is advised by and expands to.

use std::collections::BTreeMap;

use super::check;
use super::find::Shelf;
use super::problem::{FormulaError, Problem};
use super::schema::{Formula, FormulaKind, Step};
use super::source::{Loaded, Source};
use super::vars::{StepCondition, Values};
use super::{advice, control, expansion, extend, overlay};

/// A cooked formula.
#[derive(Debug, Clone)]
pub struct Cooked {
    /// The formula, with its final steps.
    pub formula: Formula,
    /// What is odd, but does not stop it.
    pub warnings: Vec<Problem>,
}

/// Cooks the formula of a name. `values` are looked at only by the ranges of loops.
pub fn cook_named(shelf: &Shelf, name: &str, values: &Values) -> Result<Cooked, FormulaError> {
    cook(shelf, &shelf.load(name)?, values)
}

/// Cooks a formula.
pub fn cook(shelf: &Shelf, loaded: &Loaded, values: &Values) -> Result<Cooked, FormulaError> {
    let (refused, mut warnings) = check::own(loaded);
    if !refused.is_empty() {
        return Err(FormulaError::Invalid(refused));
    }
    let source = &loaded.source;
    let mut formula = extend::resolve(shelf, loaded)?;
    let mut known: Values = BTreeMap::new();
    for (name, var) in &formula.vars {
        known.extend(var.default.clone().map(|value| (name.clone(), value)));
    }
    known.extend(values.clone());
    let mut steps =
        control::unroll(std::mem::take(&mut formula.steps), &known).map_err(|(id, text)| {
            FormulaError::Invalid(vec![source.step_problem(&id, "loop", text)])
        })?;
    control::compose(&mut steps, &formula.compose).map_err(|wrong| {
        let problems = wrong.into_iter();
        FormulaError::Invalid(
            problems
                .map(|text| source.problem("compose", text))
                .collect(),
        )
    })?;
    if formula.kind != FormulaKind::Aspect {
        steps = advice::apply(steps, &formula.advice);
    }
    steps = expansion::apply(shelf, source, steps, &formula.compose)?;
    for name in formula.compose.aspects.clone() {
        let aspect = aspect(shelf, source, &name)?;
        steps = advice::apply(steps, &aspect.advice);
        for (name, var) in aspect.vars {
            formula.vars.entry(name).or_insert(var);
        }
    }
    if let Some((path, text)) = shelf.overlay(&formula.name)? {
        warnings.extend(overlay::apply(&mut steps, &path, &text)?);
    }
    formula.steps = steps;
    let problems = check::cooked(&formula, source);
    if !problems.is_empty() {
        return Err(FormulaError::Invalid(problems));
    }
    Ok(Cooked { formula, warnings })
}

fn aspect(shelf: &Shelf, source: &Source, name: &str) -> Result<Formula, FormulaError> {
    let wrong = |text: String| FormulaError::Invalid(vec![source.problem("aspects", text)]);
    let loaded = shelf
        .load(name)
        .map_err(|error| wrong(format!("aspect \"{name}\": {error}")))?;
    let formula = extend::resolve(shelf, &loaded)?;
    if formula.advice.is_empty() {
        return Err(wrong(format!(
            "\"{name}\" is no aspect: it has no [[advice]]"
        )));
    }
    Ok(formula)
}

/// Leaves out the steps of a cooked formula whose conditions do not hold for these values.
pub fn choose_steps(steps: &mut Vec<Step>, values: &Values) {
    let is_out = |step: &Step| {
        StepCondition::read(&step.condition).is_some_and(|condition| !condition.holds(values))
    };
    overlay::leave_out(steps, &is_out);
}
