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
