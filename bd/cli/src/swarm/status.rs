use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::Bead;
use bd::graph::swarm::{SwarmStatus, closed_at};
use kit::sys::env::local_time_zone;
use kit::ui::escape;

use kit::cli::report::{CommandResult, TextReport};

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
    let blocked: Vec<&Bead> = status.blocked.iter().map(|(bead, _)| *bead).collect();
    let plain = |beads: &[&Bead]| {
        beads
            .iter()
            .map(|bead| bead_to_entry(bead))
            .collect::<Vec<_>>()
    };
    let waiting = status.blocked.iter().map(|(bead, needs)| {
        let mut value = bead_to_entry(bead);
        value["blocked_by"] = json!(needs);
        value
    });
    let json = json!({
        "epic_id": epic.id,
        "epic_title": epic.title,
        "total_issues": status.total(),
        "completed": plain(&status.completed),
        "active": plain(&status.active),
        "ready": plain(&status.ready),
        "blocked": waiting.collect::<Vec<_>>(),
        "progress_percent": status.percent(),
        "active_count": status.active.len(),
        "ready_count": status.ready.len(),
        "blocked_count": status.blocked.len(),
    });
    let (done, total) = (status.completed.len(), status.total());
    let mut lines = vec![
        format!("{}: {}", epic.id, escape::escape_line(&epic.title)),
        format!("  {done} of {total} closed ({:.0}%)", status.percent()),
    ];
    let groups = [
        ("Active", &status.active),
        ("Ready", &status.ready),
        ("Blocked", &blocked),
        ("Completed", &status.completed),
    ];
    for (name, beads) in groups.into_iter().filter(|(_, beads)| !beads.is_empty()) {
        lines.push(format!("{name}:"));
        for bead in beads {
            let who = match bead.assignee.as_str() {
                "" => String::new(),
                name => format!(" @{}", escape::escape_line(name)),
            };
            let needs = status.blocked.iter().find(|(other, _)| other.id == bead.id);
            let after = needs
                .map(|(_, needs)| format!(" (after {})", needs.join(", ")))
                .unwrap_or_default();
            let title = escape::escape_line(&bead.title);
            lines.push(format!("  {}: {title}{who}{after}", bead.id));
        }
    }
    TextReport::lines(json, lines).into_answer()
}

fn bead_to_entry(bead: &Bead) -> Value {
    let mut value = json!({"id": bead.id, "title": bead.title});
    if !bead.assignee.is_empty() {
        value["assignee"] = json!(bead.assignee);
    }
    if let Some(at) = closed_at(bead, &local_time_zone()) {
        value["closed_at"] = json!(at);
    }
    value
}
