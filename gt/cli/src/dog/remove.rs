//! `gt dog remove`.

use serde_json::json;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog;
use gt::record;

/// Remove a dog with its work trees
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dog
    name: Option<String>,
    /// Remove all of them
    #[arg(long, conflicts_with = "name")]
    all: bool,
    /// Also one at work, or with uncommitted files: they are saved (`gt rescue list`)
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let names: Vec<String> = if args.all {
        record::dog::list_dogs(&town.layout)
            .into_iter()
            .map(|dog| dog.name)
            .collect()
    } else {
        vec![super::resolve_dog_name(&town, args.name)?]
    };
    let mut removed = Vec::new();
    for name in names {
        let saved = dog::remove_dog(&town, &name, args.force)?;
        removed.push(json!({ "dog": name, "saved": saved }));
    }
    build_report(removed, |removed, page| {
        for removed_dog in removed {
            page.line(format!(
                "✓ removed {}",
                removed_dog["dog"].as_str().unwrap_or("")
            ));
            for saved in removed_dog["saved"].as_array().into_iter().flatten() {
                page.line(format!("  saved: {}", saved.as_str().unwrap_or("")));
            }
        }
    })
}
