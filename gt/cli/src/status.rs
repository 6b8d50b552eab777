//! `gt status`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use kit::sys::watch::FolderWatch;
use kit::ui::{Page, counted, escape};

use super::why::write_past_header;
use super::{CommandResult, build_empty_report, build_report, build_report_with_exit};
use crate::context::Context;
use crate::hint::{HintTopic, show_hint_once};
use crate::since::parse_at;
use gt::host::LiveTown;
use gt::record::escalation::Severity;
use gt::record::polecat::PolecatState;
use gt::town::hold::HoldState;
use gt::view::health::{self, TownHealth};
use gt::view::offer::list_steps_for_quiet_agent;
use gt::view::past::{self, PastStatus};
use gt::view::status::{
    self, AgentStatus, ConvoyLine, EscalationLine, QueueCounts, RigSummary, TownStatus,
};

/// Show daemon, agents, rigs, merge queues and convoys
///
/// With `--json` one object {name, location, overseer{name, unread_mail}, daemon{running, pid,
/// started_at, last_heartbeat, heartbeat_count, degraded}, paused?{reason, paused_at, paused_by},
/// scheduler_paused_by?, scheduler_paused_reason?, stopped?{by, at, reason}, agents (a list of A),
/// rigs[{name, prefix, remote, polecat_count, crew_count, agents (a list of A), mq{pending,
/// blocked, needs_person}, red_targets?[{branch, commit, since, repair, repair_assignee?}], mq_failing?, waiting[], waits_for?{}, full?, queued[{title, work_bead_id, target_rig,
/// enqueued_at, failed?{at, why}}], held?{state, reason, next}}], convoys[{id, title, completed,
/// total, blocked_by[], held_up_by?{id, title, standing, why}}], escalations[{id, severity, title, from, bead?, since, acked_by,
/// deadline?, next}], summary{rig_count, polecat_count, crew_count, active_hooks}, problems[{text, next[]}]}
/// with A = {name, address, session, role, running, has_work, work_title?, hook_bead?, state?,
/// state_word?, why?, host?, unreachable?{name, since?, reason}, unread_mail}. With `--watch --json` one such object per line. With `--health --json`
/// {healthy, invariants[{invariant, says, count, faults[{invariant, subject, what}]}],
/// checked{beads, workers, merges}, problems[]}. With `--at --json` {at, agents[{agent, hook_bead?,
/// work_title?}], requests[{id, rig, bead, title, worker, since}], convoys[{id, title, completed,
/// total, blocked_by[]}], escalations[{id, severity, title, since}], unreadable[], not_known}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Keep showing it, redrawn when something changes
    #[arg(short, long, conflicts_with = "health")]
    watch: bool,
    /// Check what must always hold in a town; the exit code is 1 if something does not
    #[arg(long)]
    health: bool,
    /// Show the town at this time, rebuilt from history: 14:32, 2h, 2026-03-01
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        conflicts_with_all = ["watch", "health"]
    )]
    at: Option<String>,
    /// Accepted for scripts: nothing is left out
    #[arg(long, hide = true)]
    fast: bool,
    /// Accepted for scripts: everything is shown
    #[arg(short, long, alias = "all", hide = true)]
    verbose: bool,
    /// Accepted for scripts: it is redrawn when something changes
    #[arg(
        short = 'n',
        long,
        hide = true,
        value_name = "SECONDS",
        requires = "watch"
    )]
    interval: Option<u32>,
}

/// The number of queued beads that a rig shows by name.
const QUEUED_BEADS: usize = 5;

/// Interval at which times and sessions are refreshed if nothing changes.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    if args.watch {
        return watch_status(ctx, &town);
    }
    if let Some(text) = &args.at {
        let at = parse_at(text, town.clock.now())?;
        return build_report(past::read_past_status(&town, at)?, write_past_status);
    }
    if args.health {
        let found = health::check_health(&town)?;
        return build_report_with_exit(u8::from(!found.healthy), found, write_health);
    }
    show_hint_once(ctx, &town, HintTopic::Status);
    build_report(status::read_status(&town)?, write_status)
}

/// Repeats the status whenever its text changes, until standard output is closed.
fn watch_status(ctx: &Context, town: &LiveTown) -> CommandResult {
    let mut watched: Vec<PathBuf> = Vec::new();
    let mut changes = None;
    let mut before = None;
    loop {
        // A rig may have been added. The watch starts before the read, so that the next read finds
        // every later change.
        let folders = status::watched_folders(town);
        if changes.is_none() || folders != watched {
            let begun = FolderWatch::start(folders.iter().map(PathBuf::as_path));
            changes =
                Some(begun.context("cannot watch the town; run `gt status` without --watch")?);
            watched = folders;
        }
        let found = status::read_status(town)?;
        let mut page = ctx.ui.page();
        if ctx.ui.is_json() {
            page.line(serde_json::to_string(&found)?);
        } else {
            write_status(&found, &mut page);
        }
        if before.as_deref() != Some(page.text()) {
            let goes_on = if ctx.ui.is_json() {
                ctx.ui.stream(page.text())
            } else {
                ctx.ui.redraw(&page, before.is_none())
            };
            if !goes_on {
                return build_empty_report();
            }
            before = Some(page.text().to_owned());
        }
        if let Some(changes) = &changes {
            changes.wait_at_most(REFRESH_INTERVAL);
        }
    }
}

fn write_status(status: &TownStatus, page: &mut Page) {
    page.cut_line(page.style().bold(&format!(
        "{}  {}",
        escape::escape_line(&status.name),
        status.location
    )));
    let daemon = &status.daemon;
    let daemon = match (&daemon.moved_from, &daemon.degraded, daemon.running) {
        (Some(earlier), ..) => format!(
            "○ daemon runs for {}, where this town was before (pid {})",
            earlier.display(),
            daemon.pid
        ),
        (None, Some(reason), true) => format!("● daemon degraded: {}", escape::escape_line(reason)),
        (None, None, true) => format!("● daemon runs (pid {})", daemon.pid),
        (None, _, false) => {
            "○ daemon stopped (gt up starts it; gt mq run RIG merges by hand)".to_owned()
        }
    };
    page.cut_line(daemon);
    if let Some(pause) = &status.paused {
        page.line(page.style().yellow(&format!("! {}", pause.describe())));
        page.line("    → gt deacon resume");
    }
    if let Some(by) = &status.scheduler_paused_by {
        let by = escape::escape_line(by);
        let reason = match status.scheduler_paused_reason.as_str() {
            "" => String::new(),
            reason => format!(" ({})", escape::escape_line(reason)),
        };
        let text = format!("! the scheduler is paused by {by}{reason}: no queued bead is started");
        page.line(page.style().yellow(&text));
        page.line("    → gt scheduler resume");
    }
    if let Some(stop) = &status.stopped {
        let hold = stop.hold();
        page.line(page.style().red(&format!("! {}", hold.reason)));
        page.line(format!("    → {}", hold.next));
    }
    if status.overseer.unread_mail > 0 {
        page.line(format!(
            "📬 {} unread for {}",
            status.overseer.unread_mail,
            escape::escape_line(&status.overseer.name)
        ));
    }
    for problem in &status.problems {
        for (number, line) in problem.text.lines().map(escape::escape_line).enumerate() {
            match number {
                0 => page.line(page.style().yellow(&format!("! {line}"))),
                _ => page.line(format!("  {line}")),
            }
        }
        for command in &problem.next {
            page.line(format!("  {}", escape::escape_line(command)));
        }
    }
    for open_escalation in &status.escalations {
        write_escalation_line(open_escalation, page);
    }
    for agent in &status.agents {
        write_agent_line("", agent, page);
    }
    for rig in &status.rigs {
        write_rig(rig, page);
    }
    if status.rigs.is_empty() {
        page.blank();
        page.line("no rigs yet: gt rig add NAME GIT-URL");
    }
    write_convoys(&status.convoys, page);
}

fn write_convoys(convoys: &[ConvoyLine], page: &mut Page) {
    if !convoys.is_empty() {
        page.blank();
        page.line(page.style().bold("Convoys"));
    }
    for convoy in convoys {
        let counts = format!("{}/{}", convoy.completed, convoy.total);
        page.cut_line(format!(
            "  🚚 {} {counts:>5}  {}",
            convoy.id,
            escape::escape_line(&convoy.title)
        ));
        if !convoy.blocked_by.is_empty() {
            let text = format!("    ! blocked by {}", convoy.blocked_by.join(", "));
            page.line(page.style().red(&text));
        }
        if let Some(bead) = &convoy.held_up_by {
            let text = format!(
                "     held up by {}: {}",
                bead.id,
                escape::escape_line(&bead.why)
            );
            page.cut_line(text);
        }
    }
}

fn write_past_status(status: &PastStatus, page: &mut Page) {
    write_past_header(status.at, page);
    for rig in &status.unreadable {
        page.line(
            page.style()
                .yellow(&format!("! the beads of rig {rig} cannot be read")),
        );
    }
    for escalation in &status.escalations {
        let text = format!(
            "! {} {}: {}",
            escalation.severity,
            escalation.id,
            escape::escape_line(&escalation.title)
        );
        page.cut_line(page.style().yellow(&text));
    }
    for agent in &status.agents {
        let work = match (&agent.hook_bead, &agent.work_title) {
            (Some(id), Some(title)) => format!("{id} {}", escape::escape_line(title)),
            _ => "nothing on the hook".to_owned(),
        };
        page.cut_line(format!("{:<24}  {work}", escape::escape_line(&agent.agent)));
    }
    if !status.requests.is_empty() {
        page.blank();
        page.line(page.style().bold("Merge queue"));
    }
    for request in &status.requests {
        page.cut_line(format!(
            "  {}  {}  {}  since {}",
            request.id,
            escape::escape_line(&request.bead),
            escape::escape_line(&request.title),
            page.local_time(&request.since)
        ));
    }
    write_convoys(&status.convoys, page);
}

fn write_health(health: &TownHealth, page: &mut Page) {
    for invariant in &health.invariants {
        let mark = if invariant.count == 0 { "✓" } else { "✗" };
        page.line(format!(
            "{mark} {}: {} broken",
            invariant.says, invariant.count
        ));
        for fault in &invariant.faults {
            page.line(format!("    {}", escape::escape_line(&fault.what)));
        }
        if let Some(fault) = invariant.faults.first() {
            page.line(format!(
                "    → gt why {}",
                escape::escape_line(&fault.subject)
            ));
        }
    }
    for problem in &health.problems {
        page.line(
            page.style()
                .yellow(&format!("! not checked: {}", escape::escape_line(problem))),
        );
    }
    let checked = &health.checked;
    page.line(format!(
        "checked: {}, {}, {}",
        counted(checked.beads, "begun bead"),
        counted(checked.workers, "worker"),
        counted(checked.merges, "merge")
    ));
}

fn write_escalation_line(escalation: &EscalationLine, page: &mut Page) {
    let taken = match escalation.acked_by.as_str() {
        "" => String::new(),
        by => format!(", acknowledged by {}", escape::escape_line(by)),
    };
    let about = match escalation.bead.as_str() {
        "" => String::new(),
        bead => format!(" about {}", escape::escape_line(bead)),
    };
    let deadline = escalation.deadline.as_ref().map_or(String::new(), |at| {
        format!(", takes its default {}", page.relative_time(at))
    });
    let text = format!(
        "! {} {} from {}{about}, {}{taken}{deadline}: {}",
        escalation.severity.name(),
        escalation.id,
        escape::escape_line(&escalation.from),
        page.relative_time(&escalation.since),
        escape::escape_line(&escalation.title)
    );
    let style = page.style();
    let text = if escalation.severity == Severity::Critical {
        style.red(&text)
    } else {
        style.yellow(&text)
    };
    page.cut_line(text);
    page.line(format!("    → {}", escalation.next));
}

fn write_rig(rig: &RigSummary, page: &mut Page) {
    page.blank();
    let local = match (rig.remote, rig.pushed_beads) {
        (false, _) => ", local only",
        (true, false) => ", beads not pushed",
        (true, true) => "",
    };
    page.line(
        page.style()
            .bold(&format!("{} ({}-*{local})", rig.name, rig.prefix)),
    );
    // A stop of the whole town stands at the top.
    if let Some(hold) = rig
        .held
        .as_ref()
        .filter(|hold| hold.state != HoldState::Stopped)
    {
        let text = format!("  ! {}: nothing is started", hold.reason);
        page.line(page.style().yellow(&text));
        page.line(format!("    → {}", hold.next));
    }
    for target in &rig.red_targets {
        let [cause, repair] = target.failure.describe(|at| page.local_time(at));
        let branch = escape::escape_line(&target.branch);
        let text = format!("  ✗ {branch} is {cause}: {repair}");
        page.cut_line(page.style().red(&text));
        page.line(format!("    → gt mq list {}", rig.name));
    }
    let queue = &rig.mq;
    if *queue != QueueCounts::default() {
        page.line(format!("  ⇡ merge queue: {}", queue.describe()));
        if let Some(failing) = &rig.mq_failing {
            page.line(page.style().yellow(&format!("    ! {failing}")));
        }
        let is_waiting = queue.blocked + queue.needs_person > 0 || rig.mq_failing.is_some();
        if is_waiting && rig.red_targets.is_empty() {
            page.line(format!("    → gt mq list {}", rig.name));
        }
    }
    if !rig.waiting.is_empty() {
        let mut waiting: Vec<String> = rig
            .waiting
            .iter()
            .take(QUEUED_BEADS)
            .map(|id| match rig.waits_for.get(id) {
                Some(blockers) => format!("{id} (waits for {})", blockers.join(", ")),
                None => id.clone(),
            })
            .collect();
        let more = rig.waiting.len() - waiting.len();
        if more > 0 {
            waiting.push(format!("and {more} more (gt scheduler list)"));
        }
        page.cut_line(format!("  … queued: {}", waiting.join(", ")));
    }
    if let Some(full) = &rig.full {
        page.line(format!("    no other worker starts: {full}"));
    }
    for limit in &rig.usage_limits {
        let text = format!("    ! {}", escape::escape_line(limit));
        page.line(page.style().yellow(&text));
    }
    for waiting in &rig.queued {
        if let Some(failed) = &waiting.sling.failed {
            let text = format!(
                "    ! {} could not be slung: {}",
                waiting.sling.work_bead_id,
                escape::escape_line(&failed.why)
            );
            page.line(page.style().yellow(&text));
        }
    }
    for agent in &rig.agents {
        write_agent_line("  ", agent, page);
    }
    if rig.agents.is_empty() {
        page.line("  no workers yet");
    }
}

fn write_agent_line(indent: &str, agent: &AgentStatus, page: &mut Page) {
    let (mark, word) = agent.state_mark_and_word();
    let mut text = format!("{indent}{mark} {:<8} {:<10}", word, agent.name);
    match (&agent.hook_bead, &agent.work_title) {
        _ if matches!(
            agent.state,
            Some(PolecatState::Zombie | PolecatState::Stalled)
        ) =>
        {
            text.push_str(&format!(" {}", escape::escape_line(&agent.why)));
        }
        (Some(id), Some(title)) => text.push_str(&format!(" {id} {}", escape::escape_line(title))),
        _ => {}
    }
    if let Some(host) = &agent.host {
        text.push_str(&format!("  · on {host}"));
    }
    if agent.state.is_none() && !agent.why.is_empty() {
        text.push_str(&format!(" {}", escape::escape_line(&agent.why)));
    }
    if agent.awaited_mail() > 0 {
        text.push_str(&format!(" 📬{}", agent.awaited_mail()));
    }
    let progress = agent.progress.as_ref();
    if let Some(progress) = progress {
        text.push_str(&format!("  · {}", progress.describe_age(page.now())));
    }
    page.cut_line(text);
    if let Some(host) = &agent.unreachable {
        let state = host.describe(|since| page.local_time(&since.to_string()));
        page.line(page.style().yellow(&format!("{indent}    ! {state}")));
    }
    if let (Some(PolecatState::Stalled | PolecatState::Zombie), Some(rig)) =
        (agent.state, agent.address.split('/').next())
    {
        page.line(format!("{indent}    → gt why {rig}/{}", agent.name));
    }
    for command in &agent.waits_for_answers {
        let text = format!("{indent}    ! it waits for your answer");
        page.line(page.style().yellow(&text));
        page.line(format!("{indent}    → {}", escape::escape_line(command)));
    }
    let waits = progress.map_or_else(String::new, |progress| progress.doing.describe());
    if !waits.is_empty() {
        page.line(page.style().yellow(&format!("{indent}    ! {waits}")));
    }
    let steps = list_steps_for_quiet_agent(agent);
    if steps.is_empty() && !waits.is_empty() {
        page.line(format!("{indent}    → gt peek {}", agent.address));
    }
    for step in steps {
        page.line(format!("{indent}    → {step}"));
    }
}
