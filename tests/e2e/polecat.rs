//! `gt polecat`: states, reuse, nuke.

use town_tests::{Town, Worker, eventually};

#[test]
fn nuke_refuses_unpushed_commits_and_force_saves_them_first() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let sandbox = town.sandbox(&worker);
    town.gt(["polecat", "nuke", &worker])
        .fails("is on its hook");
    town.gt(["unsling", &bead]).ok();
    std::fs::write(sandbox.join("new.txt"), "precious\n").unwrap();
    town.gt(["polecat", "nuke", &worker])
        .fails("1 uncommitted file");
    let at = ["-C", sandbox.to_str().unwrap()];
    town.program_on_path("git")
        .args(at)
        .args(["add", "-A"])
        .ok();
    town.program_on_path("git")
        .args(at)
        .args(["commit", "-qm", "Precious"])
        .ok();
    town.gt(["polecat", "nuke", &worker])
        .fails("1 commit on no remote");
    assert!(sandbox.exists());
    let said = town
        .gt(["polecat", "nuke", &worker, "--force", "--json"])
        .ok()
        .json();
    assert!(!sandbox.exists());
    // The commit is still there under the branch's name, and the identity with its history, too.
    let repo = town.root().join("web/.repo.git");
    let log = ["-C", repo.to_str().unwrap(), "log", "--all", "--format=%s"];
    assert!(
        town.program_on_path("git")
            .args(log)
            .ok()
            .out
            .contains("Precious")
    );
    let (rig, name) = worker.split_once('/').unwrap();
    assert_eq!(said[0]["polecat"], format!("{rig}/polecats/{name}"));
    assert_eq!(
        town.show("web", &format!("web-{rig}-polecat-{name}"))["close_reason"],
        "nuked"
    );
    // The name can be used again, with the same identity.
    let again = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    assert_eq!(again[0]["sandbox"], "added");
}

#[test]
fn nuking_a_finished_polecat_before_the_merge_loses_nothing() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > work.txt");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    eventually("the worker is idle", || {
        (town.polecats()[0]["state"] == "idle").then_some(())
    });
    town.gt(["polecat", "nuke", &worker]).ok();
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.subjects("main").len(), 1);
}

#[test]
fn an_idle_polecat_works_and_its_sandbox_is_reused_by_branch_switch() {
    let (town, _origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    town.up();
    let mut inodes = Vec::new();
    for title in ["First", "Second", "Third"] {
        let bead = town.bead("web", title);
        town.gt(["sling", &bead, "web"]).ok();
        town.closed("web", &bead);
        town.quiet();
        let polecats = town.polecats();
        assert_eq!(polecats.len(), 1);
        assert_eq!(polecats[0]["state"], "idle");
        let worker = format!("web/{}", polecats[0]["name"].as_str().unwrap());
        let meta = std::fs::metadata(town.sandbox(&worker).join("README.md")).unwrap();
        inodes.push(std::os::unix::fs::MetadataExt::ino(&meta));
    }
    inodes.dedup();
    assert_eq!(inodes.len(), 1, "the worktree was never made again");
    let how: Vec<String> = town
        .events("fresh_branch")
        .iter()
        .map(|event| event["payload"]["sandbox"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(how, ["added", "switched", "switched"]);
    assert!(
        town.events("fresh_branch")
            .iter()
            .all(|event| event["payload"]["rescue"].is_null())
    );
    assert!(town.events("patrol").iter().all(|event| {
        let rule = event["payload"]["rule"].as_str().unwrap();
        !rule.starts_with("P6") && !rule.starts_with("P7")
    }));
}

#[test]
fn a_broken_sandbox_is_moved_aside_and_recreated() {
    let (town, _origin) = Town::with_rig();
    let (_, worker) = town.idle_worker();
    let sandbox = town.sandbox(&worker);
    std::fs::write(sandbox.join("precious.txt"), "still here\n").unwrap();
    std::fs::remove_dir_all(sandbox.join(".git")).unwrap();
    std::fs::create_dir(sandbox.join(".git")).unwrap();
    let second = town.bead("web", "Second");
    let slung = town.gt(["sling", &second, "web", "--json"]).ok().json();
    assert_eq!(slung[0]["sandbox"], "repaired");
    let event = town.events("sandbox_repaired").remove(0);
    let aside = event["payload"]["moved_to"].as_str().unwrap();
    let kept = std::fs::read_to_string(std::path::Path::new(aside).join("precious.txt")).unwrap();
    assert_eq!(kept, "still here\n");
    town.closed("web", &second);
}

/// Slings a bead with a program that is killed after a git command; the patrol finishes the sling.
fn sling_that_crashes(town: &Town, words: &str, also: &str) {
    let bead = town.bead("web", "Work");
    town.crash_after_git(words, also);
    let mut sling = town.gt(["sling", &bead, "web"]).start();
    assert!(!sling.wait().unwrap().success(), "it was killed");
    assert!(town.path("scripts/crashed").exists());
    town.patrol();
    town.quiet();
    // A worker that was quick is merged by the same patrol.
    let status = town.status_of("web", &bead);
    assert!(
        ["in_progress", "closed"].contains(&status.as_str()),
        "{status}"
    );
    let failed: Vec<_> = town
        .events("patrol")
        .into_iter()
        .filter(|event| event["payload"]["failed"] == true)
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
    let name = town.polecats()[0]["name"].as_str().unwrap().to_owned();
    let home = town.root().join("web/polecats").join(name);
    let broken = std::fs::read_dir(home).unwrap().flatten();
    let broken: Vec<_> = broken
        .map(|entry| entry.file_name())
        .filter(|name| name != "web")
        .collect();
    assert!(broken.is_empty(), "nothing is left aside: {broken:?}");
    let saved = town.gt(["rescue", "list", "--json"]).ok().json();
    assert_eq!(saved, serde_json::json!([]));
}

#[test]
fn a_sling_killed_right_after_adding_its_sandbox_is_finished() {
    let (town, _origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    sling_that_crashes(&town, "worktree add", "");
}

#[test]
fn a_sling_killed_during_the_checkout_of_its_sandbox_is_finished() {
    let (town, origin) = Town::with_rig();
    origin.commit("big.txt", "big\n", "Big");
    town.script("echo work > \"$GT_BEAD.txt\"");
    // The files that a git killed while adding the worktree leaves behind.
    let half = "rm -f web/polecats/*/web/*.txt; for d in web/.repo.git/worktrees/*; do \
                echo initializing > \"$d/locked\"; rm -f \"$d/index\"; : > \"$d/index.lock\"; done";
    let root = town.root();
    sling_that_crashes(
        &town,
        "worktree add",
        &format!("cd {}; {half}", root.display()),
    );
}

#[test]
fn a_sling_killed_right_after_the_branch_switch_is_finished() {
    let (town, _origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    let first = town.bead("web", "First");
    town.gt(["sling", &first, "web"]).ok();
    town.quiet();
    town.gt(["mq", "run", "web"]).ok();
    sling_that_crashes(&town, "switch --quiet --no-track -c", "");
}

#[test]
fn commits_of_an_unslung_bead_are_saved_before_the_sandbox_is_reused() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let sandbox = town.sandbox(&worker);
    std::fs::write(sandbox.join("new.txt"), "precious\n").unwrap();
    let git = |args: &[&str]| {
        let at = ["-C", sandbox.to_str().unwrap()];
        let git = town.program_on_path("git").args(at);
        git.args(args.iter().copied()).ok().text().to_owned()
    };
    git(&["add", "-A"]);
    git(&["commit", "-qm", "Precious"]);
    let tip = git(&["rev-parse", "HEAD"]);
    town.gt(["unsling", &bead]).ok();
    let slung = town.gt(["sling", &bead, &worker, "--json"]).ok().json();
    let saved = slung[0]["rescued"].as_str().unwrap();
    assert!(saved.starts_with("refs/gt/rescue/web/"), "{saved}");
    assert_eq!(git(&["rev-parse", saved]), tip);
}

#[test]
fn a_forced_nuke_releases_the_hooked_work() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let said = town
        .gt(["polecat", "nuke", &worker, "--force", "--json"])
        .ok()
        .json();
    assert_eq!(said[0]["released"], bead.as_str());
    assert_eq!(town.status_of("web", &bead), "open");
    assert!(!town.sandbox(&worker).exists());
    town.gt(["sling", &bead, "web"]).ok();
}

#[test]
fn a_name_of_another_agent_is_refused_everywhere() {
    let (town, _origin) = Town::with_rig();
    town.script("true");
    let bead = town.bead("web", "Work");
    for name in [
        "witness", "refinery", "crew", "mayor", "deacon", "boot", "dog", "overseer",
    ] {
        let target = format!("web/polecats/{name}");
        town.gt(["sling", &bead, &target])
            .fails("the town uses it itself");
        town.gt(["crew", "add", name, "--rig", "web"])
            .fails("the town uses it itself");
    }
    town.gt(["sling", &bead, "web/polecats/crew-x"])
        .fails("which is that of web/crew/x");
    town.gt([
        "config",
        "set",
        "namepool.names",
        "nux,crew-x",
        "--rig",
        "web",
    ])
    .fails("which is that of web/crew/x");
    assert_eq!(town.status_of("web", &bead), "open");
    // A list that was written by hand is passed over where it names one.
    let names = serde_json::json!({ "names": ["witness", "crew-x", "nux"] });
    town.set_rig_setting("web", "namepool", names);
    assert_eq!(town.sling(&bead), "web/nux");
}

#[test]
fn the_next_bead_of_a_chain_goes_to_the_worker_that_just_finished() {
    let (town, _origin) = Town::with_rig();
    town.script("echo w > \"$GT_BEAD.txt\"");
    let beads: Vec<String> = (0..3)
        .map(|n| town.bead("web", &format!("Link {n}")))
        .collect();
    for pair in beads.windows(2) {
        town.bd("web", ["dep", "add", &pair[1], &pair[0]]).ok();
    }
    town.up();
    for bead in &beads {
        town.gt(["sling", bead, "web"]).ok();
    }
    town.closed("web", &beads[2]);
    assert_eq!(town.polecats().len(), 1, "{:?}", town.polecats());
}

#[test]
fn done_switches_the_sandbox_to_the_target_and_deletes_empty_branches() {
    let worker = Worker::new();
    let target = worker.git(["rev-parse", "origin/main"]);
    let branch = worker.git(["branch", "--show-current"]);
    worker.done(["--no-change", "it is right"]).ok();
    assert_eq!(worker.git(["rev-parse", "HEAD"]), target);
    assert_eq!(worker.git(["branch", "--list", branch.trim()]), "");
    worker.town.gt(["up"]).ok();
    let next = worker.town.bead("web", "Next");
    worker.town.gt(["sling", &next, &worker.name]).run();
}

#[test]
fn the_record_holds_sessions_model_result_and_gate_failures() {
    let (town, _origin) = Town::with_rig();
    town.gate("web", "! grep -q bad answer.txt");
    town.script(
        r#"if [ ! -f "$GT_ROOT/../scripts/handed" ] && [ "$GT_BEAD_TITLE" = Work ]; then
    touch "$GT_ROOT/../scripts/handed"
    gt handoff -m "go on"
    sleep 600
fi
echo '{"hook_event_name":"PostToolUse","model":"model-7"}' | gt signal event
case "$GT_BEAD" in
*-fix-*) git merge -q "$(grep -o 'git merge [0-9a-f]\{40\}' "$GT_PRIME_FILE" | head -1 | cut -d' ' -f3)"
    echo good > answer.txt;;
*) echo bad > answer.txt;;
esac"#,
    );
    let bead = town.bead("web", "Work");
    town.up();
    let worker = town.sling(&bead);
    town.closed("web", &bead);
    let entry = eventually("the record says what became of it", || {
        let status = town
            .gt(["polecat", "status", &worker, "--json"])
            .ok()
            .json();
        let record = status["record"].as_array().unwrap().clone();
        record
            .into_iter()
            .find(|one| one["bead"] == bead.as_str() && one["result"].is_string())
    });
    assert_eq!(entry["sessions"], 2, "{entry}");
    assert_eq!(entry["model"], "model-7", "{entry}");
    assert_eq!(entry["result"], "reworked", "{entry}");
    assert_eq!(entry["gate_failures"], 1, "{entry}");
    assert!(entry["merged_after"].as_i64().unwrap() >= entry["seconds"].as_i64().unwrap());
    let shown = town.gt(["polecat", "status", &worker]).ok().out;
    assert!(
        shown.contains("reworked (") && shown.contains("model-7, gates failed 1×"),
        "{shown}"
    );
}

#[test]
fn an_old_or_large_session_is_offered_a_handoff_after_its_turn() {
    let worker = Worker::new();
    let stop = |more: &str| {
        let lease = worker.town.gt_as(&worker.name, ["signal", "stop"]);
        lease
            .input(more)
            .env("GT_STARTED", "2020-01-01T00:00:00Z")
            .ok()
            .out
    };
    let said = stop(r#"{"session_id":"s-1","hook_event_name":"Stop"}"#);
    assert!(
        said.contains("still on your hook") && said.contains("gt handoff -m"),
        "{said}"
    );
    worker
        .town
        .set_rig_setting("web", "session", serde_json::json!({ "cycle_age": "0s" }));
    worker.commit("a.txt");
    let said = stop(r#"{"session_id":"s-1","hook_event_name":"Stop"}"#);
    assert!(
        said.contains("still on your hook") && !said.contains("A fresh session"),
        "{said}"
    );
}

#[test]
fn a_copy_of_a_town_leaves_the_sessions_of_the_original_alone() {
    let worker = Worker::new();
    let town = &worker.town;
    let (original, copy) = (town.root(), town.path("copy"));
    let [from, to] = [&original, &copy].map(|path| path.to_str().unwrap());
    town.program_on_path("cp").args(["-a", from, to]).ok();
    let sessions = town.sessions();
    assert_eq!(sessions.len(), 1);
    let nuke = ["polecat", "nuke", &worker.name, "--force"];
    let refused = town.gt_at(&copy, nuke).fails("is alive in the town at");
    assert!(refused.err.contains(from), "{}", refused.err);
    town.gt_at(&copy, ["unsling", &worker.bead]).ok();
    assert_eq!(town.sessions(), sessions);
    town.gt_at(&copy, nuke).ok();
    assert!(worker.sandbox.join(".git").exists());
    assert_eq!(town.sessions(), sessions);
    assert_eq!(town.polecats()[0]["state"], "working");
}

#[test]
fn unsaved_work_of_a_polecat_is_reported_before_a_removal() {
    let (town, _origin) = Town::with_rig();
    town.script("echo begun > half.txt; while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let half = town.sandbox(&worker).join("half.txt");
    eventually("the work has begun", || half.exists().then_some(()));
    let check = |args: &[&str]| town.gt([args, &[worker.as_str(), "--json"]].concat()).run();
    let found = check(&["polecat", "check-recovery"]).json();
    assert_eq!(found["verdict"], "NEEDS_RECOVERY");
    assert_eq!(found["issue"], bead.as_str());
    let state = check(&["polecat", "git-state"]).json();
    assert_eq!(state["clean"], false);
    assert_eq!(state["uncommitted_files"][0], "half.txt");
    assert_eq!(check(&["polecat", "nuke", "--dry-run"]).code, 1);
    assert!(half.exists());
    town.gt(["unsling", &bead]).ok();
    std::fs::remove_file(&half).unwrap();
    let found = check(&["polecat", "check-recovery"]).json();
    assert_eq!(found["verdict"], "SAFE_TO_NUKE", "{found:#}");
    assert_eq!(check(&["polecat", "nuke", "--dry-run"]).code, 0);
    let stale = |more: &[&str]| {
        let args = [&["polecat", "stale", "web", "--json"], more].concat();
        town.gt(args).ok().json()
    };
    let found = stale(&[]);
    assert_eq!(found[0]["verdict"], "SAFE_TO_NUKE", "{found:#}");
    assert_eq!(found[0]["removed"], false);
    let all = town.gt(["polecat", "list", "--all", "--json"]).ok().json();
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(stale(&["--cleanup"])[0]["removed"], true);
    assert!(!town.sandbox(&worker).exists());
    assert_eq!(stale(&[]), serde_json::json!([]));
    town.gt(["polecat", "git-state", "web/none"])
        .fails("has no sandbox");
}

#[test]
fn only_merged_branches_of_polecats_without_a_user_are_pruned() {
    let worker = Worker::new();
    let town = &worker.town;
    let repo = town.root().join("web/.repo.git");
    let repo = repo.to_str().unwrap();
    let git = |args: &[&str]| {
        let call = town.program_on_path("git").args(["-C", repo]);
        call.args(args.iter().copied()).ok().out
    };
    worker.commit("unmerged.txt");
    let own = worker.git(["branch", "--show-current"]);
    let own = own.trim();
    // The town takes the commit over.
    town.gt(["polecat", "git-state", &worker.name]).ok();
    git(&["branch", "polecat/old/web-1@a", "origin/main"]);
    git(&["branch", "polecat/old/web-2@b", own]);
    git(&["branch", "feature", "origin/main"]);
    // A copy of the branch at the remote does not count: it may be removed there.
    git(&["update-ref", "refs/remotes/origin/polecat/old/web-2@b", own]);
    let branches = || git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    let before = branches();
    let preview = town.gt(["polecat", "gc", "web", "--dry-run"]).ok().out;
    assert!(
        preview.contains("would remove web polecat/old/web-1@a"),
        "{preview}"
    );
    assert_eq!(branches(), before);
    let other = ["prune-branches", "--pattern", "f*", "--json"];
    assert_eq!(town.gt(other).ok().json(), serde_json::json!([]));
    let report = town.gt(["polecat", "prune", "--json"]).ok().json();
    let outcome = |branch: &str| {
        let all = report.as_array().unwrap();
        let one = all.iter().find(|one| one["branch"] == branch).unwrap();
        (
            one["removed"].as_bool().unwrap(),
            one["reason"].as_str().unwrap().to_owned(),
        )
    };
    let merged = (true, "refs/remotes/origin/main".to_owned());
    assert_eq!(outcome("polecat/old/web-1@a"), merged);
    let unmerged = "it has commits that are not merged".to_owned();
    assert_eq!(outcome("polecat/old/web-2@b"), (false, unmerged));
    assert!(!outcome(own).0);
    assert_eq!(branches(), before.replace("polecat/old/web-1@a\n", ""));
}

#[test]
fn nuke_finds_hidden_edits_and_keeps_files_that_no_gitignore_names() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let sandbox = town.sandbox(&worker);
    town.gt(["unsling", &bead]).ok();
    let hide = ["update-index", "--assume-unchanged", "README.md"];
    town.git_at(&sandbox, hide).ok();
    std::fs::write(sandbox.join("README.md"), "hidden\n").unwrap();
    town.gt(["polecat", "nuke", &worker]).fails("README.md");
    town.git_at(
        &sandbox,
        ["update-index", "--no-assume-unchanged", "README.md"],
    )
    .ok();
    town.git_at(&sandbox, ["restore", "README.md"]).ok();
    let excludes = town.root().join("web/.repo.git/info/exclude");
    let before = std::fs::read_to_string(&excludes).unwrap();
    std::fs::write(&excludes, format!("{before}docs/\n")).unwrap();
    std::fs::create_dir(sandbox.join("docs")).unwrap();
    std::fs::write(sandbox.join("docs/guide.txt"), "guide\n").unwrap();
    town.gt(["polecat", "nuke", &worker])
        .fails("docs/guide.txt");
    let nuke = ["polecat", "nuke", &worker, "--force", "--json"];
    let nuked = town.gt(nuke).ok().json();
    let kept = std::path::Path::new(nuked[0]["moved_to"].as_str().unwrap());
    let guide = std::fs::read_to_string(kept.join("docs/guide.txt")).unwrap();
    assert_eq!(guide, "guide\n");
    assert!(!sandbox.exists());
}

#[test]
fn a_worker_keeps_its_bead_when_the_bead_is_renamed() {
    let mut worker = Worker::new();
    let old = std::mem::replace(&mut worker.bead, "web-renamed".to_owned());
    worker.town.bd("web", ["rename", &old, "web-renamed"]).ok();
    worker.town.patrol();
    let status = worker
        .town
        .gt(["polecat", "status", &worker.name, "--json"])
        .ok()
        .json();
    assert_eq!(
        (&status["state"], &status["issue"]),
        (&"working".into(), &"web-renamed".into())
    );
    let convoys = std::fs::read_to_string(worker.town.root().join(".beads/issues.jsonl")).unwrap();
    assert!(
        convoys.contains("web-renamed") && !convoys.contains(&old),
        "{convoys}"
    );
    worker.commit("a.txt");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.shown()["status"], "closed");
}

#[test]
fn a_worker_whose_record_cannot_be_read_gets_no_other_work() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    town.gt(["down"]).ok();
    let (rig, name) = worker.split_once('/').unwrap();
    let record = format!("web-wisp-slot-{rig}-{name}");
    let damaged = r#"{"lease":"x","bead":5}"#;
    town.bd("web", ["update", &record, "--metadata", damaged])
        .ok();
    let other = town.bead("web", "Other work");
    let slung = town.gt(["sling", &other, "web", "--json"]).ok().json();
    assert_ne!(slung[0]["polecat"], format!("{rig}/polecats/{name}"));
    assert!(town.sandbox(&worker).exists());
    let status = town.gt(["polecat", "status", &worker]).ok().out;
    assert!(status.contains("cannot be read"), "{status}");
}
