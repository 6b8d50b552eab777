//! Many processes at once, and processes that are killed.

use std::collections::HashSet;
use std::process::{Child, Stdio};

use super::{Project, ids};

fn start(project: &Project, args: &[&str]) -> Child {
    let mut command = project.command(&project.dir(), args);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs commands at once; returns what each printed, `None` for those that failed.
fn at_once(project: &Project, commands: &[Vec<String>]) -> Vec<Option<String>> {
    let children: Vec<Child> = commands
        .iter()
        .map(|args| {
            start(
                project,
                &args.iter().map(String::as_str).collect::<Vec<_>>(),
            )
        })
        .collect();
    children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            output.status.success().then(|| text.trim().to_owned())
        })
        .collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn exactly_one_of_eight_concurrent_claims_wins() {
    let project = Project::new();
    for round in 0..3 {
        let id = project.make(&format!("T{round}"), &[]);
        let commands: Vec<_> = (0..8)
            .map(|worker| words(&["--actor", &format!("w{worker}"), "update", &id, "--claim"]))
            .collect();
        let won: Vec<_> = at_once(&project, &commands)
            .iter()
            .map(Option::is_some)
            .collect();
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
        let winner = won.iter().position(|won| *won).unwrap();
        assert_eq!(project.shown(&id)["assignee"], format!("w{winner}"));
    }
}

#[test]
fn concurrent_creates_get_unique_ids_and_lose_nothing() {
    let project = Project::new();
    let parent = project.make("P", &[]);
    let mut made = HashSet::new();
    for round in 0..4 {
        let mut commands: Vec<_> = (0..8)
            .map(|worker| words(&["q", &format!("T{round} {worker}")]))
            .collect();
        commands.push(words(&["create", "child", "--silent", "--parent", &parent]));
        commands.push(words(&["create", "child", "--silent", "--parent", &parent]));
        for id in at_once(&project, &commands) {
            assert!(
                made.insert(id.expect("a command failed")),
                "an id was given twice"
            );
        }
    }
    let list = project.json(&["list", "--limit", "0"]);
    let found: HashSet<String> = ids(&list).into_iter().map(str::to_owned).collect();
    assert_eq!(found.len(), made.len() + 1);
    assert!(made.is_subset(&found));
}

#[test]
fn concurrent_edits_of_one_bead_are_all_kept() {
    let project = Project::new();
    let id = project.make("T", &[]);
    let commands: Vec<_> = (0..8)
        .map(|worker| words(&["label", "add", &id, &format!("l{worker}")]))
        .collect();
    assert!(at_once(&project, &commands).iter().all(Option::is_some));
    assert_eq!(project.shown(&id)["labels"].as_array().unwrap().len(), 8);
}

#[test]
fn concurrent_changes_of_settings_are_all_kept() {
    let project = Project::new();
    let keys: Vec<String> = (0..8).map(|number| format!("own.key{number}")).collect();
    let commands: Vec<_> = keys
        .iter()
        .map(|key| words(&["config", "set", key, "v"]))
        .collect();
    assert!(at_once(&project, &commands).iter().all(Option::is_some));
    for key in &keys {
        assert_eq!(project.ok(&["config", "get", key]), "v\n");
    }
}

#[test]
fn a_killed_writer_loses_no_acknowledged_change() {
    let project = Project::new();
    let mut acknowledged = Vec::new();
    for round in 0..40u64 {
        let child = start(&project, &["q", &format!("T{round}")]);
        // Killed at another moment of its life each time.
        std::thread::sleep(std::time::Duration::from_micros(round * 700));
        let mut child = child;
        child.kill().ok();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        if let Some(id) = text.strip_suffix('\n') {
            acknowledged.push(id.to_owned());
        }
    }
    let list = project.json(&["list", "--limit", "0"]);
    let found = ids(&list);
    for id in &acknowledged {
        assert!(found.contains(&id.as_str()), "{id} was lost");
    }
    project.make("Still works", &[]);
}
