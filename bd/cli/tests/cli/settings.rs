//! `bd config`.

use serde_json::{Value, json};

use super::Project;
use super::hooks::git;

#[test]
fn settings_can_be_set_read_listed_and_removed() {
    let project = Project::new();
    assert_eq!(
        project.json(&["config", "set", "types.custom", "agent,role"]),
        json!({"key": "types.custom", "value": "agent,role"})
    );
    assert_eq!(
        project.ok(&["config", "get", "types.custom"]),
        "agent,role\n"
    );
    assert!(
        project
            .ok(&["config", "list"])
            .contains("  types.custom = agent,role")
    );
    project.ok(&["config", "unset", "types.custom"]);
    assert_eq!(
        project.ok(&["config", "get", "types.custom"]),
        "types.custom (not set)\n"
    );
    assert_eq!(
        project.json(&["config", "get", "types.custom"])["value"],
        ""
    );
    assert!(!project.ok(&["config", "list"]).contains("types.custom"));
    assert_eq!(
        project.json(&["config", "set", "sync.mode", "git-portable"])["location"],
        "config.yaml"
    );
    assert!(
        project
            .ok(&["config", "get", "no-push"])
            .contains("(not set in config.yaml)")
    );
}

#[test]
fn the_prefix_has_two_spellings() {
    let project = Project::new();
    project.ok(&["config", "set", "issue_prefix", "hq"]);
    assert_eq!(project.ok(&["config", "get", "issue-prefix"]), "hq\n");
    assert!(project.make("T", &[]).starts_with("hq-"));
    assert_eq!(
        project
            .read(".beads/config.yaml")
            .matches("prefix: ")
            .count(),
        1
    );
}

#[test]
fn environment_and_flags_override_settings_and_the_origin_is_shown() {
    let project = Project::new();
    project.ok(&["config", "set", "actor", "filed"]);
    let told = project.run_with(
        &[("BD_ACTOR", "env")],
        &["config", "get", "actor", "--show-origin"],
    );
    assert_eq!(told.out, "env (environment)\n");
    let by = |env: &[(&str, &str)], flags: &[&str]| {
        let args = [flags, &["create", "T", "--json"]].concat();
        let made: serde_json::Value =
            serde_json::from_str(&project.run_with(env, &args).out).unwrap();
        made["created_by"].as_str().unwrap().to_owned()
    };
    assert_eq!(by(&[], &[]), "filed");
    assert_eq!(by(&[("BD_ACTOR", "env")], &[]), "env");
    assert_eq!(by(&[("BD_ACTOR", "env")], &["--actor", "flag"]), "flag");
    let json = project.run_with(&[("BD_JSON", "true")], &["list"]);
    assert!(json.out.starts_with('['));
}

#[test]
fn text_that_means_unset_is_not_stored() {
    let project = Project::new();
    project.ok(&[
        "config",
        "set",
        "status.custom",
        "status.custom (not set),staged_ready,staged_warnings",
    ]);
    assert_eq!(
        project.ok(&["config", "get", "status.custom"]),
        "staged_ready,staged_warnings\n"
    );
    let id = project.make("T", &[]);
    project.ok(&["update", &id, "--status", "staged_ready"]);
}

#[test]
fn a_broken_settings_file_is_named() {
    let project = Project::new();
    project.write(".beads/config.yaml", "issue-prefix: [\n");
    let error = project.fails(&["list"]);
    assert!(
        error.contains("config.yaml") && error.contains("not valid YAML"),
        "{error}"
    );
}

#[test]
fn invalid_values_are_refused_and_detected_in_a_file_edited_by_hand() {
    let project = Project::new();
    let before = project.read(".beads/config.yaml");
    for (name, value, wanted) in [
        ("no-push", "maybe", "true or false"),
        ("min_hash_length", "three", "a whole number"),
        ("max_collision_prob", "2", "a number from 0 to 1"),
        (
            "issue-prefix",
            "a b",
            "letters, digits, hyphens, dots and underscores",
        ),
        (
            "status.custom",
            "in review, done!",
            "words, comma-separated",
        ),
    ] {
        let said = project.fails(&["config", "set", name, value]);
        let told = format!("{name} takes {wanted}, not \"{value}\"");
        assert!(said.contains(&told), "{said}");
    }
    assert_eq!(project.read(".beads/config.yaml"), before);
    project.ok(&["config", "set", "no-push", "Yes"]);
    let settings = |project: &Project| {
        let report = project.run(&["--json", "doctor"]).out;
        let report: Value = serde_json::from_str(&report).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        checks
            .into_iter()
            .find(|check| check["name"] == "Settings")
            .unwrap()
    };
    assert_eq!(settings(&project)["status"], "ok");
    project.write(".beads/config.yaml", &format!("{before}no-push: maybe\n"));
    let found = settings(&project);
    assert_eq!(found["status"], "warning", "{found}");
    assert!(found.to_string().contains("no-push takes true or false"));
}

/// The problems of the settings.
fn invalid(project: &Project) -> String {
    let checked = project.run(&["config", "validate"]);
    assert_eq!(checked.code, 1, "{}{}", checked.out, checked.err);
    checked.out
}

#[test]
fn two_spellings_that_agree_are_one_setting() {
    let project = Project::new();
    let config = ".beads/config.yaml";
    project.write(
        config,
        "issue-prefix: web\nissue_prefix: web\nactor: a\nactor: a\n",
    );
    assert!(project.make("T", &[]).starts_with("web-"));
    let valid = project.ok(&["config", "validate"]);
    assert!(valid.contains("Each setting"), "{valid}");
    project.ok(&["config", "set", "issue-prefix", "api"]);
    assert_eq!(project.read(config).matches("prefix: ").count(), 1);
    assert!(project.make("T", &[]).starts_with("api-"));

    project.write(config, "issue-prefix: web\nissue_prefix: api\n");
    let problems = invalid(&project);
    let named = "issue_prefix is \"api\", but issue-prefix is \"web\", which counts";
    assert!(problems.contains(named), "{problems}");
    assert!(
        project
            .ok(&["config", "list"])
            .contains("issue-prefix = web")
    );

    project.write(config, "actor: a\nactor: b\n");
    let error = project.fails(&["list"]);
    let named = "actor is set to \"a\" and to \"b\": keep one of the lines";
    assert!(error.contains(named), "{error}");
}

#[test]
fn a_misspelt_or_unclear_guard_is_not_ignored() {
    let project = Project::new();
    let config = ".beads/config.yaml";
    project.write(
        config,
        "issue-prefix: web\ncreate.require-description: jes\n",
    );
    let error = project.fails(&["create", "T"]);
    let named = "create.require-description takes true or false, not \"jes\"";
    assert!(error.contains(named), "{error}");
    project.write(
        config,
        "issue-prefix: web\ncreate.require_descriptions: true\nactr: x\njira.url: x\n",
    );
    let problems = invalid(&project);
    for named in [
        "create.require_descriptions is no setting of bd: the nearest is create.require-description",
        "actr is no setting of bd: the nearest is actor",
    ] {
        assert!(problems.contains(named), "{problems}");
    }
    assert!(!problems.contains("jira"), "{problems}");
}

#[test]
fn a_settings_file_that_cannot_be_read_leaves_no_hooks_behind() {
    for content in ["issue-prefix: [web\n", "actor: a\nactor: b\n"] {
        let project = Project::empty();
        git(&project, &["init", "-q", "-b", "main"]);
        project.write(".beads/config.yaml", content);
        for command in [
            vec!["init"],
            vec!["hooks", "install"],
            vec!["setup", "claude"],
        ] {
            project.fails(&command);
        }
        for left in [
            ".git/hooks/pre-commit",
            ".git/hooks/post-merge",
            ".gitattributes",
            ".claude",
        ] {
            assert!(!project.path(left).exists(), "{left}");
        }
    }
}
