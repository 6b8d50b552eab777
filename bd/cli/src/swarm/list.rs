use crate::context::Context;
use bd::graph::swarm::{self, SwarmStatus};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::escape;

/// List the swarms
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let mut swarms = Vec::new();
    for bead in swarm::list_swarms(&snapshot) {
        let epic = swarm::epic_of_swarm(&snapshot, bead);
        let epic_id = epic.map_or("", |epic| epic.id.as_str());
        let status = SwarmStatus::for_epic(&snapshot, epic_id);
        swarms.push(kit::report_value! {
            id: bead.id.clone(),
            title: bead.title.clone(),
            epic_id: epic_id.to_owned(),
            epic_title: epic.map_or("", |epic| epic.title.as_str()).to_owned(),
            status: bead.status.clone(),
            coordinator: bead.assignee.clone(),
            total_issues: status.total(),
            completed_issues: status.completed.len(),
            active_issues: status.active.len(),
            progress_percent: status.percent()
        });
    }
    build_report(kit::report_value! { swarms }, |report, page| {
        if report.swarms.is_empty() {
            page.line("No swarms found");
        }
        for swarm in &report.swarms {
            page.line(format!(
                "{} [{}] {}: {} of {} closed, {} active",
                swarm.id,
                swarm.status,
                escape::escape_line(&swarm.title),
                swarm.completed_issues,
                swarm.total_issues,
                swarm.active_issues
            ));
        }
    })
}
