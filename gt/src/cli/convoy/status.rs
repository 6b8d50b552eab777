//! `gt convoy status`.

use bd::ui::{Page, escape};
use clap::Args;

use super::super::{Answer, answer};
use crate::context::Context;
use crate::convoy::{self, Progress, Standing, Tracked};

/// Show how far a convoy is: each tracked bead, who has it, what it waits for.
///
/// With `--json` an array of {id, title, status, created_at, tracked: [{id, title, status, dependency_type,
/// issue_type, assignee?, standing, waits_for}], completed, total, landings}. `standing` is open, blocked, working,
/// merging, held, done or unknown.
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// A convoy's id, or its number in `gt convoy list`; all open ones when left out.
    convoy: Option<String>,
}

pub(super) fn run(ctx: &Context, args: &StatusArgs) -> Answer {
    let town = ctx.town()?;
    let stores = town.stores()?;
    let board = convoy::Board::of(&stores);
    let open = convoy::list(&stores.town, false);
    let chosen = match args.convoy.as_deref() {
        None => open,
        Some(text) => match text.parse::<usize>() {
            Ok(number) => open
                .get(number.wrapping_sub(1))
                .map(|convoy| vec![*convoy])
                .ok_or_else(|| {
                    anyhow::anyhow!("there is no open convoy number {number}: not found")
                })?,
            Err(_) => {
                let all = convoy::list(&stores.town, true);
                let found = all.into_iter().find(|convoy| convoy.id == text);
                vec![
                    found
                        .ok_or_else(|| anyhow::anyhow!("there is no convoy `{text}`: not found"))?,
                ]
            }
        },
    };
    let found: Vec<Progress> = chosen
        .into_iter()
        .map(|convoy| board.progress(convoy))
        .collect();
    answer(found, |found, page| {
        if found.is_empty() {
            page.line("no open convoys");
        }
        for convoy in found {
            show(convoy, page);
        }
    })
}

fn show(convoy: &Progress, page: &mut Page) {
    page.blank();
    let state = match (convoy.status.as_str(), convoy.landings) {
        ("closed", 1..) => "landed",
        ("closed", _) => "closed",
        _ => "open",
    };
    let title = escape::line(&convoy.title);
    page.cut_line(
        page.style()
            .bold(&format!("🚚 {} \"{title}\" [{state}]", convoy.id)),
    );
    page.line(format!(
        "   {} of {} done",
        convoy.counts.completed, convoy.counts.total
    ));
    for bead in &convoy.tracked {
        line(bead, page);
    }
}

fn line(bead: &Tracked, page: &mut Page) {
    let (mark, word) = match bead.standing {
        Standing::Open => ("○", "open"),
        Standing::Blocked => ("●", "blocked"),
        Standing::Working => ("◐", "working"),
        Standing::Merging => ("⇡", "merging"),
        Standing::Held => ("✗", "held"),
        Standing::Done => ("✓", "done"),
        Standing::Unknown => ("?", "unknown"),
    };
    let title = escape::line(&bead.title);
    page.cut_line(format!("   {mark} {:<8} {}  {title}", word, bead.id));
    if !bead.assignee.is_empty() && bead.standing != Standing::Done {
        page.cut_line(format!(
            "              with {}",
            escape::line(&bead.assignee)
        ));
    }
    if !bead.waits_for.is_empty() {
        page.cut_line(format!(
            "              waits for {}",
            bead.waits_for.join(", ")
        ));
    }
}
