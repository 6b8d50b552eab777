//! `gt rig`: add, list, status, remove.

use serde_json::Value;
use town_tests::{Town, eventually, read_text};

#[test]
fn a_rig_is_added_shown_and_removed() {
    let town = Town::new();
    let origin = town.origin("site");
    let added = town
        .gt(["rig", "add", "site", origin.url(), "--json"])
        .ok()
        .json();
    assert_eq!(
        (&added["prefix"], &added["branch"]),
        (&"si".into(), &"main".into())
    );
    let listed = town.gt(["rig", "list", "--json"]).ok().json();
    assert_eq!(listed[0]["name"], "site");
    assert_eq!(listed[0]["remote"], origin.url());
    assert_eq!(listed[0]["problem"], Value::Null);
    let id = town.bead("site", "Work");
    assert!(id.starts_with("si-"), "{id}");
    // From the rig's folder the rig need not be named.
    let status = town
        .gt(["rig", "status", "--json"])
        .at(&town.root().join("site"))
        .ok()
        .json();
    assert_eq!(
        (&status["branch"], &status["queue"]),
        (&"main".into(), &0.into())
    );
    town.gt(["rig", "add", "site", origin.url()])
        .fails("is there already");
    let removed = town.gt(["rig", "remove", "site"]).ok();
    assert!(removed.out.contains("still there"), "{}", removed.out);
    assert!(town.root().join("site/.beads/issues.jsonl").is_file());
    assert_eq!(
        town.gt(["rig", "list", "--json"]).ok().json(),
        Value::Array(Vec::new())
    );
    town.gt(["rig", "remove", "site"]).fails("there is no rig");
}

#[test]
fn a_refused_rig_leaves_no_trace() {
    let town = Town::new();
    let nowhere = town.path("nowhere.git");
    town.gt(["rig", "add", "site", nowhere.to_str().unwrap()])
        .fails("site");
    town.gt(["rig", "add", "my-site"]).fails("try `my_site`");
    town.gt(["rig", "add", "mayor"])
        .fails("the town uses it itself");
    assert!(!town.root().join("site").exists());
    assert!(!town.root().join("my-site").exists());
}

#[test]
fn work_in_a_rig_without_a_remote_is_merged_into_its_own_repository() {
    let town = Town::new();
    town.gt(["rig", "add", "lab"]).ok();
    town.script("echo found > result.txt");
    let id = town.bead("lab", "Try it");
    town.gt(["sling", &id, "lab"]).ok();
    town_tests::eventually("the work is handed in", || {
        let queue = town.gt(["rig", "status", "lab", "--json"]).ok().json();
        (queue["queue"] == 1).then_some(())
    });
    town.gt(["mq", "run", "lab"]).ok();
    assert_eq!(town.status_of("lab", &id), "closed");
    let repo = town.root().join("lab/.repo.git");
    let at = ["-C", repo.to_str().unwrap(), "show", "main:result.txt"];
    let shown = town.program_on_path("git").args(at).ok();
    assert_eq!(shown.text(), "found");
}

#[test]
fn a_password_in_a_url_is_never_shown_and_stored_privately() {
    let town = Town::new();
    let origin = town.origin("web");
    let away = "https://dana:s3cret@127.0.0.1:1/";
    let url = format!("{away}web.git");
    let mut shown = String::new();
    let mut run = |args: &[&str]| {
        let said = town.gt(args.iter().copied()).run();
        shown.push_str(&format!("{}{}", said.out, said.err));
    };
    run(&["rig", "add", "web", &url]);
    run(&["rig", "add", "web", &url, "--json"]);
    // While it is added the server can be reached.
    let config = town.path("home/.gitconfig");
    let plain = std::fs::read_to_string(&config).unwrap();
    let origins = origin.path().parent().unwrap().display();
    let instead = format!("{plain}[url \"{origins}/\"]\n\tinsteadOf = {away}\n");
    std::fs::write(&config, instead).unwrap();
    run(&["rig", "add", "web", &url, "--prefix", "web", "--json"]);
    run(&["crew", "add", "dana", "--rig", "web"]);
    std::fs::write(&config, plain).unwrap();

    town.script("echo work > work.txt; git add -A; git commit -qm work; gt done --summary work");
    let bead = town.bead("web", "Work");
    for args in [
        &["sling", &bead, "web"][..],
        &["rig", "list"],
        &["rig", "list", "--json"],
        &["rig", "status", "web"],
        &["rig", "status", "web", "--json"],
        &["status", "--json"],
        &["mq", "run", "web"],
        &["why", &bead],
        &["why", "web"],
        &["doctor", "--json"],
    ] {
        run(args);
    }
    let repo = town.root().join("web/.repo.git");
    town.git_at(&repo, ["config", "remote.origin.url", away])
        .ok();
    run(&["doctor"]);
    town.up();
    eventually("the daemon has tried", || {
        let failed = town.events("done_failed").len() + town.events("merge_skipped").len();
        (failed > 0).then_some(())
    });
    town.gt(["down"]).ok();
    assert!(!shown.contains("s3cret"), "{shown}");
    assert!(shown.contains("https://***@127.0.0.1:1/web.git"), "{shown}");
    assert_kept_private(&town);
}

/// The password is in the files that need it and nobody else can read those.
fn assert_kept_private(town: &Town) {
    use std::os::unix::fs::PermissionsExt;
    let args = ["-rl", "--exclude-dir=objects", "s3cret", "."];
    let found = town
        .program_on_path("grep")
        .args(args)
        .at(&town.root())
        .ok();
    let mut found: Vec<&str> = found.out.lines().collect();
    found.sort_unstable();
    let kept = [
        "./mayor/rigs.json",
        "./web/.repo.git/config",
        "./web/crew/dana/.git/config",
        "./web/mayor/rig/.git/config",
        "./web/polecats/amber/web/.git/config",
    ];
    assert_eq!(found, kept);
    for file in kept {
        let mode = std::fs::metadata(town.root().join(file)).unwrap();
        assert_eq!(mode.permissions().mode() & 0o777, 0o600, "{file}");
    }
}

#[test]
fn a_town_works_with_users_who_forbid_git_to_find_bare_repositories() {
    let town = Town::new();
    let origin = town.origin("web");
    let config = town.path("home/.gitconfig");
    let before = read_text(&config);
    let strict = format!("{before}[safe]\n\tbareRepository = explicit\n");
    std::fs::write(&config, strict).unwrap();
    town.gt(["rig", "add", "web", origin.url(), "--prefix", "web"])
        .ok();
    town.script("echo x > work.txt");
    let bead = town.bead("web", "Work");
    town.up();
    town.sling(&bead);
    town.closed("web", &bead);
    std::fs::write(&config, before).unwrap();
    assert_eq!(origin.file("main", "work.txt"), "x");
}

#[test]
fn a_rig_with_a_shallow_origin_is_added_and_merged_to() {
    let town = Town::new();
    let whole = town.origin("whole");
    whole.commit("a.txt", "a\n", "Second");
    let shallow = town.path("origins/shallow.git");
    let (url, path) = (format!("file://{}", whole.url()), shallow.to_str().unwrap());
    whole.git(["clone", "-q", "--bare", "--depth", "1", &url, path]);
    town.gt(["rig", "add", "web", path, "--prefix", "web"]).ok();
    town.script("echo x > work.txt");
    let bead = town.bead("web", "Work");
    town.up();
    town.sling(&bead);
    town.closed("web", &bead);
    let at = ["-C", path, "show", "main:work.txt"];
    assert_eq!(whole.git(at).trim(), "x");
}

#[test]
fn a_rig_with_unfinished_work_is_removed_with_a_flag_and_taken_back_by_its_name() {
    let (town, origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Half done");
    let worker = town.sling(&bead);
    let file = town.sandbox(&worker).join("draft.txt");
    let sandbox = town.sandbox(&worker);
    let commit = ["commit", "-q", "--allow-empty", "-m", "Half"];
    town.git_at(&sandbox, commit).ok();
    std::fs::write(&file, "draft").unwrap();
    town.gt(["down"]).ok();
    let refused = town.gt(["rig", "rm", "web"]).run();
    for words in [
        "--force",
        "on the hook of web/polecats/",
        &bead,
        "tracked by",
        ": 1 uncommitted file",
        "commits that are not in main: polecat/",
    ] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    let convoy = || town.gt(["convoy", "list", "--json"]).ok().json()[0].clone();
    let before = convoy();
    let removed = town.gt(["rig", "rm", "web", "--force"]).ok().out;
    for words in ["gt rig add web", "on the hook of", "uncommitted file"] {
        assert!(removed.contains(words), "{words}: {removed}");
    }
    assert_eq!(convoy()["total"], before["total"]);
    let other = town.origin("other");
    town.gt(["rig", "add", "web", other.url()])
        .fails("of another repository");
    let back = town.gt(["rig", "add", "web", "--json"]).ok().json();
    assert_eq!(
        (&back["prefix"], &back["branch"], &back["remote"]),
        (&"web".into(), &"main".into(), &origin.url().into())
    );
    assert_eq!(back["adopted"], true, "{back}");
    assert_eq!(convoy(), before);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "draft");
    assert_eq!(town.show("web", &bead)["status"], "hooked");
    town.gt(["rig", "rm", "web", "-y"]).ok();
    let added = town.gt(["rig", "add", "web", origin.url()]).ok().out;
    assert!(added.contains("Took back rig web"), "{added}");
    eventually("its worker is started again", || {
        town.patrol();
        (town.sessions().len() == 1).then_some(())
    });
}

#[test]
fn a_rig_without_room_for_workers_says_so() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    town.set_rig_setting("web", "max_polecats", serde_json::json!(0));
    let bead = town.bead("web", "Waits");
    town.gt(["sling", &bead, "web"]).ok();
    let why = town.gt(["why", &bead]).ok().out;
    assert!(
        why.contains("max_polecats is 0") && why.contains("gt config set max_polecats"),
        "{why}"
    );
}
