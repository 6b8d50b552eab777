//! `gt rescue`: work that was saved before a sandbox was reset or a session ended.

mod drop;
mod list;
mod restore;

use clap::{Args, Subcommand};

use super::Answer;
use crate::context::Context;

/// List, bring back and drop saved work.
#[derive(Debug, Args)]
pub(super) struct RescueArgs {
    #[command(subcommand)]
    command: RescueCommand,
}

#[derive(Debug, Subcommand)]
enum RescueCommand {
    List(list::ListArgs),
    Restore(restore::RestoreArgs),
    Drop(drop::DropArgs),
}

pub(super) fn run(ctx: &Context, args: &RescueArgs) -> Answer {
    match &args.command {
        RescueCommand::List(args) => list::run(ctx, args),
        RescueCommand::Restore(args) => restore::run(ctx, args),
        RescueCommand::Drop(args) => drop::run(ctx, args),
    }
}

/// The rig whose repository holds a rescue ref: `refs/gt/rescue/<rig>/…`, with or without `refs/gt/`.
fn locate(
    town: &crate::town::Town,
    text: &str,
) -> anyhow::Result<(crate::town::RigLayout, String)> {
    let rest = text.strip_prefix("refs/gt/").unwrap_or(text);
    let (kind, inner) = rest.split_once('/').unwrap_or((rest, ""));
    anyhow::ensure!(
        matches!(kind, "rescue" | "snap"),
        "`{text}` is no rescue ref (gt rescue list shows them)"
    );
    let rig = town.rig(inner.split('/').next().unwrap_or_default())?;
    Ok((rig, format!("refs/gt/{rest}")))
}
