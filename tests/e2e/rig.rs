//! `gt rig`: add, list, status, remove.

use serde_json::Value;
use town_tests::Town;

#[test]
fn a_rig_is_added_shown_and_taken_off_the_list_again() {
    let town = Town::new();
    let origin = town.origin("site");
    let added = town
        .gt(["rig", "add", "site", origin.url(), "--json"])
        .ok()
        .json();
    assert_eq!(
        (&added["prefix"], &added["branch"]),
        (&"si".into(), &"main".into())
    );
    let listed = town.gt(["rig", "list", "--json"]).ok().json();
    assert_eq!(listed[0]["name"], "site");
    assert_eq!(listed[0]["remote"], origin.url());
    assert_eq!(listed[0]["problem"], Value::Null);
    let id = town.bead("site", "Work");
    assert!(id.starts_with("si-"), "{id}");
    // From the rig's folder the rig need not be named.
    let status = town
        .gt(["rig", "status", "--json"])
        .at(&town.root().join("site"))
        .ok()
        .json();
    assert_eq!(
        (&status["branch"], &status["queue"]),
        (&"main".into(), &0.into())
    );
    town.gt(["rig", "add", "site", origin.url()])
        .fails("is there already");
    let removed = town.gt(["rig", "remove", "site"]).ok();
    assert!(removed.out.contains("still there"), "{}", removed.out);
    assert!(town.root().join("site/.beads/issues.jsonl").is_file());
    assert_eq!(
        town.gt(["rig", "list", "--json"]).ok().json(),
        Value::Array(Vec::new())
    );
    town.gt(["rig", "remove", "site"]).fails("there is no rig");
}

#[test]
fn a_refused_rig_leaves_no_trace() {
    let town = Town::new();
    let nowhere = town.path("nowhere.git");
    town.gt(["rig", "add", "site", nowhere.to_str().unwrap()])
        .fails("site");
    town.gt(["rig", "add", "my-site"]).fails("try `my_site`");
    town.gt(["rig", "add", "mayor"])
        .fails("the town uses it itself");
    assert!(!town.root().join("site").exists());
    assert!(!town.root().join("my-site").exists());
}

#[test]
fn work_in_a_rig_without_a_remote_is_merged_into_its_own_repository() {
    let town = Town::new();
    town.gt(["rig", "add", "lab"]).ok();
    town.script("echo found > result.txt");
    let id = town.bead("lab", "Try it");
    town.gt(["sling", &id, "lab"]).ok();
    town_tests::eventually("the work is handed in", || {
        let queue = town.gt(["rig", "status", "lab", "--json"]).ok().json();
        (queue["queue"] == 1).then_some(())
    });
    town.gt(["mq", "run", "lab"]).ok();
    assert_eq!(town.status_of("lab", &id), "closed");
    let repo = town.root().join("lab/.repo.git");
    let at = ["-C", repo.to_str().unwrap(), "show", "main:result.txt"];
    let shown = town.program_on_path("git").args(at).ok();
    assert_eq!(shown.text(), "found");
}
