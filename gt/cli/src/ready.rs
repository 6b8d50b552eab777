//! `gt ready`.

use kit::ui::{Page, counted, escape};

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::view::ready::{self, ReadySource, ReadyWork};

/// List the ready beads of the town and all rigs
///
/// Ready is an open bead that nothing blocks and that is not deferred. The most urgent beads of
/// each rig come first. With `--json` one object {sources: [{name, issues[], error?}],
/// summary{total, by_source{}, p0_count, p1_count, p2_count, p3_count, p4_count}, town_root}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only beads of this rig
    #[arg(long)]
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let found = ready::read_ready_work(&town, args.rig.as_deref())?;
    build_report(found, write_ready_work)
}

fn write_ready_work(found: &ReadyWork, page: &mut Page) {
    for source in &found.sources {
        write_source(source, page);
    }
    if found.summary.total == 0 {
        page.line("no bead is ready");
        return;
    }
    page.blank();
    page.line(format!(
        "{} ready; gt sling BEAD RIG gives one to a worker",
        counted(found.summary.total, "bead")
    ));
}

fn write_source(source: &ReadySource, page: &mut Page) {
    if source.beads.is_empty() && source.error.is_none() {
        return;
    }
    page.blank();
    page.line(page.style().bold(&format!(
        "{} ({})",
        escape::escape_line(&source.name),
        counted(source.beads.len(), "bead")
    )));
    if let Some(error) = &source.error {
        let text = format!("  ! cannot be read: {}", escape::escape_line(error));
        page.line(page.style().yellow(&text));
    }
    for bead in &source.beads {
        let assignee = match bead.assignee.as_str() {
            "" => String::new(),
            name => format!("  ({})", escape::escape_line(name)),
        };
        page.cut_line(format!(
            "  P{} {:<12} {}{assignee}",
            bead.priority,
            bead.id,
            escape::escape_line(&bead.title)
        ));
    }
}
