use serde_json::json;

use super::{CommandResult, Context, build_report};
use gt::flow::townwide::plugin;

/// Let a plugin run automatically again
///
/// With `--json` {plugin, enabled, changed}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plugin
    #[arg(value_name = "NAME")]
    plugin: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    switch_plugin(ctx, args.plugin, true)
}

/// Turns the automatic runs of a plugin on or off.
pub(super) fn switch_plugin(ctx: &Context, name: String, enabled: bool) -> CommandResult {
    let town = ctx.open_town()?;
    let changed = plugin::set_enabled(&town, &name, enabled)?;
    let data = json!({ "plugin": name, "enabled": enabled, "changed": changed });
    build_report(data, move |_, page| {
        let state = if enabled { "enabled" } else { "disabled" };
        let already = if changed { "" } else { " already" };
        page.line(format!("✓ {name} is {state}{already}"));
    })
}
