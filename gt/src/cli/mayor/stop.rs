//! `gt mayor stop`.

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::town::identity::{Address, SessionName};

/// End the mayor's session
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> Answer {
    let town = ctx.town()?;
    let mut was_running = false;
    if let Some(name) = SessionName::of(&Address::Mayor) {
        was_running = town.host.find(name.as_str())?.is_some();
        town.host.kill(name.as_str())?;
    }
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
