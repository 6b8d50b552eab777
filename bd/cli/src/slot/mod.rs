//! `bd slot`: one file per subcommand.

mod clear;
mod get;
mod set;
mod show;

use super::dep;
use crate::context::Context;
use bd::change::{self, AgentSlot, BeadEdit};
use kit::cli::report::{CommandResult, build_confirmation};
use kit::ui::escape;

kit::family! {
    /// Show and change the hook and role slots of agents
    Args:
    Set => set,
    #[command(hide = true)]
    Get => get,
    Clear => clear,
    Show => show,
}

/// The name of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SlotName {
    /// The work on the agent's hook.
    Hook,
    /// The definition of the agent's role.
    Role,
    /// A note of `gt` about the bead, any text. The metadata holds it.
    #[value(name = "delegated_from", hide = true)]
    DelegatedFrom,
}

impl SlotName {
    fn as_str(self) -> &'static str {
        match self {
            Self::Hook => AgentSlot::Hook.as_str(),
            Self::Role => AgentSlot::Role.as_str(),
            Self::DelegatedFrom => "delegated_from",
        }
    }
}

/// Puts a bead into a slot, or empties the slot.
fn put_into_slot(ctx: &Context, agent: &str, slot: SlotName, bead: Option<&str>) -> CommandResult {
    ctx.check_writable("slot")?;
    let store = ctx.store_for_id(agent)?;
    let (agent, bead) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let agent = dep::resolve_dep_end(tx, agent, "agent")?;
        let agent_slot = match slot {
            SlotName::Hook => AgentSlot::Hook,
            SlotName::Role => AgentSlot::Role,
            SlotName::DelegatedFrom => {
                change::update_bead(tx, &agent, build_note_edit(slot, bead)?)?;
                return Ok((agent, bead.map(str::to_owned)));
            }
        };
        let bead = bead
            .map(|bead| dep::resolve_dep_end(tx, bead, "issue"))
            .transpose()?;
        change::set_slot(tx, &agent, agent_slot, bead.as_deref().unwrap_or(""))?;
        Ok((agent, bead))
    })?;
    build_confirmation(
        kit::report_value! { agent, slot: slot.as_str(), bead },
        |slot, page| {
            let name = slot.slot;
            let agent = &slot.agent;
            page.line(match slot.bead.as_deref().map(escape::escape_line) {
                Some(bead) => format!("✓ Set {name} of {agent} to {bead}"),
                None => format!("✓ Cleared {name} of {agent}"),
            });
        },
    )
}

/// Builds the edit that stores a text in a slot of the metadata, or removes it.
fn build_note_edit(slot: SlotName, text: Option<&str>) -> anyhow::Result<BeadEdit> {
    let name = slot.as_str().to_owned();
    let mut edit = BeadEdit::default();
    match text {
        Some(text) => edit.set_metadata = vec![(name, serde_json::value::to_raw_value(text)?)],
        None => edit.unset_metadata = vec![name],
    }
    Ok(edit)
}
