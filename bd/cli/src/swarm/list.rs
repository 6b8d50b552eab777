use serde_json::json;

use crate::context::Context;
use bd::graph::swarm::{self, SwarmStatus};
use kit::ui::escape;

use kit::cli::report::{CommandResult, TextReport};

/// List the swarms
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let (mut values, mut lines) = (Vec::new(), Vec::new());
    for swarm_bead in swarm::list_swarms(&snapshot) {
        let epic = swarm::epic_of_swarm(&snapshot, swarm_bead);
        let epic_id = epic.map_or("", |epic| epic.id.as_str());
        let status = SwarmStatus::for_epic(&snapshot, epic_id);
        let (done, total) = (status.completed.len(), status.total());
        values.push(json!({
            "id": swarm_bead.id,
            "title": swarm_bead.title,
            "epic_id": epic_id,
            "epic_title": epic.map_or("", |epic| epic.title.as_str()),
            "status": swarm_bead.status.as_str(),
            "coordinator": swarm_bead.assignee,
            "total_issues": total,
            "completed_issues": done,
            "active_issues": status.active.len(),
            "progress_percent": status.percent(),
        }));
        let title = escape::escape_line(&swarm_bead.title);
        lines.push(format!(
            "{} [{}] {title}: {done} of {total} closed, {} active",
            swarm_bead.id,
            swarm_bead.status,
            status.active.len()
        ));
    }
    if lines.is_empty() {
        lines.push("No swarms found".to_owned());
    }
    TextReport::lines(json!({"swarms": values}), lines).into_answer()
}
