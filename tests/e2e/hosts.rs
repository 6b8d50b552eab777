//! Workers on other machines: `gt host`, `gt box`.

use std::fs;
use std::path::Path;

use kit::sys::Clock;
use serde_json::{Value, json};
use town_tests::{FarMachine, Terminal, Town, eventually};

/// Slings a bead to a worker of the rig `web` on the host `big`. Returns `web/<name>`.
pub(super) fn sling_far(town: &Town, bead: &str) -> String {
    let line = ["sling", bead, "web", "--host", "big", "--json"];
    let slung = town.gt(line).ok().json();
    slung[0]["target"]
        .as_str()
        .unwrap()
        .replace("/polecats/", "/")
}

/// The open merge requests of the rig `web`.
fn requests(town: &Town) -> Vec<Value> {
    let listed = town.gt(["mq", "list", "web", "--json"]).ok().json();
    listed.as_array().unwrap().clone()
}

pub(super) fn wait_for_request(town: &Town) -> Value {
    eventually("a merge request", || requests(town).into_iter().next())
}

/// A line of a script that waits for a file which the test makes.
pub(super) fn wait_for(path: &Path) -> String {
    format!("while ! [ -e {} ]; do sleep 0.1; done", path.display())
}

#[test]
fn a_worker_on_another_machine_hands_in_and_is_merged() {
    let (town, origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let seen = far.home.join("seen");
    town.script(&format!(
        "gt whoami > {0}\npwd >> {0}\necho far > far.txt\ngit add far.txt\ngit commit -qm 'Work far away'\n\
         echo left > committed-by-the-agent.txt\ngt prime | grep folder: >> {0}",
        seen.display()
    ));
    let added = far.add().ok();
    assert!(
        added.out.contains("Host big is connected: version "),
        "{}",
        added.out
    );
    let bead = town.bead("web", "Work on the big machine");
    let worker = sling_far(&town, &bead);
    wait_for_request(&town);
    let sandbox = far.sandbox(&worker);
    let name = worker.replace('/', "/polecats/");
    assert_eq!(
        fs::read_to_string(seen).unwrap(),
        format!(
            "{name} (polecat, from env)\n{0}\n- folder: {0}\n",
            sandbox.display()
        )
    );
    let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(merged[0]["outcome"], "merged", "{merged}");
    assert_eq!(origin.file("main", "far.txt"), "far");
    assert_eq!(origin.file("main", "committed-by-the-agent.txt"), "left");
    assert_eq!(town.status_of("web", &bead), "closed");
    // The machine has no copy of the town.
    assert!(!far.root().join("mayor").exists());
    assert!(!far.root().join("web/.beads").exists());
}

#[test]
fn a_worker_behind_ssh_hands_in_through_a_cut_and_is_merged() {
    let (town, origin) = Town::with_rig();
    let far = FarMachine::with_ssh(&town);
    let go = far.home.join("go");
    let working = far.home.join("working");
    town.script(&format!(
        "head -c 3000000 /dev/urandom > large.bin\n: > {}\n{}",
        working.display(),
        wait_for(&go)
    ));
    let added = town.gt(["host", "add", "big", "--ssh", "big-machine"]).ok();
    assert!(
        added.out.contains("way:    ssh big-machine"),
        "{}",
        added.out
    );
    let bead = town.bead("web", "Work behind ssh");
    sling_far(&town, &bead);
    eventually("the work", || working.exists().then_some(()));
    far.cut();
    fs::write(&go, "").unwrap();
    eventually("the cut is noticed", || {
        let hosts = town.gt(["host", "list"]).ok().out;
        hosts.contains("no route to big").then_some(())
    });
    far.mend();
    wait_for_request(&town);
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    let size = origin.git(["cat-file", "-s", "main:large.bin"]);
    assert_eq!(size, "3000000");
}

#[test]
fn attach_shows_a_session_on_another_machine() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::with_ssh(&town);
    town.script("echo here is the far agent\nwhile :; do sleep 1; done");
    town.gt(["host", "add", "big", "--ssh", "big-machine"]).ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead);
    let line = format!("gt attach {worker}");
    let terminal = Terminal::run(&town, &town.root(), &line);
    terminal.wait_for("here is the far agent");
    drop(terminal);
    assert!(far.sandbox(&worker).is_dir());
}

#[test]
fn new_work_in_a_sandbox_of_another_machine_begins_with_the_target() {
    let (town, origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    town.script("[ -e first.txt ] && cp first.txt second.txt\necho one > first.txt\n[ -e stray ] && exit 1\necho x > ignored.log");
    far.add().ok();
    for number in 1..=2 {
        let bead = town.bead("web", &format!("Work {number}"));
        sling_far(&town, &bead);
        wait_for_request(&town);
        town.gt(["mq", "run", "web"]).ok();
        assert_eq!(town.status_of("web", &bead), "closed");
    }
    assert_eq!(origin.file("main", "second.txt"), "one");
}

#[test]
fn a_hand_in_during_a_cut_is_delivered_once() {
    let (town, origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let go = far.home.join("go");
    let working = far.home.join("working");
    town.script(&format!(
        "echo far > far.txt\n: > {}\n{}",
        working.display(),
        wait_for(&go)
    ));
    far.add().ok();
    let bead = town.bead("web", "Work through a cut");
    sling_far(&town, &bead);
    eventually("the work", || working.exists().then_some(()));
    far.cut();
    eventually("the cut is noticed", || {
        let hosts = town.gt(["host", "list"]).ok().out;
        let is_noticed = hosts.contains("not reachable") && hosts.contains("no route to big");
        is_noticed.then_some(())
    });
    fs::write(&go, "").unwrap();
    assert_eq!(requests(&town), Vec::<Value>::new());
    far.mend();
    wait_for_request(&town);
    let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(merged.as_array().unwrap().len(), 1);
    assert_eq!(origin.file("main", "far.txt"), "far");
    assert_eq!(town.events("done").len(), 1);
}

#[test]
fn work_that_is_handed_in_during_a_long_cut_is_kept_and_delivered_once() {
    let (town, origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let go = far.home.join("go");
    let working = far.home.join("working");
    let kept = far.home.join("kept");
    town.script(&format!(
        ": > {0}\n{1}\necho far > far.txt\ngit add far.txt\ngit commit -qm Far\n\
         GT_GATEWAY_WAIT=1 gt done --summary more > {2}.new\nmv {2}.new {2}\nexit 1",
        working.display(),
        wait_for(&go),
        kept.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work through a long cut");
    sling_far(&town, &bead);
    eventually("the work", || working.exists().then_some(()));
    far.cut();
    fs::write(&go, "").unwrap();
    eventually("the kept hand-in", || kept.exists().then_some(()));
    let told = fs::read_to_string(kept).unwrap();
    assert!(told.contains("This `gt done` is kept"), "{told}");
    // A connection may break again before everything is over.
    far.mend();
    wait_for_request(&town);
    far.break_pipe();
    town.patrol();
    // The patrol may have merged it.
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.file("main", "far.txt"), "far");
    assert_eq!(town.events("done").len(), 1);
    assert_eq!(town.events("respawn"), Vec::<Value>::new());
}

#[test]
fn a_refused_hand_in_is_repaired_on_the_other_machine() {
    let (town, origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let said = far.home.join("said");
    town.script(&format!(
        "git checkout -q --detach\ngt checkpoint write > /dev/null\ngit checkout -q -\n\
         echo far > far.txt\ngt done --summary x 2> {} && exit 1\ngit add far.txt\ngit commit -qm Far",
        said.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    sling_far(&town, &bead);
    wait_for_request(&town);
    let said = fs::read_to_string(said).unwrap();
    assert!(said.contains("far.txt"), "{said}");
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(origin.file("main", "far.txt"), "far");
}

#[test]
fn work_left_on_a_host_is_saved_before_its_sandbox_is_made_anew() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let ready = far.home.join("ready");
    town.script(&format!(
        "git rev-parse HEAD > /dev/null\n: > {}\nwhile :; do sleep 1; done",
        ready.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead);
    eventually("the work", || ready.exists().then_some(()));
    fs::write(far.sandbox(&worker).join("late.txt"), "late\n").unwrap();
    town.gt(["unsling", &bead]).ok();
    let next = town.bead("web", "Next work");
    assert_eq!(sling_far(&town, &next), worker);
    assert!(!far.sandbox(&worker).join("late.txt").exists());
    let rescues = town.gt(["rescue", "list", "--json"]).ok().json();
    let rescues = rescues.as_array().unwrap();
    let rig = town.root().join("web/.repo.git");
    let is_saved = rescues.iter().any(|rescue| {
        let file = format!("{}:late.txt", rescue["ref"].as_str().unwrap());
        town.git_at(&rig, ["show", &file]).run().out == "late\n"
    });
    assert!(is_saved, "{rescues:?}");
}

#[test]
fn work_of_a_host_that_is_gone_goes_on_here() {
    let (town, origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let saved = far.home.join("saved");
    town.script(&format!(
        "[ -e {0} ] && exit 0\necho far > far.txt\ngit add far.txt\ngit commit -qm Far\n\
         gt checkpoint write > /dev/null\n: > {0}\nwhile :; do sleep 1; done",
        saved.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead);
    eventually("the checkpoint", || saved.exists().then_some(()));
    far.cut();
    town.gt(["host", "remove", "big"])
        .fails("host big has 1 worker");
    town.gt(["unsling", &bead]).fails("host big");
    // Another bead is not kept from a worker here.
    let other = town.bead("web", "Other work");
    assert_ne!(town.sling(&other), worker);
    town.gt(["unsling", &other]).ok();
    town.gt(["host", "remove", "big", "--gone"]).ok();
    let unslung = town.gt(["unsling", &bead]).ok().out;
    assert!(
        unslung.contains("host big was removed: a session there may still run"),
        "{unslung}"
    );
    assert!(!unslung.contains("session ended"), "{unslung}");
    assert!(
        unslung.contains("the last work there that reached the town is of "),
        "{unslung}"
    );
    town.script("echo here > here.txt");
    town.sling(&bead);
    let saved = town.gt(["rescue", "list"]).ok().out;
    assert!(saved.contains(&bead), "{saved}");
    wait_for_request(&town);
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(origin.file("main", "here.txt"), "here");
}

#[test]
fn gt_down_brings_the_work_of_another_machine_to_the_town() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let ready = far.home.join("ready");
    town.script(&format!(
        ": > {}\nwhile :; do sleep 1; done",
        ready.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead);
    eventually("the work", || ready.exists().then_some(()));
    fs::write(far.sandbox(&worker).join("late.txt"), "late\n").unwrap();
    town.gt(["down"]).ok();
    let late = town.sandbox(&worker).join("late.txt");
    assert_eq!(fs::read_to_string(late).unwrap(), "late\n");
    town.gt(["host", "remove", "big"])
        .fails("host big has 1 worker");
    town.gt(["unsling", &bead]).ok();
    town.gt(["host", "remove", "big"]).ok();
    eventually("the end of the link", || {
        let link = town.root().join(".runtime/hosts/big/link.pid");
        let pid = fs::read_to_string(link).unwrap();
        (!Path::new("/proc").join(pid).exists()).then_some(())
    });
}

#[test]
fn a_host_names_only_sessions_that_the_town_started() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let ready = far.home.join("ready");
    town.script(&format!(
        "tmux -S $TMUX_TMPDIR/tmux-*/* new-session -d -s hq-mayor 'sleep 1000'\n\
         tmux -S $TMUX_TMPDIR/tmux-*/* set-option -p -t hq-mayor @gt_token abc\n: > {}\nwhile :; do sleep 1; done",
        ready.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    sling_far(&town, &bead);
    eventually("the false session", || ready.exists().then_some(()));
    assert_eq!(town.sessions(), ["gt-web-amber"]);
    assert!(town.gt(["status"]).ok().out.contains("stopped  mayor"));
}

#[test]
fn one_host_that_does_not_answer_stops_no_command_of_the_town() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    town.script("while :; do sleep 1; done");
    far.add().ok();
    let there = town.bead("web", "Work there");
    sling_far(&town, &there);
    let here = town.bead("web", "Work here");
    let worker = town.sling(&here);
    far.cut();
    eventually("the cut is noticed", || {
        let hosts = town.gt(["host", "list"]).ok().out;
        hosts.contains("no route to big").then_some(())
    });
    let session = format!("gt-{}", worker.replace('/', "-"));
    let down = town.gt(["down"]).fails("host big is not reachable since");
    assert!(!down.err.contains(&session), "{}", down.err);
    // The one on the other machine may run.
    assert_eq!(town.sessions(), ["gt-web-amber"]);
}

#[test]
fn silence_of_a_host_ends_and_restarts_nothing() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    town.script("while :; do sleep 1; done");
    far.add().ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead);
    far.cut();
    eventually("the cut is noticed", || {
        let hosts = town.gt(["host", "list", "--json"]).ok().json();
        (hosts[0]["state"] == "not reachable").then_some(())
    });
    for seconds in [0, 3600, 7200] {
        town.patrol_in(seconds);
    }
    assert_eq!(town.events("respawn"), Vec::<Value>::new());
    assert_eq!(town.events("session_ended"), Vec::<Value>::new());
    let status = town.gt(["polecat", "status", &worker]).ok();
    assert!(status.out.contains("not reachable"), "{}", status.out);
    far.mend();
    eventually("the worker is reached again", || {
        let hosts = town.gt(["host", "check", "big"]).run();
        (hosts.code == 0).then_some(())
    });
    let status = town.gt(["polecat", "status", &worker]).ok();
    assert!(
        status.out.contains("none: it runs on host big"),
        "{}",
        status.out
    );
    let peek = town.gt(["peek", &worker]).run();
    assert_eq!(peek.code, 0, "{}", peek.err);
}

#[test]
fn uncommitted_work_on_another_machine_reaches_the_town() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let saved = far.home.join("saved");
    town.script(&format!(
        "echo new > new.txt\necho changed > README.md\ngit add README.md\necho more >> README.md\n\
         gt checkpoint write --notes half > /dev/null\n: > {}\nwhile :; do sleep 1; done",
        saved.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead);
    eventually("the checkpoint", || saved.exists().then_some(()));
    let sandbox = town.sandbox(&worker);
    assert_eq!(
        fs::read_to_string(sandbox.join("new.txt")).unwrap(),
        "new\n"
    );
    let status = town.git_at(&sandbox, ["status", "--porcelain"]).ok();
    assert_eq!(status.out, "MM README.md\n?? new.txt\n");
}

#[test]
fn a_worker_whose_program_ended_far_away_goes_on_in_its_sandbox() {
    let (town, origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let first = far.home.join("first");
    town.script(&format!(
        "if ! [ -e {0} ]; then echo kept > kept.txt; : > {0}; echo last words; exit 7; fi\necho more > more.txt",
        first.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead);
    eventually("the first session", || first.exists().then_some(()));
    let screen = eventually("the end of the first session", || {
        let screen = town.gt(["peek", &worker]).run().out;
        screen.contains("Pane is dead").then_some(screen)
    });
    assert!(!screen.contains("\n\n"), "{screen}");
    eventually("the merge of the second session's work", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.file("main", "kept.txt"), "kept");
    assert_eq!(origin.file("main", "more.txt"), "more");
}

#[test]
fn hosts_are_checked_before_they_get_work() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    town.script("exit 0");
    let bead = town.bead("web", "Work");
    let refusal = |host: &str| {
        town.gt(["sling", &bead, "web", "--host", host])
            .fails("")
            .err
    };
    assert!(refusal("big").contains("there is no host `big`"));
    assert!(refusal("../x").contains("is no valid name of a host"));
    let gone = town.gt(["host", "add", "big", "--command", "--", "no-such-program"]);
    assert!(
        gone.fails("")
            .err
            .contains("no-such-program is not installed")
    );
    for (code, expected) in [
        ("255", "no connection can be made (said)"),
        ("127", "its shell finds no program gt: "),
    ] {
        let line = format!("echo said >&2; exit {code}");
        let failed = town.gt(["host", "add", "big", "--command", "--", "sh", "-c", &line]);
        let error = failed.fails("").err;
        assert!(error.contains(expected), "{error}");
    }
    let other = town.gt(["host", "add", "big", "--command", "--", "echo", "hello"]);
    let error = other.fails("").err;
    assert!(
        error.contains("gt does not answer at the other side: it says `hello`"),
        "{error}"
    );
    assert_eq!(town.gt(["host", "list", "--json"]).ok().json(), json!([]));
    far.add().ok();
    assert!(
        far.add()
            .fails("")
            .err
            .contains("there is a host `big` already")
    );
    town.gt(["host", "set", "big"]).fails("--limit");
    town.gt(["host", "set", "big", "--limit", "many"])
        .fails("it is neither a number nor `none`");
    town.gt(["host", "set", "big", "--program", "/opt/gt"])
        .fails("host big is not reached by ssh");
    town.gt(["host", "set", "big", "--limit", "0"]).ok();
    let limit = || town.gt(["host", "list", "--json"]).ok().json()[0]["limit"].clone();
    assert_eq!(limit(), 0);
    town.gt(["host", "set", "big", "--limit", "none"]).ok();
    assert_eq!(limit(), Value::Null);
    let changes = town.events("setting_changed");
    assert_eq!(
        changes[0]["payload"],
        json!({"key": "limit", "place": "host big", "before": "none", "after": "0"})
    );
    town.gt(["host", "drain", "big"]).ok();
    assert!(refusal("big").contains("gets no new work"));
    town.gt(["host", "drain", "big", "--off"]).ok();
    town.set_rig_setting("web", "sandbox", json!({"jail": "required"}));
    assert!(refusal("big").contains("without a jail"));
    town.gt(["host", "remove", "big"]).ok();
    assert!(refusal("big").contains("there is no host `big`"));
    assert_eq!(town.status_of("web", &bead), "open");
    town.gt(["box", "attach", "0123456789abcdef", "gt-web-amber"])
        .fails("no town `0123456789abcdef` has sessions here");
    let silent = town.gt(["box", "serve"]).ok();
    assert_eq!(silent.out, "\0gastown-box-1\n");
}

#[test]
fn a_worker_on_a_machine_with_a_wrong_clock_is_neither_quiet_nor_ahead() {
    for difference in ["-2h", "+2h"] {
        let (town, _origin) = Town::with_rig();
        let far = FarMachine::with_clock(&town, difference);
        town.script("while :; do echo at work; sleep 1; done");
        far.add().ok();
        let bead = town.bead("web", "Work");
        sling_far(&town, &bead);
        let started = far.tmux_started();
        let apart = started.duration_since(Clock::System.now());
        assert!(apart.abs().as_mins() > 110, "{apart}");
        town.patrol();
        let listed = town.gt(["polecat", "list", "web", "--json"]).ok().json();
        assert_eq!(listed[0]["state"], "working", "{listed}");
        let sign = listed[0]["progress"]["at"].as_str().unwrap();
        let sign: jiff::Timestamp = sign.parse().unwrap();
        let quiet = sign.duration_since(Clock::System.now()).abs();
        assert!(quiet.as_mins() < 110, "{listed}");
        assert_eq!(town.events("nudge").len() + town.events("respawn").len(), 0);
        town.gt(["unsling", &bead]).ok();
    }
}

#[test]
fn each_change_of_a_host_is_one_event() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    town.script("while :; do sleep 1; done");
    town.gt(["host", "add", "big", "--command", "--", "false"])
        .fails("");
    assert_eq!(town.events("host_added"), Vec::<Value>::new());
    far.add().ok();
    let bead = town.bead("web", "Work");
    let worker = sling_far(&town, &bead);
    town.gt(["host", "drain", "big"]).ok();
    town.gt(["host", "drain", "big"]).ok();
    assert_eq!(town.events("host_unreachable"), Vec::<Value>::new());
    far.cut();
    let check = || town.gt(["host", "check", "big"]).run();
    eventually("the cut is noticed", || {
        check().err.contains("no route to big").then_some(())
    });
    // Neither further attempts nor another link are a change.
    check();
    let link = town.root().join(".runtime/hosts/big/link.pid");
    let link = fs::read_to_string(link).unwrap();
    town.kill(&link);
    eventually("the end of the link", || {
        (!Path::new("/proc").join(&link).exists()).then_some(())
    });
    assert!(check().err.contains("no route to big"));
    far.mend();
    eventually("the new connection", || (check().code == 0).then_some(()));
    far.cut();
    eventually("the second cut is noticed", || {
        (town.events("host_unreachable").len() == 2).then_some(())
    });
    town.gt(["host", "remove", "big", "--gone"]).ok();
    let payloads = |kind: &str| -> Vec<Value> {
        let events = town.events(kind).into_iter();
        events.map(|event| event["payload"].clone()).collect()
    };
    assert_eq!(payloads("host_added"), [json!({"host": "big"})]);
    assert_eq!(
        payloads("setting_changed"),
        [json!({"key": "draining", "place": "host big", "before": "false", "after": "true"})]
    );
    let cuts = payloads("host_unreachable");
    assert_eq!((cuts.len(), &cuts[0]["host"]), (2, &json!("big")));
    let mended = payloads("host_connected");
    assert_eq!((mended.len(), &mended[0]["host"]), (1, &json!("big")));
    assert_eq!(
        payloads("host_gone"),
        [json!({"host": "big", "workers": [worker], "beads": [bead]})]
    );
    let feed = town.gt(["feed"]).ok().out;
    assert!(
        feed.contains("removed the host big, which is gone, with its workers web/amber"),
        "{feed}"
    );
    assert!(town.gt(["why", &bead]).ok().out.contains("host big"));
}

#[test]
fn every_screen_names_the_host_of_a_worker_and_its_cut() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    let ready = far.home.join("ready");
    town.script(&format!(
        ": > {}\nwhile :; do sleep 1; done",
        ready.display()
    ));
    far.add().ok();
    let bead = town.bead("web", "Work there");
    let slung = town.gt(["sling", &bead, "web", "--host", "big"]).ok().out;
    assert!(slung.contains("  host: big\n"), "{slung}");
    let here = town.bead("web", "Work here");
    let slung = town.gt(["sling", &here, "web"]).ok().out;
    assert!(!slung.contains("host: "), "{slung}");
    eventually("the session", || ready.exists().then_some(()));
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains("Work there  · on big"), "{status}");
    assert!(!status.contains("Work here  · on"), "{status}");
    let list = town.gt(["polecat", "list"]).ok().out;
    assert!(list.contains("web/amber on big  "), "{list}");
    let far_sample = "gastown_workers{host=\"big\",rig=\"web\",state=\"working\"} 1";
    let metrics = town.gt(["metrics"]).ok().out;
    assert!(metrics.contains(far_sample), "{metrics}");
    assert!(
        metrics.contains("gastown_workers{rig=\"web\",state=\"working\"} 1"),
        "{metrics}"
    );
    let doctor = || town.gt(["doctor", "hosts", "--json"]).run();
    assert!(
        doctor().out.contains("host big: connected"),
        "{}",
        doctor().out
    );
    far.cut();
    eventually("the cut is noticed", || {
        (town.events("host_unreachable").len() == 1).then_some(())
    });
    let status = town.gt(["status"]).ok().out;
    assert_eq!(
        status.matches("Host big cannot be reached").count(),
        1,
        "{status}"
    );
    assert!(status.contains("  gt host check big\n"), "{status}");
    assert!(
        status.contains("    ! host big is not reachable since "),
        "{status}"
    );
    let retry = town.gt(["polecat", "retry", "web/amber"]).fails("").err;
    let again = format!("gt sling {bead} web --force --host big");
    assert!(retry.contains(&again), "{retry}");
    let agents = town.gt(["status", "--json"]).ok().json()["rigs"][0]["agents"].clone();
    let agents = agents.as_array().unwrap();
    let worker = |name: &str| agents.iter().find(|agent| agent["name"] == name).unwrap();
    assert_eq!(worker("amber")["host"], "big");
    assert_eq!(worker("amber")["unreachable"]["name"], "big");
    let reason = worker("amber")["unreachable"]["reason"].as_str().unwrap();
    assert!(!reason.is_empty());
    let doctor = doctor();
    assert!(
        doctor.out.contains("host big is not reachable since "),
        "{}",
        doctor.out
    );
    assert!(doctor.out.contains("gt host check big"), "{}", doctor.out);
    // No screen opened a connection.
    assert_eq!(town.events("host_connected"), Vec::<Value>::new());
}

#[test]
fn the_doctor_names_agent_programs_that_a_host_lacks() {
    use std::os::unix::fs::PermissionsExt;
    let (town, _origin) = Town::with_rig();
    let extra = town.path("extra");
    fs::create_dir_all(&extra).unwrap();
    let ghost = extra.join("ghost");
    fs::write(&ghost, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&ghost, fs::Permissions::from_mode(0o755)).unwrap();
    let far = FarMachine::new(&town);
    let variables = town.variables();
    let path = variables.iter().find(|(name, _)| name == "PATH").unwrap();
    let path = format!("{}:{}", extra.display(), path.1);
    let town = &town;
    let gt = |line: &[&str]| town.gt(line.iter().copied()).env("PATH", &path).run();
    town.set_town_setting("agents", json!({"ghost": {"command": "ghost"}}));
    town.set_town_setting("default_agent", json!("ghost"));
    far.add().ok();
    let found = gt(&["doctor", "hosts"]);
    assert!(
        found
            .out
            .contains("host big has no program `ghost` of an agent"),
        "{}",
        found.out
    );
    fs::write(town.root().join("settings/hosts/bad.json"), "{").unwrap();
    let found = gt(&["doctor", "hosts"]);
    assert!(
        found.out.contains("bad.json is no file of a host"),
        "{}",
        found.out
    );
}

#[test]
fn a_machine_without_the_programs_gets_those_of_the_town() {
    let (town, origin) = Town::with_rig();
    let path = ("PATH", "/usr/bin:/bin".to_owned());
    let far = FarMachine::with_variables(&town, &[path]);
    town.script("{ command -v gt; command -v bd; } > programs.txt\nbd show \"$GT_BEAD\" > /dev/null || exit 9");
    let added = town.gt(["host", "add", "big", "--ssh", "big-machine"]).ok();
    let folder = ".local/share/gastown/bin";
    let said = format!("copied: ~/{folder}/gt, and bd beside it");
    assert!(added.out.contains(&said), "{}", added.out);
    let bead = town.bead("web", "Work");
    sling_far(&town, &bead);
    wait_for_request(&town);
    town.gt(["mq", "run", "web"]).ok();
    let folder = far.home.join("home").join(folder);
    let folder = folder.display();
    assert_eq!(
        origin.file("main", "programs.txt"),
        format!("{folder}/gt\n{folder}/bd")
    );
}
