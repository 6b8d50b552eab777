//! Advice: inserts steps before and after the steps whose ids match. Advice never matches steps
//! that advice inserted.

use std::collections::BTreeSet;

use super::schema::{Advice, AdviceStep, FormulaStep};
use super::vars::{self, VarValues};

/// Applies the rules in order.
pub fn apply_advice(mut steps: Vec<FormulaStep>, rules: &[Advice]) -> Vec<FormulaStep> {
    if rules.is_empty() {
        return steps;
    }
    let mut original_ids = BTreeSet::new();
    collect_ids(&steps, &mut original_ids);
    for rule in rules {
        steps = apply_rule(steps, rule, &original_ids);
    }
    steps
}

fn collect_ids(steps: &[FormulaStep], found: &mut BTreeSet<String>) {
    for step in steps {
        found.insert(step.id.clone());
        collect_ids(&step.children, found);
    }
}

fn apply_rule(
    steps: Vec<FormulaStep>,
    rule: &Advice,
    original_ids: &BTreeSet<String>,
) -> Vec<FormulaStep> {
    let mut done = Vec::with_capacity(steps.len());
    for mut step in steps {
        step.children = apply_rule(std::mem::take(&mut step.children), rule, original_ids);
        if !original_ids.contains(&step.id) || !is_pattern_match(&rule.target, &step.id) {
            done.push(step);
            continue;
        }
        let around = rule.around.as_ref();
        let steps_before = rule
            .before
            .iter()
            .chain(around.iter().flat_map(|around| &around.before));
        let before = chain_steps(&step, steps_before, None);
        let steps_after = rule
            .after
            .iter()
            .chain(around.iter().flat_map(|around| &around.after));
        let after = chain_steps(&step, steps_after, Some(&step.id));
        if let Some(last) = before.last() {
            step.add_need(&last.id);
        }
        done.extend(before);
        done.push(step);
        done.extend(after);
    }
    done
}

/// Builds the steps of advice. Each step waits for the previous one, and the first waits for
/// `start`.
fn chain_steps<'a>(
    target: &FormulaStep,
    advice: impl Iterator<Item = &'a AdviceStep>,
    start: Option<&str>,
) -> Vec<FormulaStep> {
    let names = VarValues::from_iter([
        ("step.id".to_owned(), target.id.clone()),
        ("step.title".to_owned(), target.title.clone()),
        ("step.description".to_owned(), target.description.clone()),
    ]);
    let put_in = |text: &str| vars::substitute_single(text, &names);
    let mut done: Vec<FormulaStep> = Vec::new();
    for advice in advice {
        let mut step = FormulaStep {
            id: put_in(&advice.id),
            title: put_in(&advice.title),
            description: put_in(&advice.description),
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
