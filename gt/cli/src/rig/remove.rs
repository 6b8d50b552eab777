//! `gt rig remove`.

use super::super::{CommandResult, ask, build_report};
use crate::context::Context;
use gt::flow::place::rig;

/// Remove a rig from the town's list, and keep its folder
///
/// Lists the rig's unfinished work, and asks before it is left behind. `gt rig add NAME` takes the
/// folder back, with its beads and saved work. Refuses while a session of the rig runs. With
/// `--json` {name, path, unfinished?[]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig
    name: String,
    /// Leave unfinished work behind without a question
    #[arg(short, long, alias = "yes", short_alias = 'y')]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let unfinished = rig::find_unfinished(&town, &args.name)?;
    if !unfinished.is_empty() && !args.force && !is_confirmed(ctx, &args.name, &unfinished)? {
        anyhow::bail!("{} stays on the town's list", args.name);
    }
    let removed = rig::remove_rig(&town, &args.name)?;
    build_report(removed, |removed, page| {
        page.line(format!("{} is off the town's list.", removed.name));
        page.line(format!(
            "Its folder is still there: {}",
            removed.path.display()
        ));
        if !removed.unfinished.is_empty() {
            page.line("Left unfinished in it:");
        }
        for line in &removed.unfinished {
            page.cut_line(format!("  {line}"));
        }
        page.line("To take it back with its beads and saved work:");
        page.line(format!("  gt rig add {}", removed.name));
    })
}

/// Asks the user whether unfinished work is left behind. Fails without a terminal.
fn is_confirmed(ctx: &Context, name: &str, unfinished: &[String]) -> anyhow::Result<bool> {
    let list = unfinished.join("\n  ");
    anyhow::ensure!(
        ask::can_ask(ctx),
        "rig {name} has unfinished work; --force leaves it behind in its folder:\n  {list}"
    );
    ctx.ui
        .status(&format!("Rig {name} has unfinished work:\n  {list}"));
    ask::ask_yes_no(ctx, "Remove it from the town's list?", false)
}
