use serde::Serialize;

use super::args::{self, InternalArgs};
use super::line;
use super::list::report_cut;
use super::report::PlainBead;
use crate::context::Context;
use bd::graph::external::ExternalLookup;
use bd::graph::{explain, ready};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// List blocked beads and their blockers
///
/// A bead is blocked if its status is `blocked`, or if it waits for an open bead, for children, for
/// another project, or has a blocked parent. No such bead is ready.
///
/// As JSON an array of beads with `blocked_by_count` and `blocked_by`; `[]` if there are none.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Filter by ancestor
    #[arg(long, value_name = "ID", value_parser = args::parse_filter_value)]
    parent: Option<String>,
    /// Show at most N beads; 0 for all (default: 50, all with --json)
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    internal: InternalArgs,
}

/// The default limit for terminal output.
const DEFAULT_LIMIT: usize = 50;

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store()?;
    let mut snapshot = store.snapshot()?;
    let below = match &args.parent {
        Some(parent) => Some(ready::collect_descendants(
            &snapshot,
            &snapshot.resolve(parent)?.id,
        )),
        None => None,
    };
    let limit = match args.limit {
        Some(0) => usize::MAX,
        Some(limit) => limit,
        None if ctx.ui.is_json() => usize::MAX,
        None => DEFAULT_LIMIT,
    };
    let mut external = ExternalLookup::new(&snapshot, store.dir(), ctx.routes(store.dir()));
    let mut items = Vec::new();
    let mut total = 0;
    let hides_internal = args.internal.are_hidden(ctx) && args.parent.is_none();
    for row in snapshot.blocked_rows() {
        if hides_internal && row.is_internal() {
            continue;
        }
        let bead_ref = snapshot.bead_ref_at(row.node);
        if below
            .as_ref()
            .is_some_and(|below| !below.contains(bead_ref.id()))
        {
            continue;
        }
        // An edge to another project requires a look at that project.
        let is_sure = explain::is_surely_blocked(&row);
        if is_sure && items.len() >= limit {
            total += 1;
            continue;
        }
        let by = explain::list_blockers(&snapshot, &bead_ref, |bead| external.unsatisfied(bead));
        if !is_sure && by.is_empty() {
            continue;
        }
        total += 1;
        if items.len() < limit {
            items.push((bead_ref.id().to_owned(), by));
        }
    }
    if ctx.ui.is_json() && items.len() < total {
        report_cut(ctx, items.len(), total);
    }
    let items: Vec<BlockedBead> = items
        .into_iter()
        .filter_map(|(id, by)| {
            Some(BlockedBead {
                bead: PlainBead(snapshot.take(&id)?),
                blocked_by_count: by.len(),
                blocked_by: by,
            })
        })
        .collect();
    build_report(items, move |items, page| {
        write_blocked_beads(items, total, page);
    })
}

#[derive(Serialize)]
struct BlockedBead {
    #[serde(flatten)]
    bead: PlainBead,
    blocked_by_count: usize,
    blocked_by: Vec<String>,
}

/// Writes the blocked beads. `total` includes the beads beyond the limit.
fn write_blocked_beads(items: &[BlockedBead], total: usize, page: &mut Page) {
    if items.is_empty() {
        page.line("✨ No blocked issues");
        return;
    }
    page.line(format!("🚫 Blocked issues ({total}):"));
    for BlockedBead {
        bead,
        blocked_by: by,
        ..
    } in items
    {
        let style = page.style().clone();
        page.blank();
        let prefix = format!(
            "[{}] {}: ",
            line::paint_priority(&style, bead.priority),
            style.cyan(&escape::escape_line(&bead.id))
        );
        line::write_fitted(page, &prefix, &bead.title, "");
        if by.is_empty() {
            page.line(format!("  Status: {}", bead.status));
        } else {
            let list = escape::escape_line(&by.join(" "));
            page.cut_line(format!(
                "  Blocked by {} open dependencies: [{list}]",
                by.len()
            ));
        }
    }
    if items.len() < total {
        page.blank();
        page.line(format!("{} more (use -n 0 for all)", total - items.len()));
    }
}
