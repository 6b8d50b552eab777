use super::super::line;
use super::super::report::PlainBead;
use crate::context::Context;
use bd::molecule::gate;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// List gates, oldest first
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also list closed gates
    #[arg(short, long)]
    all: bool,
    /// Show at most N gates; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let found = gate::list_gates(&snapshot, args.all).into_iter();
    let most = if args.limit == 0 {
        usize::MAX
    } else {
        args.limit
    };
    let gates: Vec<PlainBead> = found.take(most).cloned().map(PlainBead).collect();
    build_report(gates, |gates, page| write_gates(gates, page))
}

fn write_gates(gates: &[PlainBead], page: &mut Page) {
    if gates.is_empty() {
        page.line("No open gates");
    }
    for gate in gates {
        let style = page.style().clone();
        let symbol = line::paint_symbol(&style, &gate.status);
        let when = page.relative_time(&gate.created_at.to_string());
        let prefix = format!("{symbol} {}: ", style.cyan(&gate.id));
        let tail = format!(
            " ({}, {when})",
            escape::escape_line(&super::describe_condition(gate))
        );
        line::write_fitted(page, &prefix, &gate.title, &tail);
    }
    if let Some(gate) = gates.iter().find(|gate| gate.is_open()) {
        page.line(format!(
            "Next: bd gate check, or bd gate resolve {}",
            gate.id
        ));
    }
}
