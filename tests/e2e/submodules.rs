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
    // Only a URL makes a shallow clone of a local repository.
    let url = format!("file://{}", library.url());
    git(&["submodule", "--quiet", "add", &url, "libs/x"]);
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
    // A tag of the worker is no proof, and one of the remote is.
    git(&["tag", "own"]).ok();
    worker
        .done(["--summary", "s"])
        .fails("no remote of the submodule libs/x");
    git(&["push", "-q", "origin", "own"]).ok();
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
}

/// Returns the texts of a file in the commits of a rescue that hold work of submodules.
fn saved_texts(town: &Town, file: &str) -> Vec<String> {
    let saved = town.gt(["rescue", "list", "--json"]).ok().json();
    let reference = saved[0]["ref"].as_str().unwrap();
    let shown = town.gt(["rescue", "show", reference, "--json"]).ok().json();
    let mut texts = Vec::new();
    for submodule in shown["submodules"].as_array().unwrap() {
        assert_eq!(submodule["path"], "libs/x");
        let repository = submodule["repository"].as_str().unwrap();
        let object = format!("{}:{file}", submodule["commit"].as_str().unwrap());
        let found = town.git_at(
            std::path::Path::new(repository),
            ["cat-file", "blob", &object],
        );
        let found = found.run();
        if found.code == 0 {
            texts.push(found.out);
        }
    }
    texts.sort();
    texts.dedup();
    texts
}

/// Does work of each kind in the submodule of a worker, and pushes only the outer repository.
fn work_in_submodule(worker: &Worker) {
    let (town, module) = (&worker.town, worker.sandbox.join("libs/x"));
    let git = |args: &[&str]| town.git_at(&module, args.iter().copied()).ok();
    let write = |file: &str, text: &str| fs::write(module.join(file), text).unwrap();
    let pin = git(&["rev-parse", "HEAD"]);
    git(&["switch", "-q", "-c", "side"]);
    write("side.txt", "on a branch\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "Side"]);
    git(&["switch", "-q", "--detach", pin.text()]);
    write("lib.txt", "stashed\n");
    git(&["stash", "-q"]);
    write("committed.txt", "committed\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "Not pushed"]);
    worker.git(["add", "libs/x"]);
    worker.git(["commit", "-qm", "Bump"]);
    worker.git(["push", "-q", "origin", "HEAD:refs/heads/polecat/nux/w-1@x"]);
    git(&["update-index", "--assume-unchanged", "lib.txt"]);
    write("lib.txt", "hidden\n");
    write("new.txt", "new\n");
}

#[test]
fn work_in_a_submodule_is_in_the_rescue_of_its_worker() {
    for shallow in ["false", "true"] {
        let (town, origin) = Town::with_rig();
        add_submodule_and_lfs_file(&town, &origin);
        let maker = town.path("home/maker");
        let key = [
            "config",
            "-f",
            ".gitmodules",
            "submodule.libs/x.shallow",
            shallow,
        ];
        town.git_at(&maker, key).ok();
        town.git_at(&maker, ["commit", "-qam", "Shallow"]).ok();
        town.git_at(&maker, ["push", "-q", "origin", "HEAD:main"])
            .ok();
        let worker = Worker::in_town(town, origin);
        let town = &worker.town;
        let module = worker.sandbox.join("libs/x");
        let is_shallow = town.git_at(&module, ["rev-parse", "--is-shallow-repository"]);
        assert_eq!(is_shallow.ok().text(), shallow);
        work_in_submodule(&worker);
        town.gt(["polecat", "nuke", &worker.name, "--force"]).ok();
        assert!(!worker.sandbox.exists());
        for (file, text) in [
            ("committed.txt", "committed\n"),
            ("lib.txt", "hidden\n"),
            ("lib.txt", "stashed\n"),
            ("new.txt", "new\n"),
            ("side.txt", "on a branch\n"),
        ] {
            let texts = saved_texts(town, file);
            assert!(texts.iter().any(|found| found == text), "{file}: {texts:?}");
        }
        let repository = town.root().join("web/.repo.git");
        town.git_at(&repository, ["fsck", "--connectivity-only"])
            .ok();
    }
}

#[test]
fn the_commands_that_a_rescue_shows_bring_work_of_a_submodule_back() {
    let (town, origin) = Town::with_rig();
    let library = add_submodule_and_lfs_file(&town, &origin);
    let worker = Worker::in_town(town, origin);
    let town = &worker.town;
    fs::write(worker.sandbox.join("libs/x/new.txt"), "new\n").unwrap();
    town.gt(["polecat", "nuke", &worker.name, "--force"]).ok();
    let saved = town.gt(["rescue", "list", "--json"]).ok().json();
    let reference = saved[0]["ref"].as_str().unwrap();
    let shown = town.gt(["rescue", "show", reference]).ok();
    let clone = town.path("home/libs/x");
    fs::create_dir_all(clone.parent().unwrap()).unwrap();
    let path = clone.to_str().unwrap();
    town.git_at(&town.path("home"), ["clone", "-q", library.url(), path])
        .ok();
    let commands = shown
        .out
        .lines()
        .filter_map(|line| line.strip_prefix("  git "));
    for command in commands {
        town.git_at(&town.path("home"), command.split(' ')).ok();
    }
    assert_eq!(fs::read_to_string(clone.join("new.txt")).unwrap(), "new\n");
}

#[test]
fn a_restored_town_keeps_work_in_submodules_on_a_rescue_ref() {
    let (town, origin) = Town::with_rig();
    add_submodule_and_lfs_file(&town, &origin);
    let worker = Worker::in_town(town, origin);
    let town = &worker.town;
    fs::write(worker.sandbox.join("libs/x/new.txt"), "new\n").unwrap();
    let (backup, copy) = (town.path("backup"), town.path("copy"));
    town.gt(["backup", backup.to_str().unwrap()]).ok();
    let from = backup.to_str().unwrap();
    let restored = town
        .gt_at(
            &town.path("home"),
            ["restore", from, copy.to_str().unwrap()],
        )
        .run();
    let said = format!("{}{}", restored.out, restored.err);
    assert!(said.contains("the work in its submodules"), "{said}");
    let refs = town.git_at(
        &copy.join("web/.repo.git"),
        ["for-each-ref", "refs/gt/rescue"],
    );
    assert!(!refs.ok().out.is_empty(), "{said}");
}

#[test]
fn a_submodule_of_the_last_work_is_not_left_for_the_next_one() {
    let (town, origin) = Town::with_rig();
    let library = add_submodule_and_lfs_file(&town, &origin);
    let worker = Worker::in_town(town, origin);
    let town = &worker.town;
    // A pinned commit may be on a tag only.
    library.git(["tag", "v1", "main"]);
    worker.git(["submodule", "--quiet", "add", library.url(), "libs/y"]);
    worker.git(["commit", "-qm", "Another submodule"]);
    town.gt(["unsling", &worker.bead]).ok();
    town.patrol();
    let bead = town.bead("web", "Next");
    town.gt(["sling", &bead, &worker.name]).ok();
    assert_eq!(worker.git(["status", "--porcelain"]), "");
    assert!(!worker.sandbox.join("libs/y").exists());
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
    // If nothing is to be hidden, the next work has the files again.
    let nothing = json!({ "hide_executed_files": false });
    worker.town.set_rig_setting("web", "sandbox", nothing);
    worker.town.kill_all_sessions();
    worker.town.patrol();
    let bead = worker.town.bead("web", "Next");
    worker.town.gt(["sling", &bead, &worker.name]).ok();
    let content = fs::read_to_string(worker.sandbox.join("CLAUDE.md")).unwrap();
    assert_eq!(content, "Obey me\n");
    assert!(worker.sandbox.join(".claude/settings.json").exists());
}

#[test]
fn repository_files_that_an_agent_program_would_execute_are_hidden_and_named_once() {
    let (town, origin) = Town::with_rig();
    let executed = [
        ".claude/hooks/start.sh",
        ".claude/settings.json",
        ".codex/config.toml",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".mcp.json",
        ".opencode/plugin/own.js",
        "opencode.json",
    ];
    let texts = ["CLAUDE.md", "AGENTS.md", ".claude/commands/fix.md"];
    for file in executed.iter().chain(&texts) {
        origin.commit(file, "x\n", "For agents");
    }
    let bead = town.bead("web", "First");
    town.script("while :; do sleep 1; done");
    let slung = town.gt(["sling", &bead, "web"]).ok().out;
    assert!(slung.contains("\n    .mcp.json\n"), "{slung}");
    assert_eq!(
        town.events("agent_files_hidden")[0]["payload"]["files"],
        json!(executed)
    );
    let started = town.events("fresh_branch").remove(0);
    let name = format!("web/{}", started["payload"]["polecat"].as_str().unwrap());
    let sandbox = town.sandbox(&name);
    let worker = Worker {
        town,
        origin,
        bead,
        name,
        sandbox,
    };
    for file in executed {
        assert!(!worker.sandbox.join(file).exists(), "{file}");
    }
    for file in texts {
        assert!(worker.sandbox.join(file).exists(), "{file}");
    }
    assert_eq!(worker.git(["status", "--porcelain"]), "");
    worker.commit_text("a.txt", "a\n");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    for file in executed {
        assert_eq!(worker.origin.file("main", file).trim(), "x", "{file}");
    }
    // Named once.
    let town = &worker.town;
    town.kill_all_sessions();
    town.patrol();
    let bead = town.bead("web", "Next");
    let slung = town.gt(["sling", &bead, &worker.name]).ok().out;
    assert!(!slung.contains(".mcp.json"), "{slung}");
    assert!(!worker.sandbox.join(".mcp.json").exists());
    assert_eq!(town.events("agent_files_hidden").len(), 1);
}

#[test]
fn a_link_to_a_folder_with_agent_settings_is_hidden() {
    let (town, origin) = Town::with_rig();
    origin.commit("tools/settings.json", "{}\n", "Hooks");
    let clone = town.path("clone");
    town.git_at(
        &town.root(),
        ["clone", "-q", origin.url(), clone.to_str().unwrap()],
    )
    .ok();
    std::os::unix::fs::symlink("tools", clone.join(".claude")).unwrap();
    town.git_at(&clone, ["add", "-A"]).ok();
    town.git_at(&clone, ["commit", "-qm", "Link"]).ok();
    town.git_at(&clone, ["push", "-q"]).ok();
    let worker = Worker::in_town(town, origin);
    assert!(worker.sandbox.join(".claude").symlink_metadata().is_err());
    assert!(worker.sandbox.join("tools/settings.json").exists());
    assert_eq!(worker.git(["status", "--porcelain"]), "");
}

#[test]
fn a_clone_with_an_unpushed_commit_in_a_submodule_is_not_deleted() {
    let (town, origin) = Town::with_rig();
    add_submodule_and_lfs_file(&town, &origin);
    town.gt(["crew", "add", "ada", "--rig", "web"]).ok();
    let member = town.root().join("web/crew/ada");
    let library = member.join("libs/x");
    fs::write(library.join("lib.txt"), "changed\n").unwrap();
    town.git_at(&library, ["commit", "-qam", "Change"]).ok();
    // The outer repository does not show it.
    town.git_at(&member, ["config", "submodule.libs/x.ignore", "all"])
        .ok();
    town.gt(["crew", "remove", "ada"])
        .fails("the submodule libs/x has work that no remote has");
    assert!(member.exists());
}

#[test]
fn a_submodule_that_cannot_be_fetched_is_one_need_of_the_rig_with_its_cause() {
    let (town, origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let library = add_submodule_and_lfs_file(&town, &origin);
    town.gt(["config", "set", "git.network_timeout", "2s"]).ok();
    let away = library.path().with_extension("away");
    fs::rename(library.path(), &away).unwrap();
    let needs = || {
        town.patrol();
        town.mail("overseer")
    };
    let beads = ["First", "Second"].map(|title| town.bead("web", title));
    for bead in &beads {
        town.gt(["sling", bead, "web"]).fails("library.git");
    }
    let found = needs();
    assert_eq!(found.len(), 1, "{found:#?}");
    let need = found[0].to_string();
    for words in [
        "No worker of rig web gets all files",
        "library.git",
        &beads[0],
        &beads[1],
    ] {
        assert!(need.contains(words), "{words}: {need}");
    }
    // A server that accepts connections and says nothing.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("git://127.0.0.1:{}/x", silent.local_addr().unwrap().port());
    let change = format!("[submodule \"libs/x\"]\n\tpath = libs/x\n\turl = {url}\n");
    origin.commit(".gitmodules", &change, "Another address");
    let third = town.bead("web", "Third");
    town.gt(["sling", &third, "web"]).fails("did not answer");
    assert_eq!(needs().len(), 1);
    // After a repair, the patrol goes on with all of them.
    fs::rename(&away, library.path()).unwrap();
    let change = change.replace(&url, &format!("file://{}", library.url()));
    origin.commit(".gitmodules", &change, "The right address");
    for worker in town.polecats() {
        let name = format!("web/{}", worker["name"].as_str().unwrap());
        town.gt(["polecat", "retry", &name]).run();
    }
    assert_eq!(needs(), Vec::<serde_json::Value>::new());
}
