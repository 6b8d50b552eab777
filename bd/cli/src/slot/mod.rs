//! `bd slot`: one file per subcommand.

mod clear;
mod set;
mod show;

use serde_json::json;

use crate::context::Context;
use bd::change::{self, AgentSlot};

use super::dep;
use kit::cli::report::{CommandResult, TextReport};

kit::family! {
    /// Show and change the hook and role slots of agents
    Args:
    Set => set,
    Clear => clear,
    Show => show,
}

/// Puts a bead into a slot, or empties the slot.
fn put_into_slot(ctx: &Context, agent: &str, slot: AgentSlot, bead: Option<&str>) -> CommandResult {
    ctx.check_writable("slot")?;
    let store = ctx.store_for_id(agent)?;
    let (agent, bead) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let agent = dep::resolve_dep_end(tx, agent, "agent")?;
        let bead = bead
            .map(|bead| dep::resolve_dep_end(tx, bead, "bead"))
            .transpose()?;
        change::set_slot(tx, &agent, slot, bead.as_deref().unwrap_or_default())?;
        Ok((agent, bead))
    })?;
    let name = slot.as_str();
    let line = match &bead {
        Some(bead) => format!("✓ Set {name} of {agent} to {bead}"),
        None => format!("✓ Cleared {name} of {agent}"),
    };
    TextReport::new(json!({"agent": agent, "slot": name, "bead": bead}), line).into_answer()
}
