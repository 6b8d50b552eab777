use serde_json::json;

use crate::context::Context;
use bd::config;
use kit::cli::report::{CommandResult, TextReport};
use kit::failure::UsageError;
use kit::ui::escape;

/// Change several settings in `config.yaml`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The settings and their values
    #[arg(required = true, value_name = "KEY=VALUE")]
    pairs: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: &Args) -> CommandResult {
    ctx.check_writable("config set-many")?;
    let mut pairs = Vec::new();
    for pair in &args.pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(UsageError(format!("{pair:?} is not KEY=VALUE; nothing was set")).into());
        };
        pairs.push((key, value));
    }
    let store = ctx.store()?;
    let mut lines = Vec::new();
    config::set_all(store.dir(), &pairs)?;
    for (key, value) in &pairs {
        lines.push(format!("Set {key} = {}", escape::escape_line(value)));
    }
    let set: Vec<_> = pairs
        .iter()
        .map(|(key, value)| json!({"key": key, "value": value}))
        .collect();
    TextReport::lines(json!(set), lines).into_answer()
}
