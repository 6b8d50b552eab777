//! `gt convoy`: batches of work.

mod add;
mod check;
mod close;
mod create;
mod land;
mod list;
mod remove;
mod review;
mod show;
mod status;
mod stranded;

pub(super) use status::{write_bead_line, write_heading};

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Make, show and land convoys: batches of beads
    Args:
    Create => create,
    Add => add,
    Remove => remove,
    Status => status,
    Show => show,
    List => list,
    Stranded => stranded,
    Check => check,
    Close => close,
    Land => land,
    Review => review,
}

/// Prints the warnings of hooks that approved.
fn print_hook_warnings(ctx: &Context, warnings: &[String]) {
    for warning in warnings {
        ctx.ui.warn(&kit::ui::escape::escape_line(warning));
    }
}
