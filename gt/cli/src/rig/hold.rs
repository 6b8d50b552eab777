//! Parts of `gt rig park`, `dock`, `stop` and their opposites, and of `gt estop`.

use kit::ui::{Page, counted, escape};

use super::super::{CommandResult, build_report, build_report_with_exit};
use crate::context::Context;
use gt::flow::agent::down::InterruptedWorker;
use gt::flow::agent::hold::{self, HoldReport};
use gt::town::hold::HoldState;

/// Parks or docks rigs.
pub(super) fn hold_rigs(ctx: &Context, rigs: &[String], state: HoldState) -> CommandResult {
    let town = ctx.open_town()?;
    let found = rigs.iter().map(|name| town.find_rig(name));
    let found = found.collect::<anyhow::Result<Vec<_>>>()?;
    let mut held = Vec::new();
    for rig in &found {
        held.push(hold::hold_rig(&town, rig, state)?);
    }
    build_report(held, |held, page| {
        for one in held {
            write_hold(one, page);
        }
    })
}

/// Ends the parking or docking of rigs. The exit code is 1 if nothing is started in one of them all
/// the same.
pub(super) fn release_rigs(ctx: &Context, rigs: &[String], state: HoldState) -> CommandResult {
    let town = ctx.open_town()?;
    let found = rigs.iter().map(|name| town.find_rig(name));
    let found = found.collect::<anyhow::Result<Vec<_>>>()?;
    let mut released = Vec::new();
    for rig in &found {
        released.push(hold::release_rig(&town, rig, state)?);
    }
    let exit = u8::from(released.iter().any(|one| one.held.is_some()));
    build_report_with_exit(exit, released, |released, page| {
        for one in released {
            write_release(one, page);
        }
    })
}

/// Writes the new hold of a rig or of the town.
pub(in super::super) fn write_hold(report: &HoldReport, page: &mut Page) {
    if let Some(hold) = &report.held {
        let already = if report.changed { "" } else { " already" };
        page.line(format!("✓ {}{already}: nothing is started", hold.reason));
    }
    let count = counted(report.sessions.len(), "session");
    page.line(format!("  {count} ended"));
    write_stopped(&report.stopped, page);
    if let Some(hold) = &report.held {
        page.line(format!("  → {}", hold.next));
    }
}

/// Writes the end of a hold.
pub(in super::super) fn write_release(report: &HoldReport, page: &mut Page) {
    let (name, word) = match report.state {
        HoldState::Parked => (format!("rig {}", report.rig), "parked"),
        HoldState::Docked => (format!("rig {}", report.rig), "docked"),
        HoldState::Stopped => ("the town".to_owned(), "stopped"),
    };
    if let Some(hold) = &report.held {
        page.line(format!("! {}: nothing is started", hold.reason));
        page.line(format!("  → {}", hold.next));
    } else if report.changed {
        page.line(format!(
            "✓ {name} is no longer {word}: the daemon starts the agents with work again"
        ));
    } else {
        page.line(format!("{name} was not {word}"));
    }
}

/// Writes the workers that were stopped during their work.
pub(super) fn write_stopped(stopped: &[InterruptedWorker], page: &mut Page) {
    for worker in stopped {
        let title = escape::escape_line(&worker.title);
        page.cut_line(format!("  {} keeps {} {title}", worker.worker, worker.bead));
        if let Some(snapshot) = &worker.snapshot {
            page.line(format!("    not committed yet; a copy is in {snapshot}"));
        }
    }
}
