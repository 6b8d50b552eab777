//! `gt escalate`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use town_tests::{Town, Worker};

use crate::screens::assert_running_screen;

/// Escalates and returns the report.
fn escalate(town: &Town, args: &[&str]) -> Value {
    let run = town.gt(["escalate"]).args(args.iter().copied());
    run.args(["--json"]).ok().json()
}

fn id_of(report: &Value) -> String {
    report["id"].as_str().unwrap().to_owned()
}

fn show(town: &Town, id: &str) -> Value {
    town.gt(["escalate", "show", id, "--json"]).ok().json()
}

fn subjects(town: &Town, mailbox: &str) -> Vec<String> {
    let mail = town.mail(mailbox).into_iter();
    mail.map(|letter| letter["subject"].as_str().unwrap().to_owned())
        .collect()
}

/// The time in so many minutes.
fn later(town: &Town, minutes: u64) -> String {
    let date = town.program_on_path("date");
    let date = date.args(["-u", "-d", &format!("+{minutes} minutes")]);
    date.args(["+%Y-%m-%dT%H:%M:%SZ"]).ok().text().to_owned()
}

fn patrol_in(town: &Town, minutes: u64) {
    let patrol = town.gtd(["run", "--once"]);
    patrol.env("BD_NOW", later(town, minutes)).run();
}

/// Writes `settings/escalation.json`.
fn configure(town: &Town, settings: &Value) {
    let path = town.root().join("settings/escalation.json");
    std::fs::write(path, settings.to_string()).unwrap();
}

/// Puts a program on the path that writes its arguments, variables and input to `<name>.seen`.
fn fake(town: &Town, name: &str, last: &str) -> PathBuf {
    let seen = town.path(&format!("{name}.seen"));
    let body = format!(
        "#!/bin/sh\n{{ printf '[%s]\\n' \"$@\"; echo TO=$GT_ESCALATION_TO; cat; test ! -e /dev/fd/3 || cat <&3; }} > {} 2>/dev/null\n{last}\n",
        seen.display()
    );
    write_program(&town.path("bin").join(name), &body);
    seen
}

fn write_program(path: &Path, body: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, body).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_severity_chooses_the_recipients() {
    let (town, _origin) = Town::with_rig();
    for (severity, mayor, overseer) in [
        ("low", 0, 0),
        // The mayor does not run.
        ("Medium", 1, 1),
        ("high", 2, 2),
        ("critical", 3, 3),
    ] {
        let title = format!("Trouble {severity}");
        let done = escalate(&town, &[&title, "-s", severity, "-r", "one\ntwo"]);
        let (mayors, overseers) = (town.mail("mayor/"), town.mail("overseer"));
        assert_eq!((mayors.len(), overseers.len()), (mayor, overseer), "{done}");
        let bead = town.show(".", &id_of(&done));
        assert_eq!(bead["issue_type"], "task");
        let labels = json!([
            "gt:escalation",
            format!("severity:{}", severity.to_lowercase())
        ]);
        assert_eq!(bead["labels"], labels);
        let text = bead["description"].as_str().unwrap();
        let start = format!(
            "{title}\n\nseverity: {}\nreason: one two\nsource: null\nescalated_by: overseer\n",
            severity.to_lowercase()
        );
        assert!(text.starts_with(&start), "{text}");
    }
    assert_eq!(
        subjects(&town, "overseer")[0],
        "[CRITICAL] Trouble critical"
    );
    let tracked = std::fs::read_to_string(town.root().join(".beads/issues.jsonl")).unwrap();
    assert!(tracked.contains("Trouble low"), "an escalation is durable");
    // No command is set up for people: that is said, and the doctor knows it.
    let said = town.gt(["escalate", "Another", "-s", "high"]).ok().out;
    assert!(said.contains("– email:human: no command `email`"), "{said}");
    let doctor = town.gt(["doctor", "escalations"]).run().out;
    assert!(
        doctor.contains("Trouble critical") && doctor.contains("email:human"),
        "{doctor}"
    );
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("critical") && status.contains("gt escalate resolve"),
        "{status}"
    );
    let list = town.gt(["escalate", "list"]).ok().out;
    assert!(list.starts_with("🚨"), "the most urgent first: {list}");
    town.gt(["escalate", "x", "-s", "urgent"]).fails("critical");
    town.gt(["escalate", " "]).fails("needs a description");
    town.gt(["escalate", "x", "--related", "web-none"])
        .fails("bead not found");
    town.gt(["escalate", "x", "--convoy", "hq-none"])
        .fails("no convoy");
    town.gt(["escalate", "show", "hq-none"])
        .fails("no escalation `hq-none`");
}

/// Starts a mayor that does nothing.
fn start_mayor(town: &Town) {
    let stay = json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
    town.set_town_setting("agents", json!({ "stay": stay }));
    town.set_town_setting("default_agent", "stay".into());
    town.gt(["mayor", "start"]).ok();
}

#[test]
fn non_urgent_escalations_go_to_a_running_mayor_or_else_the_user() {
    let (town, _origin) = Town::with_rig();
    start_mayor(&town);
    escalate(&town, &["Disk full"]);
    assert_eq!(
        (town.mail("mayor/").len(), town.mail("overseer").len()),
        (1, 0)
    );
    town.gt(["mayor", "stop"]).ok();
    let dry = town.gt(["escalate", "Disk slow", "-n"]).ok().out;
    assert!(dry.contains("mail to: mayor/, overseer"), "{dry}");
    escalate(&town, &["Disk slow"]);
    assert_eq!(subjects(&town, "overseer"), ["[MEDIUM] Disk slow"]);
}

#[test]
fn a_repeated_escalation_is_counted_and_a_more_urgent_one_raises_it() {
    let (town, _origin) = Town::with_rig();
    start_mayor(&town);
    let first = escalate(&town, &["Disk full", "-c", "infra", "-r", "sda1"]);
    let again = escalate(&town, &["disk FULL", "-c", "Infra", "-r", "sdb1"]);
    assert_eq!(
        (&again["id"], again["occurrences"].as_u64()),
        (&first["id"], Some(2))
    );
    assert_eq!(town.mail("mayor/").len(), 1);
    let other = escalate(&town, &["Disk full", "-c", "build"]);
    assert_ne!(other["id"], first["id"]);
    let id = id_of(&first);
    let urgent = escalate(&town, &["Disk full", "-c", "infra", "-s", "high"]);
    assert_eq!(
        (&urgent["id"], &urgent["severity"]),
        (&first["id"], &json!("high"))
    );
    assert_eq!(subjects(&town, "overseer"), ["[HIGH] Disk full"]);
    let bead = town.show(".", &id);
    assert_eq!(bead["comments"][0]["text"], "sdb1");
    let shown = town.gt(["escalate", "show", &id]);
    assert_running_screen("gt-escalate-show-repeated", shown, &[]);
    town.gt(["escalate", "close", &id, "--reason", "swept"])
        .ok();
    let new = escalate(&town, &["Disk full", "-c", "infra"]);
    assert_ne!(new["id"], first["id"], "one that is over counts nothing");
    let dry = town
        .gt(["escalate", "Disk full", "-c", "infra", "-n"])
        .ok()
        .out;
    assert!(
        dry.contains("mail to: mayor/") && dry.contains("counted on"),
        "{dry}"
    );
}

#[test]
fn an_answer_by_anyone_reaches_the_current_worker_of_the_bead() {
    let worker = Worker::new();
    let town = &worker.town;
    start_mayor(town);
    let name = worker.name.clone();
    let ask = [
        "escalate",
        "Which parser?",
        "--decision",
        "--option",
        "nom",
        "--option",
        "our own",
    ];
    let said = town.gt_as(&name, ask).args(["--json"]).ok().json();
    let id = id_of(&said);
    let shown = show(town, &id);
    assert_eq!(shown["relatedBead"], worker.bead.as_str());
    assert_eq!(shown["escalatedBy"], name.as_str());
    town.gt(["escalate", "resolve", &id, "3"])
        .fails("no option 3 (options: nom, our own)");
    town.gt(["escalate", "forward", &id, "overseer", "-m", "your call"])
        .env("GT_ROLE", "mayor")
        .ok();
    assert_eq!(subjects(town, "overseer"), ["[MEDIUM] Which parser?"]);
    town.gt(["escalate", "forward", &id, "nowhere/nux"])
        .fails("there is no rig");
    town.gt(["escalate", "ack", &id]).ok();
    assert_eq!(show(town, &id)["ackedBy"], "overseer");
    town.gt(["escalate", "resolve", &id, "2"]).ok();
    let shown = show(town, &id);
    assert_eq!(
        (&shown["answer"], &shown["status"]),
        (&json!("our own"), &json!("closed"))
    );
    assert_eq!(subjects(town, &name), ["Answer: Which parser?"]);
    assert!(
        town.mail("mayor/").is_empty() && town.mail("overseer").is_empty(),
        "closed with their matter"
    );
    town.gt(["escalate", "resolve", &id, "1"])
        .fails("closed already, by overseer: our own");
    town.gt(["escalate", "ack", &id]).fails("closed already");
    let prime = town.gt_as(&name, ["prime"]).ok().out;
    assert!(
        prime.contains("# Answers") && prime.contains("> our own"),
        "{prime}"
    );
    let why = town.gt(["why", &id]).ok().out;
    assert!(
        why.contains(&format!("escalated {id}")) && why.contains(&format!("closed {id}: our own")),
        "{why}"
    );
    assert!(
        town.gt(["escalate", "list"])
            .ok()
            .out
            .contains("no open escalations")
    );
    let all = town.gt(["escalate", "list", "--all", "--json"]).ok().json();
    assert_eq!(all[0]["id"], id.as_str());
}

#[test]
fn an_unacknowledged_escalation_is_raised_after_four_hours_up_to_the_limit() {
    let (town, _origin) = Town::with_rig();
    start_mayor(&town);
    let waits = id_of(&escalate(&town, &["Nobody looks"]));
    let taken = id_of(&escalate(&town, &["Taken up"]));
    town.gt(["escalate", "ack", &taken]).ok();
    patrol_in(&town, 239);
    assert_eq!(show(&town, &waits)["severity"], "medium");
    patrol_in(&town, 241);
    let raised = show(&town, &waits);
    assert_eq!(
        (&raised["severity"], &raised["originalSeverity"]),
        (&json!("high"), &json!("medium"))
    );
    assert_eq!(
        subjects(&town, "overseer"),
        ["[MEDIUM→HIGH] Re-escalated: Nobody looks"]
    );
    patrol_in(&town, 245);
    assert_eq!(
        show(&town, &waits)["severity"],
        "high",
        "the wait begins again"
    );
    let at = later(&town, 482);
    let dry = town
        .gt(["escalate", "stale", "-n", "--json"])
        .env("BD_NOW", &at)
        .ok()
        .json();
    assert_eq!(
        (&dry[0]["NewSeverity"], &dry[0]["Skipped"]),
        (&json!("critical"), &json!(false))
    );
    town.gt(["escalate", "stale"]).env("BD_NOW", &at).ok();
    patrol_in(&town, 800);
    let end = show(&town, &waits);
    assert_eq!(
        (&end["severity"], &end["reescalationCount"]),
        (&json!("critical"), &json!(2))
    );
    assert_eq!(show(&town, &taken)["severity"], "medium");
    let acts = town.events("patrol");
    let by_rule = acts
        .iter()
        .filter(|act| act["payload"]["rule"] == "E1-reescalate");
    assert_eq!(by_rule.count(), 1, "the other time the command did it");
    assert!(
        town.show(".", &waits)["labels"]
            .to_string()
            .contains("reescalated")
    );
}

#[test]
fn the_default_becomes_the_answer_at_the_deadline() {
    let worker = Worker::new();
    let town = &worker.town;
    let name = worker.name.clone();
    let ask = [
        "escalate",
        "Rename it?",
        "--decision",
        "--option",
        "yes",
        "--option",
        "no",
    ];
    let more = ["--default", "no", "--deadline", "2h", "--json"];
    let id = id_of(&town.gt_as(&name, ask).args(more).ok().json());
    patrol_in(town, 119);
    assert_eq!(show(town, &id)["status"], "open");
    patrol_in(town, 121);
    let shown = show(town, &id);
    assert_eq!(
        (&shown["answer"], &shown["closedBy"]),
        (&json!("no"), &json!("deadline"))
    );
    let mail = town.mail(&name);
    let body = mail[0]["body"].as_str().unwrap();
    assert!(
        body.contains("No one answered by") && body.contains("\n\nno\n"),
        "{body}"
    );
    town.gt([
        "escalate",
        "x",
        "--decision",
        "--option",
        "a",
        "--default",
        "b",
        "--deadline",
        "1h",
    ])
    .fails("`b` is not an option (options: a)");
    town.gt(["escalate", "x", "--decision", "--default", "b"])
        .fails("--deadline");
    town.gt([
        "escalate",
        "x",
        "--decision",
        "--default",
        "b",
        "--deadline",
        "2020-01-01",
    ])
    .fails("has passed");
}

#[test]
fn a_critical_escalation_blocks_its_convoy_until_it_is_closed() {
    let worker = Worker::new();
    let town = &worker.town;
    let convoys = town.gt(["convoy", "list", "--json"]).ok().json();
    let convoy = convoys[0]["id"].as_str().unwrap();
    let done = escalate(
        town,
        &["Leaks keys", "-s", "critical", "--related", &worker.bead],
    );
    assert_eq!(done["convoy"], convoy);
    let id = id_of(&done);
    let status = town.gt(["convoy", "status"]).ok().out;
    assert!(
        status.contains("[blocked]") && status.contains(&format!("blocked by {id}")),
        "{status}"
    );
    assert!(
        town.gt(["status"])
            .ok()
            .out
            .contains(&format!("blocked by {id}"))
    );
    assert!(town.gt(["why", convoy]).ok().out.contains("Leaks keys"));
    worker.commit("work.txt");
    worker.hand_in();
    worker.merge();
    assert_eq!(worker.shown()["status"], "closed");
    town.patrol();
    assert_eq!(town.status_of(".", convoy), "open");
    town.gt(["convoy", "land", convoy])
        .fails(&format!("the escalation {id} blocks it"));
    town.gt(["escalate", "resolve", &id, "rotated"]).ok();
    town.patrol();
    assert_eq!(town.status_of(".", convoy), "closed");
}

#[test]
fn commands_get_the_text_as_data_and_failed_ones_are_retried() {
    let (town, _origin) = Town::with_rig();
    let seen = fake(&town, "notify-me", "");
    fake(&town, "broken", "echo no network >&2; exit 7");
    configure(
        &town,
        &json!({
            "routes": { "low": ["bead", "me:human", "broken", "slow"] },
            "contacts": { "human_me": "dana" },
            "commands": {
                "me": { "cmd": ["notify-me", "$(touch x)", "--flag"] },
                "broken": { "cmd": ["broken"] },
                "slow": { "cmd": ["sleep", "60"], "timeout": "1s" },
            },
        }),
    );
    let evil = "Look; `touch pwned` $(touch pwned)\u{1b}[2J";
    let said = town.gt(["escalate", evil, "-s", "low"]).ok().out;
    assert!(said.contains("✓ me:human"), "{said}");
    assert!(said.contains("✗ broken: exit code 7: no network"), "{said}");
    assert!(
        said.contains("✗ slow: sleep did not finish within 1s"),
        "{said}"
    );
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(
        seen.starts_with("[$(touch x)]\n[--flag]\nTO=dana\nLook; `touch pwned` $(touch pwned)\\u{1b}[2J\n\nEscalation: hq-"),
        "{seen}"
    );
    assert!(!town.root().join("pwned").exists());
    let id = id_of(&town.gt(["escalate", "list", "--json"]).ok().json()[0]);
    let delivered = town.events("escalation_delivered");
    assert_eq!(delivered.len(), 3);
    assert!(!said.contains('\u{1b}'));
    // The patrol tries again, three times in all.
    fake(&town, "broken", "");
    for minutes in [2, 4, 6] {
        patrol_in(&town, minutes);
    }
    let deliveries = show(&town, &id)["deliveries"].clone();
    assert_eq!(
        (&deliveries[1]["state"], &deliveries[1]["tries"]),
        (&json!("sent"), &json!(2))
    );
    assert_eq!(
        (&deliveries[2]["state"], &deliveries[2]["tries"]),
        (&json!("failed"), &json!(3))
    );
    assert_eq!(deliveries[0]["tries"], 1, "what was sent is not sent twice");
}

#[test]
fn an_escalation_killed_during_its_command_is_delivered_by_the_patrol() {
    let (town, _origin) = Town::with_rig();
    fake(&town, "notify-me", "kill -9 $PPID");
    let command = json!({ "cmd": ["notify-me"] });
    configure(
        &town,
        &json!({ "routes": { "low": ["me"] }, "commands": { "me": command } }),
    );
    assert_ne!(town.gt(["escalate", "Help", "-s", "low"]).run().code, 0);
    let id = id_of(&town.gt(["escalate", "list", "--json"]).ok().json()[0]);
    let state = || show(&town, &id)["deliveries"][0]["state"].clone();
    assert_eq!(state(), "pending");
    fake(&town, "notify-me", "");
    patrol_in(&town, 2);
    assert_eq!(state(), "sent");
}

#[test]
fn unreadable_settings_do_not_stop_escalations() {
    let (town, _origin) = Town::with_rig();
    configure(&town, &json!({ "routes": { "urgent": ["bead"] } }));
    let said = town.gt(["escalate", "Help", "-s", "high"]).ok();
    assert!(said.err.contains("routes is `urgent`"), "{}", said.err);
    assert_eq!(town.mail("overseer").len(), 1);
    let doctor = town.gt(["doctor", "escalations"]).run().out;
    assert!(doctor.contains("routes is `urgent`"), "{doctor}");
}

/// Copies a script of the documentation into the town and escalates through it.
fn through(script: &str, program: &str, contacts: &Value) -> (String, String) {
    let (town, _origin) = Town::with_rig();
    let seen = fake(&town, program, "");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/escalation");
    let to = town.root().join("settings").join(script);
    std::fs::copy(from.join(script), to).unwrap();
    configure(
        &town,
        &json!({
            "routes": { "critical": ["bead", "tool:human"] },
            "contacts": contacts,
            "commands": { "tool": { "cmd": [format!("settings/{script}")] } },
        }),
    );
    let args = [
        "escalate",
        "--severity",
        "critical",
        "--reason",
        "Since noon",
    ];
    let said = town.gt(args).args(["--", "-x \"Disk\" is $full"]).ok().out;
    assert!(said.contains("✓ tool:human"), "{said}");
    (std::fs::read_to_string(seen).unwrap(), said)
}

#[test]
fn the_desktop_script_calls_notify_send() {
    let (seen, _) = through("desktop.sh", "notify-send", &json!({}));
    assert!(
        seen.contains("[--urgency=critical]\n[--]\n[critical: -x \"Disk\" is $full]\n"),
        "{seen}"
    );
}

#[test]
fn the_mail_script_calls_sendmail() {
    let contacts = json!({ "human_tool": "dana@example.com" });
    let (seen, _) = through("mail.sh", "sendmail", &contacts);
    let head = "To: dana@example.com\nSubject: [critical] -x \"Disk\" is $full\n";
    assert!(seen.contains("[-t]") && seen.contains(head), "{seen}");
    assert!(
        seen.contains("\n\nEscalation: hq-") && seen.contains("Since noon"),
        "{seen}"
    );
}

#[test]
fn the_webhook_script_posts_json_without_its_url_in_the_arguments() {
    let contacts = json!({ "human_tool": "https://example.com/secret" });
    let (seen, _) = through("webhook.sh", "curl", &contacts);
    let arguments = seen.split("TO=").next().unwrap();
    assert!(!arguments.contains("secret"), "{seen}");
    assert!(
        seen.contains("url = \"https://example.com/secret\""),
        "{seen}"
    );
    assert!(
        seen.contains("[critical] -x \\\"Disk\\\" is $full"),
        "{seen}"
    );
}

#[test]
fn the_phone_script_posts_the_text_to_the_topic() {
    let contacts = json!({ "human_tool": "https://ntfy.example.com/topic" });
    let (seen, _) = through("push.sh", "curl", &contacts);
    assert!(
        seen.contains("[Title: [critical] -x \"Disk\" is $full]"),
        "{seen}"
    );
    assert!(
        seen.contains("[Priority: urgent]") && seen.contains("Since noon"),
        "{seen}"
    );
    // Other users see arguments.
    let address = "\nurl = \"https://ntfy.example.com/topic\"\n";
    assert!(
        seen.contains(address) && !seen.contains("[https:"),
        "{seen}"
    );
}

#[test]
fn the_phone_script_shows_the_answer_link_to_nobody_else() {
    let (town, _origin) = Town::with_rig();
    let seen = fake(&town, "curl", "");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/escalation/push.sh");
    configure(
        &town,
        &json!({
            "routes": { "low": ["bead", "phone:human"] },
            "contacts": { "human_phone": "https://ntfy.example.com/topic" },
            "commands": { "phone": { "cmd": [script] } },
        }),
    );
    let port = crate::dashboard::free_port().to_string();
    for (key, value) in [("page.url", "https://phone.example"), ("page.port", &port)] {
        town.gt(["config", "set", "--town", key, value]).ok();
    }
    town.up();
    // The daemon serves the links before it answers.
    town.gt(["dashboard", "--json"]).ok();
    escalate(&town, &["Which colour?", "-s", "low"]);
    let seen = std::fs::read_to_string(seen).unwrap();
    let line = "\nheader = \"Click: https://phone.example/answer/";
    assert!(seen.contains(line), "{seen}");
    let arguments = seen.lines().filter(|line| line.starts_with('['));
    let shown: Vec<&str> = arguments.filter(|line| line.contains("/answer/")).collect();
    assert_eq!(shown, [""; 0]);
}

/// Escalates a decision, and returns its id with the path of its answer link.
fn ask_by_link(town: &Town, seen: &Path, question: &str) -> (String, String) {
    std::fs::remove_file(seen).ok();
    let asked = ["-s", "low", "--decision", "--option", "red", "--option"];
    let id = id_of(&escalate(
        town,
        &[&[question], &asked[..], &["<b>blue</b>"]].concat(),
    ));
    let text = std::fs::read_to_string(seen).unwrap();
    assert!(text.contains(&format!("\n{question}\n")), "{text}");
    let link = text.lines().find_map(|line| line.strip_prefix("Answer: "));
    let path = link.unwrap().strip_prefix("https://phone.example").unwrap();
    (id, path.to_owned())
}

#[test]
fn a_message_has_no_link_if_another_program_has_the_port() {
    let (town, _origin) = Town::with_rig();
    let seen = fake(&town, "notify-me", "");
    configure(
        &town,
        &json!({
            "routes": { "low": ["bead", "me:human"] },
            "contacts": { "human_me": "dana" },
            "commands": { "me": { "cmd": ["notify-me"] } },
        }),
    );
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (key, value) in [("page.url", "https://phone.example"), ("page.port", &port)] {
        town.gt(["config", "set", "--town", key, value]).ok();
    }
    town.up();
    town.gt(["dashboard"])
        .fails(&format!("port {port} (setting page.port)"));
    escalate(&town, &["Which colour?", "-s", "low"]);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(
        seen.contains("Which colour?") && !seen.contains("/answer/"),
        "{seen}"
    );
    let doctor = town.gt(["doctor"]).run().out;
    assert!(
        doctor.contains("messages carry no answer links"),
        "{doctor}"
    );
}

#[test]
fn a_link_answers_its_question_once_and_nothing_else() {
    let (town, _origin) = Town::with_rig();
    let seen = fake(&town, "notify-me", "echo \"sent $GT_ESCALATION_LINK\"");
    configure(
        &town,
        &json!({
            "routes": { "low": ["bead", "me:human"] },
            "contacts": { "human_me": "dana" },
            "commands": { "me": { "cmd": ["notify-me"] } },
        }),
    );
    let port = crate::dashboard::free_port();
    for (key, value) in [
        ("page.url", "https://phone.example/"),
        ("page.port", &port.to_string()),
    ] {
        town.gt(["config", "set", "--town", key, value]).ok();
    }
    town.up();
    // The daemon serves the links before it answers.
    town.gt(["dashboard", "--json"]).ok();
    let (id, path) = ask_by_link(&town, &seen, "Which <colour>?");
    let (other, _) = ask_by_link(&town, &seen, "Which size?");
    // Agents read what a command printed.
    let asked = show(&town, &id).to_string();
    assert!(
        asked.contains("sent (link)") && !asked.contains(&path),
        "{asked}"
    );
    let send = |method: &str, path: &str, headers: &str, body: &str| {
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{headers}\r\nContent-Type: application/x-www-form-urlencoded"
        );
        crate::dashboard::send(port, &head, body)
    };
    let own = "Host: phone.example\r\nOrigin: https://phone.example";
    let answer = |path: &str, headers: &str, body: &str| {
        let answer = send("POST", path, headers, body);
        crate::dashboard::status_of(&answer).to_owned()
    };
    let shown = send("GET", &path, "Host: phone.example", "");
    assert!(shown.contains("<h1>Which &lt;colour&gt;?</h1>"), "{shown}");
    assert!(
        shown.contains("value=\"&lt;b&gt;blue&lt;/b&gt;\""),
        "{shown}"
    );
    assert!(shown.contains("default-src 'none'"), "{shown}");
    // The host of the link leads to nothing else, and other pages cannot answer.
    for path in ["/", "/api/overview", "/page.js"] {
        let refused = send("GET", path, "Host: phone.example", "");
        assert_eq!(crate::dashboard::status_of(&refused), "403", "{path}");
    }
    let evil = "Host: phone.example\r\nOrigin: https://evil.example";
    assert_eq!(answer(&path, evil, "answer=red"), "403");
    assert_eq!(answer(&path, "Host: phone.example", "answer=red"), "403");
    let rebound = "Host: evil.example\r\nOrigin: https://evil.example";
    assert_eq!(answer(&path, rebound, "answer=red"), "403");
    assert_eq!(answer("/answer/0", own, "answer=red"), "410");
    assert_eq!(answer(&path, own, "answer=%20"), "422");
    assert_eq!(answer(&path, own, ""), "422");
    let again = send("POST", &path, own, "answer=7");
    assert_eq!(crate::dashboard::status_of(&again), "422", "{again}");
    assert!(
        again.contains("has no option 7") && again.contains("<form"),
        "{again}"
    );
    let elsewhere = "Host: 127.0.0.1:1\r\nOrigin: http://127.0.0.1:1";
    let refused = send("POST", &path, elsewhere, "answer=red");
    assert!(refused.contains("page.url"), "{refused}");
    assert_eq!(show(&town, &id)["status"], "open");
    assert_eq!(answer(&path, own, "answer=%3Cb%3Eblue%3C%2Fb%3E"), "200");
    assert_eq!(show(&town, &id)["answer"], "<b>blue</b>");
    assert_eq!(answer(&path, own, "answer=red"), "410");
    let shown = send("GET", &path, "Host: phone.example", "");
    assert_eq!(crate::dashboard::status_of(&shown), "410", "{shown}");
    assert_eq!(show(&town, &other)["status"], "open");
}
