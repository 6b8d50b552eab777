use super::super::report::confirm_changes;
use crate::context::Context;
use kit::cli::report::CommandResult;

/// Record an address that waits for a gate
///
/// The gate keeps the address for other programs. `bd` sends no message.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The gate
    #[arg(value_name = "ID")]
    id: String,
    /// The address
    #[arg(value_name = "ADDRESS")]
    address: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    add_waiter_to_gate(ctx, &args.id, &args.address)
}

/// Adds an address to the waiters of a gate, unless it is already there.
pub(super) fn add_waiter_to_gate(ctx: &Context, id: &str, address: &str) -> CommandResult {
    ctx.check_writable("gate add-waiter")?;
    if address.trim().is_empty() {
        kit::bail_usage!("the address is empty");
    }
    let store = ctx.store_for_id(id)?;
    let bead = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let mut gate = super::find_gate(tx, id)?;
        if !gate.waiters.iter().any(|waiter| waiter == address) {
            gate.waiters.push(address.to_owned());
            tx.put_updated(gate.clone())?;
        }
        Ok(gate)
    })?;
    confirm_changes(vec![bead], |bead| {
        format!(
            "✓ {} has these waiters: {}",
            bead.id,
            bead.waiters.join(", ")
        )
    })
}
