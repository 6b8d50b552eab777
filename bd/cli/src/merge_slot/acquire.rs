use serde_json::json;

use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, ExitReport, TextReport};
use kit::ui::escape;

/// Take the slot
///
/// If another holder has the slot, exits with 1 (with --json with 0) and does not wait.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The new holder (default: the actor)
    #[arg(long, value_name = "NAME")]
    holder: Option<String>,
    /// Queue for the slot if another holder has it
    #[arg(long)]
    wait: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("merge-slot acquire")?;
    let store = ctx.store()?;
    let id = super::slot_id(&store)?;
    let who = super::choose_requester(ctx, args.holder);
    let taken = store.transact(&ctx.author(), &ctx.clock, |tx| {
        Ok(change::acquire_merge_slot(tx, &id, &who, args.wait)?)
    })?;
    let mut value = json!({"id": id, "acquired": taken.acquired, "holder": taken.holder});
    let holder = escape::escape_line(&taken.holder);
    let mut line = format!("✓ {id} is held by {holder}");
    if !taken.acquired {
        line = format!("{id} is held by {holder}");
    }
    if let Some(position) = taken.position {
        value["waiting"] = json!(true);
        value["position"] = json!(position);
        line.push_str(&format!("; you are number {position} in the queue"));
    }
    let code = u8::from(!taken.acquired && !ctx.ui.is_json());
    ExitReport::with(code, TextReport::new(value, line))
}
