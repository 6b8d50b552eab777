//! `gt polecat check-recovery`.

use kit::ui::escape;

use super::super::{CommandResult, build_report, build_report_with_exit};
use crate::context::Context;
use gt::flow::agent::polecat::{self, RecoveryCheck};
use gt::record::town_view::TownView;
use gt::town::Town;

/// Check what would be lost if a polecat's sandbox were removed
///
/// Asks git and the hook, and changes nothing. With `--json` {rig, polecat, cleanup_status,
/// needs_recovery, verdict, branch?, issue?, reasons[]}; `verdict` is `SAFE_TO_NUKE` or
/// `NEEDS_RECOVERY`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The polecat: RIG/NAME
    polecat: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let view = TownView::read(&town)?;
    let (rig, name) = super::parse_polecat(&town, &args.polecat)?;
    let check = polecat::check_recovery(&view, &rig, &name)?;
    build_report(check, write_check)
}

/// Builds the report on several polecats, whose exit code is 1 if one needs recovery.
pub(super) fn report(town: &Town, view: &TownView, polecats: &[String]) -> CommandResult {
    let mut checks = Vec::new();
    for text in polecats {
        let (rig, name) = super::parse_polecat(town, text)?;
        checks.push(polecat::check_recovery(view, &rig, &name)?);
    }
    let needs_recovery = checks.iter().any(|check| check.needs_recovery);
    build_report_with_exit(u8::from(needs_recovery), checks, |checks, page| {
        for check in checks {
            write_check(check, page);
        }
    })
}

fn write_check(check: &RecoveryCheck, page: &mut kit::ui::Page) {
    let name = format!("{}/{}", check.rig, check.polecat);
    if check.needs_recovery {
        page.line(format!("! {name} has work that a removal would lose"));
    } else {
        page.line(format!("✓ nothing of {name} would be lost"));
    }
    for reason in &check.reasons {
        page.line(format!("  {}", escape::escape_line(reason)));
    }
}
