//! Overlays: a town or a rig overrides steps of a formula.
//!
//! ```toml
//! [[step-overrides]]
//! step_id = "run-tests"
//! mode = "replace"       # or "append", "skip"
//! description = "…"
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::control::find_step;
use super::problem::{FormulaError, FormulaProblem};
use super::schema::FormulaStep;

#[derive(Debug, Deserialize)]
struct Overlay {
    #[serde(rename = "step-overrides", default)]
    overrides: Vec<StepOverride>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepOverride {
    step_id: String,
    mode: OverrideMode,
    #[serde(default)]
    description: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OverrideMode {
    Replace,
    Append,
    Skip,
}

/// Applies an overlay. An override of a missing step gives a warning.
pub fn apply_overlay(
    steps: &mut Vec<FormulaStep>,
    path: &Path,
    text: &str,
) -> Result<Vec<FormulaProblem>, FormulaError> {
    let build_problem = |line, step: Option<String>, text| FormulaProblem {
        file: path.display().to_string(),
        line,
        step,
        text,
    };
    let overlay: Overlay = toml::from_str(text).map_err(|error| {
        let line = error
            .span()
            .map(|span| text[..span.start].matches('\n').count() + 1);
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        FormulaError::Invalid(vec![build_problem(line, None, message)])
    })?;
    let mut warnings = Vec::new();
    for change in &overlay.overrides {
        let Some(step) = find_step(steps, &change.step_id) else {
            let text = "the formula has no such step; this override does nothing".to_owned();
            warnings.push(build_problem(None, Some(change.step_id.clone()), text));
            continue;
        };
        match change.mode {
            OverrideMode::Replace => step.description.clone_from(&change.description),
            OverrideMode::Append => {
                let joined = [step.description.trim_end(), change.description.trim()];
                step.description = joined.join("\n\n").trim().to_owned();
            }
            OverrideMode::Skip => skip_step(steps, &change.step_id),
        }
    }
    Ok(warnings)
}

/// Removes a step. The steps that waited for it now wait for its needs.
pub fn skip_step(steps: &mut Vec<FormulaStep>, id: &str) {
    remove_steps(steps, &|step| step.id == id);
}

/// Removes the steps that `is_removed` selects, with their children. The steps that waited for a
/// removed step now wait for its needs.
pub fn remove_steps(steps: &mut Vec<FormulaStep>, is_removed: &impl Fn(&FormulaStep) -> bool) {
    let mut gone: BTreeMap<String, Vec<String>> = BTreeMap::new();
    collect_removed(steps, is_removed, false, &mut gone);
    if gone.is_empty() {
        return;
    }
    let order: Vec<String> = gone.keys().cloned().collect();
    let mut stands_for: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in order {
        resolve_replacements(&id, &gone, &mut stands_for);
    }
    remove_listed(steps, &gone);
    for step in steps {
        replace_needs(step, &stands_for);
    }
}

fn collect_removed(
    steps: &[FormulaStep],
    goes: &impl Fn(&FormulaStep) -> bool,
    is_below: bool,
    gone: &mut BTreeMap<String, Vec<String>>,
) {
    for step in steps {
        let goes_too = is_below || goes(step);
        if goes_too {
            let before = step.before().map(str::to_owned).collect();
            gone.insert(step.id.clone(), before);
        }
        collect_removed(&step.children, goes, goes_too, gone);
    }
}

/// Finds the remaining steps that replace a removed one. Runs without recursion, because chains may
/// be long.
fn resolve_replacements(
    id: &str,
    gone: &BTreeMap<String, Vec<String>>,
    stands_for: &mut BTreeMap<String, Vec<String>>,
) {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut stack = vec![id.to_owned()];
    while let Some(id) = stack.pop() {
        if let Some(known) = stands_for.get(&id) {
            found.extend(
                known
                    .iter()
                    .filter(|id| !found.contains(*id))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        } else if let Some(before) = gone.get(&id) {
            if seen.insert(id) {
                stack.extend(before.iter().rev().cloned());
            }
        } else if !found.contains(&id) {
            found.push(id);
        }
    }
    stands_for.insert(id.to_owned(), found);
}

fn remove_listed(steps: &mut Vec<FormulaStep>, gone: &BTreeMap<String, Vec<String>>) {
    steps.retain(|step| !gone.contains_key(&step.id));
    for step in steps {
        remove_listed(&mut step.children, gone);
    }
}

fn replace_needs(step: &mut FormulaStep, stands_for: &BTreeMap<String, Vec<String>>) {
    // A step that waited for the children of a removed step waits for what that step waited for.
    let spawner = step.awaited_spawner();
    if let Some(instead) = spawner.and_then(|id| stands_for.get(id)) {
        step.waits_for.clear();
        for id in instead {
            step.add_need(id);
        }
    }
    step.map_needs(|id| {
        stands_for
            .get(id)
            .cloned()
            .unwrap_or_else(|| vec![id.to_owned()])
    });
    for child in &mut step.children {
        replace_needs(child, stands_for);
    }
}
