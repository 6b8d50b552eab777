//! `gt trail hooks`.

use serde::Serialize;
use serde_json::Value;

use super::{CommandResult, Context, RangeArgs, build_report};
use gt::town::event::{EventLine, NewestEvents};
use gt::view::feed::describe_event;

/// The events that put a bead on a hook or take it off.
const HOOK_EVENTS: &[&str] = &["sling", "unhook", "release", "done", "attempt_failed"];

/// List the beads that went on hooks and off them, newest first
///
/// With `--json` an array of {timestamp, type, actor, bead?, text}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    range: RangeArgs,
}

#[derive(Debug, Serialize)]
struct HookChange {
    timestamp: String,
    #[serde(rename = "type")]
    kind: String,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bead: Option<String>,
    text: String,
}

impl HookChange {
    fn from_event(event: EventLine) -> Self {
        let bead = event.payload.get("bead").and_then(Value::as_str);
        Self {
            text: describe_event(&event),
            bead: bead.map(str::to_owned),
            timestamp: event.ts,
            kind: event.kind,
            actor: event.actor,
        }
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let range = args.range.to_range(&town)?;
    let limit = if range.limit == 0 {
        usize::MAX
    } else {
        range.limit
    };
    let newest = NewestEvents::new(&town.layout)?.since(range.since);
    let changes: Vec<HookChange> = newest
        .filter(|event| {
            event.as_ref().map_or(true, |event| {
                let at: Option<jiff::Timestamp> = event.ts.parse().ok();
                let is_late = at.is_some_and(|at| range.since.is_none_or(|since| at >= since));
                is_late && HOOK_EVENTS.contains(&event.kind.as_str())
            })
        })
        .take(limit)
        .map(|event| event.map(HookChange::from_event))
        .collect::<Result<_, _>>()?;
    build_report(changes, |changes, page| {
        if changes.is_empty() {
            page.line("no bead went on a hook");
        }
        for change in changes {
            let time = page.relative_time(&change.timestamp);
            let actor = kit::ui::escape::escape_line(&change.actor);
            page.cut_line(format!("{time:<15}  {actor:<20}  {}", change.text));
        }
    })
}
