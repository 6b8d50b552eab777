//! The parts of a formula, with the keys of its file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a formula is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormulaKind {
    /// Steps in order.
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

/// A formula.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Formula {
    /// Its name.
    #[serde(rename = "formula")]
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    /// Its version: a number, or text such as `4.1.0`.
    pub version: Value,
    /// What it is for.
    #[serde(rename = "type")]
    pub kind: FormulaKind,
    /// The formulas whose steps come first.
    #[serde(skip_serializing_if = "is_default")]
    pub extends: Vec<String>,
    /// Its variables.
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, FormulaVar>,
    /// Its steps, of a workflow.
    #[serde(skip_serializing_if = "is_default")]
    pub steps: Vec<FormulaStep>,
    /// The steps that an expansion puts in.
    #[serde(skip_serializing_if = "is_default")]
    pub template: Vec<FormulaStep>,
    /// How other formulas are put in.
    #[serde(skip_serializing_if = "is_default")]
    pub compose: ComposeRules,
    /// Steps around other steps.
    #[serde(skip_serializing_if = "is_default")]
    pub advice: Vec<Advice>,
    /// Where an aspect applies; read, and kept for other tools.
    #[serde(skip_serializing_if = "is_default")]
    pub pointcuts: Vec<Value>,
    /// `liquid` to be poured, `vapor` to be made a wisp.
    #[serde(skip_serializing_if = "is_default")]
    pub phase: String,
    /// The questions of a convoy formula.
    #[serde(skip_serializing_if = "is_default")]
    pub inputs: BTreeMap<String, ConvoyInput>,
    /// The parts of a convoy formula that run in parallel.
    #[serde(skip_serializing_if = "is_default")]
    pub legs: Vec<ConvoyLeg>,
    /// What brings the legs together.
    #[serde(skip_serializing_if = "is_default")]
    pub synthesis: Option<ConvoySynthesis>,
    /// Texts that every leg begins with, by name.
    #[serde(skip_serializing_if = "is_default")]
    pub prompts: BTreeMap<String, String>,
    /// Where legs write.
    #[serde(skip_serializing_if = "is_default")]
    pub output: Option<ConvoyOutput>,
    /// Named choices of legs.
    #[serde(skip_serializing_if = "is_default")]
    pub presets: BTreeMap<String, ConvoyPreset>,
    /// How the finished molecule is squashed.
    #[serde(skip_serializing_if = "is_default")]
    pub squash: Option<Value>,
    /// Whether a wisp has a bead per step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pour: Option<bool>,
    /// The agent program that runs it.
    #[serde(skip_serializing_if = "is_default")]
    pub agent: String,
    /// Whether no commits are expected.
    #[serde(skip_serializing_if = "is_default")]
    pub review_only: bool,
    /// Whether a session ends after each step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<bool>,
    /// What `gt done` does with open steps: `refuse` (the default) or `close`.
    #[serde(skip_serializing_if = "is_default")]
    pub on_done: String,
    /// Where it was read from.
    #[serde(skip_serializing_if = "is_default")]
    pub source: String,
}

impl Formula {
    /// Its version as text, without needless quotes: `1`, `4.1.0`.
    pub fn version_text(&self) -> String {
        match &self.version {
            Value::String(text) => text.clone(),
            Value::Null => "1".to_owned(),
            other => other.to_string(),
        }
    }

    /// All its steps, children behind their parent.
    pub fn every_step(&self) -> Vec<&FormulaStep> {
        let mut found = Vec::new();
        collect_steps(&self.steps, &mut found);
        found
    }

    /// The first sentence of its description, for lists.
    pub fn first_line(&self) -> &str {
        self.description.trim().lines().next().unwrap_or_default()
    }
}

fn collect_steps<'a>(steps: &'a [FormulaStep], found: &mut Vec<&'a FormulaStep>) {
    for step in steps {
        found.push(step);
        collect_steps(&step.children, found);
    }
}

/// A variable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FormulaVar {
    /// What it is.
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    /// Its value where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether it must have a value.
    #[serde(skip_serializing_if = "is_default")]
    pub required: bool,
    /// The values that it takes.
    #[serde(rename = "enum", skip_serializing_if = "is_default")]
    pub choices: Vec<String>,
    /// The regular expression that its values match.
    #[serde(skip_serializing_if = "is_default")]
    pub pattern: String,
    /// `string`, `int` or `bool`.
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub kind: String,
}

/// A step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FormulaStep {
    /// Its id within the formula.
    pub id: String,
    /// One line.
    #[serde(skip_serializing_if = "is_default")]
    pub title: String,
    /// What to do.
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    /// Notes for its bead.
    #[serde(skip_serializing_if = "is_default")]
    pub notes: String,
    /// When it is done.
    #[serde(skip_serializing_if = "is_default")]
    pub acceptance: String,
    /// The kind of its bead.
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub kind: String,
    /// The priority of its bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// The labels of its bead.
    #[serde(skip_serializing_if = "is_default")]
    pub labels: Vec<String>,
    /// The JSON of its bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// Steps that come before.
    #[serde(skip_serializing_if = "is_default")]
    pub depends_on: Vec<String>,
    /// Steps that come before; means the same.
    #[serde(skip_serializing_if = "is_default")]
    pub needs: Vec<String>,
    /// `all-children`, `any-children` or `children-of(STEP)`.
    #[serde(skip_serializing_if = "is_default")]
    pub waits_for: String,
    /// Who does it.
    #[serde(skip_serializing_if = "is_default")]
    pub assignee: String,
    /// The expansion formula that replaces it.
    #[serde(skip_serializing_if = "is_default")]
    pub expand: String,
    /// Values for that formula.
    #[serde(skip_serializing_if = "is_default")]
    pub expand_vars: BTreeMap<String, String>,
    /// Whether it is poured: `{{name}}`, `!{{name}}`, `{{name}} == text`.
    #[serde(skip_serializing_if = "is_default")]
    pub condition: String,
    /// Steps within it.
    #[serde(skip_serializing_if = "is_default")]
    pub children: Vec<FormulaStep>,
    /// What it waits for besides steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<StepGate>,
    /// That it is repeated.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeat: Option<StepLoop>,
    /// What follows it for each of its results; read, and kept for other tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_complete: Option<OnComplete>,
    /// Whether the session ends after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<bool>,
    /// The formula that it came from, where it was not its own.
    #[serde(skip)]
    pub origin: String,
}

impl FormulaStep {
    /// The steps that come before it, each once.
    pub fn before(&self) -> impl Iterator<Item = &str> {
        let first = self.depends_on.iter();
        let rest = self.needs.iter().filter(|id| !self.depends_on.contains(id));
        first.chain(rest).map(String::as_str)
    }

    /// The step whose children it waits for, where it names one.
    pub fn spawner(&self) -> Option<&str> {
        let inner = self.waits_for.strip_prefix("children-of(")?;
        inner.strip_suffix(')').map(str::trim)
    }

    /// Adds a step that comes before, once.
    pub fn add_need(&mut self, id: &str) {
        if !self.before().any(|own| own == id) {
            self.needs.push(id.to_owned());
        }
    }

    /// Replaces each step that comes before by those that `with` gives for it.
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

    /// Replaces every text of it: title, description, notes, exit criteria.
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

/// What a step waits for besides steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepGate {
    /// `human`, `mail`, `timer`, `bead`, `gh:run`, `gh:pr`.
    #[serde(rename = "type", skip_serializing_if = "is_default")]
    pub kind: String,
    /// Which one of them.
    #[serde(skip_serializing_if = "is_default", alias = "await_id")]
    pub id: String,
    /// How long, such as `30m`.
    #[serde(skip_serializing_if = "is_default")]
    pub timeout: String,
    /// A condition; kept as a label.
    #[serde(skip_serializing_if = "is_default")]
    pub condition: String,
}

/// How often a step is repeated: one of `count`, `range`, or `until` with `max`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepLoop {
    /// So often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// Until this holds.
    #[serde(skip_serializing_if = "is_default")]
    pub until: String,
    /// At most so often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// For each whole number: `1..2^{disks}-1`.
    #[serde(skip_serializing_if = "is_default")]
    pub range: String,
    /// The name by which the body knows the number.
    #[serde(skip_serializing_if = "is_default")]
    pub var: String,
    /// The steps that are repeated.
    pub body: Vec<FormulaStep>,
}

/// What follows a step for each of its results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OnComplete {
    /// The list in its output.
    #[serde(skip_serializing_if = "is_default")]
    pub for_each: String,
    /// The formula for each.
    #[serde(skip_serializing_if = "is_default")]
    pub bond: String,
    /// Values for that formula.
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, String>,
    /// All at once.
    #[serde(skip_serializing_if = "is_default")]
    pub parallel: bool,
    /// One after the other.
    #[serde(skip_serializing_if = "is_default")]
    pub sequential: bool,
}

/// How other formulas are put in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComposeRules {
    /// Places where others may be bonded.
    #[serde(skip_serializing_if = "is_default")]
    pub bond_points: Vec<BondPoint>,
    /// What is attached on an event; read, and kept for other tools.
    #[serde(skip_serializing_if = "is_default")]
    pub hooks: Vec<ComposeHook>,
    /// One step replaced by an expansion.
    #[serde(skip_serializing_if = "is_default")]
    pub expand: Vec<ExpandRule>,
    /// All steps that match replaced by an expansion.
    #[serde(skip_serializing_if = "is_default")]
    pub map: Vec<MapRule>,
    /// Steps side by side between two others.
    #[serde(skip_serializing_if = "is_default")]
    pub branch: Vec<BranchRule>,
    /// Conditions before steps.
    #[serde(skip_serializing_if = "is_default")]
    pub gate: Vec<GateRule>,
    /// Aspects that apply.
    #[serde(skip_serializing_if = "is_default")]
    pub aspects: Vec<String>,
}

/// A place where another formula may be bonded.
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

/// What is attached on an event.
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

/// One step replaced by an expansion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ExpandRule {
    pub target: String,
    pub with: String,
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, String>,
}

/// All steps that match replaced by an expansion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct MapRule {
    pub select: String,
    pub with: String,
    #[serde(skip_serializing_if = "is_default")]
    pub vars: BTreeMap<String, String>,
}

/// Steps side by side between two others.
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
    /// The ids: a name, `*`, `prefix.*`, `*.suffix`.
    pub target: String,
    /// The step before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<AdviceStep>,
    /// The step after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<AdviceStep>,
    /// Steps on both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<AroundSteps>,
}

/// Steps on both sides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct AroundSteps {
    #[serde(skip_serializing_if = "is_default")]
    pub before: Vec<AdviceStep>,
    #[serde(skip_serializing_if = "is_default")]
    pub after: Vec<AdviceStep>,
}

/// A step of advice.
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

/// A question of a convoy formula.
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

/// A part of a convoy formula that runs beside the others.
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

/// What brings the legs together.
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

/// Where legs write.
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

/// A named choice of legs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the file, named in the guide")]
pub struct ConvoyPreset {
    #[serde(skip_serializing_if = "is_default")]
    pub description: String,
    pub legs: Vec<String>,
}
