//! Replaces steps by the template of an expansion formula.
//!
//! The first steps of the template wait for the needs of the replaced step. The steps that waited
//! for the replaced step wait for the last one.

use std::collections::BTreeMap;

use super::MOST_STEPS;
use super::advice;
use super::control::rename_needs;
use super::extend;
use super::find::FormulaSearchPath;
use super::problem::FormulaError;
use super::schema::{ComposeRules, Formula, FormulaKind, FormulaStep};
use super::source::FormulaSource;
use super::vars::{self, VarValues};

/// The maximum nesting depth of expansions.
const MAX_DEPTH: usize = 5;

/// Replaces the steps that have `expand`, then the steps that `compose` names.
pub fn apply_expansions(
    shelf: &FormulaSearchPath,
    source: &FormulaSource,
    steps: Vec<FormulaStep>,
    compose: &ComposeRules,
) -> Result<Vec<FormulaStep>, FormulaError> {
    let mut expander = Expander {
        shelf,
        source,
        ends: BTreeMap::new(),
        room: MOST_STEPS,
    };
    let mut steps = expander.expand_inline(steps, &[])?;
    expander.redirect(&mut steps);
    for rule in &compose.expand {
        let ids = vec![rule.target.clone()];
        steps = expander.expand_named(steps, &ids, &rule.with, &rule.vars, "expand")?;
    }
    for rule in &compose.map {
        let mut ids = Vec::new();
        collect_matching(&steps, &rule.select, &mut ids);
        if ids.is_empty() {
            let text = format!("compose.map: no step matches \"{}\"", rule.select);
            return Err(invalid_formula(source.problem("map", text)));
        }
        steps = expander.expand_named(steps, &ids, &rule.with, &rule.vars, "map")?;
    }
    Ok(steps)
}

fn invalid_formula(problem: super::FormulaProblem) -> FormulaError {
    FormulaError::Invalid(vec![problem])
}

fn collect_matching(steps: &[FormulaStep], pattern: &str, found: &mut Vec<String>) {
    for step in steps {
        if advice::is_pattern_match(pattern, &step.id) {
            found.push(step.id.clone());
        }
        collect_matching(&step.children, pattern, found);
    }
}

struct Expander<'a> {
    shelf: &'a FormulaSearchPath,
    source: &'a FormulaSource,
    /// The last inserted step for each replaced step.
    ends: BTreeMap<String, String>,
    /// The number of steps that may still be inserted.
    room: usize,
}

impl Expander<'_> {
    /// Replaces the steps that have `expand`. `chain` names the expansions that contain these
    /// steps.
    fn expand_inline(
        &mut self,
        steps: Vec<FormulaStep>,
        chain: &[String],
    ) -> Result<Vec<FormulaStep>, FormulaError> {
        let mut done = Vec::with_capacity(steps.len());
        for mut step in steps {
            step.children = self.expand_inline(std::mem::take(&mut step.children), chain)?;
            if step.expand.is_empty() {
                done.push(step);
                continue;
            }
            let name = std::mem::take(&mut step.expand);
            if chain.contains(&name) || chain.len() >= MAX_DEPTH {
                let path = [chain, std::slice::from_ref(&name)].concat().join(" -> ");
                let text = if chain.contains(&name) {
                    format!("the expansion contains itself: {path}")
                } else {
                    format!("expansions are nested deeper than {MAX_DEPTH}: {path}")
                };
                return Err(invalid_formula(
                    self.source.step_problem(&step.id, "expand", text),
                ));
            }
            let overrides = std::mem::take(&mut step.expand_vars);
            let template = self.load_template(&step.id, &name, "expand")?;
            self.reserve_steps(&step.id, &template)?;
            let put_in = expand_step(&step, &template, &overrides);
            let chain = [chain, std::slice::from_ref(&name)].concat();
            let put_in = self.expand_inline(put_in, &chain)?;
            self.record_end(&step, &put_in);
            done.extend(put_in);
        }
        Ok(done)
    }

    /// Replaces the steps with these ids, at any depth.
    fn expand_named(
        &mut self,
        steps: Vec<FormulaStep>,
        ids: &[String],
        with: &str,
        overrides: &BTreeMap<String, String>,
        key: &str,
    ) -> Result<Vec<FormulaStep>, FormulaError> {
        let template = self.load_template(ids.first().map_or("", String::as_str), with, key)?;
        let mut left: Vec<&String> = ids.iter().collect();
        let steps = self.expand_named_in(steps, &mut left, &template, overrides)?;
        if let Some(id) = left.first() {
            let text = format!("compose.{key} names the unknown step \"{id}\"");
            return Err(invalid_formula(self.source.problem(key, text)));
        }
        let mut steps = self.expand_inline(steps, &[with.to_owned()])?;
        self.redirect(&mut steps);
        Ok(steps)
    }

    fn expand_named_in(
        &mut self,
        steps: Vec<FormulaStep>,
        left: &mut Vec<&String>,
        template: &Formula,
        overrides: &BTreeMap<String, String>,
    ) -> Result<Vec<FormulaStep>, FormulaError> {
        let mut done = Vec::with_capacity(steps.len());
        for mut step in steps {
            if let Some(at) = left.iter().position(|id| **id == step.id) {
                left.remove(at);
                self.reserve_steps(&step.id, template)?;
                let put_in = expand_step(&step, template, overrides);
                self.record_end(&step, &put_in);
                done.extend(put_in);
                continue;
            }
            let children = std::mem::take(&mut step.children);
            step.children = self.expand_named_in(children, left, template, overrides)?;
            done.push(step);
        }
        Ok(done)
    }

    /// Fails if the formula would have more steps than allowed.
    fn reserve_steps(&mut self, id: &str, template: &Formula) -> Result<(), FormulaError> {
        let left = self.room.checked_sub(template.template.len());
        self.room = left.ok_or_else(|| {
            let text =
                format!("with its expansions the formula would have more than {MOST_STEPS} steps");
            invalid_formula(self.source.step_problem(id, "expand", text))
        })?;
        Ok(())
    }

    fn load_template(&self, id: &str, name: &str, key: &str) -> Result<Formula, FormulaError> {
        let build_error = |text: String| invalid_formula(self.source.step_problem(id, key, text));
        let loaded = self.shelf.load(name).map_err(|error| match error {
            FormulaError::Invalid(_) => error,
            other => build_error(format!("cannot expand: {other}")),
        })?;
        let formula = extend::resolve_extends(self.shelf, &loaded)?;
        if formula.kind != FormulaKind::Expansion || formula.template.is_empty() {
            return Err(build_error(format!(
                "\"{name}\" is no expansion: it needs type = \"expansion\" and [[template]] steps"
            )));
        }
        Ok(formula)
    }

    fn record_end(&mut self, step: &FormulaStep, put_in: &[FormulaStep]) {
        if let Some(last) = put_in.last() {
            self.ends.insert(step.id.clone(), last.id.clone());
        }
    }

    /// Redirects the needs on a replaced step to its last inserted step.
    fn redirect(&mut self, steps: &mut [FormulaStep]) {
        let ends = std::mem::take(&mut self.ends);
        if ends.is_empty() {
            return;
        }
        let mut step_ids = Vec::new();
        collect_ids(steps, &mut step_ids);
        for step in steps {
            // If the last step of a template has the name of the replaced step, the name already
            // refers to the end.
            rename_needs(step, &|id| {
                if step_ids.iter().any(|own| own == id) {
                    return None;
                }
                find_end(&ends, id).map(|end| vec![end.clone()])
            });
        }
    }
}

/// Returns the last step that stands for a replaced step.
fn find_end<'a>(ends: &'a BTreeMap<String, String>, id: &str) -> Option<&'a String> {
    let mut end = ends.get(id)?;
    // Steps that took each other's names form a cycle.
    for _ in 0..ends.len() {
        match ends.get(end) {
            Some(next) if next != end => end = next,
            _ => break,
        }
    }
    Some(end)
}

fn collect_ids(steps: &[FormulaStep], found: &mut Vec<String>) {
    for step in steps {
        found.push(step.id.clone());
        collect_ids(&step.children, found);
    }
}

/// Builds the steps that replace a step, from a template.
fn expand_step(
    step: &FormulaStep,
    formula: &Formula,
    overrides: &BTreeMap<String, String>,
) -> Vec<FormulaStep> {
    let mut names = VarValues::new();
    for (name, var) in &formula.vars {
        let value = var.default.as_deref().unwrap_or("");
        names.insert(name.clone(), value.to_owned());
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
    let mut put_in: Vec<FormulaStep> = formula.template.clone();
    for inner in &mut put_in {
        fill_step(inner, &names);
    }
    let ids: Vec<String> = put_in.iter().map(|step| step.id.clone()).collect();
    for (at, inner) in put_in.iter_mut().enumerate() {
        if !inner
            .before()
            .any(|id| ids.iter().any(|inner_id| inner_id == id))
        {
            inner.add_needs_of(step);
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
        for label in &step.labels {
            if !inner.labels.contains(label) {
                inner.labels.push(label.clone());
            }
        }
        formula.name.clone_into(&mut inner.origin);
    }
    put_in
}

/// Substitutes values in a step of a template and its children.
fn fill_step(step: &mut FormulaStep, names: &VarValues) {
    let substitute = |text: &str| vars::substitute_single(text, names);
    step.id = substitute(&step.id);
    step.map_texts(&substitute);
    step.map_needs(|id| vec![substitute(id)]);
    step.assignee = substitute(&step.assignee);
    step.condition = substitute(&step.condition);
    for label in &mut step.labels {
        *label = substitute(label);
    }
    for value in step.expand_vars.values_mut() {
        *value = substitute(value);
    }
    if let Some(gate) = &mut step.gate {
        gate.id = substitute(&gate.id);
    }
    step.children
        .iter_mut()
        .for_each(|child| fill_step(child, names));
}
