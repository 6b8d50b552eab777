use serde_json::json;

use crate::context::Context;
use bd::bead::kind;

use kit::cli::report::{CommandResult, TextReport};

/// List the types of beads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let custom = ctx.config.list("types.custom");
    let mut lines = vec!["Core types:".to_owned()];
    let core: Vec<_> = kind::CORE
        .iter()
        .map(|kind| {
            let meaning = describe_kind(kind.as_str());
            lines.push(format!("  {kind:<10} {meaning}"));
            json!({"name": kind.as_str(), "description": meaning})
        })
        .collect();
    let mut value = json!({"core_types": core});
    if !custom.is_empty() {
        lines.push("Custom types:".to_owned());
        lines.extend(custom.iter().map(|name| format!("  {name}")));
        value["custom_types"] = json!(custom);
    }
    TextReport::lines(value, lines).into_answer()
}

fn describe_kind(kind: &str) -> &'static str {
    match kind {
        "bug" => "Something is wrong",
        "feature" => "Something new",
        "task" => "Work to be done",
        "epic" => "A goal with children",
        _ => "Upkeep",
    }
}
