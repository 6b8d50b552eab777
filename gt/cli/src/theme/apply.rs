//! `gt theme apply`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::theme::apply_themes;

/// Give the sessions that run their colours
///
/// New sessions have them. With `--json` an array of the sessions.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only sessions of this rig
    #[arg(long)]
    rig: Option<String>,
    /// Accepted, because it is the default
    #[arg(short, long, hide = true, conflicts_with = "rig")]
    all: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let Args { rig, all: _ } = args;
    let town = ctx.open_town()?;
    if let Some(name) = &rig {
        town.find_rig(name)?;
    }
    let applied = apply_themes(&town, rig.as_deref())?;
    build_report(applied, |applied, page| {
        let sessions = kit::ui::counted(applied.len(), "session");
        page.line(format!("✓ {sessions} with their colours"));
    })
}
