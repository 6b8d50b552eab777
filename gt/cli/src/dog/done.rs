//! `gt dog done`.

use serde_json::json;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog::{self, DogOutcome};
use gt::record::plugin::run::PluginResult;

/// Report that a dog has done its work, and end its session
///
/// The run of a plugin is recorded with its result.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dog (default: the one that asks)
    name: Option<String>,
    /// The result of a plugin
    #[arg(long, value_enum, default_value = "success")]
    result: PluginResult,
    /// The outcome in a few words
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let name = super::resolve_dog_name(&town, args.name)?;
    let outcome = DogOutcome {
        result: args.result,
        note: args.note,
    };
    let work = dog::finish_work(&town, &name, &outcome)?;
    let data = json!({ "dog": name, "work": work });
    build_report(data, move |_, page| page.line(format!("✓ {name} rests")))
}
