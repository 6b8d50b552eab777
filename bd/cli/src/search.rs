use super::args::{FilterArgs, InternalArgs};
use super::line;
use super::list::{DrawnRow, draw_long, warn_of_damaged_lines};
use crate::context::Context;
use bd::query::{SortOrder, sort};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted, escape};

/// Find beads by text, closed ones included
///
/// The text is looked for in title, description, id and external reference. Several words are one text, in this order.
/// Case is ignored.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The text
    #[arg(value_name = "TEXT")]
    words: Vec<String>,
    /// The text
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    internal: InternalArgs,
    /// Show at most N beads; 0 for all
    #[arg(short = 'n', long, default_value_t = 50, value_name = "N")]
    limit: usize,
    /// Sort by this field
    #[arg(long, value_name = "FIELD")]
    sort: Option<SortOrder>,
    /// Reverse the order
    #[arg(short, long)]
    reverse: bool,
    /// Print several lines per bead
    #[arg(long)]
    long: bool,
    /// Also search the archive
    #[arg(long)]
    archived: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let text = match &args.query {
        Some(query) => query.clone(),
        None => args.words.join(" "),
    };
    if text.is_empty() {
        kit::bail_usage!("search query is required");
    }
    let snapshot = ctx.store()?.snapshot()?;
    warn_of_damaged_lines(ctx, &snapshot);
    let mut filter = args.filter.to_filter(ctx)?;
    filter.text = Some(text.clone());
    filter.no_internal = args.internal.are_hidden(ctx) && !args.filter.names_beads();
    let limit = match args.limit {
        0 => usize::MAX,
        limit => limit,
    };
    // In any other order, the first beads are determined only after all beads are found.
    let other_order = args.sort.is_some() || args.reverse;
    let wanted = if other_order {
        usize::MAX
    } else {
        limit.saturating_add(1)
    };
    let mut found = filter.search_first(&snapshot, wanted)?;
    let archived = if args.archived {
        snapshot.archive().beads()
    } else {
        Vec::new()
    };
    if args.archived {
        found.extend(
            archived
                .iter()
                .filter(|bead| snapshot.get(&bead.id).is_none())
                .filter(|bead| filter.matches(bead)),
        );
        let all = found.len();
        sort::sort_usual(&mut found, all);
    }
    if let Some(order) = args.sort {
        sort::sort_beads(&mut found, order, args.reverse);
    } else if args.reverse {
        found.reverse();
    }
    let has_more = found.len() > limit;
    found.truncate(limit);
    if has_more && ctx.ui.is_json() {
        ctx.ui.status(&format!(
            "Showing the first {limit} issues (use --limit 0 for all)"
        ));
    }
    if found.is_empty() {
        args.filter
            .explain_empty_result(ctx, &snapshot.config().vocabulary());
    }
    let rows: Vec<DrawnRow> = found
        .into_iter()
        .map(|bead| DrawnRow::from_bead(&snapshot, bead).without_edges())
        .collect();
    let heading = match (rows.len(), escape::escape_line(&text)) {
        (0, text) => format!("No issues found matching '{text}'"),
        (count, text) if has_more => {
            let count = counted(count, "issue");
            format!("Found {count} matching '{text}', and more (-n 0 shows all):")
        }
        (count, text) => format!("Found {} matching '{text}':", counted(count, "issue")),
    };
    build_report(rows, move |rows, page| {
        page.line(&heading);
        if args.long && !rows.is_empty() {
            draw_long(page, rows);
        } else {
            write_found_beads(rows, page);
        }
    })
}

fn write_found_beads(rows: &[DrawnRow], page: &mut Page) {
    for DrawnRow { bead, .. } in rows {
        let style = page.style().clone();
        let id = style.cyan(&bead.id);
        let mut line_start = format!(
            "{id} [P{}] [{}] {} ",
            bead.priority, bead.issue_type, bead.status
        );
        if !bead.assignee.is_empty() {
            line_start.push_str(&format!("@{} ", escape::escape_line(&bead.assignee)));
        }
        if !bead.labels.is_empty() {
            line_start.push_str(&format!(
                "[{}] ",
                escape::escape_line(&bead.labels.join(" "))
            ));
        }
        line_start.push_str("- ");
        line::write_fitted(page, &line_start, &bead.title, "");
    }
}
