use serde_json::json;

use crate::context::Context;
use bd::hooks;
use kit::cli::report::{CommandResult, TextReport};

/// Remove the git hooks and put back those before them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.check_writable("hooks uninstall")?;
    let outcome = hooks::uninstall_git_hooks(&super::open_repository(ctx))?;
    let removed = outcome.removed;
    let message = if removed.is_empty() {
        "No hooks of bd are installed".to_owned()
    } else {
        format!("✓ Removed git hooks: {}", removed.join(", "))
    };
    let mut lines = vec![message.clone()];
    lines.extend(super::describe_edited(&outcome.edited));
    TextReport::lines(
        json!({"success": true, "message": message, "removed": removed, "edited": outcome.edited}),
        lines,
    )
    .into_answer()
}
