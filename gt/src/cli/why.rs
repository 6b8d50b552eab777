//! `gt why`.

use bd::ui::escape;

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::town::event::EventLine;
use crate::view::why::{self, Explanation};

/// Explain what happened, and which rule decided
///
/// Of a bead, convoy, merge request or agent: its events, and its present state if it is queued or its worker is stuck. With `--json` the events.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A bead, convoy, merge request, or an agent's name or address
    what: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let Explanation { events, now } = why::why(&town, &args.what)?;
    let what = args.what.clone();
    answer(events, move |events, page| {
        if events.is_empty() {
            page.line(format!("nothing is recorded about {}", escape::line(&what)));
        }
        for event in events {
            line(event, page);
        }
        for text in &now {
            page.line(format!("now: {}", escape::line(text)));
        }
    })
}

fn line(event: &EventLine, page: &mut bd::ui::Page) {
    page.line(format!(
        "{}  {:<16} by {}",
        page.moment(&event.ts),
        event.kind,
        escape::line(&event.actor)
    ));
    for (key, value) in &event.payload {
        let text = match value {
            serde_json::Value::Null => continue,
            // What stood on a screen reads line by line.
            serde_json::Value::Array(lines) if key == "screen" => {
                page.line(format!("    {key}:"));
                for text in lines.iter().filter_map(serde_json::Value::as_str) {
                    page.line(format!("      | {}", escape::line(text)));
                }
                continue;
            }
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        page.line(format!("    {key}: {}", escape::line(&text)));
    }
}
