//! Processes ended with -9 at random moments: of writes, folds and index builds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;
use town_tests::count;

use crate::project::{Ran, id_of};
use crate::{Project, chance};

#[test]
fn kills_lose_no_acknowledged_change_of_a_small_store() {
    kills("kill, small", &Project::new());
}

#[test]
fn kills_lose_no_acknowledged_change_with_late_folds() {
    let project = Project::new();
    project.grow(2);
    kills("kill, large", &project);
}

/// What is done to the store while it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Create,
    Update,
    Label,
    Comment,
    Fold,
    Index,
    Outside,
}

const ACTS: [Act; 7] = [
    Act::Create,
    Act::Update,
    Act::Label,
    Act::Comment,
    Act::Fold,
    Act::Index,
    Act::Outside,
];

/// A store, and what it has acknowledged.
struct Victim<'a> {
    project: &'a Project,
    chance: fastrand::Rng,
    /// Titles by id, as acknowledged or, of what was killed before that, as seen.
    titles: BTreeMap<String, String>,
    /// What everybody's bead got, each acknowledged or seen once.
    labels: Vec<String>,
    comments: Vec<String>,
    shared: String,
    /// How long each act takes when it is left alone.
    usual: BTreeMap<Act, Duration>,
    cut: usize,
    slowest: Duration,
}

fn kills(name: &str, project: &Project) {
    let shared = project.make("Everybody's");
    let mut victim = Victim {
        project,
        chance: chance(name),
        titles: BTreeMap::from([(shared.clone(), "Everybody's".to_owned())]),
        labels: Vec::new(),
        comments: Vec::new(),
        shared,
        usual: BTreeMap::new(),
        cut: 0,
        slowest: Duration::ZERO,
    };
    for act in ACTS {
        victim.strike(act, &format!("whole {act:?}"), None);
    }
    // Some processes end before they are killed.
    let (wanted, mut round) = (count(20, 250), 0);
    while victim.cut < wanted && round < 4 * wanted {
        let act = ACTS[victim.chance.usize(..ACTS.len())];
        let usual = victim.usual[&act].mul_f64(1.2);
        let moment = usual.mul_f64(victim.chance.f64());
        victim.strike(act, &format!("round {round}"), Some(moment));
        round += 1;
        if round % 10 == 0 {
            victim.check_all();
        }
    }
    victim.check_all();
    let Victim { cut, slowest, .. } = victim;
    eprintln!(
        "{name}: {round} rounds, {cut} processes killed before their end; \
         the slowest next command took {slowest:.2?} (to hold: 1 s)"
    );
}

impl Victim<'_> {
    /// Runs one act and kills it at a moment, or lets it end; then looks whether all is as it
    /// should be.
    fn strike(&mut self, act: Act, word: &str, moment: Option<Duration>) {
        let ids: Vec<String> = self.titles.keys().cloned().collect();
        let target = ids[self.chance.usize(..ids.len())].clone();
        let shared = self.shared.clone();
        let file = self.project.path(".beads/issues.jsonl");
        let args: Vec<&str> = match act {
            Act::Create => vec!["q", word],
            Act::Update => vec!["update", &target, "--title", word],
            Act::Label => vec!["label", "add", &shared, word],
            Act::Comment => vec!["comments", "add", &shared, word],
            Act::Fold => vec!["sync"],
            Act::Index | Act::Outside => vec!["ready"],
        };
        match act {
            Act::Fold => {
                // Something to fold.
                let id = self.project.make(word);
                self.titles.insert(id, word.to_owned());
            }
            Act::Index => {
                // Whatever is derived from the file has to be made again.
                std::fs::remove_file(self.project.path(".beads/index.bin")).ok();
            }
            Act::Outside => {
                let bytes = std::fs::read(&file).unwrap();
                let new = self.project.path(".beads/pulled");
                std::fs::write(&new, bytes).unwrap();
                std::fs::rename(&new, &file).unwrap();
            }
            _ => {}
        }
        let began = Instant::now();
        let ran = self.run(&args, moment);
        if moment.is_none() {
            self.usual.insert(act, began.elapsed());
        }
        let acknowledged = ran.code == Some(0) || !ran.out.trim().is_empty();
        if ran.code.is_some() {
            assert_eq!(ran.code, Some(0), "{args:?} failed by itself: {}", ran.err);
        }
        self.settle(act, word, &target, acknowledged.then_some(ran.out.trim()));
    }

    fn run(&mut self, args: &[&str], moment: Option<Duration>) -> Ran {
        let mut child = self.project.command(args).spawn().unwrap();
        if let Some(moment) = moment {
            std::thread::sleep(moment);
            // It may have ended before.
            child.kill().ok();
        }
        let ran = Ran::of(args, &child.wait_with_output().unwrap());
        self.cut += usize::from(ran.code.is_none());
        ran
    }

    /// The next command works; what was acknowledged is there, what was not is there wholly or not
    /// at all.
    fn settle(&mut self, act: Act, word: &str, target: &str, acknowledged: Option<&str>) {
        let began = Instant::now();
        let new = self.project.make("next");
        // What somebody else has just written is left to them for two seconds.
        if act != Act::Outside {
            self.slowest = self.slowest.max(began.elapsed());
        }
        self.titles.insert(new, "next".to_owned());
        match act {
            Act::Create => match acknowledged {
                Some(id) => {
                    self.titles.insert(id.to_owned(), word.to_owned());
                }
                None => self.adopt(word),
            },
            Act::Update => {
                let title = title_of(&self.project.shown(&[target])[0]);
                let old = &self.titles[target];
                let allowed = title == word || (acknowledged.is_none() && title == *old);
                assert!(allowed, "{target} has the title {title}, not {word}");
                self.titles.insert(target.to_owned(), title);
            }
            Act::Label | Act::Comment => {
                let bead = &self.project.shown(&[&self.shared])[0];
                let is_label = act == Act::Label;
                let field = if is_label { "labels" } else { "comments" };
                let there = bead[field].to_string().contains(&format!("\"{word}\""));
                assert!(there || acknowledged.is_none(), "{word} is lost: {bead}");
                let kept = if is_label {
                    &mut self.labels
                } else {
                    &mut self.comments
                };
                if there {
                    kept.push(word.to_owned());
                }
            }
            Act::Fold | Act::Index | Act::Outside => {}
        }
        self.check_some();
    }

    /// A bead whose making was not acknowledged may be there all the same.
    fn adopt(&mut self, word: &str) {
        let known: Vec<String> = self.titles.keys().cloned().collect();
        let listed = self.project.listed();
        let unknown = listed
            .iter()
            .filter(|id| !known.contains(id) && !is_grown(id));
        let unknown: Vec<&str> = unknown.map(String::as_str).collect();
        assert!(unknown.len() <= 1, "{unknown:?} came from one command");
        for bead in unknown.iter().flat_map(|id| self.project.shown(&[id])) {
            assert_eq!(title_of(&bead), word);
            self.titles.insert(id_of(&bead), word.to_owned());
        }
    }

    fn check_some(&mut self) {
        let ids: Vec<String> = self.titles.keys().cloned().collect();
        let chosen = self.chance.choose_multiple(ids.iter(), 5);
        let chosen: Vec<&str> = chosen.into_iter().map(String::as_str).collect();
        for bead in self.project.shown(&chosen) {
            assert_eq!(title_of(&bead), self.titles[&id_of(&bead)]);
        }
    }

    /// Everything, by a reader and in the file.
    fn check_all(&self) {
        let listed = self.project.listed();
        let lost: Vec<_> = self
            .titles
            .keys()
            .filter(|id| !listed.contains(*id))
            .collect();
        assert!(lost.is_empty(), "{lost:?} are lost");
        let lines = self.project.folded();
        for (id, title) in &self.titles {
            assert_eq!(title_of(&lines.bead(id)), *title);
        }
        let bead = lines.bead(&self.shared);
        let count = |field: &str| bead[field].as_array().map_or(0, Vec::len);
        assert_eq!(count("labels"), self.labels.len());
        assert_eq!(count("comments"), self.comments.len());
        let mine = listed.iter().filter(|id| !is_grown(id)).count();
        assert_eq!(mine, self.titles.len(), "beads came out of nowhere");
    }
}

fn title_of(bead: &Value) -> String {
    bead["title"].as_str().unwrap().to_owned()
}

/// Whether a bead was put into the file by [`Project::grow`].
fn is_grown(id: &str) -> bool {
    let number = id.strip_prefix("bd-g").filter(|rest| rest.len() == 5);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
