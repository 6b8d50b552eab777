//! `gt mayor stop`, `gt deacon stop`, …

use super::{CommandResult, RoleSelector, build_report};
use crate::context::Context;
use gt::flow::agent::role;

/// End the session of this agent
///
/// A role in agent mode stays stopped until `start`. With `--json` {was_running}.
#[derive(Debug, clap::Args)]
pub(crate) struct Args<W: RoleSelector> {
    #[command(flatten)]
    which: W,
}

pub(crate) fn run<W: RoleSelector>(ctx: &Context, args: Args<W>) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = args.which.address(ctx, &town)?;
    let was_running = role::stop_role(&town, &agent)?;
    let data = serde_json::json!({ "was_running": was_running });
    build_report(data, move |_, page| {
        let how = if was_running {
            "has stopped"
        } else {
            "was not running"
        };
        page.line(format!("○ {agent} {how}"));
    })
}
