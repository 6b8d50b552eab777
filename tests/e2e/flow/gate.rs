//! Gates: plain commands that must pass on the merged tree.

use town_tests::{Town, eventually};

#[test]
fn a_failing_gate_blocks_the_merge_and_the_end_of_its_log_is_in_the_task() {
    let (town, origin) = Town::with_rig();
    town.script(
        r#"case "$GT_BEAD" in
  *-fix-*) git cherry-pick "$(grep -o '[0-9a-f]\{40\}\.\.[0-9a-f]\{40\}' "$GT_PRIME_FILE" | head -1)"
           echo good > answer.txt ;;
  *) echo bad > answer.txt ;;
esac"#,
    );
    town.gate(
        "web",
        "echo checking; grep -q good answer.txt || { echo 'ANSWER IS NOT GOOD'; exit 3; }",
    );
    let bead = town.bead("web", "Answer");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let failed = eventually("the gate has failed", || town.events("merge_failed").pop());
    assert_eq!(failed["payload"]["gate"], "check");
    assert_eq!(origin.subjects("main").len(), 0, "nothing is merged");
    assert_eq!(town.status_of("web", &bead), "in_progress");
    let task = failed["payload"]["task"].as_str().unwrap().to_owned();
    let text = town.show("web", &task)["description"]
        .as_str()
        .unwrap()
        .to_owned();
    for words in [
        "ANSWER IS NOT GOOD",
        "exit code 3",
        "checking",
        "grep -q good",
    ] {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
    town.gt(["sling", &task, "web"]).ok();
    town.closed("web", &bead);
    assert_eq!(origin.file("main", "answer.txt"), "good");
    assert_eq!(town.status_of("web", &task), "closed");
}

#[test]
fn gates_run_on_the_work_as_it_will_be_on_the_target() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > work.txt");
    // Passes only where both the work and the newer commit of the target are there.
    town.gate("web", "test -e work.txt && test -e newer.txt");
    let bead = town.bead("web", "Work");
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    origin.commit("newer.txt", "x\n", "Newer");
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.subjects("main")[1], "Newer", "the work is on top");
}
