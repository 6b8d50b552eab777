//! `gt convoy list`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use bd::bead::Status;
use gt::flow::work::convoy::{self, ConvoyProgress};
use gt::record;
use gt::record::town_view::TownView;

/// List convoys
///
/// With `--json` an array of {id, title, status, created_at, tracked, completed, total, landings}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also list landed and closed convoys
    #[arg(long)]
    all: bool,
    /// Only convoys with this status
    #[arg(long, value_parser = ["open", "closed", "all"], conflicts_with = "all")]
    status: Option<String>,
    /// Also list the beads of each convoy
    #[arg(long)]
    tree: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let view = TownView::read(&town)?;
    let board = convoy::ProgressBoard::from_view(&view);
    let status = args.status.as_deref().unwrap_or("open");
    let all = args.all || status != "open";
    let found: Vec<ConvoyProgress> = record::convoy::list_convoys(&view.stores.town, all)
        .into_iter()
        .filter(|convoy| status != "closed" || !convoy.is_open())
        .map(|convoy| board.progress(convoy))
        .collect();
    let none = match (all, status) {
        (false, _) => {
            "no open convoys (--all shows those that landed; gt convoy create NAME BEADS... makes one)"
        }
        (true, "closed") => "no closed convoys",
        (true, _) => "no convoys (gt convoy create NAME BEADS... makes one)",
    };
    build_report(found, move |found, page| {
        if found.is_empty() {
            page.line(none);
        }
        for (number, convoy) in found.iter().enumerate() {
            let mark = if convoy.status == Status::Closed {
                "✓"
            } else {
                "○"
            };
            let counts = format!("{}/{}", convoy.counts.completed, convoy.counts.total);
            page.cut_line(format!(
                "{:>3}. {mark} {} {counts:>5}  {}",
                number + 1,
                convoy.id,
                escape::escape_line(&convoy.title)
            ));
            for bead in convoy.tracked.iter().filter(|_| args.tree) {
                let title = escape::escape_line(&bead.title);
                page.cut_line(format!("     {}  {}  {title}", bead.id, bead.status));
            }
        }
    })
}
