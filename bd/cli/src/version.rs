use crate::context::Context;
use kit::cli::report::{CommandResult, build_report};

/// Print the version
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, hide = true)]
    daemon: bool,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
const COMMIT: Option<&str> = option_env!("BD_COMMIT");

/// Formats the version, such as `bd version 2.0.0 (dev: abc1234)`.
pub(super) fn format_version() -> String {
    match COMMIT {
        Some(commit) => format!("bd version {VERSION} (dev: {commit})"),
        None => format!("bd version {VERSION} (release)"),
    }
}

pub(super) fn run(_ctx: &Context, _args: Args) -> CommandResult {
    let build = if COMMIT.is_some() { "dev" } else { "release" };
    build_report(
        kit::report_value! { version: VERSION, build; commit: COMMIT },
        |_, page| {
            page.line(format_version());
        },
    )
}
