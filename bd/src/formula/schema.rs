//! The parts of a formula, with the keys of its file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The purpose of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormulaKind {
    #[default]
    Workflow,
    /// A template that replaces a step of another formula.
    Expansion,
    /// Advice: steps around the steps of another formula.
    Aspect,
    /// Legs that run in parallel, and a synthesis.
    Convoy,
}

impl FormulaKind {
    /// The word in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workflow => "workflow",
            Self::Expansion => "expansion",
            Self::Aspect => "aspect",
            Self::Convoy => "convoy",
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Formula {
    #[serde(rename = "formula")]
    pub name: String,
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    /// The version: a number, or text such as `4.1.0`.
    pub version: Value,
    #[serde(rename = "type")]
    pub kind: FormulaKind,
    /// The formulas whose steps come first.
    #[serde(skip_serializing_if = "is_default")]
    pub extends: Vec<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, FormulaVar>,
    /// The steps of a workflow.
    #[serde(skip_serializing_if = "is_default")]
    pub steps: Vec<FormulaStep>,
    /// The steps that an expansion inserts.
    #[serde(skip_serializing_if = "is_default")]
    pub template: Vec<FormulaStep>,
    /// The rules that include other formulas.
    #[serde(skip_serializing_if = "is_default")]
    pub compose: ComposeRules,
    #[serde(skip_serializing_if = "is_default")]
    pub advice: Vec<Advice>,
    /// The places that an aspect applies to; read, and preserved for other tools.
    #[serde(skip_serializing_if = "is_default")]
    pub pointcuts: Vec<Value>,
    /// `liquid` to be poured, `vapor` to be poured as a wisp.
    #[serde(skip_serializing_if = "is_default")]
    pub phase: String,
    /// The inputs of a convoy formula.
    #[serde(skip_serializing_if = "is_default")]
    pub inputs: BTreeMap<String, ConvoyInput>,
    /// The parallel parts of a convoy formula.
    #[serde(skip_serializing_if = "is_default")]
    pub legs: Vec<ConvoyLeg>,
    /// The step that combines the results of the legs.
    #[serde(skip_serializing_if = "is_default")]
    pub synthesis: Option<ConvoySynthesis>,
    /// The texts that every leg begins with, by name.
    #[serde(skip_serializing_if = "is_default")]
    pub prompts: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "is_default")]
    pub output: Option<ConvoyOutput>,
    #[serde(skip_serializing_if = "is_default")]
    pub presets: BTreeMap<String, ConvoyPreset>,
    /// The squash of the finished molecule.
    #[serde(skip_serializing_if = "is_default")]
    pub squash: Option<Value>,
    /// True if a wisp has one bead per step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pour: Option<bool>,
    /// The agent program that runs the workflow.
    #[serde(skip_serializing_if = "is_default")]
    pub agent: String,
    /// True if no commits are expected.
    #[serde(skip_serializing_if = "is_default")]
    pub review_only: bool,
    /// True if a session ends after each step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<bool>,
    /// The effect of `gt done` on open steps: `refuse` (the default) or `close`.
    #[serde(skip_serializing_if = "is_default")]
    pub on_done: String,
    /// The source of the formula.
    #[serde(skip_serializing_if = "is_default")]
    pub source: String,
}

impl Formula {
    /// The version as text, without unnecessary quotes: `1`, `4.1.0`.
    pub fn version_text(&self) -> String {
        match &self.version {
            Value::String(text) => text.clone(),
            Value::Null => "1".to_owned(),
            other => other.to_string(),
        }
    }

    /// All steps, children after their parent.
    pub fn every_step(&self) -> Vec<&FormulaStep> {
        let mut found = Vec::new();
        collect_steps(&self.steps, &mut found);
        found
    }

    /// The first sentence of the description, for lists.
    pub fn first_line(&self) -> &str {
        self.description.trim().lines().next().unwrap_or("")
    }
}

fn collect_steps<'a>(steps: &'a [FormulaStep], found: &mut Vec<&'a FormulaStep>) {
    for step in steps {
        found.push(step);
        collect_steps(&step.children, found);
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FormulaVar {
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    /// The value if none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// True if the variable must have a value.
    #[serde(skip_serializing_if = "is_default")]
    pub required: bool,
    /// The allowed values.
    #[serde(rename = "enum", skip_serializing_if = "is_default")]
    pub choices: Vec<String>,
    /// The regular expression that values must match.
    #[serde(skip_serializing_if = "is_default")]
    pub pattern: String,
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub kind: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FormulaStep {
    /// The id within the formula.
    pub id: String,
    #[serde(skip_serializing_if = "is_default")]
    pub title: String,
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    #[serde(skip_serializing_if = "is_default")]
    pub notes: String,
    #[serde(skip_serializing_if = "is_default")]
    pub acceptance: String,
    /// The kind of the step's bead.
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub kind: String,
    /// The priority of the step's bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// The labels of the step's bead.
    #[serde(skip_serializing_if = "is_default")]
    pub labels: Vec<String>,
    /// The metadata of the step's bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    #[serde(skip_serializing_if = "is_default")]
    pub depends_on: Vec<String>,
    /// Steps that come before; a synonym of `depends_on`.
    #[serde(skip_serializing_if = "is_default")]
    pub needs: Vec<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub waits_for: String,
    #[serde(skip_serializing_if = "is_default")]
    pub assignee: String,
    /// The expansion formula that replaces the step.
    #[serde(skip_serializing_if = "is_default")]
    pub expand: String,
    #[serde(skip_serializing_if = "is_default")]
    pub expand_vars: BTreeMap<String, String>,
    /// The condition for pouring the step: `{{name}}`, `!{{name}}`, `{{name}} == text`.
    #[serde(skip_serializing_if = "is_default")]
    pub condition: String,
    #[serde(skip_serializing_if = "is_default")]
    pub children: Vec<FormulaStep>,
    /// The gate that the step waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<StepGate>,
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeat: Option<StepLoop>,
    /// The work that follows the step for each of its results; read, and preserved for other tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_complete: Option<OnComplete>,
    /// True if the session ends after the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<bool>,
    /// The formula that the step came from, if it is not this one.
    #[serde(skip)]
    pub origin: String,
}

impl FormulaStep {
    /// The steps that come before this one, without duplicates.
    pub fn before(&self) -> impl Iterator<Item = &str> {
        self.depends_on
            .iter()
            .chain(self.needs.iter().filter(|id| !self.depends_on.contains(id)))
            .map(String::as_str)
    }

    /// The step whose children this one waits for, if it names one.
    pub fn spawner(&self) -> Option<&str> {
        let inner = self.waits_for.strip_prefix("children-of(")?;
        inner.strip_suffix(')').map(str::trim)
    }

    /// The step whose children this one waits for: the one that it names, or the first that it
    /// needs.
    pub fn awaited_spawner(&self) -> Option<&str> {
        if self.waits_for.is_empty() {
            return None;
        }
        self.spawner().or_else(|| {
            let first = self.needs.first().or(self.depends_on.first());
            first.map(String::as_str)
        })
    }

    /// Adds a step that comes before, unless it is already there.
    pub fn add_need(&mut self, id: &str) {
        if !self.before().any(|existing| existing == id) {
            self.needs.push(id.to_owned());
        }
    }

    /// Adds what a replaced step waits for.
    pub fn add_needs_of(&mut self, replaced: &Self) {
        if self.waits_for.is_empty() && !replaced.waits_for.is_empty() {
            self.waits_for = match replaced.awaited_spawner() {
                // The children must be those of the same step, whatever else this step needs.
                Some(spawner) if replaced.waits_for == "all-children" && !self.needs.is_empty() => {
                    format!("children-of({spawner})")
                }
                _ => replaced.waits_for.clone(),
            };
        }
        for id in replaced.needs.iter().chain(&replaced.depends_on) {
            self.add_need(id);
        }
    }

    /// Replaces each step that comes before by the steps that `with` returns for it.
    pub fn map_needs(&mut self, with: impl Fn(&str) -> Vec<String>) {
        for list in [&mut self.depends_on, &mut self.needs] {
            let mut mapped: Vec<String> = Vec::with_capacity(list.len());
            for id in list.iter().flat_map(|id| with(id)) {
                if !mapped.contains(&id) {
                    mapped.push(id);
                }
            }
            *list = mapped;
        }
        if let Some(spawner) = self.spawner()
            && let Some(new) = with(spawner).last()
        {
            self.waits_for = format!("children-of({new})");
        }
    }

    /// Replaces every text of the step: title, description, notes, acceptance criteria.
    pub fn map_texts(&mut self, with: &impl Fn(&str) -> String) {
        for text in [
            &mut self.title,
            &mut self.description,
            &mut self.notes,
            &mut self.acceptance,
        ] {
            *text = with(text);
        }
    }
}

/// A condition, other than steps, that a step waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepGate {
    /// `human`, `mail`, `timer`, `bead`, `gh:run`, `gh:pr`.
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub kind: String,
    #[serde(skip_serializing_if = "is_default", alias = "await_id")]
    pub id: String,
    /// The waiting time, such as `30m`.
    #[serde(skip_serializing_if = "is_default")]
    pub timeout: String,
    /// A condition, kept as a label.
    #[serde(skip_serializing_if = "is_default")]
    pub condition: String,
}

/// The repetition of a step: one of `count`, `range`, or `until` with `max`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepLoop {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    #[serde(skip_serializing_if = "is_default")]
    pub until: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// A range of whole numbers: `1..2^{disks}-1`.
    #[serde(skip_serializing_if = "is_default")]
    pub range: String,
    /// The name of the loop variable in the body.
    #[serde(skip_serializing_if = "is_default")]
    pub var: String,
    /// The repeated steps.
    pub body: Vec<FormulaStep>,
}

/// The work that follows a step for each of its results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OnComplete {
    /// The list in the step's output.
    #[serde(skip_serializing_if = "is_default")]
    pub for_each: String,
    #[serde(skip_serializing_if = "is_default")]
    pub bond: String,
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "is_default")]
    pub parallel: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub sequential: bool,
}

/// The rules that include other formulas.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComposeRules {
    /// Places at which other formulas may be bonded.
    #[serde(skip_serializing_if = "is_default")]
    pub bond_points: Vec<BondPoint>,
    /// Formulas attached on an event; read, and preserved for other tools.
    #[serde(skip_serializing_if = "is_default")]
    pub hooks: Vec<ComposeHook>,
    /// Single steps replaced by an expansion.
    #[serde(skip_serializing_if = "is_default")]
    pub expand: Vec<ExpandRule>,
    /// All matching steps replaced by an expansion.
    #[serde(skip_serializing_if = "is_default")]
    pub map: Vec<MapRule>,
    /// Parallel steps between two others.
    #[serde(skip_serializing_if = "is_default")]
    pub branch: Vec<BranchRule>,
    #[serde(skip_serializing_if = "is_default")]
    pub gate: Vec<GateRule>,
    #[serde(skip_serializing_if = "is_default")]
    pub aspects: Vec<String>,
}

/// A place at which another formula may be bonded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct BondPoint {
    pub id: String,
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    #[serde(skip_serializing_if = "is_default")]
    pub after_step: String,
    #[serde(skip_serializing_if = "is_default")]
    pub before_step: String,
    #[serde(skip_serializing_if = "is_default")]
    pub parallel: bool,
}

/// A formula attached on an event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ComposeHook {
    pub trigger: String,
    pub attach: String,
    #[serde(skip_serializing_if = "is_default")]
    pub at: String,
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, String>,
}

/// A single step replaced by an expansion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ExpandRule {
    pub target: String,
    pub with: String,
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, String>,
}

/// All matching steps replaced by an expansion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct MapRule {
    pub select: String,
    pub with: String,
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, String>,
}

/// Parallel steps between two others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct BranchRule {
    pub from: String,
    pub steps: Vec<String>,
    pub join: String,
}

/// A condition before a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct GateRule {
    pub before: String,
    pub condition: String,
}

/// Steps around the steps whose ids match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Advice {
    /// The pattern of ids: a name, `*`, `prefix.*`, `*.suffix`.
    pub target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<AdviceStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<AdviceStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<AroundSteps>,
}

/// Steps before and after.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct AroundSteps {
    #[serde(skip_serializing_if = "is_default")]
    pub before: Vec<AdviceStep>,
    #[serde(skip_serializing_if = "is_default")]
    pub after: Vec<AdviceStep>,
}

/// A step that advice inserts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct AdviceStep {
    pub id: String,
    #[serde(skip_serializing_if = "is_default")]
    pub title: String,
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub kind: String,
    #[serde(skip_serializing_if = "is_default")]
    pub args: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "is_default")]
    pub output: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ConvoyInput {
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub kind: String,
    #[serde(skip_serializing_if = "is_default")]
    pub required: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub required_unless: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// A part of a convoy formula that runs in parallel to the others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ConvoyLeg {
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "is_default")]
    pub focus: String,
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    #[serde(skip_serializing_if = "is_default")]
    pub agent: String,
    #[serde(skip_serializing_if = "is_default")]
    pub review_only: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub needs: Vec<String>,
}

/// The step that combines the results of the legs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ConvoySynthesis {
    pub title: String,
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    #[serde(skip_serializing_if = "is_default")]
    pub depends_on: Vec<String>,
}

/// The files that legs write.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ConvoyOutput {
    pub directory: String,
    #[serde(skip_serializing_if = "is_default")]
    pub leg_pattern: String,
    #[serde(skip_serializing_if = "is_default")]
    pub synthesis: String,
}

/// A named selection of legs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ConvoyPreset {
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    pub legs: Vec<String>,
}
