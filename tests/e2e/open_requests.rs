//! Many open merge requests: merging some of them costs what it costs in a town with few, and the
//! daemon stays small.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually, read_text};

/// The requests that nothing blocks.
const READY: usize = 10;

/// The daemon's memory with a thousand open requests, in KiB. 103 MiB before only what is needed
/// was read, 60 MiB since.
const MEMORY_LIMIT: u64 = 80 * 1024;

/// A town with open merge requests, and a `git` that writes a line per process.
struct RequestTown {
    worker: Worker,
    git_log: PathBuf,
}

impl RequestTown {
    /// A town with `count` open requests, each with a branch of its own at the origin, a file of
    /// its own, and a convoy. An open bead blocks all but the first [`READY`], if `is_blocked`.
    fn new(count: usize, is_blocked: bool) -> Self {
        let worker = Worker::new();
        worker.commit("pattern.txt");
        let request = worker.hand_in();
        let town = &worker.town;
        let blocker = town.bead("web", "Blocks the others");
        for store in ["web", "."] {
            town.bd(store, ["sync", "-q"]).ok();
        }
        let pattern = read_line(town, "web", |bead| bead["id"] == *request);
        let bead = read_line(town, "web", |bead| bead["id"] == *worker.bead);
        let convoy = read_line(town, ".", |bead| {
            bead["issue_type"] == "convoy" && bead.to_string().contains(&worker.bead)
        });
        let receipt = pattern["metadata"]["receipt"].clone();
        let tips = push_branches(&worker, text(&receipt["base"]), count);
        let (mut rig_lines, mut town_lines) = (String::new(), String::new());
        for (number, tip) in tips.iter().enumerate() {
            let (branch, file) = (branch_name(number), file_name(number));
            let number = format!("{number:04}");
            let names = BTreeMap::from([
                (request.as_str(), format!("{request}x{number}")),
                (worker.bead.as_str(), format!("{}x{number}", worker.bead)),
                (
                    text(&convoy["id"]),
                    format!("{}x{number}", text(&convoy["id"])),
                ),
                (text(&receipt["tip"]), tip.clone()),
                (text(&receipt["branch"]), branch),
                ("pattern.txt", file),
            ]);
            let mut new = copy_line(&pattern, &names);
            if is_blocked && number.parse::<usize>().unwrap() >= READY {
                let blocks =
                    json!({ "issue_id": new["id"], "depends_on_id": blocker, "type": "blocks" });
                new["dependencies"] = json!([blocks]);
            }
            rig_lines += &format!("{new}\n{}\n", copy_line(&bead, &names));
            town_lines += &format!("{}\n", copy_line(&convoy, &names));
        }
        append(town.root().join("web/.beads/issues.jsonl"), &rig_lines);
        append(town.root().join(".beads/issues.jsonl"), &town_lines);
        town.gt(["mq", "reject", &request, "-r", "The pattern"])
            .ok();
        let git_log = count_git(town);
        Self { worker, git_log }
    }

    /// The number of requests that were merged.
    fn count_merged(&self) -> usize {
        self.worker.town.events("merged").len()
    }

    /// The git processes since the last call, by command.
    fn take_git_commands(&self) -> BTreeMap<String, usize> {
        let log = std::fs::read_to_string(&self.git_log).unwrap();
        std::fs::write(&self.git_log, "").unwrap();
        let mut commands = BTreeMap::new();
        for line in log.lines() {
            *commands.entry(find_command(line)).or_default() += 1;
        }
        commands
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn branch_name(number: usize) -> String {
    format!("polecat/many/{number:04}")
}

fn file_name(number: usize) -> String {
    format!("many-{number:04}.txt")
}

/// The line of a folded bead.
fn read_line(town: &Town, store: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let beads = town.root().join(store).join(".beads");
    let files = ["issues.jsonl", "wisps.jsonl"].map(|name| beads.join(name));
    let texts = files
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    let text: String = texts.collect();
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.find(is_wanted).unwrap()
}

/// The line with each name replaced. No name is part of another one's replacement.
fn copy_line(line: &Value, names: &BTreeMap<&str, String>) -> Value {
    let mut copy = line.to_string();
    let mut by_length: Vec<_> = names.iter().collect();
    by_length.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (at, (name, _)) in by_length.iter().enumerate() {
        copy = copy.replace(*name, &format!("\u{1}{at}\u{1}"));
    }
    for (at, (_, new)) in by_length.iter().enumerate() {
        copy = copy.replace(&format!("\u{1}{at}\u{1}"), new);
    }
    serde_json::from_str(&copy).unwrap()
}

fn append(path: PathBuf, lines: &str) {
    let before = read_text(&path);
    std::fs::write(path, before + lines).unwrap();
}

/// Makes branches at the origin, each with one commit that adds one file; returns the commits.
fn push_branches(worker: &Worker, base: &str, count: usize) -> Vec<String> {
    let marks = worker.town.path("marks");
    let export = format!("--export-marks={}", marks.display());
    let mut stream = "blob\nmark :1\ndata 2\na\n\n".to_owned();
    for number in 0..count {
        let (branch, file, mark) = (branch_name(number), file_name(number), number + 2);
        stream += &format!(
            "commit refs/heads/{branch}\nmark :{mark}\ncommitter nux <nux@example.com> 1700000000 +0000\n\
             data 3\nAdd\nfrom {base}\nM 644 :1 {file}\n\n"
        );
    }
    let git = worker.town.program_on_path("git");
    let origin = worker.origin.path().to_str().unwrap();
    git.args(["-C", origin, "fast-import", "--quiet", &export])
        .input(&stream)
        .ok();
    let marks = std::fs::read_to_string(marks).unwrap();
    let commits: BTreeMap<&str, &str> = marks
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    let commit_of = |number| commits[&*format!(":{}", number + 2)].to_owned();
    (0..count).map(commit_of).collect()
}

/// Puts a `git` on the PATH of the town's programs that writes its arguments to a file first.
fn count_git(town: &Town) -> PathBuf {
    let log = town.path("git.log");
    std::fs::write(&log, "").unwrap();
    let find_git = town.program_on_path("sh").args(["-c", "command -v git"]);
    let script = format!(
        "#!/bin/sh\necho \"$*\" >>{}\nexec {} \"$@\"\n",
        log.display(),
        find_git.ok().text()
    );
    let path = town.path("bin/git");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    log
}

/// The command of a call of git, without the options before it.
fn find_command(line: &str) -> String {
    let mut words = line.split(' ');
    while let Some(word) = words.next() {
        match word {
            "-c" | "-C" => drop(words.next()),
            word if word.starts_with('-') => {}
            word => return word.to_owned(),
        }
    }
    line.to_owned()
}

#[test]
fn merging_runs_the_same_git_commands_with_ten_and_with_sixty_open_requests() {
    let merge_ready = |open| {
        let place = RequestTown::new(open, true);
        place.worker.town.gtd(["run", "--once"]).ok();
        assert_eq!(place.count_merged(), READY);
        place.take_git_commands()
    };
    assert_eq!(merge_ready(60), merge_ready(READY));
}

/// The peak of a process's memory, in KiB.
fn peak_memory(pid: u64) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[ignore = "takes minutes, and needs the release programs: make nightly"]
fn the_daemon_merges_and_starts_workers_in_little_memory_with_a_thousand_open_requests() {
    let place = RequestTown::new(1000, false);
    let town = &place.worker.town;
    town.up();
    let status = town.gt(["daemon", "status", "--json"]).ok().json();
    let pid = status["pid"].as_u64().unwrap();
    let merged = |count| {
        eventually("more requests are merged", || {
            (place.count_merged() >= count).then_some(())
        });
    };
    merged(30);
    let beads: Vec<String> = (0..5)
        .map(|number| town.bead("web", &format!("Slung {number}")))
        .collect();
    let words = ["sling"].into_iter();
    let words = words.chain(beads.iter().map(String::as_str)).chain(["web"]);
    let before = place.count_merged();
    town.gt(words).ok();
    for bead in &beads {
        eventually("a worker has the bead", || {
            (town.status_of("web", bead) == "hooked").then_some(())
        });
    }
    merged(before + 30);
    let peak = peak_memory(pid);
    println!("{peak} KiB with a thousand open requests");
    assert!(peak < MEMORY_LIMIT, "{peak} KiB");
    town.gt(["down"]).ok();
}
