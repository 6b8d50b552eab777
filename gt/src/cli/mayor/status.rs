//! `gt mayor status`.

use serde::Serialize;

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::session::show;
use crate::town::identity::Address;

/// With `--json` {running, session, attached, created}.
#[derive(Debug, Default, Serialize)]
struct Status {
    running: bool,
    session: Option<String>,
    attached: bool,
    created: Option<String>,
}

/// Show whether the mayor's session runs
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> Answer {
    let town = ctx.town()?;
    let found = show::find(&town, &Address::Mayor)?;
    let status = found.map_or_else(Status::default, |live| Status {
        running: live.dead.is_none(),
        attached: live.attached,
        created: Some(live.created.to_string()),
        session: Some(live.name),
    });
    answer(status, |status, page| {
        match (status.running, status.attached) {
            (true, true) => page.line("● the mayor runs, and someone is with them"),
            (true, false) => page.line("● the mayor runs: gt mayor attach"),
            (false, _) => page.line("○ the mayor does not run: gt mayor start"),
        }
    })
}
