//! The main job: beads of two rigs, one convoy, worked, merged, landed.

use town_tests::{Town, eventually};

/// Writes a file of its own and says so.
const WORK: &str = r#"echo "$GT_BEAD_TITLE" > "$GT_BEAD.txt"
echo "wrote $GT_BEAD.txt" > "$GT_SUMMARY_FILE""#;

#[test]
fn a_convoy_over_two_rigs_lands_once_and_notifies_subscribers_once() {
    let town = Town::new();
    let (web, api) = (town.add_rig("web", "web"), town.add_rig("api", "ap"));
    town.script(WORK);
    let (one, two) = (town.bead("web", "First"), town.bead("api", "Second"));
    assert!(
        one.starts_with("web-") && two.starts_with("ap-"),
        "{one} {two}"
    );
    let args = [
        "convoy",
        "create",
        "Both",
        &one,
        &two,
        "--owner",
        "overseer",
        "--notify=mayor/",
    ];
    let convoy = town.gt(args).args(["--json"]).ok().json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    town.up();
    town.gt(["sling", &one, "web"]).ok();
    town.gt(["sling", &two, "api"]).ok();
    eventually("the convoy has landed", || {
        (town.show(".", &convoy)["status"] == "closed").then_some(())
    });
    for (origin, rig, id) in [(&web, "web", &one), (&api, "api", &two)] {
        assert_eq!(
            origin.subjects("main").len(),
            1,
            "one commit is on the target"
        );
        assert!(origin.file("main", &format!("{id}.txt")).len() > 3);
        let author = origin.authors("main").remove(0);
        assert!(author.starts_with(&format!("{rig}/polecats/")), "{author}");
        let bead = town.show(rig, id);
        assert_eq!(bead["status"], "closed");
        assert!(
            bead["close_reason"]
                .as_str()
                .unwrap()
                .starts_with("Merged in ")
        );
        assert_eq!(bead["metadata"]["summary"], format!("wrote {id}.txt"));
        origin.branches_go();
        let told = town.events("done");
        assert!(
            told.iter().any(|event| event["actor"] == author.as_str()),
            "{told:?}"
        );
        assert_eq!(bead["assignee"], author.as_str());
    }
    for mailbox in ["overseer", "mayor/"] {
        let letters = town.mail(mailbox);
        assert_eq!(letters.len(), 1, "{mailbox}: {letters:?}");
        assert_eq!(letters[0]["subject"], "🚚 Convoy landed: Both");
    }
    town.quiet();
    for polecat in town.polecats() {
        assert_eq!(polecat["state"], "idle", "{polecat}");
    }
}

#[test]
fn the_third_worker_is_briefed_on_the_work_of_the_first_two() {
    let (town, origin) = Town::with_rig();
    town.script(&format!(
        "until [ -e \"$GT_ROOT/../scripts/go\" ]; do sleep 0.1; done\n\
         cp \"$GT_PRIME_FILE\" \"$GT_ROOT/../scripts/prime-$GT_BEAD\"\n{WORK}"
    ));
    let (one, two) = (town.bead("web", "First"), town.bead("web", "Second"));
    let three = town.bead_with("web", "Third", &["--deps", &format!("{one},{two}")]);
    let convoy = town
        .gt(["convoy", "create", "Three", &one, &two, &three, "--json"])
        .ok()
        .json();
    town.up();
    let said = town
        .gt(["sling", &one, &two, &three, "web", "--json"])
        .ok()
        .json();
    assert_eq!(said[2]["waits_for"].as_array().unwrap().len(), 2, "{said}");
    assert_ne!(said[0]["target"], said[1]["target"], "two workers at once");
    std::fs::write(town.path("scripts/go"), "").unwrap();
    town.closed("web", &three);
    assert_eq!(origin.subjects("main").len(), 3);
    let prime = std::fs::read_to_string(town.path(&format!("scripts/prime-{three}"))).unwrap();
    let prime: serde_json::Value = serde_json::from_str(&prime).unwrap();
    let text = prime["text"].as_str().unwrap();
    for id in [&one, &two] {
        assert!(text.contains(&format!("   > wrote {id}.txt")), "{text}");
    }
    assert!(!text.contains(&format!("wrote {three}")), "{text}");
    assert_eq!(prime["convoy"], convoy["id"]);
    // Reuse: the third went to one of the two, by branch switch.
    let added = town.events("fresh_branch");
    let how: Vec<&str> = added
        .iter()
        .map(|event| event["payload"]["sandbox"].as_str().unwrap())
        .collect();
    assert_eq!(how, ["added", "added", "switched"]);
}

#[test]
fn the_callers_environment_does_not_leak_into_the_town() {
    let (town, origin) = Town::with_rig();
    town.script("env > \"$GT_ROOT/../scripts/env\"; echo w > w.txt");
    let mut town = town;
    // What it names is there: bd itself goes by it.
    let beads = town.root().join("web/.beads");
    for (name, value) in [
        ("GT_ROLE", "not an agent"),
        ("GT_LEASE", "999"),
        ("GT_SESSION", "other"),
        ("BD_ACTOR", "evil"),
        ("BEADS_DIR", beads.to_str().unwrap()),
        ("GIT_DIR", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_WORK_TREE", "/nowhere"),
        ("GIT_AUTHOR_NAME", "evil"),
        ("TMUX", "/nowhere,1,0"),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_CHILD_SESSION", "1"),
        ("SECRET_OF_THE_CALLER", "x"),
    ] {
        town = town.with_env(name, value);
    }
    let bead = town.bead("web", "Work");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    assert!(origin.authors("main")[0].starts_with("web/polecats/"));
    let seen = std::fs::read_to_string(town.path("scripts/env")).unwrap();
    let names: Vec<&str> = seen
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    for foreign in [
        "BEADS_DIR",
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "SECRET_OF_THE_CALLER",
        "GIT_DIR",
    ] {
        assert!(!names.contains(&foreign), "{foreign} reached the session");
    }
    assert!(seen.contains("GT_ROLE=web/polecats/"), "{seen}");
}
