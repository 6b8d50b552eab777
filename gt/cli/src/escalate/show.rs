//! `gt escalate show`.

use kit::ui::{Page, escape};

use super::super::{CommandResult, build_report};
use super::describe_delivery;
use crate::context::Context;
use gt::record::escalation::Escalation;

/// Show an escalation, its routes and its answer
///
/// With `--json` {id, title, status, created_at, severity, reason, source, escalatedBy,
/// escalatedAt, ackedBy, ackedAt, closedBy, closedReason, relatedBead, originalSeverity,
/// reescalationCount, lastReescalatedAt, lastReescalatedBy, category, askedBy[], occurrences,
/// lastSeen, decision?{options[], default, deadline}, answer, convoy, forwards[{by, to, at, note,
/// message}], deliveries[]}.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// The escalation
    escalation: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let beads = ctx.open_town()?.open_town_store()?.snapshot()?;
    let found = beads
        .get_live(&args.escalation)
        .and_then(Escalation::from_bead);
    build_report(
        found.ok_or_else(|| super::build_unknown_error(&args.escalation))?,
        write_escalation,
    )
}

fn write_escalation(escalation: &Escalation, page: &mut Page) {
    let title = escape::escape_line(&escalation.title);
    page.line(page.style().bold(&format!("{} {title}", escalation.id)));
    let details = &escalation.details;
    let original = match escalation.original_severity.as_str() {
        "" => String::new(),
        old => format!(" (was {})", escape::escape_line(old)),
    };
    page.line(format!(
        "Severity: {}{original}",
        escalation.severity.name()
    ));
    let rows = [
        (
            "From",
            describe_act(&escalation.escalated_by, &escalation.escalated_at, page),
        ),
        ("Category", escape::escape_line(&details.category)),
        ("Source", escape::escape_line(&escalation.source)),
        ("Bead", escape::escape_line(&escalation.related_bead)),
        ("Convoy", escape::escape_line(&details.convoy)),
        (
            "Acknowledged by",
            describe_act(&escalation.acked_by, &escalation.acked_at, page),
        ),
        ("Closed by", escape::escape_line(&escalation.closed_by)),
    ];
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        page.line(format!("{name}: {value}"));
    }
    if details.occurrences > 1 {
        let last = page.relative_time(&details.last_seen);
        page.line(format!(
            "Escalated {} times, last {last}",
            details.occurrences
        ));
    }
    for step in &details.forwards {
        let by = escape::escape_line(&step.by);
        let to = escape::escape_line(&step.to);
        let note = escape::escape_line(&step.note);
        let when = page.relative_time(&step.at);
        page.line(format!(
            "Passed on by {by} to {to}, {when}{}",
            join_after_colon(&note)
        ));
    }
    write_body(escalation, page);
}

fn describe_act(by: &str, at: &str, page: &Page) -> String {
    match by {
        "" => String::new(),
        by => format!("{}, {}", escape::escape_line(by), page.relative_time(at)),
    }
}

/// Writes the text, the options, the routes and the ending.
fn write_body(escalation: &Escalation, page: &mut Page) {
    let details = &escalation.details;
    if !escalation.reason.is_empty() {
        page.blank();
        page.line(escape::escape_block(escalation.reason.trim_end()));
    }
    if let Some(choice) = &details.decision {
        page.blank();
        for (number, option) in choice.options.iter().enumerate() {
            page.line(format!("  {}. {}", number + 1, escape::escape_line(option)));
        }
        if !choice.default.is_empty() {
            let default = escape::escape_line(&choice.default);
            page.line(format!(
                "  default {}: {default}",
                page.relative_time(&choice.deadline)
            ));
        }
    }
    if !details.deliveries.is_empty() {
        page.blank();
    }
    for delivery in &details.deliveries {
        page.line(format!("  {}", describe_delivery(delivery)));
    }
    page.blank();
    if escalation.is_open() {
        page.line(format!("→ {}", escalation.next_step()));
    } else if details.answer.is_empty() {
        page.line(format!(
            "Closed: {}",
            escape::escape_line(&escalation.closed_reason)
        ));
    } else {
        page.line(format!("Answer: {}", escape::escape_block(&details.answer)));
    }
}

fn join_after_colon(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!(": {text}")
}
