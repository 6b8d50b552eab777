//! `gt daemon logs`.

use kit::sys::ChildCommand;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;

/// Show the end of the daemon's log
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The number of lines
    #[arg(short = 'n', long, default_value_t = 50)]
    lines: usize,
    /// Follow the log
    #[arg(short, long)]
    follow: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let log = daemon::log_path(&town.layout);
    anyhow::ensure!(log.is_file(), "there is no log yet: {}", log.display());
    if args.follow {
        let lines = args.lines.to_string();
        ChildCommand::new("tail")
            .args(["-n", &lines, "-F", "--"])
            .arg(&log)
            .run_attached()?;
        return build_report(Vec::<String>::new(), |_, _| {});
    }
    let text = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
    let all: Vec<&str> = text.lines().collect();
    let start = all.len().saturating_sub(args.lines);
    let last: Vec<String> = all[start..].iter().map(|line| (*line).to_owned()).collect();
    build_report(last, |lines, page| {
        for line in lines {
            page.line(kit::ui::escape::escape_line(line));
        }
    })
}
