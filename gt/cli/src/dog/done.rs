//! `gt dog done`.

use serde_json::json;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::dog;

/// Report that a dog has done its work, and end its session
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dog (default: the one that asks)
    name: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let name = super::resolve_dog_name(&town, args.name)?;
    let work = dog::finish_work(&town, &name)?;
    let data = json!({ "dog": name, "work": work });
    build_report(data, move |_, page| page.line(format!("✓ {name} rests")))
}
