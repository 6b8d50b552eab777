use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bd::bead::{Bead, Kind};
use bd::git::{Identity, TreeEntry};
use proptest::prelude::*;
use serde_json::json;

use super::super::job::{MergeOutcome, queue_repository};
use super::super::queue::run_queue;
use crate::record::merge_request::Receipt;
use crate::testing::TestTown;
use crate::town::Rig;

/// One request of a random set.
#[derive(Debug, Clone, Copy, Default)]
struct Work {
    /// The gate fails with it.
    is_red: bool,
    /// The number of the shared file that it changes. Requests with the same number clash.
    shared: Option<u8>,
    /// Its commit is in no repository.
    is_lost: bool,
}

const GREEN: Work = Work {
    is_red: false,
    shared: None,
    is_lost: false,
};

fn work() -> impl Strategy<Value = Work> {
    (
        prop::bool::weighted(0.2),
        prop::option::weighted(0.3, 0..2_u8),
    )
        .prop_map(|(is_red, shared)| Work {
            is_red,
            shared,
            is_lost: false,
        })
}

/// The results of a run of the queue.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    /// The outcome of each request by its bead.
    outcomes: BTreeMap<String, &'static str>,
    /// The files on the target.
    files: Vec<String>,
    /// True if the queue tried to push a tip that the gate would fail.
    has_pushed_red: bool,
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
fn run_gates(works: &[Work], max: usize, gates: serde_json::Value) -> (Ran, Vec<String>) {
    let place = TestTown::new();
    let origin = add_rig(&place, "web", max, gates);
    let rig = place.town.find_rig("web").unwrap();
    hand_in(&rig, works);
    let ran = run_rig(&rig, &origin);
    (ran, read_log(&place))
}

/// Adds a rig with these gates, whose origin refuses red tips. Returns the folder of the origin.
fn add_rig(place: &TestTown, name: &str, max: usize, mut gates: serde_json::Value) -> PathBuf {
    let url = place.create_origin(&[("README", &format!("{name}\n"))]);
    let origin = PathBuf::from(format!("{url}-{name}"));
    std::fs::rename(&url, &origin).unwrap();
    refuse_red(&origin);
    place.add_rig(name, origin.to_str()).unwrap();
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
    let rig = place.town.find_rig(name).unwrap();
    std::fs::write(rig.settings(), settings.to_string()).unwrap();
    origin
}

/// Returns the lines that the gates wrote.
fn read_log(place: &TestTown) -> Vec<String> {
    let log = place.town.layout.root().join("gates.log");
    let lines = std::fs::read_to_string(log).unwrap_or_else(|_| String::new());
    lines.lines().map(str::to_owned).collect()
}

/// Hands in the works of a rig, highest priority first.
fn hand_in(rig: &Rig, works: &[Work]) {
    let (store, git, name) = (rig.store().unwrap(), queue_repository(rig), rig.name());
    let base = git.resolve("refs/remotes/origin/main").unwrap().unwrap();
    let who = Identity {
        name: "w".to_owned(),
        email: "w@example.org".to_owned(),
    };
    for (number, work) in works.iter().enumerate() {
        let mut entries = git.entries(&base).unwrap();
        let end = if work.is_red { "red" } else { "txt" };
        let mut files = vec![format!("{number}.{end}")];
        files.extend(work.shared.map(|shared| format!("shared-{shared}")));
        for path in &files {
            let text = format!("by {number}\n");
            let id = git.write_blob(text.as_bytes()).unwrap();
            let (mode, size) = ("100644".to_owned(), text.len() as u64);
            entries.insert(path.clone(), TreeEntry { mode, id, size });
        }
        let tree = git.write_entries(&entries).unwrap();
        let tip = if work.is_lost {
            "1".repeat(40)
        } else {
            git.commit_tree(&tree, &[&base], "Work\n", &who).unwrap()
        };
        let receipt = Receipt {
            branch: format!("work-{number}"),
            target: "main".to_owned(),
            base: base.clone(),
            tip,
            worker: format!("{name}/polecats/w"),
            files,
            ..Receipt::default()
        };
        let put = |tx: &mut bd::store::Tx| {
            let now = tx.now();
            let bead = Bead {
                id: format!("{name}-{number}"),
                title: format!("Work {number}"),
                issue_type: Kind::Task,
                created_at: now.clone(),
                ..Bead::default()
            };
            let id = format!("{name}-mr-{number:02}");
            let request = receipt.build_request(&id, name, &bead, "", &now, "w")?;
            tx.put(bead)?;
            Ok(tx.put(request)?)
        };
        rig.town().transact(&store, put).unwrap();
    }
}

/// Runs the queue of a rig.
fn run_rig(rig: &Rig, origin: &Path) -> Ran {
    let results = run_queue(rig).unwrap();
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
    let git = queue_repository(rig);
    let tip = git.resolve("refs/remotes/origin/main").unwrap().unwrap();
    let files = git.entries(&tip).unwrap().into_keys().collect();
    Ran {
        outcomes,
        files,
        has_pushed_red: origin.join("refused").exists(),
    }
}

/// Makes an origin refuse and note a tip that the gate would fail.
fn refuse_red(origin: &Path) {
    let hook = origin.join("hooks/update");
    let script =
        "#!/bin/sh\ngit ls-tree --name-only \"$3\" | grep -q red$ || exit 0\n: > refused\nexit 1\n";
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns the number of random sets: `PROPTEST_CASES` in the nightly run.
fn case_count() -> u32 {
    let env = kit::sys::Env::from_process();
    let wanted = env.get("PROPTEST_CASES").and_then(|text| text.parse().ok());
    wanted.unwrap_or(4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: case_count(), ..ProptestConfig::default() })]

    /// A batch lands what would land one by one, pushes no red tip, and checks no candidate twice.
    /// For each request that fails, the target may be checked once more.
    #[test]
    fn batches_land_the_same_as_single_merges(works in prop::collection::vec(work(), 1..10)) {
        let (single, _) = run(&works, 1);
        prop_assert!(!single.has_pushed_red);
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

/// The number of requests in each rig, of which every tenth is red, and every tenth changes the
/// same file as another one.
const REQUESTS: [usize; 3] = [34, 33, 33];

#[test]
#[ignore = "takes a minute: `make nightly` runs it"]
fn a_hundred_requests_over_three_rigs_land_with_few_gate_runs() {
    let place = TestTown::new();
    let names = ["web", "api", "ops"];
    let gate = "git rev-parse 'HEAD^{tree}' >> \"$LOG\"; sleep 1; ! ls | grep -q red$";
    let origins = names.map(|name| add_rig(&place, name, 8, json!({"check": {"cmd": gate}})));
    let works = REQUESTS.map(|count| {
        let work = |number: usize| Work {
            is_red: number % 10 == 3,
            shared: (number % 10 > 7).then(|| u8::try_from(number / 20).unwrap()),
            is_lost: false,
        };
        (0..count).map(work).collect::<Vec<_>>()
    });
    for (name, works) in names.iter().zip(&works) {
        hand_in(&place.town.find_rig(name).unwrap(), works);
    }
    let begin = Instant::now();
    let ran: Vec<Ran> = std::thread::scope(|scope| {
        let threads: Vec<_> = names
            .iter()
            .zip(&origins)
            .map(|(name, origin)| {
                let town = &place.town;
                scope.spawn(move || run_rig(&town.find_rig(name).unwrap(), origin))
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let took = begin.elapsed();
    let mut merged = 0_u32;
    for (name, (ran, works)) in names.iter().zip(ran.iter().zip(&works)) {
        assert!(!ran.has_pushed_red, "{name}");
        let mut landed_files = BTreeMap::new();
        for (number, work) in works.iter().enumerate() {
            let outcome = ran.outcomes[&format!("{name}-{number}")];
            merged += u32::from(outcome == "merged");
            match work.shared {
                _ if work.is_red => assert_eq!(outcome, "red", "{name}-{number}"),
                // One of those that change the same file lands, and the others become tasks.
                Some(shared) => {
                    *landed_files.entry(shared).or_insert(0) += usize::from(outcome == "merged");
                }
                None => assert_eq!(outcome, "merged", "{name}-{number}"),
            }
        }
        assert!(
            landed_files.values().all(|landed| *landed == 1),
            "{name}: {landed_files:?}"
        );
    }
    let (count, runs) = (REQUESTS.iter().sum::<usize>(), read_log(&place).len());
    let rate = 60.0 * f64::from(merged) / took.as_secs_f64();
    let report = format!(
        "{count} requests: {runs} gate runs, {merged} merged, {rate:.0} merges per minute\n"
    );
    std::io::stderr().write_all(report.as_bytes()).unwrap();
    assert!(runs * 100 <= count * 65, "{report}");
}

#[test]
fn green_requests_share_one_run_and_one_red_costs_a_few_more() {
    let (ran, trees) = run(&[GREEN; 8], 8);
    assert_eq!(ran.outcomes.len(), 8);
    assert_eq!(trees.len(), 1, "{trees:?}");
    let mut works = [GREEN; 8];
    works[5].is_red = true;
    let (ran, trees) = run(&works, 8);
    assert_eq!(ran.outcomes["web-5"], "red");
    assert_eq!(ran.files.len(), 8, "{:?}", ran.files);
    assert!(trees.len() <= 5, "{trees:?}");
}

#[test]
fn parallel_gates_of_one_request_run_at_the_same_time_in_trees_of_their_own() {
    // Each gate waits for the mark of the other one, and sees no file of it.
    let gate = |own: &str, other: &str| {
        let wait = format!(
            "touch \"$LOG.{own}\" here-{own}; until [ -e \"$LOG.{other}\" ]; do sleep 0.01; done"
        );
        let check = format!("[ ! -e here-{other} ] && echo {own} >> \"$LOG\"");
        json!({"cmd": format!("{wait}; {check}"), "parallel": true, "timeout": "60s"})
    };
    let gates = json!({"one": gate("one", "two"), "two": gate("two", "one")});
    let (ran, mut logged) = run_gates(&[GREEN], 8, gates);
    assert_eq!(ran.outcomes["web-0"], "merged");
    logged.sort();
    assert_eq!(logged, ["one", "two"]);
}

#[test]
fn a_gate_that_compares_with_the_parent_sees_the_changes_of_the_whole_batch() {
    let gate = "git diff --name-only HEAD^ >> \"$LOG\"";
    let (_, changed) = run_gate(&[GREEN; 3], 8, &json!({"cmd": gate}));
    assert_eq!(changed, ["0.txt", "1.txt", "2.txt"]);
}

#[test]
fn nothing_is_merged_after_a_stop_during_the_gates() {
    let gate = "touch \"$STOP\"; echo run >> \"$LOG\"";
    let (ran, runs) = run_gate(&[GREEN; 3], 8, &json!({"cmd": gate}));
    assert_eq!(ran.files, ["README"]);
    assert!(ran.outcomes.is_empty(), "{:?}", ran.outcomes);
    assert_eq!(runs.len(), 1);
}

#[test]
fn a_request_that_the_server_declines_does_not_stop_the_others_of_its_batch() {
    // The origin refuses a tip with this file, and the gate passes.
    let refused = Work {
        is_red: true,
        ..GREEN
    };
    let works = [GREEN, refused, GREEN];
    let (ran, _) = run_gate(&works, 8, &json!({"cmd": "true"}));
    assert_eq!(ran.outcomes["web-1"], "declined");
    assert_eq!(ran.files, ["0.txt", "2.txt", "README"]);
}

#[test]
fn a_request_without_its_commit_and_a_clashing_one_do_not_stop_the_others_of_their_batch() {
    let lost = Work {
        is_lost: true,
        ..GREEN
    };
    let clashing = Work {
        shared: Some(1),
        ..GREEN
    };
    let (ran, trees) = run(&[GREEN, lost, clashing, clashing, GREEN], 8);
    let outcomes: Vec<&str> = ran.outcomes.into_values().collect();
    assert_eq!(
        outcomes,
        ["merged", "declined", "merged", "conflict", "merged"]
    );
    assert_eq!(trees.len(), 1, "{trees:?}");
}

#[test]
fn a_gate_is_run_again_in_a_clean_tree() {
    let gate =
        "test -e 0.txt || exit 0; echo run >> \"$LOG\"; test -e mark || { touch mark; exit 1; }";
    let (ran, runs) = run_gate(&[GREEN], 8, &json!({"cmd": gate, "retry": 2}));
    assert_eq!(ran.outcomes["web-0"], "red");
    assert_eq!(runs.len(), 3);
}

/// A gate that logs the works whose gates wrote its cache before, and adds those of its own tree in
/// place. Red works fail.
const CACHING_GATE: &str =
    "cat build/names 2>/dev/null | tr '\\n' ' ' >> \"$LOG\"; echo >> \"$LOG\"
    mkdir -p build; ls | grep -E '(txt|red)$' >> build/names; ! ls | grep -q red$";

fn caching_gate() -> serde_json::Value {
    json!({"cmd": CACHING_GATE, "cache": ["build"]})
}

/// Returns the names in the folder of a rig's caches.
fn list_caches(rig: &Rig) -> Vec<String> {
    kit::sys::file::list_subfolders(&rig.gate_caches())
}

#[test]
fn a_gate_finds_the_cache_of_merged_work_and_nothing_of_work_that_was_refused() {
    let place = TestTown::new();
    let gates = json!({"check": caching_gate()});
    let origin = add_rig(&place, "web", 1, gates);
    let rig = place.town.find_rig("web").unwrap();
    // The remains of a killed run, and the caches that older versions shared.
    let caches = rig.gate_caches();
    let trees = rig.further_gate_trees();
    for left in [
        caches.join("run-0/build"),
        caches.join("partial-0/0/build"),
        caches.join(format!("passed-{}/0/build", "1".repeat(40))),
        rig.old_gate_cache().join("build"),
        trees.join("cache-1/build"),
    ] {
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("names"), "poison\n").unwrap();
    }
    let red = Work {
        is_red: true,
        ..GREEN
    };
    hand_in(&rig, &[GREEN, red, GREEN]);
    let ran = run_rig(&rig, &origin);
    assert_eq!(ran.files, ["0.txt", "2.txt", "README"]);
    // The second run is that of the red work, the third one that of the target alone.
    assert_eq!(
        read_log(&place),
        ["", "0.txt ", "0.txt ", "0.txt "],
        "each line is the cache that a run found"
    );
    assert_eq!(list_caches(&rig), ["kept"]);
    let kept = std::fs::read_to_string(caches.join("kept/0/build/names")).unwrap();
    assert_eq!(kept, "0.txt\n0.txt\n2.txt\n");
    assert!(!rig.old_gate_cache().exists());
    assert!(!trees.join("cache-1").exists());
    // A gate without a cache needs none.
    let settings = json!({"merge_queue": {"gates": {"check": {"cmd": "true"}}}});
    std::fs::write(rig.settings(), settings.to_string()).unwrap();
    run_queue(&rig).unwrap();
    assert!(!caches.exists());
}

#[test]
fn caches_of_runs_side_by_side_hold_only_merged_work_and_do_not_grow() {
    let place = TestTown::new();
    let gates = json!({"check": caching_gate()});
    let origin = add_rig(&place, "web", PARALLEL, gates);
    let rig = place.town.find_rig("web").unwrap();
    let mut works = [GREEN; 6];
    works[3].is_red = true;
    hand_in(&rig, &works);
    let ran = run_rig(&rig, &origin);
    assert_eq!(ran.outcomes["web-3"], "red");
    assert_eq!(ran.files.len(), 6, "{:?}", ran.files);
    assert_eq!(list_caches(&rig), ["kept"]);
    let slots = std::fs::read_dir(rig.gate_caches().join("kept")).unwrap();
    let mut count = 0;
    for slot in slots.flatten() {
        count += 1;
        let names = std::fs::read_to_string(slot.path().join("build/names")).unwrap();
        assert!(!names.contains("red"), "{names}");
    }
    assert_eq!(count, 1);
    for line in read_log(&place) {
        assert!(!line.contains("red"), "{line}");
    }
}

#[test]
fn a_retried_gate_does_not_find_the_cache_of_its_failed_run() {
    let gate = "[ -e build/flag ] && exit 0; mkdir -p build; touch build/flag; false";
    let gate = json!({"cmd": gate, "cache": ["build"], "retry": 1});
    let place = TestTown::new();
    let origin = add_rig(&place, "web", 1, json!({ "check": gate }));
    let rig = place.town.find_rig("web").unwrap();
    hand_in(&rig, &[GREEN]);
    let results = run_queue(&rig).unwrap();
    assert!(
        matches!(results[0].outcome, MergeOutcome::TargetBroken { .. }),
        "{results:?}"
    );
    assert!(origin.is_dir());
    assert!(list_caches(&rig).is_empty());
}
