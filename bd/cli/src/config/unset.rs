use crate::context::Context;
use bd::config;
use kit::cli::report::{CommandResult, build_report};

/// Remove a setting from `config.yaml`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The setting
    #[arg(value_name = "KEY")]
    key: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("config unset")?;
    config::unset_setting(ctx.store()?.dir(), &args.key)?;
    build_report(kit::report_value! { key: args.key }, |setting, page| {
        page.line(format!("Unset {}", setting.key));
    })
}
