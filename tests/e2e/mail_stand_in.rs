//! Mail to a role that no agent plays.

use serde_json::{Value, json};
use town_tests::{Run, Town, Worker};

/// A command of the worker `web/nux`.
fn as_nux<'a>(town: &Town, args: impl IntoIterator<Item = &'a str>) -> Run {
    town.gt(args).env("GT_ROLE", "web/crew/nux")
}

fn send_as_nux(town: &Town, to: &str, subject: &str) -> Value {
    let args = ["mail", "send", to, "-s", subject, "--json"];
    as_nux(town, args).ok().json()
}

fn town_with_nux() -> Town {
    let (town, _origin) = Town::with_rig();
    town.gt(["crew", "add", "nux", "--rig", "web"]).ok();
    town
}

fn start_mayor(town: &Town) {
    let stay = json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
    town.set_town_setting("agents", json!({ "stay": stay }));
    town.set_town_setting("default_agent", "stay".into());
    town.gt(["mayor", "start"]).ok();
}

#[test]
fn a_call_for_help_to_a_mayor_that_does_not_run_goes_to_the_overseer() {
    let town = town_with_nux();
    let sent = send_as_nux(&town, "mayor/", "HELP: no disk space");
    assert_eq!(
        (&sent["to"], &sent["addressed_to"]),
        (&json!("overseer"), &json!("mayor/"))
    );
    let got = &town.mail("overseer")[0];
    assert_eq!(
        (&got["from"], &got["addressed_to"]),
        (&json!("web/nux"), &json!("mayor/"))
    );
    assert!(town.mail("mayor/").is_empty());
    let inbox = town.gt(["mail", "inbox"]).ok().out;
    assert!(inbox.contains("from web/nux for mayor/"), "{inbox}");
    let shown = town.gt(["mail", "read", "1"]).ok().out;
    assert!(shown.contains("For:     mayor/"), "{shown}");
    // The overseer's answer reaches the worker.
    town.gt(["mail", "reply", "1", "Use the other disk"]).ok();
    assert_eq!(
        town.mail("web/nux")[0]["subject"],
        "Re: HELP: no disk space"
    );
    // Other mail can wait for the mayor's next start.
    send_as_nux(&town, "mayor/", "Helpful hints");
    assert_eq!(town.mail("mayor/")[0]["subject"], "Helpful hints");
    start_mayor(&town);
    send_as_nux(&town, "mayor/", "HELP: still none");
    assert_eq!(town.mail("mayor/")[0]["subject"], "HELP: still none");
}

#[test]
fn mail_to_a_mechanical_role_goes_to_its_stand_in_and_never_to_an_unread_mailbox() {
    let town = town_with_nux();
    let said = as_nux(
        &town,
        ["mail", "send", "web/witness", "-s", "Is this a bug?"],
    )
    .ok();
    assert!(
        said.out.contains("to overseer: Is this a bug?")
            && said.out.contains("no agent plays web/witness"),
        "{}",
        said.out
    );
    send_as_nux(&town, "deacon/", "All gates are open");
    let subjects: Vec<Value> = town
        .mail("overseer")
        .iter()
        .map(|one| one["subject"].clone())
        .collect();
    assert_eq!(subjects, ["All gates are open", "Is this a bug?"]);
    for role in ["web/witness", "web/refinery", "deacon/"] {
        town.gt(["mail", "send", role, "-s", "A question"])
            .fails("no one reads mail to");
        assert!(town.mail(role).is_empty());
    }
    let refused = town
        .gt(["mail", "send", "web/witness", "-s", "x"])
        .run()
        .err;
    assert!(
        refused.contains("gt config set patrol.mode.witness agent --rig web"),
        "{refused}"
    );
    start_mayor(&town);
    assert_eq!(send_as_nux(&town, "web/witness", "Again")["to"], "mayor/");
    // An agent that plays the role reads its own mail.
    let setting = [
        "config",
        "set",
        "patrol.mode.witness",
        "agent",
        "--rig",
        "web",
    ];
    town.gt(setting).ok();
    town.gt(["mail", "send", "web/witness", "-s", "A question"])
        .ok();
    assert_eq!(town.mail("web/witness")[0]["subject"], "A question");
}

#[test]
fn reports_of_the_protocol_to_a_mechanical_role_are_archived_with_their_rule() {
    let town = town_with_nux();
    let sent = send_as_nux(&town, "web/witness", "POLECAT_DONE nux");
    assert_eq!(sent["handled_by"], "P5-finish-done");
    assert!(town.mail("web/witness").is_empty() && town.mail("overseer").is_empty());
    let all = ["mail", "inbox", "web/witness", "--all", "--json"];
    assert_eq!(town.gt(all).ok().json()[0]["archived"], true);
    let ping = send_as_nux(&town, "deacon/", "WITNESS_PING web");
    assert_eq!(ping["handled_by"], "B1-watch-deacon");
    // A report without the fields that its readers need is sent with a warning.
    let ready = ["mail", "send", "web/refinery", "-s", "MERGE_READY nux"];
    let warned = as_nux(&town, ready).ok().err;
    assert!(
        warned.contains("MERGE_READY nux lacks Branch, Polecat"),
        "{warned}"
    );
    let whole = ["-m", "Branch: b\nPolecat: nux"];
    let fine = as_nux(&town, ready.into_iter().chain(whole)).ok().err;
    assert!(!fine.contains("lacks"), "{fine}");
    // A request to the deacon is carried out by the patrol.
    let request = send_as_nux(&town, "deacon/", "LIFECYCLE: restart");
    assert_eq!(request["to"], "deacon/");
    assert!(request["handled_by"].is_null());
}

#[test]
fn reports_of_the_protocol_move_the_work_once_even_if_they_are_repeated() {
    let worker = Worker::new();
    let (town, name) = (&worker.town, &worker.name);
    worker.commit("wall.txt");
    worker.hand_in();
    let own_name = name.rsplit('/').next().unwrap();
    let report = |to: &str, word: &str| {
        let subject = format!("{word} {own_name}");
        let sent = town.gt_as(name, ["mail", "send", to, "-s", &subject, "--json"]);
        let sent = sent.ok().json();
        assert!(sent["handled_by"].is_string(), "{word}: {sent}");
    };
    for _ in 0..2 {
        for word in [
            "POLECAT_STARTED",
            "START_WORK",
            "POLECAT_DONE",
            "MERGED",
            "MERGE_FAILED",
            "REWORK_REQUEST",
            "LIFECYCLE",
        ] {
            report("web/witness", word);
        }
        report("web/refinery", "MERGE_READY");
        town.patrol();
    }
    town.patrol();
    town.told_once("merged");
    town.told_once("convoy_landed");
    assert_eq!(worker.shown()["status"], "closed");
    assert_eq!(worker.origin.subjects("main").len(), 1);
    for mailbox in ["web/witness", "web/refinery"] {
        assert!(town.mail(mailbox).is_empty(), "{mailbox}");
    }
    let subjects = town.mail("overseer").into_iter();
    let subjects: Vec<Value> = subjects.map(|message| message["subject"].clone()).collect();
    assert!(
        !subjects
            .iter()
            .any(|subject| subject.to_string().contains(own_name)),
        "{subjects:?}"
    );
}

#[test]
fn messages_that_the_town_writes_to_a_mechanical_role_go_to_its_stand_in() {
    let town = town_with_nux();
    let settings = json!({ "routes": { "medium": ["mail:web/witness", "mail:deacon/"] } });
    let path = town.root().join("settings/escalation.json");
    std::fs::write(path, settings.to_string()).unwrap();
    let sent = as_nux(&town, ["escalate", "Which disk?", "--json"])
        .ok()
        .json();
    assert_eq!(sent["targets"], json!(["overseer"]));
    let got = town.mail("overseer");
    assert_eq!(
        (got.len(), &got[0]["addressed_to"]),
        (1, &json!("web/witness"))
    );
    let id = sent["id"].as_str().unwrap();
    let said = as_nux(&town, ["escalate", "forward", id, "web/refinery"])
        .ok()
        .out;
    assert!(
        said.contains("is with overseer") && said.contains("no agent plays web/refinery"),
        "{said}"
    );
    assert_eq!(town.mail("overseer").len(), 2);
    start_mayor(&town);
    as_nux(&town, ["escalate", "forward", id, "web/refinery"]).ok();
    assert_eq!(town.mail("mayor/").len(), 1);
    town.gt(["mayor", "stop"]).ok();
    // A landed convoy.
    let bead = town.bead("web", "Done");
    let new = ["convoy", "create", "C", &bead, "--notify", "web/witness"];
    town.gt(new).ok();
    town.bd("web", ["close", &bead]).ok();
    town.gt(["convoy", "check"]).ok();
    let landed = &town.mail("overseer")[0]["subject"];
    assert!(
        landed.as_str().unwrap().contains("Convoy landed"),
        "{landed}"
    );
    for role in ["web/witness", "web/refinery", "deacon/"] {
        assert!(town.mail(role).is_empty(), "{role}");
    }
}

#[test]
fn the_directory_lists_agents_with_their_readers_and_all_shared_addresses() {
    let town = town_with_nux();
    town.gt(["mail", "channel", "create", "news"]).ok();
    let listed = town.gt(["mail", "directory", "--json"]).ok().json();
    let entries = listed.as_array().unwrap();
    for expected in [
        json!({ "address": "overseer", "kind": "overseer" }),
        json!({ "address": "web/nux", "kind": "crew" }),
        json!({ "address": "web/witness", "kind": "witness", "reader": "overseer" }),
        json!({ "address": "@rig/web", "kind": "group" }),
        json!({ "address": "channel:news", "kind": "channel" }),
    ] {
        assert!(entries.contains(&expected), "{expected} {listed}");
    }
    let text = town.gt(["mail", "dir"]).ok().out;
    assert!(
        text.contains("web/witness  (witness, read by overseer)"),
        "{text}"
    );
}
