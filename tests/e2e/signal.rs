//! `gt signal`: what agent programs run at the end of a turn and of a session.

use town_tests::Town;

use crate::checkpoint::with_worker;

const STOP: &str = r#"{"hook_event_name":"Stop","session_id":"s1","stop_hook_active":false}"#;

#[test]
fn a_worker_that_stops_before_gt_done_is_reminded_once() {
    let (town, bead, worker) = with_worker();
    let stop = |event: &str| {
        let said = town.gt_as(&worker, ["signal", "stop"]).input(event).ok();
        said.out
    };
    let active = STOP.replace("false", "true");
    assert_eq!(
        stop(&active),
        "",
        "it goes on because it was told so already"
    );
    let first: serde_json::Value = serde_json::from_str(&stop(STOP)).unwrap();
    assert_eq!(first["decision"], "block");
    let reason = first["reason"].as_str().unwrap();
    assert!(
        reason.contains(&bead) && reason.contains("gt done"),
        "{reason}"
    );
    assert_eq!(stop(STOP), "", "nothing moved: it is not said again");

    let sandbox = town.sandbox(&worker);
    std::fs::write(sandbox.join("work.txt"), "work").unwrap();
    town.git_at(&sandbox, ["add", "work.txt"]).ok();
    town.git_at(&sandbox, ["commit", "-qm", "Work"]).ok();
    assert!(stop(STOP).contains(&bead));

    let to = format!("web/{}", worker.split_once('/').unwrap().1);
    let letter = ["mail", "send", &to, "-s", "Look here", "-m", "now"];
    town.gt(letter).ok();
    assert!(stop(STOP).contains("Look here"));
    assert_eq!(stop(STOP), "");
    let letter = town.mail(&to)[0]["id"].clone();
    town.gt_as(&worker, ["mail", "read", letter.as_str().unwrap()])
        .ok();

    town.gt_as(&worker, ["done", "--stay", "--summary", "did it"])
        .ok();
    assert_eq!(stop(STOP), "");
    let nonsense = town
        .gt_as(&worker, ["signal", "stop"])
        .input("{ nonsense")
        .ok();
    assert_eq!(nonsense.out, "");
    let person = town.gt(["signal", "stop"]).input(STOP).ok();
    assert_eq!(person.out, "");
}

#[test]
fn a_session_that_ends_leaves_a_checkpoint_and_its_uncommitted_work_on_a_hidden_ref() {
    let (town, bead, worker) = with_worker();
    let notes = ["checkpoint", "write", "--notes", "keep this"];
    town.gt_as(&worker, notes).ok();
    std::fs::write(town.sandbox(&worker).join("half.txt"), "half").unwrap();
    let event = r#"{"hook_event_name":"SessionEnd","session_id":"s1","reason":"other"}"#;
    let said = town.gt_as(&worker, ["signal", "end"]).input(event).ok();
    assert_eq!(said.out, "");
    let found = town.gt_as(&worker, ["checkpoint", "show", "--json"]).ok();
    let found = found.json();
    assert_eq!(found["hooked_bead"], bead.as_str());
    assert_eq!(found["session_id"], "s1");
    assert_eq!(found["modified_files"][0], "half.txt");
    assert_eq!(found["notes"], "keep this");
    let saved = town.gt(["rescue", "list", "web", "--json"]).ok().json();
    let reference = saved[0]["ref"].as_str().unwrap();
    assert!(reference.starts_with("refs/gt/snap/"), "{reference}");
    let events = town.events("session_end");
    assert_eq!(events[0]["payload"]["reason"], "other");

    // Before a compaction, too.
    town.gt_as(&worker, ["checkpoint", "clear"]).ok();
    let compact = r#"{"hook_event_name":"PreCompact","session_id":"s1","trigger":"auto"}"#;
    town.gt_as(&worker, ["prime", "--hook"]).input(compact).ok();
    let found = town.gt_as(&worker, ["checkpoint", "show", "--json"]).ok();
    assert_eq!(found.json()["modified_files"][0], "half.txt");
}

#[test]
fn a_worker_reports_nothing_for_the_session_of_another() {
    let (town, _origin) = Town::with_rig();
    town.script("sleep 600");
    let [one, other] = ["One", "Two"].map(|title| town.sling(&town.bead("web", title)));
    let session_of = |worker: &str| format!("gt-{}", worker.replace('/', "-"));
    let refused = r#"{"hook_event_name":"StopFailure","error":"rate_limit","error_details":"try again in 20 days"}"#;
    let pulse = town
        .root()
        .join(".runtime/pulse")
        .join(format!("{}.json", session_of(&other)));
    let report = |worker: &str| {
        town.gt_as(worker, ["signal", "event"])
            .env("GT_SESSION", session_of(&other))
            .env("GT_SESSION_TOKEN", town.session_token(&other))
            .input(refused)
            .ok();
        std::fs::read_to_string(&pulse).is_ok_and(|pulse| pulse.contains("rate_limit"))
    };
    assert!(!report(&one), "another worker");
    assert!(report(&other), "its own session");
}
