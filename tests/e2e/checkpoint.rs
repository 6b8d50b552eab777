//! `gt checkpoint`.

use town_tests::{Town, eventually};

/// A town with a worker that does nothing by itself: its bead, and its name.
pub(crate) fn with_worker() -> (Town, String, String) {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    (town, bead, worker)
}

#[test]
fn the_next_session_gets_the_checkpoint_until_the_work_changes() {
    let (town, bead, worker) = with_worker();
    let prime = || town.gt_as(&worker, ["prime"]).ok().out;
    assert!(!prime().contains("Where the last session stood"));
    std::fs::write(town.sandbox(&worker).join("half.rs"), "fn").unwrap();
    let notes = "the parser is right\n# the lexer is not";
    let args = ["checkpoint", "write", "--notes", notes, "--step", "w-step"];
    let written = town.gt_as(&worker, args).args(["--json"]).ok().json();
    assert_eq!(written["hooked_bead"], bead.as_str());
    assert_eq!(written["modified_files"][0], "half.rs");
    let text = prime();
    for words in [
        "# Where the last session stood",
        "> half.rs",
        "> the parser is right\n> # the lexer is not",
        "Step: w-step",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let shown = town.gt_as(&worker, ["checkpoint", "show"]).ok().out;
    assert!(shown.contains("not committed: half.rs"), "{shown}");

    // Git does not see it, so that the work can be finished.
    std::fs::remove_file(town.sandbox(&worker).join("half.rs")).unwrap();
    let reason = ["done", "--stay", "--no-change", "nothing to do"];
    town.gt_as(&worker, reason).ok();
    town.kill_session(&town.sessions()[0]);
    let other = town.bead("web", "Other work");
    town.gt(["sling", &other, &worker]).ok();
    assert!(!prime().contains("Where the last session stood"));

    let cleared = town.gt_as(&worker, ["checkpoint", "clear"]).ok().out;
    assert!(cleared.contains("is gone"), "{cleared}");
    let none = town.gt_as(&worker, ["checkpoint", "show"]).ok().out;
    assert!(none.contains("no checkpoint"), "{none}");
}

#[test]
fn no_work_tree_means_no_checkpoint_and_a_damaged_one_is_reported() {
    let (town, _bead, worker) = with_worker();
    let mayor = town.gt(["checkpoint", "write"]).env("GT_ROLE", "mayor");
    mayor.fails("only polecats and crew");
    let file = town.sandbox(&worker).join(".polecat-checkpoint.json");
    std::fs::write(&file, "{ not json").unwrap();
    town.gt_as(&worker, ["checkpoint", "show"])
        .fails("is no checkpoint");
    town.gt_as(&worker, ["prime"]).ok();
}

#[test]
fn the_next_session_sees_the_work_of_a_killed_session() {
    let (town, _origin) = Town::with_rig();
    town.script(
        r#"notes="$GT_ROOT/../scripts"
if [ -f "$notes/first" ]; then
    cp "$GT_PRIME_FILE" "$notes/again.tmp" && mv "$notes/again.tmp" "$notes/again"
    while :; do sleep 1; done
fi
echo x > first.txt && git add first.txt && git commit --quiet -m "First half"
echo half > half.txt
for tool in Read Bash; do
    echo "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"$tool\"}" | gt signal event
done
touch "$notes/first"
while :; do sleep 1; done"#,
    );
    let bead = town.bead("web", "Work");
    town.sling(&bead);
    eventually("half of it is done", || {
        town.path("scripts/first").exists().then_some(())
    });
    town.kill_session(&town.sessions()[0]);
    let told = eventually("the next session has its context", || {
        town.patrol();
        std::fs::read_to_string(town.path("scripts/again")).ok()
    });
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let text = told["text"].as_str().unwrap();
    for words in [
        "# What the last session left",
        "First half",
        "> half.txt",
        " Read\n",
        " Bash\n",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}
