use serde_json::{Value, json};

use crate::context::Context;
use crate::line;
use crate::report::plain_json;
use bd::graph::epic::{self, EpicProgress};
use kit::cli::report::CommandResult;
use kit::ui::{Page, Report};

/// Show how many children of each open epic are closed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only epics whose children are all closed
    #[arg(long)]
    eligible_only: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut epics = epic::open_epics(&ctx.store()?.snapshot()?);
    epics.retain(|epic| !args.eligible_only || epic.is_done());
    Ok(Box::new(EpicStatusReport(epics)))
}

#[derive(Debug)]
pub(super) struct EpicStatusReport(pub(super) Vec<EpicProgress>);

impl Report for EpicStatusReport {
    fn json(&self) -> Value {
        let epic_json = |progress: &EpicProgress| {
            json!({
                "epic": plain_json(&progress.epic),
                "total_children": progress.children,
                "closed_children": progress.closed,
                "eligible_for_close": progress.is_done(),
            })
        };
        self.0.iter().map(epic_json).collect()
    }

    fn human(&self, page: &mut Page) {
        if self.0.is_empty() {
            page.line("No open epics found");
        }
        for EpicProgress {
            epic,
            children,
            closed,
        } in &self.0
        {
            let style = page.style().clone();
            let mark = line::paint_symbol(&style, &epic.status);
            line::write_fitted(
                page,
                &format!("{mark} {} ", style.cyan(&epic.id)),
                &epic.title,
                "",
            );
            let percent = (closed * 100).checked_div(*children).unwrap_or_default();
            let next = if *children > 0 && closed == children {
                "; close it with 'bd epic close-eligible'"
            } else {
                ""
            };
            page.line(format!(
                "   {closed}/{children} children closed ({percent}%){next}"
            ));
        }
    }
}
