use kit::ui::escape::escape_line;

use super::{CommandResult, Context, build_report};
use gt::flow::townwide::plugin::find_plugin;
use gt::record::plugin::run::list_runs;

/// Show the last runs of a plugin, the newest first
///
/// The bead of a run has the end of its output: `bd show ID`. With `--json` [{id, title,
/// `created_at`, labels[], result?: success|failure|skipped}].
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plugin
    #[arg(value_name = "NAME")]
    plugin: String,
    /// The rig, if several have a plugin of the name
    #[arg(long)]
    rig: Option<String>,
    /// Show at most this many runs
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    limit: usize,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let plugin = find_plugin(&town, &args.plugin, args.rig.as_deref())?;
    let beads = town.open_town_store()?.snapshot()?;
    let limit = if args.limit == 0 {
        usize::MAX
    } else {
        args.limit
    };
    let key = plugin.key();
    build_report(list_runs(&beads, &plugin, limit), move |runs, page| {
        for run in runs {
            let result = run.result.map_or("unknown", |result| result.word());
            page.cut_line(format!(
                "{result:8} {}  {}  {}",
                run.id,
                page.relative_time(&run.created_at),
                escape_line(run.end())
            ));
        }
        if runs.is_empty() {
            page.line(format!("{key} never ran"));
        }
    })
}
