//! `gt mayor stop`.

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::session::end;
use crate::town::identity::Address;

/// End the mayor's session
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> Answer {
    let town = ctx.town()?;
    let was_running = end::agent(&town, &Address::Mayor)?;
    answer(
        serde_json::json!({ "was_running": was_running }),
        move |_, page| {
            let how = if was_running {
                "has stopped"
            } else {
                "was not running"
            };
            page.line(format!("○ the mayor {how}"));
        },
    )
}
