//! `gt deacon` by hand: stale hooks, processes without a session, work of stuck workers,
//! health checks.

use serde_json::{Value, json};
use town_tests::{Town, eventually};

fn run(town: &Town, args: &[&str]) -> Value {
    town.gt([&["deacon"], args, &["--json"]].concat())
        .ok()
        .json()
}

#[test]
fn work_of_a_missing_agent_is_reopened_unless_its_sandbox_exists() {
    let (town, _origin) = Town::with_rig();
    town.script("exec sleep 600");
    let (free, held) = (town.bead("web", "Free"), town.bead("web", "Held"));
    town.gt(["sling", &free, "mayor"]).ok();
    town.gt(["mayor", "stop"]).ok();
    let worker = town.sling(&held);
    town.kill_session(&format!("gt-{}", worker.replace('/', "-")));
    town.quiet();
    assert_eq!(
        run(&town, &["stale-hooks"]),
        json!([]),
        "nothing is an hour old"
    );
    let look = |args: &[&str]| {
        let args = [&["deacon", "stale-hooks", "--json"], args].concat();
        let said = town.gt_in(61, args).ok().json();
        let found = said.as_array().unwrap().clone();
        let of = |id: &str| found.iter().find(|one| one["bead"] == id).cloned();
        (of(&free), of(&held))
    };
    let (reopened, kept) = look(&["--dry-run"]);
    assert_eq!(reopened.unwrap()["verdict"], "reopen");
    assert_eq!(
        kept.unwrap()["reason"],
        "its sandbox may hold unfinished work"
    );
    assert_eq!(town.status_of("web", &free), "hooked");
    let (reopened, _) = look(&[]);
    assert_eq!(reopened.unwrap()["done"], true);
    assert_eq!(town.status_of("web", &free), "open");
    assert_eq!(town.status_of("web", &held), "hooked");
    let (again, kept) = look(&[]);
    assert!(again.is_none() && kept.is_some());
}

#[test]
fn an_orphaned_process_is_listed_and_ended_only_on_request() {
    let town = Town::new();
    let agent = |command: &str| {
        let agent = json!({ "worker": { "command": "sh", "args": ["-c", command], "prompt_mode": "none" } });
        town.set_town_setting("agents", agent);
    };
    agent("setsid sleep 611 & exec sleep 600");
    town.gt(["mayor", "start"]).ok();
    let scan = |args: &[&str]| {
        let args = [&["zombie-scan", "--min-age", "0s"], args].concat();
        let found = run(&town, &args);
        let found = found.as_array().unwrap().iter();
        let pairs = found.map(|one| (one["program"].clone(), one["session"].clone()));
        pairs.collect::<Vec<_>>()
    };
    assert_eq!(scan(&[]), [], "its session runs");
    town.kill_session("hq-mayor");
    // The process of the session itself may take a moment to end.
    let found = eventually("the process is left", || {
        let found = scan(&[]);
        (found.len() == 1).then_some(found)
    });
    assert_eq!(found, [(json!("sleep"), json!("hq-mayor"))]);
    assert_eq!(run(&town, &["zombie-scan"]), json!([]), "it is too young");
    assert_eq!(scan(&["--dry-run"]).len(), 1, "looking ends nothing");
    assert_eq!(scan(&["--kill"]).len(), 1);
    assert_eq!(scan(&[]), []);
    assert_eq!(town.events("kill").len(), 1);
}

#[test]
fn work_of_a_stuck_worker_is_slung_again_twice_and_then_escalated() {
    let (town, _origin) = Town::with_rig();
    town.script("exec sleep 600");
    town.gt(["config", "set", "patrol.breaker.restarts", "0"])
        .ok();
    let bead = town.bead("web", "Hard");
    town.sling(&bead);
    town.gt(["deacon", "redispatch", &bead])
        .fails("is not stuck");
    let get_stuck = || {
        let session = town.sessions().pop().unwrap();
        town.kill_session(&session);
        town.quiet();
        town.patrol();
    };
    let redispatch = |minutes: i64| {
        let said = town.gt_in(minutes, ["deacon", "redispatch", &bead, "--json"]);
        said.ok().json()
    };
    get_stuck();
    assert_eq!(redispatch(0)["attempts"], 1);
    get_stuck();
    assert_eq!(redispatch(0)["outcome"], "waits");
    assert_eq!(redispatch(6)["attempts"], 2);
    get_stuck();
    let escalated = redispatch(12);
    let id = escalated["escalation"].as_str().unwrap();
    let shown = town.gt(["escalate", "show", id, "--json"]).ok().json();
    assert!(shown["title"].as_str().unwrap().contains(&bead), "{shown}");
    assert_eq!(
        redispatch(20),
        json!({ "outcome": "escalated", "escalation": "" })
    );
}

#[test]
fn an_agent_that_does_not_answer_is_counted_and_left_alone() {
    let town = Town::new();
    let agent = |command: &str| {
        let agent = json!({ "worker": { "command": "sh", "args": ["-c", command], "prompt_mode": "none" } });
        town.set_town_setting("agents", agent);
    };
    let check = |timeout: &str| {
        let args = [
            "deacon",
            "health-check",
            "mayor",
            "--failures",
            "2",
            "--timeout",
            timeout,
            "--json",
        ];
        town.gt(args).run()
    };
    let counted = |check: &Value| {
        (
            check["answered"].as_bool().unwrap(),
            check["consecutive_failures"].as_u64().unwrap(),
        )
    };
    assert_eq!(check("1s").json()["running"], false);
    agent("exec sleep 600");
    town.gt(["mayor", "start"]).ok();
    let said = check("500ms");
    assert_eq!((said.code, counted(&said.json())), (0, (false, 1)));
    let said = check("500ms");
    assert_eq!((said.code, counted(&said.json())), (2, (false, 2)));
    assert_eq!(run(&town, &["zombie-scan"]), json!([]));
    // One whose program reports what it does.
    let event = r#"{"hook_event_name":"PostToolUse"}"#;
    agent(&format!(
        "while read line; do echo '{event}' | gt signal event; done"
    ));
    town.gt(["mayor", "restart"]).ok();
    let said = check("60s");
    assert_eq!((said.code, counted(&said.json())), (0, (true, 0)));
    let text = std::fs::read_to_string(town.root().join("deacon/health-check-state.json")).unwrap();
    assert!(text.contains("\"last_response_time\""), "{text}");
}
