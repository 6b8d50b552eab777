//! `gt convoy status`.

use kit::ui::{Page, escape};
use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use bd::bead::Status;
use gt::flow::agent::costs;
use gt::flow::agent::seance::usage::RequestCache;
use gt::flow::work::convoy::integration::Integration;
use gt::flow::work::convoy::{self, BeadStanding, ConvoyProgress, TrackedBead};
use gt::record;
use gt::record::budget::{Budget, BudgetBook};
use gt::record::town_view::TownView;

/// Show each bead of a convoy, its worker and the next steps
///
/// A bead that was closed without a change counts as done, and so does one cancelled with a reason
/// (`Cancelled: why`). A bead closed as `Failed…` or `Escalated…` does not, and keeps the convoy
/// from landing.
///
/// With `--json` an array of {id, title, status, created_at, tracked: [{id, title, status,
/// dependency_type, issue_type, assignee?, standing, waits_for, why?, next_steps}], completed,
/// total, landings, blocked_by: [{id, title, from, next_steps}], integration?, budgets?: [{kind,
/// subject, spent_usd, limit_usd, source?}]}. `budgets` are the costs of its beads beside the setting
/// `budget.convoy` and its band, whose `source` is `convoy` or `setting` (`budget.convoy_band`). `blocked_by` are critical escalations. `standing` is open, blocked, working, merging, done, failed or unknown;
/// `next_steps` are commands, one of which unblocks it; `integration` is {rigs: {RIG: {branch,
/// target, base, landing?: {tip, onto, candidate, landed}, trouble?, task?}}}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy's id or title, or its number in `gt convoy list` (default: all open ones)
    convoy: Option<String>,
}

#[derive(Serialize)]
struct ConvoyStatus {
    #[serde(flatten)]
    progress: ConvoyProgress,
    /// The budget and the band of the convoy, if they are set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    budgets: Vec<Budget>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let view = TownView::read(&town)?;
    let board = convoy::ProgressBoard::from_view(&view);
    let chosen = match args.convoy.as_deref() {
        None => record::convoy::list_convoys(&view.stores.town, false),
        Some(text) => vec![super::find_convoy(&view, text)?],
    };
    let layers = view.settings.all_layers();
    costs::refresh_old_spending(&town, layers, &mut RequestCache::default())?;
    let book = BudgetBook::load(&town.layout, view.now);
    let town_layers = view.settings.for_rig(None);
    let found: Vec<ConvoyStatus> = chosen
        .into_iter()
        .map(|convoy| ConvoyStatus {
            progress: board.progress(convoy),
            budgets: book.all_of_convoy(town_layers, convoy),
        })
        .collect();
    for (error, rigs) in view.settings.list_stops() {
        let rigs: Vec<&str> = rigs
            .into_iter()
            .filter(|rig| {
                view.stores.rigs.get(*rig).is_some_and(|beads| {
                    found
                        .iter()
                        .flat_map(|convoy| &convoy.progress.tracked)
                        .any(|bead| beads.get(&bead.id).is_some())
                })
            })
            .collect();
        if !rigs.is_empty() {
            let text = format!(
                "nothing is started or merged in rig {}: {error}",
                rigs.join(", ")
            );
            ctx.ui.warn(&escape::escape_line(&text));
        }
    }
    build_report(found, |found, page| {
        if found.is_empty() {
            page.line("no open convoys");
        }
        for convoy in found {
            write_convoy(&convoy.progress, page);
            for budget in &convoy.budgets {
                let text = format!("   {budget}, {} %", budget.percent());
                let text = escape::escape_line(&text);
                page.line(if budget.is_nearly_spent() {
                    page.style().red(&text)
                } else {
                    text
                });
            }
        }
    })
}

pub(super) fn write_convoy(convoy: &ConvoyProgress, page: &mut Page) {
    page.blank();
    write_heading(convoy, page);
    for bead in &convoy.tracked {
        write_bead_line(bead, page);
    }
    if let Some(integration) = &convoy.integration {
        write_branches(convoy, integration, page);
    }
}

/// Writes the title, the counts and the escalations that block the convoy.
pub(crate) fn write_heading(convoy: &ConvoyProgress, page: &mut Page) {
    let state = match (&convoy.status, convoy.landings) {
        _ if !convoy.blocked_by.is_empty() => "blocked",
        (Status::Closed, 1..) => "landed",
        (Status::Closed, _) => "closed",
        _ => "open",
    };
    let title = escape::escape_line(&convoy.title);
    page.cut_line(
        page.style()
            .bold(&format!("🚚 {} \"{title}\" [{state}]", convoy.id)),
    );
    page.line(format!(
        "   {} of {} done",
        convoy.counts.completed, convoy.counts.total
    ));
    for blocker in &convoy.blocked_by {
        let title = escape::escape_line(&blocker.title);
        let from = escape::escape_line(&blocker.from);
        let text = format!("   ! blocked by {} from {from}: {title}", blocker.id);
        page.cut_line(page.style().red(&text));
        for step in &blocker.next_steps {
            page.line(format!("              → {step}"));
        }
    }
}

/// Writes the convoy's own branches and the progress of their landing.
fn write_branches(convoy: &ConvoyProgress, integration: &Integration, page: &mut Page) {
    let (landed, all) = integration.count_landed_rigs();
    if integration.has_begun_landing() {
        page.line(format!("   landing {landed} of {all}"));
    }
    for (rig, branch) in &integration.rigs {
        let step = branch.landing.as_ref();
        let word = match step {
            Some(step) if step.landed => format!("landed as {:.12}", step.candidate),
            _ if !branch.trouble.is_empty() => {
                format!("waits: {}", escape::escape_line(&branch.trouble))
            }
            Some(_) => "prepared".to_owned(),
            None => format!("will land on {}", branch.target),
        };
        page.cut_line(format!("   {rig}: {} {word}", branch.branch));
        if !branch.trouble.is_empty() && !step.is_some_and(|step| step.landed) {
            page.line(format!("              → gt convoy land {}", convoy.id));
        }
    }
}

pub(crate) fn write_bead_line(bead: &TrackedBead, page: &mut Page) {
    let (mark, word) = match bead.standing {
        BeadStanding::Open => ("○", "open"),
        BeadStanding::Blocked => ("●", "blocked"),
        BeadStanding::Working if !bead.why.is_empty() => ("!", "stopped"),
        BeadStanding::Working => ("◐", "working"),
        BeadStanding::Merging => ("⇡", "merging"),
        BeadStanding::NeedsStep => ("✗", "blocked"),
        BeadStanding::Done if !bead.why.is_empty() => ("–", "closed"),
        BeadStanding::Done => ("✓", "done"),
        BeadStanding::Failed => ("✗", "failed"),
        BeadStanding::Unknown => ("?", "unknown"),
    };
    let title = escape::escape_line(&bead.title);
    page.cut_line(format!("   {mark} {:<8} {}  {title}", word, bead.id));
    if !bead.assignee.is_empty() && bead.standing != BeadStanding::Done {
        page.cut_line(format!(
            "              with {}",
            escape::escape_line(&bead.assignee)
        ));
    }
    if !bead.waits_for.is_empty() {
        page.cut_line(format!(
            "              waits for {}",
            bead.waits_for.join(", ")
        ));
    }
    if !bead.why.is_empty() {
        page.line(format!("              {}", escape::escape_line(&bead.why)));
    }
    for way in &bead.next_steps {
        // Never cut at the screen's width, because users copy it.
        page.line(format!("              → {way}"));
    }
}
