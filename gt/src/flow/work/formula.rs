//! Runs a convoy formula: legs that run in parallel, and a synthesis once all of them are done.
//!
//! Steps: answer the formula's questions. Create legs and synthesis as beads of the rig in one
//! transaction. Create a convoy that tracks them. Sling all. The synthesis waits for the legs, so
//! the queue slings it when the last one is closed.

use std::collections::BTreeMap;

use bd::bead::DepKind;
use bd::change::{self, BeadPlan, PlanBead, PlanEdge, PlanEndpoint};
use bd::formula::schema::{ConvoyLeg, Formula};
use bd::formula::vars::{self, VarValues};
use bd::formula::{FormulaKind, cook_formula};
use serde::Serialize;

use crate::flow::work::convoy;
use crate::flow::work::molecule;
use crate::flow::work::sling::{SlingBatch, SlingOptions, SlingReport, sling_batch};
use crate::host::LiveTown;
use crate::town::Rig;

#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    pub formula: String,
    pub values: VarValues,
    /// The preset, which selects legs.
    pub preset: String,
    /// The agent runtime, if not the configured one.
    pub agent: Option<String>,
}

/// A started convoy formula.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FormulaReport {
    pub formula: String,
    pub convoy: String,
    /// The beads of the legs, by leg id.
    pub legs: BTreeMap<String, String>,
    /// The bead of the synthesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<String>,
    pub slung: Vec<SlingReport>,
}

/// The key of the synthesis among the beads.
const SYNTHESIS_KEY: &str = "synthesis";

/// A convoy formula with its answers, ready to run.
#[derive(Debug)]
pub struct PreparedFormula {
    formula: Formula,
    legs: Vec<ConvoyLeg>,
    values: VarValues,
    /// The number of this run, used in the paths of its output.
    run: String,
}

/// Reads the formula and answers its questions without any write.
pub fn prepare_formula(rig: &Rig, request: &RunRequest) -> anyhow::Result<PreparedFormula> {
    let shelf = molecule::formula_shelf(rig.town(), Some(rig));
    let name = molecule::full_formula_name(&shelf, &request.formula)
        .unwrap_or_else(|| request.formula.clone());
    let formula = cook_formula(&shelf, &shelf.load(&name)?, &request.values)?.formula;
    anyhow::ensure!(
        formula.kind == FormulaKind::Convoy,
        "{name} is a {} formula and runs on one worker: `gt sling {name} {}`",
        formula.kind.as_str(),
        rig.name()
    );
    let values = collect_answers(&formula, &request.values)?;
    let legs = select_legs(&formula, &request.preset)?;
    let run = rig.town().random.base32(5);
    Ok(PreparedFormula {
        formula,
        legs,
        values,
        run,
    })
}

/// Returns the answers to a formula's questions. Fails if a required one has none.
fn collect_answers(formula: &Formula, given: &VarValues) -> anyhow::Result<VarValues> {
    let mut values = given.clone();
    let mut missing = Vec::new();
    for (name, input) in &formula.inputs {
        let is_answered_otherwise = || {
            input
                .required_unless
                .iter()
                .any(|name| given.contains_key(name))
        };
        match &input.default {
            _ if values.contains_key(name) => {}
            Some(default) => drop(values.insert(name.clone(), default.clone())),
            None if (input.required || !input.required_unless.is_empty())
                && !is_answered_otherwise() =>
            {
                missing.push(name.as_str());
            }
            None => drop(values.insert(name.clone(), String::new())),
        }
    }
    anyhow::ensure!(missing.is_empty(), vars::missing_text(&missing));
    Ok(values)
}

/// Returns the legs of a preset, or all legs.
fn select_legs(formula: &Formula, preset: &str) -> anyhow::Result<Vec<ConvoyLeg>> {
    if preset.is_empty() {
        return Ok(formula.legs.clone());
    }
    let names: Vec<&str> = formula.presets.keys().map(String::as_str).collect();
    let found = formula.presets.get(preset).ok_or_else(|| {
        anyhow::anyhow!(
            "{} has no preset {preset} (presets: {})",
            formula.name,
            names.join(", ")
        )
    })?;
    Ok(formula
        .legs
        .iter()
        .filter(|leg| found.legs.contains(&leg.id))
        .cloned()
        .collect())
}

impl PreparedFormula {
    /// Returns the titles of the beads to create.
    pub fn titles(&self) -> Vec<(String, String)> {
        let mut titles: Vec<(String, String)> = self
            .legs
            .iter()
            .map(|leg| (leg.id.clone(), leg.title.clone()))
            .collect();
        if let Some(synthesis) = &self.formula.synthesis {
            titles.push((SYNTHESIS_KEY.to_owned(), synthesis.title.clone()));
        }
        titles
    }

    pub fn name(&self) -> &str {
        &self.formula.name
    }

    fn title(&self) -> String {
        let about = self
            .values
            .get("problem")
            .or_else(|| self.values.get("title"))
            .filter(|text| !text.is_empty())
            .map_or(self.formula.first_line(), String::as_str);
        bd::bead::validate::fit_to_title(&format!("{}: {about}", self.formula.name))
    }

    /// Returns the output file of a leg.
    fn output(&self, leg: &ConvoyLeg) -> String {
        let Some(output) = &self.formula.output else {
            return String::new();
        };
        let pattern = match output.leg_pattern.as_str() {
            "" => "{{leg.id}}.md",
            pattern => pattern,
        };
        self.path(
            &output.directory,
            &pattern
                .replace("{{leg.id}}", &leg.id)
                .replace("{{.leg.id}}", &leg.id),
        )
    }

    fn summary_file(&self) -> String {
        match &self.formula.output {
            Some(output) if !output.synthesis.is_empty() => {
                self.path(&output.directory, &output.synthesis)
            }
            _ => String::new(),
        }
    }

    fn path(&self, directory: &str, file: &str) -> String {
        let mut directory = directory.to_owned();
        for name in ["review_id", "design_id", "run_id"] {
            for pattern in [format!("{{{{.{name}}}}}"), format!("{{{{{name}}}}}")] {
                directory = directory.replace(&pattern, &self.run);
            }
        }
        format!(
            "{}/{file}",
            vars::substitute_values(directory.trim_end_matches('/'), &self.values)
        )
    }

    fn text(&self, text: &str, more: &[(&str, &str)]) -> String {
        let mut values = self.values.clone();
        values.extend(
            more.iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        vars::substitute_values(text, &values)
    }

    fn leg_text(&self, leg: &ConvoyLeg) -> String {
        let output = self.output(leg);
        let more = [("output", output.as_str()), ("focus", leg.focus.as_str())];
        let base = self.formula.prompts.get("base").map_or("", String::as_str);
        let mut parts = vec![self.text(base, &more), self.text(&leg.description, &more)];
        if !leg.focus.is_empty() {
            parts.push(format!("Focus: {}", self.text(&leg.focus, &more)));
        }
        if !output.is_empty() && !base.contains("{{output}}") {
            parts.push(format!(
                "Write your findings to `{output}` and commit that file."
            ));
        }
        join_parts(&parts)
    }

    fn synthesis_text(&self) -> String {
        let Some(synthesis) = &self.formula.synthesis else {
            return String::new();
        };
        let output = self.summary_file();
        let more = [("output", output.as_str())];
        let files: Vec<String> = self
            .legs
            .iter()
            .map(|leg| self.output(leg))
            .filter(|path| !path.is_empty())
            .map(|path| format!("- `{path}`"))
            .collect();
        let mut parts = vec![self.text(&synthesis.description, &more)];
        if !files.is_empty() {
            parts.push(format!("The legs wrote:\n{}", files.join("\n")));
        }
        if !output.is_empty() {
            parts.push(format!(
                "Write the result to `{output}` and commit that file."
            ));
        }
        join_parts(&parts)
    }

    fn plan(&self) -> BeadPlan {
        let mut plan = BeadPlan::default();
        for leg in &self.legs {
            plan.beads.push(self.plan_bead(
                &leg.id,
                self.text(&leg.title, &[]),
                self.leg_text(leg),
            ));
            plan.edges.extend(
                leg.needs
                    .iter()
                    .filter(|id| self.legs.iter().any(|leg| leg.id == **id))
                    .map(|need| plan_edge(&leg.id, need)),
            );
        }
        if let Some(synthesis) = &self.formula.synthesis {
            let title = self.text(&synthesis.title, &[]);
            plan.beads
                .push(self.plan_bead(SYNTHESIS_KEY, title, self.synthesis_text()));
            plan.edges.extend(
                self.legs
                    .iter()
                    .map(|leg| plan_edge(SYNTHESIS_KEY, &leg.id)),
            );
        }
        plan
    }

    fn plan_bead(&self, key: &str, title: String, description: String) -> PlanBead {
        PlanBead {
            key: key.to_owned(),
            parent: None,
            new: change::NewBead {
                title,
                description,
                labels: vec![format!("formula:{}", self.formula.name)],
                source_formula: format!("{}@{}", self.formula.name, self.formula.version_text()),
                source_location: key.to_owned(),
                ..change::NewBead::default()
            },
        }
    }
}

fn join_parts(parts: &[String]) -> String {
    parts
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Creates the beads and their convoy, and slings all of them.
pub fn run(
    town: &LiveTown,
    rig: &Rig,
    prepared: &PreparedFormula,
    request: &RunRequest,
    warn: impl FnMut(&str),
) -> anyhow::Result<FormulaReport> {
    let store = rig.store()?;
    let mut ids = town.transact(&store, |tx| Ok(change::create_all(tx, prepared.plan())?))?;
    let mut beads: Vec<String> = Vec::new();
    for (key, _) in prepared.titles() {
        beads.extend(ids.get(&key).cloned());
    }
    let new = convoy::NewConvoy {
        title: prepared.title(),
        beads: beads.clone(),
        about: format!("Formula: {}", prepared.name()),
        ..convoy::NewConvoy::default()
    };
    let created = convoy::create_convoy(town, &new)?;
    let batch = SlingBatch {
        beads,
        target: rig.name().to_owned(),
        options: SlingOptions {
            agent: request.agent.clone(),
            ..SlingOptions::default()
        },
    };
    let slung = sling_batch(town, &batch, warn)?;
    let synthesis = ids.remove(SYNTHESIS_KEY);
    Ok(FormulaReport {
        formula: prepared.name().to_owned(),
        convoy: created.id,
        legs: ids,
        synthesis,
        slung,
    })
}

fn plan_edge(from: &str, to: &str) -> PlanEdge {
    PlanEdge {
        from: PlanEndpoint::Key(from.to_owned()),
        to: PlanEndpoint::Key(to.to_owned()),
        kind: DepKind::Blocks,
        metadata: String::new(),
    }
}
