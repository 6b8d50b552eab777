//! `gt rescue restore`.

use std::path::PathBuf;

use bd::git::{Git, rescue};
use clap::Args;
use serde::Serialize;

use super::super::{Answer, answer};
use crate::context::Context;

/// Bring saved work back into a working tree. What is saved of crew is in their own clones. Files there that differ are not overwritten: it refuses then.
#[derive(Debug, Args)]
pub(super) struct RestoreArgs {
    /// The rescue ref.
    #[arg(value_name = "REF")]
    reference: String,
    /// The working tree; the worker's own when left out.
    #[arg(long)]
    into: Option<PathBuf>,
}

#[derive(Serialize)]
struct Restored {
    into: PathBuf,
    files: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: &RestoreArgs) -> Answer {
    let town = ctx.town()?;
    let (rig, reference, _) = super::locate(&town, &args.reference)?;
    let into = match &args.into {
        Some(path) => ctx.env.cwd().join(path),
        None => {
            // refs/gt/<kind>/<rig>/<role>/<name>/…
            let mut parts = reference.split('/').skip(4);
            match (parts.next(), parts.next()) {
                (Some("polecats"), Some(name)) => rig.sandbox(name),
                (Some("crew"), Some(name)) => rig.crew(name),
                _ => anyhow::bail!("the ref does not say whose it is: name the tree with --into"),
            }
        }
    };
    anyhow::ensure!(
        into.is_dir(),
        "there is no working tree at {} (name one with --into)",
        into.display()
    );
    let files = rescue::restore(&Git::at(&into), &reference)?;
    answer(Restored { into, files }, |restored, page| {
        page.line(format!(
            "✓ {} files are back in {}",
            restored.files.len(),
            restored.into.display()
        ));
        for file in &restored.files {
            page.line(format!("  {}", bd::ui::escape::line(file)));
        }
    })
}
