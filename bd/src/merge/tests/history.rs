//! Random histories: small changes to a clone's beads, as users and agents make them.

use proptest::prelude::*;

use crate::bead::{Bead, Comment, Dep, Stamp, Status, record};

/// One step: the operation, the bead, the field, the value and the minute.
pub(super) type HistoryStep = (u8, u8, u8, u8, u8);

pub(super) fn any_steps(most: usize) -> impl Strategy<Value = Vec<HistoryStep>> {
    proptest::collection::vec((0u8..24, 0u8..8, any::<u8>(), 0u8..4, 0u8..6), 0..most)
}

/// The beads of one clone, by id.
#[derive(Debug, Clone, Default)]
pub(super) struct TestClone {
    pub(super) beads: Vec<Bead>,
    /// The number of the clone, so that two clones never create a bead at the same instant.
    pub(super) clone: u8,
}

/// Fields with text values.
const TEXTS: [&str; 34] = [
    "title",
    "description",
    "design",
    "acceptance_criteria",
    "notes",
    "spec_id",
    "assignee",
    "owner",
    "external_ref",
    "source_system",
    "compacted_at_commit",
    "sender",
    "wisp_type",
    "await_type",
    "await_id",
    "holder",
    "source_formula",
    "source_location",
    "hook_bead",
    "role_bead",
    "agent_state",
    "role_type",
    "rig",
    "mol_type",
    "work_type",
    "event_kind",
    "actor",
    "target",
    "payload",
    "x-text",
    "issue_type",
    "estimated_minutes",
    "priority",
    "due_at",
];

/// Fields with other values.
const OTHERS: [(&str, [&str; 3]); 12] = [
    ("priority", ["0", "1", "4"]),
    ("estimated_minutes", ["0", "30", "60"]),
    (
        "due_at",
        [
            "\"2026-05-01T00:00:00Z\"",
            "\"2026-05-01T02:00:00+02:00\"",
            "\"2026-06-01T00:00:00Z\"",
        ],
    ),
    (
        "defer_until",
        [
            "\"2026-05-01T00:00:00Z\"",
            "\"2026-05-02T00:00:00Z\"",
            "\"2026-06-01T00:00:00Z\"",
        ],
    ),
    ("issue_type", ["\"bug\"", "\"epic\"", "\"chore\""]),
    ("pinned", ["true", "false", "true"]),
    ("is_template", ["true", "false", "true"]),
    ("timeout", ["5", "60000000000", "7"]),
    ("quality_score", ["0.5", "0.50", "1"]),
    (
        "bonded_from",
        ["[]", "[{\"source_id\":\"a\"}]", "[{\"source_id\":\"b\"}]"],
    ),
    (
        "last_activity",
        [
            "\"2026-05-01T00:00:00Z\"",
            "\"2026-05-02T00:00:00Z\"",
            "\"2026-06-01T00:00:00Z\"",
        ],
    ),
    ("x-other", ["{\"a\": 1}", "[1,2]", "\"\\u00e9\""]),
];

impl TestClone {
    pub(super) fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for bead in &self.beads {
            text.extend(record::serialize_bead(bead));
            text.push(b'\n');
        }
        text
    }

    pub(super) fn read(text: &[u8], clone: u8) -> Self {
        let beads = crate::bead::lines::parse_lines(text.to_vec()).beads;
        Self {
            beads: beads.into_iter().map(|(_, _, bead)| *bead).collect(),
            clone,
        }
    }

    /// Returns the clone after these steps.
    pub(super) fn after(mut self, steps: &[HistoryStep]) -> Self {
        for (number, step) in steps.iter().enumerate() {
            self.step(number, *step);
        }
        self
    }

    fn step(&mut self, number: usize, (what, which, field, value, minute): HistoryStep) {
        if what == 0 || self.beads.is_empty() {
            return self.create(number, which, minute);
        }
        let at = usize::from(which) % self.beads.len();
        if what == 1 {
            self.beads.remove(at);
            return;
        }
        let target = self.beads[usize::from(field) % self.beads.len()].id.clone();
        let bead = &mut self.beads[at];
        let now = build_time(minute, 0);
        // Labels, edges and comments leave `updated_at` unchanged.
        match what {
            2..=4 => return change_label(bead, value),
            5 => return change_edge(bead, &target, value, now),
            6..=8 => return change_comment(bead, field, value, now),
            9 => bead
                .set_metadata(&format!("k{}", field % 3), value)
                .unwrap(),
            10 => close_bead(bead, value, &now),
            11 => open_bead(bead, value),
            12 => delete_bead(bead, &now),
            13..=16 => {
                let name = TEXTS[usize::from(field) % 30];
                let text = ["\"a\"", "\"b <&>\"", "\"\"", "\"d\""][usize::from(value)];
                let text = if name == "title" && value == 2 {
                    "\"t\""
                } else {
                    text
                };
                set_key_text(bead, name, text);
            }
            17 => {
                let word = format!("w{value}");
                match bead.waiters.iter().position(|waiter| *waiter == word) {
                    Some(at) => drop(bead.waiters.remove(at)),
                    None => bead.waiters.push(word),
                }
            }
            _ => {
                let (name, values) = OTHERS[usize::from(field) % OTHERS.len()];
                set_key_text(
                    bead,
                    name,
                    values.get(usize::from(value)).unwrap_or(&"null"),
                );
            }
        }
        if now > bead.updated_at {
            bead.updated_at = now;
        }
    }

    fn create(&mut self, number: usize, which: u8, minute: u8) {
        let id = if which < 3 {
            format!("bd-a.{which}")
        } else {
            format!("bd-{which}")
        };
        if self.beads.iter().any(|bead| bead.id == id) {
            return;
        }
        let nano = 1 + u32::from(self.clone) * 100_000 + u32::try_from(number).unwrap();
        let made = build_time(minute, nano);
        self.beads.push(Bead {
            id,
            title: format!("made by {}", self.clone),
            created_at: made.clone(),
            updated_at: made,
            created_by: format!("clone {}", self.clone),
            ..Bead::default()
        });
        self.beads.sort_by(|a, b| a.id.cmp(&b.id));
    }
}

fn build_time(minute: u8, nano: u32) -> Stamp {
    Stamp::parse(&format!("2026-03-01T00:{minute:02}:00.{nano:09}Z"))
}

/// Sets a key to a JSON text. `null` and an empty text remove it.
fn set_key_text(bead: &mut Bead, key: &str, value: &str) {
    let line = String::from_utf8(record::serialize_bead(bead)).unwrap();
    let mut pairs = record::parse_pairs(&line).unwrap();
    let absent = matches!(value, "null" | "\"\"");
    let raw = || serde_json::from_str(value).unwrap();
    match pairs.iter().position(|(name, _)| name == key) {
        Some(at) if absent => drop(pairs.remove(at)),
        Some(at) => pairs[at].1 = raw(),
        None if absent => {}
        None => pairs.push((key.to_owned(), raw())),
    }
    let members: Vec<_> = pairs
        .iter()
        .map(|(key, raw)| format!("{}:{}", serde_json::to_string(key).unwrap(), raw.get()))
        .collect();
    *bead = record::parse_bead(format!("{{{}}}", members.join(",")).as_bytes()).unwrap();
}

fn change_label(bead: &mut Bead, value: u8) {
    let label = format!("l{value}");
    match bead.labels.iter().position(|existing| *existing == label) {
        Some(at) => drop(bead.labels.remove(at)),
        None => bead.labels.push(label),
    }
    bead.sort_parts();
}

fn change_edge(bead: &mut Bead, target: &str, value: u8, now: Stamp) {
    let kind = ["blocks", "related", "tracks", "odd"][usize::from(value)];
    let same = |edge: &Dep| edge.depends_on_id == target && edge.kind == kind.into();
    if let Some(at) = bead.dependencies.iter().position(same) {
        bead.dependencies.remove(at);
    } else if target != bead.id {
        bead.dependencies.push(Dep {
            issue_id: bead.id.clone(),
            depends_on_id: target.to_owned(),
            kind: kind.into(),
            created_at: now,
            ..Dep::default()
        });
        bead.sort_parts();
    }
}

fn change_comment(bead: &mut Bead, field: u8, value: u8, now: Stamp) {
    let count = bead.comments.len();
    let at = usize::from(field) % count.max(1);
    match value {
        // The last comment stays, so that no number is reused.
        0 if at + 1 < count => drop(bead.comments.remove(at)),
        1 if count > 0 => bead.comments[at].text = format!("edited {field}"),
        _ => {
            let last = bead
                .comments
                .iter()
                .map(|comment| comment.id)
                .max()
                .unwrap_or(0);
            bead.comments.push(Comment {
                id: last + 1,
                issue_id: bead.id.clone(),
                author: format!("a{}", value % 2),
                text: format!("text {field}"),
                created_at: now,
                ..Comment::default()
            });
            bead.sort_parts();
        }
    }
}

fn close_bead(bead: &mut Bead, value: u8, now: &Stamp) {
    if bead.is_tombstone() {
        return;
    }
    bead.status = Status::Closed;
    bead.closed_at = Some(now.clone());
    bead.close_reason = ["", "done", "wontfix", "duplicate"][usize::from(value)].into();
}

fn open_bead(bead: &mut Bead, value: u8) {
    bead.status = ["open", "in_progress", "blocked", "deferred"][usize::from(value)].into();
    bead.closed_at = None;
    bead.close_reason.clear();
    bead.deleted_at = None;
    bead.deleted_by.clear();
    bead.original_type.clear();
}

fn delete_bead(bead: &mut Bead, now: &Stamp) {
    bead.original_type = bead.issue_type.to_string();
    bead.status = Status::Tombstone;
    bead.closed_at = None;
    bead.deleted_at = Some(now.clone());
    bead.deleted_by = "lee".into();
    bead.dependencies.clear();
}
