mod explanation;

use std::path::Path;

use serde::Serialize;

use super::args::{self, SelectionArgs};
use super::line;
use super::list::{report_cut, warn_of_damaged_lines};
use super::report::PlainBead;
use crate::context::Context;
use bd::bead::Status;
use bd::graph::explain;
use bd::graph::external::ExternalLookup;
use bd::graph::ready::{self, ReadyOrder, ReadyQuery};
use bd::query::BeadFilter;
use bd::store::Snapshot;
use explanation::ExplainedBead;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::{Page, counted, escape};

/// List beads that are ready for work
///
/// Lists open beads that are neither blocked nor deferred, ten at most. As JSON an array of beads
/// with `labels`, `dependency_count` and `dependent_count` (kept for older clients, always 0) and
/// `comment_count`; `[]` if there are none. --explain lists the open beads that are not ready
/// instead, each with its reasons: an array of `{id, title, status, priority, reasons: [{rule,
/// subject, text}]}`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show at most N beads; 0 for all
    #[arg(short = 'n', long, default_value_t = 10, value_name = "N")]
    limit: usize,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Filter on missing assignee
    #[arg(short, long)]
    unassigned: bool,
    /// Sort by: hybrid (new beads by priority, then old ones), priority, oldest
    #[arg(short, long, default_value = "hybrid", value_name = "POLICY")]
    sort: String,
    /// Filter by ancestor
    #[arg(long, value_name = "ID", value_parser = args::parse_filter_value)]
    parent: Option<String>,
    #[arg(long, value_name = "KIND", hide = true, value_parser = args::parse_filter_value)]
    mol_type: Option<String>,
    /// List the ready steps of this molecule
    #[arg(long, value_name = "ID", conflicts_with_all = ["explain", "gated"], value_parser = args::parse_filter_value)]
    mol: Option<String>,
    /// List molecules whose step is ready after its gate opened
    #[arg(long, conflicts_with = "explain")]
    gated: bool,
    /// Also list deferred beads
    #[arg(long)]
    include_deferred: bool,
    /// Explain why the other beads are not ready
    #[arg(long)]
    explain: bool,
    #[arg(long, hide = true)]
    pretty: bool,
    #[arg(long, hide = true)]
    plain: bool,
    #[arg(long, hide = true)]
    flat: bool,
    #[arg(long, hide = true)]
    no_pager: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(id) = &args.mol {
        return super::mol::list_ready_steps(ctx, id);
    }
    if args.gated {
        return super::mol::list_gated(ctx);
    }
    let store = ctx.store()?;
    let mut snapshot = store.snapshot()?;
    warn_of_damaged_lines(ctx, &snapshot);
    if args.explain {
        return explain_others(ctx, &snapshot, store.dir());
    }
    let order = ReadyOrder::from_name(&args.sort).ok_or_else(|| {
        UsageError(format!(
            "invalid sort policy '{}'. Valid values: hybrid, priority, oldest",
            args.sort
        ))
    })?;
    let mut filter = BeadFilter {
        statuses: vec![Status::Open],
        no_assignee: args.unassigned,
        mol_type: args.mol_type,
        ..args.selection.to_filter(ctx)?
    };
    if args.unassigned {
        filter.assignee = None;
    }
    let mut query = ReadyQuery {
        filter,
        ancestor: match &args.parent {
            Some(parent) => Some(snapshot.resolve(parent)?.id.clone()),
            None => None,
        },
        include_deferred: args.include_deferred,
        order,
        limit: args.limit,
    };
    let mut external = ExternalLookup::new(&snapshot, store.dir(), ctx.routes(store.dir()));
    if external.has_external_edges() {
        // Edges to other projects decide which beads are ready, so the limit applies only after
        // their check.
        query.limit = 0;
    }
    let (mut ready_beads, mut total) = ready::find_ready(&snapshot, &query, ctx.now());
    if external.has_external_edges() {
        ready_beads.retain(|bead| external.unsatisfied(bead).is_empty());
        total = ready_beads.len();
    }
    if args.limit > 0 {
        ready_beads.truncate(args.limit);
    }
    let ids: Vec<String> = ready_beads
        .into_iter()
        .map(|bead| bead.id.clone())
        .collect();
    if ctx.ui.is_json() && ids.len() < total {
        report_cut(ctx, ids.len(), total);
    }
    let has_open_beads = snapshot.has_open_beads();
    let beads: Vec<ReadyBead> = ids
        .iter()
        .filter_map(|id| snapshot.take(id))
        .map(|bead| ReadyBead {
            comment_count: bead.comments.len(),
            bead: PlainBead(bead),
            dependency_count: 0,
            dependent_count: 0,
        })
        .collect();
    build_report(beads, move |beads, page| {
        if beads.is_empty() {
            page.line(if has_open_beads {
                "✨ No ready work found (open beads are in progress, deferred or blocked; see bd ready --explain)"
            } else {
                "✨ No open issues"
            });
        } else {
            write_ready_beads(beads, total, page);
        }
    })
}

/// Explains the open beads that are not ready.
fn explain_others(ctx: &Context, snapshot: &Snapshot, dir: &Path) -> CommandResult {
    let mut external = ExternalLookup::new(snapshot, dir, ctx.routes(dir));
    let unready = explain::explain_unready(snapshot, ctx.now(), |bead| {
        if external.has_external_edges() {
            external.unsatisfied(bead)
        } else {
            Vec::new()
        }
    });
    explanation::report_reasons(
        unready
            .iter()
            .map(|item| ExplainedBead::new(item.bead, &item.reasons))
            .collect(),
    )
}

#[derive(Serialize)]
struct ReadyBead {
    #[serde(flatten)]
    bead: PlainBead,
    dependency_count: usize,
    dependent_count: usize,
    comment_count: usize,
}

fn write_ready_beads(beads: &[ReadyBead], total: usize, page: &mut Page) {
    page.line(format!(
        "📋 Ready work ({} with no blockers):",
        counted(total, "issue")
    ));
    page.blank();
    for (number, ReadyBead { bead, .. }) in beads.iter().enumerate() {
        let style = page.style().clone();
        let line_start = format!(
            "{}. [{}] [{}] {}: ",
            number + 1,
            line::paint_priority(&style, bead.priority),
            escape::escape_line(bead.issue_type.as_str()),
            style.cyan(&escape::escape_line(&bead.id)),
        );
        line::write_fitted(page, &line_start, &bead.title, "");
        if let Some(minutes) = bead.estimated_minutes {
            page.line(format!("   Estimate: {minutes} min"));
        }
        if !bead.assignee.is_empty() {
            page.cut_line(format!(
                "   Assignee: {}",
                escape::escape_line(&bead.assignee)
            ));
        }
    }
    if beads.len() < total {
        page.blank();
        page.line(format!("{} more (use -n 0 for all)", total - beads.len()));
    }
}
