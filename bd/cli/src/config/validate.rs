use crate::context::Context;
use kit::cli::report::{CommandResult, build_report_with_exit};

/// Check that each setting has a valid value
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.project()?;
    let problems = ctx.config.find_problems();
    let is_valid = problems.is_empty();
    let exit = u8::from(!is_valid);
    let report = kit::report_value! { valid: is_valid, problems };
    build_report_with_exit(exit, report, |report, page| {
        if report.valid {
            page.line("Each setting has a value that it takes");
        }
        for problem in &report.problems {
            page.line(problem);
        }
    })
}
