use super::enable::switch_plugin;
use super::{CommandResult, Context};

/// Keep a plugin from running automatically
///
/// The setting `plugins.disabled` has the names. `gt plugin run` still runs the plugin. With
/// `--json` {plugin, enabled, changed}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plugin
    #[arg(value_name = "NAME")]
    plugin: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    switch_plugin(ctx, args.plugin, false)
}
