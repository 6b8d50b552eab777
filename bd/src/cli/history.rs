use serde_json::{Value, json};

use crate::context::Context;
use crate::store::event::{Difference, Event};
use crate::ui::{Page, Report, escape};

use super::report::Answer;

/// Fields of which several parts may lose in one merge.
const PARTS: [&str; 2] = ["comments", "dependencies"];

/// Show what happened to a bead: who changed which field from what to what, and when.
///
/// As JSON an array of changes, oldest first, each with `event` (for `bd undo`), `timestamp`, `actor`,
/// `session`, `type` and `changes`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// Only the last so many; 0 for all
    #[arg(short = 'n', long, default_value_t = 0, value_name = "N")]
    limit: usize,
}

pub(super) fn run(ctx: &Context, args: &Args) -> Answer {
    let store = ctx.store_of(&args.id)?;
    let snapshot = store.snapshot()?;
    let mut id = args.id.clone();
    let mut events = store.events_of(&id)?;
    // A bead that was removed has its history too; any other name is looked up.
    if events.is_empty() && snapshot.head(&id).is_none() {
        id.clone_from(&snapshot.resolve(&id)?.id);
        events = store.events_of(&id)?;
    }
    if args.limit > 0 && events.len() > args.limit {
        events.drain(..events.len() - args.limit);
    }
    Ok(Box::new(History { id, events }))
}

/// The events of one bead.
#[derive(Debug)]
struct History {
    id: String,
    events: Vec<Event>,
}

impl History {
    fn steps(&self) -> impl Iterator<Item = (&Event, &Difference, bool)> {
        let mut last: Option<&str> = None;
        let changes = self
            .events
            .iter()
            .flat_map(|event| event.changes.iter().map(move |change| (event, change)));
        changes
            .filter(|(_, change)| change.id == self.id)
            .map(move |(event, change)| {
                let before = change.before.as_deref();
                // Someone edited the file, or merged it, between the two.
                let outside = last.is_some() && before.is_some() && last != before;
                last = change.after.as_deref().or(last);
                (event, change, outside)
            })
    }
}

impl Report for History {
    fn json(&self) -> Value {
        self.steps()
            .map(|(event, change, outside)| {
                let fields: Vec<Value> = change
                    .fields()
                    .into_iter()
                    .map(|(field, old, new)| {
                        json!({"field": field, "old": parsed(old), "new": parsed(new)})
                    })
                    .collect();
                let lost = lost_values(change).into_iter();
                let lost: Value = lost
                    .map(|(field, value)| json!({"field": field, "value": value}))
                    .collect();
                json!({
                    "event": event.id,
                    "timestamp": event.at,
                    "actor": event.actor,
                    "session": event.session,
                    "type": change.sort().as_str(),
                    "verb": event.verb,
                    "undoes": event.undoes,
                    "outside_before": outside,
                    "changes": fields,
                    "lost": lost,
                })
            })
            .collect()
    }

    fn human(&self, page: &mut Page) {
        if self.events.is_empty() {
            page.line(format!(
                "No history of {} in this clone",
                escape::line(&self.id)
            ));
            return;
        }
        for (event, change, outside) in self.steps() {
            let style = page.style().clone();
            if outside {
                page.line("(edited or merged outside of bd)");
            }
            let verb = if event.verb.is_empty() {
                change.sort().as_str().to_owned()
            } else if event.undoes.is_empty() {
                event.verb.clone()
            } else {
                format!("{} of {}", event.verb, event.undoes)
            };
            page.line(format!(
                "{}  {}  {}  {}",
                style.cyan(&escape::line(&event.id)),
                escape::line(&event.at),
                escape::line(&event.actor),
                escape::line(&verb)
            ));
            for (field, old, new) in change.fields() {
                page.cut_line(format!(
                    "    {}: {} → {}",
                    escape::line(field),
                    shown(old),
                    shown(new)
                ));
            }
            for (field, value) in lost_values(change) {
                let field = escape::line(field);
                page.cut_line(format!("    lost in the merge: {field} {}", plain(value)));
            }
        }
    }
}

/// The values that lost in a merge, each by itself: several comments or edges stand in one list.
fn lost_values(change: &Difference) -> Vec<(&str, Value)> {
    let mut found = Vec::new();
    for (field, raw) in change.lost.iter().flat_map(|lost| &lost.0) {
        match parsed(Some(raw.get())) {
            Value::Array(values) if PARTS.contains(&field.as_str()) => {
                found.extend(values.into_iter().map(|value| (field.as_str(), value)));
            }
            value => found.push((field, value)),
        }
    }
    found
}

/// A value for `--json`.
pub(super) fn parsed(raw: Option<&str>) -> Value {
    raw.and_then(|raw| serde_json::from_str(raw).ok())
        .unwrap_or_default()
}

/// A value on one line.
pub(super) fn shown(raw: Option<&str>) -> String {
    plain(parsed(raw))
}

fn plain(value: Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => escape::line(&text),
        other => escape::line(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_several_comments_that_lost_is_shown() {
        let change: Difference = serde_json::from_str(
            r#"{"id":"a","old":{},"new":{},"lost":{"comments":[{"text":"x"},{"text":"y"}],"labels":["l"],"dependencies":{"k":1}}}"#,
        )
        .unwrap();
        let found = lost_values(&change);
        assert_eq!(
            found,
            [
                ("comments", json!({"text": "x"})),
                ("comments", json!({"text": "y"})),
                ("labels", json!(["l"])),
                ("dependencies", json!({"k": 1})),
            ]
        );
    }
}
