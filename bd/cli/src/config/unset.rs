use serde_json::json;

use crate::context::Context;
use bd::config;
use kit::cli::report::{CommandResult, TextReport};

/// Remove a setting from `config.yaml`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The setting
    #[arg(value_name = "KEY")]
    key: String,
}

pub(super) fn run(ctx: &Context, args: &Args) -> CommandResult {
    ctx.check_writable("config unset")?;
    config::unset_setting(ctx.store()?.dir(), &args.key)?;
    TextReport::new(json!({"key": args.key}), format!("Unset {}", args.key)).into_answer()
}
