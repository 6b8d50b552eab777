use serde::Serialize;

use crate::context::Context;
use crate::line;
use crate::report::PlainBead;
use bd::graph::epic::{self, EpicProgress};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::Page;

/// Show how many children of each open epic are closed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Filter on epics whose children are all closed
    #[arg(long)]
    eligible_only: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut epics = epic::open_epics(&ctx.store()?.snapshot()?);
    epics.retain(|epic| !args.eligible_only || epic.is_done());
    report_epics(epics)
}

#[derive(Serialize)]
struct EpicStatus {
    epic: PlainBead,
    total_children: usize,
    closed_children: usize,
    eligible_for_close: bool,
}

/// Reports the progress of epics.
pub(super) fn report_epics(epics: Vec<EpicProgress>) -> CommandResult {
    let epics: Vec<EpicStatus> = epics
        .into_iter()
        .map(|progress| EpicStatus {
            total_children: progress.children,
            closed_children: progress.closed,
            eligible_for_close: progress.is_done(),
            epic: PlainBead(progress.epic),
        })
        .collect();
    build_report(epics, |epics, page| write_epics(epics, page))
}

fn write_epics(epics: &[EpicStatus], page: &mut Page) {
    if epics.is_empty() {
        page.line("No open epics found");
    }
    for EpicStatus {
        epic,
        total_children: children,
        closed_children: closed,
        eligible_for_close,
    } in epics
    {
        let style = page.style().clone();
        let mark = line::paint_symbol(&style, &epic.status);
        line::write_fitted(
            page,
            &format!("{mark} {} ", style.cyan(&epic.id)),
            &epic.title,
            "",
        );
        let percent = (closed * 100).checked_div(*children).unwrap_or(0);
        let next = if *eligible_for_close {
            "; close it with 'bd epic close-eligible'"
        } else {
            ""
        };
        page.line(format!(
            "   {closed}/{children} children closed ({percent}%){next}"
        ));
    }
}
