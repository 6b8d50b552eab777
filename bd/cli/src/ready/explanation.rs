//! Renders the reasons why beads are not ready, as JSON or as text.

use serde_json::{Value, json};

use crate::line;
use crate::report::LazyJson;
use bd::bead::{Bead, record};
use bd::graph::explain::NotReadyReason;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Reports the reasons why beads are not ready.
pub(super) fn report_reasons(items: Vec<(Bead, Vec<NotReadyReason>)>) -> CommandResult {
    let report = LazyJson {
        data: items,
        to_json: |items| items.iter().map(bead_to_json).collect(),
    };
    build_report(report, |report, page| write_reasons(&report.data, page))
}

fn bead_to_json((bead, reasons): &(Bead, Vec<NotReadyReason>)) -> Value {
    let reasons: Vec<Value> = reasons
        .iter()
        .map(|reason| json!({"rule": reason.rule(), "subject": reason.subject(), "text": reason.to_string()}))
        .collect();
    let bead = record::bead_to_json_value(bead);
    json!({"id": bead["id"], "title": bead["title"], "status": bead["status"], "priority": bead["priority"], "reasons": reasons})
}

fn write_reasons(items: &[(Bead, Vec<NotReadyReason>)], page: &mut Page) {
    if items.is_empty() {
        page.line("✨ Nothing is blocked");
        return;
    }
    page.line(format!("🚫 Not ready ({}):", items.len()));
    page.blank();
    for (bead, reasons) in items {
        let style = page.style().clone();
        let line_start = format!(
            "[{}] {}: ",
            line::paint_priority(&style, bead.priority),
            style.cyan(&escape::escape_line(&bead.id))
        );
        line::write_fitted(page, &line_start, &bead.title, "");
        for reason in reasons {
            page.cut_line(format!("    {}", escape::escape_line(&reason.to_string())));
        }
    }
}
