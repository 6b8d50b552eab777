//! `gt peek`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::session::show;

/// Show the last lines of an agent's screen
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent: RIG/NAME, RIG/crew/NAME, mayor, ...
    agent: String,
    /// The number of lines, as an argument
    #[arg(hide = true, conflicts_with = "lines")]
    count: Option<usize>,
    /// The number of lines
    #[arg(short = 'n', long, default_value_t = 100)]
    lines: usize,
}

#[derive(serde::Serialize)]
struct PeekReport {
    agent: String,
    session: String,
    lines: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = town.parse_agent(&args.agent)?;
    let lines = show::read_screen(&town, &agent, args.count.unwrap_or(args.lines))?;
    let peeked = PeekReport {
        agent: agent.to_string(),
        session: show::session_name_of(&agent)?.to_string(),
        lines,
    };
    build_report(peeked, |peeked, page| {
        for line in &peeked.lines {
            page.line(kit::ui::escape::escape_line(line));
        }
    })
}
