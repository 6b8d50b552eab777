//! Asks before a bead is taken from the worker of a town that is at work on it.

use std::io::IsTerminal;

use bd::bead::{Bead, Status};

use super::each;
use crate::context::Context;

/// Reports each worker that would lose its work to another assignee. On a terminal the user is asked
/// first; without an agreement nothing may be changed.
pub(super) fn confirm_loss_of_work(
    ctx: &Context,
    ids: &[String],
    assignee: Option<&str>,
) -> anyhow::Result<()> {
    let Some(assignee) = assignee else {
        return Ok(());
    };
    let mut is_lost = false;
    for (store, ids) in each::group_by_store(ctx, ids)? {
        let beads = store.snapshot()?;
        // An unknown id is an error of the change itself.
        for bead in ids.iter().filter_map(|id| beads.resolve(id).ok()) {
            if is_at_work(bead) && bead.assignee != assignee {
                is_lost = true;
                ctx.ui.status(&format!(
                    "{} is at work on {}: the town will end its session and save its work",
                    kit::ui::escape::escape_line(&bead.assignee),
                    kit::ui::escape::escape_line(&bead.id)
                ));
            }
        }
    }
    let can_ask = ctx.ui.is_terminal() && std::io::stdin().is_terminal();
    if is_lost && can_ask && !ask_yes(ctx, "Assign it to someone else?")? {
        kit::bail_usage!("nothing was changed");
    }
    Ok(())
}

/// Returns true for a bead on the hook of a polecat.
fn is_at_work(bead: &Bead) -> bool {
    bead.status == Status::Hooked && bead.assignee.contains("/polecats/")
}

/// Asks a question on the terminal. Only a yes is one.
pub(super) fn ask_yes(ctx: &Context, question: &str) -> anyhow::Result<bool> {
    ctx.ui.status(&format!("{question} [y/N]"));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
