//! `bd doctor`.

use serde_json::Value;

use super::Project;

fn check(report: &Value, name: &str) -> Value {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == name);
    found
        .unwrap_or_else(|| panic!("{name} in {report}"))
        .clone()
}

fn line(id: &str, more: &str) -> String {
    format!(
        r#"{{"id":"{id}","title":"T","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"{more}}}"#
    )
}

fn edge(from: &str, to: &str) -> String {
    format!(
        r#","dependencies":[{{"issue_id":"{from}","depends_on_id":"{to}","type":"blocks","created_at":"2026-01-01T00:00:00Z"}}]"#
    )
}

fn report(project: &Project, args: &[&str]) -> Value {
    let ran = project.run(&[&["--json", "doctor"], args].concat());
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn a_healthy_store_passes_every_check() {
    let project = Project::new();
    project.make("One", &[]);
    let said = report(&project, &[]);
    assert_eq!(said["overall_ok"], true, "{said}");
}

#[test]
fn every_problem_is_named_with_its_fix() {
    let project = Project::new();
    let text = [
        line("bd-b", &edge("bd-b", "bd-a")),
        line("bd-a", &edge("bd-a", "bd-b")),
        line("bd-c", &edge("bd-c", "bd-gone")),
        r#"{"id":"bd-d","title":"cut"#.to_owned(),
        line("bd-c", ""),
    ];
    project.write(".beads/issues.jsonl", &(text.join("\n") + "\n"));
    let said = report(&project, &[]);
    assert_eq!(said["overall_ok"], false);
    let lines = check(&said, "Lines");
    assert!(
        lines["detail"].as_str().unwrap().contains("line 4"),
        "{lines}"
    );
    // Two lines of one bead are not damage.
    assert!(
        !lines["detail"].as_str().unwrap().contains("bd-c"),
        "{lines}"
    );
    assert_eq!(check(&said, "Order")["status"], "warning");
    assert!(
        check(&said, "Edges")["detail"]
            .as_str()
            .unwrap()
            .contains("bd-c → bd-gone")
    );
    assert!(
        check(&said, "Circles")["detail"]
            .as_str()
            .unwrap()
            .contains("bd-a")
    );
    assert_eq!(project.run(&["doctor"]).code, 1);
    let mended = report(&project, &["--fix"]);
    assert_eq!(check(&mended, "Lines")["status"], "ok");
    assert_eq!(check(&mended, "Order")["status"], "ok");
    let ids: Vec<String> = project
        .read(".beads/issues.jsonl")
        .lines()
        .map(|line| line[7..11].to_owned())
        .collect();
    assert_eq!(ids, ["bd-a", "bd-b", "bd-c"]);
    let aside: String = std::fs::read_dir(project.path(".beads/damaged"))
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(
        aside.contains("\"bd-d\"") && !aside.contains("\"bd-c\""),
        "{aside}"
    );
}

#[test]
fn a_wrong_index_is_found_and_rebuilt() {
    let project = Project::new();
    for title in ["One", "Two", "Three"] {
        project.make(title, &[]);
    }
    let path = project.path(".beads/index.bin");
    let mut bytes = std::fs::read(&path).unwrap();
    // The hash of a line, which stands in the row of its bead.
    let text = project.read(".beads/issues.jsonl");
    let line = text.lines().next().unwrap();
    let hash = xxhash_rust::xxh3::xxh3_64(line.as_bytes()).to_le_bytes();
    let at = bytes.windows(8).position(|part| part == hash).unwrap();
    bytes[at] ^= 0xff;
    std::fs::write(&path, bytes).unwrap();
    let said = report(&project, &[]);
    assert_eq!(check(&said, "Index")["status"], "error", "{said}");
    let mended = report(&project, &["--fix"]);
    assert_eq!(check(&mended, "Index")["status"], "ok", "{mended}");
    assert_eq!(project.json(&["list"]).as_array().unwrap().len(), 3);
}

#[test]
fn a_database_of_another_bd_is_reported_with_the_import_command() {
    let project = Project::new();
    std::fs::write(
        project.path(".beads/beads.db"),
        b"SQLite format 3\0 and more",
    )
    .unwrap();
    let said = report(&project, &[]);
    let database = check(&said, "Database");
    assert_eq!(database["status"], "warning");
    assert!(database["fix"].as_str().unwrap().contains("bd import"));
}

#[test]
fn a_value_of_the_wrong_type_is_kept_and_named() {
    let project = Project::new();
    let line = r#"{"id":"bd-1","title":"T","status":"open","priority":"high","issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#;
    project.write(".beads/issues.jsonl", &format!("{line}\n"));
    let check = |project: &Project| -> serde_json::Value {
        let report = project.run(&["doctor", "--json"]).out;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let checks = report["checks"].as_array().unwrap().iter();
        let mut found = checks.filter(|check| check["name"] == "Values");
        found.next().unwrap().clone()
    };
    let found = check(&project);
    assert_eq!(found["status"], "warning", "{found}");
    assert!(found.to_string().contains("bd-1: priority"), "{found}");
    project.ok(&["update", "bd-1", "-p", "1"]);
    assert_eq!(check(&project)["status"], "ok");
}

#[test]
fn attributes_of_an_older_version_get_the_line_that_keeps_line_ends() {
    let project = Project::new();
    let named = |out: &str| out.contains("lets git change the line ends");
    let path = ".beads/.gitattributes";
    let whole = project.read(path);
    assert!(!named(&project.run(&["doctor"]).out));
    let (older, _) = whole.split_once("# Beads keep").unwrap();
    project.write(path, older);
    assert!(named(&project.run(&["doctor"]).out));
    let fixed = project.run(&["doctor", "--fix"]).out;
    assert!(fixed.contains("commit .beads/.gitattributes"), "{fixed}");
    assert_eq!(project.read(path), whole);
    assert!(!named(&fixed));
    let file = project.path(path);
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("elsewhere", &file).unwrap();
    let linked = project.run(&["doctor", "--fix"]);
    assert!(linked.out.contains("is no plain file"), "{}", linked.out);
    assert!(file.is_symlink());
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let folder = project.run(&["doctor"]);
    assert!(folder.out.contains("is no plain file"), "{}", folder.out);
}
