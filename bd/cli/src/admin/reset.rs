use serde_json::json;

use crate::context::Context;
use kit::cli::report::{CommandResult, ExitReport, TextReport};
use kit::ui::escape;

/// Show how to remove all beads of a project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(short, long, hide = true)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let dir = ctx.project()?.dir.display().to_string();
    let lines = vec![
        format!(
            "To remove bd and the beads in {}:",
            escape::escape_line(&dir)
        ),
        "  bd uninstall --beads".to_owned(),
    ];
    // A script that passes --force must not conclude that the reset happened.
    ExitReport::with(
        u8::from(args.force),
        TextReport::lines(json!({"reset": false, "path": dir}), lines),
    )
}
