use jiff::{SignedDuration, Timestamp};

use super::super::line;
use super::pour::PourRequest;
use crate::context::Context;
use bd::bead::{Bead, Kind, Status};
use bd::change;
use bd::molecule::progress;
use bd::molecule::template::PourOptions;
use bd::query::when;
use bd::store::{BeadRef, Snapshot, TimeField};
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::{counted, escape};

/// Create wisps: molecules that stay on this machine
///
/// `bd mol wisp FORMULA` makes the beads of a molecule as wisps: never in git, never synced. `bd
/// mol squash` leaves one durable bead of them, `bd mol burn` removes them.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<WispCommand>,
    #[command(flatten)]
    make: WispCreateArgs,
}

#[derive(Debug, clap::Subcommand)]
enum WispCommand {
    #[command(hide = true)]
    Create(WispCreateArgs),
    List(WispListArgs),
    Gc(WispGcArgs),
}

#[derive(Debug, clap::Args)]
struct WispCreateArgs {
    /// The formula, its file, or a proto
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,
    /// Set a variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// Create only the root; the steps stay in the formula
    #[arg(long)]
    root_only: bool,
    /// Look for formulas here first; may be repeated
    #[arg(long, value_name = "DIR")]
    search_path: Vec<String>,
    /// Only show what would be created
    #[arg(long)]
    dry_run: bool,
}

/// List wisps
///
/// The newest first. A wisp that did not change for 24 hours is marked `old`.
#[derive(Debug, clap::Args)]
struct WispListArgs {
    /// Also list closed wisps
    #[arg(long)]
    all: bool,
}

/// Remove wisps that did not change for a while
///
/// Removes open wisps, with --all closed ones as well, and leaves no tombstones. Molecules of open
/// work stay.
#[derive(Debug, clap::Args)]
struct WispGcArgs {
    /// Only show what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Remove wisps that did not change for this long
    #[arg(long, value_name = "DURATION", default_value = "1h")]
    age: String,
    /// Also remove closed wisps
    #[arg(long)]
    all: bool,
    /// Remove closed wisps of any age only
    #[arg(long, conflicts_with = "all")]
    closed: bool,
    #[arg(long, hide = true)]
    force: bool,
}

pub(crate) fn run(ctx: &Context, args: Args) -> CommandResult {
    match args.verb {
        Some(WispCommand::List(args)) => list_wisps(ctx, &args),
        Some(WispCommand::Gc(args)) => collect_wisps(ctx, &args),
        Some(WispCommand::Create(args)) => create_wisp(ctx, args),
        None => create_wisp(ctx, args.make),
    }
}

fn create_wisp(ctx: &Context, args: WispCreateArgs) -> CommandResult {
    let request = PourRequest {
        formula: args
            .formula
            .ok_or_else(|| UsageError("name a formula: bd mol wisp FORMULA".into()))?,
        var: args.var,
        attach: Vec::new(),
        bond: bd::molecule::bond::BondType::default(),
        search_path: args.search_path,
        dry_run: args.dry_run,
        options: PourOptions {
            ephemeral: true,
            root_only: args.root_only,
            ..PourOptions::default()
        },
    };
    request.run(ctx)
}

/// The age at which a wisp is marked as old, in hours.
const OLD_AGE_HOURS: i64 = 24;

fn list_wisps(ctx: &Context, args: &WispListArgs) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let mut beads: Vec<Bead> = snapshot
        .bead_refs()
        .filter(|bead_ref| bead_ref.is_ephemeral() && !bead_ref.is_tombstone())
        .filter(|bead_ref| args.all || bead_ref.is_open())
        .filter_map(|bead_ref| bead_ref.bead().cloned())
        .collect();
    beads.sort_by(|a, b| {
        let age = b.created_at.cmp(&a.created_at);
        age.then_with(|| a.id.cmp(&b.id))
    });
    let limit = ctx.now() - SignedDuration::from_hours(OLD_AGE_HOURS);
    let wisps: Vec<_> = beads
        .into_iter()
        .map(|bead| {
            let is_old = bead.updated_at.instant() < limit;
            kit::report_value! {
                id: bead.id, title: bead.title, status: bead.status, priority: bead.priority,
                created_at: bead.created_at, updated_at: bead.updated_at;
                old: is_old.then_some(true)
            }
        })
        .collect();
    let count = wisps.len();
    let old_count = wisps.iter().filter(|wisp| wisp.old.is_some()).count();
    let report = kit::report_value! {
        wisps, count; old_count: (old_count > 0).then_some(old_count)
    };
    build_report(report, |report, page| {
        if report.wisps.is_empty() {
            page.line("No wisps");
            return;
        }
        page.line(format!("{}:", counted(report.count, "wisp")));
        for wisp in &report.wisps {
            let style = page.style().clone();
            let symbol = line::paint_symbol(&style, &wisp.status);
            let when = page.relative_time(&wisp.updated_at.to_string());
            let old = wisp.old.map_or("", |_| ", old");
            let prefix = format!("  {symbol} {}: ", style.cyan(&wisp.id));
            let tail = format!(" ({when}{old})");
            line::write_fitted(page, &prefix, &escape::escape_line(&wisp.title), &tail);
        }
    })
}

fn collect_wisps(ctx: &Context, args: &WispGcArgs) -> CommandResult {
    if !args.dry_run {
        ctx.check_writable("wisp gc")?;
    }
    let age = when::parse_duration(&args.age)
        .ok_or_else(|| UsageError(format!("invalid --age \"{}\": use 30m, 2h or 3d", args.age)))?;
    let limit = ctx.now() - SignedDuration::from_nanos(age);
    let store = ctx.store()?;
    let ids = if args.dry_run {
        find_due_wisps(&store.snapshot()?, args, limit)
    } else {
        store.transact(&ctx.author(), &ctx.clock, |tx| {
            let ids = find_due_wisps(tx, args, limit);
            for id in &ids {
                change::delete_bead(tx, id, "", true)?;
            }
            Ok(ids)
        })?
    };
    let dry_run = args.dry_run;
    let cleaned: &[String] = if dry_run { &[] } else { &ids };
    let report = kit::report_value! {
        cleaned_ids: cleaned.to_vec(), cleaned_count: cleaned.len();
        candidates: dry_run.then_some(ids.len()),
        candidate_ids: dry_run.then(|| ids.clone()),
        dry_run: dry_run.then_some(true)
    };
    build_report(report, move |_, page| {
        let action = if dry_run { "Would remove" } else { "Removed" };
        page.line(format!("{action} {}", counted(ids.len(), "wisp")));
        for id in &ids {
            page.line(format!("  {id}"));
        }
    })
}

fn find_due_wisps(snapshot: &Snapshot, args: &WispGcArgs, limit: Timestamp) -> Vec<String> {
    snapshot
        .bead_refs()
        .filter(BeadRef::is_ephemeral)
        .filter_map(|bead_ref| bead_ref.bead())
        .filter(|bead| is_due(bead, args, limit) && !is_in_use(snapshot, bead, limit))
        .map(|bead| bead.id.clone())
        .collect()
}

fn is_due(bead: &Bead, args: &WispGcArgs, limit: Timestamp) -> bool {
    let is_closed = bead.status == Status::Closed;
    if !bead.ephemeral || args.closed {
        return bead.ephemeral && is_closed;
    }
    let is_quiet = bead.updated_at.instant() <= limit;
    is_quiet && (args.all || !is_closed) && bead.status != Status::Hooked
}

/// Returns true if a wisp is a program's record, or if it belongs to a molecule that has an
/// assignee, changed recently, or serves open work.
fn is_in_use(snapshot: &Snapshot, bead: &Bead, limit: Timestamp) -> bool {
    let is_record = matches!(
        bead.issue_type,
        Kind::Slot | Kind::Agent | Kind::Role | Kind::Rig | Kind::Queue | Kind::Message
    );
    if is_record || bead.labels.iter().any(|label| label.starts_with("gt:")) {
        return true;
    }
    let root = progress::root_of(snapshot, &bead.id).unwrap_or_else(|| bead.id.clone());
    let members = progress::list_molecule_steps(snapshot, &root);
    let root = snapshot.get_live(&root);
    let is_for_work = root.is_some_and(|root| {
        root.dependencies.iter().any(|edge| {
            let work = snapshot.bead_ref(&edge.depends_on_id);
            work.is_some_and(|work| work.is_open() && !work.is_ephemeral())
        })
    });
    is_for_work
        || members.iter().any(|member| {
            let is_begun = matches!(member.status(), Status::InProgress | Status::Hooked);
            is_begun
                || member.is_open() && member.time(TimeField::Updated).is_some_and(|at| at > limit)
        })
}
