mod draw;
mod past;
mod thread;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::report::{LinkedBead, PlainBead};
use super::{each, line, watch};
use crate::context::Context;
use bd::bead::id::ResolveError;
use bd::bead::{Bead, DepKind, hash, record};
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::{Page, escape};

/// Show beads with all details
///
/// As JSON an array of objects: the bead, `labels`, `comments`, `parent`, and under `dependencies`
/// and `dependents` whole beads each with its `dependency_type`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// A bead whose id looks like a flag
    #[arg(long = "id", value_name = "ID", allow_hyphen_values = true)]
    more: Vec<String>,
    /// Print one line per bead
    #[arg(long)]
    short: bool,
    /// Show the state at this time, by history (2h, 3d, 2026-03-01, yesterday)
    #[arg(long, value_name = "TIME", alias = "as-of", allow_hyphen_values = true)]
    at: Option<String>,
    /// List only the children
    #[arg(long)]
    children: bool,
    /// List only the dependents
    #[arg(long)]
    refs: bool,
    /// Show the thread: the message it replies to, and all replies
    #[arg(long)]
    thread: bool,
    /// Redraw on each change
    #[arg(short, long)]
    watch: bool,
    #[arg(long, hide = true)]
    local_time: bool,
    #[arg(long, hide = true)]
    long: bool,
    #[arg(long, hide = true)]
    include_dependents: bool,
    #[arg(long, hide = true)]
    include_comments: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let ids: Vec<&String> = args.ids.iter().chain(&args.more).collect();
    let Some(first) = ids.first() else {
        kit::bail_usage!("at least one issue ID is required (use positional args or --id flag)");
    };
    if args.watch {
        let store = ctx.store_for_id(first)?;
        return watch::watch_view(ctx, store.dir(), || show_beads(ctx, &args, &ids));
    }
    show_beads(ctx, &args, &ids)
}

fn show_beads(ctx: &Context, args: &Args, ids: &[&String]) -> CommandResult {
    let at = match &args.at {
        Some(text) => Some(ctx.parse_past_time("at", text)?),
        None => None,
    };
    let mut found = Vec::new();
    let mut problems = Vec::new();
    for id in ids {
        match load_shown_bead(ctx, id, at) {
            Ok(shown) => found.push(shown),
            Err(error) => {
                hint_at_history(ctx, id, &error);
                problems.push(error.context(format!("fetching {id}")));
            }
        }
    }
    let exit = u8::from(!problems.is_empty());
    let beads = each::finish_each(ctx, found, problems)?;
    let form = match args {
        Args { thread: true, .. } => ShowForm::Thread,
        Args { short: true, .. } => ShowForm::Short,
        Args { children: true, .. } => ShowForm::Children,
        Args { refs: true, .. } => ShowForm::Refs,
        _ => ShowForm::Full,
    };
    let mut threads = Vec::new();
    if form == ShowForm::Thread {
        for shown in &beads {
            let snapshot = ctx.store_for_id(&shown.bead.id)?.snapshot()?;
            threads.push(thread::collect_thread(&snapshot, &shown.bead));
        }
    }
    let report = ShowReport {
        beads,
        threads,
        form,
    };
    build_report_with_exit(exit, report, write_shown_beads)
}

/// Hints at the history of a bead that existed once.
fn hint_at_history(ctx: &Context, id: &str, error: &anyhow::Error) {
    let is_unknown = matches!(error.downcast_ref(), Some(ResolveError::NotFound(_)));
    let Some(store) = ctx.store_for_id(id).ok().filter(|_| is_unknown) else {
        return;
    };
    if store.events_of(id).is_ok_and(|events| !events.is_empty()) {
        let id = escape::escape_line(id);
        ctx.ui.warn(&format!(
            "history knows {id}: `bd history {id}` shows what became of it; `bd restore --lost {id}` brings it back if the file was rolled back, `bd restore {id}` if it was archived"
        ));
    }
}

fn load_shown_bead(ctx: &Context, id: &str, at: Option<Timestamp>) -> anyhow::Result<ShownBead> {
    let store = ctx.store_for_id(id)?;
    let snapshot = store.snapshot()?;
    for damage in snapshot.damaged() {
        ctx.ui.warn(&format!(
            "{}, line {}: {}",
            damage.file.display(),
            damage.line,
            damage.reason
        ));
    }
    if let Some(at) = at {
        let id = snapshot
            .bead_ref(id)
            .map_or_else(|| id.to_owned(), |bead| bead.id().to_owned());
        let bead = past::bead_at(&store, &snapshot, &id, at)?;
        return Ok(ShownBead::from_bead(&snapshot, bead));
    }
    let bead = match snapshot.resolve(id) {
        Ok(bead) => bead.clone(),
        Err(error) => match snapshot.archive().get(id) {
            Some(bead) => {
                ctx.ui.status(&format!(
                    "{id} is in the archive; bd restore {id} brings it back"
                ));
                bead
            }
            None => return Err(error.into()),
        },
    };
    Ok(ShownBead::from_bead(&snapshot, bead))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShowForm {
    Full,
    Short,
    Children,
    Refs,
    Thread,
}

/// Beads with their linked beads.
#[derive(Debug)]
struct ShowReport {
    beads: Vec<ShownBead>,
    /// The thread of each bead, if threads are requested.
    threads: Vec<Vec<PlainBead>>,
    form: ShowForm,
}

#[derive(Debug, Serialize)]
struct ShownBead {
    #[serde(flatten, serialize_with = "serialize_without_edges")]
    bead: Bead,
    version: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<LinkedBead>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependents: Vec<LinkedBead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
}

fn serialize_without_edges<S: Serializer>(bead: &Bead, serializer: S) -> Result<S::Ok, S::Error> {
    record::serialize_for_json(bead, &["dependencies"], serializer)
}

impl ShownBead {
    fn from_bead(snapshot: &Snapshot, bead: Bead) -> Self {
        Self {
            version: hash::compute_version(&bead),
            dependencies: bead
                .dependencies
                .iter()
                .filter_map(|edge| {
                    let target = snapshot.get_live(&edge.depends_on_id)?;
                    Some(LinkedBead::new(target.clone(), &edge.kind))
                })
                .collect(),
            dependents: snapshot
                .dependents_of(&bead.id)
                .into_iter()
                .map(|(holder, edge)| LinkedBead::new(holder.clone(), &edge.kind))
                .collect(),
            parent: bead.parent().map(str::to_owned),
            bead,
        }
    }

    fn children(&self) -> impl Iterator<Item = &PlainBead> {
        self.dependents
            .iter()
            .filter(|linked| linked.kind == DepKind::ParentChild)
            .map(|linked| &linked.bead)
    }
}

impl Serialize for ShowReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.form {
            ShowForm::Children => serializer.collect_map(self.beads.iter().map(|shown| {
                let children: Vec<&PlainBead> = shown.children().collect();
                (&shown.bead.id, children)
            })),
            ShowForm::Refs => serializer.collect_map(
                self.beads
                    .iter()
                    .map(|shown| (&shown.bead.id, &shown.dependents)),
            ),
            ShowForm::Thread => serializer.collect_seq(self.threads.iter().flatten()),
            ShowForm::Full | ShowForm::Short => self.beads.serialize(serializer),
        }
    }
}

fn write_shown_beads(report: &ShowReport, page: &mut Page) {
    for thread in &report.threads {
        thread::write_thread(page, thread);
    }
    for (number, shown) in report.beads.iter().enumerate() {
        match report.form {
            ShowForm::Thread => {}
            ShowForm::Short => line::write_list_line(page, &shown.bead, ""),
            ShowForm::Children => draw::write_linked(page, "CHILDREN", shown.children()),
            ShowForm::Refs => draw::write_linked(
                page,
                "REFERENCES",
                shown.dependents.iter().map(|linked| &linked.bead),
            ),
            ShowForm::Full => {
                if number > 0 {
                    page.blank();
                }
                draw::write_full(page, shown);
            }
        }
    }
}
