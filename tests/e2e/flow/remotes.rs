//! Rigs with and without a remote, and remotes that say no.

use serde_json::json;
use town_tests::{Town, eventually};

#[test]
fn a_rig_without_a_remote_merges_into_its_own_repository() {
    let town = Town::new();
    let source = town.origin("source");
    town.gt([
        "rig",
        "add",
        "web",
        source.url(),
        "--prefix",
        "web",
        "--no-remote",
    ])
    .ok();
    town.script("echo work > work.txt");
    let bead = town.bead("web", "Work");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    let repo = town.root().join("web/.repo.git");
    let log = town.program_on_path("git").args([
        "-C",
        repo.to_str().unwrap(),
        "log",
        "--format=%an",
        "main",
    ]);
    assert!(log.ok().out.starts_with("web/polecats/"));
    assert_eq!(
        source.subjects("main").len(),
        0,
        "nothing went to where it came from"
    );
    assert!(town.gt(["status"]).ok().out.contains("local only"));
}

#[test]
fn a_push_refused_by_a_hook_waits_for_the_user_without_retries() {
    use std::os::unix::fs::PermissionsExt;
    let (town, origin) = Town::with_rig();
    town.script("echo work > work.txt");
    let hook = origin.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let body = "#!/bin/sh\nwhile read old new ref; do\n  echo \"$ref\" >> pushes\n  \
                [ \"$ref\" != refs/heads/main ] || { echo 'main is protected here' >&2; exit 1; }\ndone\n";
    std::fs::write(&hook, body).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let bead = town.bead("web", "Work");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let held = eventually("the request waits for a person", || {
        let list = town.gt(["mq", "list", "web", "--json"]).ok().json();
        (list[0]["needs_person"].is_string()).then(|| list[0].clone())
    });
    assert!(
        held["needs_person"]
            .as_str()
            .unwrap()
            .contains("main is protected here"),
        "{held}"
    );
    town.patrol_is_quiet();
    let pushes = std::fs::read_to_string(origin.path().join("pushes")).unwrap();
    assert_eq!(pushes.matches("refs/heads/main").count(), 1, "{pushes}");
    assert_eq!(town.status_of("web", &bead), "in_progress");
    // A person mends it and sends it on.
    std::fs::remove_file(&hook).unwrap();
    town.gt(["mq", "retry", held["id"].as_str().unwrap()]).ok();
    town.closed("web", &bead);
    assert_eq!(origin.subjects("main").len(), 1);
}

#[test]
fn work_merges_without_help_once_a_server_failure_is_over() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > work.txt; git add -A; git commit -qm work; gt done --summary work");
    let bead = town.bead("web", "Work");
    // The server cannot update the target's ref. A worker's own branch it takes.
    let lock = origin.path().join("refs/heads/main.lock");
    std::fs::write(&lock, "").unwrap();
    town.gt(["sling", &bead, "web"]).ok();
    let waiting = || town.gt(["mq", "list", "web", "--json"]).ok().json()[0].clone();
    eventually("the merge request is filed", || {
        (!waiting().is_null()).then_some(())
    });
    town.gt(["mq", "run", "web"]).ok();
    let skipped = town.events("merge_skipped").pop().unwrap();
    let reason = skipped["payload"]["reason"].as_str().unwrap();
    assert!(reason.contains("failed to update ref"), "{reason}");

    // Nor can it take in objects: the merged commit is a new one.
    std::fs::remove_file(&lock).unwrap();
    let tree = origin.git(["rev-parse", "main^{tree}"]);
    let other = ["commit-tree", tree.trim(), "-p", "main", "-m", "Other"];
    let other = origin.git(other);
    origin.git(["update-ref", "refs/heads/main", other.trim()]);
    let blocked = objects_refused(&origin);
    town.gt(["mq", "run", "web"]).ok();
    let skipped = town.events("merge_skipped").pop().unwrap();
    let reason = skipped["payload"]["reason"].as_str().unwrap();
    assert!(reason.contains("unable to migrate objects"), "{reason}");
    assert!(waiting()["needs_person"].is_null(), "{}", waiting());

    std::fs::remove_file(&blocked).unwrap();
    std::fs::create_dir(&blocked).unwrap();
    town.up();
    town.closed("web", &bead);
}

/// A file in the place of the folder of packs: a server that keeps what is pushed as a pack cannot
/// take anything in.
fn objects_refused(origin: &town_tests::Repo) -> std::path::PathBuf {
    origin.git(["config", "receive.unpackLimit", "1"]);
    let packs = origin.path().join("objects/pack");
    std::fs::remove_dir(&packs).unwrap();
    std::fs::write(&packs, "").unwrap();
    packs
}

#[test]
fn a_remote_that_never_answers_times_out_without_blocking_others() {
    let (town, origin) = Town::with_rig();
    town.script("sleep 600");
    town.set_town_setting("git", json!({ "network_timeout": "5s" }));
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("git://{}/web.git", silent.local_addr().unwrap());
    let registry = town.root().join("mayor/rigs.json");
    let point_at = |url: &str| {
        let text = std::fs::read(&registry).unwrap();
        let mut rigs: serde_json::Value = serde_json::from_slice(&text).unwrap();
        rigs["rigs"]["web"]["git_url"] = json!(url);
        std::fs::write(&registry, rigs.to_string()).unwrap();
    };
    point_at(&url);
    let (first, second) = (town.bead("web", "First"), town.bead("web", "Second"));
    let sling = |bead: &str| town.gt(["sling", bead, "web"]);

    let mut waiting = sling(&first).start();
    let connection = silent.accept().unwrap();
    // Meanwhile another worker starts from a remote that answers.
    point_at(origin.url());
    sling(&second).ok();
    assert!(
        waiting.try_wait().unwrap().is_none(),
        "the first still waits"
    );
    // Work can start from what was fetched before.
    assert!(waiting.wait().unwrap().success());
    drop(connection);

    point_at(&url);
    let third = town.bead("web", "Third");
    let said = sling(&third).ok();
    let hint = format!("Hint: still waiting for the remote {url} …");
    assert_eq!(said.err.matches(&hint).count(), 1, "{}", said.err);
    let started = town.events("fresh_branch").pop().unwrap();
    let failed = started["payload"]["fetch_failed"].as_str().unwrap();
    assert!(failed.starts_with(&url), "{failed}");
    assert!(failed.ends_with("within 5s"), "{failed}");
}

#[test]
fn an_origin_with_the_target_checked_out_is_refused_with_next_steps() {
    let town = Town::new();
    let bare = town.origin("source");
    let work = town.path("origins/work");
    bare.git(["clone", "--quiet", bare.url(), work.to_str().unwrap()]);
    let said = town
        .gt(["rig", "add", "web", work.to_str().unwrap()])
        .fails("checked out");
    assert!(
        said.err.contains("--no-remote") || said.err.contains("bare"),
        "{}",
        said.err
    );
    assert!(!town.root().join("web").exists(), "nothing is left of it");
}
