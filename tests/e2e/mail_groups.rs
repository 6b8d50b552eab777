//! `gt mail group`, `gt mail channel` and `gt mail announces`.

use serde_json::{Value, json};
use town_tests::Town;

/// A town with the crew `max` and `nux` of `web`, and `ada` of `docs`.
fn town_with_crew() -> Town {
    let (town, _origin) = Town::with_rig();
    town.add_rig("docs", "docs");
    for (rig, name) in [("web", "max"), ("web", "nux"), ("docs", "ada")] {
        town.gt(["crew", "add", name, "--rig", rig]).ok();
    }
    town
}

/// Sends a message; returns the sorted mailboxes that got it.
fn recipients(town: &Town, to: &str) -> Vec<String> {
    let sent = town
        .gt(["mail", "send", to, "-s", "Hello", "--json"])
        .ok()
        .json();
    let list = sent["recipients"].as_array().cloned();
    let mut found: Vec<String> = list
        .unwrap_or_else(|| vec![sent["to"].clone()])
        .iter()
        .map(|one| one.as_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

fn subjects(town: &Town, mailbox: &str) -> Vec<Value> {
    let messages = town.mail(mailbox);
    messages.iter().map(|one| one["subject"].clone()).collect()
}

fn write_messaging(town: &Town, settings: &Value) {
    let path = town.root().join("config/messaging.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, settings.to_string()).unwrap();
}

#[test]
fn built_in_groups_and_patterns_reach_each_member_once() {
    let town = town_with_crew();
    for (to, expected) in [
        ("@town", vec!["docs/ada", "mayor/", "web/max", "web/nux"]),
        ("@crew", vec!["docs/ada", "web/max", "web/nux"]),
        ("@crew/docs", vec!["docs/ada"]),
        ("@rig/web", vec!["web/max", "web/nux"]),
        ("@overseer", vec!["overseer"]),
        ("web/crew/*", vec!["web/max", "web/nux"]),
        ("*/a*", vec!["docs/ada"]),
    ] {
        assert_eq!(recipients(&town, to), expected, "{to}");
    }
    assert_eq!(subjects(&town, "docs/ada").len(), 4);
    assert_eq!(town.mail("docs/ada")[0]["addressed_to"], "*/a*");
    for (to, fault) in [
        (
            "@nobody",
            "there is no group `@nobody` (built-in groups: @town",
        ),
        ("@polecats", "has no members"),
        ("@rig/none", "there is no rig `none`"),
        ("@town/web", "there is no group"),
        ("web/crew/z*", "no agent has an address like"),
        (
            "group:none",
            "there is no group `none`: not found (there is none yet)",
        ),
        ("list:none", "there is no list `none`"),
    ] {
        town.gt(["mail", "send", to, "-s", "x"]).fails(fault);
    }
    // Roles without an agent have a stand-in.
    let args = ["mail", "send", "@witnesses", "-s", "HELP", "--json"];
    let sent = town.gt(args).env("GT_ROLE", "web/crew/max").ok().json();
    assert_eq!(
        sent["recipients"],
        Value::Null,
        "both have the same stand-in"
    );
    assert_eq!(subjects(&town, "overseer")[0], "HELP");
}

#[test]
fn a_group_is_created_changed_and_deleted() {
    let town = town_with_crew();
    let group = |args: &[&str]| town.gt(["mail", "group"]).args(args.iter().copied());
    assert!(group(&["list"]).ok().out.contains("no groups yet"));
    let made = group(&["create", "ops", "web/max", "docs/crew/*", "--json"])
        .ok()
        .json();
    assert_eq!(made["members"], json!(["web/max", "docs/crew/*"]));
    group(&["create", "ops"]).fails("the group `ops` exists already");
    group(&["create", "mayor"]).fails("cannot be the name of a group");
    group(&["create", "a b"]).fails("cannot be the name of a group");
    group(&["create", "x", "a,b"]).fails("cannot be a member");
    group(&["add", "ops", "@overseer", "web/max", "gone"]).ok();
    let shown = group(&["show", "ops", "--json"]).ok().json();
    assert_eq!(
        shown["recipients"],
        json!(["web/max", "docs/ada", "overseer"])
    );
    // A member that does not exist is left out and reported; groups may contain each other.
    group(&["create", "all", "ops", "web/nux", "group:all"]).ok();
    group(&["add", "ops", "all"]).ok();
    let said = town.gt(["mail", "send", "all", "-s", "Hello"]).ok().out;
    assert!(said.contains("left out, because not found: gone"), "{said}");
    assert!(
        said.contains("recipients: web/max, docs/ada, overseer, web/nux"),
        "{said}"
    );
    // The sender is a member and knows the message.
    assert_eq!(town.mail("overseer")[0]["read"], true);
    assert_eq!(town.mail("web/nux")[0]["read"], false);
    group(&["remove", "ops", "gone", "all"]).ok();
    group(&["remove", "ops", "gone"]).fails("is not a member");
    let all = group(&["list", "--json"]).ok().json();
    assert_eq!(all[1]["name"], "ops");
    assert_eq!(
        all[1]["members"],
        json!(["web/max", "docs/crew/*", "@overseer"])
    );
    group(&["delete", "ops"]).ok();
    group(&["show", "ops"]).fails("there is no group `ops`");
    assert_eq!(recipients(&town, "group:all"), ["web/nux"]);
    group(&["create", "ops", "web/nux"]).ok();
    assert_eq!(recipients(&town, "ops"), ["web/nux"]);
    // The town's records are no work.
    assert!(!town.bd(".", ["ready"]).ok().out.contains("Group"));
}

#[test]
fn lists_and_groups_of_the_original_gas_town_are_read() {
    let town = town_with_crew();
    write_messaging(
        &town,
        &json!({
            "type": "messaging", "version": 1,
            "lists": { "oncall": ["mayor/", "web/crew/*", "nobody"] },
        }),
    );
    assert_eq!(
        recipients(&town, "list:oncall"),
        ["mayor/", "web/max", "web/nux"]
    );
    let description = "Group: old\n\nname: old\nmembers: web/crew/max, @overseer\ncreated_by: mayor\ncreated_at: 2026-01-01T00:00:00Z";
    let create = [
        "create",
        "Group: old",
        "--id",
        "hq-group-old",
        "--force",
        "--labels",
        "gt:group",
        "-d",
        description,
    ];
    town.bd(".", create).ok();
    assert_eq!(recipients(&town, "old"), ["overseer", "web/max"]);
    town.gt(["mail", "group", "create", "oncall", "web/nux"])
        .ok();
    town.gt(["mail", "send", "oncall", "-s", "x"])
        .fails("`oncall` has several meanings: write group:oncall or list:oncall");
    write_messaging(&town, &json!({ "lists": { "oncall": [] } }));
    town.gt(["mail", "send", "list:oncall", "-s", "x"])
        .fails("lists.oncall is `[]`");
}

#[test]
fn a_channel_keeps_messages_for_its_retention_and_copies_them_to_subscribers() {
    let town = town_with_crew();
    let channel = |args: &[&str]| town.gt(["mail", "channel"]).args(args.iter().copied());
    let as_max = |args: &[&str]| channel(args).env("GT_ROLE", "web/crew/max");
    channel(&[
        "create",
        "news",
        "--retain-count",
        "2",
        "--retain-hours",
        "48",
    ])
    .ok();
    channel(&["create", "news"]).fails("the channel `news` exists already");
    as_max(&["subscribe", "news"]).ok();
    assert_eq!(
        as_max(&["subscribe", "news", "--json"]).ok().json()["changed"],
        false
    );
    channel(&["subscribe", "news"]).ok();
    assert_eq!(
        channel(&["subscribers", "news", "--json"]).ok().json(),
        json!(["web/max", "overseer"])
    );
    let sent = ["mail", "send", "channel:news", "-s", "One", "--json"];
    let sent = town.gt(sent).ok().json();
    assert_eq!(
        sent["recipients"],
        json!(["channel:news", "web/max"]),
        "not the sender"
    );
    assert_eq!(subjects(&town, "web/max"), ["[channel:news] One"]);
    let listed = |args: &[&str]| {
        let messages = as_max(args).ok().json();
        let messages = messages.as_array().unwrap().clone();
        let line = |one: &Value| format!("{} {}", one["subject"].as_str().unwrap(), one["read"]);
        messages.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(listed(&["news", "--json", "--keep-unread"]), ["One false"]);
    assert_eq!(listed(&["news", "--json"]), ["One false"]);
    for subject in ["Two", "Three"] {
        town.gt(["mail", "send", "news", "-s", subject]).ok();
    }
    assert_eq!(listed(&["news", "--json"]), ["Three false", "Two false"]);
    assert_eq!(listed(&["news", "--json"]), ["Three true", "Two true"]);
    assert!(listed(&["news", "--unread", "--json"]).is_empty());
    // The read marks of another agent are its own.
    assert!(
        channel(&["news"])
            .ok()
            .out
            .contains("news: 2 messages, 0 unread"),
        "its own"
    );
    let later = town.gt_in(49 * 60, ["mail", "channel", "news"]).ok().out;
    assert!(later.contains("news: 0 messages"), "{later}");
    as_max(&["unsubscribe", "news"]).ok();
    town.gt(["mail", "send", "news", "-s", "Four"]).ok();
    assert_eq!(subjects(&town, "web/max").len(), 3);
    let all = channel(&["--json"]).ok().json();
    assert_eq!(
        (&all[0]["name"], &all[0]["retention_count"]),
        (&json!("news"), &json!(2))
    );
    channel(&["delete", "news"]).ok();
    town.gt(["mail", "send", "channel:news", "-s", "x"])
        .fails("there is no channel `news`");
}

#[test]
fn an_announcement_keeps_its_newest_messages() {
    let town = town_with_crew();
    write_messaging(
        &town,
        &json!({ "announces": { "alerts": { "readers": ["@town"], "retain_count": 2 } } }),
    );
    for subject in ["One", "Two", "Three"] {
        town.gt(["mail", "send", "announce:alerts", "-s", subject])
            .ok();
    }
    let messages = town
        .gt(["mail", "announces", "alerts", "--json"])
        .ok()
        .json();
    let messages = messages.as_array().unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0]["subject"], "Three");
    let list = town.gt(["mail", "announces", "--json"]).ok().json();
    assert_eq!(
        list,
        json!([{ "name": "alerts", "readers": ["@town"], "retain_count": 2 }])
    );
    town.gt(["mail", "announces", "none"])
        .fails("there is no announcement `none`");
    town.gt(["mail", "send", "announce:none", "-s", "x"])
        .fails("there is no announcement `none`: not found (there are: alerts)");
}

#[test]
fn a_send_that_is_killed_reaches_each_recipient_or_none() {
    let town = town_with_crew();
    for step in 0..24 {
        let subject = format!("Message {step}");
        let mut sender = town.gt(["mail", "send", "@crew", "-s", &subject]).start();
        // The moments are spread over the run of the command.
        kit::sys::clock::pause_thread(std::time::Duration::from_millis(step * 4));
        sender.kill().unwrap();
        sender.wait().unwrap();
        let count = |mailbox: &str| {
            let found = subjects(&town, mailbox);
            found.iter().filter(|one| **one == subject.as_str()).count()
        };
        let counts = ["docs/ada", "web/max", "web/nux"].map(count);
        assert!(
            counts == [0; 3] || counts == [1; 3],
            "{subject}: {counts:?}"
        );
    }
    assert_eq!(
        recipients(&town, "@crew"),
        ["docs/ada", "web/max", "web/nux"]
    );
}

#[test]
fn a_mistake_in_the_lists_does_not_stop_mail_to_an_agent() {
    let town = Town::new();
    let folder = town.root().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("messaging.json"), r#"{"lists":{"oncall":[]}}"#).unwrap();
    town.gt(["mail", "send", "mayor/", "-s", "Hello", "-m", "x"])
        .ok();
    assert_eq!(town.mail("mayor/").len(), 1);
    town.gt(["mail", "send", "list:oncall", "-s", "Hello", "-m", "x"])
        .fails("messaging.json");
}

#[test]
fn archiving_a_shared_message_hides_it_from_that_reader_only() {
    let town = town_with_crew();
    write_messaging(
        &town,
        &json!({ "announces": { "alerts": { "readers": ["@town"], "retain_count": 9 } } }),
    );
    town.gt(["mail", "channel", "create", "news"]).ok();
    for (place, list) in [
        ("channel:news", ["mail", "channel", "news", "--json"]),
        ("announce:alerts", ["mail", "announces", "alerts", "--json"]),
    ] {
        let send = ["mail", "send", place, "-s", "One", "--json"];
        let id = town.gt(send).ok().json()["id"].as_str().unwrap().to_owned();
        let run = |name: &str, args: &[&str]| {
            let run = town.gt(args.iter().copied());
            run.env("GT_ROLE", format!("web/crew/{name}")).ok()
        };
        let count = |name: &str| run(name, &list).json().as_array().unwrap().len();
        run("max", &["mail", "archive", &id]);
        assert_eq!((count("max"), count("nux")), (0, 1), "{place}");
        run("nux", &["mail", "mark-read", &id]);
        assert_eq!(run("nux", &list).json()[0]["read"], true, "{place}");
        run("max", &["mail", "delete", &id]);
        assert_eq!(count("nux"), 1, "{place}");
        town.gt(["mail", "delete", &id]).ok();
        assert_eq!(count("nux"), 0, "its sender deletes it: {place}");
    }
}
