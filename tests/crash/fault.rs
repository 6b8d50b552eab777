//! System calls that fail: each call of a command on the store's files in turn, with each kind of
//! failure.
//!
//! The calls are counted first, in a run in which none fails. What is not tried: reading the
//! settings (`config.yaml`, `metadata.json`, `routes.jsonl`, redirects), which every command does
//! in the same way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use town_tests::{count, report_skip};

use crate::lines::Lines;
use crate::project::Ran;
use crate::{Project, chance};

const NO_COMPILER: &str = "no C compiler (cc) to build the shim with";

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// With an input/output error.
    Eio,
    /// For want of room, once.
    Enospc,
    /// For want of room, and from then on.
    Full,
    /// A write of half of what was given; the next finds no room.
    Short,
}

/// A command whose calls are made to fail.
struct Case {
    name: &'static str,
    args: &'static [&'static str],
    /// Whether everything derived from the file is deleted before it.
    without_index: bool,
}

/// `bd-g00001` and so on are there; the first has a label.
const CASES: [Case; 11] = [
    case(
        "create",
        &[
            "create",
            "Made under faults",
            "-d",
            "whole",
            "-l",
            "one,two",
        ],
    ),
    case(
        "update",
        &[
            "update",
            "bd-g00001",
            "--title",
            "Other",
            "--priority",
            "0",
            "--notes",
            "n",
        ],
    ),
    case(
        "close of three",
        &["close", "bd-g00001", "bd-g00002", "bd-g00003"],
    ),
    case("label add", &["label", "add", "bd-g00002", "new"]),
    case(
        "comment",
        &["comments", "add", "bd-g00003", "Said under faults"],
    ),
    case("dep add", &["dep", "add", "bd-g00001", "bd-g00002"]),
    case("delete", &["delete", "bd-g00004", "--force"]),
    case("fold", &["sync"]),
    case("show", &["show", "bd-g00001", "--json"]),
    case("ready", &["ready", "--json"]),
    Case {
        name: "index build",
        args: &["ready", "--json"],
        without_index: true,
    },
];

const fn case(name: &'static str, args: &'static [&'static str]) -> Case {
    Case {
        name,
        args,
        without_index: false,
    }
}

#[test]
fn a_failing_system_call_never_damages_a_small_store() {
    let project = Project::dynamic();
    project.grow_to(40);
    faults("faults, small", &project, 12);
}

#[test]
fn a_failing_system_call_never_damages_a_store_with_late_folds() {
    let project = Project::dynamic();
    project.grow(2);
    // What is not yet folded when a command begins.
    project.ok(&["label", "add", "bd-g00001", "early"]);
    project.make("Made early");
    faults("faults, large", &project, 36);
}

#[test]
fn a_change_folded_late_costs_one_fsync() {
    let project = Project::dynamic();
    project.grow(2);
    let Some(shim) = shim(&project) else {
        report_skip(NO_COMPILER);
        return;
    };
    // The first change of all also makes the journal.
    project.make("The first");
    let before = project.folded();
    keep(&project.path(".beads"), &project.beside("kept"));
    let bench = Bench {
        project: &project,
        before,
        shim,
    };
    for case in &CASES {
        let (calls, expected) = bench.count(case);
        let syncs: Vec<&String> = calls.iter().filter(|call| call.ends_with("sync")).collect();
        let wanted: &[&str] = if expected.changes.is_empty() {
            &[]
        } else {
            &["fdatasync"]
        };
        assert_eq!(syncs, wanted, "{}", case.name);
    }
}

/// Runs commands while a few bytes of a line cannot be read.
fn bad_place(project: &Project, shim: &Path, text: &str, number: usize) -> impl Fn(&[&str]) -> Ran {
    let from: usize = text.lines().take(number).map(|line| line.len() + 1).sum();
    project.ok(&["ready"]);
    move |args| {
        let mut command = project.command(args);
        command
            .env("LD_PRELOAD", shim)
            .env("FAULT_FILE", "issues.jsonl")
            .env("FAULT_FROM", (from + 10).to_string())
            .env("FAULT_TO", (from + 20).to_string());
        Ran::of(args, &command.output().unwrap())
    }
}

#[test]
fn an_unreadable_line_is_reported_and_other_beads_stay_readable() {
    let project = Project::dynamic();
    project.grow(2);
    let Some(shim) = shim(&project) else {
        report_skip(NO_COMPILER);
        return;
    };
    let text = std::fs::read_to_string(project.path(".beads/issues.jsonl")).unwrap();
    let mut lines = text.lines();
    let number = lines.position(|line| line.contains("\"bd-g00700\""));
    let number = number.unwrap();
    let run = bad_place(&project, &shim, &text, number);
    let place = format!("issues.jsonl, line {}: bd-g00700", number + 1);
    let reads: [&[&str]; 3] = [
        &["show", "bd-g00700"],
        &["show", "bd-g00699", "bd-g00700"],
        &["list", "--all", "--limit", "0"],
    ];
    for args in reads {
        let ran = run(args);
        assert_eq!(ran.code, Some(1), "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(&place), "{args:?}: {}", ran.err);
    }
    let ran = run(&["update", "bd-g00700", "--title", "Other"]);
    assert!(
        ran.code == Some(1) && ran.err.contains(&place),
        "{}",
        ran.err
    );
    for args in [
        &["show", "bd-g00699"][..],
        &["show", "bd-g00701"],
        &["ready"],
        &["count"],
    ] {
        run(args).ok();
    }
    // A change of another bead is acknowledged, and seen, though the file cannot be rewritten.
    run(&["update", "bd-g00701", "--title", "Changed beside it"]).ok();
    assert!(
        run(&["show", "bd-g00701"])
            .ok()
            .contains("Changed beside it")
    );
    let ran = run(&["sync"]);
    assert!(
        ran.code == Some(1) && ran.err.contains("issues.jsonl"),
        "{}",
        ran.err
    );
    // Once the place can be read again nothing is missing.
    let lines = project.folded();
    assert!(lines.0["bd-g00701"].contains("Changed beside it"));
    assert_eq!(lines.0.len(), text.lines().count());
}

/// A store as it is before each try, and the program with its calls under control.
struct Bench<'a> {
    project: &'a Project,
    shim: PathBuf,
    before: Lines,
}

/// In CI one try of `stride`, others each time; all of them where the large counts are wanted.
fn faults(name: &str, project: &Project, stride: usize) {
    let Some(shim) = shim(project) else {
        report_skip(NO_COMPILER);
        return;
    };
    let mut chance = chance(name);
    keep(&project.path(".beads"), &project.beside("kept"));
    let mut bench = Bench {
        project,
        shim,
        before: Lines::default(),
    };
    bench.before = project.folded();
    let (tries, hits) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for case in &CASES {
        let (calls, expected) = bench.count(case);
        assert!(!calls.is_empty(), "the shim sees no call of {}", case.name);
        let stride = count(stride, 1);
        for (number, call) in (1..).zip(&calls) {
            for &kind in Kind::of(call) {
                if chance.usize(..stride) == 0 {
                    tries.fetch_add(1, Ordering::Relaxed);
                    let hit = bench.attempt(case, number, kind, call, &expected);
                    hits.fetch_add(usize::from(hit), Ordering::Relaxed);
                }
            }
        }
        eprintln!(
            "{name}: {}: {} calls: {}",
            case.name,
            calls.len(),
            summary(&calls)
        );
    }
    eprintln!("{name}: {tries:?} tries, {hits:?} faults hit");
}

/// What a command gives when nothing fails.
struct Expected {
    changes: Vec<String>,
    out: String,
}

impl Bench<'_> {
    /// The calls of a command, and what it does, when nothing fails.
    fn count(&self, case: &Case) -> (Vec<String>, Expected) {
        self.reset(case);
        let log = self.project.beside("calls");
        let ran = self.run(case, &log, None);
        let calls = read_log(&log);
        let out = ran.ok();
        let changes = self.project.folded().changes_since(&self.before);
        (calls, Expected { changes, out })
    }

    /// Makes one call fail, and looks at what the command says and leaves. Whether the call was
    /// made.
    fn attempt(
        &self,
        case: &Case,
        number: usize,
        kind: Kind,
        call: &str,
        expected: &Expected,
    ) -> bool {
        self.reset(case);
        let log = self.project.beside("calls");
        let ran = self.run(case, &log, Some((number, kind)));
        let what = format!(
            "{}: call {number} ({call}) fails: {kind:?}\n{:?}\n{}{}",
            case.name, ran.code, ran.out, ran.err
        );
        let hit = read_log(&log).len() >= number;
        let succeeded = match ran.code {
            Some(0) => true,
            Some(1 | 2) => false,
            _ => panic!("no clear end: {what}"),
        };
        assert!(!ran.err.contains("panicked"), "{what}");
        assert!(
            succeeded || ran.err.to_lowercase().contains("error"),
            "no clear error: {what}"
        );
        if succeeded && case.args.contains(&"--json") {
            assert_eq!(ran.out, expected.out, "another answer: {what}");
        }
        // Without faults the store opens, and what is seen is what will be folded.
        let seen = self
            .project
            .run(&["list", "--all", "--limit", "0", "--json"]);
        assert_eq!(
            seen.code,
            Some(0),
            "the store does not open: {what}\n{}",
            seen.err
        );
        let after = self.folded(&what);
        let changes = after.changes_since(&self.before);
        let whole = changes == expected.changes;
        assert!(
            whole || changes.is_empty(),
            "half done: {what}\n{changes:#?}\nnot {:#?}",
            expected.changes
        );
        assert!(whole || !succeeded, "not done: {what}");
        let next = self.project.run(&["q", "Next"]);
        assert_eq!(
            next.code,
            Some(0),
            "the next write fails: {what}\n{}",
            next.err
        );
        assert!(
            self.folded(&what).0.contains_key(next.out.trim()),
            "the next write is lost: {what}"
        );
        hit
    }

    fn folded(&self, what: &str) -> Lines {
        let ran = self.project.run(&["sync"]);
        assert_eq!(ran.code, Some(0), "it does not fold: {what}\n{}", ran.err);
        Lines::read(&self.project.path(".beads/issues.jsonl"))
    }

    /// The store as it was before the first try, with whatever is derived from it made or deleted.
    fn reset(&self, case: &Case) {
        let store = self.project.path(".beads");
        keep(&self.project.beside("kept"), &store);
        self.project.ok(&["ready"]);
        if case.without_index {
            std::fs::remove_file(store.join("index.bin")).ok();
        }
    }

    fn run(&self, case: &Case, log: &Path, fault: Option<(usize, Kind)>) -> Ran {
        std::fs::remove_file(log).ok();
        let mut command = self.project.command(case.args);
        command.env("LD_PRELOAD", &self.shim).env("FAULT_LOG", log);
        if let Some((number, kind)) = fault {
            command
                .env("FAULT_AT", number.to_string())
                .env("FAULT_KIND", kind.word());
        }
        Ran::of(case.args, &command.output().unwrap())
    }
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Eio => "eio",
            Self::Enospc => "enospc",
            Self::Full => "full",
            Self::Short => "short",
        }
    }

    /// The ways in which a call of that name fails.
    fn of(call: &str) -> &'static [Self] {
        match call {
            "write" | "pwrite" | "writev" | "copy_file_range" => {
                &[Self::Eio, Self::Enospc, Self::Full, Self::Short]
            }
            "open" | "openat" | "fsync" | "fdatasync" | "rename" | "renameat" | "renameat2"
            | "link" | "linkat" | "mmap" => &[Self::Eio, Self::Enospc, Self::Full],
            _ => &[Self::Eio],
        }
    }
}

/// Builds the shim; `None` where there is no compiler.
fn shim(project: &Project) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("crash/fault.c");
    let shim = project.beside("fault.so");
    let built = Command::new("cc")
        .args([
            "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o",
        ])
        .args([&shim, &source])
        .args(["-ldl", "-lpthread"])
        .output()
        .ok()?;
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    Some(shim)
}

/// The names of the calls in a log.
fn read_log(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let names = text.lines().filter_map(|line| line.split(' ').nth(1));
    names.map(str::to_owned).collect()
}

/// How often each call is made.
fn summary(calls: &[String]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for call in calls {
        *counts.entry(call).or_default() += 1;
    }
    let words = counts.iter().map(|(call, count)| format!("{count} {call}"));
    words.collect::<Vec<_>>().join(", ")
}

/// Makes `to` a copy of the folder `from`.
fn keep(from: &Path, to: &Path) {
    std::fs::remove_dir_all(to).ok();
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            keep(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
            // As if it had been there for a while: a file that someone just wrote is left to them.
            let file = std::fs::File::options().write(true).open(&target).unwrap();
            let a_while_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
            file.set_modified(a_while_ago).unwrap();
        }
    }
}
