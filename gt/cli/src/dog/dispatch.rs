//! `gt dog dispatch`.

use clap::ValueEnum;
use kit::ui::{Page, escape};

use super::super::build_report_with_exit;
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog::chore::{self, Chore, ChoreReport};
use gt::flow::townwide::dog::plugin::{
    DispatchReport, DogChoice, dispatch_plugin, preview_dispatch,
};
use gt::flow::townwide::plugin;
use gt::record::plugin::run::PluginResult;
use gt::town::hold;

/// Do a chore or run a plugin in the name of an idle dog
///
/// A chore is plain code and asks no model. A plugin with a program runs to its end; the
/// instructions of another one go to the dog by mail, and its session is started. With `--json` of
/// a chore {chore, dog, `dog_created`, lines[]}, of a plugin {plugin, `plugin_rig`?, `plugin_path`,
/// dog, `dog_created`?, work, `dry_run`?, run?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The chore
    #[arg(value_enum, required_unless_present = "plugin")]
    chore: Option<Chore>,
    /// The plugin, or a chore
    #[arg(long, value_name = "NAME", conflicts_with = "chore")]
    plugin: Option<String>,
    /// The rig, if several have a plugin of the name
    #[arg(long, requires = "plugin")]
    rig: Option<String>,
    /// This dog
    #[arg(long, value_name = "NAME")]
    dog: Option<String>,
    /// Add a dog if none is idle
    #[arg(long)]
    create: bool,
    /// Only show which dog would get the plugin
    #[arg(short = 'n', long, requires = "plugin")]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let chore = match (args.chore, &args.plugin) {
        (Some(chore), _) => chore,
        (None, None) => anyhow::bail!("name a chore or a plugin"),
        (None, Some(name)) => {
            let found = plugin::find_plugin(&town, name, args.rig.as_deref());
            match (found, Chore::from_str(name, false)) {
                (Err(_), Ok(chore)) => chore,
                (Err(error), Err(_)) => return Err(error),
                (Ok(found), _) => {
                    let choice = DogChoice {
                        name: args.dog,
                        create: args.create,
                    };
                    if args.dry_run {
                        let report = preview_dispatch(&town, &found, &choice)?;
                        return build_report(report, write_dispatch);
                    }
                    hold::check_free(&town, found.rig.as_deref())?;
                    let begun = plugin::begin_by_hand(&town, &found)?;
                    let report = dispatch_plugin(&town, &found, begun, &choice)?;
                    let run = report.run.as_ref();
                    let failed = run.is_some_and(|run| run.result == PluginResult::Failure);
                    return build_report_with_exit(u8::from(failed), report, write_dispatch);
                }
            }
        }
    };
    anyhow::ensure!(!args.dry_run, "-n is for plugins; a chore has no preview");
    let done = chore::dispatch_chore(&town, chore, args.dog.as_deref(), args.create)?;
    build_report(done, write_chore)
}

fn write_chore(done: &ChoreReport, page: &mut Page) {
    page.line(format!("✓ {} did {}", done.dog, done.chore.name()));
    for line in &done.lines {
        page.line(format!("  {}", escape::escape_line(line)));
    }
    if done.lines.is_empty() {
        page.line("  nothing was found");
    }
}

fn write_dispatch(report: &DispatchReport, page: &mut Page) {
    let plugin = &report.plugin;
    let dog = &report.dog;
    match &report.run {
        _ if report.dry_run => page.line(format!("○ {dog} would get {plugin}")),
        Some(run) => {
            let end = escape::escape_line(&run.end);
            page.line(format!(
                "✓ {dog} ran {plugin}: {}, {end}",
                run.result.word()
            ));
        }
        None => page.line(format!("✓ {dog} has {plugin}")),
    }
}
