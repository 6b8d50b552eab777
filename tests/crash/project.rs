//! A project in a folder of its own, and the program that is tried on it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::lines::Lines;

/// A project with the prefix `bd`.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    program: PathBuf,
}

/// How a command ended.
pub(crate) struct Ran {
    /// The exit code; none where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    what: String,
}

impl Project {
    /// An empty project for the shipped program where `GASTOWN_TEST_BIN` names its folder, else for
    /// the one that was built with the tests.
    pub(crate) fn new() -> Self {
        let shipped = std::env::var_os("GASTOWN_TEST_BIN").map(PathBuf::from);
        Self::with(&shipped.map_or_else(multicall, |folder| folder.join("bd")))
    }

    /// An empty project for the program that was built with the tests: it is linked dynamically.
    pub(crate) fn dynamic() -> Self {
        Self::with(&multicall())
    }

    fn with(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("bd");
        // Another file system has no hard links to it: then a copy does.
        if std::fs::hard_link(program, &own).is_err() {
            std::fs::copy(program, &own).unwrap();
        }
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let project = Self {
            folder,
            program: own,
        };
        project.ok(&["init", "--prefix", "bd", "--quiet"]);
        project
    }

    /// A path in the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// A path beside the project.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that is ready to be run.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(args)
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .env("BEADS_ACTOR", "tester")
            .env("GIT_AUTHOR_EMAIL", "tester@example.com")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(args, &self.command(args).output().unwrap())
    }

    /// Runs a command that must succeed and returns what it printed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        self.run(args).ok()
    }

    /// Makes a bead and returns its id.
    pub(crate) fn make(&self, title: &str) -> String {
        self.ok(&["q", title]).trim().to_owned()
    }

    /// The ids of all beads, as a reader sees them; none twice.
    pub(crate) fn listed(&self) -> BTreeSet<String> {
        let out = self.ok(&["list", "--all", "--limit", "0", "--json"]);
        let list: Value = serde_json::from_str(&out).unwrap_or_else(|error| {
            panic!("a list is torn: {error}: {} bytes", out.len());
        });
        let ids: Vec<_> = list.as_array().unwrap().iter().map(id_of).collect();
        let set: BTreeSet<_> = ids.iter().cloned().collect();
        assert_eq!(set.len(), ids.len(), "an id is listed twice");
        set
    }

    /// Some beads, as a reader sees them.
    pub(crate) fn shown(&self, ids: &[&str]) -> Vec<Value> {
        let out = self.ok(&[&["show"], ids, &["--json"]].concat());
        let beads: Vec<Value> = serde_json::from_str(&out).unwrap();
        assert_eq!(beads.len(), ids.len(), "{ids:?}: {out}");
        beads
    }

    /// Folds, and reads the file.
    pub(crate) fn folded(&self) -> Lines {
        self.ok(&["sync"]);
        Lines::read(&self.path(".beads/issues.jsonl"))
    }

    /// Puts beads into the file, as a pull would, until it has some MiB, so that changes are folded
    /// late.
    pub(crate) fn grow(&self, mib: usize) {
        self.grow_to(mib * 1024);
    }

    /// Puts beads of about 1 KiB into the file.
    pub(crate) fn grow_to(&self, count: usize) {
        let path = self.path(".beads/issues.jsonl");
        let mut text = std::fs::read_to_string(&path).unwrap_or_default();
        let filler = "All work and no play makes a long description. ".repeat(20);
        for number in 0..count {
            let time = "2026-01-02T03:04:05Z";
            writeln!(
                text,
                "{{\"id\":\"bd-g{number:05}\",\"title\":\"Grown {number}\",\"description\":\"{filler}\",\
                 \"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"{time}\",\
                 \"updated_at\":\"{time}\"}}"
            )
            .unwrap();
        }
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        self.ok(&["ready"]);
    }
}

impl Ran {
    /// What a process left behind.
    pub(crate) fn of(args: &[&str], output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            what: format!("bd {}", args.join(" ")),
        }
    }

    /// What it printed; it must have succeeded.
    pub(crate) fn ok(self) -> String {
        assert_eq!(
            self.code,
            Some(0),
            "{}: {}{}",
            self.what,
            self.out,
            self.err
        );
        self.out
    }
}

/// The id of a bead in JSON.
pub(crate) fn id_of(bead: &Value) -> String {
    bead["id"].as_str().unwrap().to_owned()
}

/// The program beside the running test that is all programs.
fn multicall() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let folder = exe.parent().and_then(Path::parent).unwrap();
    folder.join("multicall")
}
