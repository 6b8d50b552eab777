//! A long run of a whole town: many workers of every mood, and everything that goes wrong around
//! them.
//!
//! `GASTOWN_SOAK="RIGS WORKERS BEADS SECONDS"` chooses its size: workers and beads are per rig.
//! Without it nothing runs. `make soak` runs 5 rigs with 6 workers and 60 beads each.
//! `GASTOWN_SOAK_JAIL` puts the workers into jails. Chance comes from a seed that is printed;
//! `GASTOWN_SEED` sets it. What it finds out is printed as a table of
//! Markdown.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a run prints what it does, starts processes, and stops at the first thing that is wrong"
)]

mod idle;
mod measure;
mod trouble;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use measure::{Samples, quantile};
use serde_json::Value;
use town_tests::{Repo, SmallDisk, Town};
use trouble::Trouble;

/// What workers do, by chance: most work; others hang, ask and go on when nudged, fail, or end
/// early.
const MOODS: &str = r#"
n=$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')
if [ "$n" -lt 15 ]; then while :; do sleep 1; done; fi
if [ "$n" -lt 35 ]; then echo 'Shall I go on?'; read answer; fi
if [ "$n" -ge 35 ] && [ "$n" -lt 55 ]; then echo 'I cannot'; exit 3; fi
if [ "$n" -ge 55 ] && [ "$n" -lt 70 ]; then kill -9 $PPID; fi
sleep 0.$((n % 10))
echo "$GT_BEAD" > "$GT_BEAD.txt"
"#;

/// A program that workers in jails and their gates run: it writes to a database of its own and asks a
/// web server of its own, at the port of its desk.
const SERVE: &str = r#"
import os, sqlite3, tempfile, threading, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

name = os.environ["GT_DESK"]
base = os.path.join(tempfile.mkdtemp(), name + ".db")

class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        text = sqlite3.connect(base).execute("select text from words").fetchone()[0]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *words):
        pass

with sqlite3.connect(base) as store:
    store.execute("create table words (text)")
    store.execute("insert into words values (?)", (name,))
port = int(os.environ["GT_PORT"])
server = HTTPServer(("127.0.0.1", port), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
for _ in range(20):
    found = urllib.request.urlopen(f"http://127.0.0.1:{port}/").read().decode()
    assert found == name, found
"#;

/// Settings with which a minute is enough for what takes hours else.
const QUICK: &[(&str, &str)] = &[
    ("patrol.progress.note", "3s"),
    ("patrol.progress.nudge", "6s"),
    ("patrol.progress.restart", "20s"),
    ("patrol.progress.restart_busy", "20s"),
    ("patrol.breaker.wait", "1s"),
    ("patrol.breaker.half_open", "20s"),
    ("patrol.push.interval", "20s"),
    // A minute here is hours elsewhere.
    ("patrol.budget.per_minute", "0"),
];

/// The size of a run.
#[derive(Debug, Clone, Copy)]
struct Size {
    rigs: usize,
    workers: usize,
    beads: usize,
    seconds: u64,
}

impl Size {
    fn wanted() -> Option<Self> {
        let text = std::env::var("GASTOWN_SOAK").ok()?;
        let numbers: Vec<u64> = text
            .split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect();
        let small = |number: u64| usize::try_from(number).unwrap();
        let [rigs, workers, beads, seconds] = numbers.try_into().unwrap();
        Some(Self {
            rigs: small(rigs),
            workers: small(workers),
            beads: small(beads),
            seconds,
        })
    }
}

/// A town with its work.
struct Soak<'a> {
    town: &'a Town,
    /// The town's own disk, where this user may mount one.
    disk: Option<SmallDisk<'a>>,
    origins: Vec<(String, Repo)>,
    /// The beads, with their rigs.
    beads: Vec<(String, String)>,
}

impl<'a> Soak<'a> {
    fn new(town: &'a Town, size: Size, rng: &mut fastrand::Rng) -> Self {
        let disk = SmallDisk::below(town, "1g");
        town.install();
        town.script(MOODS);
        let rigs: Vec<String> = (0..size.rigs).map(|rig| format!("r{rig}")).collect();
        let origins: Vec<(String, Repo)> = rigs
            .iter()
            .map(|rig| (rig.clone(), town.add_rig(rig, rig)))
            .collect();
        for (name, value) in QUICK {
            town.gt(["config", "set", name, value]).ok();
        }
        if std::env::var("GASTOWN_SOAK_JAIL").is_ok() {
            town.gt(["config", "set", "sandbox.jail", "required"]).ok();
            let serve = "/usr/bin/python3 serve.py";
            town.script(&format!("{MOODS}{serve} || exit 9\n"));
            for (rig, origin) in &origins {
                origin.commit("serve.py", SERVE, "Serve");
                town.gate(rig, serve);
            }
        }
        let most = size.workers.to_string();
        for rig in &rigs {
            town.gt(["config", "set", "max_polecats", &most, "--rig", rig])
                .ok();
        }
        let mut beads: Vec<(String, String)> = Vec::new();
        for number in 0..size.beads {
            for rig in &rigs {
                let id = town.bead(rig, &format!("Work {number}"));
                // One of four waits for another one, of any rig.
                if !beads.is_empty() && rng.u8(..4) == 0 {
                    let (_, other) = &beads[rng.usize(..beads.len())];
                    town.bd(rig, ["dep", "add", &id, other]).ok();
                }
                beads.push((rig.clone(), id));
            }
        }
        Self {
            town,
            disk,
            origins,
            beads,
        }
    }

    /// Begins all of the work: convoys of ten beads, slung rig by rig.
    fn begin(&self) {
        for (number, ten) in self.beads.chunks(10).enumerate() {
            let title = format!("Convoy {number}");
            let mut args = vec!["convoy", "create", title.as_str()];
            args.extend(ten.iter().map(|(_, id)| id.as_str()));
            self.town.gt(args).ok();
        }
        self.town.up();
        for (rig, _) in &self.origins {
            let own = self.beads.iter().filter(|(of, _)| of == rig);
            let mut args = vec!["sling"];
            args.extend(own.map(|(_, id)| id.as_str()));
            args.push(rig);
            self.town.gt(args).run();
        }
    }

    /// Retries stuck workers, as a user does who reads the messages.
    fn retry_stuck(&self) {
        let list = self.town.gt(["polecat", "list", "--json"]).run();
        let Ok(Value::Array(polecats)) = serde_json::from_str(&list.out) else {
            return;
        };
        for polecat in polecats.iter().filter(|one| one["stuck"].is_string()) {
            let text = |key: &str| polecat[key].as_str().unwrap_or_default();
            let name = format!("{}/{}", text("rig"), text("name"));
            self.town.gt(["polecat", "retry", &name]).run();
        }
    }

    /// The beads that are not closed.
    fn open(&self) -> Vec<String> {
        let mut status: BTreeMap<String, String> = BTreeMap::new();
        for (rig, _) in &self.origins {
            let all = ["list", "--all", "--limit", "0", "--json"];
            let listed = self.town.bd(rig, all).run();
            let Ok(Value::Array(listed)) = serde_json::from_str(&listed.out) else {
                continue;
            };
            let text = |bead: &Value, key: &str| bead[key].as_str().unwrap_or_default().to_owned();
            status.extend(
                listed
                    .iter()
                    .map(|bead| (text(bead, "id"), text(bead, "status"))),
            );
        }
        let is_open = |id: &&String| status.get(*id).is_none_or(|status| status != "closed");
        let ids = self.beads.iter().map(|(_, id)| id);
        ids.filter(is_open).cloned().collect()
    }

    /// How often each bead is on the target of its rig.
    fn landed(&self) -> BTreeMap<&str, usize> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (rig, origin) in &self.origins {
            let files = origin.git(["log", "--format=", "--name-only", "--diff-filter=A", "main"]);
            for (_, id) in self.beads.iter().filter(|(of, _)| of == rig) {
                let name = format!("{id}.txt");
                let times = files.lines().filter(|line| **line == *name).count();
                counts.insert(id, times);
            }
        }
        counts
    }

    /// How long each merge request was open, in seconds.
    fn queue_waits(&self) -> Vec<f64> {
        let mut waits = Vec::new();
        for (rig, _) in &self.origins {
            let all = [
                "list",
                "--all",
                "--limit",
                "0",
                "--type",
                "merge-request",
                "--json",
            ];
            let listed = self.town.bd(rig, all).ok().json();
            for request in listed.as_array().unwrap() {
                let at = |key: &str| request[key].as_str()?.parse::<jiff::Timestamp>().ok();
                if let (Some(from), Some(to)) = (at("created_at"), at("closed_at")) {
                    waits.push(to.duration_since(from).as_secs_f64());
                }
            }
        }
        waits
    }
}

fn seed() -> u64 {
    let given = std::env::var("GASTOWN_SEED").ok();
    let given = given.and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| fastrand::u64(..1_000_000))
}

#[test]
fn all_work_lands_or_is_escalated_under_every_kind_of_trouble() {
    let Some(size) = Size::wanted() else {
        return;
    };
    let seed = seed();
    eprintln!("soak: GASTOWN_SEED={seed} {size:?}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let town = Town::place().with_env("GTD_LOG", "info,gtd::run=debug");
    let soak = Soak::new(&town, size, &mut rng);
    let mut samples = Samples::begin(&town);
    let began = Instant::now();
    soak.begin();
    let end = began + Duration::from_secs(size.seconds);
    let calm = began + Duration::from_secs(size.seconds * 2 / 3);
    let mut troubles: BTreeMap<Trouble, usize> = BTreeMap::new();
    let mut open = soak.open();
    while !open.is_empty() && Instant::now() < end {
        samples.take();
        if Instant::now() < calm && rng.u8(..3) == 0 {
            let trouble = Trouble::draw(&mut rng);
            trouble.strike(&soak, &mut rng);
            *troubles.entry(trouble).or_default() += 1;
        }
        std::thread::sleep(Duration::from_secs(1));
        if began.elapsed().as_secs().is_multiple_of(20) {
            soak.retry_stuck();
        }
        open = soak.open();
        eprintln!("soak: {} s, {} open", began.elapsed().as_secs(), open.len());
    }
    let took = began.elapsed();
    if !soak.town.gt(["daemon", "status", "--json"]).ok().json()["running"]
        .as_bool()
        .unwrap()
    {
        soak.town.up();
    }
    report(&soak, size, seed, took, &troubles, &samples);
    let mail = serde_json::to_string(&soak.town.mail("overseer")).unwrap();
    let unheard: Vec<&String> = open.iter().filter(|id| !mail.contains(*id)).collect();
    assert!(
        unheard.is_empty(),
        "open, and nobody heard of it: {unheard:?}"
    );
    let wrong = soak.landed();
    let wrong = wrong.iter().filter(|(id, times)| {
        let wanted = usize::from(!open.iter().any(|one| one == **id));
        **times != wanted
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "lost, or landed twice: {wrong:?}");
    let health = soak.town.gt(["status", "--health"]).run();
    assert_eq!(health.code, 0, "{}", health.out);
}

fn report(
    soak: &Soak<'_>,
    size: Size,
    seed: u64,
    took: Duration,
    troubles: &BTreeMap<Trouble, usize>,
    samples: &Samples,
) {
    let waits = soak.queue_waits();
    let looks = samples.looks();
    let landed = soak.landed().values().filter(|times| **times == 1).count();
    let escalated = soak.open().len();
    let restarts = soak.town.events("respawn").len();
    let struck: Vec<String> = troubles
        .iter()
        .map(|(trouble, times)| format!("{trouble:?} {times}"))
        .collect();
    let rows = [
        (
            "rigs, workers, beads",
            format!(
                "{}, {}, {}",
                size.rigs,
                size.rigs * size.workers,
                soak.beads.len()
            ),
        ),
        ("seed", seed.to_string()),
        ("time", format!("{} s", took.as_secs())),
        ("troubles", struck.join(", ")),
        ("landed once", landed.to_string()),
        ("escalated", escalated.to_string()),
        ("sessions restarted", restarts.to_string()),
        (
            "merge request open, p50 / p95",
            format!(
                "{:.1} s / {:.1} s",
                quantile(&waits, 50),
                quantile(&waits, 95)
            ),
        ),
        (
            "gtd's look at the town, p50 / p95",
            format!(
                "{:.1} ms / {:.1} ms",
                quantile(&looks, 50),
                quantile(&looks, 95)
            ),
        ),
        (
            "gtd's CPU",
            format!(
                "{:.1} s, {:.1} % of a core",
                samples.cpu,
                100.0 * samples.cpu / took.as_secs_f64()
            ),
        ),
        ("gtd's memory, most", format!("{:.1} MiB", samples.memory)),
        ("processes of the town, most", samples.processes.to_string()),
    ];
    eprintln!("| | |\n| --- | --- |");
    for (name, value) in rows {
        eprintln!("| {name} | {value} |");
    }
}
