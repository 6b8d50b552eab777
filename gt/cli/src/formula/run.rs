use kit::ui::{Page, escape};
use serde_json::json;

use super::super::rig;
use super::{CommandResult, Context, build_report};
use gt::flow::work::formula::{self, FormulaReport, RunRequest};
use gt::flow::work::sling::formula::rig_of_target;

/// Run a convoy formula: legs in parallel, then a synthesis
///
/// Makes a bead of the rig for each leg and one for the synthesis, which waits for all legs, and a
/// convoy that tracks them, and slings all of them.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The formula (default: the setting workflow.default_formula)
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,
    /// Run it in this rig (default: yours)
    #[arg(
        long,
        value_name = "RIG",
        default_value = "",
        hide_default_value = true
    )]
    rig: String,
    /// Answer a question of the formula; may be repeated
    #[arg(long, visible_alias = "set", value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// The number of the pull request: the answer to `pr`
    #[arg(long, value_name = "N")]
    pr: Option<u64>,
    /// Only the legs of this preset
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    preset: String,
    /// Use this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
    /// Only show what would be made
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let around = rig::resolve_rig(ctx, &town, None).ok();
    let rig = match around.filter(|_| args.rig.is_empty()) {
        Some(rig) => rig,
        None => rig_of_target(&town, &args.rig)?,
    };
    let mut values =
        bd::molecule::template::read_values(&args.var).map_err(kit::failure::UsageError)?;
    if let Some(number) = args.pr {
        values.insert("pr".to_owned(), number.to_string());
    }
    let named = args.formula.or_else(|| {
        let layers = gt::town::config::SettingsLayers::load(&town, Some(&rig)).ok()?;
        let value = layers.valid_value("workflow.default_formula");
        value
            .as_str()
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    });
    let name = named
        .ok_or_else(|| kit::failure::UsageError("name a formula: gt formula run FORMULA".into()))?;
    let request = RunRequest {
        formula: name,
        values,
        preset: args.preset,
        agent: args.agent,
    };
    let prepared = formula::prepare_formula(&rig, &request)?;
    if args.dry_run {
        let titles = prepared.titles();
        let name = prepared.name().to_owned();
        let steps: Vec<_> = titles
            .iter()
            .map(|(id, title)| json!({"id": id, "title": title}))
            .collect();
        let data = json!({"formula": name, "rig": rig.name(), "beads": steps, "dry_run": true});
        return build_report(data, move |_, page| {
            page.line(format!("Would run {name}:"));
            for (id, title) in &titles {
                page.cut_line(format!(
                    "  {}: {}",
                    escape::escape_line(id),
                    escape::escape_line(title)
                ));
            }
        });
    }
    let started = formula::run(&town, &rig, &prepared, &request, |problem| {
        ctx.ui.warn(&escape::escape_line(problem));
    })?;
    gt::host::daemon::wake_daemon(&town);
    build_report(started, write_report)
}

fn write_report(started: &FormulaReport, page: &mut Page) {
    page.line(format!(
        "✓ {} runs as convoy {}",
        started.formula, started.convoy
    ));
    for (leg, bead) in &started.legs {
        let to = started
            .slung
            .iter()
            .find(|slung| slung.bead == *bead)
            .map_or("not slung", |slung| slung.target.as_str());
        page.line(format!("  {leg}: {bead} → {to}"));
    }
    if let Some(synthesis) = &started.synthesis {
        page.line(format!("  then the synthesis: {synthesis}"));
    }
    page.line(format!("Next: gt convoy status {}", started.convoy));
}
