//! `gt mayor start`.

use clap::Args;

use super::super::{Answer, answer};
use crate::context::Context;
use crate::identity::Address;
use crate::session;

/// Start the mayor's session. One that runs already is left as it is.
///
/// With `--json` {session}.
#[derive(Debug, Args)]
pub(super) struct StartArgs {
    /// The agent program, in place of the configured one.
    #[arg(long, default_value = "")]
    agent: String,
}

pub(super) fn run(ctx: &Context, args: &StartArgs) -> Answer {
    let live = session::start::agent(&ctx.town()?, &Address::Mayor, &args.agent)?;
    answer(
        serde_json::json!({ "session": live.name }),
        move |_, page| {
            page.line(format!("● the mayor runs in session {}", live.name));
            page.line("  visit with: gt mayor attach");
        },
    )
}
