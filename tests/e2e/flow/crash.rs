//! Crashes: of a session in the middle of its work, of the daemon around a merge.

use town_tests::{Town, eventually, read_text, within};

/// Writes a file, then waits for leave to go on.
const WAITING: &str = r#"echo begun >> "$GT_ROOT/../scripts/begun-$GT_BEAD"
echo work > "$GT_BEAD.txt"
while [ ! -e "$GT_ROOT/../scripts/go" ]; do sleep 0.05; done
echo done > "$GT_SUMMARY_FILE""#;

fn begun(town: &Town, bead: &str) -> usize {
    let text = read_text(town.path(&format!("scripts/begun-{bead}")));
    text.lines().count()
}

fn go(town: &Town) {
    std::fs::write(town.path("scripts/go"), "").unwrap();
}

#[test]
fn a_session_killed_during_work_is_restarted_and_its_work_merges_once() {
    let (town, origin) = Town::with_rig();
    town.script(WAITING);
    let bead = town.bead("web", "Slow");
    town.up();
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    let session = slung[0]["session"].as_str().unwrap().to_owned();
    eventually("the work has begun", || {
        (begun(&town, &bead) == 1).then_some(())
    });
    town.kill_session(&session);
    eventually("the work has begun again", || {
        (begun(&town, &bead) == 2).then_some(())
    });
    let polecat = &town.polecats()[0];
    assert_eq!(polecat["lease"], 3, "claim, start, new start: {polecat}");
    go(&town);
    town.closed("web", &bead);
    assert_eq!(origin.subjects("main").len(), 1);
    town.told_once("merged");
    // Two sessions over one bead are one worker and one entry in its record.
    town.quiet();
    assert_eq!(town.polecats().len(), 1);
    let name = format!("web/{}", town.polecats()[0]["name"].as_str().unwrap());
    let record = town.gt(["polecat", "status", &name, "--json"]).ok().json()["record"].clone();
    assert_eq!(record.as_array().unwrap().len(), 1, "{record}");
    assert_eq!(record[0]["sessions"], 2);
    let respawns = town.events("respawn");
    assert_eq!(respawns.len(), 1);
    // What was not committed when the session ended is saved.
    let saved = respawns[0]["payload"]["snapshot"].as_str().unwrap();
    assert!(saved.starts_with("refs/gt/snap/web/polecats/"), "{saved}");
    let why = town.gt(["why", &bead, "--rules"]).ok().out;
    assert!(why.contains("respawn") && why.contains("merged"), "{why}");
}

#[test]
fn an_agent_survives_a_killed_daemon_and_a_new_daemon_finishes() {
    let (town, origin) = Town::with_rig();
    town.script(WAITING);
    let bead = town.bead("web", "Slow");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work has begun", || {
        (begun(&town, &bead) == 1).then_some(())
    });
    town.kill_daemon();
    go(&town);
    eventually("the work is handed in without a daemon", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    assert_eq!(
        begun(&town, &bead),
        1,
        "the session was never started again"
    );
    assert_eq!(
        origin.subjects("main").len(),
        0,
        "nobody merges while there is no daemon"
    );
    town.up();
    town.closed("web", &bead);
    assert_eq!(origin.subjects("main").len(), 1);
}

#[test]
fn gt_down_lists_the_workers_it_stops_and_gt_up_restarts_them() {
    let (town, origin) = Town::with_rig();
    town.script(WAITING);
    let bead = town.bead("web", "Slow");
    town.up();
    let worker = town.sling(&bead);
    eventually("the work has begun", || {
        (begun(&town, &bead) == 1).then_some(())
    });
    let down = town.gt(["down"]).ok();
    for part in [
        &format!("{worker} on {bead} Slow"),
        "nothing is lost: `gt up` starts each",
    ] {
        assert!(down.out.contains(part), "{part} in {}", down.out);
    }
    let halt = &town.events("halt")[0]["payload"];
    assert_eq!(halt["stopped"][0]["bead"], bead.as_str(), "{halt}");
    // Nobody is at work any more, so nobody is named.
    let again = town.gt(["down", "--json"]).ok().json();
    assert_eq!(again["stopped"], serde_json::json!([]));
    // However often that is done: it is no crash, and no breaker opens.
    for times in 2..=5 {
        town.up();
        eventually("it is started again", || {
            (begun(&town, &bead) == times).then_some(())
        });
        town.gt(["down"]).ok();
    }
    go(&town);
    town.up();
    town.closed("web", &bead);
    assert_eq!(origin.subjects("main").len(), 1);
}

#[test]
fn a_daemon_killed_during_a_merge_merges_closes_and_mails_once() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    // The gate tells that the merge has begun, and waits for leave.
    let gate = format!(
        "echo gate >> {0}/gate; while [ ! -e {0}/go ]; do sleep 0.05; done",
        town.path("scripts").display()
    );
    town.gate("web", &gate);
    let bead = town.bead("web", "Work");
    let convoy = town
        .gt([
            "convoy", "create", "One", &bead, "--owner", "mayor/", "--json",
        ])
        .ok()
        .json();
    let convoy = convoy["id"].as_str().unwrap().to_owned();
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the gate runs", || {
        town.path("scripts/gate").exists().then_some(())
    });
    town.kill_daemon();
    go(&town);
    assert_eq!(origin.subjects("main").len(), 0);
    town.up();
    eventually("the convoy has landed", || {
        (town.show(".", &convoy)["status"] == "closed").then_some(())
    });
    town.told_once("merged");
    town.told_once("convoy_landed");
    // Killed after everything: nothing is done twice.
    town.kill_daemon();
    town.up();
    town.patrol_is_quiet();
    assert_eq!(origin.subjects("main").len(), 1);
    town.told_once("merged");
    town.told_once("convoy_landed");
    assert_eq!(town.mail("mayor/").len(), 1);
}

#[test]
fn a_pushed_but_unrecorded_merge_is_detected_and_only_recorded() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    let bead = town.bead("web", "Work");
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    // What a daemon that died right after its push leaves behind: the commit on the target, the
    // request open.
    let tip = origin.git([
        "for-each-ref",
        "--format=%(objectname)",
        "refs/heads/polecat",
    ]);
    origin.git(["update-ref", "refs/heads/main", &tip]);
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(
        origin.git(["rev-parse", "main"]),
        tip,
        "nothing was pushed again"
    );
    assert_eq!(origin.subjects("main").len(), 1);
}

#[test]
fn work_squashed_by_hand_is_recognized_by_its_tree() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > by-hand.txt");
    let bead = town.bead("web", "Work");
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    origin.commit("by-hand.txt", "work\n", "Squashed by a person");
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.subjects("main"), ["Squashed by a person"]);
}

#[test]
fn a_session_that_keeps_ending_opens_the_breaker_and_notifies_once() {
    let (town, _origin) = Town::with_rig();
    // It lives long enough to count as started (a start that fails waits longer each time), and for
    // tmux to read its last words: what is unread at the end is lost.
    town.script(
        "echo again >> \"$GT_ROOT/../scripts/begun-$GT_BEAD\"; printf 'no \\033[1mmodel\\033[0m today\\n'; sleep 1; exit 7",
    );
    town.gt(["config", "set", "patrol.breaker.wait", "1s"]).ok();
    // Its id has the digit of the exit code.
    let bead = "web-72s".to_owned();
    town.bd("web", ["create", "Hopeless", "--id", &bead]).ok();
    town.up();
    // The first session may be over before the sling is; it says so then, and the rest is the same.
    town.gt(["sling", &bead, "web"]).run();
    eventually("the overseer hears of it", || {
        (town.mail("overseer").len() == 1).then_some(())
    });
    let letter = &town.mail("overseer")[0];
    assert!(
        letter["subject"]
            .as_str()
            .unwrap()
            .starts_with("STUCK: web/polecats/"),
        "{letter}"
    );
    assert_eq!(begun(&town, &bead), 4, "the first start and three new ones");
    let quiet = within(std::time::Duration::from_secs(2), || {
        (begun(&town, &bead) > 4).then_some(())
    });
    assert!(quiet.is_none(), "it is not started any more");
    assert_eq!(town.mail("overseer").len(), 1);
    let worker = &town.polecats()[0];
    assert_eq!(worker["state"], "stalled");
    // How it ended is kept: exit code and last screen.
    let body = letter["description"].as_str().or(letter["body"].as_str());
    let body = body.unwrap_or_default();
    assert!(body.contains("the last time with exit code 7"), "{letter}");
    assert!(body.contains("> no model today"), "{letter}");
    let ended = town.events("session_ended");
    assert!(ended.len() >= 3, "{ended:?}");
    assert!(
        ended.iter().all(|event| event["payload"]["exit"] == 7),
        "{ended:?}"
    );
    let why = worker["why"].as_str().unwrap();
    assert!(
        why.contains("exit code 7") && why.contains("not started again automatically"),
        "{why}"
    );
    assert_eq!(worker["last_end"]["exit"], 7, "{worker}");
    let name = format!("web/{}", worker["name"].as_str().unwrap());
    let status = town.gt(["polecat", "status", &name]).ok();
    assert!(status.out.contains("| no model today"), "{}", status.out);
    let told = town.gt(["why", &bead]).ok();
    for part in [
        &format!("on {bead} ended"),
        "exit: 7",
        "| no model today",
        "  stuck: ",
    ] {
        assert!(told.out.contains(part), "{part} in {}", told.out);
    }
    // Its convoy says that it does not go on, and what a person can do.
    let convoys = town.gt(["convoy", "status", "--json"]).ok().json();
    let tracked = &convoys[0]["tracked"][0];
    assert_eq!(tracked["standing"], "blocked", "{tracked}");
    assert!(
        tracked["why"].as_str().unwrap().contains("exit code 7"),
        "{tracked}"
    );
    let way = format!("gt sling {bead} web --force");
    assert_eq!(tracked["next_steps"][1], way.as_str());
    let shown = town.gt(["convoy", "status"]).ok();
    assert!(shown.out.contains("blocked") && shown.out.contains(&way));
    // It is the way out: another worker has it then.
    town.script("echo work > work.txt");
    let args: Vec<&str> = way.split(' ').skip(1).collect();
    town.gt(args).ok();
    town.closed("web", &bead);
}

#[test]
fn a_worker_whose_done_is_refused_is_stuck_and_reported_once() {
    let (town, _origin) = Town::with_rig();
    town.script("true");
    let bead = town.bead("web", "Nothing to show");
    town.up();
    // The session may be over before the sling is; it says so then, and the rest is the same.
    town.gt(["sling", &bead, "web"]).run();
    let stuck = |letter: &serde_json::Value| letter["subject"].as_str().unwrap().to_owned();
    let letter = eventually("the overseer hears of it", || town.mail("overseer").pop());
    assert!(
        stuck(&letter).starts_with("STUCK: web/polecats/"),
        "{letter}"
    );
    let name = town.polecats()[0]["name"].as_str().unwrap().to_owned();
    let way = format!("gt polecat retry web/{name}");
    eventually("its bead is held", || {
        let convoys = town.gt(["convoy", "status", "--json"]).ok().json();
        let tracked = &convoys[0]["tracked"][0];
        let why = tracked["why"].as_str().unwrap_or_default();
        let held = tracked["standing"] == "blocked" && tracked["next_steps"][0] == way.as_str();
        (held && why.contains("gt done") && why.contains("proof")).then_some(())
    });
    let why = town.gt(["why", &bead]).ok().out;
    let now = why.lines().find(|line| line.starts_with("  stuck:"));
    let now = now.unwrap_or_else(|| panic!("{why}"));
    assert!(now.contains("proof"), "{now}");
    assert!(why.contains(&format!("  → {way}")), "{why}");
    // While the daemon still clears up it counts as at work.
    eventually("the status has the way out", || {
        let status = town.gt(["status"]).ok().out;
        status.contains(&way).then_some(())
    });
    // Its dead pane is taken away, and nothing is done twice.
    eventually("the ended session is taken away", || {
        let told = town.gt(["doctor"]).run().out;
        (!told.contains("is still shown")).then_some(())
    });
    town.gtd(["run", "--once"]).run();
    assert_eq!(town.mail("overseer").len(), 1);
    // The way out.
    town.script("echo work > work.txt");
    let args: Vec<&str> = way.split(' ').skip(1).collect();
    town.gt(args).ok();
    town.closed("web", &bead);
}

/// Starts a process that leaves the session, and tells its number; then waits.
const STRAY: &str = r#"setsid sleep 600 &
echo $! >> "$GT_ROOT/../scripts/strays"
while :; do sleep 0.1; done"#;

fn strays(town: &Town) -> Vec<String> {
    let text = read_text(town.path("scripts/strays"));
    text.lines().map(str::to_owned).collect()
}

fn is_there(pid: &str) -> bool {
    let stat =
        std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_else(|_| String::new());
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn leftover_processes_of_a_dead_session_end_before_the_next_starts() {
    let (town, _origin) = Town::with_rig();
    town.script(STRAY);
    let bead = town.bead("web", "Work");
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    let session = slung[0]["session"].as_str().unwrap().to_owned();
    eventually("it left one", || (strays(&town).len() == 1).then_some(()));
    let crash = || {
        town.kill_session(&session);
        eventually("the session is gone", || {
            town.sessions().is_empty().then_some(())
        });
    };
    crash();
    assert!(is_there(&strays(&town)[0]), "it went on");
    // A git of it was killed, too, in the middle of its work.
    let lock = "ls -d web/.repo.git/worktrees/* | while read d; do : > \"$d/index.lock\"; done";
    let shell = town.program_on_path("sh").at(&town.root());
    shell.args(["-c", lock]).ok();
    town.patrol();
    eventually("the next one left one", || {
        (strays(&town).len() == 2).then_some(())
    });
    assert!(!is_there(&strays(&town)[0]));
    assert_eq!(town.events("stale_lock_removed").len(), 1);
    // Where the bead is taken away instead, nothing goes on either.
    crash();
    town.gt(["unsling", &bead]).ok();
    assert!(!is_there(&strays(&town)[1]));
    town.gt(["sling", &bead, "web"]).ok();
    eventually("a third one", || (strays(&town).len() == 3).then_some(()));
    crash();
    town.gt(["down"]).ok();
    assert!(!is_there(&strays(&town)[2]));
}
