//! Measures the cost of an idle town, and a pass over a large one.

use std::time::Duration;

use town_tests::{Town, eventually};

use crate::measure::{Samples, cost, quantile};

/// How long an idle town is watched.
const WATCHED: Duration = Duration::from_secs(120);

#[test]
fn an_idle_town_uses_almost_no_resources() {
    if std::env::var("GASTOWN_SOAK").is_err() {
        return;
    }
    let town = idle_town();
    let samples = Samples::begin(&town);
    let pid = samples.daemon().unwrap();
    // What follows the last landing: beads go to their branch.
    std::thread::sleep(Duration::from_secs(100));
    let children = || samples.pids().len();
    let (before, _) = cost(pid).unwrap();
    let had = children();
    std::thread::sleep(WATCHED);
    let (after, memory) = cost(pid).unwrap();
    eprintln!(
        "idle: {} workers, {:.3} % of a core, {memory:.1} MiB, {had} processes of the town before and {} after",
        town.polecats().len(),
        100.0 * (after - before) / WATCHED.as_secs_f64(),
        children(),
    );
    // A change wakes it.
    let bead = town.bead("r0", "Late");
    let convoy = town
        .gt(["convoy", "create", "Late", &bead, "--json"])
        .ok()
        .json();
    let convoy = convoy["id"].as_str().unwrap().to_owned();
    let began = std::time::Instant::now();
    town.bd("r0", ["close", &bead]).ok();
    eventually("the convoy has landed", || {
        (town.status_of(".", &convoy) == "closed").then_some(())
    });
    eprintln!(
        "idle: landed {:.2} s after a bead was closed by hand",
        began.elapsed().as_secs_f64()
    );
}

/// A town of 10 rigs with 30 workers whose work is done.
fn idle_town() -> Town {
    let town = Town::new();
    town.script("echo \"$GT_BEAD\" > \"$GT_BEAD.txt\"");
    let rigs: Vec<String> = (0..10).map(|rig| format!("r{rig}")).collect();
    let mut beads = Vec::new();
    for rig in &rigs {
        town.add_rig(rig, rig);
    }
    town.up();
    for rig in &rigs {
        // Three workers each, which are idle when their work is done.
        let own: Vec<String> = (0..3)
            .map(|number| town.bead(rig, &format!("Work {number}")))
            .collect();
        let mut args = vec!["sling"];
        args.extend(own.iter().map(String::as_str));
        args.push(rig);
        town.gt(args).ok();
        beads.extend(own.into_iter().map(|id| (rig.clone(), id)));
    }
    for (rig, id) in &beads {
        town.closed(rig, id);
    }
    town.quiet();
    town
}

#[test]
fn patrol_passes_over_a_large_town_are_measured() {
    if std::env::var("GASTOWN_SOAK").is_err() {
        return;
    }
    let (town, _origin) = Town::with_rig();
    let town = town.with_env("GTD_LOG", "info,gtd::run=debug");
    town.script("while :; do sleep 60; done");
    let lines: Vec<String> = (0..10_000)
        .map(|number| {
            format!(
                r#"{{"id":"web-x{number}","title":"Old work {number}","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}}"#
            )
        })
        .collect();
    let file = town.root().join("web/.beads/issues.jsonl");
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    let mut all: Vec<&str> = before.lines().collect();
    all.extend(lines.iter().map(String::as_str));
    all.sort_unstable();
    std::fs::write(&file, all.join("\n") + "\n").unwrap();
    town.gt(["config", "set", "max_polecats", "100", "--rig", "web"])
        .ok();
    let ids: Vec<String> = (0..100).map(|number| format!("web-x{number}")).collect();
    for ten in ids.chunks(10) {
        let mut args = vec!["sling", "--no-convoy"];
        args.extend(ten.iter().map(String::as_str));
        args.push("web");
        town.gt(args).ok();
    }
    town.up();
    eventually("all sessions run", || {
        (town.sessions().len() >= 100).then_some(())
    });
    let samples = Samples::begin(&town);
    // Each nudge of the daemon is a look.
    for _ in 0..50 {
        let before = samples.looks().len();
        let id = ids.last().unwrap();
        town.bd("web", ["comments", "add", id, "look"]).ok();
        eventually("it looks", || {
            (samples.looks().len() > before).then_some(())
        });
    }
    let looks = samples.looks();
    let last = &looks[looks.len().saturating_sub(50)..];
    let tmux: Vec<f64> = (0..20).map(|_| list_sessions(&town)).collect();
    eprintln!(
        "large: {} sessions, 10000 beads, a look p50 {:.1} ms p95 {:.1} ms; tmux's own answer p50 {:.1} ms",
        town.sessions().len(),
        quantile(last, 50),
        quantile(last, 95),
        quantile(&tmux, 50),
    );
}

/// How long tmux takes to list the sessions, in milliseconds.
fn list_sessions(town: &Town) -> f64 {
    let socket = std::fs::read_dir(town.path("tmux")).unwrap().flatten();
    let folder = socket
        .map(|entry| entry.path())
        .find(|path| path.is_dir())
        .unwrap();
    let socket = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let began = std::time::Instant::now();
    let list = [
        "-S",
        socket.to_str().unwrap(),
        "list-panes",
        "-a",
        "-F",
        "#{session_name} #{pane_pid}",
    ];
    town.program_on_path("tmux").args(list).ok();
    began.elapsed().as_secs_f64() * 1000.0
}
