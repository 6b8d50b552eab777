//! `gt host list`.

use kit::ui::escape::escape_line;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::list_host_rows;

/// List the machines on which workers can run
///
/// Opens no connection: the state is that of the last one. With `--json` an array of {name, way,
/// place_of?, state, since?, reason?, workers, limit?, draining}. The places of workers on a host with an
/// engine follow it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rows = list_host_rows(&town)?;
    build_report(rows, |rows, page| {
        if rows.is_empty() {
            page.line("no hosts: workers run on this machine; see `gt host add --help`");
        }
        for row in rows {
            let limit = row
                .limit
                .map_or_else(String::new, |limit| format!(" of {limit}"));
            let draining = if row.draining {
                ", gets no new work"
            } else {
                ""
            };
            let indent = if row.place_of.is_some() { "  " } else { "" };
            page.cut_line(format!(
                "  {indent}{:<16} {}, {}{limit} at work{draining}  {}",
                row.name,
                row.state,
                row.workers,
                escape_line(&row.way)
            ));
            if let Some(reason) = &row.reason {
                page.line(format!("    ! {}", escape_line(reason)));
            }
        }
    })
}
