//! `bd audit`: one file per subcommand.

mod label;
mod record;

use crate::context::Context;
use bd::change::{self, AuditEntry};
use kit::cli::report::CommandResult;

kit::family! {
    /// Record the calls of agents to models and tools
    ///
    /// Records are lines of `.beads/interactions.jsonl`, which is only appended to.
    Args:
    Record => record,
    Label => label,
}

/// Appends a record with a new id, the current time and the actor, and returns its id.
fn append_entry(ctx: &Context, entry: AuditEntry) -> anyhow::Result<String> {
    let id = format!("int-{}", ctx.random.hex(8));
    let entry = AuditEntry {
        id: id.clone(),
        created_at: ctx.now().to_string(),
        actor: match entry.actor.as_str() {
            "" => ctx.author().actor,
            actor => actor.to_owned(),
        },
        ..entry
    };
    change::append_audit(&ctx.project()?.dir, &entry)?;
    Ok(id)
}
