//! `gt escalate`: asks for help or for a decision.

mod ack;
mod close;
mod forward;
mod list;
mod resolve;
mod show;
mod stale;

use bd::query::when;
use kit::sys::env;
use kit::ui::{Page, escape};

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::escalate::{self, EscalateError, EscalationReport, EscalationRequest};
use gt::record::escalation::{DeliveryState, EscalationChoice, RouteDelivery, Severity};

/// Ask for help or for a decision
///
/// An escalation is a bead of the town. Its severity chooses who hears of it: low only records it,
/// medium also mails the mayor, high also mails the overseer and runs the commands set up for
/// users, critical also blocks the convoy until it is resolved. The same escalation made again is
/// counted, not repeated. The answer is mailed to those who asked, and `gt prime` shows it to the
/// worker of the bead. Routes and commands are in settings/escalation.json (docs/ESCALATIONS.md).
///
/// Quote the description: its first word is taken for a subcommand if it is one. With `--json` {id,
/// severity, actions, targets, source?, occurrences, convoy?, deliveries[{route, severity, state,
/// tries, at, detail, message?}], warning?}.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    // An agent that asks for `help` must reach someone.
    disable_help_subcommand = true
)]
pub(super) struct Args {
    /// The problem, or the decision to make
    description: Vec<String>,
    /// How urgent it is
    #[arg(short, long, default_value = "medium", value_name = "SEVERITY",
          value_parser = clap::builder::PossibleValuesParser::new(Severity::WORDS), ignore_case = true)]
    severity: String,
    /// The kind of trouble, in a word
    #[arg(short, long, default_value = "", hide_default_value = true)]
    category: String,
    /// The details, in as many lines as needed
    #[arg(
        short,
        long,
        alias = "body",
        default_value = "",
        hide_default_value = true
    )]
    reason: String,
    /// The source of the escalation, such as plugin:NAME
    #[arg(long, default_value = "", hide_default_value = true)]
    source: String,
    /// The bead that it is about (default: the one on your hook)
    #[arg(long, value_name = "BEAD")]
    related: Option<String>,
    /// The convoy that it concerns (default: the one that tracks the bead)
    #[arg(long)]
    convoy: Option<String>,
    /// Ask for a decision
    #[arg(long)]
    decision: bool,
    /// An answer to choose from; repeat for each
    #[arg(long = "option", value_name = "ANSWER", requires = "decision")]
    options: Vec<String>,
    /// The answer that is taken at the deadline
    #[arg(
        long,
        value_name = "ANSWER",
        requires = "decision",
        requires = "deadline"
    )]
    default: Option<String>,
    /// When the default is taken: 30m, 4h, 2026-03-01, tomorrow
    #[arg(long, value_name = "TIME", requires = "default")]
    deadline: Option<String>,
    /// Only show who would hear of it
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(subcommand)]
    verb: Option<Verb>,
}

kit::verbs! {
    Verb:
    List => list,
    Show => show,
    Ack => ack,
    #[command(alias = "answer")]
    Resolve => resolve,
    Forward => forward,
    Close => close,
    Stale => stale,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(verb) = args.verb {
        return verb.run(ctx);
    }
    let town = ctx.open_town()?;
    let now = town.clock.now();
    let deadline = match &args.deadline {
        Some(text) => parse_deadline(text, now)?,
        None => String::new(),
    };
    let decision = args.decision.then_some(EscalationChoice {
        options: args.options,
        default: args.default.unwrap_or_default(),
        deadline,
    });
    let request = EscalationRequest {
        title: args.description.join(" "),
        severity: Severity::parse(&args.severity).unwrap_or_default(),
        category: args.category,
        reason: args.reason,
        source: args.source,
        related: args.related,
        convoy: args.convoy,
        decision,
    };
    if args.dry_run {
        return build_report(
            escalate::preview_escalation(&town, &request)?,
            |found, page| {
                page.line(format!("severity: {}", found.severity.name()));
                page.line(format!("routes: {}", found.actions.join(", ")));
                page.line(format!("mail to: {}", found.targets.join(", ")));
                if found.occurrences > 1 {
                    page.line(format!("counted on {}, which is open", found.id));
                }
            },
        );
    }
    let done = escalate::send_escalation(&town, &request)?;
    if let Some(warning) = &done.warning {
        ctx.ui.warn(warning);
    }
    build_report(done, write_report)
}

/// Parses a time in the future. An age without a sign counts forward.
fn parse_deadline(text: &str, now: jiff::Timestamp) -> anyhow::Result<String> {
    let in_a_while = text
        .parse()
        .ok()
        .and_then(|wait: jiff::SignedDuration| now.checked_add(wait).ok());
    let at = in_a_while
        .or_else(|| when::parse_time(text, now, &env::local_time_zone()))
        .ok_or_else(|| {
            anyhow::anyhow!(
                "the deadline `{text}` is not a time; use 30m, 4h, 2026-03-01 or tomorrow"
            )
        })?;
    anyhow::ensure!(
        at > now,
        "the deadline `{text}` has passed: name a time ahead"
    );
    Ok(at.to_string())
}

fn write_report(done: &EscalationReport, page: &mut Page) {
    let severity = done.severity.name();
    if done.occurrences > 1 {
        let times = kit::ui::counted(
            usize::try_from(done.occurrences).unwrap_or(usize::MAX),
            "time",
        );
        page.line(format!(
            "✓ {} is open already ({severity}): counted, {times}",
            done.id
        ));
    } else {
        page.line(format!("✓ {} escalated ({severity})", done.id));
    }
    for delivery in &done.deliveries {
        page.line(format!("  {}", describe_delivery(delivery)));
    }
    if done.severity == Severity::Critical && !done.convoy.is_empty() {
        page.line(format!(
            "  convoy {} is blocked until it is resolved",
            done.convoy
        ));
    }
}

/// Describes one route and the result of its delivery.
fn describe_delivery(delivery: &RouteDelivery) -> String {
    let mark = match delivery.state {
        DeliveryState::Sent => "✓",
        DeliveryState::Pending => "…",
        DeliveryState::Failed => "✗",
        DeliveryState::Skipped => "–",
    };
    let detail = match (&delivery.detail, delivery.message.as_str()) {
        (detail, "") if detail.is_empty() => String::new(),
        (detail, "") => format!(": {}", escape::escape_line(detail)),
        (_, message) => format!(": {message}"),
    };
    format!("{mark} {}{detail}", escape::escape_line(&delivery.route))
}

/// Builds the error for an id that no escalation has.
fn build_unknown_error(id: &str) -> EscalateError {
    EscalateError::Unknown { id: id.to_owned() }
}
