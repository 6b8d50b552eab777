//! `gt mayor start`.

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::session;
use crate::host::runtime;
use crate::town::identity::Address;

/// Start the mayor's session
///
/// A session that runs already is left alone. With `--json` {session, needs_person}: the question on its screen that only a person may answer, or null.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Use this agent runtime instead of the configured one
    #[arg(long, default_value = "")]
    agent: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let live = session::start::agent(&town, &Address::Mayor, &args.agent)?;
    let question = runtime::question_of(&town, &Address::Mayor);
    let data = serde_json::json!({ "session": live.name, "needs_person": question });
    answer(data, move |_, page| {
        page.line(format!("● the mayor runs in session {}", live.name));
        if let Some(question) = &question {
            page.line(format!("  and asks you about: {question}"));
        }
        page.line("  visit with: gt mayor attach");
    })
}
