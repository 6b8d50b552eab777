//! `gt why`.

use jiff::Timestamp;
use kit::ui::{Page, escape};
use serde_json::Value;

use super::{CommandResult, build_empty_report, build_report, pager};
use crate::context::Context;
use crate::since::parse_at;
use gt::town::event::EventLine;
use gt::view::feed::describe_event;
use gt::view::past::NOT_KNOWN;
use gt::view::why::{self, Explanation};

/// Explain what happened and why
///
/// Of a bead, convoy, merge request, agent, rig or plugin: where it stands and since when, the
/// command that would move it on, and its events, one line each. Each automatic action names what it
/// saw; `--rules` adds the rule of the patrol that decided. On a terminal it uses a pager as git
/// does: `GIT_PAGER`, `PAGER`, else less.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A bead, convoy, merge request, rig or plugin, or an agent's name or address
    what: String,
    /// Show at most N events, the last; 0 for all
    #[arg(short = 'n', long, default_value_t = 0, value_name = "N")]
    limit: usize,
    /// Explain the state at this time, rebuilt from history: 14:32, 2h, 2026-03-01
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    at: Option<String>,
    /// Also name the rules of the patrol that decided
    #[arg(long)]
    rules: bool,
    /// Do not use a pager
    #[arg(long)]
    no_pager: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mut found = match &args.at {
        Some(text) => why::explain_name_at(&town, &args.what, parse_at(text, town.clock.now())?)?,
        None => why::explain_name(&town, &args.what)?,
    };
    let older = match args.limit {
        0 => 0,
        limit => found.events.len().saturating_sub(limit),
    };
    found.events.drain(..older);
    if !args.no_pager {
        let mut page = ctx.ui.page();
        write_explanation(&found, older, args.rules, &mut page);
        if pager::show_in_pager(ctx, page.text()) {
            return build_empty_report();
        }
    }
    build_report(found, move |found, page| {
        write_explanation(found, older, args.rules, page);
    })
}

pub(super) fn write_explanation(
    found: &Explanation,
    older: usize,
    shows_rules: bool,
    page: &mut Page,
) {
    if let Some(at) = found.at {
        write_past_header(at, page);
    }
    for (number, text) in found.now.iter().enumerate() {
        let text = escape::escape_line(text);
        page.line(if number == 0 {
            page.style().bold(&text)
        } else {
            format!("  {text}")
        });
    }
    for command in &found.next_steps {
        page.line(format!("  → {}", escape::escape_line(command)));
    }
    if shows_rules && let Some(rule) = &found.rule {
        page.line(format!("  last decided: {}", escape::escape_line(rule)));
    }
    if !found.now.is_empty() && !found.events.is_empty() {
        page.blank();
    }
    if older > 0 {
        page.line(format!("({older} older events: -n 0)"));
    }
    for event in &found.events {
        write_event_line(event, shows_rules, page);
    }
    if found.events.is_empty() {
        page.line("nothing is recorded about it yet");
    }
}

/// Writes the instant that is shown, and what is not known about it.
pub(super) fn write_past_header(at: Timestamp, page: &mut Page) {
    let time = page.local_time(&at.to_string());
    page.line(page.style().bold(&format!("At {time}")));
    page.line(page.style().dim(&format!("({NOT_KNOWN})")));
}

/// Data keys of an event that its sentence omits and an explanation shows.
const DETAIL_KEYS: &[&str] = &[
    "saw",
    "dropped",
    "reason",
    "because",
    "exit",
    "signal",
    "rescue",
    "snapshot",
    "moved_to",
    "waits_for",
    "request",
];

fn write_event_line(event: &EventLine, shows_rules: bool, page: &mut Page) {
    let sentence = describe_event(event);
    let by = escape::escape_line(&event.actor);
    page.line(format!(
        "{}  {sentence}  by {by}",
        page.local_time(&event.ts)
    ));
    for (key, value) in &event.payload {
        let raw_text = match value {
            // The text of a screen is printed line by line.
            Value::Array(lines) if key == "screen" => {
                for text in lines.iter().filter_map(Value::as_str) {
                    page.line(format!("      | {}", escape::escape_line(text)));
                }
                continue;
            }
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Array(texts) => {
                let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                texts.join(", ")
            }
            _ => continue,
        };
        let text = escape::escape_line(&raw_text);
        // The digits of a number may occur in an id, so a number is never taken as part of the
        // sentence.
        let is_told = !value.is_number() && sentence.contains(&text);
        let is_detail = DETAIL_KEYS.contains(&key.as_str()) || (shows_rules && key == "rule");
        if is_detail && !text.is_empty() && !is_told {
            page.line(format!("      {key}: {text}"));
        }
    }
}
