//! `gt mail thread`, `search`, `peek`, `forward`, `clear`, `drain` and `hook`, and the flags of
//! `gt mail send`.

use serde_json::{Value, json};
use town_tests::{Run, Town};

fn town_with_nux() -> Town {
    let (town, _origin) = Town::with_rig();
    town.gt(["crew", "add", "nux", "--rig", "web"]).ok();
    town
}

fn as_nux<'a>(town: &Town, args: impl IntoIterator<Item = &'a str>) -> Run {
    town.gt(args).env("GT_ROLE", "web/crew/nux")
}

fn send(town: &Town, args: &[&str]) -> Value {
    let run = town
        .gt(["mail", "send", "--json"])
        .args(args.iter().copied());
    run.ok().json()
}

fn subjects(messages: &Value) -> Vec<&str> {
    let messages = messages.as_array().unwrap().iter();
    messages
        .map(|one| one["subject"].as_str().unwrap())
        .collect()
}

#[test]
fn a_thread_shows_a_conversation_oldest_message_first() {
    let town = town_with_nux();
    let first = send(
        &town,
        &["web/nux", "-s", "Which port?", "-m", "For the tests"],
    );
    as_nux(&town, ["mail", "reply", "1", "8080"]).ok();
    town.gt(["mail", "reply", "1", "Thanks"]).ok();
    send(&town, &["web/nux", "-s", "Something else"]);
    let id = first["id"].as_str().unwrap();
    let thread = town.gt(["mail", "thread", id, "--json"]).ok().json();
    let bodies: Vec<&Value> = thread
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["body"])
        .collect();
    assert_eq!(bodies, ["For the tests", "8080", "Thanks"]);
    let by_thread = [
        "mail",
        "thread",
        thread[0]["thread_id"].as_str().unwrap(),
        "--json",
    ];
    assert_eq!(town.gt(by_thread).ok().json(), thread);
    let shown = as_nux(&town, ["mail", "thread", "2"]).ok().out;
    assert_eq!(shown.matches("Subject: ").count(), 3, "{shown}");
    town.gt(["mail", "thread", "hq-wisp-none"])
        .fails("not found");
}

#[test]
fn search_finds_messages_by_subject_text_and_sender() {
    let town = town_with_nux();
    send(
        &town,
        &["overseer", "-s", "Port 80 (web)", "-m", "is in use"],
    );
    as_nux(
        &town,
        [
            "mail",
            "send",
            "overseer",
            "-s",
            "Hello",
            "-m",
            "the PORT is free",
        ],
    )
    .ok();
    let found = |args: &[&str]| {
        let run = town
            .gt(["mail", "search", "--json"])
            .args(args.iter().copied());
        subjects(&run.ok().json()).join(", ")
    };
    assert_eq!(found(&["port"]), "Hello, Port 80 (web)");
    assert_eq!(found(&["port", "--subject"]), "Port 80 (web)");
    assert_eq!(found(&["port", "--body"]), "Hello");
    assert_eq!(found(&["port", "--from", "nux"]), "Hello");
    assert_eq!(found(&["80 (", "--subject"]), "Port 80 (web)", "literal");
    assert_eq!(found(&["p.rt"]), "");
    town.gt(["mail", "archive", "1"]).ok();
    assert_eq!(found(&["port"]), "Port 80 (web)");
    assert_eq!(found(&["port", "--archive"]), "Hello, Port 80 (web)");
    let none = town.gt(["mail", "search", "nothing here"]).ok().out;
    assert!(none.contains("no message has this text"), "{none}");
}

#[test]
fn peek_shows_the_newest_unread_message_and_leaves_it_unread() {
    let town = town_with_nux();
    let empty = town.gt(["mail", "peek"]).run();
    assert_eq!((empty.code, empty.out.as_str()), (1, ""));
    let long = "word ".repeat(200);
    send(&town, &["overseer", "-s", "Long", "-m", &long]);
    let shown = town.gt(["mail", "peek"]).ok().out;
    assert!(
        shown.contains('…') && shown.contains("gt mail read hq-"),
        "{shown}"
    );
    assert_eq!(town.mail("overseer")[0]["read"], false);
    let whole = town.gt(["mail", "peek", "--json"]).ok().json();
    assert_eq!(whole["body"].as_str().unwrap(), long);
}

#[test]
fn a_forwarded_message_has_the_original_below_the_new_text() {
    let town = town_with_nux();
    send(
        &town,
        &["overseer", "-s", "Broken build", "-m", "see $(rm -rf /)"],
    );
    town.gt(["mail", "forward", "1", "web/nux", "-m", "Please look"])
        .ok();
    let got = &town.mail("web/nux")[0];
    assert_eq!(got["subject"], "Fwd: Broken build");
    let body = got["body"].as_str().unwrap();
    assert!(
        body.starts_with("Please look\n\nForwarded message hq-")
            && body.ends_with("\n\nsee $(rm -rf /)"),
        "{body}"
    );
    as_nux(&town, ["mail", "forward", "1", "@overseer"]).ok();
    assert_eq!(
        town.mail("overseer")[0]["subject"],
        "Fwd: Broken build",
        "once"
    );
    town.gt(["mail", "forward", "1", "web/none"])
        .fails("there is no worker `none`");
}

#[test]
fn clear_archives_an_inbox_except_pinned_messages() {
    let town = town_with_nux();
    town.gt(["mail", "inbox", "web/garnet"])
        .fails("there is no worker `garnet` in rig `web`");
    send(&town, &["overseer", "-s", "Rules", "--pinned"]);
    send(&town, &["overseer", "-s", "One"]);
    send(&town, &["--self", "-s", "Two"]);
    let said = town.gt(["mail", "clear"]).ok().out;
    assert!(said.contains("overseer: 2 messages archived"), "{said}");
    let left = town.mail("overseer");
    assert_eq!((left.len(), &left[0]["pinned"]), (1, &json!(true)));
    assert_eq!(
        town.gt(["mail", "inbox", "--all", "--json"])
            .ok()
            .json()
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn drain_archives_old_reports_of_the_protocol_only() {
    let town = town_with_nux();
    for subject in [
        "POLECAT_DONE nux",
        "merged: web-1",
        "HELP: no disk",
        "Hello",
    ] {
        send(&town, &["web/nux", "-s", subject]);
    }
    let drain = |minutes, more: &[&str]| {
        let run = town
            .gt_in(minutes, ["mail", "drain", "--json"])
            .args(more.iter().copied());
        let changed = run.env("GT_ROLE", "web/crew/nux").ok().json()["changed"].clone();
        changed.as_array().unwrap().len()
    };
    assert_eq!(drain(0, &[]), 0);
    assert_eq!(drain(31, &["--dry-run"]), 2);
    assert_eq!(drain(0, &["--all"]), 2);
    let left = Value::Array(town.mail("web/nux"));
    assert_eq!(subjects(&left), ["Hello", "HELP: no disk"]);
}

#[test]
fn a_message_on_the_hook_is_the_work_of_its_recipient() {
    let town = town_with_nux();
    let sent = send(
        &town,
        &["web/nux", "-s", "Write the report", "-m", "Two pages"],
    );
    let id = sent["id"].as_str().unwrap();
    town.gt(["mail", "hook", id])
        .fails("the overseer has no hook");
    as_nux(&town, ["mail", "hook", id]).ok();
    let hook = as_nux(&town, ["hook", "--json"]).ok().json();
    assert_eq!(
        (&hook["bead_id"], &hook["status"]),
        (&json!(id), &json!("hooked"))
    );
    assert_eq!(town.mail("web/nux")[0]["id"], id, "it stays in the inbox");
    let other = send(&town, &["web/nux", "-s", "Another"]);
    as_nux(&town, ["mail", "hook", other["id"].as_str().unwrap()]).fails("is on your hook already");
    as_nux(&town, ["mail", "archive", id]).ok();
    let empty = as_nux(&town, ["hook", "--json"]).ok().json();
    assert_eq!(empty["status"], "empty");
}

#[test]
fn each_address_of_a_message_gets_its_own_copy() {
    let town = town_with_nux();
    let sent = send(
        &town,
        &[
            "web/nux",
            "-s",
            "Plan",
            "--cc",
            "mayor/,@crew",
            "--cc",
            "overseer",
        ],
    );
    assert_eq!(sent["recipients"], json!(["web/nux", "mayor/", "overseer"]));
    assert_eq!(town.mail("web/nux")[0]["cc"], json!(["mayor/", "overseer"]));
    as_nux(&town, ["mail", "archive", "1"]).ok();
    assert_eq!(
        town.mail("mayor/")[0]["read"],
        false,
        "read marks are of one mailbox"
    );
    assert_eq!(town.mail("overseer").len(), 1);
    town.gt(["mail", "send", "web/nux", "-s", "x", "--cc", "web/none"])
        .fails("there is no worker `none`");
    assert!(town.mail("web/nux").is_empty(), "all copies or none");
    town.gt(["mail", "send", "-s", "x"]).fails("<TO>");
}

#[test]
fn a_sender_waits_until_each_recipient_has_read_the_message() {
    let town = town_with_nux();
    let wait = [
        "mail",
        "send",
        "web/nux",
        "-s",
        "Now",
        "--wait-for-ack",
        "--json",
    ];
    let late = town.gt(wait).args(["--ack-timeout", "0"]).run();
    assert_eq!(late.code, 1);
    assert_eq!(late.json()["acknowledged"], false);
    let sender = town.gt(wait).start_reading();
    let unread = || {
        town.mail("web/nux")
            .iter()
            .filter(|one| one["read"] == false)
            .count()
    };
    town_tests::eventually("both messages are there", || (unread() == 2).then_some(()));
    as_nux(&town, ["mail", "mark-read", "1"]).ok();
    let output = sender.wait_with_output().unwrap();
    assert!(output.status.success());
    let sent: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sent["acknowledged"], true);
}

#[test]
fn all_messages_are_marked_as_read_and_those_from_before_the_session_are_archived() {
    let town = town_tests::Town::new();
    let stay = serde_json::json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
    town.set_town_setting("agents", serde_json::json!({ "stay": stay }));
    let as_mayor = |args: &[&str]| town.gt(args.iter().copied()).env("GT_ROLE", "mayor").ok();
    town.gt(["mail", "send", "mayor/", "-s", "Old"]).ok();
    town.gt(["mail", "send", "mayor/", "-s", "Old, too"]).ok();
    as_mayor(&["mail", "mark-read", "--all"]);
    assert!(town.mail("mayor/").iter().all(|one| one["read"] == true));
    let refused = town
        .gt(["mail", "archive", "--stale"])
        .env("GT_ROLE", "mayor");
    refused.fails("has no session");
    // A session's start has whole seconds.
    kit::sys::clock::pause_thread(std::time::Duration::from_millis(1100));
    town.gt(["mayor", "start", "--agent", "stay"]).ok();
    kit::sys::clock::pause_thread(std::time::Duration::from_millis(1100));
    town.gt(["mail", "send", "mayor/", "-s", "New"]).ok();
    let preview = as_mayor(&["mail", "archive", "--stale", "-n"]).out;
    assert_eq!(preview.matches("would be archived").count(), 2, "{preview}");
    assert_eq!(town.mail("mayor/").len(), 3);
    as_mayor(&["mail", "archive", "--stale"]);
    let left = town.mail("mayor/");
    assert_eq!((left.len(), &left[0]["subject"]), (1, &"New".into()));
}

#[test]
fn flags_of_the_original_on_everyday_commands_are_accepted() {
    let town = town_with_nux();
    let as_nux = |args: &[&str]| town.gt(args.iter().copied()).env("GT_ROLE", "web/crew/nux");
    as_nux(&["mail", "send", "--human", "-s", "Hello"]).ok();
    assert_eq!(town.mail("overseer")[0]["subject"], "Hello");
    let kept = town.gt([
        "nudge",
        "web/crew/nux",
        "later",
        "--mode",
        "queue",
        "--json",
    ]);
    assert_eq!(kept.ok().json()["delivered"], false);
    assert_eq!(town.mail("web/nux")[0]["subject"], "later");
    town.gt(["rig", "config", "show", "web", "--layers"]).ok();
    assert_eq!(town.gt(["up", "-q"]).ok().out, "");
    town.gt(["start", "--all"]).ok();
    town.gt(["sling", "x", "--naked"]).fails("gt rig park web");
}

#[test]
fn an_agent_changes_no_mail_of_another() {
    let town = town_with_nux();
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let sent = send(&town, &["web/nux", "-s", "For nux"]);
    let id = sent["id"].as_str().unwrap();
    let as_max = |args: &[&str]| {
        let run = town.gt(["mail"]).args(args.iter().copied());
        run.env("GT_ROLE", "web/crew/max")
    };
    for command in ["delete", "archive", "mark-read", "mark-unread"] {
        as_max(&[command, id]).fails("is in the mailbox of web/nux");
    }
    as_max(&["clear", "web/nux"]).fails("is in the mailbox of web/nux");
    // Reading is free, and does not hide the message from its recipient.
    as_max(&["read", id]).ok();
    let inbox = as_nux(&town, ["mail", "inbox", "--json"]).ok().json();
    assert_eq!(subjects(&inbox), ["For nux"]);
    assert_eq!(inbox[0]["read"], false);
    as_nux(&town, ["mail", "archive", id]).ok();
    town.gt(["mail", "delete", id]).ok();
}
