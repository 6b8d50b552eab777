use serde_json::json;

use crate::context::Context;
use bd::config;
use kit::cli::report::{Answer, Said};

/// Remove a setting from `config.yaml`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The setting
    #[arg(value_name = "KEY")]
    key: String,
}

pub(super) fn run(ctx: &Context, args: &Args) -> Answer {
    ctx.may_change("config unset")?;
    config::unset(ctx.store()?.dir(), &args.key)?;
    Said::new(json!({"key": args.key}), format!("Unset {}", args.key)).answer()
}
