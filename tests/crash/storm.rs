//! Many processes that write at once, with readers beside them.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use town_tests::count;

use crate::lines::Lines;
use crate::project::id_of;
use crate::{Project, chance};

#[test]
fn many_concurrent_writers_lose_nothing_on_a_small_store() {
    let project = Project::new();
    storm("storm, small", &project);
}

#[test]
fn many_concurrent_writers_lose_nothing_with_late_folds() {
    let project = Project::new();
    project.grow(3);
    storm("storm, large", &project);
}

/// A bead as its writer knows it: every change was acknowledged.
#[derive(Debug, Default)]
struct Known {
    id: String,
    title: String,
    priority: u64,
    labels: BTreeSet<String>,
    comments: BTreeSet<String>,
    needs: BTreeSet<String>,
    is_closed: bool,
}

/// One process after the other, on beads of its own and on one that all write to.
struct Writer<'a> {
    project: &'a Project,
    number: usize,
    shared: &'a str,
    chance: fastrand::Rng,
    known: Vec<Known>,
    /// Labels that it gave the shared bead.
    given: Vec<String>,
    made: &'a Mutex<BTreeSet<String>>,
    slowest: Duration,
}

fn storm(name: &str, project: &Project) {
    let (writers, each) = (count(8, 200), count(10, 20));
    let mut chance = chance(name);
    let shared = project.make("Everybody's");
    let made = Mutex::new(project.listed());
    let over = AtomicBool::new(false);
    let began = Instant::now();
    let done: Vec<Writer> = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| watch(project, &made, &over));
        }
        let running: Vec<_> = (0..writers)
            .map(|number| {
                let mut writer = Writer {
                    project,
                    number,
                    shared: &shared,
                    chance: chance.fork(),
                    known: Vec::new(),
                    given: Vec::new(),
                    made: &made,
                    slowest: Duration::ZERO,
                };
                scope.spawn(move || {
                    for turn in 0..each {
                        writer.write(turn);
                    }
                    writer
                })
            })
            .collect();
        let ended: Vec<_> = running.into_iter().map(ScopedJoinHandle::join).collect();
        // Readers end also where a writer failed.
        over.store(true, Ordering::Relaxed);
        ended.into_iter().map(|writer| writer.unwrap()).collect()
    });
    let spent = began.elapsed();
    let slowest = done.iter().map(|writer| writer.slowest).max().unwrap();
    let rate = (writers * each * 1000) / usize::try_from(spent.as_millis()).unwrap().max(1);
    eprintln!(
        "{name}: {writers} x {each} writes in {spent:.2?}: {rate} a second, the slowest took {slowest:.2?}"
    );
    let made = made.lock().unwrap().clone();
    check(project, &shared, &done, &made);
}

/// A reader never sees less than what was acknowledged before it began, and nothing torn.
fn watch(project: &Project, made: &Mutex<BTreeSet<String>>, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let before = made.lock().unwrap().clone();
        let seen = project.listed();
        let missing: Vec<_> = before.difference(&seen).collect();
        assert!(missing.is_empty(), "a reader does not see {missing:?}");
    }
}

/// Everything is in the file, once.
fn check(project: &Project, shared: &str, done: &[Writer], made: &BTreeSet<String>) {
    assert_eq!(project.listed(), *made);
    let lines = project.folded();
    assert_eq!(lines.0.keys().cloned().collect::<BTreeSet<_>>(), *made);
    for known in done.iter().flat_map(|writer| &writer.known) {
        known.check(&lines.bead(&known.id));
    }
    let labels = texts(&lines.bead(shared), "labels", |label| label);
    let given: BTreeSet<String> = done
        .iter()
        .flat_map(|writer| writer.given.clone())
        .collect();
    assert_eq!(labels, given);
    let again = Lines::read(&project.path(".beads/issues.jsonl"));
    project.ok(&["sync"]);
    assert_eq!(again, lines, "a fold of nothing changed the file");
}

impl Writer<'_> {
    fn write(&mut self, turn: usize) {
        let began = Instant::now();
        let word = format!("w{}-{turn}", self.number);
        let choice = if self.known.is_empty() {
            0
        } else {
            self.chance.usize(..10)
        };
        let at = self.chance.usize(..self.known.len().max(1));
        let project = self.project;
        match choice {
            0..=2 => self.create(&word),
            3 => {
                project.ok(&["label", "add", self.shared, &word]);
                self.given.push(word);
            }
            4 if at > 0 => {
                let needed = self.known[self.chance.usize(..at)].id.clone();
                project.ok(&["dep", "add", &self.known[at].id, &needed]);
                self.known[at].needs.insert(needed);
            }
            5 => {
                let known = &mut self.known[at];
                project.ok(&["close", &known.id, "--force"]);
                known.is_closed = true;
            }
            6 => {
                let known = &mut self.known[at];
                project.ok(&["comments", "add", &known.id, &word]);
                known.comments.insert(word);
            }
            7 => {
                let known = &mut self.known[at];
                project.ok(&["label", "add", &known.id, &word]);
                known.labels.insert(word);
            }
            _ => {
                let known = &mut self.known[at];
                known.priority = self.chance.u64(..5);
                let priority = known.priority.to_string();
                project.ok(&[
                    "update",
                    &known.id,
                    "--title",
                    &word,
                    "--priority",
                    &priority,
                ]);
                known.title = word;
            }
        }
        self.slowest = self.slowest.max(began.elapsed());
        if self.chance.usize(..3) == 0 {
            let at = self.chance.usize(..self.known.len());
            let known = &self.known[at];
            known.check(&self.project.shown(&[&known.id])[0]);
        }
    }

    fn create(&mut self, word: &str) {
        let id = self.project.make(word);
        assert!(
            self.made.lock().unwrap().insert(id.clone()),
            "{id} was given twice"
        );
        self.known.push(Known {
            id,
            title: word.to_owned(),
            priority: 2,
            ..Known::default()
        });
    }
}

impl Known {
    fn check(&self, bead: &Value) {
        assert_eq!(self.id, id_of(bead));
        let what = format!("{self:?} is {bead}");
        assert_eq!(self.title, bead["title"], "{what}");
        assert_eq!(Some(self.priority), bead["priority"].as_u64(), "{what}");
        assert_eq!(self.is_closed, bead["status"] == "closed", "{what}");
        assert_eq!(self.labels, texts(bead, "labels", |label| label), "{what}");
        let comments = texts(bead, "comments", |comment| &comment["text"]);
        assert_eq!(self.comments, comments, "{what}");
        let needs = texts(bead, "dependencies", |edge| {
            // A record has edges, `show` the beads at their ends.
            edge.get("depends_on_id").unwrap_or(&edge["id"])
        });
        assert_eq!(self.needs, needs, "{what}");
    }
}

/// The texts of a list in a bead.
fn texts(bead: &Value, field: &str, of: impl Fn(&Value) -> &Value) -> BTreeSet<String> {
    let list = bead[field].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|item| of(item).as_str().unwrap().to_owned())
        .collect()
}
