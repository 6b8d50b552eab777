//! `gt handoff`.

use town_tests::{Town, eventually};

#[test]
fn a_fresh_session_gets_the_handoff_note_of_its_worker_once() {
    let (town, origin) = Town::with_rig();
    let seen = town.path("seen");
    // The first session leaves work uncommitted and hands over; the second one looks and finishes.
    town.script(&format!(
        r#"
if [ ! -e half.txt ]; then
    echo half > half.txt
    gt handoff -s 'the parser' -m "tried A, do B
# not a heading" --collect
    sleep 600
fi
gt prime > {seen}
gt prime > {seen}.again
echo whole > half.txt
echo 'by two sessions' > "$GT_SUMMARY_FILE"
"#,
        seen = seen.display()
    ));
    town.up();
    let bead = town.bead("web", "Long work");
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    assert_eq!(origin.file("main", "half.txt"), "whole");
    let text = std::fs::read_to_string(&seen).unwrap();
    for part in [
        "HANDOFF: the parser",
        "> tried A, do B\n> # not a heading",
        "> - not committed: half.txt",
        &format!("> - {bead} \"Long work\" (hooked)"),
    ] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
    let at = |words: &str| text.find(words).unwrap();
    assert!(at("From the session before you") < at("# Your work"));
    let again = std::fs::read_to_string(seen.with_extension("again")).unwrap();
    assert!(!again.contains("HANDOFF"), "{again}");
    // A handoff is not a crash: the breaker does not count it, and uncommitted work is saved.
    let respawn = &town.events("respawn")[0]["payload"];
    assert_eq!(respawn["handed_over"], true);
    assert!(
        respawn["snapshot"]
            .as_str()
            .unwrap()
            .starts_with("refs/gt/snap/")
    );
    assert_eq!(town.events("respawn").len(), 1);
    assert!(!text.contains("This is session 2"), "{text}");
}

#[test]
fn an_earlier_crash_is_not_reported_after_a_handoff() {
    let (town, _origin) = Town::with_rig();
    let seen = town.path("seen");
    town.script(&format!(
        r#"
echo x >> {seen}.count
case $(wc -l < {seen}.count) in
1) exit 7;;
2) gt prime > {seen}.second
   gt handoff -m "tried A, do B"
   sleep 600;;
esac
gt prime > {seen}
echo whole > whole.txt
"#,
        seen = seen.display()
    ));
    town.up();
    let bead = town.bead("web", "Long work");
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    let second = std::fs::read_to_string(seen.with_extension("second")).unwrap();
    let crashed = "It ended in the middle of the work (with exit code 7)";
    assert!(second.contains(crashed), "{second}");
    let text = std::fs::read_to_string(&seen).unwrap();
    assert!(text.contains("> tried A, do B"), "{text}");
    assert!(!text.contains("in the middle of the work"), "{text}");
}

#[test]
fn any_agent_with_a_session_and_work_can_be_handed_over() {
    let (town, _origin) = Town::with_rig();
    town.gt(["handoff", "mayor"]).fails("mayor has no session");
    town.set_town_setting(
        "agents",
        serde_json::json!({ "stay": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } }),
    );
    town.set_town_setting("default_agent", "stay".into());
    town.gt(["mayor", "start"]).ok();
    let begun = || town.events("session_begun").len();
    assert_eq!(begun(), 1);
    let dry = town
        .gt(["handoff", "mayor", "-m", "x", "--collect", "--dry-run"])
        .ok();
    assert!(dry.out.starts_with("x\n"), "{}", dry.out);
    assert!(town.events("handoff").is_empty());
    let args = ["handoff", "mayor", "-m", "watch the queue", "--json"];
    let letter = town.gt(args).ok().json()["message"]
        .as_str()
        .unwrap()
        .to_owned();
    eventually("the next session runs", || (begun() == 2).then_some(()));
    // Only the session that hands over is ended: this one is another.
    let late = town
        .gt(["session-restart", "mayor"])
        .env("GT_HANDOFF_OF", "old");
    late.fails("another session has begun in the meantime");
    assert_eq!(begun(), 2);
    town.told_once("handoff_failed");
    let prime = || {
        let run = town.gt(["prime"]).env("GT_ROLE", "mayor");
        run.env("GT_SESSION", "hq-mayor").ok().out
    };
    // The session that wrote it may still run: the letter is not for that one.
    let ending = town.root().join(".runtime/told/mayor.ending");
    let token = std::fs::read_to_string(ending).unwrap();
    let old = town.gt(["prime"]).env("GT_ROLE", "mayor");
    let old = old.env("GT_SESSION", "hq-mayor");
    let old = old.env("GT_SESSION_TOKEN", token).ok().out;
    assert!(!old.contains("> watch the queue"), "{old}");
    let text = prime();
    assert!(
        text.contains("> watch the queue") && text.contains(&letter),
        "{text}"
    );
    assert!(!prime().contains("watch the queue"));
}

#[test]
fn a_handoff_note_does_not_reach_a_session_on_another_bead() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let (first, second) = (town.bead("web", "First"), town.bead("web", "Second"));
    let worker = town.sling(&first);
    let handed = ["handoff", &worker, "-m", "the first one is half done"];
    town.gt(handed).ok();
    eventually("the next session runs", || {
        (town.events("respawn").len() == 1).then_some(())
    });
    let prime = || town.gt_as(&worker, ["prime", "--json"]).ok().out;
    assert!(prime().contains("the first one is half done"));
    town.gt(["unsling", &first]).ok();
    town.gt(["sling", &second, &worker]).ok();
    assert!(!prime().contains("the first one is half done"));
    // The handoff mail of the first bead stays in the inbox.
    let kept = town.gt(["mail", "inbox", &worker, "--json"]).run();
    assert!(
        kept.out.contains("the first one is half done"),
        "{} {}",
        kept.out,
        kept.err
    );
}
