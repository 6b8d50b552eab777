//! `gt ready` and `gt release`: work that no one has, and work that is given back.

use serde_json::json;
use town_tests::Town;

#[test]
fn ready_work_of_all_rigs_is_listed_by_rig_and_priority() {
    let (town, _origin) = Town::with_rig();
    town.add_rig("api", "ap");
    let later = town.bead_with("web", "Later", &["-p", "3"]);
    let urgent = town.bead_with("web", "Urgent", &["-p", "0"]);
    let blocked = town.bead("web", "Blocked");
    town.bd("web", ["dep", "add", &blocked, &urgent]).ok();
    let other = town.bead("api", "Other");
    let found = town.gt(["ready", "--json"]).ok().json();
    let names: Vec<&str> = found["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| source["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["town", "api", "web"]);
    let ids = |at: usize| -> Vec<String> {
        let beads = found["sources"][at]["issues"].as_array().unwrap();
        let id = |bead: &serde_json::Value| bead["id"].as_str().unwrap().to_owned();
        beads.iter().map(id).collect()
    };
    assert!(ids(0).is_empty());
    assert_eq!(ids(1), [other]);
    assert_eq!(ids(2), [urgent.as_str(), later.as_str()]);
    assert_eq!(found["summary"]["total"], 3);
    assert_eq!(found["summary"]["by_source"]["web"], 2);
    assert_eq!(found["summary"]["p0_count"], 1);
    // The root of the town has beads of its own, so bd names the rigs.
    let listed = town.bd(".", ["list"]).ok();
    assert!(
        listed.err.contains("\n  bd list --rig web\n"),
        "{}",
        listed.err
    );
    let of_rig = town.bd(".", ["list", "--rig", "api"]).ok().out;
    assert!(of_rig.contains("Other"), "{of_rig}");
    let created = town.bd(".", ["create", "Lost", "-d", "x"]).ok();
    assert!(
        created.err.contains("\n  bd create --rig RIG TITLE\n"),
        "{}",
        created.err
    );
    let inside = town.bd("web", ["create", "Found", "-d", "x"]).ok();
    assert!(!inside.err.contains("Hint"), "{}", inside.err);
    let text = town.gt(["ready", "--rig", "web"]).ok().out;
    assert!(text.contains("Urgent") && !text.contains("Other"), "{text}");
    town.gt(["ready", "--rig", "none"])
        .fails("there is no rig `none`");
}

#[test]
fn convoys_mail_and_escalations_are_not_ready_work() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    town.gt(["convoy", "create", "Batch", &bead]).ok();
    town.gt(["mail", "send", "mayor/", "-s", "Hello"]).ok();
    town.gt(["escalate", "Which colour?"]).ok();
    let found = town.gt(["ready", "--json"]).ok().json();
    assert_eq!(found["sources"][0]["issues"], json!([]), "{found:#}");
    assert_eq!(found["summary"]["total"], 1);
}

#[test]
fn one_unreadable_rig_hides_no_other() {
    let (town, _origin) = Town::with_rig();
    town.add_rig("api", "ap");
    town.bead("web", "Work");
    let beads = town.root().join("api/.beads");
    std::fs::rename(&beads, town.path("gone")).unwrap();
    let found = town.gt(["ready", "--json"]).ok().json();
    assert!(found["sources"][1]["error"].is_string(), "{found:#}");
    assert_eq!(found["summary"]["total"], 1);
    let text = town.gt(["ready"]).ok().out;
    assert!(text.contains("! cannot be read"), "{text}");
}

#[test]
fn released_work_is_open_again_and_has_no_owner() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let begun = town.bead("web", "Begun");
    town.bd("web", ["update", &begun, "--status", "in_progress"])
        .ok();
    town.bd("web", ["assign", &begun, "dana"]).ok();
    let slung = town.bead("web", "Slung");
    town.sling(&slung);
    let released = town
        .gt(["release", &begun, &slung, "-r", "Too early", "--json"])
        .ok()
        .json();
    assert_eq!(released[0]["was"], "in_progress");
    assert_eq!(released[0]["holder"], "dana");
    assert!(released[1]["session"].is_string(), "{released:#}");
    for bead in [&begun, &slung] {
        let shown = town.show("web", bead);
        assert_eq!(shown["status"], "open");
        assert!(shown.get("assignee").is_none_or(|name| name == ""));
        assert!(shown.to_string().contains("Released: Too early"));
    }
    assert!(town.sessions().is_empty());
    town.bd("web", ["close", &begun]).ok();
    town.gt(["release", &begun]).fails("is closed");
    let mixed = town.gt(["release", &begun, &slung]).run();
    assert_eq!(mixed.code, 1);
    assert!(mixed.out.contains(&slung), "{}", mixed.out);
}
