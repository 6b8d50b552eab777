use kit::ui::Page;
use kit::ui::escape::{escape_block, escape_line};
use serde::Serialize;

use super::{CommandResult, Context, build_report, build_report_with_exit};
use gt::flow::townwide::dog::plugin::{
    DispatchReport, DogChoice, dispatch_plugin, preview_dispatch, render_instructions,
};
use gt::flow::townwide::plugin::{self, GateReport, PluginRunReport};
use gt::record::plugin::run::PluginResult;
use gt::record::plugin::{ExecutionKind, Plugin};
use gt::town::hold;
use gt::town::identity::Address;

/// Run a plugin now
///
/// A program runs to its end, and its output is shown; a failure exits with 1. Instructions go to a
/// dog, or are printed if a dog asks. A plugin in its cooldown does not run without --force. With
/// `--json` {plugin, rig?, gate{open, reason, `opens_at`?}, ran, `dry_run`?, run?{result, end,
/// seconds, output, log?, run}, dispatch?, instructions?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plugin
    #[arg(value_name = "NAME")]
    plugin: String,
    /// The rig, if several have a plugin of the name
    #[arg(long)]
    rig: Option<String>,
    /// Run it in its cooldown, and a program also while the town is stopped
    #[arg(short, long)]
    force: bool,
    /// Only show what would run
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Print the instructions, and run nothing
    #[arg(long)]
    print: bool,
}

#[derive(Debug, Serialize)]
struct RunReport {
    plugin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rig: Option<String>,
    gate: GateReport,
    ran: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<PluginRunReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispatch: Option<DispatchReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    #[serde(skip)]
    key: String,
    #[serde(skip)]
    is_script: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let found = plugin::find_plugin(&town, &args.plugin, args.rig.as_deref())?;
    let is_script = found.execution_kind() == ExecutionKind::Script;
    let mut report = RunReport {
        plugin: found.name().to_owned(),
        rig: found.rig.clone(),
        gate: plugin::read_gate(&town, &found)?,
        ran: false,
        dry_run: args.dry_run,
        run: None,
        dispatch: None,
        instructions: None,
        key: found.key(),
        is_script,
    };
    let asked_by_dog = !is_script && matches!(town.actor, Address::Dog(_));
    if args.print || asked_by_dog {
        report.instructions = Some(render_instructions(&town.layout, &found));
        return build_report(report, write_run);
    }
    if is_in_cooldown(&found, &report.gate) && !args.force {
        return build_report(report, write_run);
    }
    let choice = DogChoice {
        name: None,
        create: true,
    };
    if args.dry_run {
        if !is_script {
            report.dispatch = Some(preview_dispatch(&town, &found, &choice)?);
        }
        return build_report(report, write_run);
    }
    if !args.force {
        hold::check_free(&town, found.rig.as_deref())?;
    }
    let begun = plugin::begin_by_hand(&town, &found)?;
    if is_script {
        report.run = Some(plugin::run_script(&town, &found, &begun)?);
    } else {
        report.dispatch = Some(dispatch_plugin(&town, &found, begun, &choice)?);
    }
    report.ran = true;
    let failed = report
        .run
        .as_ref()
        .is_some_and(|run| run.result == PluginResult::Failure);
    build_report_with_exit(u8::from(failed), report, write_run)
}

/// Returns true if a plugin ran within the duration of its cooldown.
fn is_in_cooldown(plugin: &Plugin, gate: &GateReport) -> bool {
    plugin.file.gate.kind == "cooldown" && !gate.open
}

fn write_run(report: &RunReport, page: &mut Page) {
    let key = &report.key;
    if let Some(instructions) = &report.instructions {
        page.line(escape_block(instructions.trim_end()));
        return;
    }
    if let Some(run) = &report.run {
        if !run.output.is_empty() {
            page.line(escape_block(&run.output));
        }
        let mark = match run.result {
            PluginResult::Success => "✓",
            PluginResult::Failure => "✗",
            PluginResult::Skipped => "○",
        };
        let result = run.result.word();
        let end = escape_line(&run.end);
        page.line(format!(
            "{mark} {key}: {result}, {end} ({:.1}s)",
            run.seconds
        ));
        if let Some(log) = &run.log {
            page.line(format!("  {log}"));
        }
        return;
    }
    if let Some(dispatch) = &report.dispatch {
        let word = if report.dry_run {
            "would go"
        } else {
            "is given"
        };
        page.line(format!("{key} {word} to dog {}", dispatch.dog));
        return;
    }
    if report.dry_run && report.is_script {
        page.line(format!("{key} would run; {}", report.gate.reason));
        return;
    }
    page.line(format!("{key} did not run: {}", report.gate.reason));
    if let Some(at) = report.gate.opens_at {
        page.line(format!(
            "The gate opens at {}.",
            page.local_time(&at.to_string())
        ));
    }
    page.line("To run it now:");
    page.line(format!("  gt plugin run {key} --force"));
}
