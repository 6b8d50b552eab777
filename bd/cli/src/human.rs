use serde_json::json;

use crate::context::Context;
use bd::bead::{Bead, Status};
use bd::change;
use bd::query::{BeadFilter, sort};
use bd::store::Snapshot;
use kit::failure::UsageError;
use kit::ui::escape;

use super::args;
use super::line;
use super::report::{PlainBead, plain_json};
use kit::cli::report::{CommandResult, EmptyReport, TextReport, build_report};

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
            Ok(Box::new(EmptyReport))
        }
        Some(HumanCommand::List { status }) => list_waiting(ctx, status.as_deref()),
        Some(HumanCommand::Respond { id, response }) => {
            if response.trim().is_empty() {
                return Err(UsageError(
                    "response text required: bd human respond ID -r TEXT".into(),
                )
                .into());
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
            return Err(
                UsageError(format!("bead {id} does not have the '{HUMAN_LABEL}' label")).into(),
            );
        }
        if let Some(comment) = comment {
            change::add_comment(tx, &id, &author.actor, comment)?;
        }
        // An answer resolves the question, even if the bead is blocked.
        Ok(change::close_bead(tx, &id, reason, "", true)?)
    })?;
    let line = format!("✓ Closed {}: {}", bead.id, escape::escape_line(reason));
    TextReport::new(plain_json(&bead), line).into_answer()
}

fn count_by_state(ctx: &Context) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let all = find_labelled(&snapshot, BeadFilter::default());
    let begins = |start: &str| {
        let closed = all.iter().filter(|bead| !bead.is_open());
        closed
            .filter(|bead| bead.close_reason.starts_with(start))
            .count()
    };
    let pending = all.iter().filter(|bead| bead.is_open()).count();
    let (responded, dismissed) = (begins(RESPONDED_PREFIX), begins(DISMISSED_PREFIX));
    let total = all.len();
    let json =
        json!({"total": total, "pending": pending, "responded": responded, "dismissed": dismissed});
    let line = |name: &str, count: usize| format!("  {:<11}{count}", format!("{name}:"));
    let lines = vec![
        "Beads for the user:".to_owned(),
        line("Total", total),
        line("Pending", pending),
        line("Responded", responded),
        line("Dismissed", dismissed),
    ];
    TextReport::lines(json, lines).into_answer()
}
