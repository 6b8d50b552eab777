//! `gt uninstall`.

use std::path::PathBuf;

use kit::ui::escape::escape_line;

use super::{CommandResult, ask, build_report};
use crate::context::Context;
use gt::flow::agent::down;
use gt::flow::agent::uninstall::{self, StayingRig, UninstallItem};

/// Stop the town and remove what Gas Town wrote outside of it
///
/// Removes the systemd unit, completions, man pages, and the shell integration.
/// The town's folder stays with all work, and so do the programs. Asks first. With `--json`
/// {removed[{kind, path}], town, rigs[{name, unfinished[]}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Ask nothing
    #[arg(short, long, alias = "yes", short_alias = 'y')]
    force: bool,
    /// Only list what would be removed
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(serde::Serialize)]
struct UninstallReport {
    removed: Vec<UninstallItem>,
    /// The town's folder, which stays.
    town: PathBuf,
    rigs: Vec<StayingRig>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let items = uninstall::list_items(&town);
    let rigs = uninstall::list_staying_rigs(&town)?;
    let is_done = !args.dry_run;
    if is_done {
        if !args.force && !is_confirmed(ctx, &items)? {
            anyhow::bail!("nothing was removed");
        }
        down::stop_town(&town, false)?;
        for item in &items {
            uninstall::remove_item(item)?;
        }
    }
    let report = UninstallReport {
        removed: items,
        town: town.layout.root().to_owned(),
        rigs,
    };
    build_report(report, move |report, page| {
        let word = if is_done { "removed" } else { "would remove" };
        if report.removed.is_empty() {
            page.line("nothing of Gas Town is outside of the town");
        }
        for item in &report.removed {
            page.line(format!(
                "{word} {}: {}",
                item.kind.name(),
                item.path.display()
            ));
        }
        page.blank();
        page.line(format!("the town stays: {}", report.town.display()));
        for rig in &report.rigs {
            page.line(format!("  rig {}", rig.name));
            for line in &rig.unfinished {
                page.cut_line(format!("    {}", escape_line(line)));
            }
        }
        page.line("the programs stay: remove them with the tool that installed them");
    })
}

/// Asks the user. Fails without a terminal.
fn is_confirmed(ctx: &Context, items: &[UninstallItem]) -> anyhow::Result<bool> {
    anyhow::ensure!(
        ask::can_ask(ctx),
        "this stops the town and removes {}: --dry-run lists them, --force asks nothing",
        kit::ui::counted(items.len(), "file")
    );
    for item in items {
        ctx.ui
            .status(&format!("{}: {}", item.kind.name(), item.path.display()));
    }
    ask::ask_yes_no(ctx, "Stop the town and remove these?", false)
}
