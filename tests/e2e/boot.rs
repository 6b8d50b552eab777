//! `gt boot`: the watch over the deacon's session, and requests of agents by mail.

use serde_json::{Value, json};
use town_tests::Town;

/// A town whose deacon is an agent that sleeps.
fn town() -> Town {
    let town = Town::new();
    town.set_town_setting(
        "agents",
        json!({ "worker": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } }),
    );
    town
}

fn agent_mode(town: &Town, role: &str) {
    let key = format!("patrol.mode.{role}");
    town.gt(["config", "set", &key, "agent", "--town"]).ok();
}

fn status(town: &Town, role: &str) -> Value {
    town.gt([role, "status", "--json"]).ok().json()
}

#[test]
fn a_silent_deacon_is_woken_and_restarted_if_it_does_not_answer() {
    let town = town();
    let triage = |minutes: i64, args: &[&str]| {
        let args = [&["boot", "triage", "--json"], args].concat();
        let said = town.gt_in(minutes, args).ok().json();
        said["action"].as_str().unwrap().to_owned()
    };
    assert_eq!(triage(0, &[]), "nothing", "gtd does its work");
    agent_mode(&town, "deacon");
    assert_eq!(triage(0, &["--dry-run"]), "start");
    assert_eq!(status(&town, "deacon")["running"], false);
    assert_eq!(triage(0, &[]), "start");
    assert_eq!(triage(0, &[]), "nothing");
    assert_eq!(
        triage(60, &[]),
        "nothing",
        "the town has no work and no mail"
    );
    town.gt(["mail", "send", "deacon/", "-s", "A question", "-m", "Well?"])
        .ok();
    assert_eq!(triage(10, &[]), "nudge");
    assert_eq!(triage(10, &[]), "nothing");
    assert_eq!(triage(20, &[]), "wake");
    assert_eq!(triage(30, &[]), "nothing");
    let last = &status(&town, "boot")["last_triage"];
    assert_eq!(
        (&last["last_action"], &last["asked"]["action"]),
        (&json!("nothing"), &json!("wake"))
    );
    assert_eq!(triage(36, &[]), "restart");
    let shown = town.gt(["boot", "status"]).ok().out;
    assert!(
        shown.contains("restart, no sign of life for 36 min"),
        "{shown}"
    );
    assert_eq!(
        town.events("session_ended").len(),
        1,
        "its last screen is kept"
    );
    assert_eq!(status(&town, "deacon")["running"], true);
    assert_eq!(town.events("session_begun").len(), 2);
}

#[test]
fn the_patrol_asks_the_boot_agent_to_check_the_deacon() {
    let town = town();
    agent_mode(&town, "deacon");
    agent_mode(&town, "boot");
    town.patrol();
    town.gt(["mail", "send", "deacon/", "-s", "A question", "-m", "Well?"])
        .ok();
    town.patrol_in(20 * 60);
    let acts = town.events("patrol");
    let watched = acts
        .iter()
        .filter(|act| act["payload"]["rule"] == "B1-watch-deacon");
    assert_eq!(watched.count(), 1, "{acts:?}");
    let screen = town.gt(["peek", "boot"]).ok().out;
    assert!(screen.contains("The deacon needs a look"), "{screen}");
}

#[test]
fn an_agent_that_asks_by_mail_is_restarted_once() {
    let town = town();
    town.gt(["mayor", "start"]).ok();
    let starts = || town.events("session_begun").len();
    assert_eq!(starts(), 1);
    let ask = |action: &str| {
        let send = [
            "mail",
            "send",
            "deacon/",
            "-s",
            "LIFECYCLE: me",
            "-m",
            action,
        ];
        town.gt(send).env("GT_ROLE", "mayor").ok();
    };
    ask("restart");
    town.patrol();
    assert_eq!(status(&town, "mayor")["running"], true);
    assert_eq!(starts(), 2);
    town.patrol();
    assert_eq!(starts(), 2);
    assert_eq!(town.mail("deacon/"), Vec::<Value>::new());
    ask("{\"action\": \"shutdown\"}");
    town.patrol();
    assert_eq!(status(&town, "mayor")["running"], false);
    // An unknown request stays unread.
    ask("do something");
    town.patrol();
    assert_eq!(town.mail("deacon/").len(), 1);
    // Too old.
    town.gt(["mayor", "start"]).ok();
    ask("shutdown");
    town.patrol_in(7 * 3600);
    assert_eq!(status(&town, "mayor")["running"], true);
    assert_eq!(town.mail("deacon/").len(), 1);
}
