//! A town that was moved to another path: `gt doctor` names what leads to the old one, and
//! `gt doctor --fix` corrects it.

use std::fs;
use std::path::Path;

use town_tests::{Town, Worker};

#[test]
fn the_doctor_connects_a_town_that_was_moved() {
    let worker = Worker::new();
    let town = &worker.town;
    town.gt(["rig", "add", "local", "--prefix", "loc"]).ok();
    for rig in ["web", "local"] {
        town.gt(["crew", "add", "dana", "--rig", rig]).ok();
    }
    town.set_rig_setting("web", "merge_queue.test_command", {
        let script = town.root().join("hooks/test.sh");
        script.to_str().unwrap().into()
    });
    worker.commit("one.txt");
    fs::write(worker.sandbox.join("new.txt"), "new\n").unwrap();
    let before = worker.git(["status", "--porcelain", "--branch"]);
    let (old, new) = (town.root(), town.path("moved"));
    let gt = |args: &[&str]| town.gt_at(&new, args.iter().copied());
    town.up();
    fs::rename(&old, &new).unwrap();
    let up = gt(&["up"]).ok();
    assert!(up.out.contains("the daemon is up"), "{}", up.out);
    assert!(up.err.contains("started at"), "{}", up.err);
    assert!(!up.err.contains("USR1"), "{}", up.err);
    gt(&["daemon", "stop"]).ok();
    town.kill_all_sessions();
    let status = gt(&["status"]).ok().out;
    let killed = "ended without being stopped";
    assert!(!status.contains(killed), "{status}");
    let redirects = "3 work trees lead to beads of another place";
    assert_eq!(status.matches(redirects).count(), 1, "{status}");
    let findings = gt(&["doctor", "paths", "sandboxes", "--json"]).ok().json();
    let findings = findings.as_array().unwrap();
    let texts: Vec<&str> = findings
        .iter()
        .map(|one| one["text"].as_str().unwrap())
        .collect();
    let inside = worker
        .sandbox
        .strip_prefix(&old)
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    for (path, words) in [
        (
            format!("{inside}/.beads/redirect").as_str(),
            "beads of another place",
        ),
        ("web/crew/dana/.beads/redirect", "beads of another place"),
        ("local/crew/dana", "its origin is"),
        ("local/mayor/rig", "its origin is"),
        ("web/settings/config.json", "names the earlier place"),
    ] {
        let start = format!("{}: ", new.join(path).display());
        let is_named = |text: &&&str| text.starts_with(&start) && text.contains(words);
        assert_eq!(
            texts.iter().filter(is_named).count(),
            1,
            "{path}: {texts:#?}"
        );
    }
    assert!(
        !texts.iter().any(|text| text.contains("sandbox is broken")),
        "{texts:#?}"
    );
    gt(&["doctor", "--fix"]).ok();
    let again = gt(&["doctor", "--json"]).ok().json();
    let is_bad = |one: &&serde_json::Value| one["level"] == "warning" || one["level"] == "error";
    let bad: Vec<_> = again.as_array().unwrap().iter().filter(is_bad).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    let sandbox = new.join(&inside);
    let status = town
        .git_at(&sandbox, ["status", "--porcelain", "--branch"])
        .ok();
    assert_eq!(status.out, before);
    let shown = town.gt_at(&sandbox, ["bd", "show", &worker.bead]).ok();
    assert!(shown.out.contains("Work"), "{}", shown.out);
    let settings = fs::read_to_string(new.join("web/settings/config.json")).unwrap();
    assert!(
        settings.contains(new.join("hooks/test.sh").to_str().unwrap()),
        "{settings}"
    );
    town.git_at(&new.join("local/crew/dana"), ["fetch", "-q"])
        .ok();
    let find = town.program_on_path("find");
    let written = find.args([old.to_str().unwrap()]).run().out;
    assert_eq!(written, "", "something wrote to the earlier place");
    fs::rename(&new, &old).unwrap();
}

#[test]
fn the_daemon_of_another_town_at_the_earlier_place_is_not_stopped() {
    let town = Town::new();
    town.up();
    let (old, new) = (town.root(), town.path("moved"));
    fs::rename(&old, &new).unwrap();
    town.install();
    let pid_at = |root: &Path| {
        let status = town.gt_at(root, ["daemon", "status", "--json"]);
        status.ok().json()["pid"].as_u64().unwrap()
    };
    town.up();
    let other = pid_at(&old);
    let moved = town.gt_at(&new, ["doctor", "daemon"]).run().out;
    let status = town.gt_at(&new, ["status"]).ok().out;
    // The moved town's daemon may have noticed the move by itself.
    for said in [&moved, &status] {
        assert!(!said.contains(&format!("pid {other}")), "{said}");
    }
    town.gt_at(&new, ["up"]).ok();
    assert_eq!(pid_at(&old), other, "another town's daemon");
    assert_ne!(pid_at(&new), other);
    town.gt_at(&new, ["daemon", "stop"]).ok();
    assert_eq!(pid_at(&old), other);
}

#[test]
fn the_doctor_repairs_routes_and_the_settings_of_repositories() {
    let worker = Worker::new();
    let town = &worker.town;
    let repo = town.root().join("web/.repo.git");
    let routes = town.root().join(".beads/routes.jsonl");
    let text = fs::read_to_string(&routes).unwrap();
    let without: Vec<&str> = text.lines().filter(|line| !line.contains("web")).collect();
    fs::write(&routes, without.join("\n") + "\n").unwrap();
    let config = |args: &[&str]| {
        let args = [&["config"][..], args].concat();
        town.git_at(&repo, args).ok().out
    };
    config(&["--unset", "gc.pruneExpire"]);
    config(&["remote.origin.fetch", "+refs/*:refs/*"]);
    town.gt(["doctor", "routes"]).fails("gt doctor found");
    town.gt(["doctor", "--fix"]).ok();
    assert_eq!(fs::read_to_string(&routes).unwrap(), text);
    assert_eq!(config(&["gc.pruneExpire"]), "never\n");
    let refspec = config(&["--get-all", "remote.origin.fetch"]);
    assert_eq!(refspec, "+refs/heads/*:refs/remotes/origin/*\n");
    let narrow = "+refs/heads/main:refs/remotes/origin/main";
    for extra in [narrow, "+refs/*:refs/*"] {
        config(&["--add", "remote.origin.fetch", extra]);
    }
    town.gt(["doctor", "--fix"]).ok();
    let refspecs = config(&["--get-all", "remote.origin.fetch"]);
    assert_eq!(refspecs, format!("{refspec}{narrow}\n"));
    let again = town.gt(["doctor", "--fix"]).ok();
    assert!(!again.err.contains('✓'), "{}", again.err);
}
