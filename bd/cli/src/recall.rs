use serde_json::json;

use crate::context::Context;
use kit::ui::escape;

use super::remember::memory_setting;
use kit::cli::report::{CommandResult, ExitReport, TextReport};

/// Print a note of `bd remember`
///
/// Exits with 1 if there is none.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The key
    #[arg(value_name = "KEY")]
    key: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.store()?;
    let value = ctx.config.get(&memory_setting(&args.key));
    let is_there = value.is_some();
    let json =
        json!({"key": args.key, "value": value.as_deref().unwrap_or_default(), "found": is_there});
    let line = match value {
        Some(value) => escape::escape_block(&value),
        None => format!("No memory with key {:?}; bd memories lists all", args.key),
    };
    ExitReport::with(u8::from(!is_there), TextReport::new(json, line))
}
