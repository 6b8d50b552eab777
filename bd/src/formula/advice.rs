//! Advice: steps put before and after the steps whose ids match. It never matches steps that advice put in.

use std::collections::BTreeSet;

use super::schema::{Advice, AdviceStep, Step};
use super::vars::{self, Values};

/// Applies rules one after the other.
pub fn apply(mut steps: Vec<Step>, rules: &[Advice]) -> Vec<Step> {
    if rules.is_empty() {
        return steps;
    }
    let mut own = BTreeSet::new();
    ids(&steps, &mut own);
    for rule in rules {
        steps = apply_one(steps, rule, &own);
    }
    steps
}

fn ids(steps: &[Step], found: &mut BTreeSet<String>) {
    for step in steps {
        found.insert(step.id.clone());
        ids(&step.children, found);
    }
}

fn apply_one(steps: Vec<Step>, rule: &Advice, own: &BTreeSet<String>) -> Vec<Step> {
    let mut done = Vec::with_capacity(steps.len());
    for mut step in steps {
        step.children = apply_one(std::mem::take(&mut step.children), rule, own);
        if !own.contains(&step.id) || !matches(&rule.target, &step.id) {
            done.push(step);
            continue;
        }
        let around = rule.around.as_ref();
        let before = rule
            .before
            .iter()
            .chain(around.iter().flat_map(|around| &around.before));
        let before = chain(&step, before, None);
        let after = rule
            .after
            .iter()
            .chain(around.iter().flat_map(|around| &around.after));
        let after = chain(&step, after, Some(&step.id));
        if let Some(last) = before.last() {
            step.add_need(&last.id);
        }
        done.extend(before);
        done.push(step);
        done.extend(after);
    }
    done
}

/// The steps of advice, each waiting for the one before it, the first for `start`.
fn chain<'a>(
    target: &Step,
    advice: impl Iterator<Item = &'a AdviceStep>,
    start: Option<&str>,
) -> Vec<Step> {
    let names = Values::from_iter([
        ("step.id".to_owned(), target.id.clone()),
        ("step.title".to_owned(), target.title.clone()),
        ("step.description".to_owned(), target.description.clone()),
    ]);
    let put_in = |text: &str| vars::put_in_single(text, &names);
    let mut done: Vec<Step> = Vec::new();
    for advice in advice {
        let mut step = Step {
            id: put_in(&advice.id),
            title: put_in(&advice.title),
            description: put_in(&advice.description),
            kind: advice.kind.clone(),
            condition: target.condition.clone(),
            ..Step::default()
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

/// Whether an id matches a pattern: `*`, `?`, and `[a-z]` stand for parts of it.
pub fn matches(pattern: &str, id: &str) -> bool {
    pattern == id || glob::Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(id))
}
