//! Checks formulas: each file on its own, and the steps that a formula cooks to.

use std::collections::{BTreeMap, BTreeSet};

use super::MOST_STEPS;
use super::condition;
use super::find::is_formula_name;
use super::problem::FormulaProblem;
use super::schema::{
    ComposeRules, Formula, FormulaKind, FormulaStep, FormulaVar, OnComplete, StepGate, StepLoop,
};
use super::source::{FormulaSource, LoadedFormula};
use super::vars::{self, StepCondition};
use crate::graph::cycle;

/// The maximum number of problems reported at once.
const MAX_PROBLEMS: usize = 50;

const GATE_TYPES: [&str; 7] = [
    "human",
    "mail",
    "timer",
    "bead",
    "gh:run",
    "gh:pr",
    "conditional",
];
const VAR_KINDS: [&str; 8] = [
    "", "string", "int", "integer", "number", "bool", "boolean", "text",
];

/// Returns the errors and the warnings of a formula's own file.
pub fn check_own_file(loaded: &LoadedFormula) -> (Vec<FormulaProblem>, Vec<FormulaProblem>) {
    let formula = &loaded.formula;
    let source = &loaded.source;
    let mut report = FormulaFindings {
        source,
        errors: Vec::new(),
        warnings: loaded.warnings.clone(),
    };
    report.check_root(formula);
    for (name, var) in &formula.vars {
        report.check_var(name, var);
    }
    report.check_compose(&formula.compose);
    let mut seen = BTreeSet::new();
    report.check_steps(&formula.steps, &mut seen);
    report.check_steps(&formula.template, &mut BTreeSet::new());
    report.check_convoy(formula);
    (report.errors, report.warnings)
}

struct FormulaFindings<'a> {
    source: &'a FormulaSource,
    errors: Vec<FormulaProblem>,
    warnings: Vec<FormulaProblem>,
}

impl FormulaFindings<'_> {
    /// Returns true if enough problems were found. The lookup of lines is slow, and a report of
    /// hundreds of problems is useless.
    fn has_enough(&self) -> bool {
        self.errors.len() >= MAX_PROBLEMS
    }

    fn refuse(&mut self, key: &str, text: impl Into<String>) {
        if self.has_enough() {
            return;
        }
        let problem = self.source.problem(key, text.into());
        self.errors.push(problem);
    }

    fn refuse_step(&mut self, id: &str, key: &str, text: impl Into<String>) {
        if self.has_enough() {
            return;
        }
        let problem = self.source.step_problem(id, key, text.into());
        self.errors.push(problem);
    }

    fn check_root(&mut self, formula: &Formula) {
        if formula.name.is_empty() {
            self.refuse("formula", "it has no name: add formula = \"NAME\"");
        } else if !is_formula_name(&formula.name) {
            let text = format!(
                "\"{}\" is no name: use letters, digits, `-`, `_` and `.`",
                formula.name
            );
            self.refuse("formula", text);
        }
        let version = formula.version_text();
        let parts: Vec<&str> = version.split('.').collect();
        let is_version = parts.iter().all(|part| part.parse::<u32>().is_ok())
            && parts.first().is_some_and(|first| *first != "0");
        if !is_version {
            self.refuse(
                "version",
                format!("version {version}: use a whole number from 1"),
            );
        }
        for parent in &formula.extends {
            if !is_formula_name(parent.split('@').next().unwrap_or("")) {
                self.refuse("extends", format!("\"{parent}\" is no formula name"));
            }
        }
        if !matches!(formula.phase.as_str(), "" | "liquid" | "vapor") {
            self.refuse(
                "phase",
                format!("phase \"{}\": use liquid or vapor", formula.phase),
            );
        }
        let inherits = !formula.extends.is_empty();
        if !matches!(formula.on_done.as_str(), "" | "refuse" | "close") {
            let text = format!("on_done \"{}\": use refuse or close", formula.on_done);
            self.refuse("on_done", text);
        }
        let lacks = match formula.kind {
            FormulaKind::Workflow if formula.steps.is_empty() && !inherits => "[[steps]]",
            FormulaKind::Expansion if formula.template.is_empty() && !inherits => {
                "[[template]] steps"
            }
            FormulaKind::Aspect if formula.advice.is_empty() && !inherits => "[[advice]]",
            FormulaKind::Convoy if formula.legs.is_empty() && !inherits => "[[legs]]",
            _ => return,
        };
        self.refuse(
            "type",
            format!("a formula of type {} needs {lacks}", formula.kind.as_str()),
        );
    }

    fn check_var(&mut self, name: &str, var: &FormulaVar) {
        if !vars::is_variable_name(name) {
            self.refuse(
                name,
                format!("\"{name}\" is no variable name: use letters, digits and `_`"),
            );
        }
        if !VAR_KINDS.contains(&var.kind.as_str()) {
            let text = format!(
                "variable {name} has the unknown type \"{}\": use string, int or bool",
                var.kind
            );
            self.refuse(name, text);
        }
        if let Err(error) = regex::Regex::new(&var.pattern) {
            let text = format!("the pattern of variable {name} is no regular expression: {error}");
            self.refuse("pattern", text);
        }
        if let Some(default) = var.default.as_ref().filter(|text| !text.is_empty()) {
            if let Err(text) = vars::check_kind(var, default) {
                self.refuse(
                    name,
                    format!("the default of variable {name} is not {text}"),
                );
            }
            if var.required {
                let text =
                    format!("variable {name} is required and has a default; the default is used");
                self.warnings.push(self.source.problem(name, text));
            }
            if !var.choices.is_empty() && !var.choices.contains(default) {
                let text = format!(
                    "the default \"{default}\" of variable {name} is none of {}",
                    var.choices.join(", ")
                );
                self.refuse(name, text);
            }
        }
    }

    fn check_steps(&mut self, steps: &[FormulaStep], seen: &mut BTreeSet<String>) {
        for step in steps {
            self.check_step_id(step, seen);
            self.check_step(step);
            self.check_steps(&step.children, seen);
            if let Some(repeat) = &step.repeat {
                self.check_repeat(&step.id, repeat);
                // A body has its own scope: its ids are prefixed with the loop's id.
                self.check_steps(&repeat.body, &mut BTreeSet::new());
            }
        }
    }

    fn check_step_id(&mut self, step: &FormulaStep, seen: &mut BTreeSet<String>) {
        if step.id.trim().is_empty() {
            let what = if step.title.is_empty() {
                "a step".to_owned()
            } else {
                format!("the step \"{}\"", step.title)
            };
            let mut problem = self
                .source
                .problem("steps", format!("{what} has no id: add id = \"…\""));
            problem.line = self
                .source
                .value_line("title", &step.title)
                .or(problem.line);
            self.errors.push(problem);
            return;
        }
        if step.id.contains(char::is_whitespace) {
            self.refuse_step(
                &step.id,
                "",
                "the id has white space: use letters, digits, `-` and `.`",
            );
        }
        // Lines are looked up only for errors, because a large formula has many steps.
        if !seen.insert(step.id.clone()) {
            let first = self.source.step_line(&step.id, 0);
            let at = first.map_or_else(String::new, |line| format!(", first on line {line}"));
            let text = format!("duplicate step id{at}");
            let mut problem = self.source.step_problem(&step.id, "", text);
            problem.line = self.source.step_line(&step.id, 1).or(problem.line);
            self.errors.push(problem);
        }
    }

    fn check_step(&mut self, step: &FormulaStep) {
        let id = step.id.as_str();
        if step.title.trim().is_empty() && step.expand.is_empty() && step.repeat.is_none() {
            self.refuse_step(id, "", "it has no title: add title = \"…\"");
        }
        if step
            .priority
            .is_some_and(|priority| !(0..=4).contains(&priority))
        {
            self.refuse_step(id, "priority", "priority must be 0 to 4");
        }
        if !matches!(
            step.waits_for.as_str(),
            "" | "all-children" | "any-children"
        ) && step.spawner().is_none_or(str::is_empty)
        {
            let text = format!(
                "waits_for \"{}\": use all-children, any-children or children-of(STEP)",
                step.waits_for
            );
            self.refuse_step(id, "waits_for", text);
        }
        if !step.condition.is_empty() && StepCondition::parse(&step.condition).is_none() {
            let text = format!(
                "condition \"{}\": use {{{{name}}}}, !{{{{name}}}}, {{{{name}}}} == text or {{{{name}}}} != text",
                step.condition
            );
            self.refuse_step(id, "condition", text);
        }
        if let Some(gate) = &step.gate {
            self.check_gate(id, gate);
        }
        if let Some(after) = &step.on_complete {
            self.check_on_complete(id, after);
        }
    }

    fn check_gate(&mut self, id: &str, gate: &StepGate) {
        if !GATE_TYPES.contains(&gate.kind.as_str()) {
            let text = format!(
                "gate type \"{}\": use one of {}",
                gate.kind,
                GATE_TYPES.join(", ")
            );
            self.refuse_step(id, "gate", text);
        }
        let is_length =
            crate::query::when::parse_duration(&gate.timeout).is_some_and(|length| length > 0);
        if gate.kind == "timer" && !is_length {
            self.refuse_step(id, "gate", "a timer gate needs timeout = \"30m\"");
        }
        if gate.kind == "bead" && !gate.id.contains("{{") && !gate.id.contains(':') {
            self.refuse_step(id, "gate", "a bead gate needs id = \"RIG:BEAD\"");
        }
    }

    fn check_on_complete(&mut self, id: &str, after: &OnComplete) {
        let wrong = match () {
            () if after.for_each.is_empty() != after.bond.is_empty() => {
                "on_complete needs both for_each and bond"
            }
            () if !after.for_each.is_empty() && !after.for_each.starts_with("output.") => {
                "on_complete.for_each must begin with output."
            }
            () if after.parallel && after.sequential => {
                "on_complete is either parallel or sequential"
            }
            () => return,
        };
        self.refuse_step(id, "on_complete", wrong);
    }

    fn check_repeat(&mut self, id: &str, repeat: &StepLoop) {
        let ways = [
            repeat.count.is_some(),
            !repeat.until.is_empty(),
            !repeat.range.is_empty(),
        ]
        .iter()
        .filter(|given| **given)
        .count();
        if ways != 1 {
            self.refuse_step(
                id,
                "loop",
                "a loop needs exactly one of count, range, or until with max",
            );
        }
        if repeat.count.is_some_and(|count| count < 1) {
            self.refuse_step(id, "count", "count must be 1 or more");
        }
        if !repeat.until.is_empty() {
            if repeat.max.is_none_or(|max| max < 1) {
                self.refuse_step(id, "until", "until needs max, 1 or more");
            }
            if let Err(text) = condition::check_condition(&repeat.until) {
                self.refuse_step(id, "until", text);
            }
        }
        if !repeat.var.is_empty() && !vars::is_variable_name(&repeat.var) {
            self.refuse_step(id, "var", format!("\"{}\" is no variable name", repeat.var));
        }
        if repeat.body.is_empty() {
            self.refuse_step(id, "loop", "a loop needs a body with steps");
        }
    }

    fn check_compose(&mut self, compose: &ComposeRules) {
        for point in &compose.bond_points {
            if point.id.is_empty() {
                self.refuse("bond_points", "a bond point needs an id");
            }
            if !point.after_step.is_empty() && !point.before_step.is_empty() {
                let text = format!(
                    "bond point \"{}\" has after_step or before_step, not both",
                    point.id
                );
                self.refuse("bond_points", text);
            }
        }
        for hook in &compose.hooks {
            if hook.trigger.is_empty() || hook.attach.is_empty() {
                self.refuse("hooks", "a hook needs trigger and attach");
            }
        }
        for gate in &compose.gate {
            if let Err(text) = condition::check_condition(&gate.condition) {
                self.refuse("gate", text);
            }
        }
        for branch in &compose.branch {
            if branch.from.is_empty() || branch.join.is_empty() || branch.steps.is_empty() {
                self.refuse("branch", "a branch needs from, steps and join");
            }
        }
    }

    fn check_convoy(&mut self, formula: &Formula) {
        let mut seen = Vec::new();
        for leg in &formula.legs {
            if leg.id.is_empty() || leg.title.is_empty() {
                self.refuse("legs", "a leg needs id and title");
            } else if seen.contains(&leg.id.as_str()) {
                self.refuse_step(&leg.id, "", "duplicate leg id");
            }
            seen.push(&leg.id);
        }
        if !formula.extends.is_empty() {
            return;
        }
        let mut ids: Vec<&String> = Vec::new();
        if let Some(synthesis) = &formula.synthesis {
            ids.extend(&synthesis.depends_on);
        }
        for preset in formula.presets.values() {
            ids.extend(&preset.legs);
        }
        for leg in &formula.legs {
            ids.extend(&leg.needs);
        }
        for id in ids {
            if !seen.contains(&id.as_str()) {
                self.refuse("legs", format!("there is no leg \"{id}\""));
            }
        }
    }
}

/// Returns the errors in the steps that a formula cooks to.
pub fn check_cooked(formula: &Formula, source: &FormulaSource) -> Vec<FormulaProblem> {
    let mut flat = Vec::new();
    flatten_steps(&formula.steps, None, &mut flat);
    let mut problems = Vec::new();
    if flat.len() > MOST_STEPS {
        let text = format!("the formula has more than {MOST_STEPS} steps");
        return vec![source.problem("steps", text)];
    }
    for (step, _) in &flat {
        problems.extend(find_mistyped_names(step, &formula.vars, source));
    }
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, (step, _)) in flat.iter().enumerate() {
        if at.insert(&step.id, number).is_some() {
            let text = "duplicate step id in the cooked formula; ids must differ from those of what it extends or expands";
            problems.push(source.step_problem(&step.id, "", text.to_owned()));
        }
        let title = step.title.trim();
        if title.len() > 500 {
            let text = "the title must be 500 characters or less".to_owned();
            problems.push(source.step_problem(&step.id, "title", text));
        }
    }
    for (step, _) in &flat {
        if problems.len() >= MAX_PROBLEMS {
            break;
        }
        for (need, key) in list_needs(step) {
            if need == step.id {
                let text = "it needs itself: remove it from its needs".to_owned();
                problems.push(source.step_problem(&step.id, key, text));
            } else if !at.contains_key(need) {
                let text = format!(
                    "{key} names the unknown step \"{need}\"{}",
                    suggest_similar(need, &at)
                );
                problems.push(source.step_problem(&step.id, key, text));
            }
        }
    }
    if problems.is_empty()
        && let Some(cycle) = find_step_cycle(&flat, &at)
    {
        let first = cycle.first().map_or("", String::as_str);
        let text = format!("dependency cycle: {}", cycle.join(" → "));
        problems.push(source.step_problem(first, "needs", text));
    }
    problems
}

/// Returns the bond points at steps that the formula has neither in its file nor cooked.
pub fn check_bond_points(
    formula: &Formula,
    step_ids: &BTreeSet<String>,
    source: &FormulaSource,
) -> Vec<FormulaProblem> {
    if formula.kind != FormulaKind::Workflow {
        return Vec::new();
    }
    let at: BTreeMap<&str, usize> = step_ids.iter().map(|id| (id.as_str(), 0)).collect();
    let mut problems = Vec::new();
    for point in &formula.compose.bond_points {
        for step in [&point.after_step, &point.before_step] {
            if !step.is_empty() && !at.contains_key(step.as_str()) {
                let text = format!(
                    "bond point \"{}\" names the unknown step \"{step}\"{}",
                    point.id,
                    suggest_similar(step, &at)
                );
                problems.push(source.problem("bond_points", text));
            }
        }
    }
    problems
}

/// Returns problems for names in a step that are similar to a declared variable. Any other unknown
/// name stays as text, because it may belong to another template language.
fn find_mistyped_names(
    step: &FormulaStep,
    declared: &BTreeMap<String, FormulaVar>,
    source: &FormulaSource,
) -> Vec<FormulaProblem> {
    let texts = [
        ("title", &step.title),
        ("description", &step.description),
        ("notes", &step.notes),
        ("acceptance", &step.acceptance),
    ];
    let mut named: Vec<(&str, String)> = texts
        .iter()
        .filter(|(_, text)| text.contains("{{"))
        .flat_map(|(key, text)| vars::names_in(text).into_iter().map(|name| (*key, name)))
        .collect();
    let condition = StepCondition::parse(&step.condition);
    named.extend(condition.map(|condition| ("condition", condition.name().to_owned())));
    named
        .into_iter()
        .filter_map(|(key, name)| {
            let like = vars::find_similar_variable(&name, declared)?;
            let text = format!("{{{{{name}}}}} is no variable: did you mean {{{{{like}}}}}?");
            Some(source.step_problem(&step.id, key, text))
        })
        .collect()
}

fn suggest_similar(need: &str, at: &BTreeMap<&str, usize>) -> String {
    let like = at
        .keys()
        .min_by_key(|candidate| strsim::damerau_levenshtein(candidate, need));
    match like.filter(|candidate| strsim::damerau_levenshtein(candidate, need) <= 2) {
        Some(candidate) => format!(": did you mean \"{candidate}\"?"),
        None => String::new(),
    }
}

/// Lists the steps with the position of their parent, parents first.
fn flatten_steps<'a>(
    steps: &'a [FormulaStep],
    parent: Option<usize>,
    flat: &mut Vec<(&'a FormulaStep, Option<usize>)>,
) {
    for step in steps {
        flat.push((step, parent));
        let step_index = flat.len() - 1;
        flatten_steps(&step.children, Some(step_index), flat);
    }
}

/// Lists the steps that must come before a step, with the key that names them.
fn list_needs(step: &FormulaStep) -> impl Iterator<Item = (&str, &'static str)> {
    let depends = step.depends_on.iter().map(|id| (id.as_str(), "depends_on"));
    let needs = step.needs.iter().map(|id| (id.as_str(), "needs"));
    let spawner = step.spawner().map(|id| (id, "waits_for"));
    depends.chain(needs).chain(spawner)
}

/// Returns a cycle of steps, each of which waits for the next, closed by its first step. A step
/// begins after the steps that it needs and after its parent began. A parent ends after its
/// children.
fn find_step_cycle(
    flat: &[(&FormulaStep, Option<usize>)],
    at: &BTreeMap<&str, usize>,
) -> Option<Vec<String>> {
    // The begin of a step is the node of its number, and its end is the node `count` after it.
    let count = flat.len();
    let mut waits: Vec<Vec<usize>> = vec![Vec::new(); 2 * count];
    for (number, (step, parent)) in flat.iter().enumerate() {
        waits[count + number].push(number);
        if let Some(parent) = parent {
            waits[number].push(*parent);
            waits[count + parent].push(count + number);
        }
        for (need, key) in list_needs(step) {
            let Some(need) = at.get(need) else { continue };
            if key == "waits_for" {
                for (child, (_, parent)) in flat.iter().enumerate() {
                    if *parent == Some(*need) {
                        waits[number].push(count + child);
                    }
                }
            } else {
                waits[number].push(count + need);
            }
        }
    }
    let nodes = cycle::find_cycle(&waits)?;
    let mut names: Vec<String> = Vec::new();
    for node in nodes {
        let id = &flat[node % count].0.id;
        if names.last() != Some(id) {
            names.push(id.clone());
        }
    }
    if names.first() != names.last() || names.len() == 1 {
        names.extend(names.first().cloned());
    }
    Some(names)
}
