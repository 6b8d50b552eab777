//! `gt dog`: add, list, status, call, dispatch, done, clear, remove.

use serde_json::{Value, json};
use town_tests::{Town, eventually};

/// A town whose dogs have an agent that stays.
fn town() -> (Town, town_tests::Repo) {
    let (town, origin) = Town::with_rig();
    let stay = json!({ "stay": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } });
    town.set_town_setting("agents", stay);
    town.set_town_setting("role_agents", json!({ "dog": "stay" }));
    (town, origin)
}

fn dogs(town: &Town) -> Value {
    town.gt(["dog", "list", "--json"]).ok().json()
}

#[test]
fn a_dog_has_a_work_tree_per_rig_and_removal_loses_nothing() {
    let (town, _origin) = town();
    assert!(town.gt(["status"]).ok().out.contains("web"));
    assert_eq!(dogs(&town), json!([]));
    let added = town.gt(["dog", "add", "--json"]).ok().json();
    assert_eq!(added["name"], "alpha");
    let tree = std::path::PathBuf::from(added["worktrees"]["web"].as_str().unwrap());
    assert!(tree.join("README.md").is_file());
    // A dog reads the rig's beads.
    let id = town.bead("web", "Seen from there");
    let seen = town.bd("web", ["show", &id]).at(&tree).ok();
    assert!(seen.out.contains("Seen from there"));
    town.gt(["dog", "add", "alpha"]).fails("already");
    for name in ["a/b", "..", "boot", "a b"] {
        town.gt(["dog", "add", name]).fails("name");
    }
    assert!(town.gt(["status"]).ok().out.contains("alpha"));
    let kennel = town.gt(["dog", "status", "--json"]).ok().json();
    assert_eq!((&kennel["total"], &kennel["idle"]), (&json!(1), &json!(1)));

    std::fs::write(tree.join("draft.txt"), "half\n").unwrap();
    town.gt(["dog", "remove", "alpha"]).fails("uncommitted");
    let removed = town.gt(["dog", "remove", "alpha", "--force", "--json"]);
    let removed = removed.ok().json();
    let saved = removed[0]["saved"][0].as_str().unwrap().to_owned();
    assert!(!tree.exists());
    let repo = town.root().join("web/.repo.git");
    let draft = town
        .git_at(&repo, ["show", &format!("{saved}:draft.txt")])
        .ok();
    assert_eq!(draft.text(), "half");
    let listed = town.gt(["rescue", "list"]).ok().out;
    assert!(listed.contains(&saved), "{listed}");
    town.gt(["dog", "remove", "alpha"]).fails("not found");
}

#[test]
fn work_on_the_hook_of_a_dog_starts_its_agent() {
    let (town, _origin) = town();
    let id = town.bead("web", "Look at all rigs");
    town.gt(["sling", &id, "deacon/dogs"])
        .fails("no dog is idle");
    town.gt(["sling", &id, "deacon/dogs/rex"])
        .fails("gt dog add");
    town.gt(["dog", "add", "rex"]).ok();
    let slung = town.gt(["sling", &id, "deacon/dogs"]).ok();
    assert!(slung.out.contains("session: hq-dog-rex"), "{}", slung.out);
    assert_eq!(town.show("web", &id)["assignee"], "deacon/dogs/rex");
    let other = town.bead("web", "Another");
    town.gt(["sling", &other, "deacon/dogs"])
        .fails("no dog is idle");
    town.gt(["dog", "clear", "rex"])
        .fails("session of dog rex runs");
    town.gt(["dog", "done", "rex"]).ok();
    eventually("its session has ended", || {
        let status = town.gt(["status", "--json"]).ok().json();
        let agents = status["agents"].as_array().unwrap();
        let rex = agents.iter().find(|one| one["name"] == "rex").unwrap();
        (rex["running"] == false).then_some(())
    });
    let called = town.gt(["dog", "call", "--all", "--json"]).ok().json();
    assert_eq!(called[0]["session"], "hq-dog-rex");
    town.gt(["dog", "clear", "rex", "--force"]).ok();

    // The session of a dog with a plugin is gone.
    let plugin = town.root().join("plugins/tidy");
    std::fs::create_dir_all(&plugin).unwrap();
    let text = "+++\nname = \"tidy\"\n+++\nTidy up.\n";
    std::fs::write(plugin.join("plugin.md"), text).unwrap();
    let begun = town.gt(["plugin", "run", "tidy", "--json"]).ok().json();
    let name = begun["dispatch"]["dog"].as_str().unwrap().to_owned();
    let dog = || {
        let all = dogs(&town).as_array().unwrap().clone();
        all.into_iter()
            .find(|dog| dog["name"] == name.as_str())
            .unwrap()
    };
    assert_eq!(dog()["condition"], Value::Null);
    town.kill_session(&format!("hq-dog-{name}"));
    let file = town
        .root()
        .join("deacon/dogs")
        .join(&name)
        .join(".dog.json");
    let mut stored: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    stored["work_started_at"] = json!("2026-01-01T00:00:00Z");
    std::fs::write(&file, stored.to_string()).unwrap();
    assert_eq!(dog()["condition"], "zombie");
    let list = town.gt(["dog", "list"]).ok();
    assert!(list.out.contains("! no session"), "{}", list.out);
    let status = town.gt(["status"]).ok();
    let line = "plugin:tidy, no session";
    assert!(status.out.contains(line), "{}", status.out);
    town.patrol();
    assert_eq!(dog()["state"], "idle");
    let runs = town.gt(["plugin", "history", "tidy", "--json"]).ok().json();
    assert_eq!(runs[0]["result"], "failure");
}

#[test]
fn chores_run_without_an_agent_and_free_the_dog_afterwards() {
    let (town, _origin) = town();
    let chore = |args: &[&str]| {
        let args = ["dog", "dispatch"].iter().chain(args);
        town.gt(args.copied())
    };
    chore(&["backup"]).fails("no dog is idle");
    let id = town.bead("web", "Only here");
    let done = chore(&["backup", "--create", "--json"]).ok().json();
    assert_eq!(
        (&done["dog"], &done["dog_created"]),
        (&json!("alpha"), &json!(true))
    );
    let line = done["lines"][0].as_str().unwrap();
    let folder = std::path::PathBuf::from(line.split(' ').next_back().unwrap());
    let beads = std::fs::read_to_string(folder.join("web/issues.jsonl")).unwrap();
    assert!(beads.contains(&id), "{beads}");
    assert_eq!(dogs(&town)[0]["state"], "idle");

    // Work of an agent that is gone: found by one chore, opened again by another.
    let lost = town
        .bd("web", ["create", "Lost", "--json"])
        .env("BD_NOW", "2026-01-01T00:00:00Z")
        .ok()
        .json();
    let lost = lost["id"].as_str().unwrap().to_owned();
    let hooked = [
        "update",
        &lost,
        "--status",
        "hooked",
        "--assignee",
        "deacon/dogs/gone",
    ];
    town.bd("web", hooked)
        .env("BD_NOW", "2026-01-01T00:00:00Z")
        .ok();
    let scan = chore(&["orphan-scan", "--json"]).ok().json();
    assert!(
        scan["lines"].to_string().contains("can be reopened"),
        "{scan}"
    );
    assert_eq!(town.status_of("web", &lost), "hooked");
    let stale = chore(&["stale-work", "--json"]).ok().json();
    assert!(
        stale["lines"].to_string().contains("is open again"),
        "{stale}"
    );
    assert_eq!(town.status_of("web", &lost), "open");
    assert_eq!(
        chore(&["session-gc", "--json"]).ok().json()["lines"],
        json!([])
    );
    assert_eq!(town.events("chore_done").len(), 4);
    assert!(
        town.events("session_begun").is_empty(),
        "no agent was asked"
    );
}

#[test]
fn a_dog_is_removed_without_losing_work_that_git_does_not_show() {
    let (town, _origin) = town();
    let added = town.gt(["dog", "add", "alpha", "--json"]).ok().json();
    let tree = std::path::PathBuf::from(added["worktrees"]["web"].as_str().unwrap());
    let git = |args: &[&str]| town.git_at(&tree, args.iter().copied()).ok();
    git(&["switch", "-q", "--detach"]);
    std::fs::write(tree.join("work.txt"), "work\n").unwrap();
    git(&["add", "work.txt"]);
    git(&["commit", "-qm", "Work"]);
    let commit = git(&["rev-parse", "HEAD"]).text().to_owned();
    let user_file = town.path("home/.config/git/ignore");
    std::fs::create_dir_all(user_file.parent().unwrap()).unwrap();
    std::fs::write(&user_file, "notes.txt\n").unwrap();
    std::fs::write(tree.join("notes.txt"), "notes\n").unwrap();
    town.gt(["dog", "remove", "alpha"])
        .fails("notes.txt, 1 commit on no remote");
    let remove = ["dog", "remove", "alpha", "--force", "--json"];
    let removed = town.gt(remove).ok().json();
    let saved = removed[0]["saved"].as_array().unwrap();
    let repo = town.root().join("web/.repo.git");
    let kept = town.git_at(&repo, ["rev-parse", saved[0].as_str().unwrap()]);
    assert_eq!(kept.ok().text(), commit);
    let aside = std::path::Path::new(saved[1].as_str().unwrap());
    assert!(aside.join("notes.txt").is_file());
}

#[test]
fn a_dog_keeps_its_work_in_a_rig_that_left_the_town() {
    let (town, _origin) = town();
    let added = town.gt(["dog", "add", "alpha", "--json"]).ok().json();
    let tree = std::path::PathBuf::from(added["worktrees"]["web"].as_str().unwrap());
    std::fs::write(tree.join("draft.txt"), "draft\n").unwrap();
    town.gt(["down"]).ok();
    town.gt(["rig", "rm", "web", "--force"]).ok();
    let removed = town.gt(["dog", "remove", "alpha", "--json"]).ok().json();
    let kept = std::path::Path::new(removed[0]["saved"][0].as_str().unwrap());
    assert!(kept.join("draft.txt").is_file());
}
