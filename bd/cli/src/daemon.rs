use crate::context::Context;
use kit::cli::report::{CommandResult, build_empty_report, build_report};

/// Accepts the daemon commands of earlier versions. None of them is needed.
const DAEMON_COMMANDS: [&str; 8] = [
    "start", "stop", "restart", "status", "health", "list", "logs", "killall",
];

/// Accepted for older scripts; beads need no daemon.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let word = args.rest.first().filter(|word| !word.starts_with('-'));
    if let Some(word) = word.filter(|word| !DAEMON_COMMANDS.contains(&word.as_str())) {
        kit::bail_usage!("unknown command {word:?} for \"bd daemon\"; beads need no daemon");
    }
    let report = kit::report_value! { status: "not_needed", running: false };
    if args.rest.iter().any(|word| word == "--json") && !ctx.ui.is_json() {
        // All words are accepted unparsed, including flags.
        ctx.ui.raw(&kit::json::to_pretty_json(&report));
        return build_empty_report();
    }
    build_report(report, |_, page| page.line("bd needs no daemon"))
}
