//! A town directory of the original's v0.5.0 layout opens, and nothing in it is rewritten before
//! the first write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use town_tests::Town;

/// The recorded town, copied to a place of its own.
fn old_town() -> Town {
    let place = Town::place();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/town-v0.5.0");
    copy(&from, &place.root());
    place
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every file with its content and the time it was written.
fn all(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(all(&path));
        } else {
            let written = std::fs::metadata(&path).unwrap().modified().unwrap();
            found.insert(path.clone(), (std::fs::read(&path).unwrap(), written));
        }
    }
    found
}

#[test]
fn status_convoys_and_prime_work_and_rewrite_nothing() {
    let town = old_town();
    let before = all(&town.root());
    let status = town.gt(["status", "--json"]).ok().json();
    assert_eq!(status["name"], "oldtown");
    let rig = &status["rigs"][0];
    assert_eq!(
        (rig["name"].as_str(), rig["prefix"].as_str()),
        (Some("gastown"), Some("gt"))
    );
    let states: Vec<(&str, &str)> = rig["agents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|agent| agent["role"] == "polecat")
        .map(|agent| {
            (
                agent["name"].as_str().unwrap(),
                agent["state"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(states, [("nux", "idle"), ("toast", "stalled")]);
    town.gt(["status"]).ok();
    let convoys = town.gt(["convoy", "list", "--all", "--json"]).ok().json();
    assert_eq!(convoys[1]["id"], "hq-cv-ab3de");
    assert_eq!(
        (
            convoys[1]["completed"].as_u64(),
            convoys[1]["total"].as_u64()
        ),
        (Some(1), Some(2))
    );
    town.gt(["convoy", "status", "hq-cv-ab3de"]).ok();
    let prime = town
        .gt(["prime", "--json"])
        .env("GT_ROLE", "gastown/polecats/toast")
        .ok()
        .json();
    assert_eq!(prime["bead"]["id"], "gt-9xk");
    let text = prime["text"].as_str().unwrap();
    assert!(text.contains("It squeaks & sticks."), "{text}");
    assert!(
        text.contains("\"Measure the gate\" (gt-4ab) completed by nux"),
        "{text}"
    );
    assert!(text.contains("(no summary was given)"), "{text}");
    assert_eq!(prime["unread_mail"], 1);
    let hook = town.gt(["hook", "gastown/toast", "--json"]).ok().json();
    assert_eq!(hook["bead_id"], "gt-9xk");
    town.gt(["mail", "inbox", "gastown/toast"]).ok();
    town.gt(["why", "gt-9xk"]).ok();
    assert!(
        town.bd("gastown", ["list"])
            .ok()
            .out
            .contains("Fix the gate")
    );
    town.bd("gastown", ["ready"]).ok();
    let after = all(&town.root());
    let changed: Vec<_> = after
        .iter()
        .filter(|(path, file)| before.get(*path) != Some(file))
        // Derived, and kept out of git.
        .filter(|(path, _)| {
            let own = ["index.bin", "info/exclude", ".local_version"];
            !own.iter().any(|name| path.ends_with(name))
        })
        .collect();
    assert!(
        changed.is_empty(),
        "{:?}",
        changed.iter().map(|(path, _)| path).collect::<Vec<_>>()
    );
    let gone: Vec<_> = before
        .keys()
        .filter(|path| !after.contains_key(*path) && !path.ends_with("beads.db"))
        .collect();
    assert!(gone.is_empty(), "{gone:?}");
}

#[test]
fn the_first_write_keeps_every_other_line_and_unknown_keys_byte_for_byte() {
    let town = old_town();
    let issues = town.root().join(".beads/issues.jsonl");
    let before = std::fs::read_to_string(&issues).unwrap();
    town.gt(["convoy", "close", "hq-cv-ab3de", "--force"]).ok();
    let after = std::fs::read_to_string(&issues).unwrap();
    let changed: Vec<&str> = after
        .lines()
        .filter(|line| !before.lines().any(|old| old == *line))
        .collect();
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert!(
        changed[0].starts_with("{\"id\":\"hq-cv-ab3de\"")
            && changed[0].contains("\"hop_score\":0.50")
    );
}

#[test]
fn migrate_reports_each_part_and_completes_the_town() {
    let town = old_town();
    let before = all(&town.root());
    let report = town.gt(["migrate", "--dry-run", "--json"]).run();
    assert_eq!(report.code, 1, "its repository is missing: {}", report.out);
    let report = report.json();
    let text_of = |area: &str, state: &str| {
        let items = report["items"].as_array().unwrap().iter();
        let found = items.filter(|item| item["area"] == area && item["state"] == state);
        found
            .map(|item| item["text"].to_string())
            .collect::<String>()
    };
    assert!(
        text_of("beads", "used").contains("rig gastown: 5 beads"),
        "{report}"
    );
    assert!(text_of("work", "used").contains("gt-9xk"), "{report}");
    assert!(text_of("convoys", "used").contains("2 convoys, 1 of them open"));
    assert!(
        text_of("mail", "used").contains("1 open message"),
        "{report}"
    );
    let ignored = text_of("settings", "ignored");
    assert!(ignored.contains("merge_queue.max_concurrent"), "{report}");
    assert!(!ignored.contains("test_command"), "{report}");
    assert!(text_of("files", "problem").contains(".repo.git is missing"));
    let index = |path: &PathBuf| path.ends_with("index.bin") || path.ends_with("info/exclude");
    let changed: Vec<_> = all(&town.root())
        .into_iter()
        .filter(|(path, file)| !index(path) && before.get(path) != Some(file))
        .collect();
    assert!(changed.is_empty(), "{changed:?}");
    std::fs::remove_file(town.root().join("mayor/overseer.json")).unwrap();
    let migrated = town.gt(["migrate"]).run();
    assert!(
        migrated.out.contains("mayor/overseer.json"),
        "{}",
        migrated.out
    );
    assert!(town.root().join("mayor/overseer.json").is_file());
}

#[test]
fn migrate_names_running_sessions_of_the_original() {
    let town = old_town();
    let tmux = |args: &[&str]| {
        let run = town.program_on_path("tmux");
        run.args(args.iter().copied()).ok()
    };
    tmux(&["new-session", "-d", "-s", "gt-gastown-nux", "sleep 600"]);
    tmux(&["new-session", "-d", "-s", "other", "sleep 600"]);
    let report = town.gt(["migrate", "--dry-run"]).run();
    assert!(
        report.out.contains("agents still run: gt-gastown-nux\n"),
        "{}",
        report.out
    );
    tmux(&["kill-server"]);
}

#[test]
fn beads_in_a_database_server_are_never_taken_for_none() {
    let town = old_town();
    let beads = town.root().join(".beads");
    std::fs::remove_file(beads.join("issues.jsonl")).unwrap();
    let metadata = "{\"database\":\"beads\",\"backend\":\"dolt\"}";
    std::fs::write(beads.join("metadata.json"), metadata).unwrap();
    let export = format!("bd export -o {}", beads.join("issues.jsonl").display());
    for command in [&["list"][..], &["create", "New"], &["init"]] {
        let said = town.bd(".", command.iter().copied()).fails("dolt database");
        assert!(said.err.contains(&export), "{}", said.err);
    }
    let said = town.gt(["migrate"]).run();
    assert_eq!(said.code, 1);
    assert!(said.out.contains(&export), "{}", said.out);
    town.gt(["install", "."]).fails("dolt database");
    assert!(!beads.join("issues.jsonl").exists());
}

/// The town of the release before, as tests/data/record_town.sh recorded it, with the paths of this
/// place.
fn town_of_the_release_before() -> Town {
    let town = Town::place();
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/town-2.0.0-preview.tar.gz");
    let tar = town.program_on_path("tar").at(&town.path(""));
    tar.args(["-xzf", archive.to_str().unwrap()]).ok();
    let recorded = std::fs::read_to_string(town.path("place")).unwrap();
    let here = town
        .path("")
        .to_str()
        .unwrap()
        .trim_end_matches('/')
        .to_owned();
    for (path, (bytes, _)) in all(&town.path("town")) {
        if let Ok(text) = String::from_utf8(bytes)
            && text.contains(recorded.trim())
        {
            std::fs::write(path, text.replace(recorded.trim(), &here)).unwrap();
        }
    }
    town
}

#[test]
fn a_town_of_the_release_before_goes_on_with_the_programs_of_today() {
    let town = town_of_the_release_before();
    let status = town.gt(["status", "--json"]).ok().json();
    assert_eq!(status["rigs"][0]["mq"]["pending"], 1, "{status:#}");
    assert_eq!(
        status["rigs"][0]["queued"][0]["title"],
        "Waits for the half"
    );
    let worker = &town.polecats()[0];
    assert_eq!(worker["state"], "stalled", "{worker:#}");
    let beads = town.bd("web", ["list", "--all", "--json"]).ok().json();
    let id_of = |title: &str| {
        let mut beads = beads.as_array().unwrap().iter();
        let bead = beads.find(|bead| bead["title"] == title).unwrap();
        bead["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(town.status_of("web", &id_of("Merged work")), "closed");
    let why = town.gt(["why", &id_of("Merged work")]).ok().out;
    assert!(why.contains("merged"), "{why}");
    assert_eq!(town.mail("mayor/").len(), 2);
    let asked = town.gt(["escalate", "list", "--json"]).ok().json();
    assert_eq!(asked[0]["title"], "Which colour?", "{asked}");
    let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(merged[0]["outcome"], "merged", "{merged}");
    assert_eq!(
        town.status_of("web", &id_of("Waits in the queue")),
        "closed"
    );
    town.script("echo whole > half.txt; echo work > \"$GT_BEAD.txt\"");
    town.up();
    town.closed("web", &id_of("Half done"));
    town.closed("web", &id_of("Waits for the half"));
    town_tests::eventually("the convoy has landed", || {
        let convoys = town.gt(["convoy", "list", "--json"]).ok().json();
        (convoys.as_array().unwrap().is_empty()).then_some(())
    });
    let git = town.program_on_path("git").at(&town.path("origin.git"));
    assert_eq!(git.args(["show", "main:half.txt"]).ok().text(), "whole");
    town.gt(["doctor"]).ok();
}
