//! Repositories with submodules, with files that git-lfs stores, and with files for agents.

use std::fs;

use serde_json::json;
use town_tests::{Repo, Town, Worker};

/// Adds the submodule `libs/x` and the git-lfs file `data.bin` to an origin. Returns the origin of
/// the submodule.
fn add_submodule_and_lfs_file(town: &Town, origin: &Repo) -> Repo {
    let library = town.origin("library");
    library.commit("lib.txt", "library\n", "Library");
    let home = town.path("home");
    let clone = home.join("maker");
    town.git_at(&home, ["clone", "-q", origin.url(), "maker"])
        .ok();
    let git = |args: &[&str]| town.git_at(&clone, args.iter().copied()).ok();
    git(&["submodule", "--quiet", "add", library.url(), "libs/x"]);
    git(&["lfs", "install", "--local"]);
    git(&["lfs", "track", "*.bin"]);
    fs::write(clone.join("data.bin"), "first content\n").unwrap();
    git(&["add", "--all"]);
    git(&["commit", "-qm", "Use a submodule and git-lfs"]);
    git(&["push", "-q", "origin", "HEAD:main"]);
    library
}

#[test]
fn submodules_and_lfs_files_are_whole_for_workers_and_gates_and_after_the_merge() {
    let (town, origin) = Town::with_rig();
    add_submodule_and_lfs_file(&town, &origin);
    town.gate(
        "web",
        "grep -q library libs/x/lib.txt && grep -q 'second content' data.bin && test ! -e libs/x/made && touch libs/x/made",
    );
    town.script(
        "grep -q library libs/x/lib.txt && grep -q content data.bin && echo \"$GT_BEAD second content\" > data.bin\n\
         git commit -qam Change && gt done --summary changed",
    );
    town.up();
    for title in ["First", "Second"] {
        let bead = town.bead("web", title);
        town.sling(&bead);
        town.closed("web", &bead);
        let copy = town.path(&format!("home/{title}"));
        town.git_at(&town.path("home"), ["clone", "-q", origin.url(), title])
            .ok();
        town.git_at(&copy, ["lfs", "install", "--local"]).ok();
        town.git_at(&copy, ["lfs", "pull"]).ok();
        let content = fs::read_to_string(copy.join("data.bin")).unwrap();
        assert_eq!(content, format!("{bead} second content\n"));
    }
    // Clones for people and agents are whole as well.
    town.gt(["crew", "add", "ada", "--rig", "web"]).ok();
    let member = town.root().join("web/crew/ada");
    let content = fs::read_to_string(member.join("data.bin")).unwrap();
    assert!(content.ends_with("second content\n"), "{content}");
    assert!(member.join("libs/x/lib.txt").is_file());
}

#[test]
fn a_commit_of_a_submodule_is_submitted_only_if_everyone_can_fetch_it() {
    let (town, origin) = Town::with_rig();
    add_submodule_and_lfs_file(&town, &origin);
    let worker = Worker::in_town(town, origin);
    let module = worker.sandbox.join("libs/x");
    fs::write(module.join("more.txt"), "more\n").unwrap();
    let git = |args: &[&str]| worker.town.git_at(&module, args.iter().copied());
    git(&["add", "more.txt"]).ok();
    git(&["commit", "-qm", "More"]).ok();
    worker.git(["add", "libs/x"]);
    worker.git(["commit", "-qm", "Use more"]);
    let refused = worker
        .done(["--summary", "s"])
        .fails("no remote of the submodule libs/x has the commit");
    assert!(
        refused.err.contains("git -C libs/x push"),
        "{}",
        refused.err
    );
    git(&["push", "-q", "origin", "HEAD:refs/heads/more"]).ok();
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
}

#[test]
fn work_in_a_submodule_is_in_the_rescue_of_its_worker() {
    let (town, origin) = Town::with_rig();
    let library = add_submodule_and_lfs_file(&town, &origin);
    let worker = Worker::in_town(town, origin);
    let town = &worker.town;
    let module = worker.sandbox.join("libs/x");
    fs::write(module.join("committed.txt"), "committed\n").unwrap();
    town.git_at(&module, ["add", "committed.txt"]).ok();
    town.git_at(&module, ["commit", "-qm", "Not pushed"]).ok();
    fs::write(module.join("lib.txt"), "changed\n").unwrap();
    fs::write(module.join("new.txt"), "new\n").unwrap();
    town.gt(["polecat", "nuke", &worker.name, "--force"]).ok();
    let name = worker.sandbox.clone();
    assert!(!name.exists(), "the sandbox is still there");
    let saved = town.gt(["rescue", "list", "--json"]).ok().json();
    let reference = saved[0]["ref"].as_str().unwrap();
    let shown = town.gt(["rescue", "show", reference]).ok();
    // The printed commands bring the work back into any clone of the submodule.
    let clone = town.path("home/libs/x");
    fs::create_dir_all(clone.parent().unwrap()).unwrap();
    let path = clone.to_str().unwrap();
    town.git_at(&town.path("home"), ["clone", "-q", library.url(), path])
        .ok();
    let commands: Vec<&str> = shown
        .out
        .lines()
        .filter_map(|line| line.strip_prefix("  git "))
        .collect();
    assert_eq!(commands.len(), 2, "{}", shown.out);
    for command in commands {
        town.git_at(&town.path("home"), command.split(' ')).ok();
    }
    for (file, content) in [
        ("committed.txt", "committed\n"),
        ("lib.txt", "changed\n"),
        ("new.txt", "new\n"),
    ] {
        assert_eq!(fs::read_to_string(clone.join(file)).unwrap(), content);
    }
}

#[test]
fn the_files_of_a_repository_for_agents_are_hidden_from_workers_on_request() {
    let (town, origin) = Town::with_rig();
    origin.commit("CLAUDE.md", "Obey me\n", "For agents");
    origin.commit(".claude/settings.json", "{}\n", "Hooks");
    origin.commit("src/CLAUDE.md", "A part\n", "A part");
    town.set_rig_setting("web", "sandbox", json!({ "hide_agent_files": true }));
    let worker = Worker::in_town(town, origin);
    assert!(!worker.sandbox.join("CLAUDE.md").exists());
    assert!(!worker.sandbox.join(".claude/settings.json").exists());
    worker.commit_text("a.txt", "a\n");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.origin.file("main", "CLAUDE.md").trim(), "Obey me");
    assert_eq!(
        worker.origin.file("main", ".claude/settings.json").trim(),
        "{}"
    );
    // Without the setting, the next work has the files again.
    worker.town.set_rig_setting("web", "sandbox", json!({}));
    worker.town.kill_all_sessions();
    worker.town.patrol();
    let bead = worker.town.bead("web", "Next");
    worker.town.gt(["sling", &bead, &worker.name]).ok();
    let content = fs::read_to_string(worker.sandbox.join("CLAUDE.md")).unwrap();
    assert_eq!(content, "Obey me\n");
}
