//! Work that does not fit its target becomes a task, and its result closes both.

use town_tests::{Town, eventually};

/// Changes a shared line; for a conflict task, brings the original work over and settles it.
const WORK: &str = r#"case "$GT_BEAD" in
  *-fix-*)
    tip=$(grep -o 'git merge [0-9a-f]*' "$GT_PRIME_FILE" | head -1 | cut -d' ' -f3)
    git merge -q -X theirs -m "Merge $tip" "$tip" ;;
  *) sed -i "s/two/$GT_BEAD/" shared.txt ;;
esac"#;

#[test]
fn a_conflict_becomes_a_convoy_task_and_its_resolution_lets_the_convoy_land() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    let bead = town.bead("web", "Change the line");
    let convoy = town
        .gt(["convoy", "create", "C", &bead, "--json"])
        .ok()
        .json();
    let convoy = convoy["id"].as_str().unwrap().to_owned();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    origin.commit("shared.txt", "one\nTWO\nthree\n", "Someone else was faster");
    let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(merged[0]["outcome"], "conflict", "{merged}");
    let task = merged[0]["task"].as_str().unwrap().to_owned();
    let shown = town.show("web", &task);
    let text = shown["description"].as_str().unwrap();
    assert!(
        text.contains("shared.txt") && text.contains("git merge "),
        "{text}"
    );
    assert!(text.contains(&format!("Original issue: {bead}")), "{text}");
    // Nothing of it is on the target, and running the queue again makes no second task.
    assert_eq!(origin.subjects("main"), ["Someone else was faster"]);
    assert_eq!(
        town.gt(["mq", "run", "web", "--json"]).ok().json(),
        serde_json::json!([])
    );
    // Status and why count the queue alike.
    let queue = "merge queue: 0 ready, 1 wait for a task, 0 for the user";
    assert!(town.gt(["why", "web"]).ok().out.contains(queue));
    assert!(town.gt(["status"]).ok().out.contains(queue));
    let status = town.gt(["convoy", "status", &convoy, "--json"]).ok().json();
    assert_eq!(status[0]["tracked"][0]["standing"], "blocked", "{status}");
    assert_eq!(status[0]["tracked"][0]["waits_for"][0], task);
    assert_eq!(status[0]["total"], 1, "the convoy counts its own beads");
    let is_tracked = |convoy: &str| {
        let status = town.gt(["convoy", "status", convoy, "--json"]).ok().json();
        status[0]["tracked"][1]["id"] == task.as_str()
    };
    assert!(is_tracked(&convoy), "it tracks the task, too");
    // As if it had been killed before it told the convoy.
    let late = town.gt(["convoy", "create", "D", &bead, "--json"]).ok();
    let late = late.json()["id"].as_str().unwrap().to_owned();
    town.gt(["mq", "run", "web"]).ok();
    assert!(is_tracked(&late), "the next run tells it");
    // The idle worker takes the task.
    town.quiet();
    town.up();
    eventually("the convoy has landed", || {
        (town.show(".", &convoy)["status"] == "closed").then_some(())
    });
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(town.status_of("web", &task), "closed");
    assert!(origin.file("main", "shared.txt").contains(&bead));
    origin.branches_go();
    assert_eq!(town.polecats().len(), 1, "the same worker did both");
}

#[test]
fn resolving_a_conflict_of_the_resolution_closes_the_whole_chain() {
    let town = Town::new();
    let origin = town.add_rig("web", "my-app");
    town.script(WORK);
    let bead = town.bead("web", "Change the line");
    let hand_in = |id: &str| {
        town.gt(["sling", id, "web"]).ok();
        eventually("the work is handed in", || {
            (town.status_of("web", id) == "in_progress").then_some(())
        });
        town.quiet();
    };
    let conflict = || {
        let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
        assert_eq!(merged[0]["outcome"], "conflict", "{merged}");
        merged[0]["task"].as_str().unwrap().to_owned()
    };
    hand_in(&bead);
    origin.commit("shared.txt", "one\nTWO\nthree\n", "Faster");
    let first = conflict();
    assert!(first.starts_with("my-app-fix-"), "{first}");
    hand_in(&first);
    origin.commit("shared.txt", "one\nzwei\nthree\n", "Faster again");
    let second = conflict();
    hand_in(&second);
    let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(merged[0]["outcome"], "merged", "{merged}");
    assert_eq!(merged.as_array().unwrap().len(), 1, "{merged}");
    for id in [&bead, &first, &second] {
        assert_eq!(town.status_of("web", id), "closed", "{id}");
    }
    let open = town.gt(["mq", "list", "web", "--json"]).ok().json();
    assert_eq!(open, serde_json::json!([]));
    origin.branches_go();
}
