//! `gt trail`, `gt audit` and `gt commit`: who did what.

use serde_json::Value;
use town_tests::Town;

fn array(town: &Town, args: &[&str]) -> Vec<Value> {
    let run = town.gt(args.iter().copied().chain(["--json"]));
    run.ok().json().as_array().unwrap().clone()
}

#[test]
fn the_trail_of_commits_shows_the_work_of_agents() {
    let (town, _origin) = Town::with_rig();
    let repo = town.root().join("web/.repo.git");
    let tree = town.path("tree");
    let git = |args: &[&str]| {
        let run = town.program_on_path("git");
        run.args(["-C", tree.to_str().unwrap()])
            .args(args.iter().copied())
            .ok()
    };
    let clone = [
        "clone",
        "-q",
        repo.to_str().unwrap(),
        tree.to_str().unwrap(),
    ];
    town.program_on_path("git").args(clone).ok();
    let commit = |name: &str, subject: &str| {
        let author = format!("{name} <{}@example.com>", name.replace('/', "."));
        git(&[
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            subject,
            "--author",
            &author,
        ]);
    };
    commit("web/polecats/amber", "Agent's work");
    commit("Dana", "User's work");
    git(&["push", "-q", "origin", "HEAD:refs/heads/work"]);
    let subjects = |args: &[&str]| -> Vec<String> {
        let commits = array(&town, args).into_iter();
        let subject = |commit: Value| commit["subject"].as_str().unwrap().to_owned();
        commits.map(subject).collect()
    };
    assert_eq!(subjects(&["trail", "commits"]), ["Agent's work"]);
    let all = subjects(&["trail", "commits", "--all"]);
    assert!(all.contains(&"User's work".to_owned()), "{all:?}");
    assert_eq!(subjects(&["trail", "commits", "--all", "-n", "1"]).len(), 1);
    let found = array(&town, &["trail", "commits"]);
    assert_eq!(found[0]["is_agent"], true);
    assert_eq!(found[0]["rig"], "web");
    assert_eq!(found[0]["merged"], false);
    let all = array(&town, &["trail", "commits", "--all"]);
    assert!(all.iter().any(|commit| commit["merged"] == true), "{all:?}");
    let text = town.gt(["trail", "commits"]).ok().out;
    assert!(text.contains("(not merged) Agent's work"), "{text}");
    town.gt(["trail", "commits", "--since", "soon"])
        .fails("`soon` is not a time");
}

#[test]
fn the_trail_of_beads_and_hooks_shows_the_last_changes_first() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let first = town.bead("web", "First");
    let second = town.bead("web", "Second");
    town.bd("web", ["update", &first, "--title", "First again"])
        .ok();
    let beads = array(&town, &["trail", "beads"]);
    assert_eq!(beads[0]["id"], first.as_str());
    assert_eq!(beads[0]["title"], "First again");
    assert_eq!(beads[1]["id"], second.as_str());
    assert_eq!(beads.len(), 2, "{beads:#?}");
    town.sling(&first);
    town.gt(["unsling", &first]).ok();
    let hooks = array(&town, &["trail", "hooks"]);
    assert_eq!(hooks[0]["type"], "unhook");
    assert_eq!(hooks[1]["type"], "sling");
    assert_eq!(hooks[1]["bead"], first.as_str());
    let text = town.gt(["trail", "hooks"]).ok().out;
    assert!(text.contains(&format!("slung {first}")), "{text}");
}

#[test]
fn the_audit_merges_beads_and_events_and_can_be_limited_to_an_actor() {
    let (town, _origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    town.gt(["mail", "send", "mayor/", "-s", "Hello"])
        .env("GT_ROLE", "deacon")
        .ok();
    let all = array(&town, &["audit", "-n", "0"]);
    let has = |source: &str| all.iter().any(|entry| entry["source"] == source);
    assert!(has("beads") && has("events"), "{all:#?}");
    assert!(all.iter().any(|entry| entry["id"] == bead.as_str()));
    let times: Vec<jiff::Timestamp> = all
        .iter()
        .map(|entry| entry["timestamp"].as_str().unwrap().parse().unwrap())
        .collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
    let deacon = array(&town, &["audit", "--actor", "deacon", "-n", "0"]);
    assert!(!deacon.is_empty());
    assert!(deacon.iter().all(|entry| entry["actor"] == "deacon"));
    assert_eq!(array(&town, &["audit", "-n", "1"]).len(), 1);
    assert!(town.gt(["audit"]).ok().out.contains("created"));
    town.gt(["audit", "--since", "soon"])
        .fails("`soon` is not a time");
}

#[test]
fn an_agent_commits_under_its_address() {
    let (town, _origin) = Town::with_rig();
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let clone = town.root().join("web/crew/max");
    std::fs::write(clone.join("new.txt"), "new\n").unwrap();
    let git = |args: &[&str]| {
        let run = town.program_on_path("git");
        run.args(args.iter().copied()).at(&clone).ok()
    };
    git(&["add", "new.txt"]);
    let empty = town.gt(["commit"]).at(&clone).env("GIT_EDITOR", "true");
    assert_ne!(empty.run().code, 0);
    town.gt(["commit", "-q", "-m", "New"]).at(&clone).ok();
    let author = git(&["log", "-1", "--format=%an <%ae>"]);
    assert_eq!(author.text(), "web/crew/max <dana@example.com>");
}
