//! The behaviour of `bd` as a user or an agent sees it.

mod compact;
mod compatibility;
mod concurrency;
mod create;
mod data;
mod delete;
mod dep;
mod discovery;
mod doctor;
mod edge_cases;
mod edge_records;
mod era;
mod foreign;
mod foreign_stores;
mod gt_calls;
mod gt_v05;
mod history;
mod hooks;
mod hostile;
mod imports;
mod internal;
mod list;
mod machine;
mod mcp;
mod migrate;
mod mol;
mod one_truth;
mod other_versions;
mod ready;
mod recorded;
mod recorded_admin;
mod recorded_structure;
mod recorded_work;
mod restore;
mod schema;
mod settings;
mod show;
mod structure;
mod three_clones;
mod uninstall;
mod update;
mod views;
mod words;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A project in a folder of its own, with an environment of its own.
pub(crate) struct Project {
    keep: tempfile::TempDir,
}

/// How one command ended.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Project {
    /// A folder without beads.
    pub(crate) fn empty() -> Self {
        let keep = tempfile::tempdir().unwrap();
        std::fs::create_dir(keep.path().join("work")).unwrap();
        Self { keep }
    }

    /// A project with the prefix `bd`.
    pub(crate) fn new() -> Self {
        let project = Self::empty();
        project.ok(&["init", "--prefix", "bd", "--quiet"]);
        project
    }

    /// The folder in which commands run.
    pub(crate) fn dir(&self) -> PathBuf {
        self.keep.path().join("work")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes a file as someone else did it a while ago.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let a_while_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(a_while_ago).unwrap();
    }

    /// Writes the user's own settings, which belong to no project.
    pub(crate) fn write_user_settings(&self, text: &str) {
        self.write("../.config/bd/config.yaml", text);
    }

    /// A command that is ready to be run: an empty environment but for what is needed.
    pub(crate) fn command(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bd"));
        command
            .args(args)
            .current_dir(dir)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.keep.path())
            .env("BEADS_ACTOR", "tester")
            .env("GIT_AUTHOR_EMAIL", "tester@example.com")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(&self.dir(), args).output().unwrap())
    }

    pub(crate) fn run_in(&self, dir: &Path, args: &[&str]) -> Ran {
        ran(self.command(dir, args).output().unwrap())
    }

    pub(crate) fn run_with(&self, env: &[(&str, &str)], args: &[&str]) -> Ran {
        let mut command = self.command(&self.dir(), args);
        ran(command.envs(env.iter().copied()).output().unwrap())
    }

    /// Runs a command that must succeed and returns what it printed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "bd {args:?}: {}{}", ran.out, ran.err);
        ran.out
    }

    /// Runs a command that must fail and returns what it said on standard error.
    pub(crate) fn fails(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_ne!(ran.code, 0, "bd {args:?} succeeded: {}", ran.out);
        ran.err
    }

    /// Runs a command with `--json` that must succeed and reads what it printed.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let out = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// Makes a bead and returns its id.
    pub(crate) fn make(&self, title: &str, more: &[&str]) -> String {
        let out = self.ok(&[&["create", title, "--silent"], more].concat());
        out.trim().to_owned()
    }

    /// The only bead of `show`.
    pub(crate) fn shown(&self, id: &str) -> Value {
        self.json(&["show", id])[0].clone()
    }
}

fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The ids in an array of beads.
pub(crate) fn ids(list: &Value) -> Vec<&str> {
    let beads = list.as_array().unwrap().iter();
    beads.map(|bead| bead["id"].as_str().unwrap()).collect()
}

#[test]
fn version_and_help_work_anywhere() {
    let project = Project::empty();
    for args in [
        &["--version"][..],
        &["-V"],
        &["version"],
        &["--allow-stale", "version"],
    ] {
        assert!(project.ok(args).starts_with("bd version 2.0.0"), "{args:?}");
    }
    assert_eq!(project.json(&["version"])["version"], "2.0.0");
    for args in [&["--help"][..], &["help"], &[]] {
        let help = project.ok(args);
        for word in ["Usage:", "Available Commands:", "create", "list", "show"] {
            assert!(help.contains(word), "{args:?} {word}");
        }
    }
    assert!(
        project
            .ok(&["quickstart"])
            .contains("beads with dependencies")
    );
}

#[test]
fn unknown_flags_and_commands_exit_with_one() {
    let project = Project::new();
    let ran = project.run(&["list", "--nosuch"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("unknown flag: --nosuch"), "{}", ran.err);
    assert_eq!(project.run(&["nosuch"]).code, 1);
}

#[test]
fn global_flags_are_accepted_before_and_after_the_command() {
    let project = Project::new();
    let noise = [
        "--no-daemon",
        "--allow-stale",
        "--no-auto-flush",
        "--no-auto-import",
        "--sandbox",
        "--no-db",
    ];
    let before = [&noise[..], &["--json", "list"]].concat();
    let after = [&["list", "--json"], &noise[..], &["--lock-timeout", "5s"]].concat();
    assert_eq!(project.ok(&before), "[]\n");
    assert_eq!(project.ok(&after), "[]\n");
}

#[test]
fn read_only_mode_refuses_every_change_and_allows_reads() {
    let project = Project::new();
    let id = project.make("One", &[]);
    let id = id.as_str();
    for args in [
        &["create", "x"][..],
        &["q", "x"],
        &["update", id, "-p", "1"],
        &["close", id],
        &["reopen", id],
        &["delete", id, "--force"],
        &["dep", "add", id, "external:a:b"],
        &["label", "add", id, "x"],
        &["comment", id, "x"],
        &["config", "set", "actor", "x"],
        &["defer", id],
        &["todo", "add", "x"],
        &["init", "--force"],
    ] {
        let error = project.fails(&[&["--readonly"], args].concat());
        assert!(
            error.contains("not allowed in read-only mode"),
            "{args:?}: {error}"
        );
    }
    assert_eq!(ids(&project.json(&["--readonly", "list"])), [id]);
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let project = Project::new();
    let mut child = project
        .command(&project.dir(), &["help"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty());
}
