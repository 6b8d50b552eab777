//! `gt prime`.

use std::io::Read;

use clap::Args;

use super::{Answer, answer};
use crate::context::Context;
use crate::prime::{self, Prime};

/// Print the context of this session: role, identity, work, prior work of the convoy, mail.
///
/// Same input, same output. With `--hook` it is what an agent CLI runs at session start and before compaction: it
/// reads that CLI's JSON from standard input and records the session.
#[derive(Debug, Args)]
pub(super) struct PrimeArgs {
    /// Read the agent CLI's hook JSON from standard input and record the session.
    #[arg(long)]
    hook: bool,
    /// Show each part with its source and size instead of the text.
    #[arg(long)]
    explain: bool,
    /// Record nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: &PrimeArgs) -> Answer {
    let town = ctx.town()?;
    let found = prime::prime(&town, &town.actor)?;
    if args.hook && !args.dry_run {
        let event = read_event();
        let field = |key: &str| {
            event
                .get(key)
                .and_then(|value| value.as_str())
                .unwrap_or_default()
        };
        let id = match field("session_id") {
            "" => ctx.env.get("CLAUDE_SESSION_ID").unwrap_or_default(),
            id => id,
        };
        prime::session_began(&town, id, field("source"));
    }
    let explain = args.explain;
    answer(found, move |found, page| {
        if explain {
            explained(found, page);
        } else {
            page.line(found.text.trim_end());
        }
    })
}

/// The hook's JSON; nothing or nonsense on standard input is an empty event.
fn read_event() -> serde_json::Value {
    const LIMIT: u64 = 1024 * 1024;
    let mut text = String::new();
    let stdin = std::io::stdin();
    if std::io::IsTerminal::is_terminal(&stdin) {
        return serde_json::Value::Null;
    }
    // An agent CLI that hands in no readable text still gets its context.
    stdin.take(LIMIT).read_to_string(&mut text).ok();
    serde_json::from_str(&text).unwrap_or_default()
}

fn explained(found: &Prime, page: &mut bd::ui::Page) {
    page.line(format!("{} bytes for {}", found.text.len(), found.address));
    for part in &found.parts {
        let cut = if part.cut > 0 {
            format!(", {} bytes cut", part.cut)
        } else {
            String::new()
        };
        let tokens = part.bytes.div_ceil(4);
        page.line(format!(
            "  {:<9} {:>5} bytes, about {tokens} tokens, from {}{cut}",
            part.name, part.bytes, part.source
        ));
    }
}
