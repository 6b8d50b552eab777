use serde_json::json;

use crate::context::Context;
use kit::cli::report::{CommandResult, TextReport};
use kit::ui::{counted, escape};

/// Show the holder of the slot
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let store = ctx.store()?;
    let id = super::slot_id(&store)?;
    let snapshot = store.snapshot()?;
    let Some(slot) = snapshot.get_live(&id) else {
        let value = json!({"id": id, "available": false, "error": "not found"});
        return TextReport::new(value, "No merge slot: bd merge-slot create makes it")
            .into_answer();
    };
    let holder = Some(slot.holder.as_str()).filter(|holder| !holder.is_empty());
    let value = json!({
        "id": id,
        "available": holder.is_none(),
        "status": slot.status.as_str(),
        "holder": holder,
        "waiters": slot.waiters,
    });
    let line = match holder {
        None => format!("✓ {id} is free"),
        Some(holder) => {
            let count = counted(slot.waiters.len(), "waiter");
            format!("{id} is held by {} ({count})", escape::escape_line(holder))
        }
    };
    TextReport::new(value, line).into_answer()
}
