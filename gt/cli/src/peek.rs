//! `gt peek`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::session::show;

/// Show the last lines of an agent's screen
///
/// After the end of a worker's session they are those at its end.
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
    /// The end of the session. Missing while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<PeekedEnd>,
}

#[derive(serde::Serialize)]
struct PeekedEnd {
    /// The time, RFC 3339.
    at: String,
    /// The end in a few words: `with exit code 7`.
    how: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = town.parse_agent(&args.agent)?;
    let screen = show::read_last_screen(&town, &agent, args.count.unwrap_or(args.lines))?;
    let peeked = PeekReport {
        agent: agent.to_string(),
        session: show::session_name_of(&agent)?.to_string(),
        lines: screen.lines,
        ended: screen.end.map(|end| PeekedEnd {
            how: end.describe(),
            at: end.at,
        }),
    };
    build_report(peeked, |peeked, page| {
        if let Some(end) = &peeked.ended {
            let how = kit::ui::escape::escape_line(&end.how);
            let ago = page.relative_time(&end.at);
            page.line(format!("The session ended {how}, {ago}. Its last lines:"));
        }
        for line in &peeked.lines {
            page.line(kit::ui::escape::escape_line(line));
        }
    })
}
