//! `gt mayor attach`.

use super::super::{Answer, answer, attach};
use crate::cli::context::Context;
use crate::flow::session;
use crate::town::identity::Address;

/// Open the mayor's session, starting it if needed
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Start it with this agent runtime instead of the configured one
    #[arg(long, default_value = "")]
    agent: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let live = session::start::agent(&town, &Address::Mayor, &args.agent)?;
    attach::attach(ctx, &town, &Address::Mayor)?;
    answer(serde_json::json!({ "session": live.name }), |_, _| {})
}
