//! `gt rescue drop`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::rescue;

/// Drop saved work, and print its commit
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rescue ref
    #[arg(value_name = "REF")]
    reference: String,
}

#[derive(Serialize)]
struct DropRescueReport {
    #[serde(rename = "ref")]
    reference: String,
    commit: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (reference, commit) = rescue::drop_saved_work(&town, &args.reference)?;
    build_report(DropRescueReport { reference, commit }, |dropped, page| {
        let commit = dropped.commit.as_deref().unwrap_or("?");
        page.line(format!(
            "✓ {} is dropped (it was {commit})",
            dropped.reference
        ));
    })
}
