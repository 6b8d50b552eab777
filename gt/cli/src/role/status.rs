//! `gt mayor status`, `gt deacon status`, …

use kit::ui::Page;

use super::{CommandResult, RoleSelector, build_report, command_of};
use crate::context::Context;
use gt::record::role::RoleMode;
use gt::view::role::{RoleStatus, read_role_status};

/// Show who does this agent's work and whether it runs
///
/// With `--json` {agent, mode, running, session, attached, created, restarts?{last_restart,
/// restart_count, backoff_until, crash_loop_since?, stopped?}, heartbeat?{timestamp, cycle,
/// last_action, healthy_agents, unhealthy_agents, actions, freshness}, paused?{paused, reason,
/// paused_at, paused_by}, last_triage?{started_at, completed_at, last_action, target?, reason,
/// error?, asked?}}. Heartbeat and pause belong to the deacon, the last triage to boot.
#[derive(Debug, clap::Args)]
pub(crate) struct Args<W: RoleSelector> {
    #[command(flatten)]
    which: W,
}

pub(crate) fn run<W: RoleSelector>(ctx: &Context, args: Args<W>) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = args.which.address(ctx, &town)?;
    let status = read_role_status(&town, &agent)?;
    let attach = command_of(&agent, "attach");
    let start = command_of(&agent, "start");
    build_report(status, move |status, page| {
        write_status(status, &start, &attach, page);
    })
}

fn write_status(status: &RoleStatus, start: &str, attach: &str, page: &mut Page) {
    let agent = &status.agent;
    match (status.running, status.attached, status.mode) {
        (true, true, _) => page.line(format!("● {agent} runs, and someone looks at its session")),
        (true, false, _) => {
            page.line(format!("● {agent} runs"));
            page.line(format!("  → {attach}"));
        }
        (false, _, RoleMode::Mechanical) => {
            page.line(format!("○ gtd does the work of {agent}"));
        }
        (false, _, RoleMode::Agent) => {
            page.line(format!("○ {agent} does not run"));
            page.line(format!("  → {start}"));
        }
    }
    if let Some(restarts) = status.restarts.as_ref().filter(|_| !status.running) {
        if restarts.stopped {
            page.line("  it was stopped, so the patrol does not start it");
        } else if let Some(since) = restarts.crash_loop_start() {
            let since = page.relative_time(&since.to_string());
            let next = page.relative_time(&restarts.backoff_until.to_string());
            page.line(format!(
                "  ! in a crash loop since {since}, next start {next}"
            ));
        }
    }
    if let Some(beat) = &status.heartbeat {
        let when = page.relative_time(&beat.beat.timestamp.to_string());
        let what = kit::ui::escape::escape_line(&beat.beat.last_action);
        page.line(format!("  heartbeat {} {when}: {what}", beat.beat.cycle));
    }
    if let Some(last) = &status.last_triage {
        let when = page.relative_time(&last.completed_at);
        let reason = kit::ui::escape::escape_line(&last.reason);
        let action = kit::ui::escape::escape_line(&last.last_action);
        page.line(format!(
            "  last look at the deacon {when}: {action}, {reason}"
        ));
    }
    if let Some(pause) = &status.paused {
        page.line(page.style().yellow(&format!("! {}", pause.describe())));
        page.line("  → gt deacon resume");
    }
}
