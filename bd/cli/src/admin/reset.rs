use crate::context::Context;
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::escape;

/// Show how to remove all beads of a project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(short, long, hide = true)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let path = ctx.project()?.dir.display().to_string();
    // A script that passes --force must not conclude that the reset happened.
    let exit = u8::from(args.force);
    let report = kit::report_value! { reset: false, path };
    build_report_with_exit(exit, report, |report, page| {
        let path = escape::escape_line(&report.path);
        page.line(format!("To remove bd and the beads in {path}:"));
        page.line("  bd uninstall --beads");
    })
}
