//! Workers at the usage limit of their agent program.

use town_tests::{Town, eventually};

use crate::watch::{acts, count, drawn_town, set, worker};

/// A time of day some hours ahead, as Claude Code prints it, with its instant.
fn reset_in_berlin(hours: i64) -> (String, jiff::Timestamp) {
    let at = Town::time_in_hours(hours, "Europe/Berlin");
    let text = at.strftime("%-I:%M%P (Europe/Berlin)").to_string();
    (text, at.timestamp())
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
    let shown = at
        .to_zoned(jiff::tz::TimeZone::system())
        .strftime("%H:%M")
        .to_string();
    let words = format!("paused until {shown}: usage limit of drawn");
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

#[test]
fn a_session_ended_by_its_usage_limit_starts_again_at_its_time_without_an_attempt() {
    let (town, _origin) = drawn_town(
        "[ $n -gt 1 ] || { echo \"5-hour limit reached ∙ resets in 2h 30m\"; exit 1; }\n\
         finish",
    );
    set(&town, "patrol.breaker.restarts", "1");
    let bead = town.bead("web", "Limited");
    town.gt(["sling", &bead, "web"]).run();
    eventually("its session has ended", || {
        (worker(&town)["session_running"] == false).then_some(())
    });
    for minutes in [10, 60, 145] {
        town.patrol_in(minutes * 60);
    }
    assert_eq!(town.events("respawn").len(), 0, "{:?}", acts(&town));
    let why = town.gt(["why", &bead]).ok().out;
    assert!(why.contains("paused until"), "{why}");
    town.try_patrol_in(151 * 60);
    assert_eq!(count(&town, "A1-resume-refused"), 1, "{:?}", acts(&town));
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(count(&town, "P6-breaker"), 0, "{:?}", acts(&town));
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
