//! `gt deacon resume`.

use super::{Answer, answer};
use crate::context::Context;
use gt::host::daemon;
use gt::record::pause::Pause;

/// End the pause of the patrol
///
/// With `--json` {was_paused}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> Answer {
    let town = ctx.town()?;
    let was_paused = Pause::end(&town)?.is_some();
    daemon::wake(&town);
    answer(
        serde_json::json!({ "was_paused": was_paused }),
        move |_, page| {
            page.line(if was_paused {
                "✓ the patrol goes on"
            } else {
                "○ the town was not paused"
            });
        },
    )
}
