//! Converts loops, branches and gates to plain steps, edges and labels.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::MOST_STEPS;
use super::arithmetic;
use super::schema::{ComposeRules, FormulaStep, StepLoop};
use super::vars::{self, VarValues};

/// A problem with a step: the step's id and a description.
pub type StepProblem = (String, String);

/// Unrolls all loops. `values` supplies each `{name}` in a range.
pub fn unroll_loops(
    steps: Vec<FormulaStep>,
    values: &VarValues,
) -> Result<Vec<FormulaStep>, StepProblem> {
    let mut room = MOST_STEPS;
    unroll_list(steps, values, &mut room)
}

fn unroll_list(
    steps: Vec<FormulaStep>,
    values: &VarValues,
    room: &mut usize,
) -> Result<Vec<FormulaStep>, StepProblem> {
    let mut done = Vec::with_capacity(steps.len());
    let mut ends: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mut step in steps {
        *room = room
            .checked_sub(1)
            .ok_or_else(|| too_many_steps(&step.id))?;
        if let Some(repeat) = step.repeat.take() {
            let (unrolled, last) = unroll_loop(&step, &repeat, values, room)?;
            if !last.is_empty() {
                ends.insert(step.id, last);
            }
            done.extend(unrolled);
        } else {
            step.children = unroll_list(step.children, values, room)?;
            done.push(step);
        }
    }
    if !ends.is_empty() {
        for step in &mut done {
            rename_needs(step, &|id| ends.get(id).cloned());
        }
    }
    Ok(done)
}

fn too_many_steps(id: &str) -> StepProblem {
    (
        id.to_owned(),
        format!(
            "the formula would have more than {MOST_STEPS} steps; lower the loop's count or range"
        ),
    )
}

/// Unrolls one loop into its iterations, in order. Also returns the last steps of the last one.
fn unroll_loop(
    step: &FormulaStep,
    repeat: &StepLoop,
    values: &VarValues,
    room: &mut usize,
) -> Result<(Vec<FormulaStep>, Vec<String>), StepProblem> {
    let numbers = iteration_numbers(step, repeat, values)?;
    let mut done: Vec<FormulaStep> = Vec::new();
    let mut last: Vec<String> = Vec::new();
    for (at, number) in numbers.enumerate() {
        let mut inner = values.clone();
        if !repeat.var.is_empty() {
            inner.insert(repeat.var.clone(), number.to_string());
        }
        let loop_values = VarValues::from_iter([(repeat.var.clone(), number.to_string())]);
        let mut body = unroll_list(
            repeat
                .body
                .iter()
                .cloned()
                .map(|mut step| {
                    if !repeat.var.is_empty() {
                        substitute_in_step(&mut step, &loop_values);
                    }
                    step
                })
                .collect(),
            &inner,
            room,
        )?;
        prefix_ids(&mut body, &format!("{}.iter{}", step.id, at + 1));
        chain_iteration(step, &mut body, &last);
        last = find_last_steps(&body);
        if at == 0 && !repeat.until.is_empty() {
            let label = json!({"max": repeat.max.unwrap_or(0), "until": repeat.until});
            if let Some(first) = body.first_mut() {
                first.labels.push(format!("loop:{label}"));
            }
        }
        done.extend(body);
    }
    Ok((done, last))
}

/// Returns the steps of an iteration that no other step of it needs.
fn find_last_steps(body: &[FormulaStep]) -> Vec<String> {
    let mut needed: BTreeSet<&str> = BTreeSet::new();
    collect_needs(body, &mut needed);
    body.iter()
        .map(|step| step.id.as_str())
        .filter(|id| !needed.contains(id))
        .map(str::to_owned)
        .collect()
}

fn collect_needs<'a>(steps: &'a [FormulaStep], found: &mut BTreeSet<&'a str>) {
    for step in steps {
        found.extend(step.before().chain(step.spawner()));
        collect_needs(&step.children, found);
    }
}

/// Returns the numbers of a loop's iterations.
fn iteration_numbers(
    step: &FormulaStep,
    repeat: &StepLoop,
    values: &VarValues,
) -> Result<std::ops::RangeInclusive<i64>, StepProblem> {
    let (first, last) = match repeat.count {
        Some(count) => (1, count),
        // The condition is evaluated while the workflow runs, so only one iteration is written.
        None if !repeat.until.is_empty() => (1, 1),
        None => arithmetic::parse_range(&vars::substitute_single(&repeat.range, values))
            .map_err(|text| (step.id.clone(), text))?,
    };
    let most = i64::try_from(MOST_STEPS).unwrap_or(i64::MAX);
    if last.checked_sub(first).is_none_or(|count| count >= most) {
        return Err(too_many_steps(&step.id));
    }
    Ok(first..=last)
}

/// Substitutes the number of an iteration in all texts of a step.
fn substitute_in_step(step: &mut FormulaStep, values: &VarValues) {
    let substitute = |text: &str| vars::substitute_single(text, values);
    step.map_texts(&substitute);
    if let Some(gate) = &mut step.gate {
        gate.id = substitute(&gate.id);
    }
    if let Some(repeat) = &mut step.repeat {
        // The variable of an inner loop hides an outer one with the same name.
        let hidden = values.contains_key(&repeat.var);
        if !hidden {
            repeat.range = substitute(&repeat.range);
            repeat
                .body
                .iter_mut()
                .for_each(|step| substitute_in_step(step, values));
        }
    }
    step.children
        .iter_mut()
        .for_each(|step| substitute_in_step(step, values));
}

/// Prefixes every id of a loop's body with the loop's id, including in needs within the body.
fn prefix_ids(body: &mut [FormulaStep], with: &str) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for step in body.iter() {
        collect_new_ids(step, with, &mut names);
    }
    for step in body {
        rename_ids(step, &names);
        rename_needs(step, &|id| names.get(id).cloned().map(|name| vec![name]));
    }
}

fn collect_new_ids(step: &FormulaStep, with: &str, names: &mut BTreeMap<String, String>) {
    names.insert(step.id.clone(), format!("{with}.{}", step.id));
    for child in &step.children {
        collect_new_ids(child, with, names);
    }
}

fn rename_ids(step: &mut FormulaStep, names: &BTreeMap<String, String>) {
    if let Some(name) = names.get(&step.id) {
        step.id.clone_from(name);
    }
    step.children
        .iter_mut()
        .for_each(|child| rename_ids(child, names));
}

/// Replaces needs by others, including those of children.
pub(super) fn rename_needs(step: &mut FormulaStep, new: &impl Fn(&str) -> Option<Vec<String>>) {
    step.map_needs(|id| new(id).unwrap_or_else(|| vec![id.to_owned()]));
    step.children
        .iter_mut()
        .for_each(|child| rename_needs(child, new));
}

/// Makes the first steps of an iteration wait for the last steps of the previous one, and those of
/// the first iteration for what the loop waits for.
fn chain_iteration(step: &FormulaStep, body: &mut [FormulaStep], previous: &[String]) {
    let body_ids: Vec<String> = body.iter().map(|step| step.id.clone()).collect();
    for inner in body.iter_mut() {
        let is_start = !inner
            .before()
            .chain(inner.spawner())
            .any(|id| body_ids.iter().any(|own| own == id));
        if is_start {
            for id in previous {
                inner.add_need(id);
            }
            if previous.is_empty() {
                inner.add_needs_of(step);
            }
        }
        if inner.condition.is_empty() {
            inner.condition.clone_from(&step.condition);
        }
    }
}

/// Adds the edges of branches and the labels of gates.
pub fn apply_compose(steps: &mut [FormulaStep], compose: &ComposeRules) -> Result<(), Vec<String>> {
    let mut wrong = Vec::new();
    let mut change_step =
        |id: &str, what: &str, change: &dyn Fn(&mut FormulaStep)| match find_step(steps, id) {
            Some(step) => change(step),
            None => wrong.push(format!("{what} names the unknown step \"{id}\"")),
        };
    for branch in &compose.branch {
        change_step(&branch.from, "compose.branch", &|_| {});
        for id in &branch.steps {
            change_step(id, "compose.branch", &|step| step.add_need(&branch.from));
            change_step(&branch.join, "compose.branch", &|step| step.add_need(id));
        }
    }
    for gate in &compose.gate {
        let label = format!("gate:{}", json!({"condition": gate.condition}));
        change_step(&gate.before, "compose.gate", &|step| {
            step.labels.push(label.clone());
        });
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Returns the step with this id, at any depth.
pub(super) fn find_step<'a>(steps: &'a mut [FormulaStep], id: &str) -> Option<&'a mut FormulaStep> {
    for step in steps {
        if step.id == id {
            return Some(step);
        }
        if let Some(found) = find_step(&mut step.children, id) {
            return Some(found);
        }
    }
    None
}
