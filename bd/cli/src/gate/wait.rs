use std::time::{Duration, Instant};

use super::super::report::confirm_changes;
use crate::context::Context;
use bd::query::when;
use kit::cli::report::CommandResult;
use kit::failure::UsageError;
use kit::sys::watch::FolderWatch;

/// Wait until a gate opens
///
/// With --notify it does not wait, but adds the address to the waiters, as older scripts expect.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The gate
    #[arg(value_name = "ID")]
    id: String,
    /// Add this address to the waiters instead
    #[arg(long, value_name = "ADDRESS")]
    notify: Option<String>,
    /// Give up after this long
    #[arg(long, value_name = "DURATION")]
    timeout: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(address) = &args.notify {
        return super::add_waiter::add_waiter_to_gate(ctx, &args.id, address);
    }
    let limit = match &args.timeout {
        Some(text) => Some(
            when::parse_duration(text)
                .and_then(|nanos| u64::try_from(nanos).ok())
                .map(Duration::from_nanos)
                .ok_or_else(|| {
                    UsageError(format!("invalid --timeout \"{text}\": use 30s, 10m or 2h"))
                })?,
        ),
        None => None,
    };
    let store = ctx.store_for_id(&args.id)?;
    let changes = FolderWatch::start([store.dir()])?;
    let start = Instant::now();
    loop {
        let gate = super::find_gate(&store.snapshot()?, &args.id)?;
        if !gate.is_open() {
            return confirm_changes(vec![gate], |bead| {
                format!("✓ {} is open: {}", bead.id, bead.close_reason)
            });
        }
        let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            let text = format!("{} did not open in time", gate.id);
            return Err(bd::molecule::MoleculeError::Refused(text).into());
        }
        changes.wait_at_most(left.unwrap_or(Duration::from_secs(3600)));
    }
}
