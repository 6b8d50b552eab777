//! Beads that others took back to a state which our own history knows, or away.
//!
//! From our history alone that looks as if our later changes had been lost. An event of ours that says from which
//! line to which one they led makes it whole; for all other beads that came in there is nothing to say.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::merge;
use crate::store::overlay::Merged;
use crate::store::{journal, lines};

/// An event, read only so far as it says which lines there were.
#[derive(Deserialize)]
struct Seen<'a> {
    #[serde(borrow)]
    changes: Vec<Step<'a>>,
}

#[derive(Deserialize)]
struct Step<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(default)]
    before: Option<String>,
}

/// Adds to what a merge tells where beads of `history` came from and to. `back` names those that came forward again.
pub(super) fn add(
    merged: &mut Vec<Merged>,
    history: &[u8],
    before: &[u8],
    after: &[u8],
    back: &[String],
) {
    let (old, new) = (by_id(before), by_id(after));
    let moved = |id: &str| {
        let (old, new) = (old.get(id).copied(), new.get(id).copied());
        (old != new).then_some((old, new))
    };
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for (_, span) in lines::spans(history, 0) {
        let Some(seen) = journal::open::<Seen<'_>>(&history[span]) else {
            continue;
        };
        for step in seen.changes {
            let Some((_, new)) = moved(&step.id) else {
                continue;
            };
            let is_earlier = step.before == new.map(journal::hash_text);
            if new.is_none() || is_earlier {
                ids.insert(step.id.into_owned());
            }
        }
    }
    for id in ids.into_iter().filter(|id| !back.contains(id)) {
        let Some((from, to)) = moved(&id) else {
            continue;
        };
        match merged.iter_mut().find(|own| own.id == id) {
            Some(own) => (own.from, own.to) = (from, to),
            None => merged.push(Merged {
                id,
                lost: Vec::new(),
                beside: Vec::new(),
                from,
                to,
                includes: Vec::new(),
            }),
        }
    }
}

fn by_id(text: &[u8]) -> HashMap<String, u64> {
    let rows = merge::rows(text);
    rows.map(|(id, line)| (id, xxh3_64(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::record::Fields;
    use crate::store::Event;
    use crate::store::event::Difference;

    fn event(id: &str, before: &str, after: &str) -> Vec<u8> {
        let hash = |line: &str| Some(journal::line_hash(line.as_bytes()));
        journal::encode(&Event {
            id: "e".into(),
            at: "2026-01-01T00:00:00Z".into(),
            actor: String::new(),
            session: String::new(),
            verb: String::new(),
            undoes: String::new(),
            wisps: false,
            changes: vec![Difference {
                id: id.into(),
                before: hash(before),
                beside: Vec::new(),
                after: hash(after),
                old: Some(Fields::default()),
                new: Some(Fields::default()),
                lost: None,
                includes: Vec::new(),
            }],
        })
    }

    #[test]
    fn only_what_goes_back_or_away_is_linked() {
        let line = |id: &str, title: &str| format!("{{\"id\":\"{id}\",\"title\":\"{title}\"}}");
        let text = |lines: &[String]| (lines.join("\n") + "\n").into_bytes();
        let ids = ["a", "b", "c", "d"];
        let history: Vec<u8> = ids
            .iter()
            .flat_map(|id| event(id, &line(id, "1"), &line(id, "2")))
            .collect();
        let before = text(&ids.map(|id| line(id, "2")));
        // Back, away, on, and back on purpose.
        let after = text(&[line("a", "1"), line("c", "3"), line("d", "1")]);
        let mut merged = Vec::new();
        add(&mut merged, &history, &before, &after, &["d".to_owned()]);
        let hash = |id: &str, title: &str| Some(xxh3_64(line(id, title).as_bytes()));
        let found: Vec<_> = merged
            .iter()
            .map(|own| (&*own.id, own.from, own.to))
            .collect();
        let wanted = [
            ("a", hash("a", "2"), hash("a", "1")),
            ("b", hash("b", "2"), None),
        ];
        assert_eq!(found, wanted);
    }
}
