use super::args::InternalArgs;
use super::line;
use super::list::{DrawnRow, report_cut, warn_of_damaged_lines};
use crate::context::Context;
use bd::bead::Bead;
use bd::query::{SortOrder, expr, sort};
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::sys::env::local_time_zone;
use kit::ui::{counted, escape};

/// List the beads that an expression describes
///
/// An expression compares fields with values: `field=value`, also with `!=`, `<`, `<=`, `>` and
/// `>=`, combined by AND, OR, NOT and brackets. Fields: status, priority, type, assignee, owner,
/// label, title, description, notes, created, updated, closed, id, spec, external_ref, parent,
/// pinned, ephemeral, template, mol_type. The value `none` means that the field is empty. Titles, descriptions and
/// notes are searched for the value. Ids, labels, specs and external references may have `*` and
/// `?`. `created>7d` means
/// created within the last 7 days. Closed beads are listed only with --all, or if the expression
/// has status or closed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The expression, such as `status=open AND priority<2`
    #[arg(value_name = "EXPRESSION", required = true)]
    words: Vec<String>,
    /// Show at most N beads; 0 for all
    #[arg(short = 'n', long, default_value_t = 50, value_name = "N")]
    limit: usize,
    /// Also list closed beads
    #[arg(short, long)]
    all: bool,
    /// Print several lines per bead
    #[arg(long)]
    long: bool,
    /// Sort by this field
    #[arg(long, value_name = "FIELD")]
    sort: Option<SortOrder>,
    /// Reverse the order
    #[arg(short, long)]
    reverse: bool,
    /// Print the parsed expression and exit
    #[arg(long)]
    parse_only: bool,
    #[command(flatten)]
    internal: InternalArgs,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let text = args.words.join(" ");
    let zone = local_time_zone();
    let expr = expr::parse_query(&text, ctx.now(), &zone)
        .map_err(|error| UsageError(format!("invalid query: {error}")))?;
    if args.parse_only {
        let report = kit::report_value! { query: text, parsed: expr.to_string() };
        return build_report(report, |report, page| page.line(&report.parsed));
    }
    let snapshot = ctx.store()?.snapshot()?;
    warn_of_damaged_lines(ctx, &snapshot);
    let with_closed = args.all || expr.has_status_condition();
    let with_templates = args.all || expr.has_template_condition();
    let with_internal = !args.internal.are_hidden(ctx) || expr.may_ask_for_internal();
    let beads = snapshot.select(|bead| {
        (with_closed || bead.is_open())
            && (with_templates || !bead.is_template())
            && (with_internal || !bead.is_internal())
    });
    let mut found: Vec<&Bead> = beads.filter(|bead| expr.matches(bead, &zone)).collect();
    let total = found.len();
    match args.sort {
        Some(order) => sort::sort_beads(&mut found, order, args.reverse),
        None => {
            sort::sort_usual(&mut found, total);
            if args.reverse {
                found.reverse();
            }
        }
    }
    if args.limit > 0 {
        found.truncate(args.limit);
    }
    if found.len() < total {
        report_cut(ctx, found.len(), total);
    }
    let rows: Vec<DrawnRow> = found
        .into_iter()
        .map(|bead| DrawnRow::from_bead(&snapshot, bead))
        .collect();
    let is_long = args.long;
    build_report(rows, move |rows, page| {
        if rows.is_empty() {
            page.line("No issues found");
            return;
        }
        page.line(format!("Found {}:", counted(total, "issue")));
        for DrawnRow { bead, links, .. } in rows {
            line::write_list_line(page, bead, if is_long { "" } else { links });
            let first = bead.description.lines().next().unwrap_or("");
            if is_long && !first.is_empty() {
                page.cut_line(format!("  {}", escape::escape_line(first)));
            }
            if is_long && !links.is_empty() {
                page.cut_line(format!(" {links}"));
            }
        }
    })
}
