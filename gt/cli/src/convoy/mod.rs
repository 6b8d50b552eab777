//! `gt convoy`: batches of work.

mod add;
mod band;
mod check;
mod close;
mod create;
pub(super) mod graph;
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
use bd::bead::Bead;
use gt::record;
use gt::record::town_view::TownView;
use gt::town::Town;

kit::family! {
    /// Make, show and land convoys: batches of beads
    Args:
    Create => create,
    Add => add,
    Remove => remove,
    Status => status,
    Band => band,
    Show => show,
    Graph => graph,
    List => list,
    Stranded => stranded,
    Check => check,
    Close => close,
    Land => land,
    Review => review,
}

/// Finds a convoy by its id or title, or an open one by its number in `gt convoy list`.
fn find_convoy<'a>(view: &'a TownView, text: &str) -> anyhow::Result<&'a Bead> {
    if let Ok(number) = text.parse::<usize>() {
        let open = record::convoy::list_convoys(&view.stores.town, false);
        return open
            .get(number.wrapping_sub(1))
            .copied()
            .ok_or_else(|| anyhow::anyhow!("there is no open convoy number {number}: not found"));
    }
    record::convoy::list_convoys(&view.stores.town, true)
        .into_iter()
        .find(|convoy| convoy.id == text)
        .or_else(|| record::convoy::find_by_title(&view.stores.town, text))
        .ok_or_else(|| anyhow::anyhow!("there is no convoy `{text}`: not found"))
}

/// Returns the id of the convoy with this id or title. A name that no convoy has stays, and the
/// command refuses it.
fn resolve_convoy(town: &Town, name: &str) -> anyhow::Result<String> {
    let beads = town.open_town_store()?.snapshot()?;
    let found = record::convoy::find_by_title(&beads, name);
    Ok(found.map_or_else(|| name.to_owned(), |convoy| convoy.id.clone()))
}

/// Prints the warnings of hooks that approved.
fn print_hook_warnings(ctx: &Context, warnings: &[String]) {
    for warning in warnings {
        ctx.ui.warn(&kit::ui::escape::escape_line(warning));
    }
}
