//! `gt doctor`: it finds what is wrong, names the way out, and changes nothing.

use town_tests::Town;

#[test]
fn a_healthy_town_has_no_findings_and_damage_is_reported() {
    let (town, _origin) = Town::with_rig();
    town.script("true");
    let findings = town.gt(["doctor", "--json"]).ok().json();
    let levels = findings.as_array().unwrap().iter().map(|one| &one["level"]);
    let bad = levels.filter(|level| **level == "warning" || **level == "error");
    assert_eq!(bad.count(), 0, "{findings:#}");

    let issues = town.root().join("web/.beads/issues.jsonl");
    let mut text = std::fs::read_to_string(&issues).unwrap();
    text.push_str("<<<<<<< HEAD\n");
    std::fs::write(&issues, &text).unwrap();
    let said = town.gt(["doctor", "beads"]).ok();
    assert!(said.out.contains("issues.jsonl:"), "{}", said.out);
    assert_eq!(std::fs::read_to_string(&issues).unwrap(), text);

    let away = town.root().join("web-away");
    std::fs::rename(town.root().join("web"), &away).unwrap();
    let said = town.gt(["doctor", "rigs"]).fails("gt doctor found");
    assert!(said.out.contains("is not there"), "{}", said.out);
    town.gt(["doctor", "everything"]).fails("there is no check");
}

#[test]
fn a_missing_agent_program_is_an_error_with_a_next_step() {
    let (town, _origin) = Town::with_rig();
    town.set_town_setting(
        "agents",
        serde_json::json!({ "worker": { "command": "no-such-agent" } }),
    );
    let said = town.gt(["doctor", "agents"]).fails("gt doctor found");
    assert!(said.out.contains("no-such-agent"), "{}", said.out);
    assert!(said.out.contains("default_agent"), "{}", said.out);
}

#[test]
fn a_rollback_first_found_by_the_doctor_is_still_reported() {
    let (town, _origin) = Town::with_rig();
    let issues = town.root().join("web/.beads/issues.jsonl");
    town.bead("web", "Kept");
    let before = std::fs::read(&issues).unwrap();
    let bead = town.bead("web", "Rolled back");
    // As git does it: a new file in the place of the old one.
    std::fs::remove_file(&issues).unwrap();
    std::fs::write(&issues, before).unwrap();
    let said = town.gt(["doctor"]).run();
    assert!(
        said.err.contains(&bead) && said.err.contains("bd restore --lost"),
        "{}",
        said.err
    );
}

#[test]
fn a_fix_adds_missing_files_and_keeps_what_is_there() {
    let town = Town::new();
    let rigs = town.root().join("mayor/rigs.json");
    let overseer = town.root().join("mayor/overseer.json");
    std::fs::remove_file(&rigs).unwrap();
    std::fs::write(&overseer, "{\"email\":\"kim@example.com\"}").unwrap();
    let said = town.gt(["doctor", "town", "--fix"]).run();
    assert!(
        said.err.contains("made") && said.err.contains("rigs.json"),
        "{}",
        said.err
    );
    assert!(rigs.is_file());
    let kept = std::fs::read_to_string(&overseer).unwrap();
    assert!(kept.contains("kim@example.com"), "{kept}");
    let again = town.gt(["doctor", "town", "--fix"]).run();
    assert!(!again.err.contains("made"), "{}", again.err);
}

#[test]
fn a_repair_adds_to_the_settings_of_the_town_and_removes_none() {
    let town = Town::new();
    town.bd(".", ["config", "set", "types.custom", "agent,spike"])
        .ok();
    town.gt(["doctor", "town", "--fix"]).run();
    let types = town.bd(".", ["config", "get", "types.custom"]).ok().out;
    for kind in ["spike", "agent", "merge-request"] {
        assert!(types.contains(kind), "{types}");
    }
}

#[test]
fn a_bundle_has_the_facts_and_neither_secrets_nor_texts_of_work() {
    let (town, _origin) = Town::with_rig();
    town.set_town_setting(
        "env_vars",
        serde_json::json!({ "SERVICE_LOGIN": "hunter2-hunter2-9876" }),
    );
    let bead = town.bead("web", "A confidential plan");
    town.gt(["mail", "send", "mayor/", "-s", "Whispered", "-m", "words"])
        .ok();
    town.gt(["doctor", "--bundle=report.md"]).ok();
    let report = std::fs::read_to_string(town.root().join("report.md")).unwrap();
    assert!(report.contains("## Doctor") && report.contains("\"rig_count\": 1"));
    assert!(report.contains("***9876"), "{report}");
    for secret in ["hunter2", "confidential", "Whispered", "words"] {
        assert!(!report.contains(secret), "{secret}: {report}");
    }
    let home = town.path("home");
    assert!(!report.contains(home.to_str().unwrap()), "{report}");
    town.gt(["doctor", "--bundle=report.md"])
        .fails("is there already");
    drop(bead);
}
