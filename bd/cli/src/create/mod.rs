mod batch;
mod request;
pub(super) mod target_store;

use std::path::Path;

use serde_json::json;

use super::args::{self, DescriptionArgs};
use super::dep::find_external_ref;
use super::report::PlainBead;
use super::town_beads;
use crate::context::Context;
use bd::bead::validate::Vocabulary;
use bd::bead::{Bead, DepKind, Kind, id};
use bd::change::{self, NewBead};
use bd::store::Tx;
use kit::cli::report::{CommandResult, build_empty_report, build_report};
use kit::failure::UsageError;
use kit::ui::{Page, escape};

/// Create a bead
///
/// The title is a positional argument or --title. With --parent the bead becomes a child:
/// `bd-a3f.1`. --deps adds edges as `kind:id`, or `id` for "waits for"; one that cannot be added is
/// a warning. An id chosen with --id must have this project's prefix, unless --force is given.
///
/// In the Markdown of --file `## Title` begins a bead and what follows is its description, up to
/// the first of `### Priority`, `### Type`, `### Description`, `### Design`, `### Acceptance
/// Criteria`, `### Assignee`, `### Labels`, `### Dependencies`. Other headings and their text
/// belong to the description. A bead that cannot be created, or a dependency that cannot be added,
/// is reported, and the other beads are created.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The title
    #[arg(value_name = "TITLE")]
    positional: Option<String>,
    /// Create beads from a Markdown file: `## Title` each
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["positional", "title_flag", "graph", "dry_run"])]
    file: Option<String>,
    /// Create beads from a JSON plan: `nodes` with `key` and `title`, `edges` with `from_key` and
    /// `to_key`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["positional", "title_flag", "dry_run"])]
    graph: Option<String>,
    /// The title
    #[arg(long = "title", value_name = "TITLE", allow_hyphen_values = true)]
    title_flag: Option<String>,
    #[command(flatten)]
    description: DescriptionArgs,
    /// The design
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    design: Option<String>,
    /// The acceptance criteria
    #[arg(
        long,
        value_name = "TEXT",
        alias = "acceptance-criteria",
        allow_hyphen_values = true
    )]
    acceptance: Option<String>,
    /// The notes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    notes: Option<String>,
    #[arg(long, hide = true, value_name = "TEXT", allow_hyphen_values = true)]
    append_notes: Option<String>,
    /// The priority, 0-4 or P0-P4 (default: 2); 0 is most urgent
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<String>,
    /// The type: bug, feature, task (default), epic, chore, or one of types.custom
    #[arg(short = 't', long = "type", value_name = "KIND")]
    kind: Option<String>,
    /// Take the fields that are not given from this bead
    #[arg(long, value_name = "ID")]
    from_template: Option<String>,
    /// The assignee; `me` is you
    #[arg(short, long, value_name = "NAME")]
    assignee: Option<String>,
    /// Add these labels
    #[arg(short, long, alias = "label", value_name = "LABELS")]
    labels: Vec<String>,
    /// Use this id
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// The parent
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    parent: Option<String>,
    /// Add edges, as kind:id or id
    #[arg(long, value_name = "EDGES")]
    deps: Vec<String>,
    /// Wait for the children of this bead
    #[arg(long, value_name = "ID")]
    waits_for: Option<String>,
    /// Wait for all-children or any-children
    #[arg(long, default_value = "all-children", value_name = "GATE")]
    waits_for_gate: String,
    /// The id in another tracker
    #[arg(long, value_name = "REF")]
    external_ref: Option<String>,
    /// The id of a specification
    #[arg(long, value_name = "SPEC")]
    spec_id: Option<String>,
    /// The estimate in minutes
    #[arg(short, long, value_name = "MINUTES", allow_hyphen_values = true)]
    estimate: Option<i64>,
    /// The due date
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    due: Option<String>,
    /// Defer it until this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    defer: Option<String>,
    /// Metadata as JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// Create a wisp: local, never in git
    #[arg(long)]
    ephemeral: bool,
    #[arg(long, value_name = "KIND", hide = true)]
    mol_type: Option<String>,
    #[arg(long, value_name = "KIND", hide = true)]
    wisp_type: Option<String>,
    #[arg(long, value_name = "ROLE", hide = true)]
    role_type: Option<String>,
    #[arg(long, value_name = "RIG", hide = true)]
    agent_rig: Option<String>,
    #[arg(long, value_name = "TEXT", hide = true)]
    event_category: Option<String>,
    #[arg(long, value_name = "TEXT", hide = true)]
    event_actor: Option<String>,
    #[arg(long, value_name = "TEXT", hide = true)]
    event_target: Option<String>,
    #[arg(long, value_name = "JSON", hide = true)]
    event_payload: Option<String>,
    /// Allow an id with another prefix
    #[arg(long)]
    force: bool,
    /// Create it in this rig of the town
    #[arg(long, value_name = "RIG", conflicts_with = "prefix")]
    rig: Option<String>,
    /// Create it in the rig with this prefix
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Create it in the project in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["rig", "prefix"])]
    repo: Option<String>,
    /// Only show what would be created
    #[arg(long)]
    dry_run: bool,
    /// Print only the id
    #[arg(long)]
    silent: bool,
    #[arg(long, hide = true)]
    validate: bool,
}

impl Args {
    /// The arguments for `bd q`.
    pub(super) fn for_quick(
        title: String,
        priority: String,
        kind: String,
        labels: Vec<String>,
    ) -> Self {
        Self {
            positional: Some(title),
            priority: Some(priority),
            kind: Some(kind),
            labels,
            waits_for_gate: "all-children".into(),
            silent: true,
            ..Self::default()
        }
    }

    /// The arguments from the answers of `bd create-form`: title, type, priority, assignee, labels,
    /// edges, description.
    pub(super) fn from_form_answers(answers: [String; 7]) -> Self {
        let [title, kind, priority, assignee, labels, deps, description] = answers;
        Self {
            positional: Some(title),
            kind: Some(kind),
            priority: Some(priority),
            assignee: (!assignee.is_empty()).then_some(assignee),
            labels: vec![labels],
            deps: vec![deps],
            description: DescriptionArgs::from_text(description),
            waits_for_gate: "all-children".into(),
            ..Self::default()
        }
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(path) = &args.file {
        return batch::create_from_markdown(ctx, &args, path);
    }
    if let Some(path) = &args.graph {
        return batch::create_from_plan(ctx, &args, path);
    }
    if args.dry_run {
        let new = request::read_new_bead(ctx, &args)?;
        return build_report(PlainBead(request::preview_bead(new)), |bead, page| {
            page.line("Would create issue:");
            write_summary(bead, page);
        });
    }
    let silent = args.silent || (ctx.ui.is_quiet() && !ctx.ui.is_json());
    let (bead, rig) = create_from_args(ctx, &args)?;
    if silent {
        ctx.ui.raw(&format!("{}\n", bead.id));
        return build_empty_report();
    }
    if rig.is_none() && args.repo.is_none() && args.parent.is_none() {
        town_beads::hint_rig_of_new_bead(ctx, &bead.id);
    }
    let place = rig.map(|rig| format!(" in rig \"{rig}\""));
    build_report(PlainBead(bead), move |bead, page| {
        let mark = page.style().green("✓");
        let place = place.as_deref().unwrap_or("");
        page.line(format!("{mark} Created issue{place}: {}", bead.id));
        write_summary(bead, page);
    })
}

/// Creates the bead. Returns the name of its rig if the rig is not the one of the working
/// directory.
pub(super) fn create_from_args(
    ctx: &Context,
    args: &Args,
) -> anyhow::Result<(Bead, Option<String>)> {
    ctx.check_writable("create")?;
    let new = request::read_new_bead(ctx, args)?;
    if !args.silent && !ctx.ui.is_quiet() {
        print_remarks(ctx, &new);
    }
    let (store, rig) = target_store::choose_store(ctx, args)?;
    let above = args
        .id
        .as_deref()
        .and_then(|id| Some(id::split_child(id)?.0));
    if let Some(parent) = args.parent.as_deref().or(above) {
        check_kind(&store.snapshot()?.config().vocabulary(), &new.issue_type)?;
        let back = change::restore_parents(&store, &ctx.author(), &ctx.clock, parent)?;
        for id in back {
            ctx.ui.status(&format!(
                "{id} came back from the archive: it is above the new bead"
            ));
        }
    }
    let edges = request::parse_edges(args);
    let made = store.transact(&ctx.author(), &ctx.clock, |tx| {
        check_kind(tx.vocabulary(), &new.issue_type)?;
        let bead = change::create_bead(tx, new)?;
        let problems = add_edges(tx, ctx, store.dir(), &bead.id, args, &edges);
        let bead = tx.get(&bead.id).cloned().unwrap_or(bead);
        Ok((bead, problems))
    });
    let (bead, problems) = made?;
    for problem in problems {
        ctx.ui.warn(&bd::error::describe_failure(&problem).message);
    }
    for (kind, _) in &edges {
        args::hint_custom_dep_kind(ctx, kind);
    }
    ctx.set_last_touched(&bead.id);
    Ok((bead, rig))
}

fn print_remarks(ctx: &Context, new: &NewBead) {
    let lower = new.title.to_lowercase();
    if new.description.is_empty() && !lower.contains("test") && !new.ephemeral {
        ctx.ui
            .warn("no description: the worker will see only the title");
    }
    if let Some(until) = &new.defer_until
        && until.instant() <= ctx.now()
    {
        ctx.ui.warn(&format!(
            "--defer {until} is in the past: the bead is ready at once"
        ));
    }
}

fn check_kind(words: &Vocabulary, kind: &Kind) -> Result<(), UsageError> {
    let usual = bd::bead::kind::CORE.contains(kind) || *kind == Kind::Event;
    if usual || words.kinds.iter().any(|custom| custom == kind.as_str()) {
        return Ok(());
    }
    Err(UsageError(format!(
        "invalid issue type: {kind}. Valid types: {}",
        words.list_kinds()
    )))
}

/// Adds the edges. Returns the errors of the edges that fail; the bead stays.
fn add_edges(
    tx: &mut Tx<'_>,
    ctx: &Context,
    dir: &Path,
    id: &str,
    args: &Args,
    edges: &[(DepKind, String)],
) -> Vec<anyhow::Error> {
    let mut all: Vec<(DepKind, &str, String)> = Vec::new();
    for (kind, given) in edges {
        all.push((kind.clone(), given, String::new()));
    }
    if let Some(given) = &args.waits_for {
        let metadata = json!({"gate": args.waits_for_gate}).to_string();
        all.push((DepKind::WaitsFor, given, metadata));
    }
    let mut problems = Vec::new();
    for (kind, given, metadata) in all {
        let found = tx.get_live(given).map(|bead| bead.id.clone());
        let target = match found {
            Some(id) => Ok(id),
            None => {
                find_external_ref(ctx, dir, given).map(|id| id.unwrap_or_else(|| given.to_owned()))
            }
        };
        let added = target.and_then(|target| {
            Ok(change::add_dep_with_metadata(
                tx, id, &target, kind, &metadata,
            )?)
        });
        if let Err(error) = added {
            problems.push(error.context(format!("failed to add dependency {id} → {given}")));
        }
    }
    problems
}

fn write_summary(bead: &Bead, page: &mut Page) {
    page.line(format!("  Title: {}", escape::escape_line(&bead.title)));
    page.line(format!("  Priority: P{}", bead.priority));
    page.line(format!("  Status: {}", bead.status));
}
