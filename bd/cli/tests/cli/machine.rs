//! The contract with programs: errors as JSON, exit codes, versions, numbers.

use serde_json::Value;

use super::Project;
use super::recorded_work::git;

fn failure(project: &Project, args: &[&str]) -> (i32, Value) {
    let ran = project.run(&[args, &["--json"]].concat());
    let read = |text: &str| -> Value {
        serde_json::from_str(text).unwrap_or_else(|_| panic!("bd {args:?}: {text}"))
    };
    assert_eq!(read(&ran.out), read(&ran.err), "both streams say the same");
    (ran.code, read(&ran.err))
}

#[test]
fn json_errors_have_a_code_and_similar_ids() {
    let project = Project::new();
    project.ok(&["create", "A", "--id", "bd-k3f"]);
    let (code, error) = failure(&project, &["show", "bd-k3g"]);
    assert_eq!((code, &error["code"]), (1, &Value::from("not_found")));
    assert_eq!(error["hint"], "similar ids: bd-k3f");
    assert_eq!(error["similar"][0], "bd-k3f");
    assert!(
        project
            .fails(&["close", "bd-k3g"])
            .contains("Hint: similar ids: bd-k3f")
    );
    let (_, error) = failure(&project, &["update", "bd-nothing", "-p", "1"]);
    assert!(
        error.get("similar").is_none() && error.get("hint").is_none(),
        "{error}"
    );
    let (code, error) = failure(&project, &["list", "--nope"]);
    assert_eq!((code, &error["code"]), (1, &Value::from("usage")));
    assert!(
        error["error"].as_str().unwrap().contains("--nope"),
        "{error}"
    );
}

#[test]
fn a_change_is_made_only_at_the_expected_version() {
    let project = Project::new();
    let id = project.make("One", &[]);
    let version = |field: &str| project.shown(&id)[field].as_str().unwrap().to_owned();
    let (seen, time) = (version("version"), version("updated_at"));
    let update = |version: &str, title: &str| -> Vec<String> {
        [
            "update",
            &id,
            "--expect-version",
            version,
            "--title",
            title,
            "--add-label",
            "x",
        ]
        .map(str::to_owned)
        .to_vec()
    };
    let run = |args: Vec<String>| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        failure(&project, &args)
    };
    // A label alone is another version, though not another updated_at.
    project.ok(&["label", "add", &id, "urgent"]);
    let (code, error) = run(update(&seen, "Two"));
    assert_eq!((code, &error["code"]), (3, &Value::from("changed")));
    let bead = project.shown(&id);
    assert_eq!(
        (&bead["title"], &bead["labels"]),
        (&"One".into(), &vec!["urgent"].into())
    );
    project.ok(&["update", &id, "--expect-version", &time, "--title", "Two"]);
    let after = project.json(&[
        "update",
        &id,
        "--expect-version",
        &version("version"),
        "-p",
        "0",
    ]);
    assert_eq!(after[0]["version"], version("version"));
    assert_eq!(run(update(&time, "Three")).0, 3);
    assert_eq!(run(update("", "Three")).0, 3);
    let other = project.make("Other", &[]);
    let said = project.fails(&["update", &id, &other, "--expect-version", &seen, "-p", "1"]);
    assert!(said.contains("takes one bead ID"), "{said}");
}

#[test]
fn numbers_keep_their_exact_text() {
    let project = Project::new();
    let given = "{\"price\": 1.50,\n \"big\":123456789012345678901234567890, \"e\":[1e5,-0.10]}";
    let id = project.make("T", &["--metadata", given]);
    project.ok(&["update", &id, "--set-metadata", "k=1.50"]);
    let kept = r#"{"price":1.50,"big":123456789012345678901234567890,"e":[1e5,-0.10],"k":"1.50"}"#;
    let file = project.read(".beads/issues.jsonl");
    assert!(file.contains(kept), "{file}");
    for args in [["show", &id], ["list", "--all"], ["update", &id]] {
        let more = if args[0] == "update" {
            vec!["--unset-metadata", "none", "-p", "1"]
        } else {
            Vec::new()
        };
        let out = project.ok(&[&args[..], &more, &["--json"]].concat());
        let out: String = out.split_whitespace().collect();
        assert!(out.contains(kept), "{args:?}: {out}");
    }
    project.ok(&["sync"]);
    let path = ".beads/issues.jsonl";
    project.write(
        path,
        &project.read(path).replace("\"k\":\"1.50\"", "\"k\":2.50"),
    );
    project.ok(&["update", &id, "--title", "New"]);
    project.ok(&["sync"]);
    assert!(
        project.read(path).contains("\"price\":1.50,") && project.read(path).contains("\"k\":2.50")
    );
}

#[test]
fn quiet_mode_prints_data_but_no_confirmations() {
    let project = Project::new();
    let id = project.ok(&["create", "T", "-q"]);
    let id = id.trim();
    assert_eq!(project.shown(id)["title"], "T");
    for args in [
        &["update", id, "-p", "1"][..],
        &["label", "add", id, "x"],
        &["close", id],
        &["sync"],
    ] {
        assert_eq!(project.ok(&[args, &["--quiet"]].concat()), "", "{args:?}");
    }
    assert!(project.ok(&["list", "--all", "-q"]).contains(id));
}

#[test]
fn a_fresh_clone_warns_once_that_git_does_not_merge_beads() {
    let project = Project::empty();
    git(&project, &["init", "-q"]);
    project.ok(&["init", "--prefix", "bd", "-q"]);
    let said = |dir: &str, args: &[&str]| project.run_in(&project.path(dir), args).err;
    assert_eq!(said(".", &["list"]), "", "it is installed here");
    project.ok(&["create", "A"]);
    project.ok(&["sync"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "beads"]);
    git(&project, &["clone", "-q", ".", "clone"]);
    // A program is not told, and does not use up the hint.
    assert_eq!(said("clone", &["list", "--json"]), "");
    let hint = said("clone", &["list"]);
    assert!(
        hint.contains("Hint: git merges issues.jsonl line by line in this clone"),
        "{hint}"
    );
    assert_eq!(said("clone", &["list"]), "");
    // What was done there before does not keep it from being set up.
    project.run_in(&project.path("clone"), &["create", "B"]);
    let init = project.run_in(&project.path("clone"), &["init"]);
    assert!(
        init.out.contains("2 beads found here"),
        "{}{}",
        init.out,
        init.err
    );
    let again = said("clone", &["init"]);
    assert!(again.contains("already"), "{again}");
    git(&project, &["clone", "-q", ".", "other"]);
    said("other", &["merge", "--install"]);
    assert_eq!(said("other", &["list"]), "");
}
