//! Workers that live and make no progress, APIs that refuse, and sessions that are lost together.

use serde_json::{Value, json};
use town_tests::{Town, eventually};

/// A town with one bead per script that its workers run; `$n` counts the sessions.
fn town(body: &str) -> (Town, town_tests::Repo) {
    let (town, origin) = Town::with_rig();
    let count = town.path("sessions");
    let count = count.display();
    town.script(&format!("echo x >> {count}; n=$(wc -l < {count})\n{body}"));
    (town, origin)
}

pub(crate) fn set(town: &Town, name: &str, value: &str) {
    town.gt(["config", "set", name, value]).ok();
}

/// The rules that acted, with their outcomes.
pub(crate) fn acts(town: &Town) -> Vec<(String, String)> {
    let text = |event: &Value, key: &str| event["payload"][key].as_str().unwrap().to_owned();
    let events = town.events("patrol");
    events
        .iter()
        .map(|event| (text(event, "rule"), text(event, "outcome")))
        .collect()
}

pub(crate) fn count(town: &Town, rule: &str) -> usize {
    acts(town).iter().filter(|(acted, _)| acted == rule).count()
}

/// The worker as `gt polecat list` has it.
pub(crate) fn worker(town: &Town) -> Value {
    town.polecats()[0].clone()
}

#[test]
fn a_hanging_worker_without_an_input_line_is_restarted_and_then_finishes() {
    let (town, _origin) = town("[ $n -gt 1 ] || while :; do sleep 1; done\necho done > work.txt");
    set(&town, "patrol.progress.note", "1s");
    set(&town, "patrol.progress.nudge", "2s");
    set(&town, "patrol.progress.restart", "4s");
    let bead = town.bead("web", "Hang once");
    town.up();
    town.sling(&bead);
    town.closed("web", &bead);
    assert_eq!(count(&town, "G1-nudge-quiet"), 0, "{:?}", acts(&town));
    assert_eq!(count(&town, "G2-restart-quiet"), 1, "{:?}", acts(&town));
    // Why it was ended, and what it showed, is kept.
    let ended = &town.events("session_ended")[0]["payload"];
    let because = ended["because"].as_str().unwrap();
    assert!(because.starts_with("it made no progress"), "{because}");
    let screen = ended["screen"].to_string();
    assert!(!screen.contains("You have made no progress"), "{screen}");
}

#[test]
fn nothing_is_typed_into_a_program_that_asks() {
    let (town, origin) = town(
        "printf 'Delete the production database? [Y/n] '; read answer; echo \"$answer\" > answer.txt",
    );
    set(&town, "patrol.progress.note", "0s");
    set(&town, "patrol.progress.nudge", "0s");
    let bead = town.bead("web", "Ask first");
    let name = town.sling(&bead);
    let asked = eventually("the question is one for the user", || {
        town.patrol();
        let mail = town.mail("overseer");
        let about = mail
            .iter()
            .find(|mail| mail.to_string().contains("waits for an answer"));
        about.cloned()
    });
    assert!(
        asked
            .to_string()
            .contains("Delete the production database? [Y/n]"),
        "{asked}"
    );
    town.patrol_in(15 * 60);
    town.gt(["nudge", &name, "go on"]).fails("a dialog is open");
    assert!(
        town.events("nudge")
            .iter()
            .all(|nudge| nudge["payload"]["delivered"] == false)
    );
    assert_eq!(town.status_of("web", &bead), "hooked");
    assert!(origin.subjects("main").is_empty());
}

#[test]
fn screen_output_of_a_nudge_or_a_start_is_not_progress() {
    let (town, _origin) = town(
        r#"while [ ! -e "$GT_ROOT/../scripts/go" ]; do sleep 0.1; done; echo it goes on; sleep 600"#,
    );
    set(&town, "patrol.progress.note", "0s");
    let bead = town.bead("web", "Quiet");
    let name = town.sling(&bead);
    let sign = || worker(&town)["progress"]["sign"].clone();
    let begun = std::time::Instant::now();
    // tmux counts activity in seconds.
    eventually("a second has passed", || {
        (begun.elapsed().as_millis() > 1500).then_some(())
    });
    assert_eq!(sign(), "start");
    town.gt(["nudge", &name, "how is it going?"]).ok();
    assert_eq!(sign(), "start", "{}", worker(&town));
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains("· no progress"), "{status}");
    // Later output of the agent counts as progress.
    let nudged = std::time::Instant::now();
    eventually("the echo is over", || {
        (nudged.elapsed().as_secs() > 4).then_some(())
    });
    std::fs::write(town.path("scripts/go"), "").unwrap();
    eventually("its output counts", || (sign() == "screen").then_some(()));
    let shown = worker(&town)["progress"].clone();
    town.gt(["nudge", &name, "and now?"]).ok();
    let told = worker(&town)["progress"].clone();
    assert_eq!(told, shown, "it still counts after the next nudge");
}

#[test]
fn a_worker_that_keeps_hanging_is_stuck_until_the_user_retries_it() {
    let (town, _origin) = town("while :; do sleep 1; done");
    set(&town, "patrol.progress.note", "0s");
    set(&town, "patrol.progress.nudge", "0s");
    set(&town, "patrol.progress.restart", "0s");
    set(&town, "patrol.breaker.restarts", "2");
    let bead = town.bead("web", "Hang");
    let name = town.sling(&bead);
    eventually("the worker is stuck", || {
        town.patrol();
        let stuck = worker(&town)["stuck"].as_str().map(str::to_owned);
        stuck.filter(|reason| reason.contains("ended 2 times"))
    });
    let mail = town.mail("overseer");
    let about = |word: &str| {
        let has = |one: &&Value| one["subject"].as_str().unwrap().contains(word);
        mail.iter().filter(has).count()
    };
    assert_eq!(about("STUCK"), 1, "{mail:?}");
    let started = town.events("respawn").len();
    for hours in [1, 2, 9, 30] {
        town.patrol_in(hours * 3600);
    }
    assert_eq!(town.events("respawn").len(), started, "{:?}", acts(&town));
    assert_eq!(about("STUCK"), 1, "{mail:?}");
    town.gt(["polecat", "retry", &name]).ok();
    town.patrol();
    assert!(town.events("respawn").len() > started, "{:?}", acts(&town));
}

#[test]
fn with_the_built_in_times_a_worker_that_hangs_becomes_stuck_with_one_message() {
    let (town, _origin) = town("while :; do sleep 1; done");
    let bead = town.bead("web", "Hang");
    town.sling(&bead);
    let stuck_after = (1..60).map(|step| step * 5).find(|minutes| {
        town.patrol_in(minutes * 60);
        worker(&town)["stuck"].is_string()
    });
    assert_eq!(count(&town, "G2-restart-quiet"), 3, "{:?}", acts(&town));
    let stuck_after = stuck_after.expect("it becomes stuck");
    town.patrol_in((stuck_after + 5) * 60);
    let mail = town.mail("overseer");
    let about = mail
        .iter()
        .filter(|mail| mail["subject"].as_str().unwrap().contains("STUCK"));
    assert_eq!(about.count(), 1, "{mail:?}");
    assert!(town.sessions().is_empty());
}

#[test]
fn a_worker_that_changes_a_file_and_crashes_again_and_again_becomes_stuck() {
    let (go, offset) = ("$GT_ROOT/../go", "$GT_ROOT/../offset");
    let (town, _origin) = town(&format!(
        "until [ -e {go} ]; do sleep 0.1; done\ntouch -d \"+$(cat {offset}) sec\" note.txt\nexit 1"
    ));
    set(&town, "patrol.breaker.wait", "0s");
    let bead = town.bead("web", "Crash");
    town.sling(&bead);
    // Each session changes a file well after its start, on the clock of the patrol.
    let is_stuck = (1..20).any(|step: i64| {
        std::fs::write(town.path("offset"), (step * 60 + 30).to_string()).unwrap();
        std::fs::write(town.path("go"), "").unwrap();
        eventually("the session has ended", || {
            town.sessions().is_empty().then_some(())
        });
        town.try_patrol_in(step * 60);
        worker(&town)["stuck"].is_string()
    });
    assert!(is_stuck, "{:?}", acts(&town));
    assert_eq!(count(&town, "P6-respawn-stalled"), 3, "{:?}", acts(&town));
}

#[test]
fn session_reports_from_hooks_are_shown_and_reach_the_user() {
    let report = |event: &Value| format!("printf '%s' '{event}' | gt signal event");
    let asks = report(&json!({ "hook_event_name": "PermissionRequest", "tool_name": "Bash" }));
    let (town, _origin) = town(&format!("{asks}\nwhile :; do sleep 1; done"));
    let bead = town.bead("web", "Ask");
    let name = town.sling(&bead);
    let question = eventually("the dialog is known", || {
        let doing = worker(&town)["progress"]["doing"].clone();
        (doing["state"] == "dialog").then(|| doing["question"].clone())
    });
    assert_eq!(question, "Bash");
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains("! a dialog is open: Bash"), "{status}");
    assert!(
        status.contains(&format!("→ gt peek {}", name.replace('/', "/polecats/"))),
        "{status}"
    );
    let why = town.gt(["why", &bead]).ok().out;
    assert!(why.contains("a dialog is open: Bash"), "{why}");
    town.patrol();
    let mail = town.mail("overseer");
    assert!(
        mail[0]["subject"]
            .as_str()
            .unwrap()
            .contains("waits for an answer"),
        "{mail:?}"
    );
    assert_eq!(
        count(&town, "G2-restart-quiet"),
        0,
        "on one signal nothing is ended"
    );
    town.patrol_in(31 * 60);
    assert!(count(&town, "G2-restart-quiet") >= 1);
}

#[test]
fn one_worker_retries_a_refusing_api_and_no_breaker_opens() {
    let refused = json!({ "hook_event_name": "StopFailure", "error": "billing_error",
        "message": "Credit balance too low" });
    let (town, _origin) = town(&format!(
        "printf '%s' '{refused}' | gt signal event\nwhile :; do sleep 1; done"
    ));
    let beads: Vec<String> = (0..3)
        .map(|number| town.bead("web", &format!("B{number}")))
        .collect();
    for bead in &beads {
        town.sling(bead);
    }
    eventually("all are refused", || {
        let all = town.polecats();
        let is_refused = |one: &Value| one["progress"]["doing"]["state"] == "refused";
        (all.len() == 3 && all.iter().all(is_refused)).then_some(())
    });
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("the API refuses: billing_error (Credit balance too low)"),
        "{status}"
    );
    assert!(status.contains("3 workers stopped"), "{status}");
    town.patrol();
    // One message for the outage, however many workers it stops.
    let mail = town.mail("overseer");
    let about = mail
        .iter()
        .filter(|one| one["subject"].as_str().unwrap().contains("refuses"));
    assert_eq!(about.count(), 1, "{mail:?}");
    assert_eq!(count(&town, "A1-resume-refused"), 0, "not before its time");
    town.patrol_in(40);
    assert_eq!(count(&town, "A1-resume-refused"), 1, "{:?}", acts(&town));
    assert_eq!(town.events("nudge").len(), 1);
    for rule in ["P6-respawn-stalled", "P6-breaker", "G1-nudge-quiet"] {
        assert_eq!(count(&town, rule), 0, "{:?}", acts(&town));
    }
}

#[test]
fn agents_ended_by_api_refusals_open_no_breaker_and_continue_later() {
    let (town, _origin) = Town::with_rig();
    let down = town.path("down");
    town.script(&format!(
        "[ ! -e {} ] || {{ echo 'API Error: 529 overloaded'; exit 1; }}\necho done > $GT_POLECAT.txt",
        down.display()
    ));
    let script = town.path("scripts/work");
    let agents = json!({ "worker": { "provider": "scripted", "args": ["scripted", "--script", script],
        "refusals": [{ "sign": "API Error: 529", "kind": "overloaded" }] } });
    town.set_town_setting("agents", agents);
    std::fs::write(&down, "").unwrap();
    let beads: Vec<String> = (0..3)
        .map(|number| town.bead("web", &format!("B{number}")))
        .collect();
    for bead in &beads {
        town.gt(["sling", bead, "web"]).run();
    }
    eventually("all have ended", || {
        let all = town.polecats();
        all.iter()
            .all(|one| one["session_running"] == false)
            .then_some(())
    });
    for hour in 1..=6 {
        town.try_patrol_in(hour * 3600);
    }
    assert_eq!(count(&town, "P6-breaker"), 0, "{:?}", acts(&town));
    let tries = count(&town, "A1-resume-refused");
    assert!(
        (6..=12).contains(&tries),
        "{tries}: {:?} {:?}",
        acts(&town),
        town.polecats()
    );
    std::fs::remove_file(&down).unwrap();
    for (hour, bead) in (7..).zip(&beads) {
        town.try_patrol_in(hour * 3600);
        town.try_patrol_in(hour * 3600 + 900);
        let _ = bead;
    }
    for bead in &beads {
        eventually("the work is merged", || {
            town.patrol();
            (town.status_of("web", bead) == "closed").then_some(())
        });
    }
}

#[test]
fn restarts_during_an_outage_do_not_count_towards_the_breaker() {
    let (town, _origin) = Town::with_rig();
    let (down, hang) = (town.path("down"), town.path("hang"));
    town.script(&format!(
        "[ ! -e {} ] || {{ echo 'API Error: 529 overloaded'; exit 1; }}\nwhile [ -e {} ]; do sleep 1; done\necho done > $GT_POLECAT.txt",
        down.display(),
        hang.display()
    ));
    let script = town.path("scripts/work");
    let agents = json!({ "worker": { "provider": "scripted", "args": ["scripted", "--script", script],
        "refusals": [{ "sign": "API Error: 529", "kind": "overloaded" }] } });
    town.set_town_setting("agents", agents);
    set(&town, "patrol.breaker.restarts", "1");
    // The window is longer than the test, so every restart counts.
    set(&town, "patrol.breaker.window", "100h");
    // The sessions are hours old for a patrol that is ahead.
    set(&town, "patrol.progress.restart", "100h");
    std::fs::write(&down, "").unwrap();
    std::fs::write(&hang, "").unwrap();
    let bead = town.bead("web", "B");
    town.gt(["sling", &bead, "web"]).run();
    let runs = |running: bool| {
        eventually("its session", || {
            let all = town.polecats();
            (all[0]["session_running"] == running).then_some(())
        });
    };
    runs(false);
    for hour in 1..=2 {
        town.try_patrol_in(hour * 3600);
        runs(false);
    }
    assert!(count(&town, "A1-resume-refused") > 0, "{:?}", acts(&town));
    std::fs::remove_file(&down).unwrap();
    town.try_patrol_in(3 * 3600);
    runs(true);
    town.kill_session(&town.sessions()[0]);
    runs(false);
    town.try_patrol_in(4 * 3600);
    assert_eq!(count(&town, "P6-breaker"), 0, "{:?}", acts(&town));
    assert_eq!(count(&town, "P6-respawn-stalled"), 1, "{:?}", acts(&town));
    std::fs::remove_file(&hang).unwrap();
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
}

#[test]
fn a_tmux_server_that_keeps_dying_leaves_no_worker_stuck() {
    let (town, _origin) = town(
        "[ ! -e $GT_POLECAT_PATH/../../../../hang ] || while :; do sleep 1; done\necho done > $GT_POLECAT.txt",
    );
    set(&town, "patrol.breaker.restarts", "1");
    let hang = town.root().join("hang");
    std::fs::write(&hang, "").unwrap();
    let beads: Vec<String> = (0..4)
        .map(|number| town.bead("web", &format!("B{number}")))
        .collect();
    for bead in &beads {
        town.sling(bead);
    }
    for _ in 0..2 {
        // Servers of tmux are known by their start, which tmux has in seconds.
        let begun = std::time::Instant::now();
        eventually("a second has passed", || {
            (begun.elapsed().as_millis() > 1100).then_some(())
        });
        town.kill_tmux();
        eventually("all run again", || {
            town.patrol();
            (town.sessions().len() == 4).then_some(())
        });
    }
    assert_eq!(count(&town, "P6-breaker"), 0, "{:?}", acts(&town));
    assert_eq!(count(&town, "P6-respawn-stalled"), 8);
}

/// The messages to the overseer whose subjects contain a word.
fn count_mail(town: &Town, word: &str) -> usize {
    let mail = town.mail("overseer");
    let has = |one: &&Value| one["subject"].as_str().unwrap().contains(word);
    mail.iter().filter(has).count()
}

#[test]
fn a_worker_that_hands_over_at_each_start_is_stuck_with_one_message() {
    let (town, _origin) = town("gt handoff -m again || exit 1\nsleep 600");
    let bead = town.bead("web", "Loop");
    let name = town.sling(&bead);
    eventually("the worker is stuck", || {
        town.patrol();
        worker(&town)["stuck"].is_string().then_some(())
    });
    assert_eq!(town.events("respawn").len(), 3);
    town.patrol_in(9 * 3600);
    assert_eq!(count_mail(&town, "STUCK"), 1, "{:?}", town.mail("overseer"));
    assert_eq!(town.events("respawn").len(), 3);
    let notes = town.mail(&name).len();
    assert!(notes <= 4, "{notes}");
}

#[test]
fn a_worker_that_ends_at_once_is_stuck_with_one_message() {
    let (town, _origin) = town("exit 1");
    let bead = town.bead("web", "Break");
    town.gt(["sling", &bead, "web"]).run();
    let stuck = (1..20).find(|step| {
        town.try_patrol_in(step * 301);
        worker(&town)["stuck"].is_string()
    });
    assert!(stuck.is_some(), "{:?}", acts(&town));
    town.patrol_in(9 * 3600);
    assert_eq!(count_mail(&town, "STUCK"), 1, "{:?}", town.mail("overseer"));
    let sessions = std::fs::read_to_string(town.path("sessions")).unwrap();
    // The sling, the sling again if it has seen the end of its session, and three restarts.
    assert!(sessions.lines().count() <= 5, "{sessions}");
}

#[test]
fn the_starts_of_a_town_per_minute_are_bounded() {
    let (town, _origin) =
        town("echo $n > work.txt\ngt handoff || touch $GT_ROOT/../refused\nsleep 600");
    set(&town, "patrol.budget.per_minute", "3");
    set(&town, "patrol.breaker.restarts", "100");
    let bead = town.bead("web", "Loop");
    town.sling(&bead);
    let refused = town.path("refused");
    eventually("a handoff is refused", || refused.exists().then_some(()));
    assert_eq!(town.events("respawn").len(), 3);
    assert_eq!(worker(&town)["session_running"], true);
}

#[test]
fn gt_down_stops_a_handoff_that_is_under_way() {
    let (town, _origin) = town("echo $n > work.txt\ngt handoff\nsleep 600");
    set(&town, "patrol.budget.per_minute", "0");
    set(&town, "patrol.breaker.restarts", "100");
    let bead = town.bead("web", "Loop");
    town.sling(&bead);
    eventually("it hands over", || {
        (town.events("respawn").len() > 1).then_some(())
    });
    town.gt(["down"]).ok();
    let root = town.root().display().to_string();
    eventually("no process of the town runs", || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut lines = processes.filter_map(|entry| {
            let words = std::fs::read(entry.path().join("cmdline")).ok()?;
            let env = std::fs::read(entry.path().join("environ")).ok()?;
            let is_ours = String::from_utf8_lossy(&env).contains(&root);
            Some(is_ours && String::from_utf8_lossy(&words).contains("session-restart"))
        });
        (!lines.any(|is_renewal| is_renewal)).then_some(())
    });
    assert!(town.sessions().is_empty(), "{:?}", town.sessions());
    assert_eq!(town.status_of("web", &bead), "hooked");
}

/// Waits until a worker that only seems busy is stuck.
fn seeming_work_ends(body: &str) {
    let (town, _origin) = town(body);
    set(&town, "patrol.progress.note", "0s");
    set(&town, "patrol.progress.nudge", "1s");
    set(&town, "patrol.progress.restart", "2s");
    set(&town, "patrol.breaker.restarts", "1");
    let bead = town.bead("web", "Seem busy");
    town.sling(&bead);
    eventually("the worker is stuck", || {
        town.patrol();
        worker(&town)["stuck"].is_string().then_some(())
    });
    assert_eq!(count_mail(&town, "STUCK"), 1, "{:?}", town.mail("overseer"));
}

#[test]
fn a_log_file_that_only_grows_is_no_progress() {
    seeming_work_ends("while :; do date >> run.log; sleep 0.1; done");
}

#[test]
fn a_counter_on_the_screen_is_no_progress() {
    seeming_work_ends("i=0; while :; do i=$((i + 1)); echo \"$i tests\"; sleep 0.1; done");
}

/// A town whose workers run a program that draws like Claude Code. `$n` counts the sessions.
pub(crate) fn drawn_town(body: &str) -> (Town, town_tests::Repo) {
    let (town, origin) = Town::with_rig();
    let count = town.path("sessions");
    let count = count.display();
    town.script_named(
        "drawn",
        &format!(
            "echo x >> {count}; n=$(wc -l < {count})\nprompt() {{ printf '❯\\302\\240\\n'; }}\n\
             finish() {{ prompt; echo done > work.txt; git add -A; git commit -qm work; until gt done; do sleep 0.3; done; sleep 600; }}\n{body}"
        ),
    );
    let command = town.path("scripts/drawn");
    let agent = json!({ "provider": "claude", "command": command, "args": [], "hooks": "none" });
    town.set_town_setting("agents", json!({ "drawn": agent }));
    town.set_town_setting("default_agent", json!("drawn"));
    set(&town, "patrol.progress.note", "0s");
    (town, origin)
}

#[test]
fn a_worker_whose_session_ended_while_it_asks_waits_for_the_answer() {
    let (town, _origin) = town(
        "if [ $n = 1 ]; then gt escalate 'Which parser?' --decision --option nom --option 'our own'; echo I stop here; exit 1; fi\n\
         gt prime > $GT_ROOT/../prime; echo done > work.txt",
    );
    let bead = town.bead("web", "Ask and end");
    town.gt(["sling", &bead, "web"]).run();
    eventually("its session has ended", || {
        let asked = town.gt(["escalate", "list", "--json"]).ok().json();
        let ended = worker(&town)["session_running"] == false;
        (ended && asked[0]["id"].is_string()).then_some(())
    });
    for minutes in [1, 10, 60, 600] {
        town.patrol_in(minutes * 60);
    }
    assert_eq!(town.events("respawn").len(), 0, "{:?}", acts(&town));
    let asked = town.gt(["escalate", "list", "--json"]).ok().json();
    let question = asked[0]["id"].as_str().unwrap();
    let words =
        format!("it waits for the answer to {question} \"Which parser?\"; its last words: ");
    for screen in [vec!["status"], vec!["why", &bead]] {
        let out = town.gt(screen).ok().out;
        assert!(out.contains(&words), "{out}");
        assert!(
            out.contains(&format!("gt escalate resolve {question}")),
            "{out}"
        );
    }
    assert_eq!(count_mail(&town, "STUCK"), 0);
    town.gt(["escalate", "resolve", question, "2"]).ok();
    town.patrol();
    assert_eq!(town.events("respawn").len(), 1, "{:?}", acts(&town));
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(town.events("respawn").len(), 1, "{:?}", acts(&town));
    let prime = std::fs::read_to_string(town.path("prime")).unwrap();
    assert!(
        prime.contains("# Answers") && prime.contains("> our own"),
        "{prime}"
    );
}

#[test]
fn a_worker_at_its_prompt_gets_the_answer_to_its_question_at_once() {
    let (town, _origin) = drawn_town(
        "gt escalate 'Which parser?' --decision --option nom --option 'our own' > /dev/null\n\
         prompt; read line; echo \"$line\" > $GT_ROOT/../typed; sleep 600",
    );
    let bead = town.bead("web", "Ask");
    town.sling(&bead);
    let asked = eventually("it has asked", || {
        let asked = town.gt(["escalate", "list", "--json"]).ok().json();
        asked[0]["id"].as_str().map(str::to_owned)
    });
    for minutes in [11, 31, 300] {
        town.patrol_in(minutes * 60);
    }
    for rule in ["G1-nudge-quiet", "G2-restart-quiet"] {
        assert_eq!(count(&town, rule), 0, "{:?}", acts(&town));
    }
    // No patrol runs.
    town.gt(["escalate", "resolve", &asked, "2"]).ok();
    let typed = eventually("the answer is typed", || {
        std::fs::read_to_string(town.path("typed"))
            .ok()
            .filter(|text| !text.is_empty())
    });
    assert!(
        typed.contains("Which parser?") && typed.contains("our own"),
        "{typed}"
    );
    town.patrol();
    let nudges = town.events("nudge");
    assert_eq!(
        nudges.len(),
        1,
        "the mail rule does not repeat it: {nudges:?}"
    );
}

#[test]
fn every_screen_shows_a_medium_question_at_once() {
    let worker = town_tests::Worker::new();
    let town = &worker.town;
    let ask = ["escalate", "Which parser?", "--json"];
    let of_worker = town.gt_as(&worker.name, ask).ok().json();
    let ask = [
        "escalate",
        "Whose API?",
        "--related",
        &worker.bead,
        "--json",
    ];
    let of_mayor = town.gt(ask).env("GT_ROLE", "mayor").ok().json();
    let screens = [
        town.gt(["status"]).ok().out,
        town.gt(["top", "--json"]).ok().json()["needs_you"].to_string(),
        town.gt(["why", &worker.bead]).ok().out,
    ];
    for (report, title) in [(&of_worker, "Which parser?"), (&of_mayor, "Whose API?")] {
        assert_eq!(report["severity"], "medium");
        let step = format!("gt escalate resolve {}", report["id"].as_str().unwrap());
        for screen in &screens {
            assert!(screen.contains(title) && screen.contains(&step), "{screen}");
        }
    }
    let why = town.gt(["why", &worker.name]).ok().out;
    assert!(
        why.contains("it waits for your answer: Which parser?"),
        "{why}"
    );
}

/// Lines that a program prints without end, at another place of the screen at each look.
const CYCLE: &str =
    "for word in alpha beta gamma delta epsilon zeta eta; do echo \"step $word\"; sleep 0.03; done";

#[test]
fn the_same_lines_over_and_over_are_no_progress() {
    seeming_work_ends(&format!("while :; do {CYCLE}; done"));
}

#[test]
fn a_worker_that_prints_the_same_lines_above_its_prompt_for_ever_is_nudged_and_then_stuck() {
    let (town, _origin) = drawn_town(&format!("while :; do {CYCLE}; prompt; sleep 0.03; done"));
    set(&town, "patrol.progress.nudge", "1s");
    set(&town, "patrol.progress.restart", "2s");
    set(&town, "patrol.breaker.restarts", "1");
    let bead = town.bead("web", "Print");
    town.gt(["sling", &bead, "web"]).run();
    eventually("the worker is stuck", || {
        town.patrol();
        worker(&town)["stuck"].is_string().then_some(())
    });
    let nudged = town.events("nudge").len() + count(&town, "G1-nudge-quiet");
    assert!(nudged > 0, "{:?}", acts(&town));
    assert_eq!(count_mail(&town, "STUCK"), 1, "{:?}", town.mail("overseer"));
}
