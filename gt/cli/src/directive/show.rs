//! `gt directive show`.

use kit::sys::file;
use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;

/// Show the directives of a role
///
/// With `--json` {path, text}: `text` is null if there are none.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    which: super::DirectiveSelector,
}

#[derive(serde::Serialize)]
struct DirectiveReport {
    path: std::path::PathBuf,
    text: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let path = args.which.path(&town)?;
    let bytes = file::read_file_if_exists(&path)?;
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    build_report(
        DirectiveReport { path, text },
        |report, page| match &report.text {
            Some(text) => page.line(escape::escape_block(text.trim_end())),
            None => page.line(format!(
                "no directives: {} is missing",
                report.path.display()
            )),
        },
    )
}
