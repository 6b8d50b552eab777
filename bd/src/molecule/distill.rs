//! Distills a formula from existing work.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::MoleculeError;
use super::progress;
use crate::bead::{Bead, DepKind};
use crate::formula::schema::{Formula, FormulaStep, FormulaVar};
use crate::formula::vars;
use crate::store::{BeadRef, Snapshot};

/// Builds a formula from an epic. `values` are texts to replace by variables, keyed by the
/// variables' names.
pub fn distill_formula(
    snapshot: &Snapshot,
    epic: &Bead,
    name: &str,
    values: &BTreeMap<String, String>,
) -> Result<Formula, MoleculeError> {
    let members = progress::list_molecule_steps(snapshot, &epic.id);
    let beads: Vec<&Bead> = members.iter().filter_map(BeadRef::bead).collect();
    if beads.is_empty() {
        return Err(MoleculeError::NoSteps(epic.id.clone()));
    }
    let ids = step_ids(&beads);
    let mut below: BTreeMap<&str, Vec<&Bead>> = BTreeMap::new();
    for bead in &beads {
        let parent = match bead.parent() {
            Some(id) if ids.contains_key(id) => id,
            _ => &epic.id,
        };
        below.entry(parent).or_default().push(bead);
    }
    let writer = FormulaWriter {
        ids: &ids,
        below: &below,
        values,
    };
    let vars = values.iter().map(|(name, value)| {
        let var = FormulaVar {
            description: format!("stood as \"{value}\" in {}", epic.id),
            required: true,
            ..FormulaVar::default()
        };
        (name.clone(), var)
    });
    Ok(Formula {
        name: name.to_owned(),
        description: writer.text(&epic.description),
        version: Value::from(1),
        vars: vars.collect(),
        steps: writer.steps(&epic.id),
        ..Formula::default()
    })
}

struct FormulaWriter<'a> {
    ids: &'a HashMap<&'a str, String>,
    below: &'a BTreeMap<&'a str, Vec<&'a Bead>>,
    values: &'a BTreeMap<String, String>,
}

impl FormulaWriter<'_> {
    fn text(&self, text: &str) -> String {
        self.values
            .iter()
            .fold(text.to_owned(), |text, (name, value)| {
                text.replace(value, &format!("{{{{{name}}}}}"))
            })
    }

    fn steps(&self, parent: &str) -> Vec<FormulaStep> {
        let beads = self.below.get(parent).into_iter().flatten();
        beads.map(|bead| self.step(bead)).collect()
    }

    fn step(&self, bead: &Bead) -> FormulaStep {
        FormulaStep {
            id: self.ids.get(bead.id.as_str()).cloned().unwrap_or_default(),
            title: self.text(&bead.title),
            description: self.text(&bead.description),
            notes: self.text(&bead.notes),
            acceptance: self.text(&bead.acceptance_criteria),
            kind: bead.issue_type.to_string(),
            priority: Some(bead.priority),
            labels: bead.labels.clone(),
            needs: bead
                .edges(&DepKind::Blocks)
                .filter_map(|edge| self.ids.get(edge.depends_on_id.as_str()))
                .cloned()
                .collect(),
            children: self.steps(&bead.id),
            ..FormulaStep::default()
        }
    }
}

/// Returns a readable id for each bead: its step id in a formula, or the words of its title.
fn step_ids<'a>(beads: &[&'a Bead]) -> HashMap<&'a str, String> {
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut ids = HashMap::new();
    for bead in beads {
        let slug = match bead.source_location.as_str() {
            "" => slug_from_title(&bead.title),
            location => location.to_owned(),
        };
        let count = taken.entry(slug.clone()).or_default();
        *count += 1;
        let id = match *count {
            1 => slug,
            count => format!("{slug}-{count}"),
        };
        ids.insert(bead.id.as_str(), id);
    }
    ids
}

/// Converts the first words of a title to a name.
pub fn slug_from_title(title: &str) -> String {
    let lower = title.to_lowercase();
    let slug = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(5)
        .collect::<Vec<_>>()
        .join("-");
    if slug.is_empty() {
        "step".to_owned()
    } else {
        slug
    }
}

/// Parses values in the form `name=value`, or `value=name` if only that order has a name that does
/// not occur in the texts.
pub fn read_values(
    given: &[String],
    texts: &str,
) -> Result<BTreeMap<String, String>, MoleculeError> {
    let mut values = BTreeMap::new();
    for pair in given {
        let is_pair = |(name, value): &(&str, &str)| {
            vars::is_variable_name(name) && !value.is_empty() && texts.contains(*value)
        };
        let (left, right) = pair.split_once('=').unwrap_or((pair, ""));
        if let Some((name, value)) = [(left, right), (right, left)].into_iter().find(is_pair) {
            values.insert(name.to_owned(), value.to_owned());
            continue;
        }
        return Err(MoleculeError::Refused(
            if vars::is_variable_name(left) && !right.is_empty() {
                format!("\"{right}\" does not stand in the epic or its steps")
            } else {
                format!("invalid --var \"{pair}\": use --var name=value")
            },
        ));
    }
    Ok(values)
}
