//! A repository that tracks its own beads: a sandbox never changes them.

use town_tests::{Town, eventually};

fn tracking(town: &Town) -> town_tests::Repo {
    let origin = town.origin("web");
    let line = r#"{"id":"tb-old","title":"Old","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#;
    origin.commit_many(&[
        (".beads/issues.jsonl", &format!("{line}\n")),
        (".beads/config.yaml", "issue-prefix: tb\n"),
    ]);
    town.gt(["rig", "add", "web", origin.url()]).ok();
    origin
}

#[test]
fn git_add_all_of_an_agent_commits_no_bead_file() {
    let town = Town::new();
    let origin = tracking(&town);
    // bd in the sandbox goes to the rig's beads; then everything there is is added.
    town.script("bd create 'Found on the way' -d x >/dev/null\necho work > work.txt\ngit add -A\ngit commit -qm 'Everything'");
    let bead = town.bead("web", "Work");
    assert!(bead.starts_with("tb-"), "{bead}");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    let changed = origin.git(["diff", "--name-only", "main~1", "main"]);
    assert_eq!(changed, "work.txt");
    let found = town.bd("web", ["list", "--json"]).ok().json();
    let titles: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|bead| bead["title"].as_str().unwrap())
        .collect();
    assert!(
        titles.contains(&"Found on the way") && titles.contains(&"Old"),
        "{titles:?}"
    );
}

#[test]
fn done_refuses_a_branch_that_changes_beads_with_the_next_step() {
    let town = Town::new();
    let _origin = tracking(&town);
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let polecat = town.sling(&bead);
    let sandbox = town.sandbox(&polecat);
    std::fs::write(sandbox.join(".beads/config.yaml"), "issue-prefix: evil\n").unwrap();
    let git = |args: &[&str]| {
        let at = ["-C", sandbox.to_str().unwrap()];
        town.program_on_path("git")
            .args(at.iter().chain(args).copied())
            .ok()
    };
    git(&["update-index", "--no-skip-worktree", ".beads/config.yaml"]);
    git(&["commit", "-qam", "Change the beads"]);
    let said = town
        .gt_as(&polecat, ["done", "--summary", "x"])
        .fails(".beads/config.yaml");
    assert!(said.err.contains("git restore --source"), "{}", said.err);
    eventually("the failed step is shown", || {
        let polecat = town.polecats().remove(0);
        (polecat["state"] == "zombie" && polecat["why"].as_str().unwrap().contains("proof"))
            .then_some(())
    });
}
