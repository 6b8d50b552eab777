use std::time::Duration;

use super::*;
use crate::host::{SessionHost, SessionSpec, daemon};
use crate::testing::TestTown;
use crate::town::lock::Lock;
use crate::view::status;

fn worst_level(findings: &[Finding], check: &str) -> FindingLevel {
    let of = findings.iter().filter(|finding| finding.check == check);
    of.map(|finding| finding.level)
        .max()
        .unwrap_or(FindingLevel::Ok)
}

fn run_only(place: &TestTown, check: &str) -> Vec<Finding> {
    run_checks(&place.town, &[check.to_owned()])
}

#[test]
fn a_new_town_with_a_rig_has_no_problems() {
    let place = TestTown::new();
    let url = place.create_origin(&[("README", "hi\n")]);
    place.add_rig("web", Some(&url)).unwrap();
    let findings = run_checks(&place.town, &[]);
    for check in ["town", "rigs", "routes", "beads", "sandboxes", "sessions"] {
        assert_eq!(
            worst_level(&findings, check),
            FindingLevel::Ok,
            "{check}: {findings:#?}"
        );
    }
    assert_eq!(worst_level(&findings, "daemon"), FindingLevel::Note);
    let tools: Vec<_> = findings
        .iter()
        .filter(|finding| finding.check == "tools")
        .collect();
    assert!(
        tools
            .iter()
            .any(|finding| finding.text.starts_with("git version")),
        "{tools:?}"
    );
}

#[test]
fn a_gate_whose_program_is_missing_is_an_error() {
    let place = TestTown::new();
    place.add_rig("web", None).unwrap();
    let rig = place.town.find_rig("web").unwrap();
    let check = |command: &str| {
        let settings = serde_json::json!({"merge_queue": {"test_command": command}});
        std::fs::write(rig.settings(), settings.to_string()).unwrap();
        run_only(&place, "gates")
    };
    for command in [
        "true && no-such-program",
        "./check",
        "FOO=1 nothing",
        "cd x",
    ] {
        let findings = check(command);
        assert_eq!(
            worst_level(&findings, "gates"),
            FindingLevel::Ok,
            "{findings:?}"
        );
    }
    let findings = check("no-such-program --all");
    assert_eq!(worst_level(&findings, "gates"), FindingLevel::Error);
    assert!(
        findings[0].text.contains("`no-such-program`"),
        "{findings:?}"
    );
}

#[test]
fn damage_is_reported_without_changing_anything() {
    let place = TestTown::new();
    place.add_rig("web", None).unwrap();
    let rig = place.town.find_rig("web").unwrap();
    let issues = rig.beads().join("issues.jsonl");
    let mut text = std::fs::read_to_string(&issues).unwrap();
    text.push_str("{\"id\":\"web-x\",\n");
    std::fs::write(&issues, &text).unwrap();
    let beads = run_only(&place, "beads");
    let damaged = beads
        .iter()
        .find(|finding| finding.level == FindingLevel::Warning)
        .unwrap();
    assert!(damaged.text.contains("issues.jsonl:"), "{damaged:?}");
    assert_eq!(std::fs::read_to_string(&issues).unwrap(), text);
    // Lines that a write has moved aside are still reported.
    std::fs::write(&issues, "").unwrap();
    std::fs::create_dir_all(rig.beads().join("damaged")).unwrap();
    std::fs::write(rig.beads().join("damaged/issues-1.jsonl"), "x").unwrap();
    let beads = run_only(&place, "beads");
    assert!(
        beads
            .iter()
            .any(|finding| finding.text.contains("of damaged lines")),
        "{beads:?}"
    );
    let routes = place.town.layout.routes();
    std::fs::write(&routes, "{\"prefix\":\"web-\",\"path\":\"gone\"}\n").unwrap();
    assert_eq!(
        worst_level(&run_only(&place, "routes"), "routes"),
        FindingLevel::Error
    );
    std::fs::remove_dir_all(rig.repo()).unwrap();
    assert_eq!(
        worst_level(&run_only(&place, "rigs"), "rigs"),
        FindingLevel::Error
    );
    std::fs::write(
        place.town.layout.town_json(),
        r#"{"type":"rig","version":9}"#,
    )
    .unwrap();
    let town = run_only(&place, "town");
    let errors = town
        .iter()
        .filter(|finding| finding.level == FindingLevel::Error);
    assert_eq!(errors.count(), 2, "{town:?}");
}

#[test]
fn unknown_sessions_and_leftover_start_files_are_reported() {
    let place = TestTown::new();
    let spec = SessionSpec {
        name: "gt-nowhere-nux".to_owned(),
        ..SessionSpec::default()
    };
    place.host.start(&spec).unwrap();
    let files = place.town.layout.session_files();
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("gt-web-nux-1.json"), "{}").unwrap();
    let findings = run_only(&place, "sessions");
    assert!(
        findings
            .iter()
            .any(|finding| finding.text.contains("gt-nowhere-nux"))
    );
    assert_eq!(worst_level(&findings, "sessions"), FindingLevel::Warning);
}

#[test]
fn every_problem_names_its_next_step() {
    let place = TestTown::new();
    place.add_rig("web", None).unwrap();
    for finding in run_checks(&place.town, &[]) {
        assert_eq!(
            finding.hint.is_some(),
            finding.level != FindingLevel::Ok,
            "{finding:?}"
        );
    }
}

#[test]
fn paths_of_an_unreadable_registry_are_not_called_right() {
    let place = TestTown::new();
    std::fs::write(place.town.layout.rigs_json(), "{").unwrap();
    let findings = run_only(&place, "paths");
    assert_eq!(worst_level(&findings, "paths"), FindingLevel::Warning);
    let repaired = crate::flow::place::repair::repair_town(&place.town, None);
    let names_file = |text: &String| text.contains("rigs.json");
    assert!(repaired.failed.iter().any(names_file), "{repaired:?}");
}

#[test]
fn a_settings_file_that_cannot_be_read_is_named_and_does_not_stop_the_repair() {
    let place = TestTown::new();
    let file = place.town.layout.messaging_json();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, b"\xff").unwrap();
    let name = file.display().to_string();
    let findings = run_only(&place, "paths");
    assert!(findings[0].text.contains(&name), "{findings:?}");
    let repaired = crate::flow::place::repair::repair_town(&place.town, None);
    let count = repaired.failed.iter().filter(|text| text.contains(&name));
    assert_eq!(count.count(), 1, "{repaired:?}");
}

#[test]
fn a_daemon_of_the_earlier_place_of_a_moved_town_comes_first() {
    let place = TestTown::new();
    let layout = &place.town.layout;
    let state = daemon::DaemonState {
        running: true,
        root: Some("/earlier/place".to_owned()),
        ..daemon::DaemonState::default()
    };
    std::fs::create_dir_all(layout.daemon()).unwrap();
    let text = serde_json::to_vec(&state).unwrap();
    std::fs::write(daemon::state_path(layout), text).unwrap();
    let _held = Lock::take(&daemon::lock_path(layout), Duration::ZERO).unwrap();
    let moved = "the town was moved, and the daemon runs for its earlier place /earlier/place";
    let findings = run_only(&place, "daemon");
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].text, moved);
    let problems = status::read_status(&place.town).unwrap().problems;
    assert!(problems[0].text.starts_with(moved), "{problems:?}");
    assert_eq!(problems[0].next, ["gt up"]);
}
