//! Lists who did what: commits, changes of beads, and events of the town, newest first.

use bd::store::Store;
use jiff::Timestamp;
use serde::Serialize;

use super::feed::describe_event;
use super::trail::{self, TrailRange};
use crate::town::Town;
use crate::town::event::NewestEvents;

/// One thing that someone did.
#[derive(Debug, Clone, Serialize)]
pub struct AuditEntry {
    #[serde(rename = "timestamp")]
    pub at: Timestamp,
    /// `git`, `beads` or `events`.
    pub source: &'static str,
    #[serde(rename = "type")]
    pub kind: String,
    pub actor: String,
    pub summary: String,
    /// The commit or the bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Lists the entries of actors whose name contains `actor`.
pub fn list_entries(
    town: &Town,
    range: &TrailRange,
    actor: Option<&str>,
) -> anyhow::Result<Vec<AuditEntry>> {
    let mut entries = Vec::new();
    // The newest entries of all are among the newest of each source, unless an actor is asked for.
    let each = match actor {
        None => *range,
        Some(_) => TrailRange { limit: 0, ..*range },
    };
    for commit in trail::list_commits(town, &each, true)? {
        entries.push(AuditEntry {
            at: commit.at,
            source: "git",
            kind: "commit".to_owned(),
            actor: commit.author,
            summary: commit.subject,
            id: Some(commit.short_hash),
        });
    }
    add_bead_changes(&town.open_town_store()?, &mut entries)?;
    for rig in town.list_rigs()? {
        // A rig with unreadable beads hides no other rig; `gt status` reports it.
        if let Ok(store) = rig.store() {
            add_bead_changes(&store, &mut entries)?;
        }
    }
    entries.extend(list_events(town, range, actor)?);
    if let Some(actor) = actor {
        entries.retain(|entry| entry.actor.contains(actor));
    }
    range.cut(&mut entries, |entry| entry.at);
    Ok(entries)
}

/// Lists the last events of actors whose name contains `actor`, oldest first.
fn list_events(
    town: &Town,
    range: &TrailRange,
    actor: Option<&str>,
) -> anyhow::Result<Vec<AuditEntry>> {
    let mut entries = Vec::new();
    for line in NewestEvents::new(&town.layout)?.since(range.since) {
        let line = line?;
        let Ok(at) = line.ts.parse() else { continue };
        if actor.is_some_and(|actor| !line.actor.contains(actor)) {
            continue;
        }
        entries.push(AuditEntry {
            at,
            source: "events",
            summary: describe_event(&line),
            kind: line.kind,
            actor: line.actor,
            id: None,
        });
        if range.limit > 0 && entries.len() == range.limit {
            break;
        }
    }
    entries.reverse();
    Ok(entries)
}

fn add_bead_changes(store: &Store, entries: &mut Vec<AuditEntry>) -> anyhow::Result<()> {
    for event in store.events()? {
        let Ok(at) = event.at.parse() else { continue };
        for change in &event.changes {
            let kind = change.kind().as_str();
            let fields: Vec<&str> = change.fields().iter().map(|field| field.name).collect();
            let summary = match kind {
                "create" | "delete" => format!("{kind}d {}", change.id),
                _ => format!("changed {} of {}", fields.join(", "), change.id),
            };
            entries.push(AuditEntry {
                at,
                source: "beads",
                kind: kind.to_owned(),
                actor: event.actor.clone(),
                summary,
                id: Some(change.id.clone()),
            });
        }
    }
    Ok(())
}
