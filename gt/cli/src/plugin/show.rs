use jiff::{SignedDuration, Timestamp};
use kit::ui::Page;
use kit::ui::escape::{escape_block, escape_line};

use super::list::{describe_last_run, describe_opening};
use super::{CommandResult, Context, build_report};
use gt::flow::townwide::plugin::find_plugin;
use gt::record::plugin::{ExecutionKind, SCRIPT};
use gt::view::plugin::{PluginDetails, read_details};

/// Show a plugin with its instructions
///
/// With `--json` as in `gt plugin list`, and version, gate, tracking, execution, instructions,
/// `timeout_seconds`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plugin
    #[arg(value_name = "NAME")]
    plugin: String,
    /// The rig, if several have a plugin of the name
    #[arg(long)]
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let plugin = find_plugin(&town, &args.plugin, args.rig.as_deref())?;
    let now = town.clock.now();
    build_report(read_details(&town, &plugin)?, move |details, page| {
        write_details(details, now, page);
    })
}

fn write_details(details: &PluginDetails, now: Timestamp, page: &mut Page) {
    let row = &details.row;
    page.line(format!("{} (version {})", row.key, details.version));
    if !row.description.is_empty() {
        page.line(format!("  {}", escape_line(&row.description)));
    }
    page.blank();
    page.line(format!("Folder:   {}", escape_line(&row.path)));
    page.line(format!(
        "Gate:     {} ({})",
        escape_line(&row.gate),
        describe_opening(row, now)
    ));
    if !details.gate.check.is_empty() {
        page.line(format!("Check:    {}", escape_line(&details.gate.check)));
    }
    let limit = i64::try_from(details.timeout_seconds).unwrap_or(i64::MAX);
    let limit = SignedDuration::from_secs(limit);
    let runs = match row.execution_type {
        ExecutionKind::Agent => "a dog carries out the instructions",
        ExecutionKind::Script => SCRIPT,
    };
    page.line(format!("Runs:     {runs}, for at most {limit:#}"));
    if let Some(severity) = details.notifies {
        page.line(format!("Failure:  is escalated ({severity})"));
    }
    if !details.tracking.labels.is_empty() {
        let labels = details.tracking.labels.join(", ");
        page.line(format!("Labels:   {}", escape_line(&labels)));
    }
    page.line(format!("Last run: {}", describe_last_run(row, page)));
    for problem in &row.problems {
        page.line(format!("Problem:  {}", escape_line(problem)));
    }
    if !details.instructions.trim().is_empty() {
        page.blank();
        page.line(escape_block(details.instructions.trim_end()));
    }
}
