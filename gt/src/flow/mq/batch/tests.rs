use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use bd::bead::{Bead, Kind};
use bd::git::{Identity, TreeEntry};
use proptest::prelude::*;
use serde_json::json;

use super::super::job::{MergeOutcome, queue_repository};
use super::super::queue::run_queue;
use crate::record::merge_request::Receipt;
use crate::testing::TestTown;

/// One request of a random set.
#[derive(Debug, Clone, Copy)]
struct Work {
    /// The gate fails with it.
    is_red: bool,
    /// The number of the shared file that it changes. Requests with the same number clash.
    shared: Option<u8>,
}

fn work() -> impl Strategy<Value = Work> {
    (
        prop::bool::weighted(0.2),
        prop::option::weighted(0.3, 0..2_u8),
    )
        .prop_map(|(is_red, shared)| Work { is_red, shared })
}

/// The results of a run of the queue.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    /// The outcome of each request by its bead.
    outcomes: BTreeMap<String, &'static str>,
    /// The files on the target.
    files: Vec<String>,
}

/// The size of the batches of which several parts are checked at the same time.
const PARALLEL: usize = 7;

/// Hands in the works, highest priority first, and runs the queue with batches of up to `max`.
/// Returns the results and the trees on which the gate ran.
fn run(works: &[Work], max: usize) -> (Ran, Vec<String>) {
    let gate = "git rev-parse 'HEAD^{tree}' >> \"$LOG\"; ! ls | grep -q red$";
    run_gate(works, max, &json!({"cmd": gate}))
}

/// Runs the queue with this gate.
fn run_gate(works: &[Work], max: usize, gate: &serde_json::Value) -> (Ran, Vec<String>) {
    run_gates(works, max, json!({ "check": gate }))
}

/// Runs the queue with these gates. `$LOG` in their commands is the path of a file, whose lines are
/// returned. `$STOP` is the file that stops the town.
fn run_gates(works: &[Work], max: usize, mut gates: serde_json::Value) -> (Ran, Vec<String>) {
    let place = TestTown::new();
    let url = place.create_origin(&[("README", "hi\n")]);
    refuse_red(Path::new(&url));
    place.add_rig("web", Some(&url)).unwrap();
    let rig = place.town.find_rig("web").unwrap();
    let log = place.town.layout.root().join("gates.log");
    let stop = place.town.layout.emergency_stop();
    for gate in gates.as_object_mut().unwrap().values_mut() {
        let command = gate["cmd"].as_str().unwrap_or_default();
        let command = command.replace("$LOG", log.to_str().unwrap());
        gate["cmd"] = command.replace("$STOP", stop.to_str().unwrap()).into();
    }
    let mut settings = json!({"merge_queue": {"batch": {"max": max}, "gates": gates}});
    if max == PARALLEL {
        settings["merge_queue"]["parallel"] = 3.into();
        settings["merge_queue"]["gates"]["other"] = json!({"cmd": "true", "parallel": true});
        settings["merge_queue"]["gates"]["check"]["parallel"] = true.into();
    }
    std::fs::write(rig.settings(), settings.to_string()).unwrap();
    let (store, git) = (rig.store().unwrap(), queue_repository(&rig));
    let base = git.resolve("refs/remotes/origin/main").unwrap().unwrap();
    let who = Identity {
        name: "w".to_owned(),
        email: "w@example.org".to_owned(),
    };
    for (number, work) in works.iter().enumerate() {
        let mut files = git.entries(&base).unwrap();
        let mut write = |path: String, text: String| {
            let id = git.write_blob(text.as_bytes()).unwrap();
            let (mode, size) = ("100644".to_owned(), text.len() as u64);
            files.insert(path, TreeEntry { mode, id, size });
        };
        let end = if work.is_red { "red" } else { "txt" };
        write(format!("{number}.{end}"), number.to_string());
        if let Some(shared) = work.shared {
            write(format!("shared-{shared}"), format!("by {number}\n"));
        }
        let tree = git.write_entries(&files).unwrap();
        let tip = git.commit_tree(&tree, &[&base], "Work\n", &who).unwrap();
        let receipt = Receipt {
            branch: format!("work-{number}"),
            target: "main".to_owned(),
            base: base.clone(),
            tip,
            worker: "web/polecats/w".to_owned(),
            ..Receipt::default()
        };
        let put = |tx: &mut bd::store::Tx| {
            let now = tx.now();
            let bead = Bead {
                id: format!("web-{number}"),
                title: format!("Work {number}"),
                issue_type: Kind::Task,
                created_at: now.clone(),
                ..Bead::default()
            };
            let id = format!("web-mr-{number:02}");
            let request = receipt.build_request(&id, "web", &bead, "", &now, "w")?;
            tx.put(bead)?;
            Ok(tx.put(request)?)
        };
        place.town.transact(&store, put).unwrap();
    }
    let results = run_queue(&rig).unwrap();
    let outcomes = results
        .into_iter()
        .map(|result| {
            let kind = match result.outcome {
                MergeOutcome::Merged { .. } => "merged",
                MergeOutcome::GateFailed { .. } => "red",
                MergeOutcome::Conflict { .. } => "conflict",
                MergeOutcome::NeedsPerson { .. } => "declined",
                other => panic!("{other:?}"),
            };
            (result.bead, kind)
        })
        .collect();
    let tip = git.resolve("refs/remotes/origin/main").unwrap().unwrap();
    let files = git.entries(&tip).unwrap().into_keys().collect();
    let trees = std::fs::read_to_string(&log).unwrap_or_default();
    let trees = trees.lines().map(str::to_owned).collect();
    (Ran { outcomes, files }, trees)
}

/// Makes an origin refuse a tip that the gate would fail.
fn refuse_red(origin: &Path) {
    let hook = origin.join("hooks/update");
    let script = "#!/bin/sh\ngit ls-tree --name-only \"$3\" | grep -q red$ && exit 1\nexit 0\n";
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    /// A batch lands what would land one by one, pushes no red tip, and checks no candidate twice.
    /// For each request that fails, the target may be checked once more.
    #[test]
    fn batches_land_the_same_as_single_merges(works in prop::collection::vec(work(), 1..10)) {
        let (single, _) = run(&works, 1);
        for max in [8, PARALLEL] {
            let (batched, mut trees) = run(&works, max);
            let runs = trees.len();
            let failed = batched.outcomes.values().filter(|outcome| **outcome == "red").count();
            prop_assert_eq!(&single, &batched);
            trees.sort();
            trees.dedup();
            prop_assert!(runs - trees.len() <= failed, "{} runs on {} trees", runs, trees.len());
        }
    }
}

#[test]
fn green_requests_share_one_run_and_one_red_costs_a_few_more() {
    let green = Work {
        is_red: false,
        shared: None,
    };
    let (ran, trees) = run(&[green; 8], 8);
    assert_eq!(ran.outcomes.len(), 8);
    assert_eq!(trees.len(), 1, "{trees:?}");
    let mut works = [green; 8];
    works[5].is_red = true;
    let (ran, trees) = run(&works, 8);
    assert_eq!(ran.outcomes["web-5"], "red");
    assert_eq!(ran.files.len(), 8, "{:?}", ran.files);
    assert!(trees.len() <= 5, "{trees:?}");
}

#[test]
fn parallel_gates_of_one_request_run_at_the_same_time_in_trees_of_their_own() {
    let green = Work {
        is_red: false,
        shared: None,
    };
    // Each gate waits for the mark of the other one, and sees no file of it.
    let gate = |own: &str, other: &str| {
        let wait = format!(
            "touch \"$LOG.{own}\" here-{own}; until [ -e \"$LOG.{other}\" ]; do sleep 0.01; done"
        );
        let check = format!("[ ! -e here-{other} ] && echo {own} >> \"$LOG\"");
        json!({"cmd": format!("{wait}; {check}"), "parallel": true, "timeout": "60s"})
    };
    let gates = json!({"one": gate("one", "two"), "two": gate("two", "one")});
    let (ran, mut logged) = run_gates(&[green], 8, gates);
    assert_eq!(ran.outcomes["web-0"], "merged");
    logged.sort();
    assert_eq!(logged, ["one", "two"]);
}

#[test]
fn a_gate_that_compares_with_the_parent_sees_the_changes_of_the_whole_batch() {
    let green = Work {
        is_red: false,
        shared: None,
    };
    let gate = "git diff --name-only HEAD^ >> \"$LOG\"";
    let (_, changed) = run_gate(&[green; 3], 8, &json!({"cmd": gate}));
    assert_eq!(changed, ["0.txt", "1.txt", "2.txt"]);
}

#[test]
fn nothing_is_merged_after_a_stop_during_the_gates() {
    let green = Work {
        is_red: false,
        shared: None,
    };
    let gate = "touch \"$STOP\"; echo run >> \"$LOG\"";
    let (ran, runs) = run_gate(&[green; 3], 8, &json!({"cmd": gate}));
    assert_eq!(ran.files, ["README"]);
    assert!(ran.outcomes.is_empty(), "{:?}", ran.outcomes);
    assert_eq!(runs.len(), 1);
}

#[test]
fn a_request_that_the_server_declines_does_not_stop_the_others_of_its_batch() {
    let green = Work {
        is_red: false,
        shared: None,
    };
    // The origin refuses a tip with this file, and the gate passes.
    let refused = Work {
        is_red: true,
        shared: None,
    };
    let works = [green, refused, green];
    let (ran, _) = run_gate(&works, 8, &json!({"cmd": "true"}));
    assert_eq!(ran.outcomes["web-1"], "declined");
    assert_eq!(ran.files, ["0.txt", "2.txt", "README"]);
}

#[test]
fn a_gate_is_run_again_in_a_clean_tree() {
    let work = Work {
        is_red: false,
        shared: None,
    };
    let gate =
        "test -e 0.txt || exit 0; echo run >> \"$LOG\"; test -e mark || { touch mark; exit 1; }";
    let (ran, runs) = run_gate(&[work], 8, &json!({"cmd": gate, "retry": 2}));
    assert_eq!(ran.outcomes["web-0"], "red");
    assert_eq!(runs.len(), 3);
}
