//! `gt config agent list`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::runtime;
use gt::town::config;

/// List the agents
///
/// With `--json` an array of {name, source}: `source` is `town` or `built-in`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(serde::Serialize)]
struct AgentRow {
    name: String,
    source: &'static str,
}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let own = config::read_agents(&town)?;
    let names = runtime::list_agent_names(&town.layout, None)?;
    let rows: Vec<AgentRow> = names
        .into_iter()
        .map(|name| AgentRow {
            source: if own.contains_key(&name) {
                "town"
            } else {
                "built-in"
            },
            name,
        })
        .collect();
    build_report(rows, |rows, page| {
        for row in rows {
            page.line(format!("{:<16} {}", row.name, row.source));
        }
    })
}
