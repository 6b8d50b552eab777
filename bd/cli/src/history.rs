use std::collections::HashMap;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::context::Context;
use bd::store::event::{BeadChange, Event, FieldChange};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// The fields of which several elements can lose in one merge.
const LIST_FIELDS: [&str; 2] = ["comments", "dependencies"];

/// Show each change of a bead: who, when, which fields
///
/// As JSON an array of changes, oldest first, each with `event` (for `bd undo`), `timestamp`,
/// `actor`, `session`, `type` and `changes`. `outside_before` means that the bead was edited or
/// merged outside of bd before the change, `sync_before` that a sync merged it with changes of
/// another clone, and whose.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// Show at most N changes, the last; 0 for all
    #[arg(short = 'n', long, default_value_t = 0, value_name = "N")]
    limit: usize,
}

impl Args {
    /// The arguments to show all changes of a bead.
    pub(super) fn of_bead(id: String) -> Self {
        Self { id, limit: 0 }
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store_for_id(&args.id)?;
    let snapshot = store.snapshot()?;
    let mut id = args.id.clone();
    let mut events = store.events_of(&id)?;
    // A removed bead has a history too. Any other name is resolved.
    if events.is_empty() && snapshot.bead_ref(&id).is_none() {
        id.clone_from(&snapshot.resolve(&id)?.id);
        events = store.events_of(&id)?;
    }
    if args.limit > 0 && events.len() > args.limit {
        events.drain(..events.len() - args.limit);
    }
    let mut history = HistoryReport {
        id,
        events,
        elsewhere: HashMap::new(),
    };
    // Most beads have one line of descent, which needs no further reading.
    if history.steps().any(|step| step.gap.is_some()) {
        history.elsewhere = store.made_elsewhere()?;
    }
    build_report(history, write_history)
}

#[derive(Debug)]
struct HistoryReport {
    id: String,
    events: Vec<Event>,
    /// The events of other clones, each with its clone.
    elsewhere: HashMap<String, String>,
}

/// The reason why a change does not begin with the line that the previous change left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "how", rename_all = "lowercase")]
enum HistoryGap<'a> {
    /// The file was edited or merged with git in between.
    Outside,
    /// The change was made in one clone to a line from before the previous change, which was made
    /// in another clone. A merge in a later event shows if the bead has both changes.
    Beside {
        /// True if the previous change was made in this clone.
        #[serde(skip)]
        here: bool,
    },
    /// A sync had merged the bead with a change from a clone other than that of this change.
    #[serde(rename = "merged")]
    Synced {
        by: &'a str,
        /// True if the merged change was made in this clone.
        #[serde(skip)]
        here: bool,
    },
}

/// A change of the bead, and the gap between the previous change and it.
#[derive(Debug)]
struct HistoryStep<'a> {
    event: &'a Event,
    change: &'a BeadChange,
    gap: Option<HistoryGap<'a>>,
}

/// A change of the bead that was already listed.
#[derive(Debug)]
struct PriorChange<'a> {
    /// The clone of the change; `None` for this clone.
    clone: Option<&'a str>,
    by: &'a str,
    /// The line that the change left.
    after: Option<&'a str>,
}

/// Explains why a change in a clone begins with a line that the last listed change did not leave.
/// `from` is the number of listed changes that the clone had before.
fn find_gap<'a>(
    seen: &[PriorChange<'a>],
    from: usize,
    before: Option<&str>,
    clone: Option<&str>,
) -> HistoryGap<'a> {
    let is_other = |change: &PriorChange<'_>| change.clone != clone;
    let left = seen.iter().rposition(|change| change.after == before);
    if left.is_some_and(|at| seen[at + 1..].iter().all(is_other)) {
        return HistoryGap::Beside {
            here: clone.is_none(),
        };
    }
    match seen.iter().skip(from).rfind(|change| is_other(change)) {
        // An earlier line came back by other means than a sync.
        Some(other) if left.is_none() => HistoryGap::Synced {
            by: other.by,
            here: other.clone.is_none(),
        },
        _ => HistoryGap::Outside,
    }
}

impl HistoryGap<'_> {
    fn describe_origin(self) -> String {
        match self {
            Self::Outside => "(edited or merged outside of bd)".to_owned(),
            Self::Beside { here } => format!(
                "(the next was made {} without the one before it)",
                describe_clone(here)
            ),
            Self::Synced { by, here } => format!(
                "(before the next, a sync merged what {} did {})",
                escape::escape_line(by),
                describe_clone(here)
            ),
        }
    }
}

fn describe_clone(is_here: bool) -> &'static str {
    if is_here {
        "in this clone"
    } else {
        "in another clone"
    }
}

impl HistoryReport {
    /// Returns the clone in which an event was recorded; `None` for this clone.
    fn clone_of(&self, event: &Event) -> Option<&str> {
        self.elsewhere.get(&event.id).map(String::as_str)
    }

    fn steps(&self) -> impl Iterator<Item = HistoryStep<'_>> {
        let mut last: Option<&str> = None;
        let mut seen: Vec<PriorChange<'_>> = Vec::new();
        let mut taken: HashMap<Option<&str>, usize> = HashMap::new();
        self.events
            .iter()
            .flat_map(|event| event.changes.iter().map(move |change| (event, change)))
            .filter(|(_, change)| change.id == self.id)
            .map(move |(event, change)| {
                let before = change.before.as_deref();
                let clone = self.clone_of(event);
                let breaks = last.is_some() && before.is_some() && last != before;
                let from = taken.get(&clone).copied().unwrap_or(0);
                let gap = breaks.then(|| find_gap(&seen, from, before, clone));
                if !matches!(gap, Some(HistoryGap::Beside { .. })) {
                    taken.insert(clone, seen.len());
                }
                last = change.after.as_deref().or(last);
                seen.push(PriorChange {
                    clone,
                    by: &event.actor,
                    after: change.after.as_deref(),
                });
                HistoryStep { event, change, gap }
            })
    }
}

impl Serialize for HistoryReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.steps().map(|step| {
            let HistoryStep { event, change, gap } = step;
            StepRecord {
                event: &event.id,
                timestamp: &event.at,
                actor: &event.actor,
                session: &event.session,
                kind: change.kind().as_str(),
                verb: &event.verb,
                undoes: &event.undoes,
                outside_before: gap == Some(HistoryGap::Outside),
                sync_before: gap.filter(|gap| *gap != HistoryGap::Outside),
                changes: change.fields(),
                lost: conflict_losers(change),
            }
        }))
    }
}

/// A change of the bead, for `--json`.
#[derive(Serialize)]
struct StepRecord<'a> {
    event: &'a str,
    timestamp: &'a str,
    actor: &'a str,
    session: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    verb: &'a str,
    undoes: &'a str,
    outside_before: bool,
    sync_before: Option<HistoryGap<'a>>,
    changes: Vec<FieldChange<'a>>,
    lost: Vec<LostValue<'a>>,
}

/// A value that lost a conflict in a merge.
#[derive(Serialize)]
struct LostValue<'a> {
    field: &'a str,
    value: Value,
}

fn write_history(history: &HistoryReport, page: &mut Page) {
    if history.events.is_empty() {
        page.line(format!(
            "No history of {} in this clone",
            escape::escape_line(&history.id)
        ));
        return;
    }
    for HistoryStep { event, change, gap } in history.steps() {
        let style = page.style().clone();
        if let Some(gap) = gap {
            page.line(gap.describe_origin());
        }
        let verb = if event.verb.is_empty() {
            change.kind().as_str().to_owned()
        } else if event.undoes.is_empty() {
            event.verb.clone()
        } else {
            format!("{} of {}", event.verb, event.undoes)
        };
        page.line(format!(
            "{}  {}  {}  {}",
            style.cyan(&escape::escape_line(&event.id)),
            page.zoned_time(&event.at),
            escape::escape_line(&event.actor),
            escape::escape_line(&verb)
        ));
        for field in change.fields() {
            page.cut_line(format!(
                "    {}: {} → {}",
                escape::escape_line(field.name),
                format_value(field.old),
                format_value(field.new)
            ));
        }
        for lost in conflict_losers(change) {
            let field = escape::escape_line(lost.field);
            page.cut_line(format!(
                "    lost in the merge: {field} {}",
                format_plain(lost.value)
            ));
        }
    }
}

/// The values that lost in a merge, one entry per comment or edge.
fn conflict_losers(change: &BeadChange) -> Vec<LostValue<'_>> {
    let mut found = Vec::new();
    for (field, raw) in change.lost.iter().flat_map(|lost| &lost.0) {
        match parse_value(raw) {
            Value::Array(values) if LIST_FIELDS.contains(&field.as_str()) => {
                found.extend(values.into_iter().map(|value| LostValue { field, value }));
            }
            value => found.push(LostValue { field, value }),
        }
    }
    found
}

fn parse_value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or(Value::Null)
}

/// Formats a value on one line.
pub(super) fn format_value(raw: Option<&RawValue>) -> String {
    format_plain(raw.map_or(Value::Null, parse_value))
}

fn format_plain(value: Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => escape::escape_line(&text),
        other => escape::escape_line(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_overruled_comment_is_shown() {
        let change: BeadChange = serde_json::from_str(
            r#"{"id":"a","old":{},"new":{},"lost":{"comments":[{"text":"x"},{"text":"y"}],"labels":["l"],"dependencies":{"k":1}}}"#,
        )
        .unwrap();
        let found = conflict_losers(&change).into_iter();
        let found: Vec<_> = found.map(|lost| (lost.field, lost.value)).collect();
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

    #[test]
    fn a_sync_is_distinguished_from_an_edit_and_a_rollback() {
        let seen = |clone, by, after| PriorChange {
            clone,
            by,
            after: Some(after),
        };
        let other = Some("b");
        let both = [
            seen(None, "alice", "1"),
            seen(None, "alice", "2"),
            seen(other, "bob", "3"),
        ];
        let beside = HistoryGap::Beside { here: false };
        assert_eq!(find_gap(&both[..2], 0, Some("1"), other), beside);
        let merged = HistoryGap::Synced {
            by: "bob",
            here: false,
        };
        assert_eq!(find_gap(&both, 2, Some("merged"), None), merged);
        // The line had that value before, so a user changed something else.
        assert_eq!(
            find_gap(&both, 3, Some("edited"), None),
            HistoryGap::Outside
        );
        assert_eq!(
            find_gap(&both[..2], 1, Some("1"), None),
            HistoryGap::Outside
        );
        assert_eq!(
            find_gap(&both[..2], 1, Some("edited"), None),
            HistoryGap::Outside
        );
    }
}
