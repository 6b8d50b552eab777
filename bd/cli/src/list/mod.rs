mod draw;
mod format;
mod row;

use std::collections::HashSet;

use super::args::{self, FilterArgs, InternalArgs};
use super::create::target_store::store_of_rig;
use super::{town_beads, watch};
use crate::context::Context;
use bd::bead::{Bead, Kind, Status};
use bd::query::{BeadFilter, SortOrder, sort};
use bd::store::Snapshot;
use draw::ListForm;
use format::ListFormat;
use kit::cli::report::{CommandResult, build_empty_report, build_report};
use kit::failure::UsageError;
use kit::ui::{counted, escape};

pub(super) use draw::draw_long;
pub(super) use row::DrawnRow;

/// List beads
///
/// Lists beads that are not closed, most urgent first, 50 at most. `--status blocked` lists the beads
/// that someone gave that status; `bd blocked` also lists those that wait for others. As JSON an array of beads, each
/// with its `dependencies` (edges), `labels`, `dependency_count`, `dependent_count` and
/// `comment_count`; `[]` if there are none.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    filter: FilterArgs,
    /// Show at most N beads; 0 for all
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// List the beads of this rig of the town
    #[arg(long, value_name = "NAME")]
    rig: Option<String>,
    /// Also list closed beads, without limit
    #[arg(long)]
    all: bool,
    /// Filter on status open
    #[arg(long)]
    ready: bool,
    /// Filter on status closed
    #[arg(long, conflicts_with = "ready")]
    closed: bool,
    /// Filter by parent
    #[arg(long, value_name = "ID", alias = "filter-parent", value_parser = args::parse_filter_value)]
    parent: Option<String>,
    /// Filter on deferred beads
    #[arg(long)]
    deferred: bool,
    /// Filter on overdue beads
    #[arg(long)]
    overdue: bool,
    /// Filter on due date after TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    due_after: Option<String>,
    /// Filter on due date before TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    due_before: Option<String>,
    /// Filter on deferral until after TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    defer_after: Option<String>,
    /// Filter on deferral until before TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    defer_before: Option<String>,
    /// Filter on pinned beads
    #[arg(long, conflicts_with = "no_pinned")]
    pinned: bool,
    /// Exclude pinned beads
    #[arg(long)]
    no_pinned: bool,
    /// Also list templates
    #[arg(long)]
    include_templates: bool,
    /// Also list gates
    #[arg(long)]
    include_gates: bool,
    #[arg(long, hide = true, value_name = "KIND", value_parser = args::parse_filter_value)]
    mol_type: Option<String>,
    #[arg(long, hide = true, value_name = "KIND", value_parser = args::parse_filter_value)]
    wisp_type: Option<String>,
    #[arg(long, hide = true)]
    ephemeral: bool,
    /// Sort by this field
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    sort: Option<SortOrder>,
    /// Reverse the order
    #[arg(short, long, alias = "asc")]
    reverse: bool,
    /// Print several lines per bead
    #[arg(long)]
    long: bool,
    /// Print a tree of parents and children, with the parents of each bead
    #[arg(long, alias = "pretty")]
    tree: bool,
    /// Print `id`, `json`, `digraph`, `dot`, or lines by a template
    ///
    /// A template such as `{{.ID}} {{.Title}}` gives a line per bead. One with `.IssueID`,
    /// `.DependsOnID`, `.Type`, `.Issue` or `.Dependency` gives a line per edge between the listed
    /// beads. `{{if .Assignee}}…{{else}}…{{end}}` is understood.
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Redraw the list on each change
    #[arg(short, long)]
    watch: bool,
    #[arg(long, hide = true)]
    flat: bool,
    #[command(flatten)]
    internal: InternalArgs,
    #[arg(long, hide = true)]
    no_pager: bool,
}

impl Args {
    /// Returns true if a condition may ask for internal beads.
    fn names_beads(&self) -> bool {
        self.filter.names_beads()
            || self.parent.is_some()
            || self.wisp_type.is_some()
            || self.mol_type.is_some()
            || self.ephemeral
    }

    /// The arguments to list the children of a bead.
    pub(super) fn children_of(id: String) -> Self {
        Self {
            parent: Some(id),
            ..Self::default()
        }
    }
}

/// The default limit of a list.
const DEFAULT_LIMIT: usize = 50;
/// The default limit of a list for agents.
const AGENT_LIMIT: usize = 20;

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.watch {
        let dir = ctx.project()?.dir.clone();
        return watch::watch_view(ctx, &dir, || answer_list(ctx, &args));
    }
    if args.format.as_deref() == Some("json") {
        let list = answer_list(ctx, &args)?;
        ctx.ui.raw(&kit::json::to_pretty_json(&list.json()));
        return build_empty_report();
    }
    answer_list(ctx, &args)
}

fn answer_list(ctx: &Context, args: &Args) -> CommandResult {
    let form = choose_form(args)?;
    let store = match &args.rig {
        Some(name) => store_of_rig(ctx, name)?.0,
        None => ctx.store()?,
    };
    let snapshot = store.snapshot()?;
    warn_of_damaged_lines(ctx, &snapshot);
    let filter = build_filter(ctx, args, &snapshot)?;
    let limit = choose_limit(ctx, args);
    // In any other order, the first beads are determined only after all beads are found.
    let other_order = args.sort.is_some() || args.reverse;
    let (mut found, total) = filter.first(&snapshot, if other_order { usize::MAX } else { limit });
    if let Some(order) = args.sort {
        sort::sort_beads(&mut found, order, args.reverse);
    } else if args.reverse {
        found.reverse();
    }
    found.truncate(limit);
    if total == 0 {
        args.filter
            .explain_empty_result(ctx, &snapshot.config().vocabulary());
        town_beads::hint_lists_of_rigs(ctx);
    } else if found.len() < total {
        report_cut(ctx, found.len(), total);
    }
    if filter.statuses == [Status::Blocked] {
        hint_waiting_beads(ctx, &snapshot);
    }
    let ids: Vec<String> = found.into_iter().map(|bead| bead.id.clone()).collect();
    let parents = if form == ListForm::Tree {
        collect_parents(&snapshot, &ids)
    } else {
        Vec::new()
    };
    let rows = DrawnRow::from_ids(snapshot, &ids);
    build_report(rows, move |rows, page| {
        draw::write_list(rows, &parents, &form, page);
    })
}

/// Returns all beads above the given ones that are not among them.
fn collect_parents(snapshot: &Snapshot, ids: &[String]) -> Vec<Bead> {
    let mut seen: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    for id in ids {
        let mut below = snapshot.get_live(id);
        while let Some(parent) = below
            .and_then(Bead::parent)
            .and_then(|parent| snapshot.get_live(parent))
            .filter(|parent| seen.insert(parent.id.as_str()))
        {
            found.push(parent.clone());
            below = Some(parent);
        }
    }
    found
}

/// Reports that a list has more beads than its limit.
pub(super) fn report_cut(ctx: &Context, shown: usize, total: usize) {
    ctx.ui.status(&format!(
        "Showing {shown} of {total} issues (use --limit 0 for all)"
    ));
}

/// Names the command that also lists the beads with another status that wait for open beads.
fn hint_waiting_beads(ctx: &Context, snapshot: &Snapshot) {
    let waiting = snapshot
        .blocked_rows()
        .iter()
        .filter(|row| row.is_blocked() && row.status != Status::Blocked.code())
        .filter(|row| !row.is_internal())
        .count();
    if waiting > 0 {
        let beads = counted(waiting, "bead");
        ctx.ui.status(&format!(
            "Hint: {beads} with another status wait for open beads. To list all blocked beads:\n  bd blocked"
        ));
    }
}

fn choose_form(args: &Args) -> Result<ListForm, UsageError> {
    Ok(match &args.format {
        Some(format) if format != "json" => ListForm::Format(ListFormat::parse(format)?),
        _ if args.tree => ListForm::Tree,
        _ if args.long => ListForm::Long,
        _ => ListForm::Lines,
    })
}

fn build_filter(ctx: &Context, args: &Args, snapshot: &Snapshot) -> anyhow::Result<BeadFilter> {
    let mut filter = args.filter.to_filter(ctx)?;
    if args.ready {
        filter.statuses = vec![Status::Open];
    } else if args.closed {
        filter.statuses = vec![Status::Closed];
    } else if !args.all && !args.filter.has_status() {
        filter.not_statuses = vec![Status::Closed];
    }
    if !args.include_gates && !args.filter.has_kind() {
        filter.not_kinds.push(Kind::Gate);
    }
    filter.no_internal = args.internal.are_hidden(ctx) && !args.names_beads();
    filter.no_templates = !args.include_templates;
    let parent = args.parent.as_deref().map(|id| snapshot.resolve(id));
    filter.parent = parent.transpose()?.map(|bead| bead.id.clone());
    filter.deferred = args.deferred;
    filter.overdue_at = args.overdue.then(|| ctx.now());
    let after = args.due_after.as_deref();
    let before = args.due_before.as_deref();
    filter.due = args::parse_time_range(ctx, "due", after, before)?;
    let after = args.defer_after.as_deref();
    let before = args.defer_before.as_deref();
    filter.deferral = args::parse_time_range(ctx, "defer", after, before)?;
    filter.pinned = (args.pinned || args.no_pinned).then_some(args.pinned);
    filter.mol_type.clone_from(&args.mol_type);
    filter.ephemeral = args.ephemeral;
    filter.wisp_type.clone_from(&args.wisp_type);
    Ok(filter)
}

fn choose_limit(ctx: &Context, args: &Args) -> usize {
    let agent = ctx.env.get("BD_AGENT_MODE") == Some("1");
    match args.limit {
        Some(0) => usize::MAX,
        Some(limit) => limit,
        None if args.all => usize::MAX,
        None if agent => AGENT_LIMIT,
        None => DEFAULT_LIMIT,
    }
}

/// Warns about the lines of the files that could not be parsed.
pub(super) fn warn_of_damaged_lines(ctx: &Context, snapshot: &Snapshot) {
    for damage in snapshot.damaged() {
        ctx.ui.warn(&format!(
            "{}, line {}: {}",
            damage.file.display(),
            damage.line,
            escape::escape_line(&damage.reason)
        ));
    }
}
