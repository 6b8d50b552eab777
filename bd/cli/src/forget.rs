use super::remember::memory_setting;
use crate::context::Context;
use bd::config;
use kit::cli::report::{CommandResult, build_report, build_report_with_exit};

/// Remove a note of `bd remember`
///
/// Exits with 1 if there is none.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The key
    #[arg(value_name = "KEY")]
    key: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("forget")?;
    let store = ctx.store()?;
    let name = memory_setting(&args.key);
    if ctx.config.get(&name).is_none() {
        let report = kit::report_value! { key: args.key, found: false };
        return build_report_with_exit(1, report, |report, page| {
            page.line(format!(
                "No memory with key {:?}; bd memories lists all",
                report.key
            ));
        });
    }
    config::unset_setting(store.dir(), &name)?;
    let report = kit::report_value! { key: args.key, deleted: "true" };
    build_report(report, |report, page| {
        page.line(format!("Forgot [{}]", report.key));
    })
}
