//! `gt crew pristine`.

use super::super::{CommandResult, build_report_with_exit};
use crate::context::Context;
use gt::flow::place::crew::{self, UpdatedClone};

/// Bring the clones of crew members up to date
///
/// Moves each branch forward to its remote. A branch that would need a merge and uncommitted work
/// stay unchanged. With `--json` an array of {name, rig, had_changes, pulled, pull_error?, synced}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    members: super::MemberOrAll,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let members = args.members.select(ctx, &town)?;
    let updated: anyhow::Result<Vec<UpdatedClone>> = members
        .iter()
        .map(|(rig, name)| crew::update_clone(rig, name))
        .collect();
    let updated = updated?;
    let exit = u8::from(updated.iter().any(|clone| clone.pull_error.is_some()));
    build_report_with_exit(exit, updated, |updated, page| {
        if updated.is_empty() {
            page.line("no crew yet: gt crew add NAME adds one");
        }
        for clone in updated {
            let work = if clone.had_changes {
                ", with uncommitted work"
            } else {
                ""
            };
            match &clone.pull_error {
                None => page.line(format!(
                    "✓ {}/{} is up to date{work}",
                    clone.rig, clone.name
                )),
                Some(error) => page.line(format!("! {}", kit::ui::escape::escape_line(error))),
            }
        }
    })
}
