//! A law of clones that sync, over random histories: whatever each of three does, and however often
//! one of them takes its file back by git and restores it, in the end all have the same beads with
//! every label that anyone added to a bead that nobody deleted, no sync was refused without need,
//! and nothing is called lost.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use town_tests::count;

use super::sync_full::Clones;

/// Where the beads are besides their branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Main {
    /// On `main` as well, where `git reset --hard` takes them back to what was committed last.
    Tracked,
    /// Nowhere.
    Without,
}

/// A xorshift generator: the same histories each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        (!all.is_empty()).then(|| &all[self.below(all.len())])
    }
}

/// What has to be there in the end.
#[derive(Default)]
struct Wanted {
    made: Vec<String>,
    labels: BTreeMap<String, BTreeSet<String>>,
    deleted: BTreeSet<String>,
    /// Deletions that were lost and not repeated, because another clone had set the status in the
    /// meantime. A message reports them.
    kept: BTreeSet<String>,
    count: usize,
}

struct Law {
    clones: Clones,
    main: Main,
    chance: Chance,
    wanted: Wanted,
}

const NAMES: [&str; 3] = ["a", "b", "c"];

impl Law {
    fn new(main: Main, seed: u64) -> Self {
        let clones = Clones::new();
        let mut wanted = Wanted::default();
        for title in ["One", "Two", "Three"] {
            wanted.made.push(clones.bead("a", title));
        }
        if main == Main::Tracked {
            clones.bd("a", &["sync"]).ok();
            clones.git("a", &["add", "-f", ".beads/issues.jsonl"]);
            clones.git("a", &["commit", "-q", "-m", "Beads"]);
            clones.git("a", &["push", "-q", "origin", "main"]);
        }
        clones.sync("a").ok();
        for name in ["b", "c"] {
            clones.clone(name);
            clones.bd(name, &["list"]).ok();
            clones.sync(name).ok();
        }
        let chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Self {
            clones,
            main,
            chance,
            wanted,
        }
    }

    fn live(&self, clone: &str) -> Vec<String> {
        let all = ["list", "--all", "--limit", "0", "--json"];
        let beads = self.clones.bd(clone, &all).ok().json();
        let ids = beads.as_array().unwrap().iter();
        ids.map(|bead| bead["id"].as_str().unwrap().to_owned())
            .collect()
    }

    fn step(&mut self, number: usize) {
        let clone = NAMES[self.chance.below(3)];
        let beads = self.live(clone);
        let bead = self.chance.of(&beads).cloned();
        let bd = |args: &[&str]| self.clones.bd(clone, args);
        match (self.chance.below(20), bead) {
            (0..3, _) | (_, None) => {
                let made = self.clones.bead(clone, &format!("Made {number}"));
                self.wanted.made.push(made);
            }
            (3..9, Some(id)) => self.label(clone, &id),
            (9..12, Some(id)) => {
                bd(&["update", &id, "--title", &format!("Title {number}")]).ok();
            }
            (12, Some(id)) => {
                bd(&["close", &id]).ok();
            }
            (13, Some(id)) => {
                bd(&["delete", &id, "--force"]).ok();
                self.wanted.deleted.insert(id);
            }
            (14..18, _) => {
                self.clones.sync(clone).ok();
            }
            (18, _) if self.main == Main::Tracked => {
                bd(&["sync"]).ok();
                let commit = ["commit", "-q", "--allow-empty", "-a", "-m", "Beads"];
                self.clones.git(clone, &commit);
            }
            _ if self.main == Main::Tracked => self.go_back(clone),
            _ => {
                let said = bd(&["restore", "--lost"]).ok();
                assert!(said.out.contains("Nothing is lost: "), "{}", said.out);
            }
        }
    }

    fn label(&mut self, clone: &str, id: &str) {
        self.wanted.count += 1;
        let label = format!("label-{}", self.wanted.count);
        self.clones.bd(clone, &["label", "add", id, &label]).ok();
        let labels = self.wanted.labels.entry(id.to_owned()).or_default();
        labels.insert(label);
    }

    /// git takes the file back; perhaps someone works on, and perhaps syncs, before it is restored.
    fn go_back(&mut self, clone: &str) {
        self.clones.git(clone, &["reset", "-q", "--hard"]);
        for _ in 0..self.chance.below(3) {
            let beads = self.live(clone);
            if let Some(id) = self.chance.of(&beads).cloned() {
                self.label(clone, &id);
            }
        }
        if self.chance.below(3) == 0 {
            let said = self.clones.sync(clone).run();
            let is_refused = said.err.contains("was rolled back");
            assert!(said.code == 0 || is_refused, "{}", said.err);
        }
        let lost = ["restore", "--lost", "--json"];
        let said = self.clones.bd(clone, &lost).ok();
        for one in said.json().as_array().unwrap() {
            if one["kept"].as_array().unwrap().contains(&"status".into()) {
                let id = one["id"].as_str().unwrap().to_owned();
                self.wanted.kept.insert(id);
            }
        }
        let again = self.clones.bd(clone, &lost).ok();
        assert_eq!(again.json(), serde_json::json!([]));
    }

    fn holds(&self) {
        for clone in NAMES.iter().chain(&NAMES) {
            self.clones.sync(clone).ok();
        }
        self.clones.agree(&NAMES);
        let beads: BTreeMap<String, Value> = self
            .clones
            .issues("a")
            .lines()
            .map(|line| {
                let bead: Value = serde_json::from_str(line).unwrap();
                (bead["id"].as_str().unwrap().to_owned(), bead)
            })
            .collect();
        for id in &self.wanted.made {
            let bead = &beads[id];
            let is_deleted = self.wanted.deleted.contains(id);
            let is_as_wanted = (bead["status"] == "tombstone") == is_deleted;
            assert!(is_as_wanted || self.wanted.kept.contains(id), "{bead}");
            for label in self.wanted.labels.get(id).into_iter().flatten() {
                let has_label = |labels: &Vec<Value>| labels.contains(&label.as_str().into());
                assert!(
                    is_deleted || bead["labels"].as_array().is_some_and(has_label),
                    "{label}: {bead}"
                );
            }
        }
        for clone in NAMES {
            let doctor = self.clones.bd(clone, &["doctor"]).run();
            let said = "Rollback: no rolled-back change waits for a decision";
            assert!(doctor.out.contains(said), "{}", doctor.out);
        }
    }
}

#[test]
fn three_clones_converge_with_all_their_changes() {
    for main in [Main::Without, Main::Tracked] {
        for seed in 0..count(1, 40) {
            let mut law = Law::new(main, seed + 1);
            for number in 0..50 {
                law.step(number);
            }
            law.holds();
        }
    }
}
