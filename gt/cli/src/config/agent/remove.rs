//! `gt config agent remove`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::town::config;

/// Remove an agent from the town's settings
///
/// A built-in agent of that name stays. With `--json` {name}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    anyhow::ensure!(
        config::read_agents(&town)?.contains_key(&args.name),
        "the town's settings have no agent `{}`: not found",
        args.name
    );
    config::change_agent(&town, &args.name, None)?;
    build_report(serde_json::json!({ "name": args.name }), move |_, page| {
        page.line(format!("✓ agent {} is removed", args.name));
    })
}
