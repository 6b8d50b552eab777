//! The places of beads: folders above, redirects, routes, the environment.

use std::fs;

use super::{Project, ids};

#[test]
fn no_project_is_a_clear_error_but_prime_is_silent() {
    let project = Project::empty();
    let error = project.fails(&["list"]);
    assert!(
        error.contains("no beads database found") && error.contains("bd init"),
        "{error}"
    );
    assert_eq!(project.ok(&["prime"]), "");
    let json = project.run(&["list", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(
        (json.code, object["code"].as_str()),
        (1, Some("no_project"))
    );
    assert!(json.err.contains("no beads database found"));
    assert!(
        project
            .fails(&["where"])
            .contains("no beads directory found")
    );
}

#[test]
fn commands_work_from_any_subfolder() {
    let project = Project::new();
    let deep = project.path("a/b/c");
    fs::create_dir_all(&deep).unwrap();
    let id = project.make("T", &[]);
    let list = project.run_in(&deep, &["list", "--json"]);
    assert_eq!(
        ids(&serde_json::from_str(&list.out).unwrap()),
        [id.as_str()]
    );
    let away = project.run_in(
        std::path::Path::new("/"),
        &["-C", project.dir().to_str().unwrap(), "list"],
    );
    assert!(away.out.contains(&id));
    let database = project.path(".beads/beads.db");
    let by_db = project.run_in(
        std::path::Path::new("/"),
        &["--db", database.to_str().unwrap(), "list"],
    );
    assert!(by_db.out.contains(&id), "{}", by_db.err);
}

#[test]
fn a_given_folder_without_beads_is_an_error_and_nothing_is_written_elsewhere() {
    let project = Project::new();
    let before = project.read(".beads/issues.jsonl");
    let gone = project.path("gone");
    let gone = gone.to_str().unwrap();
    let file = format!("{gone}/beads.db");
    let by_flag = project.run(&["q", "T", "--db", &file]);
    let by_folder = project.run_with(&[("BEADS_DIR", gone)], &["q", "T"]);
    let by_file = project.run_with(&[("BEADS_DB", &file)], &["create", "T"]);
    for (ran, by) in [
        (by_flag, "--db"),
        (by_folder, "BEADS_DIR"),
        (by_file, "BEADS_DB"),
    ] {
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        let way_out = format!("leave out {by}");
        assert!(
            ran.err.contains(gone) && ran.err.contains(&way_out),
            "{}",
            ran.err
        );
    }
    assert_eq!(project.json(&["list"]).as_array().unwrap().len(), 0);
    assert_eq!(project.read(".beads/issues.jsonl"), before);
    // The folder itself may be named, and it may be made.
    let beads = format!("{gone}/.beads");
    let by_db = ["--db", beads.as_str()];
    project.ok(&[&["init", "--prefix", "new"], &by_db[..]].concat());
    assert!(
        project
            .ok(&[&["q", "T"], &by_db[..]].concat())
            .starts_with("new-")
    );
    let away = project.fails(&["-C", "/no/such", "list"]);
    assert!(away.contains("no such folder: /no/such"), "{away}");
}

#[test]
fn a_redirect_is_followed_and_shown_by_bd_where() {
    let project = Project::new();
    project.write("tree/.beads/redirect", "../.beads\n");
    let tree = project.path("tree");
    let made = project.run_in(&tree, &["q", "From the tree"]);
    assert!(
        project
            .read(".beads/issues.jsonl")
            .contains(made.out.trim())
    );
    assert!(!tree.join(".beads/issues.jsonl").exists());
    let at = project.run_in(&tree, &["where", "--json"]);
    let at: serde_json::Value = serde_json::from_str(&at.out).unwrap();
    assert!(
        at["redirected_from"]
            .as_str()
            .unwrap()
            .ends_with("tree/.beads")
    );
    assert_eq!(at["prefix"], "bd");
}

#[test]
fn an_id_leads_to_the_rig_with_its_prefix() {
    let town = Project::empty();
    town.write("mayor/town.json", "{}");
    town.ok(&["init", "--prefix", "hq"]);
    let rig = town.path("rig");
    fs::create_dir_all(&rig).unwrap();
    let beads = rig.join(".beads");
    let env = [("BEADS_DIR", beads.to_str().unwrap())];
    assert_eq!(town.run_with(&env, &["init", "--prefix", "gt"]).code, 0);
    town.write(
        ".beads/routes.jsonl",
        "{\"prefix\":\"hq-\",\"path\":\".\"}\n{\"prefix\":\"gt-\",\"path\":\"rig\"}\n",
    );
    let work = town.run_in(&rig, &["q", "Rig work"]).out.trim().to_owned();
    assert!(work.starts_with("gt-"));
    assert_eq!(town.shown(&work)["title"], "Rig work");
    town.ok(&["update", &work, "-p", "0"]);
    let own = town.make("Town work", &[]);
    let both = town.json(&["close", &work, &own]);
    assert_eq!(ids(&both), [work.as_str(), own.as_str()]);
    let from_rig = town.run_in(&rig, &["show", &own]);
    assert!(from_rig.out.contains("Town work"), "{}", from_rig.err);
    let by_rig = town.make("Into the rig", &["--rig", "rig"]);
    assert!(by_rig.starts_with("gt-"));
    // With BEADS_DIR there is no routing.
    let env = [(
        "BEADS_DIR",
        town.path(".beads").to_str().unwrap().to_owned(),
    )];
    let env: Vec<_> = env
        .iter()
        .map(|(key, value)| (*key, value.as_str()))
        .collect();
    assert_eq!(town.run_with(&env, &["show", &work]).code, 1);
    // An edge to a bead of another rig is kept as an external one, and listed.
    let tracker = town.make("Tracker", &[]);
    town.ok(&["dep", "add", &tracker, &work, "-t", "tracks"]);
    let list = town.json(&["dep", "list", &tracker]);
    assert_eq!(ids(&list), [work.as_str()]);
}

#[test]
fn files_of_older_versions_are_read() {
    let project = Project::empty();
    project.write(
        ".beads/beads.jsonl",
        "{\"id\":\"old-1\",\"title\":\"Old\",\"priority\":1}\n",
    );
    project.write(".beads/beads.left.jsonl", "not json");
    project.write(".beads/deletions.jsonl", "{}");
    let list = project.json(&["list"]);
    assert_eq!(ids(&list), ["old-1"]);
    let id = project.make("New", &[]);
    assert!(id.starts_with("old-"));
    assert!(project.read(".beads/beads.jsonl").contains(&id));
    assert!(!project.path(".beads/issues.jsonl").exists());
}

#[test]
fn a_prime_file_replaces_the_built_in_text() {
    let project = Project::new();
    assert!(project.ok(&["prime"]).contains("bd ready"));
    project.write(".beads/PRIME.md", "Own text\n");
    assert_eq!(project.ok(&["prime"]), "Own text\n");
    assert!(project.ok(&["prime", "--export"]).contains("bd ready"));
}

#[test]
fn a_nested_init_warns_about_the_outer_project() {
    let project = Project::new();
    assert_eq!(project.run(&["init"]).code, 1);
    let inner = project.dir().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let made = project.run_in(&inner, &["init", "--prefix", "in"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let outer = project.dir().join(".beads");
    let told = format!("{} has beads, too", outer.display());
    assert!(made.err.contains(&told), "{}", made.err);
    let alone = Project::empty();
    assert_eq!(alone.run(&["init", "--prefix", "al"]).err, "");
}
