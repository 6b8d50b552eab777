use kit::ui::escape;
use serde::Serialize;

use super::{CommandResult, Context, build_report, describe_next_step, describe_progress};
use gt::flow::work::molecule;
use gt::record::molecule::Molecule;

/// Show the step that is to be done now
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A bead or an agent (default: you)
    #[arg(value_name = "TARGET", default_value = "", hide_default_value = true)]
    target: String,
}

#[derive(Debug, Serialize)]
struct CurrentStepReport {
    identity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    molecule_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    molecule_title: Option<String>,
    steps_complete: usize,
    steps_total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_step_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_step: Option<String>,
    /// `working`, `naked`, `complete` or `blocked`.
    status: &'static str,
    #[serde(skip)]
    molecule: Option<Molecule>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let identity = match args.target.as_str() {
        "" => town.actor.to_string(),
        target => target.to_owned(),
    };
    let found = molecule::find_attached(&town, &args.target)
        .ok()
        .and_then(|(_, found)| found);
    let step = found.as_ref().and_then(|found| found.current.as_ref());
    let status = match (&found, step) {
        (None, _) => "naked",
        (Some(_), Some(_)) => "working",
        (Some(found), None) if found.count_done() == found.steps.len() => "complete",
        (Some(_), None) => "blocked",
    };
    let current = CurrentStepReport {
        identity,
        molecule_id: found.as_ref().map(|found| found.id.clone()),
        molecule_title: found.as_ref().map(|found| found.title.clone()),
        steps_complete: found.as_ref().map_or(0, Molecule::count_done),
        steps_total: found.as_ref().map_or(0, |found| found.steps.len()),
        current_step_id: step.map(|step| step.id.clone()),
        current_step: step.map(|step| step.title.clone()),
        status,
        molecule: found,
    };
    build_report(current, |current, page| {
        let Some(found) = &current.molecule else {
            page.line(format!("{} follows no molecule", current.identity));
            return;
        };
        page.line(describe_progress(found));
        if let Some(step) = &found.current {
            page.line(format!("{}: {}", step.id, escape::escape_line(&step.title)));
            for text in [&step.description, &step.acceptance] {
                if !text.trim().is_empty() {
                    page.blank();
                    page.line(escape::escape_block(text.trim()));
                }
            }
            page.blank();
        }
        page.line(describe_next_step(found));
    })
}
