//! `gt escalate list`.

use kit::ui::{Page, escape};

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::escalation::{self, Escalation, Severity};

/// List escalations, the most urgent first
///
/// With `--json` an array of beads, as `bd list --json` prints them.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// Also list escalations that are over
    #[arg(short, long)]
    all: bool,
    /// Only escalations about this bead
    #[arg(long)]
    bead: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let beads = ctx.open_town()?.open_town_store()?.snapshot()?;
    let mut found = escalation::list_escalations(&beads, args.all);
    found.retain(|escalation| {
        args.bead
            .as_ref()
            .is_none_or(|bead| *bead == escalation.related_bead)
    });
    let raw: Vec<serde_json::Value> = found
        .iter()
        .filter_map(|escalation| {
            Some(bd::bead::record::bead_to_json_value(
                beads.get(&escalation.id)?,
            ))
        })
        .collect();
    build_report(raw, move |_, page| {
        if found.is_empty() {
            page.line("no open escalations");
        }
        for escalation in &found {
            write_escalation_line(escalation, page);
        }
    })
}

fn write_escalation_line(escalation: &Escalation, page: &mut Page) {
    let mark = match escalation.severity {
        Severity::Critical => "🚨",
        Severity::High => "⚠️ ",
        Severity::Medium => "📢",
        Severity::Low => "ℹ️ ",
    };
    let state = if !escalation.is_open() {
        "closed"
    } else if escalation.is_acked() {
        "acked"
    } else {
        "open"
    };
    let kind = if escalation.details.decision.is_some() {
        " decision"
    } else {
        ""
    };
    page.cut_line(format!(
        "{mark} {} [{state}{kind}] {}",
        escalation.id,
        escape::escape_line(&escalation.title)
    ));
    let occurrences = escalation.details.occurrences;
    let count = if occurrences > 1 {
        format!(", {occurrences} times")
    } else {
        String::new()
    };
    let about = match escalation.related_bead.as_str() {
        "" => String::new(),
        bead => format!(" about {}", escape::escape_line(bead)),
    };
    page.line(format!(
        "       {} from {}{about}, {}{count}",
        escalation.severity.name(),
        escape::escape_line(&escalation.escalated_by),
        page.relative_time(&escalation.escalated_at)
    ));
    if !escalation.is_open() {
        return;
    }
    let reason = escalation.reason.trim();
    if let Some(line) = reason.lines().next().filter(|_| reason != escalation.title) {
        page.cut_line(format!("       {}", escape::escape_line(line)));
    }
    let choice = escalation.details.decision.as_ref();
    for (number, option) in choice.iter().flat_map(|choice| (1..).zip(&choice.options)) {
        let option = escape::escape_line(option);
        page.cut_line(format!("       {number}. {option}"));
    }
    page.line(format!("       → {}", escalation.next_step()));
}
