//! `gt escalate show`.

use kit::ui::{Page, escape};

use super::super::{CommandResult, build_report};
use super::delivery_line;
use crate::context::Context;
use gt::record::escalation::Escalation;

/// Show an escalation, its routes and its answer
///
/// With `--json` {id, title, status, created_at, severity, reason, source, escalatedBy, escalatedAt, ackedBy, ackedAt,
/// closedBy, closedReason, relatedBead, originalSeverity, reescalationCount, lastReescalatedAt, lastReescalatedBy, category,
/// askedBy[], occurrences, lastSeen, decision?{options[], default, deadline}, answer, convoy, forwards[{by, to, at, note,
/// message}], deliveries[]}.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// The escalation
    escalation: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let beads = ctx.town()?.open_town_store()?.snapshot()?;
    let found = beads
        .get_live(&args.escalation)
        .and_then(Escalation::from_bead);
    build_report(
        found.ok_or_else(|| super::unknown(&args.escalation))?,
        human,
    )
}

fn human(one: &Escalation, page: &mut Page) {
    let title = escape::escape_line(&one.title);
    page.line(page.style().bold(&format!("{} {title}", one.id)));
    let details = &one.details;
    let original = match one.original_severity.as_str() {
        "" => String::new(),
        old => format!(" (was {})", escape::escape_line(old)),
    };
    page.line(format!("Severity: {}{original}", one.severity.name()));
    let by_at = |by: &str, at: &str, page: &Page| match by {
        "" => String::new(),
        by => format!("{}, {}", escape::escape_line(by), page.relative_time(at)),
    };
    let rows = [
        ("From", by_at(&one.escalated_by, &one.escalated_at, page)),
        ("Category", escape::escape_line(&details.category)),
        ("Source", escape::escape_line(&one.source)),
        ("Bead", escape::escape_line(&one.related_bead)),
        ("Convoy", escape::escape_line(&details.convoy)),
        ("Acknowledged by", by_at(&one.acked_by, &one.acked_at, page)),
        ("Closed by", escape::escape_line(&one.closed_by)),
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
        let (by, to) = (escape::escape_line(&step.by), escape::escape_line(&step.to));
        let note = escape::escape_line(&step.note);
        let when = page.relative_time(&step.at);
        page.line(format!(
            "Passed on by {by} to {to}, {when}{}",
            after_colon(&note)
        ));
    }
    body(one, page);
}

/// The text, the options, the routes, and how it ended.
fn body(one: &Escalation, page: &mut Page) {
    let details = &one.details;
    if !one.reason.is_empty() {
        page.blank();
        page.line(escape::escape_block(one.reason.trim_end()));
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
        page.line(format!("  {}", delivery_line(delivery)));
    }
    page.blank();
    if one.is_open() {
        page.line(format!("→ {}", one.next_step()));
    } else if details.answer.is_empty() {
        page.line(format!(
            "Closed: {}",
            escape::escape_line(&one.closed_reason)
        ));
    } else {
        page.line(format!("Answer: {}", escape::escape_block(&details.answer)));
    }
}

fn after_colon(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!(": {text}")
}
