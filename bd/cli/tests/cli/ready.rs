//! `bd ready` and `bd blocked`.

use serde_json::json;

use super::{Project, ids};

#[test]
fn blocked_work_is_not_ready_and_its_reason_is_shown() {
    let project = Project::new();
    let (a, b) = (
        project.make("First", &["-e", "30"]),
        project.make("Second", &[]),
    );
    project.ok(&["dep", "add", &b, &a]);
    let ready = project.json(&["ready"]);
    assert_eq!(ids(&ready), [a.as_str()]);
    assert_eq!(
        (
            ready[0]["dependency_count"].as_i64(),
            ready[0]["comment_count"].as_i64()
        ),
        (Some(0), Some(0))
    );
    let text = project.ok(&["ready"]);
    assert!(
        text.contains("Ready work (1 issue with no blockers)") && text.contains("Estimate: 30 min"),
        "{text}"
    );
    let explained = project.json(&["ready", "--explain"]);
    assert_eq!(explained[0]["id"], b.as_str());
    assert_eq!(
        explained[0]["reasons"],
        json!([{"rule": "blocks", "subject": a, "text": format!("waits for {a}")}])
    );
    let blocked = project.json(&["blocked"]);
    assert_eq!(
        (
            blocked[0]["id"].as_str(),
            blocked[0]["blocked_by_count"].as_i64()
        ),
        (Some(b.as_str()), Some(1))
    );
    assert!(
        project
            .ok(&["blocked"])
            .contains(&format!("Blocked by 1 open dependencies: [{a}]"))
    );
    project.ok(&["close", &a]);
    assert_eq!(ids(&project.json(&["ready"])), [b.as_str()]);
    assert_eq!(project.json(&["blocked"]), json!([]));
}

#[test]
fn an_empty_ready_list_prints_a_message() {
    let project = Project::new();
    assert_eq!(project.ok(&["ready"]), "✨ No open issues\n");
    assert_eq!(project.json(&["ready"]), json!([]));
    let id = project.make("T", &[]);
    project.ok(&["update", &id, "--status", "in_progress"]);
    assert!(project.ok(&["ready"]).contains("No ready work found"));
}

#[test]
fn ready_supports_limits_orders_and_filters() {
    let project = Project::new();
    for number in 0..12 {
        project.make(
            &format!("T{number}"),
            &["-p", if number == 7 { "0" } else { "2" }],
        );
    }
    assert_eq!(project.json(&["ready"]).as_array().unwrap().len(), 10);
    assert_eq!(
        project
            .json(&["ready", "-n", "0"])
            .as_array()
            .unwrap()
            .len(),
        12
    );
    assert_eq!(project.json(&["ready", "-n", "1"])[0]["title"], "T7");
    assert_eq!(
        project.json(&["ready", "--sort", "oldest", "-n", "1"])[0]["title"],
        "T0"
    );
    assert_eq!(
        project
            .json(&["ready", "-p", "0"])
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let error = project.fails(&["ready", "--sort", "odd"]);
    assert!(
        error.contains("invalid sort policy 'odd'. Valid values: hybrid, priority, oldest"),
        "{error}"
    );
}

#[test]
fn a_deferred_bead_is_hidden_until_its_time_has_passed() {
    let project = Project::new();
    let later = project.make("Later", &["--defer", "+3d"]);
    let past = project.make("Past", &["--defer", "2020-01-01"]);
    assert_eq!(ids(&project.json(&["ready"])), [past.as_str()]);
    assert_eq!(
        project
            .json(&["ready", "--include-deferred"])
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert!(project.ok(&["ready", "--explain"]).contains(&later));
}
