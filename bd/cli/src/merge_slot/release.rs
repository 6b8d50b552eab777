use serde_json::json;

use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, ExitReport, TextReport};
use kit::ui::escape;

/// Free the slot
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Release only if NAME holds the slot (default: the holder)
    #[arg(long, value_name = "NAME", default_value = "")]
    holder: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("merge-slot release")?;
    let store = ctx.store()?;
    let id = super::slot_id(&store)?;
    let (holder, waiters) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        Ok(change::release_merge_slot(tx, &id, &args.holder)?)
    })?;
    let Some(holder) = holder else {
        let value = json!({"id": id, "released": false, "error": "slot not held"});
        let code = u8::from(!ctx.ui.is_json());
        return ExitReport::with(code, TextReport::new(value, format!("{id} is not held")));
    };
    let value = json!({"id": id, "released": true, "previous_holder": holder, "waiters": waiters});
    let line = format!(
        "✓ Released {id} (was held by {})",
        escape::escape_line(&holder)
    );
    TextReport::new(value, line).into_answer()
}
