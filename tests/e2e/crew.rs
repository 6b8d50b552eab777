//! `gt crew`: add, list, start, visit, stop.

use town_tests::{Town, eventually};

use crate::screens::assert_running_screen;

/// A town with a crew member `max` whose agent stays, and the folder of its clone.
fn with_max() -> (Town, town_tests::Repo, std::path::PathBuf) {
    let (town, origin) = Town::with_rig();
    // Crew have no hook here: the scripted agent of crew is one that stays.
    town.set_town_setting(
        "agents",
        serde_json::json!({ "stay": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } }),
    );
    let added = town
        .gt(["crew", "add", "max", "--rig", "web", "--json"])
        .ok()
        .json();
    let clone = std::path::PathBuf::from(added[0]["path"].as_str().unwrap());
    (town, origin, clone)
}

#[test]
fn work_for_a_stopped_agent_shows_the_start_command() {
    let (town, _origin, clone) = with_max();
    let sling = |title: &str, target: &str| {
        let id = town.bead("web", title);
        let slung = town.gt(["sling", &id, target]).ok();
        (id, slung.out)
    };
    let (id, told) = sling("For one who rests", "web/crew/max");
    assert!(told.contains("`gt crew start web/max`"), "{told}");
    assert_eq!(town.show("web", &id)["assignee"], "web/crew/max");
    let (_, told) = sling("For the mayor", "mayor");
    assert!(told.contains("`gt mayor start`"), "{told}");
    // A crew member that slings to itself is running, even without a session of the town.
    let own = town.bead("web", "For oneself");
    let force = ["sling", &own, "web/crew/max", "--force"];
    let told = town.gt(force).at(&clone).ok().out;
    assert!(!told.contains("gt crew start"), "{told}");

    town.gt(["crew", "start", "max", "--agent", "stay"]).ok();
    let more = town.bead("web", "For one who runs");
    let told = town
        .gt(["sling", &more, "web/crew/max", "--force"])
        .ok()
        .out;
    assert!(told.contains("session: gt-web-crew-max"), "{told}");
    assert!(!told.contains("no session runs"), "{told}");
}

#[test]
fn a_crew_member_works_in_its_own_clone_until_stopped() {
    let (town, origin, clone) = with_max();
    let at = ["-C", clone.to_str().unwrap()];
    let url = town
        .program_on_path("git")
        .args(at)
        .args(["remote", "get-url", "origin"])
        .ok();
    assert_eq!(url.text(), origin.url());
    // The clone reads the rig's beads, and git does not see them.
    let id = town.bead("web", "Seen from everywhere");
    let seen = town.bd("web", ["show", &id]).at(&clone).ok();
    assert!(seen.out.contains("Seen from everywhere"));
    let status = town
        .program_on_path("git")
        .args(at)
        .args(["status", "--porcelain"])
        .ok();
    assert_eq!(status.text(), "");

    town.gt(["crew", "start", "max", "--agent", "stay"]).ok();
    let list = || town.gt(["crew", "list", "--json"]).ok().json();
    assert_eq!(list()[0]["has_session"], true);
    town.gt(["crew", "start", "web/max", "--agent", "stay"])
        .ok();
    town.gt(["rig", "remove", "web"]).fails("gt-web-crew-max");
    std::fs::write(clone.join("draft.txt"), "half\n").unwrap();
    town.gt(["crew", "stop", "max"]).ok();
    eventually("the session is gone", || {
        (list()[0]["has_session"] == false).then_some(())
    });
    assert!(clone.join("draft.txt").is_file());
    let refs = town
        .program_on_path("git")
        .args(at)
        .args(["for-each-ref", "--format=%(refname)", "refs/gt/snap"])
        .ok();
    assert!(
        refs.text().starts_with("refs/gt/snap/web/crew/max/"),
        "{}",
        refs.out
    );
    let again = town.gt(["crew", "stop", "max"]).ok();
    assert!(again.out.contains("was not running"), "{}", again.out);
}

#[test]
fn names_are_validated_and_existing_members_skipped() {
    let (town, _origin) = Town::with_rig();
    town.gt(["crew", "add", "a-b", "--rig", "web"])
        .fails("cannot be a crew member's name");
    town.gt(["crew", "add", "web/ann"]).ok();
    let both = town.gt(["crew", "add", "ann", "bob", "--rig", "web"]).ok();
    assert!(both.err.contains("is there already"), "{}", both.err);
    town.gt(["crew", "add", "ann", "--rig", "web"])
        .fails("is there already");
    let path = town.gt(["crew", "at", "ann", "--no-tmux"]).ok();
    assert_eq!(
        path.text(),
        town.root().join("web/crew/ann").to_str().unwrap()
    );
    town.gt(["crew", "start", "nobody"]).fails("not found");
    town.gt(["crew", "start"]).fails("say which crew member");
}

#[test]
fn uncommitted_work_is_saved_when_a_crew_session_ends_and_restored() {
    let (town, _origin) = Town::with_rig();
    let args = ["crew", "add", "max", "--rig", "web", "--json"];
    let added = town.gt(args).ok().json();
    let clone = std::path::PathBuf::from(added[0]["path"].as_str().unwrap());
    std::fs::write(clone.join("draft.txt"), "half\n").unwrap();
    let ends = || {
        let event = r#"{"hook_event_name":"SessionEnd","session_id":"s1","reason":"other"}"#;
        let run = town.gt_at(&clone, ["signal", "end"]);
        run.env("GT_ROLE", "web/crew/max").input(event).ok();
    };
    ends();
    let list = || town.gt(["rescue", "list", "web", "--json"]).ok().json();
    let saved = list();
    let reference = saved[0]["ref"].as_str().unwrap().to_owned();
    assert!(
        reference.starts_with("refs/gt/snap/web/crew/max/"),
        "{saved}"
    );
    std::fs::remove_file(clone.join("draft.txt")).unwrap();
    ends();
    assert_eq!(list(), saved, "with nothing uncommitted nothing is saved");
    town.gt(["rescue", "restore", &reference]).ok();
    let back = std::fs::read_to_string(clone.join("draft.txt")).unwrap();
    assert_eq!(back, "half\n");
    // Into another clone, which does not know of it before or afterwards.
    let args = ["crew", "add", "ann", "--rig", "web", "--json"];
    let added = town.gt(args).ok().json();
    let other = std::path::PathBuf::from(added[0]["path"].as_str().unwrap());
    let into = other.to_str().unwrap();
    town.gt(["rescue", "restore", &reference, "--into", into])
        .ok();
    let there = std::fs::read_to_string(other.join("draft.txt")).unwrap();
    assert_eq!(there, "half\n");
    town.gt(["rescue", "drop", &reference]).ok();
    assert_eq!(list(), serde_json::json!([]));
}

#[test]
fn work_for_a_crew_member_starts_its_agent() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let bead = town.bead("web", "Work");
    let said = town
        .gt(["sling", &bead, "web/crew/max", "--json"])
        .ok()
        .json();
    let session = said[0]["session"].as_str().unwrap();
    let listed = town.gt(["crew", "list", "--json"]).ok().json();
    assert_eq!(listed[0]["has_session"], true, "{session}: {listed}");
    // If the agent cannot be started, the output names the command that starts it.
    town.set_town_setting("agents", serde_json::json!({}));
    town.set_town_setting("default_agent", serde_json::json!("codex"));
    town.gt(["crew", "add", "ann", "--rig", "web"]).ok();
    let other = town.bead("web", "More");
    let said = town.gt(["sling", &other, "web/crew/ann"]).ok().out;
    assert!(said.contains("`gt crew start web/ann`"), "{said}");
}

#[test]
fn an_agent_started_by_hand_in_a_clone_has_its_hooks() {
    let (town, _origin) = Town::with_rig();
    // The test needs the presets, not their programs: `true` replaces each program.
    let own = |provider: &str| serde_json::json!({ "provider": provider, "command": "true" });
    let agents =
        ["claude", "codex", "gemini", "opencode"].map(|one| (format!("own-{one}"), own(one)));
    town.set_town_setting("agents", agents.into_iter().collect());
    for (provider, file) in [
        ("claude", ".claude/settings.local.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("opencode", ".opencode/plugin/gastown.js"),
    ] {
        town.set_town_setting(
            "default_agent",
            serde_json::json!(format!("own-{provider}")),
        );
        let member = format!("with_{provider}");
        let added = town.gt(["crew", "add", &member, "--rig", "web", "--json"]);
        let added = added.ok().json();
        let clone = std::path::PathBuf::from(added[0]["path"].as_str().unwrap());
        let hooks = std::fs::read_to_string(clone.join(file)).unwrap();
        assert!(hooks.contains("prime"), "{provider}: {hooks}");
        let status = town.git_at(&clone, ["status", "--porcelain"]).ok();
        assert_eq!(status.text(), "", "{provider}");
        let target = format!("web/crew/{member}");
        let status = town.gt(["hooks", "status", &target, "--json"]).ok().json();
        assert_eq!(status[0]["state"], "installed", "{status}");
        // As the program runs it there.
        let start = r#"{"hook_event_name":"SessionStart","source":"startup","session_id":"s1"}"#;
        let hook = ["prime", "--hook", "--context-json"];
        let said = town.gt_at(&clone, hook).input(start).ok().json();
        let said = &said["hookSpecificOutput"];
        assert_eq!(said["hookEventName"], "SessionStart");
        assert!(
            said["additionalContext"]
                .as_str()
                .unwrap()
                .contains(&member),
            "{said}"
        );
    }
}

#[test]
fn a_hook_file_that_the_repository_tracks_is_not_written() {
    let (town, origin) = Town::with_rig();
    town.set_town_setting(
        "agents",
        serde_json::json!({ "own": { "provider": "codex", "command": "true" } }),
    );
    town.set_town_setting("default_agent", serde_json::json!("own"));
    origin.commit(".codex/hooks.json", "{}\n", "Hooks of the project");
    let added = town
        .gt(["crew", "add", "max", "--rig", "web", "--json"])
        .ok();
    let clone = std::path::PathBuf::from(added.json()[0]["path"].as_str().unwrap());
    let hooks = std::fs::read_to_string(clone.join(".codex/hooks.json")).unwrap();
    assert_eq!(hooks, "{}\n");
}

#[test]
fn a_crew_member_is_shown_renamed_and_updated() {
    let (town, origin, clone) = with_max();
    std::fs::write(clone.join("draft.txt"), "draft\n").unwrap();
    town.gt(["mail", "send", "web/max", "-s", "Hello"]).ok();
    let shown = town.gt(["crew", "status", "max", "--json"]).ok().json();
    assert_eq!(shown[0]["git_clean"], false);
    assert_eq!(shown[0]["git_untracked"][0], "draft.txt");
    assert_eq!(shown[0]["mail_unread"], 1);
    assert_eq!(shown[0]["has_session"], false);
    assert_running_screen("gt-crew-status", town.gt(["crew", "status"]), &[]);

    origin.commit("new.txt", "new\n", "New");
    let updated = town.gt(["crew", "pristine", "max", "--json"]).ok().json();
    assert_eq!(updated[0]["had_changes"], true);
    assert_eq!(updated[0]["pulled"], true, "{updated:#}");
    assert!(clone.join("new.txt").is_file() && clone.join("draft.txt").is_file());

    let renamed = town.gt(["crew", "rename", "max", "kim"]).ok().out;
    assert!(renamed.contains("gt mail inbox web/max"), "{renamed}");
    let moved = town.root().join("web/crew/kim");
    assert!(moved.join("draft.txt").is_file() && !clone.exists());
    assert_eq!(town.show("web", "web-web-crew-kim")["status"], "open");
    assert_eq!(town.show("web", "web-web-crew-max")["status"], "closed");
    town.gt(["crew", "rename", "kim", "a-b"])
        .fails("cannot be a crew member's name");
    town.gt(["crew", "status", "max"]).fails("no crew member");
}

#[test]
fn a_crew_member_is_removed_without_losing_work() {
    let (town, _origin, clone) = with_max();
    town.gt(["crew", "start", "max", "--agent", "stay"]).ok();
    let restarted = town
        .gt(["crew", "restart", "max", "--agent", "stay", "--json"])
        .ok()
        .json();
    assert_eq!(restarted[0]["was_running"], true);
    town.gt(["crew", "remove", "max"]).fails("gt crew stop");
    town.gt(["crew", "stop", "max"]).ok();
    std::fs::write(clone.join("draft.txt"), "draft\n").unwrap();
    town.gt(["crew", "remove", "max"])
        .fails("1 uncommitted file");
    let removed = town
        .gt(["crew", "remove", "max", "--force", "--json"])
        .ok()
        .json();
    let aside = std::path::Path::new(removed[0]["moved_to"].as_str().unwrap());
    assert!(aside.join("draft.txt").is_file());
    assert!(!clone.exists());
    assert_eq!(
        town.gt(["crew", "list", "--json"]).ok().json(),
        serde_json::json!([])
    );

    // A clean clone is deleted, and the name is free again.
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    assert_eq!(town.show("web", "web-web-crew-max")["status"], "open");
    let removed = town.gt(["crew", "remove", "web/max", "--json"]).ok().json();
    assert!(removed[0].get("moved_to").is_none(), "{removed:#}");
    assert!(!clone.exists());
}

#[test]
fn a_path_is_no_name_of_a_crew_member_and_a_snapshot_is_not_deleted() {
    let (town, _origin) = Town::with_rig();
    let clone = town.root().join("web/mayor/rig/.git");
    for command in ["remove", "pristine", "rename"] {
        let new = (command == "rename").then_some("other");
        town.gt(["crew", command, "web/../mayor/rig"])
            .args(new)
            .fails("no crew member");
    }
    assert!(clone.exists());
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let folder = town.root().join("web/crew/max");
    // The only ref to a commit is the snapshot of a stopped session.
    std::fs::write(folder.join("work.txt"), "x\n").unwrap();
    town.git_at(&folder, ["add", "."]).ok();
    town.git_at(&folder, ["commit", "-qm", "Work"]).ok();
    let snapshot = ["update-ref", "refs/gt/snap/web/crew/max/1", "HEAD"];
    town.git_at(&folder, snapshot).ok();
    town.git_at(&folder, ["reset", "-q", "--hard", "HEAD~1"])
        .ok();
    town.gt(["crew", "remove", "max"])
        .fails("1 commit on no remote");
    assert!(folder.exists());
}

#[test]
fn a_clone_that_cannot_be_updated_is_a_failure() {
    let (town, _origin) = Town::with_rig();
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    town.gt(["crew", "pristine", "max"]).ok();
    let gone = town.path("gone").display().to_string();
    let folder = town.root().join("web/crew/max");
    town.git_at(&folder, ["remote", "set-url", "origin", &gone])
        .ok();
    let failed = town.gt(["crew", "pristine", "max", "--json"]).run();
    assert_eq!(failed.code, 1, "{}", failed.out);
    assert!(failed.json()[0]["pull_error"].is_string(), "{}", failed.out);
}

#[test]
fn the_rig_may_stand_before_the_names_of_its_crew() {
    let (town, _origin) = Town::with_rig();
    let stay = serde_json::json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
    town.set_town_setting("agents", serde_json::json!({ "stay": stay }));
    town.set_town_setting("default_agent", "stay".into());
    for name in ["max", "nux"] {
        town.gt(["crew", "add", name, "--rig", "web"]).ok();
    }
    let agents = |args: &[&str]| {
        let said = town.gt(args.iter().copied()).ok().json();
        let agents = said.as_array().unwrap().iter();
        let names: Vec<String> = agents.map(|one| one["agent"].to_string()).collect();
        names.join(" ")
    };
    assert_eq!(
        agents(&["crew", "start", "web", "max", "--json"]),
        "\"web/crew/max\""
    );
    assert_eq!(
        agents(&["crew", "stop", "web", "--all", "--json"]),
        "\"web/crew/max\" \"web/crew/nux\""
    );
    for group in ["rig", "crew", "polecat", "dog", "formula", "rescue"] {
        town.gt([group, "ls"]).ok();
    }
}

#[test]
fn a_clone_with_work_that_git_does_not_show_is_not_deleted() {
    let (town, origin, clone) = with_max();
    let git = |args: &[&str]| town.git_at(&clone, args.iter().copied()).ok();
    let write = |file: &str| std::fs::write(clone.join(file), "only here\n").unwrap();
    let refused = |words: &str| {
        town.gt(["crew", "remove", "max"]).fails(words);
        assert!(clone.exists(), "{words}");
    };
    // Edits that git was told to hide.
    for hide in ["assume-unchanged", "skip-worktree"] {
        git(&["update-index", &format!("--{hide}"), "README.md"]);
        write("README.md");
        refused("README.md");
        git(&["update-index", &format!("--no-{hide}"), "README.md"]);
        git(&["restore", "README.md"]);
    }
    // Commits that a detached HEAD left, and a branch that the remote deleted.
    for detached in [true, false] {
        let start = if detached { "--detach" } else { "-ctopic" };
        git(&["switch", "-q", start]);
        write("work.txt");
        git(&["add", "work.txt"]);
        git(&["commit", "-qm", "Work"]);
        if !detached {
            git(&["push", "-q", "origin", "topic"]);
            origin.git(["branch", "-qD", "topic"]);
        }
        git(&["switch", "-q", "main"]);
        refused("1 commit on no remote");
        let drop = if detached {
            ["reflog", "expire", "--expire=all", "HEAD"]
        } else {
            ["branch", "-q", "-D", "topic"]
        };
        git(&drop);
    }
    // A remote that cannot be asked proves nothing.
    let away = origin.path().with_extension("away");
    std::fs::rename(origin.path(), &away).unwrap();
    refused("it is unknown which commits origin has");
    std::fs::rename(&away, origin.path()).unwrap();
    // Files that git ignores are kept, whatever names them.
    let user_file = town.path("home/.config/git/ignore");
    std::fs::create_dir_all(user_file.parent().unwrap()).unwrap();
    std::fs::write(&user_file, "by-user.txt\n").unwrap();
    for file in ["by-exclude.txt", "by-user.txt"] {
        let excludes = clone.join(".git/info/exclude");
        let before = std::fs::read_to_string(&excludes).unwrap();
        std::fs::write(&excludes, format!("{before}by-exclude.txt\n")).unwrap();
        write(file);
        let removed = town.gt(["crew", "remove", "max", "--json"]).ok().json();
        let aside = std::path::Path::new(removed[0]["moved_to"].as_str().unwrap());
        assert!(aside.join(file).is_file());
        town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    }
    let removed = town.gt(["crew", "remove", "max", "--json"]).ok().json();
    assert!(removed[0].get("moved_to").is_none(), "{removed:#}");
}
