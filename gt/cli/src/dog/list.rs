//! `gt dog list`.

use kit::ui::escape;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::dog;

/// List the dogs
///
/// With `--json` a list of {name, state: idle|working, work?, work_started_at?, last_active,
/// worktrees, created_at, updated_at}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let dogs = dog::list_dogs(&town)?;
    build_report(dogs, |dogs, page| {
        for dog in dogs {
            let work = escape::escape_line(&dog.work);
            let line = format!("{:<10} {:<8} {work}", dog.name, dog.state.name());
            page.line(line.trim_end());
        }
        if dogs.is_empty() {
            page.line("no dogs: gt dog add");
        }
    })
}
