//! `gt crew rename`.

use kit::ui::counted;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::crew;

/// Rename a crew member
///
/// Refuses while its session runs or a bead is on its hook. With `--json` {rig, old, new, path,
/// unread_mail}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name, or RIG/NAME
    old: String,
    /// The new name, without a rig
    new: String,
    /// The rig
    #[arg(long)]
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let names = [args.old.clone()];
    let found = super::select_members(ctx, &town, &names, args.rig.as_deref(), false)?;
    let Some((rig, old)) = found.into_iter().next() else {
        anyhow::bail!("there is no crew member `{}`: not found", args.old);
    };
    let renamed = crew::rename_member(&town, &rig, &old, &args.new)?;
    build_report(renamed, |renamed, page| {
        page.line(format!(
            "✓ {rig}/crew/{} is {rig}/crew/{} now, at {}",
            renamed.old,
            renamed.new,
            renamed.path.display(),
            rig = renamed.rig
        ));
        if renamed.unread_mail > 0 {
            page.line(format!(
                "  {} to the old name: gt mail inbox {}/{}",
                counted(renamed.unread_mail, "unread message"),
                renamed.rig,
                renamed.old
            ));
        }
    })
}
