//! Each command that a message or `gt convoy status` prints as a way out is run in the state in
//! which it is printed, as a person would paste it, and moves the matter.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use town_tests::{Run, Worker, eventually};

/// A state in which a person is asked, and how to get there.
struct Scene {
    worker: Worker,
    convoy: String,
    /// What the clock says from now on, as `BD_NOW`; empty for what it really is.
    now: String,
}

impl Scene {
    /// A worker at work on the only bead of a convoy.
    fn new() -> Self {
        let worker = Worker::new();
        let args = ["convoy", "create", "C", &worker.bead, "--json"];
        let made = worker.town.gt(args).ok().json();
        let convoy = made["id"].as_str().unwrap().to_owned();
        Self {
            worker,
            convoy,
            now: String::new(),
        }
    }

    /// Sets the clock forward.
    fn later(&mut self, minutes: u64) {
        let date = self.worker.town.program_on_path("date");
        let date = date.args(["-u", "-d", &format!("+{minutes} minutes")]);
        let date = date.args(["+%Y-%m-%dT%H:%M:%SZ"]).ok();
        self.now = date.text().to_owned();
    }

    fn patrol(&self) {
        for _ in 0..2 {
            self.timed(self.worker.town.gtd(["run", "--once"])).run();
        }
    }

    fn timed(&self, run: Run) -> Run {
        match self.now.as_str() {
            "" => run,
            now => run.env("BD_NOW", now),
        }
    }

    /// The commands that are printed: by the messages to the overseer, and by the convoy for its
    /// bead.
    fn steps(&self) -> BTreeSet<String> {
        let town = &self.worker.town;
        let mut steps = BTreeSet::new();
        for letter in town.mail("overseer") {
            let body = letter["body"].as_str().unwrap().lines();
            let commands = body.filter_map(|line| line.strip_prefix("    "));
            steps.extend(commands.map(str::to_owned));
        }
        let status = ["convoy", "status", &self.convoy, "--json"];
        let status = town.gt(status).ok().json();
        for bead in status[0]["tracked"].as_array().unwrap() {
            let ways = bead["next_steps"].as_array().unwrap().iter();
            steps.extend(ways.map(|way: &Value| way.as_str().unwrap().to_owned()));
        }
        steps
    }

    /// Runs a command from the town's root.
    fn paste(&self, command: &str) -> String {
        let town = &self.worker.town;
        let command = command
            .replace("<why>", "not needed")
            .replace("<why there is nothing to merge>", "No change: it is right")
            .replace("<why it is done>", "there is nothing to change");
        let shell = town.other_program(Path::new("/bin/sh"), &town.root());
        self.timed(shell.args(["-c", &command])).ok().out
    }
}

/// Gets into a state once for each command printed there, and runs that command. `mend` takes the
/// cause away first, where the message says what it is. The commands are `expected`, with `{bead}`,
/// `{request}`, `{worker}` and `{convoy}` put in.
fn each_step_moves(expected: &[&str], build: impl Fn() -> Scene, mend: impl Fn(&Scene)) {
    for (n, template) in expected.iter().enumerate() {
        // A look changes nothing.
        if [CHECK_REMOTE, LOOK_AGAIN].contains(template) {
            continue;
        }
        let scene = build();
        let worker = &scene.worker;
        let requests = worker.requests();
        let request = requests
            .first()
            .map_or("", |one| one["id"].as_str().unwrap());
        let task = worker
            .town
            .bd("web", ["list", "--label", "gt:merge-task", "--json"]);
        let task = task.ok().json()[0]["id"].as_str().unwrap_or("").to_owned();
        let repo = worker.town.root().join("web/.repo.git");
        let repo = repo.display().to_string();
        let fill = |template: &str| {
            template
                .replace("{bead}", &worker.bead)
                .replace("{request}", request)
                .replace("{task}", &task)
                .replace("{worker}", &worker.name)
                .replace("{convoy}", &scene.convoy)
                .replace("{repo}", &repo)
        };
        let steps = scene.steps();
        if n == 0 {
            let all: BTreeSet<String> = expected.iter().map(|one| fill(one)).collect();
            assert_eq!(steps, all);
        }
        let step = fill(template);
        mend(&scene);
        let told = scene.paste(&step);
        if step.starts_with("gt why") || step.starts_with("gt polecat status") {
            assert!(
                told.contains(&worker.bead) || told.contains(&task),
                "{told}"
            );
            continue;
        }
        eventually(&format!("`{step}` moves it"), || {
            scene.patrol();
            (!scene.steps().contains(&step)).then_some(())
        });
    }
}

fn nothing(_: &Scene) {}

#[test]
fn next_steps_of_an_open_bead() {
    let build = || {
        let scene = Scene::new();
        let unsling = ["unsling", &scene.worker.bead];
        scene.worker.town.gt(unsling).ok();
        scene
    };
    each_step_moves(&["gt sling {bead} web"], build, nothing);
}

#[test]
fn next_steps_of_a_bead_closed_as_failed() {
    let build = || {
        let scene = Scene::new();
        let worker = &scene.worker;
        let close = [
            "close",
            &worker.bead,
            "--force",
            "--reason",
            "Failed: no such API",
        ];
        worker.town.bd("web", close).ok();
        scene.patrol();
        scene
    };
    let ways = [
        "bd reopen {bead} && gt sling {bead} web",
        "bd close {bead} --reason \"Cancelled: <why>\"",
        "gt convoy close {convoy} --force --reason \"<why>\"",
    ];
    each_step_moves(&ways, build, nothing);
}

#[test]
fn next_steps_of_a_bead_closed_by_its_worker_without_submission() {
    let build = || {
        let scene = Scene::new();
        let worker = &scene.worker;
        let town = &worker.town;
        worker.commit("work.txt");
        let me = worker.name.replace('/', "/polecats/");
        let close = ["close", &worker.bead, "--reason", "Done"];
        town.bd("web", close).env("BD_ACTOR", &me).ok();
        town.kill_session(&town.sessions()[0]);
        town.quiet();
        scene.patrol();
        scene
    };
    let ways = [
        "bd reopen {bead} && gt sling {bead} web",
        "bd close {bead} --reason \"<why it is done>\"",
    ];
    each_step_moves(&ways, build, nothing);
}

#[test]
fn next_steps_of_a_missing_bead() {
    let build = || {
        let scene = Scene::new();
        let track = [
            "dep",
            "add",
            &scene.convoy,
            "external:web:web-gone",
            "--type",
            "tracks",
        ];
        scene.worker.town.bd(".", track).ok();
        scene
    };
    let ways = ["gt convoy close {convoy} --force --reason \"<why>\""];
    each_step_moves(&ways, build, nothing);
}

#[test]
fn next_steps_of_a_stuck_worker() {
    let build = || {
        let scene = Scene::new();
        let town = &scene.worker.town;
        town.gt(["config", "set", "patrol.breaker.wait", "0s"]).ok();
        town.script("exit 7");
        for session in town.sessions() {
            town.kill_session(&session);
        }
        eventually("the worker is stuck", || {
            scene.patrol();
            (!town.mail("overseer").is_empty()).then_some(())
        });
        scene
    };
    let mend = |scene: &Scene| scene.worker.town.script("while :; do sleep 1; done");
    let ways = [
        "gt polecat retry {worker}",
        "gt sling {bead} web --force",
        "bd close {bead} --reason \"<why there is nothing to merge>\"",
        "gt why {bead}",
    ];
    each_step_moves(&ways, build, mend);
}

#[test]
fn next_steps_of_an_unresolved_conflict() {
    let build = || {
        let scene = Scene::new();
        let worker = &scene.worker;
        let setting = json!({ "auto_repair": false });
        worker.town.set_rig_setting("web", "merge_queue", setting);
        worker.commit_text("shared.txt", "worker\n");
        worker.hand_in();
        worker.origin.commit("shared.txt", "person\n", "Faster");
        scene.patrol();
        scene
    };
    each_step_moves(&["gt sling {task} web", "gt why {task}"], build, nothing);
}

#[test]
fn next_steps_of_a_broken_target() {
    let build = || {
        let scene = Scene::new();
        let worker = &scene.worker;
        let gates = json!({ "check": { "cmd": "! { test -e broken.txt && echo it is there; }" } });
        let setting = json!({ "auto_repair": false, "gates": gates });
        worker.town.set_rig_setting("web", "merge_queue", setting);
        worker.commit("work.txt");
        worker.hand_in();
        worker.origin.commit("broken.txt", "x\n", "Break it");
        scene.patrol();
        let status = worker.town.gt(["status"]).ok().out;
        assert!(status.contains("The gate printed: it is there"), "{status}");
        scene
    };
    let ways = ["gt sling {task} web", "gt why {task}", LOOK_AGAIN];
    each_step_moves(&ways, build, nothing);
}

#[test]
fn next_steps_of_a_push_refused_by_the_remote() {
    let build = || {
        let scene = Scene::new();
        let worker = &scene.worker;
        worker.commit("work.txt");
        worker.hand_in();
        let decline = "[ $1 != refs/heads/main ] || { echo protected >&2; exit 1; }";
        worker.origin.hook("update", decline);
        scene.patrol();
        scene
    };
    let mend = |scene: &Scene| scene.worker.origin.hook("update", "exit 0");
    let ways = ["gt mq retry {request}", "gt why {bead}"];
    each_step_moves(&ways, build, mend);
}

/// The command that shows if the remote is reached.
const CHECK_REMOTE: &str = "git -C {repo} ls-remote origin HEAD";

/// The command that looks at the target again.
const LOOK_AGAIN: &str = "gt mq run web";

/// Takes the remote away, or brings it back.
fn move_remote(scene: &Scene, away: bool) {
    let here = scene.worker.origin.path().to_owned();
    let there = here.with_extension("away");
    let (from, to) = if away { (here, there) } else { (there, here) };
    std::fs::rename(from, to).unwrap();
}

#[test]
fn next_steps_of_a_queue_with_an_unreachable_remote() {
    let build = || {
        let mut scene = Scene::new();
        scene.worker.commit("work.txt");
        scene.worker.hand_in();
        move_remote(&scene, true);
        scene.patrol();
        scene.later(45);
        scene.patrol();
        scene
    };
    let ways = ["gt mq retry {request}", "gt why {bead}", CHECK_REMOTE];
    each_step_moves(&ways, build, |scene| move_remote(scene, false));
}

#[test]
fn next_steps_of_gt_done_with_an_unreachable_remote() {
    let build = || {
        let mut scene = Scene::new();
        let worker = &scene.worker;
        worker.commit("work.txt");
        move_remote(&scene, true);
        worker.done(["--summary", "done"]).run();
        // The next session is an hour old for a patrol that is ahead.
        let patience = ["config", "set", "patrol.progress.restart", "100h"];
        worker.town.gt(patience).ok();
        for session in worker.town.sessions() {
            worker.town.kill_session(&session);
        }
        scene.patrol();
        scene.later(45);
        scene.patrol();
        scene
    };
    let ways = ["gt polecat retry {worker}", "gt why {bead}", CHECK_REMOTE];
    each_step_moves(&ways, build, |scene| move_remote(scene, false));
}

#[test]
fn next_steps_of_a_queued_bead_that_cannot_be_slung() {
    let build = || {
        let mut scene = Scene::new();
        let worker = &scene.worker;
        let town = &worker.town;
        town.set_rig_setting("web", "max_polecats", json!(1));
        let second = town.bead("web", "Second");
        let args = ["sling", &second, "web", "--json"];
        town.gt(args).ok();
        let add = ["convoy", "add", &scene.convoy, &second];
        town.gt(add).ok();
        town.gt(["unsling", &worker.bead]).ok();
        town.set_town_setting("agents", json!({}));
        scene.patrol();
        scene.later(45);
        scene.patrol();
        scene.worker.bead = second;
        scene
    };
    let scene = build();
    let bead = scene.worker.bead.clone();
    let steps = scene.steps();
    let retry = format!("gt sling {bead} web");
    assert!(steps.contains(&retry), "{steps:?}");
    assert!(steps.contains(&format!("gt why {bead}")), "{steps:?}");
    let town = &scene.worker.town;
    town.agent("worker", "work");
    scene.paste(&retry);
    eventually("it is slung", || {
        scene.patrol();
        (!scene.steps().contains(&retry)).then_some(())
    });
    assert_eq!(town.status_of("web", &bead), "hooked");
}

#[test]
fn next_steps_of_an_unassigned_bead() {
    let build = || {
        let scene = Scene::new();
        let worker = &scene.worker;
        worker.commit("work.txt");
        let request = worker.hand_in();
        let close = ["close", &request, "--force", "--reason", "no"];
        worker.town.bd("web", close).ok();
        scene.patrol();
        scene
    };
    let ways = [
        "gt sling {bead} web --force",
        "bd update {bead} --status open --assignee \"\"",
    ];
    each_step_moves(&ways, build, nothing);
}
