//! Beads that the patrol puts on their branch.

use std::time::{Duration, SystemTime};

use town_tests::{Repo, Town, eventually};

/// Lets a rig's beads look as if nobody had written them for a while.
fn rest(town: &Town, rig: &str) {
    let dir = town.root().join(rig).join(".beads");
    let earlier = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    for name in ["issues.jsonl", "events.local.jsonl"] {
        if let Ok(file) = std::fs::File::options().write(true).open(dir.join(name)) {
            file.set_modified(earlier).unwrap();
        }
    }
}

/// Lets the last time be long ago.
fn forget_turn(town: &Town, rig: &str) {
    let path = town.root().join(format!(".runtime/share/{rig}.json"));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["at"] = "2020-01-01T00:00:00Z".into();
    std::fs::write(path, record.to_string()).unwrap();
}

fn tip(origin: &Repo) -> Option<String> {
    let format = "--format=%(objectname)";
    let all = origin.git(["for-each-ref", format, "refs/heads/beads-sync"]);
    (!all.is_empty()).then_some(all)
}

/// How often the patrol reported a sync of beads, and how often of a failure.
fn told(town: &Town) -> (usize, usize) {
    let text = std::fs::read_to_string(town.root().join(".events.jsonl")).unwrap();
    let told: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("S1-share-beads"))
        .collect();
    let failed = told.iter().filter(|line| line.contains("\"failed\":true"));
    (told.len(), failed.count())
}

#[test]
fn beads_sync_only_when_the_store_is_quiet_and_has_changes() {
    let (town, origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    town.gtd(["run", "--once"]).ok();
    assert_eq!(tip(&origin), None, "someone wrote just now");
    rest(&town, "web");
    town.gtd(["run", "--once"]).ok();
    let first = tip(&origin).unwrap();
    let issues = origin.file("beads-sync", ".beads/issues.jsonl");
    assert!(issues.contains(&bead), "{issues}");
    assert_eq!(told(&town), (1, 0));
    // Once a minute at most.
    town.bead("web", "More");
    rest(&town, "web");
    town.gtd(["run", "--once"]).ok();
    assert_eq!(tip(&origin).unwrap(), first);
    forget_turn(&town, "web");
    town.gtd(["run", "--once"]).ok();
    let second = tip(&origin).unwrap();
    assert_ne!(second, first);
    forget_turn(&town, "web");
    town.gtd(["run", "--once"]).ok();
    assert_eq!((tip(&origin).unwrap(), told(&town)), (second, (2, 0)));
}

#[test]
fn a_town_that_adds_the_same_repository_gets_its_beads() {
    let (town, origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    town.bd("web", ["sync", "--full"]).ok();
    let other = Town::new();
    other.gt(["rig", "add", "web", origin.url()]).ok();
    assert_eq!(other.show("web", &bead)["title"], "Work");
    let own = other.bead("web", "Of the other town");
    other.bd("web", ["sync", "--full"]).ok();
    town.bd("web", ["sync", "--full"]).ok();
    assert_eq!(town.show("web", &own)["title"], "Of the other town");
    let third = Town::new();
    third
        .gt(["rig", "add", "web", origin.url(), "--prefix", "zz"])
        .fails("zz");
}

#[test]
fn a_clone_inside_the_town_does_not_fetch_beads_separately() {
    let (town, _origin) = Town::with_rig();
    town.bead("web", "Work");
    town.bd("web", ["sync", "--full"]).ok();
    let clone = town.root().join("web/mayor/rig");
    town.git_at(&clone, ["fetch", "-q"]).ok();
    town.bd("web/mayor/rig", ["list"])
        .fails("'bd init' reads the beads from origin/beads-sync");
    assert!(!clone.join(".beads").exists());
    // `bd init` reads the beads of the branch instead of creating an empty project with another
    // prefix.
    let said = town.bd("web/mayor/rig", ["init"]).ok();
    assert!(
        said.out.contains(" read from the branch beads-sync into"),
        "{}",
        said.out
    );
    assert!(said.out.contains("Issue prefix: web"), "{}", said.out);
}

#[test]
fn a_failure_is_reported_once_and_the_commit_is_pushed_later() {
    let (town, origin) = Town::with_rig();
    town.bead("web", "Work");
    rest(&town, "web");
    let away = town.path("away.git");
    std::fs::rename(origin.path(), &away).unwrap();
    town.gtd(["run", "--once"]).ok();
    assert_eq!(told(&town), (1, 1));
    for _ in 0..3 {
        forget_turn(&town, "web");
        town.gtd(["run", "--once"]).ok();
    }
    assert_eq!(told(&town), (1, 1));
    std::fs::rename(&away, origin.path()).unwrap();
    forget_turn(&town, "web");
    town.gtd(["run", "--once"]).ok();
    assert!(
        origin
            .file("beads-sync", ".beads/issues.jsonl")
            .contains("Work")
    );
}

#[test]
fn settings_can_stop_the_patrol_from_pushing_or_syncing() {
    let (town, origin) = Town::with_rig();
    town.bead("web", "Work");
    town.bd("web", ["config", "set", "daemon.auto-sync", "false"])
        .ok();
    rest(&town, "web");
    town.gtd(["run", "--once"]).ok();
    let repository = town.root().join("web/.repo.git");
    let here = || {
        let args = ["branch", "--list", "beads-sync"];
        town.git_at(&repository, args).ok().text().to_owned()
    };
    assert_eq!(here(), "");
    town.bd("web", ["config", "set", "daemon.auto-sync", "true"])
        .ok();
    town.bd("web", ["config", "set", "daemon.auto-push", "false"])
        .ok();
    town.gtd(["run", "--once"]).ok();
    assert_ne!(here(), "");
    assert_eq!(tip(&origin), None);
    town.bd("web", ["sync", "--full"]).ok();
    assert!(tip(&origin).is_some());
}

#[test]
fn beads_of_a_new_rig_stay_here_until_the_user_wants_them_pushed() {
    let town = Town::new();
    let origin = town.origin("web");
    let add = ["rig", "add", "web", origin.url(), "--prefix", "web"];
    let added = town.gt(add).ok().out;
    assert!(
        added.contains("no beads: they stay on this machine"),
        "{added}"
    );
    town.bead("web", "Private");
    rest(&town, "web");
    town.gtd(["run", "--once"]).ok();
    assert_eq!(tip(&origin), None);
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains("web (web-*, beads not pushed)"), "{status}");
    // The command of the message.
    town.bd("web", ["config", "set", "daemon.auto-push", "true"])
        .ok();
    town.bead("web", "Public");
    rest(&town, "web");
    forget_turn(&town, "web");
    town.gtd(["run", "--once"]).ok();
    assert!(tip(&origin).is_some());
    // Another town finds the beads there and keeps them in step.
    let other = Town::new();
    let again = other.gt(["rig", "add", "web", origin.url()]).ok().out;
    assert!(again.contains("beads, to the branch beads-sync"), "{again}");
    let third = Town::new();
    let add = ["rig", "add", "web", origin.url(), "--no-push-beads"];
    let kept = third.gt(add).ok().out;
    assert!(
        kept.contains("no beads: they stay on this machine"),
        "{kept}"
    );
}

#[test]
fn beads_sync_immediately_after_a_landing() {
    let (town, origin) = Town::with_rig();
    let bead = town.bead("web", "By hand");
    town.gt(["convoy", "create", "C", &bead]).ok();
    town.up();
    town.bd("web", ["close", &bead, "--reason", "done elsewhere"])
        .ok();
    eventually("the branch has the closed bead", || {
        let issues = tip(&origin).map(|_| origin.file("beads-sync", ".beads/issues.jsonl"))?;
        let line = issues.lines().find(|line| line.contains(&bead))?;
        line.contains("\"status\":\"closed\"").then_some(())
    });
}
