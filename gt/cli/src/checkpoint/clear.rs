//! `gt checkpoint clear`.

use serde_json::json;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::checkpoint;

/// Remove the checkpoint of this work tree
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// Removes it.
pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let there = checkpoint::remove_checkpoint(&town, &town.actor)?;
    build_report(json!({ "cleared": there }), move |_, page| {
        page.line(if there {
            "✓ the checkpoint is gone"
        } else {
            "there was no checkpoint"
        });
    })
}
