//! `gt polecat status`.

use kit::ui::{Page, counted, escape};

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::desk::DeskProgress;
use gt::record::polecat::{MergeResult, RecordSummary, WorkCompletion};
use gt::view::polecat::PolecatStatus;

/// Show one polecat: state, work, sandbox and session
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The polecat: RIG/NAME
    polecat: String,
    /// The name, if only the rig comes before it
    #[arg(hide = true)]
    name: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let polecat = match args.name {
        Some(name) => format!("{}/{name}", args.polecat),
        None => args.polecat,
    };
    let (rig, name) = super::parse_polecat(&town, &polecat)?;
    build_report(PolecatStatus::read(&town, &rig, &name)?, write_status)
}

pub(crate) fn write_status(shown: &PolecatStatus, page: &mut Page) {
    let row = &shown.row;
    page.line(format!(
        "{} {}/{}: {} ({})",
        row.state_sign(),
        row.rig,
        row.name,
        row.word,
        row.why
    ));
    if let Some(issue) = &row.issue {
        page.line(format!(
            "  work:     {issue}, session {} on it",
            shown.sessions
        ));
    }
    let sandbox = shown.clone_path.display();
    if shown.clone_path.exists() {
        page.line(format!("  sandbox:  {sandbox}"));
        let branch = shown.current_branch.as_deref().unwrap_or("(detached)");
        page.line(format!(
            "  branch:   {branch}, {}",
            counted(shown.uncommitted, "uncommitted file")
        ));
    } else {
        page.line(format!("  sandbox:  {sandbox} (not there)"));
    }
    if let Some(desk) = &shown.desk {
        page.line(format!(
            "  desk:     number {}, ports {} to {}, {}",
            desk.slot,
            desk.first_port(),
            desk.last_port(),
            desk.name
        ));
    }
    match &shown.desk_progress {
        Some(DeskProgress::Running { step, since, .. }) => page.line(format!(
            "  {step}:    runs, begun {}",
            page.relative_time(&since.to_string())
        )),
        Some(DeskProgress::Failed { step, end, log }) => {
            page.line(format!(
                "  {step}:    failed ({end}), log {}",
                log.display()
            ));
        }
        None => {}
    }
    if let Some(host) = &row.host {
        page.line(format!("  host:     {host}"));
    }
    let session = match (&row.unreachable, row.session_running) {
        (Some(_), _) => "not known",
        (None, true) => "runs",
        (None, false) => "none",
    };
    page.line(format!("  session:  {session}, lease {}", row.lease));
    if let Some(jail) = &shown.jail {
        page.line(format!("  jail:     {}", escape::escape_line(jail)));
    }
    if let Some(failed) = &row.failed_step {
        page.line(format!(
            "  gt done stopped at {}",
            escape::escape_line(failed)
        ));
    }
    if let Some(reason) = &row.stuck {
        page.line(format!("  stuck:    {}", escape::escape_line(reason)));
    }
    if let Some(ended) = &row.last_end {
        page.line(format!(
            "  ended:    the session of lease {} {}, at {}",
            ended.lease,
            ended.describe(),
            page.relative_time(&ended.at)
        ));
        for line in &ended.screen {
            page.line(format!("    | {}", escape::escape_line(line)));
        }
    }
    if let Some(progress) = &row.progress {
        page.line(format!("  progress: {}", progress.describe(page.now())));
    }
    if let Some(hired) = &shown.hired {
        page.line(format!("  persona:  {}", escape::escape_line(hired)));
    }
    page.line(format!(
        "  record:   {}",
        describe_summary(&RecordSummary::new(&shown.record))
    ));
    for entry in shown.record.iter().rev().take(5) {
        write_completion_line(entry, page);
    }
}

/// Describes a record in one line: `2 of 3 merged, 1 as submitted, median 5m`.
pub(crate) fn describe_summary(summary: &RecordSummary) -> String {
    if summary.finished == 0 {
        return "nothing finished yet".to_owned();
    }
    let median = match summary.median_seconds {
        Some(seconds @ ..120) => format!(", median {seconds}s"),
        Some(seconds) => format!(", median {}m", seconds / 60),
        None => String::new(),
    };
    format!(
        "{} of {} merged, {} as submitted{median}",
        summary.merged, summary.finished, summary.first_time_green
    )
}

fn write_completion_line(entry: &WorkCompletion, page: &mut Page) {
    let result = entry
        .result
        .map_or_else(|| entry.outcome.name(), MergeResult::name);
    let model = match &entry.model {
        None => String::new(),
        Some(model) => format!(", {}", escape::escape_line(model)),
    };
    let gates = match entry.gate_failures {
        0 => String::new(),
        times => format!(", gates failed {times}×"),
    };
    page.line(format!(
        "    {} {} {result} ({}s, {}{model}{gates})",
        page.relative_time(&entry.at),
        entry.bead,
        entry.seconds,
        counted(entry.sessions, "session")
    ));
}
