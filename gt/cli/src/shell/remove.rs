//! `gt shell remove`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::shell::{self, StartFile};
use kit::ui::Page;

/// Remove the integration from the start files of all shells
///
/// Restores the files byte for byte. With `--json` an array of {shell, file, installed, changed}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    build_report(shell::remove_blocks(&ctx.env)?, |removed, page| {
        write_removed(removed, page);
    })
}

fn write_removed(removed: &[StartFile], page: &mut Page) {
    if removed.is_empty() {
        page.line("no start file has the integration");
    }
    for start_file in removed {
        page.line(format!("✓ restored {}", start_file.file.display()));
    }
}
