//! Advice: inserts steps before and after the steps whose ids match. Advice never matches steps
//! that advice inserted. Several pieces of advice on one step are chained in order.

use std::collections::{BTreeMap, BTreeSet};

use super::schema::{Advice, AdviceStep, FormulaStep};
use super::vars::{self, VarValues};

/// The steps that earlier advice inserted.
#[derive(Debug, Default)]
pub struct InsertedAdvice {
    ids: BTreeSet<String>,
    /// The last inserted step before and after each step.
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
}

/// Applies the rules in order.
pub fn apply_advice(
    steps: Vec<FormulaStep>,
    rules: &[Advice],
    inserted: &mut InsertedAdvice,
) -> Vec<FormulaStep> {
    if rules.is_empty() {
        return steps;
    }
    let mut current_ids = BTreeSet::new();
    collect_ids(&steps, &mut current_ids);
    // An expansion may have replaced an inserted step.
    inserted.before.retain(|_, last| current_ids.contains(last));
    inserted.after.retain(|_, last| current_ids.contains(last));
    insert_steps(steps, rules, inserted)
}

fn collect_ids(steps: &[FormulaStep], found: &mut BTreeSet<String>) {
    for step in steps {
        found.insert(step.id.clone());
        collect_ids(&step.children, found);
    }
}

fn insert_steps(
    steps: Vec<FormulaStep>,
    rules: &[Advice],
    inserted: &mut InsertedAdvice,
) -> Vec<FormulaStep> {
    let mut done = Vec::with_capacity(steps.len());
    for mut step in steps {
        step.children = insert_steps(std::mem::take(&mut step.children), rules, inserted);
        if inserted.ids.contains(&step.id) {
            done.push(step);
            continue;
        }
        let mut steps_before: Vec<&AdviceStep> = Vec::new();
        let mut steps_after: Vec<&AdviceStep> = Vec::new();
        for rule in rules {
            if is_pattern_match(&rule.target, &step.id) {
                steps_before.extend(&rule.before);
                steps_after.extend(&rule.after);
                if let Some(around) = &rule.around {
                    steps_before.extend(&around.before);
                    steps_after.extend(&around.after);
                }
            }
        }
        let start = inserted.before.get(&step.id).map(String::as_str);
        let before = chain_steps(&step, &steps_before, start);
        let start = inserted.after.get(&step.id).unwrap_or(&step.id);
        let after = chain_steps(&step, &steps_after, Some(start));
        if let Some(last) = before.last() {
            step.add_need(&last.id);
            inserted.before.insert(step.id.clone(), last.id.clone());
        }
        if let Some(last) = after.last() {
            inserted.after.insert(step.id.clone(), last.id.clone());
        }
        let ids = before.iter().chain(&after).map(|step| step.id.clone());
        inserted.ids.extend(ids);
        done.extend(before);
        done.push(step);
        done.extend(after);
    }
    done
}

/// Builds the steps of advice. Each step waits for the previous one, and the first waits for
/// `start`.
fn chain_steps(
    target: &FormulaStep,
    advice: &[&AdviceStep],
    start: Option<&str>,
) -> Vec<FormulaStep> {
    let names = VarValues::from_iter([
        ("step.id".to_owned(), target.id.clone()),
        ("step.title".to_owned(), target.title.clone()),
        ("step.description".to_owned(), target.description.clone()),
    ]);
    let mut done: Vec<FormulaStep> = Vec::new();
    for advice in advice {
        let mut step = FormulaStep {
            id: vars::substitute_single(&advice.id, &names),
            title: vars::substitute_single(&advice.title, &names),
            description: vars::substitute_single(&advice.description, &names),
            kind: advice.kind.clone(),
            condition: target.condition.clone(),
            ..FormulaStep::default()
        };
        if step.title.is_empty() {
            step.title.clone_from(&step.id);
        }
        if let Some(before) = done.last().map(|step| step.id.as_str()).or(start) {
            step.add_need(before);
        }
        done.push(step);
    }
    done
}

/// Returns true if an id matches a pattern with the wildcards `*`, `?` and `[a-z]`.
pub fn is_pattern_match(pattern: &str, id: &str) -> bool {
    pattern == id || glob::Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(id))
}
