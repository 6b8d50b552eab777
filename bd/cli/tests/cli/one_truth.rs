//! `status`, `ready`, `ready --explain`, `blocked`, `list` and `count` agree on random stores.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Project;

/// A xorshift generator: the same stores each time.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

/// Some edges of a bead to those before it, or elsewhere.
fn edges(chance: &mut Chance, number: usize) -> Vec<Value> {
    let kinds = [
        "blocks",
        "blocks",
        "parent-child",
        "conditional-blocks",
        "waits-for",
        "related",
    ];
    let from = format!("bd-{number:02}");
    let mut edges: Vec<Value> = Vec::new();
    for _ in 0..chance.below(3) {
        let (to, kind) = match chance.below(12) {
            0 => ("external:elsewhere:thing".to_owned(), "blocks"),
            _ => {
                let to = format!("bd-{:02}", chance.below(number + 1));
                (to, kinds[chance.below(kinds.len())])
            }
        };
        let is_new = edges
            .iter()
            .all(|edge| edge["depends_on_id"] != to.as_str());
        if from != to && is_new {
            edges.push(json!({
                "issue_id": from, "depends_on_id": to, "type": kind,
                "created_at": "2026-01-01T00:00:00Z",
            }));
        }
    }
    edges
}

/// A store of some beads with random states and edges; none waits for itself.
fn random(chance: &mut Chance) -> Project {
    let mut lines = String::new();
    for number in 0..24 {
        let status = [
            "open",
            "open",
            "open",
            "in_progress",
            "blocked",
            "deferred",
            "closed",
            "hooked",
            "pinned",
        ];
        let status = status[chance.below(status.len())];
        let kind = ["task", "bug", "epic"][chance.below(3)];
        let mut bead = json!({
            "id": format!("bd-{number:02}"), "title": format!("T {number}"), "status": status,
            "priority": chance.below(5), "issue_type": kind,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        });
        match chance.below(8) {
            0 => bead["defer_until"] = json!("2090-01-01T00:00:00Z"),
            1 => bead["pinned"] = json!(true),
            _ => {}
        }
        if status == "closed" {
            bead["closed_at"] = json!("2026-01-02T00:00:00Z");
            let reason = ["Done", "It failed"][chance.below(2)];
            bead["close_reason"] = json!(reason);
        }
        bead["dependencies"] = json!(edges(chance, number));
        lines.push_str(&format!("{bead}\n"));
    }
    let project = Project::new();
    project.write(".beads/issues.jsonl", &lines);
    project
}

fn ids(project: &Project, args: &[&str]) -> BTreeSet<String> {
    let found = project.json(args);
    let found = found.as_array().unwrap().iter();
    found
        .map(|bead| bead["id"].as_str().unwrap().to_owned())
        .collect()
}

fn agrees(project: &Project) {
    let ready = ids(project, &["ready", "-n", "0"]);
    let blocked = ids(project, &["blocked", "-n", "0"]);
    let explained = ids(project, &["ready", "--explain"]);
    let summary = project.json(&["status"])["summary"].clone();
    assert_eq!(summary["ready_issues"], ready.len());
    assert_eq!(summary["blocked_issues"], blocked.len());
    assert!(ready.is_disjoint(&blocked), "{ready:?} {blocked:?}");
    assert!(ready.is_disjoint(&explained), "{ready:?} {explained:?}");
    assert!(blocked.is_subset(&explained), "{blocked:?} {explained:?}");
    for bead in project.json(&["blocked", "-n", "0"]).as_array().unwrap() {
        let by = bead["blocked_by"].as_array().unwrap();
        assert!(!by.is_empty() || bead["status"] == "blocked", "{bead}");
        assert_eq!(bead["blocked_by_count"], by.len());
    }
    let all = project.json(&["list", "--all"]);
    let pinned = |bead: &Value| bead["pinned"] == true;
    let open = all
        .as_array()
        .unwrap()
        .iter()
        .filter(|bead| bead["status"] == "open");
    for bead in open.filter(|bead| !pinned(bead)) {
        let id = bead["id"].as_str().unwrap();
        assert!(
            ready.contains(id) || explained.contains(id),
            "{bead} is neither"
        );
    }
    for status in ["open", "in_progress", "closed", "deferred"] {
        let listed = ids(project, &["list", "-n", "0", "--status", status]).len();
        assert_eq!(
            project.json(&["count", "--status", status])["count"],
            listed
        );
        assert_eq!(summary[format!("{status}_issues")], listed, "{status}");
    }
    assert_eq!(summary["total_issues"], all.as_array().unwrap().len());
}

#[test]
fn all_commands_agree_on_the_same_state() {
    let stores = if std::env::var_os("GASTOWN_STORM").is_some() {
        400
    } else {
        12
    };
    for seed in 0..stores {
        let mut chance = Chance((seed + 1_u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let project = random(&mut chance);
        agrees(&project);
        // Also while changes are not in the file yet.
        let id = format!("bd-{:02}", chance.below(24));
        project.run(&["close", &id, "--force", "-r", "It failed"]);
        let other = format!("bd-{:02}", chance.below(24));
        project.run(&["update", &other, "--status", "open"]);
        agrees(&project);
    }
}
