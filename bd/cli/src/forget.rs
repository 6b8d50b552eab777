use serde_json::json;

use crate::context::Context;
use bd::config;

use super::remember::memory_setting;
use kit::cli::report::{CommandResult, ExitReport, TextReport};

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
    let (key, name) = (&args.key, memory_setting(&args.key));
    if ctx.config.get(&name).is_none() {
        let json = json!({"key": key, "found": false});
        return ExitReport::with(
            1,
            TextReport::new(
                json,
                format!("No memory with key {key:?}; bd memories lists all"),
            ),
        );
    }
    config::unset_setting(store.dir(), &name)?;
    TextReport::new(
        json!({"key": key, "deleted": "true"}),
        format!("Forgot [{key}]"),
    )
    .into_answer()
}
