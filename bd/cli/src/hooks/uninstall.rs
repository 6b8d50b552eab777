use serde_json::json;

use crate::context::Context;
use bd::hooks;
use kit::cli::report::{CommandResult, TextReport};

/// Remove the git hooks and put back those before them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.check_writable("hooks uninstall")?;
    let removed = hooks::uninstall_git_hooks(&super::open_repository(ctx))?;
    let message = if removed.is_empty() {
        "No hooks of bd are installed".to_owned()
    } else {
        format!("✓ Removed git hooks: {}", removed.join(", "))
    };
    TextReport::new(
        json!({"success": true, "message": message, "removed": removed}),
        message,
    )
    .into_answer()
}
