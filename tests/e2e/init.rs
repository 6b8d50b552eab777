//! `gt init`.

use std::os::unix::fs::PermissionsExt;

use town_tests::{Terminal, Town, eventually};

use crate::screens::assert_running_screen;

/// Installs a program of that name that does nothing.
fn install_program(town: &Town, name: &str) {
    let path = town.path("bin").join(name);
    std::fs::write(&path, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn init_makes_town_rig_and_task_and_can_run_again() {
    let place = Town::place();
    install_program(&place, "auggie");
    let origin = place.origin("my-app");
    let root = place.root();
    let init = |more: &[&str]| {
        let args = ["init", root.to_str().unwrap(), "--repo", origin.url()];
        let run = place.gt_at(&place.path("home"), args);
        run.args(["--agent", "auggie", "--json"])
            .args(more.iter().copied())
    };
    let made = init(&["--task", "Say hello", "--name", "first"])
        .ok()
        .json();
    assert_eq!(made["name"], "first");
    assert_eq!(made["rig"], "my_app");
    assert_eq!(made["agent"], "auggie");
    assert_eq!(made["started"], false);
    let warnings = made["warnings"].to_string();
    assert!(warnings.contains("no login of auggie was found"), "{made}");
    let bead = made["bead"].as_str().unwrap();
    assert_eq!(place.show("my_app", bead)["title"], "Say hello");
    // The beads are the user's own.
    let pushed = place.program_on_path("git");
    let refs = pushed.args(["ls-remote", origin.url()]).ok();
    assert!(!refs.out.contains("beads-sync"), "{}", refs.out);
    init(&["--name", "second"]).fails("is the town `first` already");
    let again = init(&[]).ok().json();
    assert_eq!(
        (&again["name"], &again["rig"]),
        (&"first".into(), &"my_app".into())
    );
    assert_eq!(again["bead"], serde_json::Value::Null);
    let again = place.gt_at(&place.path("home"), ["init", root.to_str().unwrap()]);
    let again = again.args(["--repo", origin.url(), "--agent", "auggie"]);
    assert_running_screen("gt-init-again", again, &[]);
    let rigs = place.gt(["rig", "list", "--json"]).ok().json();
    assert_eq!(rigs.as_array().unwrap().len(), 1, "{rigs}");
}

#[test]
fn init_makes_nothing_if_something_is_missing() {
    let place = Town::place();
    let root = place.root();
    let init = |args: &[&str]| {
        let all = ["init", root.to_str().unwrap()];
        place
            .gt_at(&place.path("home"), all)
            .args(args.iter().copied())
    };
    init(&["--agent", "amp"]).fails("`amp` is not installed");
    let missing = place.path("nowhere.git");
    let missing = missing.to_str().unwrap();
    init(&["--repo", missing]).fails("cannot be read");
    init(&["--no-repo", "--task", "Text"]).fails("need a repository");
    init(&["--no-repo", "--test", "make test"]).fails("need a repository");
    assert!(!root.exists());
}

#[test]
fn init_starts_the_first_task() {
    let town = Town::new();
    town.script("echo hello > hello.txt");
    let origin = town.origin("app");
    let root = town.root();
    let init = ["init", root.to_str().unwrap(), "--repo", origin.url()];
    let run = town.gt_at(&town.path("home"), init);
    let made = run
        .args([
            "--task",
            "Say hello",
            "--agent",
            "worker",
            "--start",
            "--json",
        ])
        .ok()
        .json();
    assert_eq!(made["started"], true, "{made}");
    assert_eq!(made["slung"]["bead"], made["bead"], "{made}");
    let bead = made["bead"].as_str().unwrap();
    eventually("the task is merged", || {
        (town.status_of("app", bead) == "closed").then_some(())
    });
    town.gt(["down"]).ok();
}

#[test]
fn init_asks_on_a_terminal_and_enter_takes_the_defaults() {
    let place = Town::place();
    install_program(&place, "auggie");
    let origin = place.origin("app");
    let clone = place.path("home/clone");
    let git = place.program_on_path("git");
    git.args(["clone", "-q", origin.url(), clone.to_str().unwrap()])
        .ok();
    let terminal = Terminal::run(&place, &clone, "gt init");
    terminal.answer("1/5 Town: a name or a folder [~/gt]", "myton");
    let repository = format!("2/5 Repository: a URL, a path, or none [{}]", origin.url());
    terminal.answer(&repository, "/nowhere");
    eventually("a wrong repository is refused", || {
        let screen = terminal.screen();
        let asked = screen.matches("2/5 Repository").count();
        (asked == 2 && screen.contains("cannot be read")).then_some(())
    });
    terminal.answer(&repository, "");
    terminal.answer("3/5 First task, in one line [none]", "");
    terminal.answer("4/5 Agent: ", "auggie");
    terminal.answer("5/5 Command that must pass", "make check");
    terminal.answer("in a jail? They then reach only their tree", "");
    terminal.wait_for("the town \"myton\" is ready");
    let town = place.path("home/myton");
    let rigs = place.gt_at(&town, ["rig", "list", "--json"]).ok().json();
    assert_eq!(rigs[0]["name"], "app", "{rigs}");
    let key = "merge_queue.test_command";
    let gate = place.gt_at(&town, ["config", "get", "--rig", "app", key]);
    assert_eq!(gate.ok().text(), "make check");
    let jail = place.gt_at(&town, ["config", "get", "--rig", "app", "sandbox.jail"]);
    assert_eq!(jail.ok().text(), "on");
}

#[test]
fn a_hint_is_shown_once_on_a_terminal() {
    let (town, _origin) = Town::with_rig();
    let line = "gt mq list web; gt mq list web; gt status; echo first; \
                gt config set --town hints false; gt sling nothing web; echo second";
    let terminal = Terminal::run(&town, &town.root(), line);
    terminal.wait_for("second");
    let screen = terminal.screen();
    assert_eq!(
        screen.matches("Hint: finished work waits here").count(),
        1,
        "{screen}"
    );
    assert!(
        screen.contains("a rig is a repository of the town"),
        "{screen}"
    );
    // Not for programs.
    let listed = town.gt(["mq", "list", "web"]).ok();
    assert!(!listed.err.contains("Hint:"), "{}", listed.err);
}
