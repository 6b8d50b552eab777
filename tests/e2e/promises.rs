//! Workers that commit, merge, amend, switch branches, close and die, change remotes, hide edits
//! and make repositories inside their sandboxes; people who close, delete, force, reopen, revert,
//! push and set merge drivers: in random order. Judged at the end from git's trees and beads alone.
//!
//! `GASTOWN_SEED` repeats one history; with `GASTOWN_STORM=full` hundreds are tried.

#![expect(clippy::disallowed_methods, reason = "it reads which histories to try")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;
use town_tests::{Repo, Town, count};

/// Steps of one history.
const STEPS: usize = 45;

/// A small generator of its own, so that a seed means the same everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        (!of.is_empty()).then(|| &of[self.below(of.len())])
    }
}

/// What the test knows of a history.
struct Story {
    town: Town,
    origin: Repo,
    chance: Chance,
    beads: Vec<String>,
    /// By bead, the files that its workers committed, and the commit that had each last.
    work: BTreeMap<String, BTreeMap<String, String>>,
    /// Files that a person removed from the target.
    reverted: BTreeSet<String>,
    /// Files in repositories inside a sandbox, with the sandbox.
    inner: Vec<(PathBuf, String)>,
    number: usize,
    told: Vec<String>,
}

impl Story {
    fn new(seed: u64) -> Self {
        let (town, origin) = Town::with_rig();
        town.script("while :; do sleep 1; done");
        // Conflicts and repairs are a person's here: who takes what would hang on the clock.
        let setting = serde_json::json!({ "auto_repair": false });
        town.set_rig_setting("web", "merge_queue", setting);
        Self {
            town,
            origin,
            chance: Chance(seed | 1),
            beads: Vec::new(),
            work: BTreeMap::new(),
            reverted: BTreeSet::new(),
            inner: Vec::new(),
            number: 0,
            told: Vec::new(),
        }
    }

    fn step(&mut self) {
        let kind = self.chance.below(28);
        match kind {
            0 | 1 => self.begin(),
            2..=6 | 23..=24 => self.commit(),
            7 => self.merge_main(),
            8 => self.amend(),
            9 => self.switch(),
            10 => self.close_own(),
            11 => self.die(),
            12..=14 | 25..=26 => self.done(),
            15 => self.person_closes(),
            16 => self.person_deletes_or_reopens(),
            17 => self.person_forces(),
            18 => self.person_on_main(),
            19 => self.change_remote(),
            20 => self.hide_edit(),
            21 => self.make_inner_repository(),
            22 => self.person_sets_driver(),
            _ => self.town_acts(),
        }
    }

    fn tell(&mut self, what: String) {
        self.told.push(what);
    }

    fn begin(&mut self) {
        if self.beads.len() >= 5 {
            return self.town_acts();
        }
        let bead = self.town.bead("web", &format!("Work {}", self.beads.len()));
        self.town.gt(["sling", &bead, "web"]).run();
        self.tell(format!("sling {bead}"));
        self.beads.push(bead);
    }

    /// A worker with a sandbox, and the bead on its hook.
    fn worker(&mut self) -> Option<(String, String)> {
        let busy: Vec<(String, String)> = self
            .town
            .polecats()
            .into_iter()
            .filter_map(|polecat| {
                let name = format!("web/{}", polecat["name"].as_str()?);
                Some((name, polecat["issue"].as_str()?.to_owned()))
            })
            .collect();
        self.chance.pick(&busy).cloned()
    }

    fn git(&self, worker: &str, args: &[&str]) -> town_tests::Said {
        let sandbox = self.town.sandbox(worker);
        self.town.git_at(&sandbox, args.iter().copied()).run()
    }

    /// Notes which commit has which files of a bead now.
    fn note(&mut self, worker: &str, bead: &str) {
        let tip = self.git(worker, &["rev-parse", "HEAD"]).text().to_owned();
        let listed = self.git(worker, &["ls-tree", "--name-only", "HEAD"]).out;
        let files = self.work.entry(bead.to_owned()).or_default();
        for file in listed
            .lines()
            .filter(|file| file.starts_with(&format!("{bead}-")))
        {
            files.insert(file.to_owned(), tip.clone());
        }
    }

    fn commit(&mut self) {
        let Some((worker, bead)) = self.worker() else {
            return self.begin();
        };
        self.number += 1;
        let file = format!("{bead}-{}.txt", self.number);
        let sandbox = self.town.sandbox(&worker);
        std::fs::write(sandbox.join(&file), format!("{file}\n")).unwrap();
        if self.chance.below(3) == 0 {
            let text = format!("one\n{bead} {}\nthree\n", self.number);
            std::fs::write(sandbox.join("shared.txt"), text).unwrap();
        }
        self.git(&worker, &["add", "-A"]);
        self.git(&worker, &["commit", "-qm", "Work"]);
        self.note(&worker, &bead);
        self.tell(format!("{worker} commits {file}"));
    }

    fn merge_main(&mut self) {
        let Some((worker, bead)) = self.worker() else {
            return;
        };
        self.git(&worker, &["fetch", "-q", "origin"]);
        if self
            .git(&worker, &["merge", "-q", "-m", "Merge main", "origin/main"])
            .code
            != 0
        {
            self.git(&worker, &["checkout", "--ours", "shared.txt"]);
            self.git(&worker, &["add", "-A"]);
            self.git(&worker, &["commit", "-qm", "Merge main"]);
        }
        self.note(&worker, &bead);
        self.tell(format!("{worker} merges main"));
    }

    fn amend(&mut self) {
        let Some((worker, bead)) = self.worker() else {
            return;
        };
        let own = self.git(&worker, &["log", "-1", "--format=%s"]);
        if own.text() == "Work" {
            self.git(
                &worker,
                &["commit", "-q", "--amend", "--no-edit", "--date=now"],
            );
            self.note(&worker, &bead);
            self.tell(format!("{worker} amends"));
        }
    }

    fn switch(&mut self) {
        let Some((worker, _)) = self.worker() else {
            return;
        };
        self.number += 1;
        let branch = format!("side-{}", self.number);
        self.git(&worker, &["switch", "-q", "-c", &branch]);
        self.tell(format!("{worker} switches to {branch}"));
    }

    /// Returns true if a branch of a sandbox, which the town has not read since, has a commit.
    fn is_in_a_sandbox(&self, commit: &str) -> bool {
        let homes = std::fs::read_dir(self.town.root().join("web/polecats")).unwrap();
        homes.flatten().any(|home| {
            let sandbox = home.path().join("web");
            let branches = ["for-each-ref", "--contains", commit, "refs/heads"];
            let found = self.town.git_at(&sandbox, branches).run();
            found.code == 0 && !found.out.is_empty()
        })
    }

    /// A worker sends everything to a fork, as it believes.
    fn change_remote(&mut self) {
        let Some((worker, _)) = self.worker() else {
            return;
        };
        let fork = self.town.path("origins/fork.git");
        let fork = fork.to_str().unwrap();
        if !std::path::Path::new(fork).exists() {
            let url = self.origin.url();
            self.origin.git(["clone", "-q", "--bare", url, fork]);
        }
        self.git(&worker, &["remote", "set-url", "origin", fork]);
        self.tell(format!("{worker} sets its remote to a fork"));
    }

    fn hide_edit(&mut self) {
        let Some((worker, bead)) = self.worker() else {
            return;
        };
        let hide = ["update-index", "--assume-unchanged", "shared.txt"];
        self.git(&worker, &hide);
        let file = self.town.sandbox(&worker).join("shared.txt");
        std::fs::write(file, format!("one\nhidden by {bead}\nthree\n")).unwrap();
        self.tell(format!("{worker} hides an edit"));
    }

    /// A worker does what `gt done` asks for: shows hidden edits, and makes the repositories inside
    /// its sandbox folders of its own.
    fn tidy(&mut self, worker: &str, bead: &str) {
        let show = ["update-index", "--no-assume-unchanged", "shared.txt"];
        self.git(worker, &show);
        let sandbox = self.town.sandbox(worker);
        for (_, file) in self.inner.iter().filter(|(of, _)| *of == sandbox) {
            let folder = file.split('/').next().unwrap();
            std::fs::remove_dir_all(sandbox.join(folder).join(".git")).ok();
        }
        self.git(worker, &["add", "-A"]);
        self.git(worker, &["commit", "-qm", "Work"]);
        self.note(worker, bead);
    }

    fn make_inner_repository(&mut self) {
        let Some((worker, _)) = self.worker() else {
            return;
        };
        self.number += 1;
        let folder = format!("tool-{}", self.number);
        let sandbox = self.town.sandbox(&worker);
        let inner = sandbox.join(&folder);
        std::fs::create_dir_all(&inner).unwrap();
        self.town.git_at(&inner, ["init", "-q"]).ok();
        std::fs::write(inner.join("main.rs"), "fn main() {}\n").unwrap();
        self.inner.push((sandbox, format!("{folder}/main.rs")));
        self.tell(format!("{worker} makes a repository in {folder}"));
    }

    /// From now on, merges of `shared.txt` keep the target's side.
    fn person_sets_driver(&mut self) {
        self.number += 1;
        let attributes = format!("# {}\nshared.txt merge=keep\n", self.number);
        self.origin
            .commit(".gitattributes", &attributes, "A driver");
        let repo = self.town.root().join("web/.repo.git");
        let set = ["config", "merge.keep.driver", "true"];
        self.town.git_at(&repo, set).ok();
        self.tell("a person sets a merge driver".to_owned());
    }

    fn close_own(&mut self) {
        let Some((worker, bead)) = self.worker() else {
            return;
        };
        let me = worker.replace("web/", "web/polecats/");
        let close = ["close", &bead, "--reason", "I am done"];
        self.town.bd("web", close).env("BD_ACTOR", me).run();
        self.tell(format!("{worker} closes {bead} itself"));
    }

    fn die(&mut self) {
        let sessions = self.town.sessions();
        if let Some(session) = self.chance.pick(&sessions).cloned() {
            self.town.kill_session(&session);
            self.tell(format!("{session} dies"));
        }
    }

    fn done(&mut self) {
        let Some((worker, bead)) = self.worker() else {
            return self.town_acts();
        };
        if self.chance.below(4) > 0 {
            self.tidy(&worker, &bead);
        }
        let said = self
            .town
            .gt_as(&worker, ["done", "--stay", "--summary", "x"])
            .run();
        self.tell(format!("{worker} is done with {bead}: {}", said.code));
    }

    fn person_closes(&mut self) {
        if let Some(bead) = self.chance.pick(&self.beads).cloned() {
            let close = [
                "close",
                &bead,
                "--force",
                "--reason",
                "Cancelled: not needed",
            ];
            self.town.bd("web", close).run();
            self.tell(format!("a person closes {bead}"));
        }
    }

    fn person_deletes_or_reopens(&mut self) {
        let Some(bead) = self.chance.pick(&self.beads).cloned() else {
            return;
        };
        if self.chance.below(2) == 0 {
            self.town.bd("web", ["delete", &bead, "--force"]).run();
            self.tell(format!("a person deletes {bead}"));
        } else {
            self.town.bd("web", ["reopen", &bead]).run();
            self.tell(format!("a person reopens {bead}"));
        }
    }

    fn person_forces(&mut self) {
        if let Some(bead) = self.chance.pick(&self.beads).cloned() {
            let code = self.town.gt(["sling", &bead, "web", "--force"]).run().code;
            self.tell(format!("a person slings {bead} with force: {code}"));
        }
    }

    fn person_on_main(&mut self) {
        let listed = self.origin.git(["ls-tree", "--name-only", "main"]);
        let work: Vec<String> = listed
            .lines()
            .filter(|file| self.work.values().any(|files| files.contains_key(*file)))
            .map(str::to_owned)
            .collect();
        match self.chance.pick(&work).cloned() {
            Some(file) if self.chance.below(2) == 0 => {
                self.origin.remove(&file, "Take it back");
                self.tell(format!("a person takes {file} back"));
                self.reverted.insert(file);
            }
            _ => {
                self.number += 1;
                let text = format!("one\nperson {}\nthree\n", self.number);
                self.origin.commit("shared.txt", &text, "By hand");
                self.tell("a person pushes to main".to_owned());
            }
        }
    }

    fn town_acts(&mut self) {
        self.town.patrol();
        self.tell("the patrol makes a pass".to_owned());
    }

    /// Lets the town come to rest, then judges.
    fn judge(&self) -> Result<(), String> {
        for _ in 0..6 {
            self.town.patrol();
        }
        let listed = self.origin.git(["ls-tree", "--name-only", "main"]);
        let on_main: BTreeSet<&str> = listed.lines().collect();
        let letters = self.town.mail("overseer");
        for bead in &self.beads {
            let shown = self.town.bd("web", ["show", bead, "--json"]).run();
            let shown: Value = serde_json::from_str(&shown.out).unwrap_or(Value::Null);
            self.judge_work(bead, &shown[0], &on_main)?;
            self.judge_owner(bead, &shown[0], &letters)?;
        }
        self.judge_inner()
    }

    /// A file of a repository inside a sandbox is still there, or in saved work, or was committed
    /// with the rest.
    fn judge_inner(&self) -> Result<(), String> {
        let repo = self.town.root().join("web/.repo.git");
        for (sandbox, file) in &self.inner {
            let log = ["log", "--all", "-1", "--format=%H", "--", file];
            let is_kept = !self.town.git_at(&repo, log).ok().out.is_empty();
            if !sandbox.join(file).exists() && !is_kept {
                return Err(format!("{file} of {} is nowhere", sandbox.display()));
            }
        }
        Ok(())
    }

    /// Every file is on the target exactly if a request that has it says merged; else its commit is
    /// kept.
    fn judge_work(
        &self,
        bead: &str,
        shown: &Value,
        on_main: &BTreeSet<&str>,
    ) -> Result<(), String> {
        let merged: Vec<Value> = self
            .town
            .events("merged")
            .into_iter()
            .filter(|event| event["payload"]["bead"] == bead)
            .collect();
        let reason = shown["close_reason"].as_str().unwrap_or_default();
        if reason.starts_with("Merged in") && merged.is_empty() {
            return Err(format!("{bead} says `{reason}`, and nothing was merged"));
        }
        let repo = self.town.root().join("web/.repo.git");
        let git = |args: &[&str]| self.town.git_at(&repo, args.iter().copied()).run();
        for (file, commit) in self.work.get(bead).into_iter().flatten() {
            let is_there = on_main.contains(file.as_str());
            let handed_in = merged.iter().any(|event| {
                let request = event["payload"]["mr"].as_str().unwrap_or_default();
                let kept = format!("refs/gt/merged/{request}");
                git(&["cat-file", "-e", &format!("{kept}:{file}")]).code == 0
            });
            if is_there && !handed_in {
                return Err(format!("{file} is on main, and no merged request has it"));
            }
            if handed_in && !is_there && !self.reverted.contains(file) {
                return Err(format!("{file} was merged, and is not on main"));
            }
            let refs = git(&["for-each-ref", "--contains", commit, "--format=%(refname)"]);
            let refs = refs
                .out
                .lines()
                .any(|name| !name.starts_with("refs/gt/snap/"));
            if !is_there && !refs && !handed_in && !self.is_in_a_sandbox(commit) {
                return Err(format!("{file} ({commit}) is on no ref"));
            }
        }
        Ok(())
    }

    /// A bead that is in hand has a worker with a session, an open request, or a message.
    fn judge_owner(&self, bead: &str, shown: &Value, letters: &[Value]) -> Result<(), String> {
        let status = shown["status"].as_str().unwrap_or_default();
        if !["hooked", "in_progress"].contains(&status) {
            return Ok(());
        }
        let polecats = self.town.polecats();
        let has_worker = polecats
            .iter()
            .any(|polecat| polecat["issue"] == bead && polecat["session_running"] == true);
        let requests = self.town.gt(["mq", "list", "web", "--json"]).ok().json();
        let has_request = requests
            .as_array()
            .into_iter()
            .flatten()
            .any(|request| request.to_string().contains(bead));
        let has_letter = letters
            .iter()
            .any(|letter| letter.to_string().contains(bead));
        if has_worker || has_request || has_letter {
            return Ok(());
        }
        Err(format!(
            "{bead} is {status}, and nobody has it or hears of it: {polecats:?}"
        ))
    }
}

#[test]
fn the_target_has_exactly_the_merged_work_and_the_rest_is_kept() {
    let seeds: Vec<u64> = match std::env::var("GASTOWN_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => (1..=count(2, 200)).map(|n| n * 7919).collect(),
    };
    for seed in seeds {
        println!("GASTOWN_SEED={seed}");
        let mut story = Story::new(seed);
        for _ in 0..STEPS {
            story.step();
        }
        println!("  {} merged", story.town.events("merged").len());
        if let Err(wrong) = story.judge() {
            panic!("seed {seed}: {wrong}\n{}", story.told.join("\n"));
        }
    }
}
