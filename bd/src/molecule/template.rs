//! A workflow before it is poured: the beads to create, with references by the ids of its steps.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::MoleculeError;
use crate::bead::{Bead, DepKind, Kind, record};
use crate::change::{BeadPlan, NewBead, PlanBead, PlanEdge, PlanEndpoint};
use crate::formula::vars::{self, VarValues};
use crate::formula::{Formula, FormulaStep, cook};
use crate::query::when;
use crate::store::{BeadRef, Snapshot};

/// The key of the root. The key of a step is its id.
pub const ROOT: &str = "";

/// A workflow that can be poured.
#[derive(Debug, Clone, Default)]
pub struct MoleculeTemplate {
    /// The formula, or the id of the proto.
    pub name: String,
    /// Formula and version, as recorded in beads.
    pub origin: String,
    /// The formula without its steps, for the check of variables; `None` for a proto.
    pub formula: Option<Formula>,
    /// The variable names that the formula uses.
    used: BTreeSet<String>,
    /// The beads: the root first, parents before children.
    pub beads: Vec<TemplateBead>,
}

#[derive(Debug, Clone, Default)]
pub struct TemplateBead {
    /// [`ROOT`], or the id of the step.
    pub key: String,
    /// The key of the parent.
    pub parent: Option<String>,
    /// The values of the new bead. Texts may contain `{{name}}`.
    pub new: NewBead,
    /// The edges: kind, key of the target, metadata.
    pub edges: Vec<(DepKind, String, String)>,
}

/// The options of a pour.
#[derive(Debug, Clone, Default)]
pub struct PourOptions {
    pub values: VarValues,
    /// Create wisps instead of durable beads.
    pub ephemeral: bool,
    /// Create only the root. The steps remain text of the formula.
    pub root_only: bool,
    pub assignee: String,
    /// The prefix of the root's id.
    pub prefix: String,
    /// A parent for the root and a name: the root's id becomes `<parent>.<name>`.
    pub reference: Option<(String, String)>,
}

impl MoleculeTemplate {
    /// Builds the template of a cooked formula, with the steps whose conditions are true.
    pub fn from_formula(mut formula: Formula, values: &VarValues) -> Self {
        let mut template = Self {
            name: formula.name.clone(),
            origin: format!("{}@{}", formula.name, formula.version_text()),
            used: vars::list_used_names(&formula),
            ..Self::default()
        };
        let mut steps = std::mem::take(&mut formula.steps);
        cook::choose_steps(&mut steps, values);
        template.beads.push(template.root(&formula));
        let waits = find_children_waits(&steps);
        for step in steps {
            template.step(step, ROOT, &formula);
        }
        template.wait_for_children(waits);
        template.formula = Some(formula);
        template
    }

    fn root(&self, formula: &Formula) -> TemplateBead {
        let [title, description] =
            [("title", &formula.name), ("desc", &formula.description)].map(|(var, text)| {
                if formula.vars.contains_key(var) {
                    format!("{{{{{var}}}}}")
                } else {
                    text.clone()
                }
            });
        TemplateBead {
            new: NewBead {
                title,
                description,
                issue_type: Kind::Epic,
                metadata: match formula.on_done.as_str() {
                    "" => None,
                    word => record::to_raw_json(&json!({"on_done": word})),
                },
                source_formula: self.origin.clone(),
                ..NewBead::default()
            },
            ..TemplateBead::default()
        }
    }

    fn step(&mut self, step: FormulaStep, parent: &str, formula: &Formula) {
        let kind = if step.children.is_empty() {
            parse_kind(&step.kind)
        } else {
            Kind::Epic
        };
        let mut edges: Vec<(DepKind, String, String)> = Vec::new();
        if let Some(gate) = &step.gate
            && gate.kind != "conditional"
        {
            let key = format!("gate-{}", step.id);
            edges.push((DepKind::Blocks, key, String::new()));
            self.beads.push(self.gate(&step, parent));
        }
        let before = step.before().map(str::to_owned);
        edges.extend(before.map(|id| (DepKind::Blocks, id, String::new())));
        let mut labels = step.labels;
        if !step.waits_for.is_empty() {
            labels.push(format!("gate:{}", step.waits_for));
        }
        if let Some(gate) = step.gate.as_ref().filter(|gate| gate.kind == "conditional") {
            labels.push(format!("gate:{}", json!({"condition": gate.condition})));
        }
        let mut metadata = step.metadata;
        if let Some(cycle) = step.cycle.or(formula.cycle) {
            metadata.get_or_insert_with(|| json!({}))["cycle"] = json!(cycle);
        }
        let title = if step.title.is_empty() {
            step.id.clone()
        } else {
            step.title
        };
        self.beads.push(TemplateBead {
            key: step.id.clone(),
            parent: Some(parent.to_owned()),
            new: NewBead {
                title,
                description: step.description,
                notes: step.notes,
                acceptance_criteria: step.acceptance,
                priority: step.priority.unwrap_or(2),
                issue_type: kind,
                assignee: step.assignee,
                labels,
                metadata: metadata.as_ref().and_then(record::to_raw_json),
                source_formula: self.origin.clone(),
                source_location: step.id.clone(),
                ..NewBead::default()
            },
            edges,
        });
        for child in step.children {
            self.step(child, &step.id, formula);
        }
    }

    fn gate(&self, step: &FormulaStep, parent: &str) -> TemplateBead {
        let gate = step.gate.clone().unwrap_or_default();
        let end = if gate.id.is_empty() {
            String::new()
        } else {
            format!(" {}", gate.id)
        };
        TemplateBead {
            key: format!("gate-{}", step.id),
            parent: Some(parent.to_owned()),
            new: NewBead {
                title: format!("Gate: {}{end}", gate.kind),
                issue_type: Kind::Gate,
                await_type: gate.kind,
                await_id: gate.id,
                timeout: when::parse_duration(&gate.timeout).unwrap_or(0),
                source_formula: self.origin.clone(),
                source_location: format!("gate-{}", step.id),
                ..NewBead::default()
            },
            edges: Vec::new(),
        }
    }

    /// Adds the edges of steps that wait for the children of another step. The edges by which they
    /// wait for that step itself stay: before it is done, its children need not exist.
    fn wait_for_children(&mut self, waits: Vec<ChildrenWait>) {
        for ChildrenWait {
            step,
            spawner,
            gate,
            has_children,
        } in waits
        {
            if let Some(bead) = self.beads.iter_mut().find(|bead| bead.key == step) {
                if !has_children && !bead.edges.iter().any(|(_, key, _)| *key == spawner) {
                    let edge = (DepKind::Blocks, spawner.clone(), String::new());
                    bead.edges.push(edge);
                }
                let metadata = json!({"gate": gate}).to_string();
                bead.edges.push((DepKind::WaitsFor, spawner, metadata));
            }
        }
    }

    /// Builds the template from a proto's beads. Finds children by their edges and by their dotted
    /// ids.
    pub fn from_proto(snapshot: &Snapshot, root: &Bead) -> Self {
        let members = super::progress::list_molecule_steps(snapshot, &root.id);
        let beads: Vec<&Bead> = members.iter().filter_map(BeadRef::bead).collect();
        let member_ids: BTreeSet<&str> = beads.iter().map(|bead| bead.id.as_str()).collect();
        let start = format!("{}.", root.id);
        let build_key = |id: &str| {
            if id == root.id {
                ROOT.to_owned()
            } else {
                id.strip_prefix(&start).unwrap_or(id).to_owned()
            }
        };
        let mut template = Self {
            name: root.id.clone(),
            origin: match root.source_formula.as_str() {
                "" => root.id.clone(),
                origin => origin.to_owned(),
            },
            ..Self::default()
        };
        template.beads.push(TemplateBead {
            new: NewBead {
                source_formula: template.origin.clone(),
                ..copy_bead_fields(root)
            },
            ..TemplateBead::default()
        });
        for bead in beads {
            template.beads.push(TemplateBead {
                key: build_key(&bead.id),
                parent: Some(match bead.parent() {
                    Some(id) if member_ids.contains(id) => build_key(id),
                    _ => ROOT.to_owned(),
                }),
                new: copy_bead_fields(bead),
                edges: bead
                    .dependencies
                    .iter()
                    .filter(|edge| {
                        edge.kind != DepKind::ParentChild
                            && member_ids.contains(edge.depends_on_id.as_str())
                    })
                    .map(|edge| {
                        (
                            edge.kind.clone(),
                            build_key(&edge.depends_on_id),
                            edge.metadata.clone(),
                        )
                    })
                    .collect(),
            });
        }
        template.put_parents_first();
        template
    }

    /// Sorts parents before their children.
    fn put_parents_first(&mut self) {
        let mut done: BTreeSet<String> = BTreeSet::new();
        let mut left = std::mem::take(&mut self.beads);
        while !left.is_empty() {
            let count = left.len();
            let (ready, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|bead| {
                bead.parent
                    .as_ref()
                    .is_none_or(|parent| done.contains(parent))
            });
            done.extend(ready.iter().map(|bead| bead.key.clone()));
            self.beads.extend(ready);
            left = rest;
            if left.len() == count {
                // The parents form a cycle. The edges stay, and the plan reports the error.
                self.beads.append(&mut left);
            }
        }
    }

    /// Completes and checks the values of all variables.
    pub fn complete_values(&self, given: &VarValues) -> Result<VarValues, MoleculeError> {
        if let Some(formula) = &self.formula {
            for name in given.keys().filter(|name| !self.used.contains(*name)) {
                if let Some(like) = vars::find_similar_variable(name, &formula.vars) {
                    return Err(MoleculeError::Refused(format!(
                        "{} has no variable {name}: did you mean {like}?",
                        self.name
                    )));
                }
            }
            return Ok(vars::complete_used_values(formula, &self.used, given)?);
        }
        Ok(given.clone())
    }

    /// Converts the template to a plan of beads.
    pub fn into_plan(self, options: &PourOptions) -> Result<BeadPlan, MoleculeError> {
        let values = self.complete_values(&options.values)?;
        let mut plan = BeadPlan {
            is_any_depth: true,
            ..BeadPlan::default()
        };
        let count = if options.root_only { 1 } else { usize::MAX };
        for mut bead in self.beads.into_iter().take(count) {
            let is_root = bead.key == ROOT;
            substitute_in_bead(&mut bead.new, &values);
            bead.new.ephemeral = options.ephemeral;
            if is_root {
                options.assignee.clone_into(&mut bead.new.assignee);
                bead.new.prefix = Some(options.prefix.clone());
            }
            if let Some((parent, name)) = &options.reference {
                let end = if is_root {
                    String::new()
                } else {
                    format!(".{}", bead.key)
                };
                bead.new.id = Some(format!("{parent}.{name}{end}"));
                bead.new.force = true;
            }
            if !options.root_only {
                let from = &bead.key;
                plan.edges
                    .extend(bead.edges.into_iter().map(|(kind, to, metadata)| PlanEdge {
                        from: PlanEndpoint::Key(from.clone()),
                        to: PlanEndpoint::Key(to),
                        kind,
                        metadata,
                    }));
            }
            plan.beads.push(PlanBead {
                key: bead.key,
                parent: bead.parent.map(PlanEndpoint::Key),
                new: bead.new,
            });
        }
        Ok(plan)
    }
}

/// A step that waits for the children of another step.
struct ChildrenWait {
    step: String,
    spawner: String,
    /// The number of children that must be done.
    gate: &'static str,
    /// True if the formula already has children of the spawner.
    has_children: bool,
}

fn find_children_waits(steps: &[FormulaStep]) -> Vec<ChildrenWait> {
    let all = flatten_steps(steps);
    let parents: BTreeSet<&str> = all
        .iter()
        .filter(|step| !step.children.is_empty())
        .map(|step| step.id.as_str())
        .collect();
    all.iter()
        .filter_map(|step| {
            let spawner = step.awaited_spawner()?.to_owned();
            let gate = if step.waits_for == "any-children" {
                "any-children"
            } else {
                "all-children"
            };
            Some(ChildrenWait {
                step: step.id.clone(),
                has_children: parents.contains(spawner.as_str()),
                spawner,
                gate,
            })
        })
        .collect()
}

fn flatten_steps(steps: &[FormulaStep]) -> Vec<&FormulaStep> {
    let mut found = Vec::new();
    for step in steps {
        found.push(step);
        found.extend(flatten_steps(&step.children));
    }
    found
}

fn parse_kind(word: &str) -> Kind {
    match word {
        "bug" => Kind::Bug,
        "feature" => Kind::Feature,
        "epic" => Kind::Epic,
        "chore" => Kind::Chore,
        _ => Kind::Task,
    }
}

/// Substitutes values in every text of a bead.
fn substitute_in_bead(new: &mut NewBead, values: &VarValues) {
    for text in [
        &mut new.title,
        &mut new.description,
        &mut new.design,
        &mut new.acceptance_criteria,
        &mut new.notes,
        &mut new.await_id,
    ] {
        if text.contains("{{") {
            *text = vars::substitute_values(text, values);
        }
    }
    // A value may have several lines, but a title has one.
    if new.title.contains(char::is_control) {
        let words: Vec<&str> = new
            .title
            .split(|c: char| c.is_control() || c == ' ')
            .collect();
        new.title = words.join(" ");
    }
}

/// Copies the fields of a bead that a pour preserves.
fn copy_bead_fields(bead: &Bead) -> NewBead {
    let mut new = NewBead::from_bead(bead);
    new.labels.retain(|label| label != "template");
    NewBead {
        await_type: bead.await_type.clone(),
        await_id: bead.await_id.clone(),
        timeout: bead.timeout,
        mol_type: bead.mol_type.clone(),
        source_formula: bead.source_formula.clone(),
        source_location: bead.source_location.clone(),
        ..new
    }
}

/// Parses values in the form `name=value`.
pub fn read_values(given: &[String]) -> Result<VarValues, String> {
    let mut values = BTreeMap::new();
    for pair in given {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| vars::is_variable_name(name))
            .ok_or_else(|| format!("invalid --var \"{pair}\": use --var name=value"))?;
        values.insert(name.to_owned(), value.to_owned());
    }
    Ok(values)
}
