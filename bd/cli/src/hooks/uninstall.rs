use std::path::PathBuf;

use serde::Serialize;

use crate::context::Context;
use bd::hooks::{self, RemovedHooks};
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::ui::Page;

/// Remove the git hooks and put back those before them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.check_writable("hooks uninstall")?;
    let RemovedHooks { removed, edited } =
        hooks::uninstall_git_hooks(&super::open_repository(ctx))?;
    let mut report = UninstallReport {
        success: true,
        message: "No hooks of bd are installed".to_owned(),
        removed,
        edited,
    };
    if report.removed.is_empty() {
        return build_report(report, write_uninstall);
    }
    report.message = format!("✓ Removed git hooks: {}", report.removed.join(", "));
    build_confirmation(report, write_uninstall)
}

#[derive(Serialize)]
struct UninstallReport {
    success: bool,
    message: String,
    removed: Vec<&'static str>,
    edited: Vec<PathBuf>,
}

fn write_uninstall(report: &UninstallReport, page: &mut Page) {
    page.line(&report.message);
    for line in super::describe_edited(&report.edited) {
        page.line(line);
    }
}
