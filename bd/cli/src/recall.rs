use super::remember::memory_setting;
use crate::context::Context;
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::escape;

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
    let note = kit::report_value! {
        key: args.key, value: value.clone().unwrap_or_default(), found: value.is_some()
    };
    build_report_with_exit(u8::from(!note.found), note, |note, page| {
        page.line(if note.found {
            escape::escape_block(&note.value)
        } else {
            format!("No memory with key {:?}; bd memories lists all", note.key)
        });
    })
}
