use serde::Serialize;

use crate::context::Context;
use bd::bead::Bead;
use bd::graph::swarm::{SwarmStatus, closed_at};
use jiff::tz::TimeZone;
use kit::cli::report::{CommandResult, build_report};
use kit::sys::env::local_time_zone;
use kit::ui::{Page, escape};

/// Show the progress of an epic's children
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The epic, or its swarm
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let epic = super::find_epic(&snapshot, &args.id)?;
    let status = SwarmStatus::for_epic(&snapshot, &epic.id);
    let zone = local_time_zone();
    let list_members = |beads: &[&Bead]| -> Vec<SwarmMember> {
        beads
            .iter()
            .map(|bead| SwarmMember::new(bead, &zone))
            .collect()
    };
    let blocked = status.blocked.iter().map(|(bead, needs)| SwarmMember {
        blocked_by: needs.iter().map(|id| (*id).to_owned()).collect(),
        ..SwarmMember::new(bead, &zone)
    });
    let report = kit::report_value! {
        epic_id: epic.id.clone(),
        epic_title: epic.title.clone(),
        total_issues: status.total(),
        completed: list_members(&status.completed),
        active: list_members(&status.active),
        ready: list_members(&status.ready),
        blocked: blocked.collect::<Vec<_>>(),
        progress_percent: status.percent(),
        active_count: status.active.len(),
        ready_count: status.ready.len(),
        blocked_count: status.blocked.len()
    };
    build_report(report, |report, page| {
        let done = report.completed.len();
        let total = report.total_issues;
        let title = escape::escape_line(&report.epic_title);
        page.line(format!("{}: {title}", report.epic_id));
        page.line(format!(
            "  {done} of {total} closed ({:.0}%)",
            report.progress_percent
        ));
        write_group("Active", &report.active, page);
        write_group("Ready", &report.ready, page);
        write_group("Blocked", &report.blocked, page);
        write_group("Completed", &report.completed, page);
    })
}

/// A child of the epic.
#[derive(Serialize)]
struct SwarmMember {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    assignee: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_at: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<String>,
}

impl SwarmMember {
    fn new(bead: &Bead, zone: &TimeZone) -> Self {
        Self {
            id: bead.id.clone(),
            title: bead.title.clone(),
            assignee: bead.assignee.clone(),
            closed_at: closed_at(bead, zone),
            blocked_by: Vec::new(),
        }
    }
}

fn write_group(name: &str, members: &[SwarmMember], page: &mut Page) {
    if !members.is_empty() {
        page.line(format!("{name}:"));
    }
    for member in members {
        let mut line = format!("  {}: {}", member.id, escape::escape_line(&member.title));
        if !member.assignee.is_empty() {
            line.push_str(&format!(" @{}", escape::escape_line(&member.assignee)));
        }
        if !member.blocked_by.is_empty() {
            line.push_str(&format!(" (after {})", member.blocked_by.join(", ")));
        }
        page.line(line);
    }
}
