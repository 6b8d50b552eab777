//! `gt rescue restore`.

use std::path::PathBuf;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::rescue;

/// Restore saved work to a working tree
///
/// Refuses to overwrite files that differ or are not committed, and to write to the sandbox of a
/// worker at work. The saved work of crew is in their own clones.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rescue ref
    #[arg(value_name = "REF")]
    reference: String,
    /// The working tree (default: the worker's own)
    #[arg(long)]
    into: Option<PathBuf>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let into = args.into.map(|path| ctx.env.cwd().join(path));
    let restored = rescue::restore_saved_work(&ctx.open_town()?, &args.reference, into.as_deref())?;
    build_report(restored, |restored, page| {
        page.line(format!(
            "✓ {} restored to {}",
            kit::ui::counted(restored.files.len(), "file"),
            restored.into.display()
        ));
        for file in &restored.files {
            page.line(format!("  {}", kit::ui::escape::escape_line(file)));
        }
        super::show::write_submodules(&restored.submodules, page);
    })
}
