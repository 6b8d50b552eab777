//! Commands over the shape of the work: `epic`, `lint`.

use super::{Project, ids};

#[test]
fn epics_are_closed_when_all_their_children_are() {
    let project = Project::new();
    assert_eq!(project.ok(&["epic", "status"]), "No open epics found\n");
    let epic = project.make("Epic", &["-t", "epic"]);
    let empty = project.make("Empty", &["-t", "epic"]);
    let child = project.make("Child", &["--parent", &epic]);
    let status = project.json(&["epic", "status"]);
    assert_eq!(status.as_array().unwrap().len(), 2);
    assert_eq!(
        project.ok(&["epic", "close-eligible"]),
        "No epics eligible for closure\n"
    );
    assert_eq!(project.ok(&["epic", "close-eligible", "--json"]), "[]\n");
    project.ok(&["close", &child]);
    let done = project.json(&["epic", "status", "--eligible-only"]);
    let own = &done[0];
    assert_eq!(own["epic"]["id"], epic.as_str());
    let counts = (
        &own["total_children"],
        &own["closed_children"],
        &own["eligible_for_close"],
    );
    assert_eq!(counts, (&1.into(), &1.into(), &true.into()));
    assert!(
        project
            .ok(&["epic", "status"])
            .contains("1/1 children closed (100%)")
    );
    assert_eq!(
        project.json(&["epic", "close-eligible", "--dry-run"])[0]["epic"]["id"],
        epic.as_str()
    );
    assert_eq!(project.shown(&epic)["status"], "open");
    let closed = project.json(&["epic", "close-eligible"]);
    assert_eq!(
        (&closed["closed"][0], &closed["count"]),
        (&epic.as_str().into(), &1.into())
    );
    assert_eq!(
        project.shown(&epic)["close_reason"],
        "All children completed"
    );
    assert_eq!(ids(&project.json(&["list"])), [empty.as_str()]);
    assert_eq!(project.run(&["epic", "nosuch"]).code, 1);
}

#[test]
fn lint_names_missing_headings() {
    let project = Project::new();
    let bug = project.make("B", &["-t", "bug", "-d", "## steps to reproduce\nx"]);
    project.make("C", &["-t", "chore"]);
    let found = project.json(&["lint"]);
    assert_eq!((&found["total"], &found["issues"]), (&1.into(), &1.into()));
    let own = &found["results"][0];
    assert_eq!(
        (&own["id"], &own["missing"][0]),
        (&bug.as_str().into(), &"Acceptance Criteria".into())
    );
    let ran = project.run(&["lint"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("⚠ Missing: Acceptance Criteria"),
        "{}",
        ran.out
    );
    project.ok(&[
        "update",
        &bug,
        "-d",
        "Steps to reproduce, acceptance criteria",
    ]);
    assert_eq!(project.run(&["lint", &bug]).code, 0);
    assert!(project.json(&["lint"])["results"].is_null());
    assert_eq!(project.run(&["lint", "bd-none"]).code, 1);
}

/// The events are enough: folded in order, they give the labels.
#[test]
fn state_labels_can_be_rebuilt_from_their_events() {
    let project = Project::new();
    let bead = project.make("Agent", &["-l", "kept"]);
    let changes = [
        "health=failing",
        "mode=fast",
        "health=healthy",
        "mode=slow",
        "mode=fast",
        "health=healthy",
    ];
    for change in changes {
        project.ok(&["set-state", &bead, change]);
    }
    let events = project.json(&["list", "--all", "--parent", &bead, "--sort", "created"]);
    let mut events = events.as_array().unwrap().clone();
    events.sort_by_key(|event| {
        let id = event["id"].as_str().unwrap();
        id.rsplit('.').next().unwrap().parse::<u32>().unwrap()
    });
    assert_eq!(events.len(), 5, "one that changed nothing is none");
    let mut states = std::collections::BTreeMap::new();
    for event in &events {
        let title = event["title"].as_str().unwrap();
        let change = title.strip_prefix("State change: ").unwrap();
        let (dimension, value) = change.split_once(" → ").unwrap();
        states.insert(dimension.to_owned(), value.to_owned());
    }
    let labels = states
        .iter()
        .map(|(dimension, value)| format!("{dimension}:{value}"));
    let mut labels: Vec<String> = labels.chain(["kept".to_owned()]).collect();
    labels.sort();
    assert_eq!(project.shown(&bead)["labels"], serde_json::json!(labels));
}
