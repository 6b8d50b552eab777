use serde_json::json;

use crate::context::Context;
use bd::hooks;
use kit::cli::report::{CommandResult, TextReport};
use kit::failure::UsageError;

/// Install the git hooks
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true)]
    chain: bool,
    #[arg(long, hide = true)]
    beads: bool,
    #[arg(long, hide = true)]
    shared: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("hooks install")?;
    if args.shared {
        let text =
            "--shared is not offered: it would set core.hooksPath and turn off hooks of others";
        return Err(UsageError(text.into()).into());
    }
    let chained =
        hooks::install_git_hooks(&super::open_repository(ctx), env!("CARGO_PKG_VERSION"))?;
    let message = format!("Installed git hooks: {}", hooks::NAMES.join(", "));
    let mut lines = vec![format!("✓ {message}")];
    lines.extend(
        chained
            .iter()
            .map(|name| format!("  {name} runs your own hook first")),
    );
    let value = json!({"success": true, "message": message, "shared": false, "chained": !chained.is_empty()});
    TextReport::lines(value, lines).into_answer()
}
