//! `gt config agent get`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::runtime::{self, RuntimePreset};
use gt::town::config;
use gt::view::bundle;
use kit::ui::escape;

/// Show an agent
///
/// Secrets are shown by their last four characters. With `--json` the whole object: that of the
/// town's settings, otherwise the built-in one.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let own = config::read_agents(&town)?.remove(&args.name);
    let Some(agent) = own.or_else(|| serde_json::to_value(RuntimePreset::named(&args.name)?).ok())
    else {
        let known = runtime::list_agent_names(&town.layout, None)?.join(", ");
        anyhow::bail!(
            "there is no agent `{}`: not found (known: {known})",
            args.name
        );
    };
    build_report(agent, |agent, page| {
        let mut shown = agent.clone();
        bundle::mask_value(&mut shown);
        page.line(escape::escape_block(&format!("{shown:#}")));
    })
}
