//! `gt sling` and `gt unsling`.

use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually};

const FOREVER: &str =
    "while [ ! -e \"$GT_ROOT/../scripts/go\" ]; do sleep 0.1; done; echo x > x.txt";

#[test]
fn two_slings_race_for_one_bead_and_one_wins() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let bead = town.bead("web", "Wanted");
    let mut racers: Vec<_> = (0..4)
        .map(|_| town.gt(["sling", &bead, "web"]).start())
        .collect();
    let won = racers
        .iter_mut()
        .filter_map(|racer| racer.wait().ok())
        .filter(std::process::ExitStatus::success)
        .count();
    assert_eq!(won, 1, "one wins");
    assert_eq!(town.sessions().len(), 1);
    let hooked: Vec<_> = town
        .polecats()
        .into_iter()
        .filter(|p| p["issue"] == bead.as_str())
        .collect();
    assert_eq!(hooked.len(), 1);
    assert_eq!(town.polecats().len(), 1, "the losers made no worker");
    assert_eq!(town.events("sling").len(), 1);
    let convoys = town.gt(["convoy", "list", "--json"]).ok().json();
    assert_eq!(convoys.as_array().unwrap().len(), 1, "and no convoy");
}

#[test]
fn two_slings_race_for_one_idle_worker_and_the_loser_changes_nothing() {
    let (town, _origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    let first = town.bead("web", "First");
    let slung = town.gt(["sling", &first, "web", "--json"]).ok().json();
    let worker = slung[0]["target"].as_str().unwrap().to_owned();
    eventually("the worker is idle", || {
        (town.polecats()[0]["state"] == "idle").then_some(())
    });
    town.script(FOREVER);
    let beads = [
        town.bead("web", "A"),
        town.bead("web", "B"),
        town.bead("web", "C"),
    ];
    let mut racers: Vec<_> = beads
        .iter()
        .map(|bead| town.gt(["sling", bead, &worker]).start())
        .collect();
    let won = racers
        .iter_mut()
        .filter_map(|racer| racer.wait().ok())
        .filter(std::process::ExitStatus::success)
        .count();
    assert_eq!(won, 1, "one gets the worker");
    let states: Vec<String> = beads
        .iter()
        .map(|bead| town.status_of("web", bead))
        .collect();
    assert_eq!(
        states.iter().filter(|state| *state == "hooked").count(),
        1,
        "{states:?}"
    );
    assert_eq!(
        states.iter().filter(|state| *state == "open").count(),
        2,
        "{states:?}"
    );
    assert_eq!(town.polecats().len(), 1);
}

#[test]
fn beads_that_are_slung_together_get_one_convoy() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let (first, second) = (town.bead("web", "First"), town.bead("web", "Second"));
    let tracked = town.bead("web", "Tracked");
    let convoy = town.gt(["convoy", "create", "Mine", &tracked]);
    convoy.ok();
    let slung = town.gt(["sling", &first, &second, &tracked, "web", "--json"]);
    let slung = slung.ok().json();
    assert_eq!(slung[0]["convoy"], slung[1]["convoy"], "{slung}");
    assert_ne!(slung[0]["convoy"], slung[2]["convoy"], "{slung}");
    let convoys = town.gt(["convoy", "list", "--json"]).ok().json();
    assert_eq!(convoys.as_array().unwrap().len(), 2, "{convoys}");
    let shared = town.show(".", slung[0]["convoy"].as_str().unwrap());
    assert_eq!(shared["title"], "Work: First and 1 more");
}

#[test]
fn a_mayor_that_delegates_gets_its_answer_while_the_workers_are_at_work() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    for title in ["First", "Second"] {
        let bead = town.bead("web", title);
        let sling = town.gt(["sling", &bead, "web", "--json"]);
        let slung = sling.env("GT_ROLE", "mayor").ok().json();
        assert!(slung[0]["session"].is_string(), "{slung}");
        assert_eq!(town.status_of("web", &bead), "hooked");
    }
    let states: Vec<Value> = town
        .polecats()
        .iter()
        .map(|one| one["state"].clone())
        .collect();
    assert_eq!(states, ["working", "working"]);
}

#[test]
fn a_batch_with_a_bead_that_cannot_be_slung_changes_nothing() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let (first, closed) = (town.bead("web", "First"), town.bead("web", "Closed"));
    town.bd("web", ["close", &closed, "--reason", "done"]).ok();
    town.gt(["sling", &first, &closed, "web"])
        .fails("only open work can be slung");
    town.gt(["sling", &first, "web-nothere", "web"])
        .fails("web-nothere");
    town.gt(["sling", &first, &first, "web"])
        .fails("named twice");
    let other = town.bead("web", "Other");
    town.gt(["sling", &first, &other, "web/nux"])
        .fails("one bead at a time");
    assert_eq!(town.status_of("web", &first), "open");
    assert!(town.sessions().is_empty());
    let convoys = town.gt(["convoy", "list", "--json"]).ok().json();
    assert_eq!(convoys.as_array().unwrap().len(), 0, "{convoys}");
}

#[test]
fn a_name_close_to_that_of_a_worker_makes_no_new_worker() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let (first, second) = (town.bead("web", "First"), town.bead("web", "Second"));
    town.gt(["sling", &first, "web/amber"]).ok();
    town.gt(["sling", &second, "web/ambr"])
        .fails("there is no worker `web/ambr`, but `web/amber`");
    assert_eq!(town.status_of("web", &second), "open");
    assert_eq!(town.polecats().len(), 1);
    town.gt(["sling", &second, "web/ambr", "--create"]).ok();
    assert_eq!(town.polecats().len(), 2);
}

#[test]
fn a_hooked_bead_is_refused_with_its_holder_and_force_takes_it() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let bead = town.bead("web", "Wanted");
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    let holder = slung[0]["target"].as_str().unwrap().to_owned();
    town.gt(["sling", &bead, "web"])
        .fails(&format!("{bead} is already hooked by {holder}"));
    std::fs::write(
        town.sandbox(&holder.replace("/polecats/", "/"))
            .join("half.txt"),
        "half",
    )
    .unwrap();
    town.gt(["sling", &bead, "web", "--force"]).ok();
    // The context of the next worker names the work that was not finished.
    let brief = town.gt(["brief", &bead]).ok().out;
    assert!(
        brief.contains("Its work is kept on refs/gt/rescue/web/polecats/"),
        "{brief}"
    );
    let holders: Vec<_> = town
        .polecats()
        .into_iter()
        .filter(|p| p["issue"] == bead.as_str())
        .collect();
    assert_eq!(holders.len(), 1);
    assert_ne!(
        format!("web/polecats/{}", holders[0]["name"].as_str().unwrap()),
        holder
    );
    // The old holder's session is of no use any more; the patrol ends it.
    town.patrol();
    assert_eq!(town.sessions().len(), 1);
    // And what it still does counts for nothing.
    let old = holder.replace("/polecats/", "/");
    town.gt_as(&old, ["done", "--summary", "late"])
        .env("GT_LEASE", "2")
        .fails("no work on the hook");
}

#[test]
fn a_sling_killed_after_the_claim_is_finished_by_the_patrol() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > work.txt");
    let bead = town.bead("web", "Work");
    // A sling that cannot make its sandbox stops after the claim.
    let (repo, away) = (
        town.root().join("web/.repo.git"),
        town.root().join("web/away"),
    );
    std::fs::rename(&repo, &away).unwrap();
    town.gt(["sling", &bead, "web"]).fails("web/.repo.git");
    assert_eq!(town.status_of("web", &bead), "hooked");
    std::fs::rename(&away, &repo).unwrap();
    town.up();
    town.closed("web", &bead);
    assert_eq!(origin.subjects("main").len(), 1);
    let rules: Vec<String> = town
        .events("patrol")
        .iter()
        .map(|event| event["payload"]["rule"].as_str().unwrap().to_owned())
        .collect();
    assert!(rules.contains(&"P3-resume-sling".to_owned()), "{rules:?}");
}

#[test]
fn invalid_targets_and_beads_are_refused_without_changes() {
    let (town, _origin) = Town::with_rig();
    town.add_rig("api", "ap");
    let bead = town.bead("web", "Work");
    let of_town = town.bead(".", "Work of the town");
    for (args, words) in [
        (vec!["sling", "web-zzz", "web"], "bead not found"),
        (vec!["sling", &bead, "nowhere"], "there is no rig `nowhere`"),
        (
            vec!["sling", &bead, "api"],
            "only changes beads of its own rig",
        ),
        (vec!["sling", &bead, "../web"], "not an agent's address"),
        (vec!["sling", &bead, "web/crew/nobody"], "no crew member"),
        (vec!["sling", &bead, "overseer"], "is a user"),
        (vec!["sling", &of_town], "no target given"),
    ] {
        town.gt(args).fails(words);
    }
    assert_eq!(town.status_of("web", &bead), "open");
    assert!(town.polecats().is_empty());
    town.bd("web", ["close", &bead]).ok();
    town.gt(["sling", &bead, "web"])
        .fails("is closed: only open work");
}

#[test]
fn every_command_reports_that_it_runs_outside_a_town() {
    let place = Town::place();
    let said = place
        .gt_at(&place.path("home"), ["sling", "x-1", "web"])
        .fails("not in a Gas Town");
    assert!(said.err.contains("\n  gt init\n"), "{}", said.err);
    let said = place
        .gt_at(&place.path("home"), ["status", "--json"])
        .fails("not_in_town");
    assert!(
        said.err.trim_start().starts_with('{'),
        "an object for programs: {}",
        said.err
    );
}

#[test]
fn unsling_releases_the_bead_and_keeps_the_work() {
    let (town, _origin) = Town::with_rig();
    town.script("echo begun > half.txt; while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let half = town.sandbox(&worker).join("half.txt");
    eventually("the work has begun", || half.exists().then_some(()));
    town.gt(["unsling", &bead]).ok();
    assert_eq!(town.status_of("web", &bead), "open");
    assert!(town.sessions().is_empty());
    assert!(half.exists(), "files stay");
    assert_eq!(town.polecats()[0]["state"], "idle");
    let saved = town.gt(["rescue", "list", "--json"]).ok().json();
    assert!(
        saved[0]["ref"]
            .as_str()
            .unwrap()
            .starts_with("refs/gt/rescue/web/"),
        "{saved}"
    );
    town.gt(["unsling", &bead]).fails("on no hook");
}

#[test]
fn a_missing_tmux_is_reported() {
    let (town, _origin) = Town::with_rig();
    town.script("true");
    let bead = town.bead("web", "Work");
    let git = town
        .program_on_path("sh")
        .args(["-c", "command -v git"])
        .ok()
        .text()
        .to_owned();
    let bin = town.path("bin");
    for tool in [git.as_str(), "/bin/sh", "/usr/bin/env"] {
        let link = bin.join(std::path::Path::new(tool).file_name().unwrap());
        std::os::unix::fs::symlink(tool, link).unwrap();
    }
    let args = ["sling", &bead, "web"];
    town.gt(args).env("PATH", &bin).fails("tmux");
}

#[test]
fn a_users_own_tmux_server_is_never_touched() {
    let (town, _origin) = Town::with_rig();
    let tmux = |args: &[&str]| {
        town.program_on_path("tmux")
            .args(args.iter().copied())
            .ok()
            .out
    };
    tmux(&[
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-s",
        "mine",
        "sleep 600",
    ]);
    tmux(&["new-session", "-d", "-s", "gt-web-mine", "sleep 600"]);
    let before = tmux(&[
        "list-panes",
        "-a",
        "-F",
        "#{session_name} #{pane_pid} #{session_created}",
    ]);
    town.script("echo work > work.txt");
    let bead = town.bead("web", "Work");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    town.gt(["down"]).ok();
    let after = tmux(&[
        "list-panes",
        "-a",
        "-F",
        "#{session_name} #{pane_pid} #{session_created}",
    ]);
    assert_eq!(before, after);
    assert_eq!(after.lines().count(), 2);
}

#[test]
fn a_sling_that_lost_its_bead_to_force_stops() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let bead = town.bead("web", "Wanted");
    // Slings wait here after the claim: they cannot add a worktree.
    let repo = town.hold("web/.runtime/locks/repo");
    let slung = |count: usize| {
        eventually("the claim is made", || {
            (town.events("sling").len() == count).then_some(())
        });
    };
    let mut first = town.gt(["sling", &bead, "web"]).start();
    slung(1);
    let mut second = town.gt(["sling", &bead, "web", "--force"]).start();
    slung(2);
    drop(repo);
    assert!(!first.wait().unwrap().success(), "it has no bead any more");
    assert!(second.wait().unwrap().success());
    let holders: Vec<_> = town
        .polecats()
        .into_iter()
        .filter(|p| p["issue"] == bead.as_str())
        .collect();
    assert_eq!(holders.len(), 1);
    let name = holders[0]["name"].as_str().unwrap();
    assert_eq!(
        town.show("web", &bead)["assignee"],
        format!("web/polecats/{name}")
    );
    assert_eq!(town.sessions().len(), 1, "one session is at it");
    town.patrol();
    assert_eq!(town.sessions().len(), 1);
    let idle = town.polecats().iter().any(|p| p["state"] == "idle");
    assert!(idle, "the loser is free: {:?}", town.polecats());
}

#[test]
fn a_worker_whose_bead_was_assigned_to_another_has_its_session_ended() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let bead = town.bead("web", "Wanted");
    town.gt(["sling", &bead, "web"]).ok();
    town.gt(["crew", "add", "dana", "--rig", "web"]).ok();
    let said = town.bd("web", ["update", &bead, "--assignee", "dana"]).ok();
    assert!(said.err.contains("save its work"), "{}", said.err);
    assert_eq!(town.show("web", &bead)["assignee"], "web/crew/dana");
    town.patrol();
    assert!(town.sessions().is_empty());
    assert_eq!(town.polecats()[0]["state"], "idle");
    let next = town.bead("web", "Next");
    town.gt(["sling", &next, "web"]).ok();
    assert_eq!(town.polecats().len(), 1, "the worker is used again");
}

#[test]
fn a_sling_that_keeps_failing_opens_the_breaker_and_notifies_once() {
    let (town, _origin) = Town::with_rig();
    town.script("true");
    let bead = town.bead("web", "Work");
    let repo = town.root().join("web/.repo.git");
    std::fs::rename(&repo, town.root().join("web/away")).unwrap();
    town.gt(["sling", &bead, "web"]).fails("web/.repo.git");
    for _ in 0..8 {
        town.patrol();
    }
    let letters = town.mail("overseer");
    assert_eq!(letters.len(), 1, "{letters:?}");
    let subject = letters[0]["subject"].as_str().unwrap();
    assert!(subject.starts_with("STUCK: web/polecats/"), "{subject}");
    let failed = town
        .events("patrol")
        .into_iter()
        .filter(|event| event["payload"]["failed"] == true);
    assert_eq!(failed.count(), 5);
}

#[test]
fn an_agent_that_cannot_start_is_reported_before_anything_is_reserved() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    town.set_town_setting("default_agent", serde_json::json!("nobody"));
    town.gt(["sling", &bead, "web"]).fails("nobody");
    assert_eq!(town.status_of("web", &bead), "open");
    assert!(town.polecats().is_empty());
    assert_eq!(
        town.gt(["convoy", "list", "--json"]).ok().json(),
        serde_json::json!([])
    );
}

#[test]
fn a_bead_with_the_longest_title_gets_a_convoy_like_any_other() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let bead = town.bead("web", &"t".repeat(500));
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    assert!(
        slung[0]["convoy"].as_str().unwrap().starts_with("hq-cv-"),
        "{slung}"
    );
}

#[test]
fn a_queued_bead_reports_its_unstartable_agent_and_starts_once_possible() {
    let (town, _origin) = Town::with_rig();
    town.script(FOREVER);
    let first = town.bead("web", "First");
    let bead = town.bead_with("web", "Second", &["--deps", &first]);
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    assert_eq!(slung[0]["waits_for"][0], first.as_str(), "{slung}");
    let told = town.gt(["why", &bead]).ok();
    let waits = format!("it waits for {first}");
    assert!(
        told.out.contains("queued for rig web") && told.out.contains(&waits),
        "{}",
        told.out
    );
    town.bd("web", ["close", &first]).ok();
    town.set_town_setting("default_agent", serde_json::json!("nobody"));
    town.patrol();
    let told = town.gt(["why", &bead]).ok();
    assert!(
        told.out.contains("the last try failed") && told.out.contains("nobody"),
        "{}",
        told.out
    );
    let status = town.gt(["status"]).ok();
    let line = format!("! {bead} could not be slung");
    assert!(status.out.contains(&line), "{}", status.out);
    let status = town.gt(["status", "--json"]).ok().json();
    let failed = &status["rigs"][0]["queued"][0]["failed"]["why"];
    assert!(failed.as_str().unwrap().contains("nobody"), "{status}");
    let convoys = town.gt(["convoy", "status", "--json"]).ok().json();
    let why = convoys[0]["tracked"][0]["why"].as_str().unwrap();
    assert!(why.contains("queued") && why.contains("nobody"), "{why}");
    town.set_town_setting("default_agent", serde_json::json!("worker"));
    town.patrol();
    assert_eq!(town.status_of("web", &bead), "hooked");
    let told = town.gt(["why", &bead]).ok();
    assert!(!told.out.contains("queued for rig"), "{}", told.out);
}

#[test]
fn an_agent_that_ends_at_once_is_reported_with_next_steps() {
    let (town, _origin) = Town::with_rig();
    // The prompt never appears, so the session ends before the sling does.
    let crashy =
        serde_json::json!({ "command": "sh", "args": ["-c", "exit 3"], "prompt_mode": "typed" });
    town.set_town_setting("agents", serde_json::json!({ "crashy": crashy }));
    let bead = town.bead("web", "Work");
    let said = town.gt(["sling", &bead, "web", "--agent", "crashy"]).run();
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    for part in [
        format!("{bead} → web/polecats/"),
        "its session could not be started: ".to_owned(),
        "on the hook; the daemon starts it".to_owned(),
        format!("gt why {bead}"),
    ] {
        assert!(said.out.contains(&part), "{part} in {}", said.out);
    }
    assert_eq!(town.status_of("web", &bead), "hooked");
}

#[test]
fn a_scripted_agent_without_a_script_is_refused_before_anything_is_reserved() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    let script = town.path("scripts/gone");
    let robot = |args: serde_json::Value| {
        let robot = serde_json::json!({ "robot": { "provider": "scripted", "args": args } });
        town.set_town_setting("agents", robot);
    };
    let sling = || town.gt(["sling", &bead, "web", "--agent", "robot"]);
    robot(serde_json::json!(["scripted"]));
    sling().fails("agent `robot` cannot be started: it has no script");
    robot(serde_json::json!(["scripted", "--script", script]));
    sling().fails("agent `robot` cannot be started: there is no script");
    assert_eq!(town.status_of("web", &bead), "open");
    assert!(town.polecats().is_empty());
}

#[test]
fn a_queued_or_resumed_sling_without_a_convoy_creates_none() {
    let (town, _origin) = Town::with_rig();
    town.set_rig_setting("web", "max_polecats", serde_json::json!(1));
    town.script("while :; do sleep 1; done");
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    // Killed after the claim: the patrol goes on with it.
    town.crash_after_git("worktree add", "true");
    town.gt(["sling", &one, "web", "--no-convoy"]).run();
    town.gt(["sling", &two, "web", "--no-convoy"]).ok();
    town.patrol();
    assert_eq!(town.sessions().len(), 1);
    town.gt(["unsling", &one]).ok();
    town.patrol();
    assert_eq!(town.status_of("web", &two), "hooked");
    let convoys = town.gt(["convoy", "list", "--all", "--json"]).ok().json();
    assert_eq!(convoys, serde_json::json!([]));
}

#[test]
fn a_queued_bead_whose_start_fails_is_hooked_and_no_longer_queued() {
    let (town, _origin) = Town::with_rig();
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    town.bd("web", ["dep", "add", &two, &one]).ok();
    town.script("exit 7");
    town.gt(["sling", &two, "web"]).ok();
    town.bd("web", ["close", &one, "--reason", "No change: fine"])
        .ok();
    town.gtd(["run", "--once"]).run();
    assert_eq!(town.status_of("web", &two), "hooked");
    let status = town.gt(["status", "--json"]).ok().json();
    assert!(!status.to_string().contains("gt:sling-context"));
    let why = town.gt(["why", &two]).ok().out;
    assert!(!why.contains("now: queued"), "{why}");
}

/// Makes the town's agents a program that draws like Claude Code, from a script.
fn drawn_agent(town: &Town, script: &str) {
    town.script_named("drawn", script);
    let command = town.path("scripts/drawn");
    let agent = json!({ "drawn": { "provider": "claude", "command": command, "args": [], "hooks": "none" } });
    town.set_town_setting("agents", agent);
    town.set_town_setting("default_agent", json!("drawn"));
}

#[test]
fn a_session_that_needs_the_user_is_reported_immediately() {
    let (town, _origin) = Town::with_rig();
    drawn_agent(
        &town,
        "echo 'Detected a custom API key in your environment'\necho '  1. Yes'\necho '❯ 2. No'\n\
         echo 'Enter to confirm'\nwhile :; do sleep 1; done",
    );
    let bead = town.bead("web", "Work");
    let said = town.gt(["sling", &bead, "web"]).run();
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    let words = "its session needs you: a dialog is open (API key)";
    assert!(said.out.contains(words), "{}", said.out);
    let worker = town.polecats()[0]["name"].as_str().unwrap().to_owned();
    let next = format!("→ gt attach web/polecats/{worker}");
    assert!(said.out.contains(&next), "{}", said.out);
}

#[test]
fn sessions_of_one_sling_start_in_parallel() {
    let (town, _origin) = Town::with_rig();
    let folder = town.path("begun");
    std::fs::create_dir(&folder).unwrap();
    // Each is ready once three have begun, and gives up if the others begin after it.
    drawn_agent(
        &town,
        &format!(
            "cd {}\ntouch begun-$$\ni=0\nuntil [ $(ls | grep -c begun) -ge 3 ]; do\n  i=$((i+1)); [ $i -lt 200 ] || exit 1; sleep 0.1\ndone\n\
             touch ready-$$\nprintf '❯\\302\\240\\n'\nwhile :; do sleep 1; done",
            folder.display()
        ),
    );
    let beads: Vec<String> = (0..3)
        .map(|number| town.bead("web", &format!("Work {number}")))
        .collect();
    let words = beads.iter().map(String::as_str);
    town.gt(["sling"].into_iter().chain(words).chain(["web"]))
        .ok();
    let names = std::fs::read_dir(&folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.starts_with("ready")).count(), 3);
}

#[test]
fn sessions_get_toolchains_and_the_variables_of_session_pass_only() {
    let (town, _origin) = Town::with_rig();
    let file = town.path("environment");
    town.script(&format!(
        "env > {0}.new && mv {0}.new {0}\necho x > work.txt",
        file.display()
    ));
    let town = town
        .with_env("CARGO_HOME", "/opt/cargo")
        .with_env("GH_TOKEN", "of-the-town")
        .with_env("OF_RIG", "of-the-rig")
        .with_env("OTHER_TOKEN", "secret")
        .with_env("CLAUDECODE", "1");
    town.gt(["config", "set", "session.pass", "GH_TOKEN"]).ok();
    town.gt(["config", "set", "session.pass", "OF_*", "--rig", "web"])
        .ok();
    let bead = town.bead("web", "Work");
    town.sling(&bead);
    let text = eventually("the session has begun", || {
        std::fs::read_to_string(&file).ok()
    });
    for line in [
        "CARGO_HOME=/opt/cargo",
        "GH_TOKEN=of-the-town",
        "OF_RIG=of-the-rig",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}: {text}");
    }
    assert!(
        !text.contains("OTHER_TOKEN") && !text.contains("CLAUDECODE"),
        "{text}"
    );
}

#[test]
fn a_dry_run_names_the_target_and_a_user_needs_none() {
    let (town, _origin) = Town::with_rig();
    town.add_rig("api", "ap");
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let next = town.bead("web", "Next");
    town.bd("web", ["dep", "add", &next, &bead]).ok();
    let preview = |bead: &str| town.gt(["sling", bead, "--dry-run", "--json"]).ok().json();
    assert_eq!(preview(&bead)[0]["target"], "web");
    assert_eq!(preview(&next)[0]["waits_for"], serde_json::json!([bead]));
    assert!(town.polecats().is_empty());
    assert_eq!(town.status_of("web", &bead), "open");
    town.gt(["sling", &bead, "--create"]).ok();
    assert_eq!(town.status_of("web", &bead), "hooked");
    let taken = preview(&bead);
    let obstacle = taken[0]["obstacle"].as_str().unwrap();
    assert!(
        obstacle.contains("on the hook of web/polecats/"),
        "{obstacle}"
    );
    town.gt(["hook", &next])
        .fails("is a bead; to put it on your hook");
}

#[test]
fn a_released_bead_has_no_worker_and_mail_is_not_released() {
    let worker = Worker::new();
    let town = &worker.town;
    town.bd("web", ["update", &worker.bead, "--status", "in_progress"])
        .ok();
    town.gt(["release", &worker.bead]).ok();
    assert!(town.sessions().is_empty());
    assert_eq!(town.status_of("web", &worker.bead), "open");
    town.gt(["mail", "send", "mayor/", "-s", "Hello", "-m", "x"])
        .ok();
    let mail = town.mail("mayor/")[0]["id"].as_str().unwrap().to_owned();
    town.gt(["release", &mail]).fails("is a message");
    assert_eq!(town.mail("mayor/").len(), 1);
}

#[test]
fn instructions_of_an_earlier_sling_do_not_reach_the_next_worker() {
    let worker = Worker::new();
    let town = &worker.town;
    town.gt(["unsling", &worker.bead]).ok();
    let instructions = |args: &[&str]| {
        town.gt(["sling", &worker.bead, "web"])
            .args(args.iter().copied())
            .ok();
        let shown = town.show("web", &worker.bead)["metadata"]["attached_args"].clone();
        town.gt(["unsling", &worker.bead]).ok();
        shown
    };
    assert_eq!(instructions(&["--args", "Mind the tabs"]), "Mind the tabs");
    assert_eq!(instructions(&[]), "");
}
