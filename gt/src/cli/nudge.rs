//! `gt nudge`.

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::host::Sent;
use crate::host::runtime;
use crate::town::identity::SessionName;

/// Type a message into an agent's session
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent: RIG/NAME, RIG/crew/NAME, mayor, ...
    agent: String,
    /// The message
    #[arg(required = true)]
    message: Vec<String>,
}

#[derive(serde::Serialize)]
struct Nudged {
    agent: String,
    session: String,
    delivered: bool,
    how: &'static str,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let agent = town.address(&args.agent)?;
    let session = SessionName::of(&agent)
        .ok_or_else(|| anyhow::anyhow!("`{agent}` is a person: send mail instead"))?;
    let text = format!("[from {}] {}", town.actor, args.message.join(" "));
    let input = runtime::input_of(&town, &agent);
    let (delivered, how) = match town.host.send(session.as_str(), &text, &input)? {
        Sent::Submitted => (true, "submitted"),
        Sent::Typed => (false, "typed, but it still stands in the input line"),
        Sent::DialogOpen => (false, "not typed: a dialog is open"),
        Sent::DraftInTheWay => (false, "not typed: a draft stands in the input line"),
    };
    let payload = serde_json::json!({
        "rig": agent.rig(), "target": agent.to_string(), "reason": text, "delivered": delivered,
    });
    town.tell("nudge", payload);
    anyhow::ensure!(
        delivered,
        "{agent} did not get the message: {how} (gt peek {agent})"
    );
    let nudged = Nudged {
        agent: agent.to_string(),
        session: session.to_string(),
        delivered,
        how,
    };
    answer(nudged, |nudged, page| {
        page.line(format!("✓ {} {}", nudged.agent, nudged.how));
    })
}
