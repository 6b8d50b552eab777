//! `gt status`, `gt whoami`, `gt hook`.

use serde_json::{Value, json};
use town_tests::{Town, Worker};

#[test]
fn a_damaged_line_of_a_rigs_beads_is_reported_and_the_rest_works() {
    let (town, _origin) = Town::with_rig();
    town.script("echo w > w.txt");
    let bead = town.bead("web", "Good");
    let issues = town.root().join("web/.beads/issues.jsonl");
    let mut text = std::fs::read_to_string(&issues).unwrap();
    let line = text.lines().count() + 1;
    text.push_str("{\"id\":\"web-bad\",\"title\":\n");
    std::fs::write(&issues, &text).unwrap();
    let said = town.bd("web", ["list"]).ok();
    assert!(said.out.contains(&bead), "{}", said.out);
    assert!(
        said.err.contains("issues.jsonl") && said.err.contains(&line.to_string()),
        "{}",
        said.err
    );
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    let kept: String = walk_text(&town.root().join("web/.beads"));
    assert!(kept.contains("web-bad"), "the damaged line is kept");
}

fn walk_text(folder: &std::path::Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            text.push_str(&walk_text(&path));
        } else if let Ok(content) = std::fs::read_to_string(&path) {
            text.push_str(&content);
        }
    }
    text
}

#[test]
fn whoami_and_hook_show_the_agent_and_its_work() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    let address = slung[0]["target"].as_str().unwrap().to_owned();
    let worker = address.replace("/polecats/", "/");
    let sandbox = town.sandbox(&worker);
    let me = town.gt_at(&sandbox, ["whoami", "--json"]).ok().json();
    assert_eq!(
        (me["address"].as_str(), me["source"].as_str()),
        (Some(address.as_str()), Some("cwd"))
    );
    let hook = town.gt_at(&sandbox, ["hook", "--json"]).ok().json();
    assert_eq!(hook["bead_id"], bead.as_str());
    // Beads are those of the rig, also from the sandbox.
    let shown = town.gt_at(&sandbox, ["hook"]).ok().out;
    assert!(shown.contains(&bead), "{shown}");
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("working") && status.contains(&bead),
        "{status}"
    );
}

#[test]
fn peek_shows_the_screen_and_nudge_reports_a_missing_session() {
    let (town, _origin) = Town::with_rig();
    town.script("echo 'hello from the script'; while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    town_tests::eventually("the screen shows the script", || {
        town.gt(["peek", &worker])
            .ok()
            .out
            .contains("hello from the script")
            .then_some(())
    });
    town.gt(["nudge", "web/nobody", "hi"])
        .fails("there is no polecat `nobody`");
    town.gt(["attach", &worker]).fails("no terminal");
    town.kill_tmux();
    town.gt(["attach", &worker]).fails(&format!(
        "\n  gt polecat retry {}",
        worker.replace('/', "/polecats/")
    ));
    town.gt(["attach", "mayor"]).fails("\n  gt mayor start");
    town.gt(["peek", "garnet"])
        .fails("no agent of this town is called `garnet`");
}

#[test]
fn version_prints_the_line_that_clients_parse() {
    let town = Town::new();
    let said = town.gt(["version"]).ok();
    assert!(said.out.starts_with("gt version 2."), "{}", said.out);
    assert_eq!(
        town.gt(["version", "--json"]).ok().json()["version"],
        env!("CARGO_PKG_VERSION")
    );
}

#[test]
fn why_of_an_unknown_name_is_an_error_with_similar_names() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    let told = town.gt(["why", &bead]).ok();
    assert!(told.out.contains("nothing is recorded about it yet"));
    town.gt(["why", "web"]).ok();
    town.gt(["why", "mayor"]).ok();
    let wrong = format!("{bead}x");
    let said = town.gt(["why", &wrong]).fails("nothing here is called");
    assert_ne!(said.code, 0);
    let near = format!("did you mean {bead}?");
    for part in [&near, "the town, rig web", "bd search"] {
        assert!(said.err.contains(part), "{part} in {}", said.err);
    }
    town.gt(["why", "nobody-at-all"]).fails("nobody-at-all");
}

#[test]
fn all_screens_agree_about_a_worker_without_a_session() {
    let worker = town_tests::Worker::new();
    let town = &worker.town;
    let convoy = ["convoy", "create", "C", &worker.bead, "--json"];
    let convoy = town.gt(convoy).ok().json();
    let convoy = convoy["id"].as_str().unwrap().to_owned();
    for session in town.sessions() {
        town.kill_session(&session);
    }
    let json = |args: &[&str]| {
        let args = args.iter().copied().chain(["--json"]);
        town.gt(args).ok().json()
    };
    let listed = json(&["polecat", "list"]);
    assert_eq!(listed[0]["state"], "stalled");
    let why = listed[0]["why"].as_str().unwrap();
    let agent = json(&["status"])["rigs"][0]["agents"][0].clone();
    assert_eq!(
        (&agent["state"], &agent["why"]),
        (&listed[0]["state"], &listed[0]["why"])
    );
    assert_eq!(json(&["rig", "status", "web"])["workers"][0]["why"], why);
    let tracked = json(&["convoy", "status", &convoy])[0]["tracked"][0].clone();
    assert_eq!(
        (&tracked["standing"], &tracked["why"]),
        (&"working".into(), &listed[0]["why"])
    );
    // Nobody has it: no screen says that someone works on it.
    let args = ["update", &worker.bead, "--assignee", "web/polecats/nobody"];
    town.bd("web", args).ok();
    let tracked = json(&["convoy", "status", &convoy])[0]["tracked"][0].clone();
    assert_eq!(
        (&tracked["standing"], &tracked["why"]),
        (&"blocked".into(), &"no one works on it".into())
    );
    assert_eq!(json(&["status"])["summary"]["active_hooks"], 0);
}

#[test]
fn states_written_on_the_bead_of_an_agent_change_no_answer() {
    let worker = Worker::new();
    let town = &worker.town;
    let agents = || town.gt(["status", "--json"]).ok().json()["rigs"][0]["agents"].clone();
    let before = agents();
    assert_eq!(before[0]["state"], "working");
    let hooked = town.bd("web", ["show", &worker.bead, "--json"]).ok().json();
    let assignee = hooked[0]["assignee"].as_str().unwrap();
    let name = assignee.rsplit('/').next().unwrap();
    let bead = &format!("web-web-polecat-{name}");
    town.bd("web", ["agent", "state", bead, "dead"]).ok();
    town.bd("web", ["set-state", bead, "status=idle"]).ok();
    assert_eq!(agents(), before);
    // The events have what happened to it.
    let feed = town.gt(["feed", "--json"]).ok().out;
    assert!(feed.contains("\"session_start\""), "{feed}");
}

#[test]
fn a_watched_status_is_redrawn_only_when_something_changes() {
    use std::io::{BufRead, BufReader};
    let (town, _origin) = Town::with_rig();
    // A clock that stands still: no age changes.
    let watch = town.gt(["status", "--watch", "--json"]);
    let watch = watch.env("BD_NOW", "2026-01-01T00:00:00Z");
    let mut child = watch.start_reading();
    let mut read = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> serde_json::Value {
        let line = read.next().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    };
    let first = next();
    assert_eq!(first["overseer"]["unread_mail"], 0);
    for count in 1..=2 {
        town.gt(["mail", "send", "overseer", "-s", "Hello"]).ok();
        assert_eq!(
            next()["overseer"]["unread_mail"],
            count,
            "each change is shown once"
        );
    }
    town.add_rig("api", "ap");
    town_tests::eventually("the new rig is shown", || {
        (next()["summary"]["rig_count"] == 2).then_some(())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let plain = town.gt(["status", "--watch"]);
    let mut child = plain.env("BD_NOW", "2026-01-01T00:00:00Z").start_reading();
    let mut read = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(read.next().unwrap().unwrap().contains("town"));
    assert!(
        !read.next().unwrap().unwrap().contains('\u{1b}'),
        "no terminal"
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn why_begins_with_the_current_status() {
    let worker = Worker::new();
    let (town, bead) = (&worker.town, &worker.bead);
    let first = |what: &str| {
        let out = town.gt(["why", what]).ok().out;
        out.lines().next().unwrap_or_default().to_owned()
    };
    let address = worker.name.replace('/', "/polecats/");
    assert_eq!(first("web"), "web has 1 worker (1 working)");
    let begin = format!("{} is working: at work on {bead}; no progress", worker.name);
    for name in [worker.name.as_str(), &address, bead] {
        assert!(first(name).starts_with(&begin), "{}", first(name));
    }
    assert_eq!(
        first("mayor"),
        "mayor: it has no session, and no work is on its hook"
    );
    let said = town.gt(["why", bead, "-n", "1", "--json"]).ok().json();
    assert_eq!(said["events"].as_array().unwrap().len(), 1, "{said}");
    // A rule that acted is named with what it saw.
    let convoy = town.gt(["convoy", "list", "--json"]).ok().json()[0]["id"].clone();
    let convoy = convoy.as_str().unwrap();
    let out = town.gt(["why", convoy]).ok().out;
    assert!(out.contains("0 of 1 beads are done"), "{out}");
    town.kill_session(&town.sessions()[0]);
    town_tests::eventually("the worker is restarted", || {
        town.patrol();
        let out = town.gt(["why", bead, "--rules"]).ok().out;
        out.contains("last decided: P6-respawn-stalled acted")
            .then_some(())
    });
    let plain = town.gt(["why", bead]).ok().out + &town.gt(["feed"]).ok().out;
    assert!(!plain.contains("P6-respawn"), "{plain}");
}

/// How often each invariant is broken, by name.
fn broken(town: &Town, exit: i32) -> Vec<(String, String)> {
    let said = town.gt(["status", "--health", "--json"]).run();
    assert_eq!(said.code, exit, "{}", said.out);
    let invariants = said.json()["invariants"].as_array().unwrap().clone();
    let faults = invariants.iter().flat_map(|one| {
        let faults = one["faults"].as_array().unwrap();
        assert_eq!(one["count"], faults.len());
        faults.clone()
    });
    let text = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
    faults
        .map(|fault| (text(&fault, "invariant"), text(&fault, "subject")))
        .collect()
}

#[test]
fn health_counts_violated_invariants() {
    let worker = town_tests::Worker::new();
    let town = &worker.town;
    let before = worker.origin.git(["rev-parse", "main"]).trim().to_owned();
    assert_eq!(broken(town, 0), []);
    worker.commit("work.txt");
    worker.done([]).ok();
    assert_eq!(broken(town, 0), []);
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &worker.bead), "closed");
    assert_eq!(broken(town, 0), []);
    let shown = town.gt(["status", "--health"]).ok().out;
    assert!(
        shown.contains("✓ no bead has two workers: 0 broken"),
        "{shown}"
    );
    assert!(
        shown.contains("0 begun beads, 1 worker, 1 merge"),
        "{shown}"
    );

    // A bead that says that it is hooked, and nobody has it.
    let lost = town.bead("web", "Lost");
    let hooked = [
        "update",
        &lost,
        "--status",
        "hooked",
        "--assignee",
        "web/polecats/ghost",
    ];
    town.bd("web", hooked).ok();
    assert_eq!(broken(town, 1), [("no_lost_hook".to_owned(), lost.clone())]);
    town.bd(
        "web",
        ["update", &lost, "--status", "open", "--assignee", ""],
    )
    .ok();
    assert_eq!(broken(town, 0), []);

    // The target loses what was merged.
    worker
        .origin
        .git(["update-ref", "refs/heads/main", &before]);
    let repo = town.root().join("web/.repo.git");
    town.git_at(&repo, ["fetch", "--quiet", "origin"]).ok();
    assert_eq!(
        broken(town, 1),
        [("merge_verified".to_owned(), worker.bead.clone())]
    );
    let shown = town.gt(["status", "--health"]).run();
    assert!(
        shown.out.contains(&format!("→ gt why {}", worker.bead)),
        "{}",
        shown.out
    );
}

#[test]
fn a_nudge_that_the_programs_hook_reports_has_arrived() {
    let (town, _origin) = Town::with_rig();
    // The screen still shows the message behind the prompt after the program has accepted it.
    let program = |report: &str| {
        town.script_named(
            "typed",
            &format!(
                "line=; printf '> '; until case $line in *'gt done'*) :;; *) false;; esac; do read -r line; done\n\
                 printf '\n> '; read -r line\n{report}\nprintf '\n> %s' \"$line\"; sleep 600"
            ),
        );
        let script = town.path("scripts/typed");
        let typed =
            json!({ "command": script, "prompt_mode": "typed", "ready_prompt_prefix": "> " });
        town.set_town_setting("agents", json!({ "typed": typed }));
        town.set_town_setting("default_agent", json!("typed"));
        let bead = town.bead("web", "Work");
        let args = ["sling", &bead, "web", "--json"];
        let slung = town.gt(args).ok().json();
        slung[0]["target"].as_str().unwrap().to_owned()
    };
    let silent = program(":");
    let said = town.gt(["nudge", &silent, "hello"]).run();
    let screen = town.gt(["peek", &silent]).ok().out;
    assert!(said.err.contains("did not get the message"), "{screen}");
    let event = "printf '%s' '{\"hook_event_name\":\"UserPromptSubmit\"}' | gt signal event";
    let reporting = program(event);
    town.gt(["nudge", &reporting, "hello"]).ok();
}

#[test]
fn without_tmux_no_worker_is_shown_as_working() {
    let worker = Worker::new();
    let town = worker.town;
    let hidden = town
        .gt(["status"])
        .env("TMUX_TMPDIR", "/nowhere")
        .env("PATH", "/nowhere");
    let said = hidden.ok().out;
    assert!(!said.contains("working"), "{said}");
    assert!(said.contains("? unknown"), "{said}");
    let shown = town.gt(["status"]).ok().out;
    assert!(shown.contains("◐ working"), "{shown}");
}

#[test]
fn without_tmux_the_patrol_merges_and_raises_escalations_and_judges_no_session() {
    let worker = Worker::new();
    let town = &worker.town;
    let other = town.bead("web", "Other work");
    town.sling(&other);
    worker.commit("wall.txt");
    worker.hand_in();
    town.gt(["escalate", "Which wall?", "-s", "medium"]).ok();
    // A path with git and the shell, but without tmux.
    let tools = town.path("tools");
    std::fs::create_dir(&tools).unwrap();
    for tool in ["git", "sh", "env"] {
        let path = town.program_on_path("which").args([tool]).ok();
        std::os::unix::fs::symlink(path.text(), tools.join(tool)).unwrap();
    }
    let date = town.program_on_path("date");
    let date = date.args(["-u", "-d", "+5 hours", "+%Y-%m-%dT%H:%M:%SZ"]);
    let later = date.ok().text().to_owned();
    let pass = town
        .gtd(["run", "--once"])
        .env("PATH", tools.to_str().unwrap());
    let said = pass.env("BD_NOW", later).run();
    town.told_once("merged");
    assert_eq!(worker.shown()["status"], "closed");
    assert_eq!(town.events("escalation_sent").len(), 2, "{}", said.err);
    assert!(town.events("respawn").is_empty());
    assert_eq!(town.status_of("web", &other), "hooked");
}
