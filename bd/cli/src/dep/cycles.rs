use crate::context::Context;
use crate::report::PlainBead;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation, build_report};

/// Find a dependency cycle
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: &Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let Some(circle) = change::find_cycle(&snapshot) else {
        return build_confirmation([(); 0], |_, page| {
            page.line("✓ No dependency cycles detected");
        });
    };
    let beads: Vec<PlainBead> = circle
        .iter()
        .filter_map(|id| snapshot.get(id).cloned())
        .map(PlainBead)
        .collect();
    build_report([beads], move |_, page| {
        let all = circle.join(" → ");
        let first = &circle[0];
        page.line(format!("⚠ Found a dependency cycle: {all} → {first}"));
    })
}
