use super::args;
use super::line;
use super::report::PlainBead;
use crate::context::Context;
use bd::bead::{Bead, Status};
use bd::change;
use bd::query::{BeadFilter, sort};
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_confirmation, build_empty_report, build_report};
use kit::ui::escape;

/// The label of a bead that waits for the user.
const HUMAN_LABEL: &str = "human";
/// The prefixes of the close reasons.
const RESPONDED_PREFIX: &str = "Responded";
const DISMISSED_PREFIX: &str = "Dismissed";

/// Answer beads that wait for the user
///
/// Such beads have the label `human`. Without a subcommand, prints the commands that a user needs
/// most.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<HumanCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum HumanCommand {
    /// List beads that wait for the user
    List {
        /// Filter by status; `all` for any
        #[arg(short, long, value_name = "STATUS", value_parser = args::parse_filter_value)]
        status: Option<String>,
    },
    /// Answer a bead and close it
    Respond {
        /// The bead
        #[arg(value_name = "ID")]
        id: String,
        /// The answer
        #[arg(short, long, value_name = "TEXT")]
        response: String,
    },
    /// Close a bead without an answer
    Dismiss {
        /// The bead
        #[arg(value_name = "ID")]
        id: String,
        /// Why
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Count beads that wait or waited for the user
    Stats {},
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    match args.verb {
        None => {
            ctx.ui.raw(include_str!("../../templates/human.md"));
            build_empty_report()
        }
        Some(HumanCommand::List { status }) => list_waiting(ctx, status.as_deref()),
        Some(HumanCommand::Respond { id, response }) => {
            if response.trim().is_empty() {
                kit::bail_usage!("response text required: bd human respond ID -r TEXT");
            }
            let comment = format!("Response: {response}");
            close_with_comment(ctx, &id, "human respond", Some(&comment), RESPONDED_PREFIX)
        }
        Some(HumanCommand::Dismiss { id, reason }) => {
            let reason = match reason.as_str() {
                "" => DISMISSED_PREFIX.to_owned(),
                reason => format!("{DISMISSED_PREFIX}: {reason}"),
            };
            close_with_comment(ctx, &id, "human dismiss", None, &reason)
        }
        Some(HumanCommand::Stats {}) => count_by_state(ctx),
    }
}

fn find_labelled(snapshot: &Snapshot, filter: BeadFilter) -> Vec<&Bead> {
    let filter = BeadFilter {
        labels: vec![HUMAN_LABEL.to_owned()],
        ..filter
    };
    filter.apply(snapshot)
}

fn list_waiting(ctx: &Context, status: Option<&str>) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let mut filter = BeadFilter::default();
    match status {
        None => filter.not_statuses = vec![Status::Closed],
        Some("all") => {}
        Some(status) => filter.statuses = vec![Status::from(status)],
    }
    let mut found = find_labelled(&snapshot, filter);
    let count = found.len();
    sort::sort_usual(&mut found, count);
    let beads: Vec<PlainBead> = found.into_iter().cloned().map(PlainBead).collect();
    build_report(beads, |beads, page| {
        if beads.is_empty() {
            page.line("No beads wait for the user");
            return;
        }
        for bead in beads {
            line::write_list_line(page, bead, "");
        }
        page.line("Answer: bd human respond ID -r TEXT");
    })
}

fn close_with_comment(
    ctx: &Context,
    given: &str,
    operation: &'static str,
    comment: Option<&str>,
    reason: &str,
) -> CommandResult {
    ctx.check_writable(operation)?;
    let store = ctx.store_for_id(given)?;
    let author = ctx.author();
    let bead = store.transact(&author, &ctx.clock, |tx| {
        let bead = tx.resolve(given)?;
        let id = bead.id.clone();
        if !bead.has_label(HUMAN_LABEL) {
            kit::bail_usage!("bead {id} does not have the '{HUMAN_LABEL}' label");
        }
        if let Some(comment) = comment {
            change::add_comment(tx, &id, &author.actor, comment)?;
        }
        // An answer resolves the question, even if the bead is blocked.
        Ok(change::close_bead(tx, &id, reason, "", true)?)
    })?;
    let reason = escape::escape_line(reason);
    build_confirmation(PlainBead(bead), move |bead, page| {
        page.line(format!("✓ Closed {}: {reason}", bead.id));
    })
}

fn count_by_state(ctx: &Context) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let all = find_labelled(&snapshot, BeadFilter::default());
    let count_closed = |prefix: &str| {
        all.iter()
            .filter(|bead| !bead.is_open())
            .filter(|bead| bead.close_reason.starts_with(prefix))
            .count()
    };
    let report = kit::report_value! {
        total: all.len(),
        pending: all.iter().filter(|bead| bead.is_open()).count(),
        responded: count_closed(RESPONDED_PREFIX),
        dismissed: count_closed(DISMISSED_PREFIX)
    };
    build_report(report, |count, page| {
        page.line("Beads for the user:");
        page.line(format!("  Total:     {}", count.total));
        page.line(format!("  Pending:   {}", count.pending));
        page.line(format!("  Responded: {}", count.responded));
        page.line(format!("  Dismissed: {}", count.dismissed));
    })
}
