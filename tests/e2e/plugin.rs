//! `gt plugin`: plugins of the town by cooldown, schedule, condition, event and hand.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use town_tests::{Town, eventually};

/// Puts a plugin with a program in a folder `plugins/` of the town (``) or of a rig (`web`).
fn script(town: &Town, owner: &str, name: &str, front: &str, body: &str) {
    let folder = instructions(town, owner, name, front, "Run the program.");
    let path = folder.join("run.sh");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Puts a plugin without a program in place.
fn instructions(
    town: &Town,
    owner: &str,
    name: &str,
    front: &str,
    text: &str,
) -> std::path::PathBuf {
    let folder = town.root().join(owner).join("plugins").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("+++\nname = \"{name}\"\n{front}\n+++\n\n{text}\n");
    std::fs::write(folder.join("plugin.md"), text).unwrap();
    folder
}

/// The results of a plugin's runs, the newest first.
fn results(town: &Town, plugin: &str) -> Vec<String> {
    let runs = town.gt(["plugin", "history", plugin, "--json"]).ok().json();
    let runs = runs.as_array().unwrap().iter();
    runs.map(|run| run["result"].as_str().unwrap().to_owned())
        .collect()
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

const HOUR: &str = "[gate]\ntype = \"cooldown\"\nduration = \"1h\"";

#[test]
fn a_plugin_runs_after_its_cooldown_and_its_runs_are_internal_beads() {
    let (town, _origin) = Town::with_rig();
    let front = format!("{HOUR}\n[tracking]\nlabels = [\"area:test\"]");
    script(&town, "", "tidy", &front, "echo \"by $GT_PLUGIN_TRIGGER\"");
    town.patrol();
    assert_eq!(results(&town, "tidy"), ["success"]);
    town.patrol();
    town.patrol_in(59 * 60);
    assert_eq!(results(&town, "tidy").len(), 1);
    town.patrol_in(61 * 60);
    assert_eq!(results(&town, "tidy"), ["success", "success"]);
    let runs = town.gt(["plugin", "history", "tidy", "--json", "--limit", "1"]);
    let run = runs.ok().json()[0].clone();
    assert_eq!(run["title"], "Plugin run: tidy");
    let labels = json!([
        "area:test",
        "plugin:tidy",
        "result:success",
        "type:plugin-run"
    ]);
    assert_eq!(run["labels"], labels);
    let id = run["id"].as_str().unwrap();
    let bead = town.show(".", id);
    assert_eq!(bead["status"], "closed");
    let text = bead["description"].as_str().unwrap();
    for words in ["trigger: cooldown", "end: exit code 0", "by cooldown"] {
        assert!(text.contains(words), "{text}");
    }
    let listed = town.bd(".", ["list", "--all"]).ok().out;
    assert!(!listed.contains("Plugin run"), "{listed}");
    assert_eq!(town.events("plugin_run").len(), 2);
}

#[test]
fn a_missed_time_of_a_schedule_runs_once() {
    let town = Town::new().with_env("TZ", "UTC");
    let front = "[gate]\ntype = \"cron\"\nschedule = \"0 3 * * *\"";
    script(&town, "", "nightly", front, "true");
    let list = town.gt(["plugin", "list"]).ok().out;
    assert!(
        list.contains("cron 0 3 * * *") && list.contains("  in "),
        "{list}"
    );
    town.patrol();
    assert!(results(&town, "nightly").is_empty());
    // Three nights are missed.
    town.patrol_in(72 * 3600);
    town.patrol_in(72 * 3600 + 60);
    assert_eq!(results(&town, "nightly").len(), 1);
}

#[test]
fn a_condition_is_evaluated_once_per_interval_and_starts_the_plugin_when_true() {
    let town = Town::new();
    let flag = town.root().join("flag");
    let front = "[gate]\ntype = \"condition\"\ncheck = 'echo x >> asked; test -f flag'";
    script(&town, "", "look", front, "rm flag");
    let asked = || read(&town.root().join("asked")).map_or(0, |text| text.lines().count());
    town.patrol();
    assert_eq!((asked(), results(&town, "look").len()), (1, 0));
    std::fs::write(&flag, "").unwrap();
    town.patrol_in(60);
    assert_eq!((asked(), results(&town, "look").len()), (1, 0));
    town.patrol_in(11 * 60);
    assert_eq!((asked(), results(&town, "look").len()), (2, 1));
    assert!(!flag.exists());
    town.patrol_in(22 * 60);
    assert_eq!((asked(), results(&town, "look").len()), (3, 1));
}

#[test]
fn slow_plugins_hold_up_no_merge_and_events_start_plugins_once() {
    let (town, _origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    let out = |name: &str| town.root().join(name);
    let once = "echo begun >> slow\n[ \"$(wc -l < slow)\" -gt 1 ] || sleep 600";
    script(&town, "", "slow", HOUR, once);
    let front = "[gate]\ntype = \"condition\"\ncheck = \"touch doubt; sleep 600\"";
    script(&town, "", "doubt", front, "true");
    let on = |event: &str| format!("[gate]\ntype = \"event\"\non = \"{event}\"");
    let note = "cat \"$GT_PLUGIN_EVENTS_FILE\" >> heard\necho \"$GT_PLUGIN_TRIGGER\" >> heard";
    script(&town, "", "hear", &on("merged"), note);
    script(&town, "", "start", &on("startup"), "echo started >> start");
    town.up();
    eventually("the slow ones run", || {
        (out("slow").exists() && out("doubt").exists()).then_some(())
    });
    let bead = town.bead("web", "First");
    town.sling(&bead);
    town.closed("web", &bead);
    let heard = eventually("the merge is heard", || {
        read(&out("heard")).filter(|text| text.ends_with("event\n"))
    });
    let lines: Vec<&str> = heard.lines().collect();
    assert_eq!(lines.len(), 2, "{heard}");
    let event: Value = serde_json::from_str(lines[0]).unwrap();
    assert_eq!(
        (&event["type"], &event["payload"]["bead"]),
        (&json!("merged"), &json!(bead))
    );
    assert_eq!(read(&out("start")).as_deref(), Some("started\n"));
    assert!(results(&town, "slow").is_empty(), "it still runs");
    // A result is recorded after the program has ended.
    eventually("the quick ones have ended", || {
        let quick = ["hear", "start"];
        let is_recorded = |name: &&str| results(&town, name) == ["success"];
        quick.iter().all(is_recorded).then_some(())
    });
    town.gt(["daemon", "stop"]).ok();
    assert!(results(&town, "slow").is_empty(), "stopped with gtd");
    assert!(results(&town, "doubt").is_empty());
    // The run that was cut off is due again, although its cooldown is not over.
    town.gt(["daemon", "start"]).ok();
    eventually("the run is repeated", || {
        (results(&town, "slow") == ["success"]).then_some(())
    });
}

#[test]
fn a_disabled_plugin_and_one_of_a_held_town_or_rig_do_not_run() {
    let (town, _origin) = Town::with_rig();
    script(&town, "", "tidy", HOUR, "true");
    script(&town, "web", "own", HOUR, "test \"$GT_RIG\" = web");
    town.gt(["plugin", "disable", "tidy"]).ok();
    town.gt(["rig", "park", "web"]).ok();
    town.patrol();
    assert!(results(&town, "tidy").is_empty() && results(&town, "own").is_empty());
    let list = town.gt(["plugin", "list", "--json"]).ok().json();
    assert_eq!(list[0]["name"], "own");
    assert_eq!(
        (&list[0]["location"], &list[0]["rig_name"]),
        (&json!("rig"), &json!("web"))
    );
    assert_eq!(
        (&list[1]["name"], &list[1]["enabled"]),
        (&json!("tidy"), &json!(false))
    );
    town.gt(["plugin", "enable", "tidy"]).ok();
    town.gt(["rig", "unpark", "web"]).ok();
    town.gt(["estop"]).ok();
    town.patrol();
    assert!(results(&town, "tidy").is_empty() && results(&town, "own").is_empty());
    town.gt(["plugin", "run", "tidy"]).fails("gt thaw");
    town.gt(["thaw"]).ok();
    town.patrol();
    assert_eq!(results(&town, "tidy"), ["success"]);
    assert_eq!(results(&town, "own"), ["success"]);
}

#[test]
fn a_plugin_that_fails_again_and_again_is_escalated_once() {
    let town = Town::new();
    let front = "[gate]\ntype = \"cooldown\"\nduration = \"10m\"\n[execution]\n\
                 notify_on_failure = true\nseverity = \"high\"";
    script(&town, "", "weak", front, "echo 'no disk' >&2\nexit 4");
    town.patrol();
    town.patrol_in(11 * 60);
    town.patrol_in(22 * 60);
    assert_eq!(results(&town, "weak"), ["failure"; 3]);
    assert_eq!(town.events("escalation_sent").len(), 1);
    let list = town.gt(["escalate", "list"]).ok().out;
    assert!(
        list.contains("The plugin weak failed: exit code 4"),
        "{list}"
    );
    assert!(list.contains("high from"), "{list}");
    // By hand, the failure is the exit code.
    let run = town.gt(["plugin", "run", "weak", "--force"]).run();
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("no disk"), "{}", run.out);
    script(&town, "", "weak", front, "true");
    town.gt(["plugin", "run", "weak", "--force"]).ok();
    let list = town.gt(["escalate", "list"]).ok().out;
    assert!(!list.contains("The plugin weak failed"), "{list}");
}

#[test]
fn instructions_go_to_a_dog_once_and_its_result_is_recorded() {
    let (town, _origin) = Town::with_rig();
    let stay = json!({ "stay": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } });
    town.set_town_setting("agents", stay);
    town.set_town_setting("role_agents", json!({ "dog": "stay" }));
    instructions(&town, "", "survey", HOUR, "Count the stars.");
    town.patrol();
    town.patrol();
    let dogs = town.gt(["dog", "list", "--json"]).ok().json();
    assert_eq!(dogs.as_array().unwrap().len(), 1);
    assert_eq!(dogs[0]["work"], "plugin:survey");
    let mail = town.mail("deacon/dogs/alpha");
    assert_eq!(mail.len(), 1);
    assert_eq!(mail[0]["subject"], "Plugin: survey");
    assert!(results(&town, "survey").is_empty());
    let done = ["dog", "done", "alpha", "--result", "skipped", "--note"];
    town.gt(done).args(["it is day"]).ok();
    assert_eq!(results(&town, "survey"), ["skipped"]);
    let history = town.gt(["plugin", "history", "survey"]).ok().out;
    assert!(history.contains("it is day"), "{history}");
    // A dog that is told by hand, and one whose work is taken from it.
    let dispatch = ["dog", "dispatch", "--plugin", "survey", "--json"];
    let preview = town.gt(dispatch).args(["-n"]).ok().json();
    assert_eq!(
        (&preview["dog"], &preview["dry_run"]),
        (&json!("alpha"), &json!(true))
    );
    town.gt(["estop"]).ok();
    town.gt(dispatch).fails("the town is stopped");
    town.gt(["thaw"]).ok();
    let given = town.gt(dispatch).ok().json();
    assert_eq!(given["work"], "plugin:survey");
    town.gt(dispatch)
        .args(["--create"])
        .fails("dog alpha is at work on plugin:survey already");
    town.gt(["dog", "clear", "alpha", "--force"]).ok();
    assert_eq!(results(&town, "survey"), ["failure", "skipped"]);
    let print = town.gt(["plugin", "run", "survey", "--print"]).ok().out;
    assert!(print.contains("Count the stars."), "{print}");
}

#[test]
fn a_plugin_run_by_hand_respects_its_cooldown_unless_forced() {
    let town = Town::new();
    script(&town, "", "tidy", HOUR, "echo done");
    let dry = town.gt(["plugin", "run", "tidy", "--dry-run"]).ok().out;
    assert!(dry.contains("tidy would run"), "{dry}");
    let run = town.gt(["plugin", "run", "tidy"]).ok().out;
    assert!(
        run.contains("done") && run.contains("✓ tidy: success"),
        "{run}"
    );
    let closed = town.gt(["plugin", "run", "tidy"]).ok().out;
    assert!(closed.contains("gt plugin run tidy --force"), "{closed}");
    let forced = town.gt(["plugin", "run", "tidy", "--force", "--json"]);
    let forced = forced.ok().json();
    assert_eq!(
        (&forced["ran"], &forced["run"]["result"]),
        (&json!(true), &json!("success"))
    );
    assert_eq!(results(&town, "tidy").len(), 2);
    town.gt(["plugin", "run", "moon"])
        .fails("no plugin `moon` in this town: not found");
    // A user ends it in the middle: the program and its children end, too.
    script(&town, "", "tidy", HOUR, "sleep 600 & echo $! > child; wait");
    let mut running = town.gt(["plugin", "run", "tidy", "--force"]).start();
    let child = eventually("its child runs", || {
        read(&town.root().join("child")).filter(|text| text.ends_with('\n'))
    });
    let pid = running.id().to_string();
    town.program_on_path("kill").args(["-INT", &pid]).ok();
    running.wait().unwrap();
    eventually("its child has ended", || {
        let stat = read(&Path::new("/proc").join(child.trim()).join("stat"));
        stat.is_none_or(|stat| stat.contains(") Z ")).then_some(())
    });
}

#[test]
fn a_broken_plugin_and_an_unknown_gate_are_reported_and_the_others_run() {
    let town = Town::new();
    let lunar = "[gate]\ntype = \"lunar\"";
    script(&town, "", "moon", lunar, "true");
    script(&town, "", "tidy", HOUR, "true");
    let broken = town.root().join("plugins/broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::write(broken.join("plugin.md"), "+++\nname = \"x\"\n").unwrap();
    town.patrol();
    assert_eq!(results(&town, "tidy"), ["success"]);
    assert!(results(&town, "moon").is_empty());
    let list = town.gt(["plugin", "list"]).ok();
    assert!(
        list.err.contains("plugins/broken/plugin.md is skipped"),
        "{}",
        list.err
    );
    assert!(
        list.out.contains("never runs automatically"),
        "{}",
        list.out
    );
    let doctor = town.gt(["doctor", "plugins"]).run().out;
    assert!(
        doctor.contains("broken") && doctor.contains("lunar"),
        "{doctor}"
    );
    town.gt(["plugin", "run", "moon"]).ok();
    let show = town.gt(["plugin", "show", "broken"]);
    show.fails("plugins/broken/plugin.md: its TOML does not end");
    // An event that does not exist, and a plugin that keeps failing and escalates nothing.
    let slip = "[gate]\ntype = \"event\"\non = \"mergd\"";
    script(&town, "", "slip", slip, "true");
    script(&town, "", "weak", HOUR, "echo no disk; exit 4");
    town.patrol();
    let why = town.gt(["why", "weak"]).ok().out;
    assert!(why.contains("weak (cooldown 1h) ran last "), "{why}");
    let status = town.gt(["status"]).ok().out;
    assert!(!status.contains("plugin weak"), "one failure: {status}");
    town.patrol_in(61 * 60);
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("plugin weak failed 2 times in a row"),
        "{status}"
    );
    let doctor = town.gt(["doctor", "plugins"]).run().out;
    assert!(
        doctor.contains("(did you mean merged") && doctor.contains("plugin weak failed 2 times"),
        "{doctor}"
    );
    let why = town.gt(["why", "weak"]).ok().out;
    for words in ["failed 2 times in a row", "gt plugin history weak"] {
        assert!(why.contains(words), "{why}");
    }
    town.gt(["plugin", "disable", "weak"]).ok();
    let why = town.gt(["why", "weak"]).ok().out;
    assert!(why.contains("gt plugin enable weak"), "{why}");
}

#[test]
fn the_runs_of_a_day_are_reported_once() {
    let town = Town::new().with_env("TZ", "UTC");
    let front = format!("{HOUR}\n[tracking]\ndigest = true");
    script(&town, "", "tidy", &front, "true");
    town.patrol();
    town.patrol();
    assert!(town.events("plugin_report").is_empty());
    town.patrol_in(24 * 3600);
    town.patrol_in(24 * 3600 + 60);
    let reports = town.events("plugin_report");
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert_eq!(reports[0]["payload"]["lines"], json!(["tidy: 1 run"]));
    let feed = town.gt(["feed"]).ok().out;
    assert!(feed.contains("Plugin Report "), "{feed}");
    // gtd does not run for three days. The last day with runs is reported afterwards.
    town.patrol_in(96 * 3600);
    let reports = town.events("plugin_report");
    assert_eq!(reports.len(), 2, "{reports:?}");
}

#[test]
fn shipped_plugins_are_listed_installed_and_work() {
    let (town, _origin) = Town::with_rig();
    let list = town.gt(["plugin", "list"]).ok().out;
    let expected = "\
no plugins

5 plugins of Gas Town can be added with gt plugin sync NAME:
  dependency-updates  Let a dog file beads for outdated dependencies
  flaky-gates         List the gates that passed only when repeated
  rebuild-briefings   Let gtd write the briefings of all convoys again
  stale-branches      List the branches of polecats that are merged or kept
  town-backup         Back up the whole town to plugins.backup_to
";
    assert_eq!(list, expected);
    town.gt(["plugin", "sync", "stale-branches"]).ok();
    let show = town.gt(["plugin", "show", "stale-branches"]).ok().out;
    let expected = "\
stale-branches (version 1)
  List the branches of polecats that are merged or kept

Folder:   ROOT/plugins/stale-branches
Gate:     cooldown 24h (due)
Runs:     run.sh, for at most 5m
Last run: never ran

Lists the local branches of polecats: those that `gt prune-branches` would remove, and why the
others stay. Removes nothing. The list is in the log of the run (`gt plugin history stale-branches`).
";
    let root = town.root();
    assert_eq!(show.replace(root.to_str().unwrap(), "ROOT"), expected);
    town.gt(["plugin", "sync"]).ok();
    let synced = town.gt(["plugin", "sync"]).ok().out;
    assert_eq!(synced, "✓ all plugins are current\n");
    for plugin in ["stale-branches", "flaky-gates", "rebuild-briefings"] {
        town.gt(["plugin", "run", plugin]).ok();
        assert_eq!(results(&town, plugin), ["success"], "{plugin}");
    }
    town.gt(["plugin", "run", "town-backup"]).ok();
    assert_eq!(results(&town, "town-backup"), ["skipped"]);
    let to = town.path("backups");
    let to = to.to_str().unwrap();
    town.gt(["config", "set", "plugins.backup_to", to]).ok();
    town.gt(["plugin", "run", "town-backup"]).ok();
    assert_eq!(results(&town, "town-backup")[0], "success");
    assert!(town.path("backups").is_dir());
    // A change of the user stays, and is kept when it is replaced.
    let program = root.join("plugins/flaky-gates/run.sh");
    std::fs::write(&program, "echo mine\n").unwrap();
    let drift = town.gt(["plugin", "sync", "-n"]).ok().out;
    assert_eq!(drift, "○ flaky-gates/run.sh is changed, and stays\n");
    town.gt(["plugin", "sync", "--force"]).ok();
    let old = read(&root.join("plugins/flaky-gates/run.sh.old"));
    assert_eq!(old.as_deref(), Some("echo mine\n"));
}

#[test]
fn flaky_gates_names_the_gates_that_passed_only_when_repeated() {
    let (town, _origin) = Town::with_rig();
    town.gt(["plugin", "sync", "flaky-gates"]).ok();
    let gate = json!({ "coin": { "cmd": "test -f ../tossed || { touch ../tossed; false; }", "retry": 1 } });
    town.set_rig_setting("web", "merge_queue", json!({ "gates": gate }));
    town.idle_worker();
    let run = town.gt(["plugin", "run", "flaky-gates"]).ok().out;
    assert!(run.contains("web: gate coin: 1 repeated of"), "{run}");
}

#[test]
fn an_emergency_stop_ends_a_running_program_which_is_repeated_after_it() {
    let (town, _origin) = Town::with_rig();
    let pid = town.root().join("pid");
    let once = "[ -e again ] || { touch again; echo $$ > pid; sleep 600; }";
    script(&town, "", "slow", HOUR, once);
    town.up();
    let pid = eventually("it runs", || read(&pid).filter(|text| text.ends_with('\n')));
    town.gt(["estop"]).ok();
    let process = std::path::PathBuf::from("/proc").join(pid.trim());
    eventually("it is ended", || (!process.exists()).then_some(()));
    assert!(results(&town, "slow").is_empty());
    town.gt(["thaw"]).ok();
    eventually("it is repeated", || {
        (results(&town, "slow") == ["success"]).then_some(())
    });
}
