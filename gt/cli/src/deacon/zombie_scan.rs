//! `gt deacon zombie-scan`.

use jiff::SignedDuration;
use kit::ui::escape;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::deacon::zombies::find_zombies;

/// List processes that ended sessions left behind
///
/// Only processes that carry the token of a session of this town are listed, and only if that
/// session is gone. Nothing is ended without `--kill`. With `--json` a list of {pid, program,
/// session, age_secs, ended}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only list them; this is the default
    #[arg(short = 'n', long, conflicts_with = "kill")]
    dry_run: bool,
    /// Leave out processes that are younger
    #[arg(long, value_name = "TIME", default_value = "60s")]
    min_age: SignedDuration,
    /// End the processes that are found
    #[arg(long)]
    kill: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let found = find_zombies(
        &ctx.open_town()?,
        args.min_age.unsigned_abs(),
        args.kill && !args.dry_run,
    )?;
    build_report(found, move |found, page| {
        if found.is_empty() {
            page.line("✓ no process without a session");
        }
        for zombie in found {
            let mark = if zombie.ended { "✓ ended" } else { "○" };
            let pid = zombie.pid;
            let program = escape::escape_line(&zombie.program);
            let session = escape::escape_line(&zombie.session);
            let age = zombie.age_secs / 60;
            page.cut_line(format!(
                "{mark} {pid} {program} of {session}, running for {age} min"
            ));
        }
        if !args.kill && !found.is_empty() {
            page.line("  → gt deacon zombie-scan --kill");
        }
    })
}
