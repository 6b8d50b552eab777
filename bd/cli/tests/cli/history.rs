//! `bd history`, `activity`, `undo`, `restore`, `show --at`.

use super::Project;

fn events(project: &Project, id: &str) -> Vec<String> {
    let history = project.json(&["history", id]);
    let steps = history.as_array().unwrap().iter();
    steps
        .map(|step| step["event"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_change_shows_its_actor_and_both_values() {
    let project = Project::new();
    let id = project.make("One", &["-p", "1"]);
    project.ok(&["--actor", "eve", "update", &id, "--title", "Two"]);
    let history = project.json(&["history", &id]);
    assert_eq!(history[0]["type"], "create");
    let last = &history[1];
    assert_eq!(
        (&last["actor"], &last["type"]),
        (&"eve".into(), &"update".into())
    );
    assert_eq!(
        last["changes"][0],
        serde_json::json!({"field": "title", "old": "One", "new": "Two"})
    );
    let activity = project.json(&["activity", "--type", "create"]);
    assert_eq!(activity.as_array().unwrap().len(), 1);
    assert_eq!(activity[0]["issue_id"].as_str(), Some(id.as_str()));
}

#[test]
fn an_undo_reverts_the_whole_transaction_and_can_be_undone() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    project.ok(&["close", &a, &b]);
    project.ok(&["undo"]);
    for id in [&a, &b] {
        let bead = &project.json(&["show", id])[0];
        assert_eq!(bead["status"], "open");
        assert!(bead["closed_at"].is_null() && bead["close_reason"].is_null());
    }
    let closed = events(&project, &a)[1].clone();
    let again = project.ok(&["undo"]);
    assert!(
        again.contains(&format!("so {closed} holds again")),
        "{again}"
    );
    assert_eq!(project.json(&["show", &a])[0]["status"], "closed");
}

#[test]
fn an_undo_without_a_change_is_refused() {
    let project = Project::new();
    project.make("A", &[]);
    let said = project.fails(&["undo", "--last", "0"]);
    assert!(said.contains("--last takes 1 or more"), "{said}");
    let said = project.fails(&["undo", ""]);
    assert!(said.contains("no event ''"), "{said}");
}

#[test]
fn a_partial_undo_counts_the_changes_that_remain() {
    let project = Project::new();
    let id = project.make("A", &[]);
    project.ok(&["update", &id, "--claim"]);
    project.ok(&["update", &id, "--title", "B"]);
    let undone = project.run(&["undo", "--last", "5"]);
    assert_eq!(undone.code, 0, "{}", undone.err);
    let told = [
        "history has 3 of the 5 changes",
        "a claim",
        "2 of 3 stay unchanged",
    ];
    for part in told {
        assert!(undone.err.contains(part), "{part}: {}", undone.err);
    }
    assert_eq!(project.json(&["show", &id])[0]["title"], "A");
}

#[test]
fn creates_and_deletes_can_be_undone() {
    let project = Project::new();
    let id = project.make("A", &["-l", "x"]);
    project.ok(&["undo"]);
    project.fails(&["show", &id]);
    project.ok(&["undo"]);
    assert_eq!(project.json(&["show", &id])[0]["labels"][0], "x");
    let other = project.make("B", &["--deps", &id]);
    project.ok(&["delete", &id, "--force"]);
    project.ok(&["undo"]);
    assert_eq!(project.json(&["show", &id])[0]["title"], "A");
    assert_eq!(
        project.json(&["show", &other])[0]["dependencies"][0]["id"].as_str(),
        Some(id.as_str())
    );
}

#[test]
fn an_undo_keeps_later_edits_or_is_refused() {
    let project = Project::new();
    let id = project.make("A", &[]);
    project.ok(&["update", &id, "--title", "B"]);
    let titled = events(&project, &id)[1].clone();
    project.ok(&["label", "add", &id, "later"]);
    project.ok(&["undo", &titled]);
    let bead = project.json(&["show", &id])[0].clone();
    assert_eq!(
        (bead["title"].as_str(), bead["labels"][0].as_str()),
        (Some("A"), Some("later"))
    );
    project.ok(&["update", &id, "--title", "C"]);
    project.ok(&["update", &id, "--title", "D"]);
    let before = project.read(".beads/issues.jsonl");
    let third = events(&project, &id)[4].clone();
    let said = project.fails(&["undo", &third]);
    assert!(said.contains("title would be lost"), "{said}");
    assert_eq!(project.read(".beads/issues.jsonl"), before);
}

#[test]
fn an_undo_with_nothing_to_revert_is_reported() {
    let project = Project::new();
    let id = project.make("A", &[]);
    project.ok(&["update", &id, "--title", "B"]);
    let titled = events(&project, &id)[1].clone();
    project.ok(&["undo", &titled]);
    let said = project.fails(&["undo", &titled]);
    let wanted = format!("nothing was undone: {id} has the values from before it already");
    assert!(said.contains(&wanted), "{said}");
    project.ok(&["delete", &id, "--force"]);
    let said = project.fails(&["undo", &titled]);
    assert!(
        said.contains("is deleted since: nothing was undone"),
        "{said}"
    );
    assert!(
        said.contains(&format!("`bd restore {id}` brings it back")),
        "{said}"
    );
    project.ok(&["restore", &id]);
    assert_eq!(project.json(&["show", &id])[0]["title"], "A");
}

#[test]
fn an_undo_names_the_beads_that_already_had_their_old_values() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    project.ok(&["close", &a, &b, "--reason", "Closed"]);
    let closed = events(&project, &a)[1].clone();
    project.ok(&["reopen", &b]);
    let undone = project.json(&["undo", &closed]);
    assert_eq!(undone[0]["ids"], serde_json::json!([a]), "{undone}");
    assert_eq!(undone[0]["already"], serde_json::json!([b]), "{undone}");
}

#[test]
fn undoing_a_claim_is_refused_with_the_command_that_releases_it() {
    let project = Project::new();
    let id = project.make("A", &[]);
    project.ok(&["update", &id, "--claim"]);
    let said = project.fails(&["undo"]);
    assert!(
        said.contains("a claim") && said.contains("--status open"),
        "{said}"
    );
}

#[test]
fn an_unknown_event_is_an_error_that_names_it() {
    let project = Project::new();
    assert!(
        project
            .fails(&["undo", "nothing"])
            .contains("no event 'nothing'")
    );
    assert!(project.fails(&["undo"]).contains("to undo"));
    let id = project.make("A", &[]);
    let event = events(&project, &id)[0].clone();
    // The command that the error names shows the ids.
    let shown = project.ok(&["activity"]);
    assert!(shown.contains(&event), "{shown}");
    project.ok(&["undo", &event]);
}

#[test]
fn an_earlier_state_of_a_bead_can_be_shown() {
    let project = Project::new();
    let id = project.make("Now", &[]);
    project.ok(&["update", &id, "--title", "Later"]);
    let history = project.json(&["history", &id]);
    let made = history[0]["timestamp"].as_str().unwrap().to_owned();
    let then = project.json(&["show", &id, "--at", &made]);
    assert_eq!(then[0]["title"], "Now");
    let said = project.fails(&["show", &id, "--at", "2020-01-01"]);
    assert!(said.contains("did not exist at"), "{said}");
}

#[test]
fn followed_activity_shows_later_events() {
    use std::io::{BufRead, BufReader};
    let project = Project::new();
    project.make("Before", &[]);
    let mut child = project
        .command(&project.dir(), &["activity", "--follow", "--json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("Before"), "{first}");
    let id = project.make("While it runs", &[]);
    let next = lines.next().unwrap().unwrap();
    assert!(next.contains(&id) && next.contains("\"create\""), "{next}");
    child.kill().unwrap();
    child.wait().unwrap();
}
