//! `gt trail commits`.

use kit::ui::escape;

use super::{CommandResult, Context, RangeArgs, build_report};
use gt::view::trail;

/// List the last commits of agents in all rigs
///
/// Reads the branches of the rigs' repositories, newest commit first. Commits that are not on the
/// rig's target are marked.
///
/// With `--json` an array of {rig, hash, short_hash, author, email, date, date_relative, subject,
/// is_agent, merged}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    range: RangeArgs,
    /// List the commits of users, too
    #[arg(long)]
    all: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let commits = trail::list_commits(&town, &args.range.to_range(&town)?, args.all)?;
    let all = args.all;
    build_report(commits, move |commits, page| {
        if commits.is_empty() && all {
            page.line("no commits");
        } else if commits.is_empty() {
            page.line("no commits of agents (--all lists those of users, too)");
        }
        for commit in commits {
            page.cut_line(format!(
                "{} {:<8} {:<20} {:<15} {}{}",
                commit.short_hash,
                commit.rig,
                escape::escape_line(&commit.author),
                page.relative_time(&commit.at.to_string()),
                if commit.merged { "" } else { "(not merged) " },
                escape::escape_line(&commit.subject)
            ));
        }
    })
}
