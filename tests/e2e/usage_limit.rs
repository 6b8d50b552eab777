//! Workers at the usage limit of their agent program.

use serde_json::json;
use town_tests::{Town, eventually};

use crate::watch::{acts, count, drawn_town, set, worker};

/// A time of day some hours ahead, as Claude Code prints it, with its instant.
fn reset_in_berlin(hours: i64) -> (String, jiff::Timestamp) {
    let at = Town::time_in_hours(hours, "Europe/Berlin");
    let text = at.strftime("%-I:%M%P (Europe/Berlin)").to_string();
    (text, at.timestamp())
}

/// The end of a pause as screens show it, with its date if it is not today.
fn shown_end(at: jiff::Timestamp) -> String {
    let end = at.to_zoned(jiff::tz::TimeZone::system());
    let is_today = end.date() == Town::today();
    let format = if is_today { "%H:%M" } else { "%b %-d %H:%M" };
    end.strftime(format).to_string()
}

/// Waits until the only worker is paused by a usage limit, and gives the end of the pause.
fn wait_for_pause(town: &Town) -> jiff::Timestamp {
    let until = eventually("the worker is paused", || {
        let doing = worker(town)["progress"]["doing"].clone();
        let until = doing["until"].as_str().map(str::to_owned);
        until.filter(|_| doing["limit_of"] == "drawn")
    });
    until.parse().unwrap()
}

#[test]
fn a_worker_at_its_usage_limit_is_paused_until_its_time() {
    let (reset, at) = reset_in_berlin(3);
    let (town, _origin) = drawn_town(&format!(
        "echo \"You've hit your limit · resets {reset}\"\necho\nprompt\nread line; echo \"$line\" > $GT_ROOT/../typed\n\
         finish"
    ));
    let bead = town.bead("web", "Limited");
    town.sling(&bead);
    assert_eq!(wait_for_pause(&town), at);
    let words = format!("paused until {}: usage limit of drawn", shown_end(at));
    for screen in [vec!["status"], vec!["why", &bead]] {
        let out = town.gt(screen).ok().out;
        assert!(out.contains(&words), "{out}");
    }
    for minutes in [31, 90, 175] {
        town.patrol_in(minutes * 60);
    }
    for rule in [
        "A1-resume-refused",
        "G1-nudge-quiet",
        "G2-restart-quiet",
        "P6-breaker",
    ] {
        assert_eq!(count(&town, rule), 0, "{:?}", acts(&town));
    }
    assert!(!town.path("typed").exists());
    town.patrol_in(181 * 60);
    assert_eq!(count(&town, "A1-resume-refused"), 1, "{:?}", acts(&town));
    eventually("the worker goes on", || {
        town.path("typed").exists().then_some(())
    });
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(town.events("respawn").len(), 0);
}

/// Runs a worker whose first session prints its usage limit and ends `seconds` later, until its
/// second session has done the work.
fn run_worker_ended_by_its_limit(seconds: &str) {
    let (town, _origin) = drawn_town(&format!(
        "[ $n -gt 1 ] || {{ echo \"5-hour limit reached ∙ resets in 2h 30m\"; sleep {seconds}; exit 1; }}\n\
         finish"
    ));
    set(&town, "patrol.breaker.restarts", "1");
    let bead = town.bead("web", "Limited");
    town.gt(["sling", &bead, "web"]).run();
    eventually("its session has ended", || {
        (worker(&town)["session_running"] == false).then_some(())
    });
    let why = town.gt(["why", &bead]).ok().out;
    assert!(why.contains("paused until"), "{why}");
    for minutes in [0, 1, 10, 60, 145] {
        town.patrol_in(minutes * 60);
    }
    assert_eq!(town.events("respawn").len(), 0, "{:?}", acts(&town));
    assert!(worker(&town)["stuck"].is_null(), "{}", worker(&town));
    town.try_patrol_in(151 * 60);
    assert_eq!(count(&town, "A1-resume-refused"), 1, "{:?}", acts(&town));
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(count(&town, "P6-breaker"), 0, "{:?}", acts(&town));
}

#[test]
fn a_session_ended_by_its_usage_limit_starts_again_at_its_time_without_an_attempt() {
    run_worker_ended_by_its_limit("0");
}

/// The host displays the screen of such a session, with a message below the output.
#[test]
fn a_session_ended_by_its_usage_limit_after_its_start_is_paused_too() {
    run_worker_ended_by_its_limit("1");
}

#[test]
fn work_for_an_agent_at_its_usage_limit_stays_queued_until_its_time() {
    let (reset, at) = reset_in_berlin(3);
    let (town, _origin) = drawn_town(&format!(
        "if [ $n = 1 ]; then echo \"You've hit your limit · resets {reset}\"; echo; prompt; read line; fi\n\
         finish"
    ));
    town.script_named("other", "sleep 600");
    let [drawn, other] = ["drawn", "other"].map(|name| {
        let command = town.path("scripts").join(name);
        json!({ "command": command, "args": [], "hooks": "none" })
    });
    let mut agents = json!({ "drawn": drawn, "other": other });
    agents["drawn"]["provider"] = json!("claude");
    town.set_town_setting("agents", agents);
    let [first, second, third] = ["One", "Two", "Three"].map(|title| town.bead("web", title));
    town.sling(&first);
    wait_for_pause(&town);
    town.patrol();
    let slung = town.gt(["sling", &second, "web"]).ok().out;
    let reason = format!("drawn is paused by its usage limit until {}", shown_end(at));
    assert!(slung.contains(&reason), "{slung}");
    let screens = [
        vec!["why", &second],
        vec!["scheduler", "list"],
        vec!["status"],
    ];
    for screen in screens {
        let out = town.gt(screen).ok().out;
        assert!(out.contains(&reason), "{out}");
    }
    for minutes in [0, 90, 170] {
        town.patrol_in(minutes * 60);
    }
    assert_eq!(count(&town, "W1-sling-unblocked"), 0, "{:?}", acts(&town));
    town.gt(["sling", &third, "web", "--agent", "other"]).ok();
    assert_eq!(town.status_of("web", &third), "hooked");
    town.patrol_in(181 * 60);
    assert_eq!(count(&town, "W1-sling-unblocked"), 1, "{:?}", acts(&town));
}

#[test]
fn a_pause_by_a_usage_limit_outlasts_a_stop_of_the_town() {
    let (town, _origin) = drawn_town(
        "[ $n -gt 1 ] || { echo \"You've hit your limit · resets in 3h\"; echo; prompt; read line; }\n\
         finish",
    );
    let bead = town.bead("web", "Limited");
    town.sling(&bead);
    wait_for_pause(&town);
    town.patrol();
    town.gt(["down"]).ok();
    for minutes in [0, 1, 100, 170] {
        town.patrol_in(minutes * 60);
    }
    assert_eq!(town.events("respawn").len(), 0, "{:?}", acts(&town));
    let why = town.gt(["why", &bead]).ok().out;
    assert!(why.contains("paused until"), "{why}");
    town.patrol_in(181 * 60);
    assert_eq!(count(&town, "A1-resume-refused"), 1, "{:?}", acts(&town));
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
}

#[test]
fn no_mail_notice_is_typed_into_a_worker_at_its_usage_limit() {
    let (reset, _) = reset_in_berlin(3);
    let (town, _origin) = drawn_town(&format!(
        "echo \"You've hit your limit · resets {reset}\"\necho\nprompt\nread line; echo \"$line\" > $GT_ROOT/../typed\n\
         finish"
    ));
    let name = town.sling(&town.bead("web", "Limited"));
    wait_for_pause(&town);
    town.gt(["mail", "send", &name, "-s", "Hello", "-m", "Hello"])
        .ok();
    town.patrol();
    assert_eq!(count(&town, "G4-notify-mail"), 0, "{:?}", acts(&town));
    assert!(!town.path("typed").exists());
}

/// The menu of a usage limit with the focus on one of its options.
fn limit_menu(first: &str) -> String {
    format!(
        "echo \"You've hit your session limit · resets in 2h\"; echo '  What do you want to do?'; echo\n\
         echo ' ❯ 1. {first}'; echo '   2. Upgrade your plan'; echo; echo ' Enter to confirm · Esc to cancel'"
    )
}

#[test]
fn the_known_menu_of_a_usage_limit_is_answered_at_its_time() {
    let (town, _origin) = drawn_town(&format!(
        "{}\nread choice; echo \"chose:$choice\" > $GT_ROOT/../chosen\nprompt\n\
         read line; finish",
        limit_menu("Stop and wait for limit to reset")
    ));
    let bead = town.bead("web", "Limited");
    town.sling(&bead);
    wait_for_pause(&town);
    town.patrol_in(100 * 60);
    assert!(!town.path("chosen").exists());
    town.patrol_in(121 * 60);
    let chosen = std::fs::read_to_string(town.path("chosen")).unwrap();
    assert_eq!(chosen, "chose:\n");
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(town.events("respawn").len(), 0);
}

#[test]
fn an_unknown_menu_of_a_usage_limit_gets_no_key_and_the_session_starts_again() {
    let (town, _origin) = drawn_town(&format!(
        "if [ $n = 1 ]; then\n{}\nread choice; echo \"chose:$choice\" > $GT_ROOT/../chosen; fi\n\
         finish",
        limit_menu("Buy more")
    ));
    set(&town, "patrol.breaker.restarts", "1");
    let bead = town.bead("web", "Limited");
    // A question at the start is one for the user.
    town.gt(["sling", &bead, "web"]).run();
    wait_for_pause(&town);
    town.patrol_in(100 * 60);
    assert_eq!(town.events("respawn").len(), 0, "{:?}", acts(&town));
    town.patrol_in(121 * 60);
    assert_eq!(town.events("respawn").len(), 1, "{:?}", acts(&town));
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert!(!town.path("chosen").exists());
    assert_eq!(count(&town, "P6-breaker"), 0, "{:?}", acts(&town));
}

#[test]
fn a_worker_that_prints_a_usage_limit_for_ever_is_paused_once() {
    let (reset, _) = reset_in_berlin(2);
    let (town, _origin) = drawn_town(&format!(
        "while :; do echo \"You've hit your limit · resets {reset}\"; echo; prompt; sleep 0.2; done"
    ));
    let bead = town.bead("web", "Pretend");
    town.gt(["sling", &bead, "web"]).run();
    wait_for_pause(&town);
    town.patrol_in(110 * 60);
    assert_eq!(count(&town, "A1-resume-refused"), 0, "{:?}", acts(&town));
    let again: Vec<usize> = [121, 150, 200, 300]
        .into_iter()
        .map(|minutes| {
            town.try_patrol_in(minutes * 60);
            count(&town, "A1-resume-refused")
        })
        .collect();
    assert_eq!(again[0], 1, "{:?}", acts(&town));
    assert!(again[3] > 1, "{again:?} {:?}", acts(&town));
    let mail = town.mail("overseer");
    let about = mail.iter().filter(|one| {
        one["subject"]
            .as_str()
            .unwrap()
            .contains("paused by its usage limit")
    });
    assert_eq!(about.count(), 1, "{mail:?}");
}

#[test]
fn a_working_worker_that_prints_the_words_of_a_usage_limit_is_not_paused() {
    let (town, _origin) = drawn_town(
        "while :; do echo \"You've hit your limit · resets in 2h\"; echo; prompt; date > work.txt; sleep 0.2; done",
    );
    set(&town, "patrol.progress.note", "1m");
    let bead = town.bead("web", "Work");
    town.gt(["sling", &bead, "web"]).run();
    eventually("it has worked", || {
        town.patrol();
        let progress = worker(&town)["progress"].clone();
        (progress["sign"] == "file" || progress["sign"] == "start").then_some(progress)
    });
    let status = town.gt(["status"]).ok().out;
    assert!(!status.contains("paused"), "{status}");
}
