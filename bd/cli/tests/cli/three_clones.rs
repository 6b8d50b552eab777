//! Three clones that change beads at the same time and meet by plain `git pull`: they converge to
//! the same bytes, nobody sees a conflict marker, and each edit is in the result or, if it gave
//! way, in history.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Project;
use super::one_truth::Chance;

const NAMES: [&str; 3] = ["a", "b", "c"];

struct Clones {
    project: Project,
    chance: Chance,
    /// Titles of all beads that were made, and labels with their beads.
    made: Vec<String>,
    labels: Vec<(String, String)>,
    /// New titles, with their beads and the clone that gave them.
    titles: Vec<(&'static str, String, String)>,
    /// How many edits there were.
    number: usize,
}

impl Clones {
    fn new(seed: u64) -> Self {
        let clones = Self {
            project: Project::empty(),
            chance: Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            made: Vec::new(),
            labels: Vec::new(),
            titles: Vec::new(),
            number: 0,
        };
        let root = clones.project.dir();
        clones.git(&root, &["init", "-q", "--bare", "-b", "main", "remote"]);
        clones.git(&root, &["clone", "-q", "remote", "a"]);
        clones.bd("a", &["init", "--prefix", "bd", "-q"]);
        clones.bd(
            "a",
            &["create", "Parent", "--id", "bd-p", "-t", "epic", "-d", "D"],
        );
        clones.bd("a", &["create", "Shared", "--id", "bd-s", "-d", "D"]);
        clones.save("a");
        clones.git(&root.join("a"), &["push", "-q", "origin", "HEAD:main"]);
        for name in ["b", "c"] {
            clones.git(&root, &["clone", "-q", "remote", name]);
            clones.bd(name, &["merge", "--install"]);
            clones.bd(name, &["hooks", "install"]);
        }
        clones
    }

    fn dir(&self, name: &str) -> PathBuf {
        self.project.path(name)
    }

    fn run(&self, command: &mut Command, dir: &Path) -> (bool, String) {
        let bin = Path::new(env!("CARGO_BIN_EXE_bd")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let command = command
            .current_dir(dir)
            .env_clear()
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", self.project.dir())
            .env("BEADS_ACTOR", "tester")
            .env("GIT_AUTHOR_NAME", "t")
            .env("GIT_AUTHOR_EMAIL", "t@example.com")
            .env("GIT_COMMITTER_NAME", "t")
            .env("GIT_COMMITTER_EMAIL", "t@example.com")
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    }

    fn git(&self, dir: &Path, args: &[&str]) {
        let (is_ok, text) = self.run(Command::new("git").args(args), dir);
        assert!(is_ok, "git {args:?}: {text}");
    }

    fn bd(&self, name: &str, args: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bd"));
        let (is_ok, text) = self.run(command.args(args), &self.dir(name));
        assert!(is_ok, "{name}: bd {args:?}: {text}");
        text
    }

    /// Commits the beads of a clone.
    fn save(&self, name: &str) {
        self.bd(name, &["sync"]);
        self.git(&self.dir(name), &["add", "-A"]);
        self.git(
            &self.dir(name),
            &["commit", "-q", "--allow-empty", "-m", "Beads"],
        );
    }

    /// Some edits of a clone, in one process.
    fn edit(&mut self, name: &'static str, count: usize) {
        let mut script = String::new();
        let earlier = self.titles.len();
        for _ in 0..count {
            self.number += 1;
            let number = self.number;
            match self.chance.below(8) {
                0..3 => {
                    let title = format!("Child {name} {number}");
                    self.bd(name, &["create", &title, "--parent", "bd-p", "-d", "D"]);
                    self.made.push(title);
                }
                3 => {
                    let title = format!("Made {name} {number}");
                    script.push_str(&format!("create task 2 {title}\n"));
                    self.made.push(title);
                }
                4..6 => {
                    let label = format!("label-{number}");
                    self.bd(name, &["label", "add", "bd-s", &label]);
                    self.labels.push(("bd-s".to_owned(), label));
                }
                6 => {
                    let title = format!("Title {name} {number}");
                    script.push_str(&format!("update bd-s title=\"{title}\"\n"));
                    // Of two titles in one transaction there was only ever the last.
                    self.titles.truncate(earlier);
                    self.titles.push((name, "bd-s".to_owned(), title));
                }
                _ => script.push_str(&format!("update bd-s priority={}\n", self.chance.below(5))),
            }
        }
        let file = self.dir(name).join("../script");
        fs::write(file, script).unwrap();
        self.bd(name, &["batch", "--file", "../script"]);
    }

    /// Brings a clone together with the others.
    fn meet(&self, name: &str) {
        self.save(name);
        self.git(
            &self.dir(name),
            &["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"],
        );
        let text = self.issues(name);
        assert!(
            !text.contains("<<<<<<<") && !text.contains(">>>>>>>"),
            "{text}"
        );
        self.bd(name, &["list"]);
        self.save(name);
        self.git(&self.dir(name), &["push", "-q", "origin", "HEAD:main"]);
    }

    fn issues(&self, name: &str) -> String {
        fs::read_to_string(self.dir(name).join(".beads/issues.jsonl")).unwrap()
    }

    fn converge(&self) {
        for name in NAMES.iter().chain(&NAMES) {
            self.meet(name);
        }
        let text = self.issues("a");
        for name in NAMES {
            assert_eq!(self.issues(name), text, "{name}");
        }
        let beads: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        for title in &self.made {
            let same = beads.iter().filter(|bead| bead["title"] == title.as_str());
            assert_eq!(same.count(), 1, "{title}");
        }
        let bead = |id: &str| beads.iter().find(|bead| bead["id"] == id).unwrap();
        for (id, label) in &self.labels {
            let labels = bead(id)["labels"].as_array().unwrap();
            assert!(labels.contains(&label.as_str().into()), "{label}");
        }
        for (name, id, title) in &self.titles {
            let is_there = bead(id)["title"] == title.as_str();
            let history = || self.bd(name, &["history", id, "--json", "--limit", "0"]);
            assert!(is_there || history().contains(title), "{title} is nowhere");
        }
    }
}

#[test]
fn three_clones_converge_over_plain_git() {
    let (rounds, edits) = if std::env::var_os("GASTOWN_STORM").is_some() {
        (50, 10)
    } else {
        (3, 5)
    };
    let mut clones = Clones::new(7);
    for _ in 0..rounds {
        for name in NAMES {
            clones.edit(name, edits);
        }
        for _ in 0..2 {
            let name = NAMES[clones.chance.below(3)];
            clones.meet(name);
        }
    }
    clones.converge();
}
