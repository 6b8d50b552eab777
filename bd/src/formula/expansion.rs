//! Steps replaced by the template of an expansion formula.
//!
//! The first steps of the template wait for what the replaced step waited for; what waited for it waits for
//! the last one.

use std::collections::BTreeMap;

use super::MOST_STEPS;
use super::advice;
use super::control::rename_needs;
use super::extend;
use super::find::Shelf;
use super::problem::FormulaError;
use super::schema::{Compose, Formula, FormulaKind, Step};
use super::source::Source;
use super::vars::{self, Values};

/// How deep expansions may contain each other.
const DEPTH: usize = 5;

/// Replaces the steps that say `expand`, then those that `compose` names.
pub fn apply(
    shelf: &Shelf,
    source: &Source,
    steps: Vec<Step>,
    compose: &Compose,
) -> Result<Vec<Step>, FormulaError> {
    let mut expander = Expander {
        shelf,
        source,
        ends: BTreeMap::new(),
        room: MOST_STEPS,
    };
    let mut steps = expander.inline(steps, &[])?;
    expander.redirect(&mut steps);
    for rule in &compose.expand {
        let ids = vec![rule.target.clone()];
        steps = expander.named(steps, &ids, &rule.with, &rule.vars, "expand")?;
    }
    for rule in &compose.map {
        let mut ids = Vec::new();
        matching(&steps, &rule.select, &mut ids);
        if ids.is_empty() {
            let text = format!("compose.map: no step matches \"{}\"", rule.select);
            return Err(invalid(source.problem("map", text)));
        }
        steps = expander.named(steps, &ids, &rule.with, &rule.vars, "map")?;
    }
    Ok(steps)
}

fn invalid(problem: super::Problem) -> FormulaError {
    FormulaError::Invalid(vec![problem])
}

fn matching(steps: &[Step], pattern: &str, found: &mut Vec<String>) {
    for step in steps {
        if advice::matches(pattern, &step.id) {
            found.push(step.id.clone());
        }
        matching(&step.children, pattern, found);
    }
}

struct Expander<'a> {
    shelf: &'a Shelf,
    source: &'a Source,
    /// The last step that stands for each replaced one.
    ends: BTreeMap<String, String>,
    /// How many steps may still be put in.
    room: usize,
}

impl Expander<'_> {
    /// Replaces the steps that say `expand`; `chain` names the expansions that contain this place.
    fn inline(&mut self, steps: Vec<Step>, chain: &[String]) -> Result<Vec<Step>, FormulaError> {
        let mut done = Vec::with_capacity(steps.len());
        for mut step in steps {
            step.children = self.inline(std::mem::take(&mut step.children), chain)?;
            if step.expand.is_empty() {
                done.push(step);
                continue;
            }
            let name = std::mem::take(&mut step.expand);
            if chain.contains(&name) || chain.len() >= DEPTH {
                let path = [chain, std::slice::from_ref(&name)].concat().join(" -> ");
                let text = if chain.contains(&name) {
                    format!("the expansion contains itself: {path}")
                } else {
                    format!("expansions are nested deeper than {DEPTH}: {path}")
                };
                return Err(invalid(self.source.step_problem(&step.id, "expand", text)));
            }
            let overrides = std::mem::take(&mut step.expand_vars);
            let template = self.template(&step.id, &name, "expand")?;
            self.take_room(&step.id, &template)?;
            let put_in = replace(&step, &template, &overrides);
            let chain = [chain, std::slice::from_ref(&name)].concat();
            let put_in = self.inline(put_in, &chain)?;
            self.note_end(&step, &put_in);
            done.extend(put_in);
        }
        Ok(done)
    }

    /// Replaces the steps with these ids, wherever they stand.
    fn named(
        &mut self,
        steps: Vec<Step>,
        ids: &[String],
        with: &str,
        overrides: &BTreeMap<String, String>,
        key: &str,
    ) -> Result<Vec<Step>, FormulaError> {
        let template = self.template(ids.first().map_or("", String::as_str), with, key)?;
        let mut left: Vec<&String> = ids.iter().collect();
        let steps = self.named_in(steps, &mut left, &template, overrides)?;
        if let Some(id) = left.first() {
            let text = format!("compose.{key} names the unknown step \"{id}\"");
            return Err(invalid(self.source.problem(key, text)));
        }
        let mut steps = self.inline(steps, &[with.to_owned()])?;
        self.redirect(&mut steps);
        Ok(steps)
    }

    fn named_in(
        &mut self,
        steps: Vec<Step>,
        left: &mut Vec<&String>,
        template: &Formula,
        overrides: &BTreeMap<String, String>,
    ) -> Result<Vec<Step>, FormulaError> {
        let mut done = Vec::with_capacity(steps.len());
        for mut step in steps {
            if let Some(at) = left.iter().position(|id| **id == step.id) {
                left.remove(at);
                self.take_room(&step.id, template)?;
                let put_in = replace(&step, template, overrides);
                self.note_end(&step, &put_in);
                done.extend(put_in);
                continue;
            }
            let children = std::mem::take(&mut step.children);
            step.children = self.named_in(children, left, template, overrides)?;
            done.push(step);
        }
        Ok(done)
    }

    /// Refuses more steps than a formula may have.
    fn take_room(&mut self, id: &str, template: &Formula) -> Result<(), FormulaError> {
        let left = self.room.checked_sub(template.template.len());
        self.room = left.ok_or_else(|| {
            let text =
                format!("with its expansions the formula would have more than {MOST_STEPS} steps");
            invalid(self.source.step_problem(id, "expand", text))
        })?;
        Ok(())
    }

    fn template(&self, id: &str, name: &str, key: &str) -> Result<Formula, FormulaError> {
        let wrong = |text: String| invalid(self.source.step_problem(id, key, text));
        let loaded = self.shelf.load(name).map_err(|error| match error {
            FormulaError::Invalid(_) => error,
            other => wrong(format!("cannot expand: {other}")),
        })?;
        let formula = extend::resolve(self.shelf, &loaded)?;
        if formula.kind != FormulaKind::Expansion || formula.template.is_empty() {
            return Err(wrong(format!(
                "\"{name}\" is no expansion: it needs type = \"expansion\" and [[template]] steps"
            )));
        }
        Ok(formula)
    }

    fn note_end(&mut self, step: &Step, put_in: &[Step]) {
        if let Some(last) = put_in.last() {
            self.ends.insert(step.id.clone(), last.id.clone());
        }
    }

    /// What waited for a replaced step waits for its last one.
    fn redirect(&mut self, steps: &mut [Step]) {
        let ends = std::mem::take(&mut self.ends);
        if ends.is_empty() {
            return;
        }
        let follow = |id: &str| {
            let mut end = ends.get(id)?;
            // Steps that took each other's names lead in a circle.
            for _ in 0..ends.len() {
                match ends.get(end).filter(|next| *next != end) {
                    Some(next) => end = next,
                    None => break,
                }
            }
            Some(end.clone())
        };
        let mut own = Vec::new();
        collect(steps, &mut own);
        for step in steps {
            // A template whose last step has the name of the replaced one is that step's end itself.
            rename_needs(step, &|id| {
                follow(id).filter(|_| !own.iter().any(|own| own == id))
            });
        }
    }
}

fn collect(steps: &[Step], found: &mut Vec<String>) {
    for step in steps {
        found.push(step.id.clone());
        collect(&step.children, found);
    }
}

/// The steps of a template in the place of a step.
fn replace(step: &Step, formula: &Formula, overrides: &BTreeMap<String, String>) -> Vec<Step> {
    let mut names = Values::new();
    for (name, var) in &formula.vars {
        names.insert(name.clone(), var.default.clone().unwrap_or_default());
    }
    names.extend(overrides.clone());
    for (name, text) in [
        ("target", &step.id),
        ("target.id", &step.id),
        ("target.title", &step.title),
        ("target.description", &step.description),
    ] {
        names.insert(name.to_owned(), text.clone());
    }
    let mut put_in: Vec<Step> = formula.template.clone();
    for inner in &mut put_in {
        fill(inner, &names);
    }
    let ids: Vec<String> = put_in.iter().map(|step| step.id.clone()).collect();
    for (at, inner) in put_in.iter_mut().enumerate() {
        if !inner.before().any(|id| ids.iter().any(|own| own == id)) {
            step.before().for_each(|id| inner.add_need(id));
            if inner.waits_for.is_empty() {
                inner.waits_for.clone_from(&step.waits_for);
            }
        }
        if at == 0 && inner.gate.is_none() {
            inner.gate.clone_from(&step.gate);
        }
        if inner.condition.is_empty() {
            inner.condition.clone_from(&step.condition);
        }
        if inner.assignee.is_empty() {
            inner.assignee.clone_from(&step.assignee);
        }
        inner.priority = inner.priority.or(step.priority);
        formula.name.clone_into(&mut inner.origin);
    }
    put_in
}

/// Puts values into a step of a template and its children.
fn fill(step: &mut Step, names: &Values) {
    let with = |text: &str| vars::put_in_single(text, names);
    step.id = with(&step.id);
    step.map_texts(&with);
    step.map_needs(|id| vec![with(id)]);
    step.assignee = with(&step.assignee);
    step.condition = with(&step.condition);
    for label in &mut step.labels {
        *label = with(label);
    }
    for value in step.expand_vars.values_mut() {
        *value = with(value);
    }
    if let Some(gate) = &mut step.gate {
        gate.id = with(&gate.id);
    }
    step.children
        .iter_mut()
        .for_each(|child| fill(child, names));
}
