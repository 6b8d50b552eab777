//! `gt rescue drop`.

use bd::git::rescue;
use serde::Serialize;

use super::super::{Answer, answer};
use crate::cli::context::Context;

/// Drop saved work, and print its commit
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rescue ref
    #[arg(value_name = "REF")]
    reference: String,
}

#[derive(Serialize)]
struct Dropped {
    #[serde(rename = "ref")]
    reference: String,
    commit: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let (_, reference, git) = super::locate(&town, &args.reference)?;
    let commit = git.resolve(&reference)?;
    rescue::drop(&git, &reference)?;
    answer(Dropped { reference, commit }, |dropped, page| {
        let commit = dropped.commit.as_deref().unwrap_or("?");
        page.line(format!(
            "✓ {} is dropped (it was {commit})",
            dropped.reference
        ));
    })
}
