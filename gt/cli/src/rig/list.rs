//! `gt rig list`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::view::rig;

/// List the rigs of the town
///
/// With `--json` an array of {name, path, prefix, remote, polecats, working, crew, problem,
/// held?{state, reason, next}}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let rows = rig::list_rig_rows(&ctx.open_town()?)?;
    build_report(rows, |rows, page| {
        if rows.is_empty() {
            page.line("no rigs yet: gt rig add NAME URL adds one");
        }
        for row in rows {
            if let Some(problem) = &row.problem {
                page.cut_line(format!(
                    "! {:<16} {}",
                    row.name,
                    kit::ui::escape::escape_line(problem)
                ));
                continue;
            }
            let remote = row.remote.as_deref().unwrap_or("local only");
            page.cut_line(format!(
                "  {:<16} {:<8} {} of {} polecats at work, {} crew  {}",
                row.name,
                format!("{}-", row.prefix),
                row.working,
                row.polecats,
                row.crew.len(),
                remote
            ));
            if let Some(hold) = &row.held {
                page.line(page.style().yellow(&format!("    ! {}", hold.reason)));
                page.line(format!("    → {}", hold.next));
            }
        }
    })
}
