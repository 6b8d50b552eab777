//! `gt polecat stale`.

use kit::ui::escape;
use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::polecat::{self, RecoveryCheck};
use gt::record::town_view::TownView;

/// List polecats with a sandbox but without work and session
///
/// An idle polecat costs only its files, and gets the next bead of its rig. With `--json` an array
/// of {rig, polecat, cleanup_status, needs_recovery, verdict, branch?, reasons[], removed}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only polecats of this rig
    rig: Option<String>,
    /// Remove the sandboxes of those that would lose nothing, as `gt polecat nuke` does
    #[arg(long)]
    cleanup: bool,
}

#[derive(Serialize)]
struct StalePolecat {
    #[serde(flatten)]
    check: RecoveryCheck,
    removed: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rigs = town.select_rigs(args.rig.as_deref())?;
    let view = TownView::read(&town)?;
    if let Some(reason) = &view.blind {
        anyhow::bail!("the sessions are not known: {reason}");
    }
    let mut found = Vec::new();
    for rig in rigs {
        for polecat in view.polecats_of(rig.name()) {
            let is_used = polecat.hook.is_some() || polecat.session.is_some();
            if is_used || !rig.sandbox(&polecat.name).join(".git").exists() {
                continue;
            }
            let check = polecat::check_recovery(&view, &rig, &polecat.name)?;
            let removed = args.cleanup && !check.needs_recovery;
            if removed {
                polecat::nuke_polecat(&town, &view, &rig, &polecat.name, false)?;
            }
            found.push(StalePolecat { check, removed });
        }
    }
    build_report(found, |found, page| {
        if found.is_empty() {
            page.line("every polecat with a sandbox has work");
        }
        for polecat in found {
            let name = format!("{}/{}", polecat.check.rig, polecat.check.polecat);
            let state = match (polecat.removed, polecat.check.needs_recovery) {
                (true, _) => "its sandbox is removed",
                (false, true) => "has work that a removal would lose",
                (false, false) => "would lose nothing",
            };
            page.line(format!("○ {name}: {state}"));
            for reason in &polecat.check.reasons {
                page.line(format!("    {}", escape::escape_line(reason)));
            }
        }
    })
}
