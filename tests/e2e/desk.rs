//! Desks: what a work tree needs before an agent starts there.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually};

/// The lines that runs of a command appended to a file.
fn lines_of(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|_| String::new());
    text.lines().map(str::to_owned).collect()
}

/// Writes a file of the user that git does not have, and carries it.
fn carry(town: &Town, text: &str) -> PathBuf {
    let checkout = town.path("checkout");
    std::fs::create_dir_all(&checkout).unwrap();
    std::fs::write(checkout.join(".env"), text).unwrap();
    let root = town.root();
    let carry = ["rig", "desk", "web", "--carry", "../checkout/.env"];
    town.gt_at(&root, carry).ok();
    root.join("web/.runtime/overlay/.env")
}

fn assert_private(path: &Path) {
    let permissions = path.metadata().unwrap().permissions();
    let mode = std::os::unix::fs::PermissionsExt::mode(&permissions);
    assert_eq!(mode & 0o777, 0o600);
}

/// The owners of the numbers for desks of the user: the work trees, and `run` for runs of gates.
fn owners_of_numbers(town: &Town) -> Vec<String> {
    let folder = town.path("home/.local/state/gastown/desks");
    let mut owners = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "json") {
            let record: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            owners.push(record["tree"].as_str().unwrap_or("run").to_owned());
        }
    }
    owners.sort();
    owners
}

/// The needs of the user that are about desks.
fn desk_needs(town: &Town) -> Vec<Value> {
    let status = town.gt(["status", "--json"]).ok().json();
    let all = status["problems"].as_array().unwrap().iter();
    let about = |problem: &&Value| problem.to_string().contains("fails, so no agent starts");
    all.filter(about).cloned().collect()
}

#[test]
fn a_desk_is_ready_before_the_first_session_and_its_failure_is_one_need_of_the_rig() {
    let (town, origin) = Town::with_rig();
    let runs = town.path("runs");
    let setup = format!(
        "test -e .env && echo \"$GT_PORT\" >> {} && mkdir -p deps",
        runs.display()
    );
    assert_private(&carry(&town, "A=1"));
    let desk = [
        "rig",
        "desk",
        "web",
        "--setup",
        &setup,
        "--check",
        "test -d deps",
    ];
    town.gt(desk).ok();
    origin.commit(".gitignore", "deps\n", "Ignore");
    town.script(
        "echo \"$(cat .env) $GT_SLOT $GT_PORT $GT_PORT_END $GT_DESK\" > \"$GT_BEAD.txt\"\ntest -d deps && git add -A",
    );
    town.up();
    let work = |title: &str| {
        let bead = town.bead("web", title);
        town.gt(["sling", &bead, "web"]).ok();
        town.closed("web", &bead);
        origin.file("main", &format!("{bead}.txt"))
    };
    let first = work("First");
    let words: Vec<&str> = first.split(' ').collect();
    let [content, slot, port, end, name] = words[..] else {
        panic!("{first}");
    };
    assert_eq!(content, "A=1");
    assert_eq!(name.split('_').next(), Some(&*format!("gt{slot}")));
    let number = |text: &str| text.parse::<u16>().unwrap();
    assert_eq!(number(end) - number(port), 19);
    assert_eq!(lines_of(&runs), [port]);

    // The used sandbox gets the changed file. The setup of the same lock files holds.
    carry(&town, "A=2");
    let second = work("Second");
    assert_eq!(second, first.replace("A=1", "A=2"));
    assert_eq!(lines_of(&runs).len(), 1);
    origin.commit("Cargo.lock", "changed\n", "Lock");
    work("Third");
    assert_eq!(lines_of(&runs).len(), 2);
    assert!(!origin.git(["ls-tree", "main"]).contains(".env"));

    // Without the setup no agent starts, and all work of the rig waits for one need.
    let broken = ["rig", "desk", "web", "--setup", "echo IT IS BROKEN; exit 3"];
    town.gt(broken).ok();
    let beads = ["Fourth", "Fifth"].map(|title| town.bead("web", title));
    let failed = town.gt(["sling", &beads[0], "web"]).run();
    assert_eq!(failed.code, 3);
    assert!(
        failed.out.contains("its last line: IT IS BROKEN"),
        "{}",
        failed.out
    );
    assert!(
        failed.out.contains("→ gt rig desk web --try"),
        "{}",
        failed.out
    );
    let queued = town.gt(["sling", &beads[1], "web"]).ok();
    assert!(
        queued.out.contains("the setup of the desk failed"),
        "{}",
        queued.out
    );
    let need = eventually("the need is shown", || desk_needs(&town).pop());
    assert!(need.to_string().contains("gt rig desk web --try"), "{need}");
    assert_eq!(desk_needs(&town).len(), 1);
    town.gtd(["run", "--once"]).run();
    let runs = town.events("desk_run").into_iter();
    let failures = runs.filter(|event| event["payload"]["passed"] == false);
    assert_eq!(failures.count(), 1, "nothing is tried again");
    let why = town.gt(["why", &beads[0]]).ok().out;
    assert!(why.contains("gt rig desk web --try"), "{why}");
    let tried = town.gt(["rig", "desk", "web", "--try"]).run();
    assert_eq!(tried.code, 1);
    assert!(tried.out.contains("| IT IS BROKEN"), "{}", tried.out);
    assert!(!town.root().join("web/refinery/trees/desk").exists());
    town.gt(["rig", "desk", "web", "--setup", "mkdir -p deps", "--try"])
        .ok();
    for bead in &beads {
        town.closed("web", bead);
    }
    assert_eq!(desk_needs(&town), Vec::<Value>::new());

    // A removed sandbox gives its number back, after the teardown.
    let down = town.path("down");
    let teardown = format!("echo \"$GT_DESK\" >> {}", down.display());
    town.gt(["rig", "desk", "web", "--teardown", &teardown])
        .ok();
    for polecat in town.polecats() {
        let polecat = format!("web/{}", polecat["name"].as_str().unwrap());
        town.gt(["polecat", "nuke", &polecat, "--force"]).ok();
    }
    assert!(lines_of(&down).contains(&name.to_owned()));
    assert_eq!(owners_of_numbers(&town), Vec::<String>::new());
}

#[test]
fn the_queue_runs_the_setup_once_per_tree_and_gates_have_ports_of_their_own() {
    let mut worker = Worker::new();
    let town = &worker.town;
    let [runs, ports] = ["runs", "ports"].map(|name| town.path(name));
    carry(town, "A=1");
    let setup = format!("mkdir deps && echo run >> {}", runs.display());
    town.gt(["rig", "desk", "web", "--setup", &setup]).ok();
    let gate = |number: usize, parallel: bool| {
        let ports = ports.display();
        // The files of other gates are gone, those of the setup are there.
        let line = format!(
            "test -d deps && test ! -e left && touch left && test \"$(cat .env)\" = A=1 && echo {number} $GT_PORT >> {ports}"
        );
        json!({ "cmd": line, "parallel": parallel })
    };
    let gates = json!({ "gates": {
        "a": gate(1, false), "b": gate(2, false), "c": gate(3, true), "d": gate(4, true),
    } });
    town.set_rig_setting("web", "merge_queue", gates);
    worker.commit("one.txt");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    let seen = lines_of(&ports);
    let port_of = |gate: &str| {
        let line = seen.iter().find(|line| line.starts_with(gate)).unwrap();
        line.rsplit(' ').next().unwrap().to_owned()
    };
    assert_eq!(seen.len(), 4);
    assert_eq!(port_of("1"), port_of("2"), "one tree");
    assert_ne!(port_of("3"), port_of("4"), "two trees at the same time");
    assert_eq!(lines_of(&runs).len(), 2, "once in each tree");
    assert!(!owners_of_numbers(&worker.town).contains(&"run".to_owned()));
    // What the setup made for one commit is not there for the next one.
    worker.take_another();
    let before = lines_of(&runs).len();
    worker.commit("two.txt");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(lines_of(&runs).len(), before + 2);
}

#[test]
fn a_worker_that_breaks_the_setup_keeps_no_other_worker_from_starting() {
    let worker = Worker::new();
    let town = &worker.town;
    let setup = "test ! -e Cargo.lock || grep -q good Cargo.lock";
    town.gt(["rig", "desk", "web", "--setup", setup]).ok();
    worker.commit_text("Cargo.lock", "bad\n");
    // It goes on with its own work after a handoff, and sees the failure.
    town.gt_as(&worker.name, ["handoff", "--subject", "On"])
        .run();
    town.gtd(["run", "--once"]).run();
    let failed = eventually("the setup was run", || {
        let run = town.events("desk_run").pop()?;
        (run["payload"]["passed"] == false).then_some(run)
    });
    assert_eq!(failed["payload"]["step"], "setup");
    assert!(desk_needs(town).is_empty());
    let status = town.gt(["polecat", "status", &worker.name]).ok().out;
    assert!(status.contains("failed (exit code 1)"), "{status}");
    let context = town.gt_as(&worker.name, ["prime"]).ok().out;
    for words in [
        "# Your desk",
        "$GT_PORT_END",
        "The setup of the desk failed",
    ] {
        assert!(context.contains(words), "{words}: {context}");
    }
    let other = town.bead("web", "Other");
    let slung = town.gt(["sling", &other, "web"]).ok();
    assert!(!slung.out.contains("queued"), "{}", slung.out);
}
