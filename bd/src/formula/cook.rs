//! Cooks a formula: applies its parents, loops, advice and expansions.

use std::collections::{BTreeMap, BTreeSet};

use super::check;
use super::find::FormulaSearchPath;
use super::problem::{FormulaError, FormulaProblem};
use super::schema::{Formula, FormulaKind, FormulaStep};
use super::source::{FormulaSource, LoadedFormula};
use super::vars::{StepCondition, VarValues};
use super::{advice, control, expansion, extend, overlay};

#[derive(Debug, Clone)]
pub struct CookedFormula {
    /// The formula with its final steps.
    pub formula: Formula,
    /// Problems that do not prevent cooking.
    pub warnings: Vec<FormulaProblem>,
}

/// Cooks a formula by name. `values` are used only in the ranges of loops.
pub fn cook_named(
    shelf: &FormulaSearchPath,
    name: &str,
    values: &VarValues,
) -> Result<CookedFormula, FormulaError> {
    cook_formula(shelf, &shelf.load(name)?, values)
}

pub fn cook_formula(
    shelf: &FormulaSearchPath,
    loaded: &LoadedFormula,
    values: &VarValues,
) -> Result<CookedFormula, FormulaError> {
    let (refused, mut warnings) = check::check_own_file(loaded);
    if !refused.is_empty() {
        return Err(FormulaError::Invalid(refused));
    }
    let source = &loaded.source;
    let mut formula = extend::resolve_extends(shelf, loaded)?;
    let mut known: VarValues = BTreeMap::new();
    for (name, var) in &formula.vars {
        known.extend(var.default.clone().map(|value| (name.clone(), value)));
    }
    known.extend(values.clone());
    let mut step_ids: BTreeSet<String> = every_id(&formula);
    let mut steps = control::unroll_loops(std::mem::take(&mut formula.steps), &known).map_err(
        |(id, text)| FormulaError::Invalid(vec![source.step_problem(&id, "loop", text)]),
    )?;
    control::apply_compose(&mut steps, &formula.compose).map_err(|wrong| {
        FormulaError::Invalid(
            wrong
                .into_iter()
                .map(|text| source.problem("compose", text))
                .collect(),
        )
    })?;
    let mut inserted = advice::InsertedAdvice::default();
    if formula.kind != FormulaKind::Aspect {
        steps = advice::apply_advice(steps, &formula.advice, &mut inserted);
    }
    steps = expansion::apply_expansions(shelf, source, steps, &formula.compose)?;
    for name in formula.compose.aspects.clone() {
        let aspect = load_aspect(shelf, source, &name)?;
        steps = advice::apply_advice(steps, &aspect.advice, &mut inserted);
        for (name, var) in aspect.vars {
            formula.vars.entry(name).or_insert(var);
        }
    }
    if let Some((path, text)) = shelf.overlay(&formula.name)? {
        warnings.extend(overlay::apply_overlay(&mut steps, &path, &text)?);
    }
    formula.steps = steps;
    step_ids.extend(every_id(&formula));
    let mut problems = check::check_cooked(&formula, source);
    problems.extend(check::check_bond_points(&formula, &step_ids, source));
    if !problems.is_empty() {
        return Err(FormulaError::Invalid(problems));
    }
    Ok(CookedFormula { formula, warnings })
}

fn every_id(formula: &Formula) -> BTreeSet<String> {
    formula
        .every_step()
        .into_iter()
        .map(|step| step.id.clone())
        .collect()
}

fn load_aspect(
    shelf: &FormulaSearchPath,
    source: &FormulaSource,
    name: &str,
) -> Result<Formula, FormulaError> {
    let build_error = |text: String| FormulaError::Invalid(vec![source.problem("aspects", text)]);
    let loaded = shelf
        .load(name)
        .map_err(|error| build_error(format!("aspect \"{name}\": {error}")))?;
    let formula = extend::resolve_extends(shelf, &loaded)?;
    if formula.advice.is_empty() {
        return Err(build_error(format!(
            "\"{name}\" is no aspect: it has no [[advice]]"
        )));
    }
    Ok(formula)
}

/// Removes the steps of a cooked formula whose conditions are false for these values.
pub fn choose_steps(steps: &mut Vec<FormulaStep>, values: &VarValues) {
    overlay::remove_steps(steps, &|step| {
        StepCondition::parse(&step.condition).is_some_and(|condition| !condition.is_met(values))
    });
}
