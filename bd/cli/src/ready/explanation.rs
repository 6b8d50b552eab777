//! Renders the reasons why beads are not ready, as JSON or as text.

use serde::Serialize;

use crate::line;
use bd::bead::{Bead, Status};
use bd::graph::explain::NotReadyReason;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// An open bead that is not ready.
#[derive(Debug, Serialize)]
pub(super) struct ExplainedBead {
    id: String,
    title: String,
    status: Status,
    priority: i64,
    reasons: Vec<ExplainedReason>,
}

#[derive(Debug, Serialize)]
struct ExplainedReason {
    rule: &'static str,
    subject: String,
    text: String,
}

impl ExplainedBead {
    pub(super) fn new(bead: &Bead, reasons: &[NotReadyReason]) -> Self {
        let reasons = reasons.iter().map(|reason| ExplainedReason {
            rule: reason.rule(),
            subject: reason.subject().to_owned(),
            text: reason.to_string(),
        });
        Self {
            id: bead.id.clone(),
            title: bead.title.clone(),
            status: bead.status.clone(),
            priority: bead.priority,
            reasons: reasons.collect(),
        }
    }
}

/// Reports the reasons why beads are not ready.
pub(super) fn report_reasons(beads: Vec<ExplainedBead>) -> CommandResult {
    build_report(beads, |beads, page| write_reasons(beads, page))
}

fn write_reasons(beads: &[ExplainedBead], page: &mut Page) {
    if beads.is_empty() {
        page.line("✨ Nothing is blocked");
        return;
    }
    page.line(format!("🚫 Not ready ({}):", beads.len()));
    page.blank();
    for bead in beads {
        let style = page.style().clone();
        let line_start = format!(
            "[{}] {}: ",
            line::paint_priority(&style, bead.priority),
            style.cyan(&escape::escape_line(&bead.id))
        );
        line::write_fitted(page, &line_start, &bead.title, "");
        for reason in &bead.reasons {
            let text = match reason.rule {
                "deferred" => format!("deferred until {}", page.zoned_time(&reason.subject)),
                _ => escape::escape_line(&reason.text),
            };
            page.cut_line(format!("    {text}"));
        }
    }
}
