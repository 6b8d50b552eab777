//! `bd formula`, `bd cook`, `bd mol` and `bd gate`. Tests named `case_N` hold the edge case of that
//! number.

use std::fs;

use serde_json::{Value, json};

use super::{Project, ids};

const RELEASE: &str = r#"
formula = "mol-ship"
version = 4
[vars]
version = { required = true }
title = "Release {{version}}"
[[steps]]
id = "bump"
title = "Bump to {{version}} {{else}} {{undeclared}}"
acceptance = "The version file says {{version}}"
priority = 1
labels = ["fast"]
[[steps]]
id = "test"
title = "Test"
needs = ["bump"]
depends_on = ["bump"]
[[steps]]
id = "publish"
title = "Publish"
needs = ["test"]
gate = { type = "timer", timeout = "1h" }
"#;

fn project() -> Project {
    let project = Project::new();
    write(&project, "mol-ship", RELEASE);
    project
}

fn write(project: &Project, name: &str, text: &str) {
    project.write(&format!(".beads/formulas/{name}.formula.toml"), text);
}

fn pour(project: &Project, args: &[&str]) -> Value {
    project.json(&[&["mol", "pour", "mol-ship", "--var", "version=1.4"], args].concat())
}

fn wisp(project: &Project) -> String {
    let made = project.json(&["mol", "wisp", "mol-ship", "--var", "version=1.4"]);
    assert_eq!(made["phase"], "vapor");
    made["new_epic_id"].as_str().unwrap().to_owned()
}

/// `id [status]` of the steps that `mol current` lists.
fn states(project: &Project, id: &str) -> Vec<String> {
    let current = project.json(&["mol", "current", id]);
    let steps = current[0]["steps"].as_array().unwrap();
    steps
        .iter()
        .map(|step| {
            let id = step["issue"]["id"].as_str().unwrap();
            let tail = id.rsplit('.').next().unwrap();
            format!("{tail} {}", step["status"].as_str().unwrap())
        })
        .collect()
}

/// How many lines the tracked file has.
fn tracked(project: &Project) -> usize {
    let path = project.path(".beads/issues.jsonl");
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn case_83_text_of_other_template_languages_is_not_a_variable() {
    let project = project();
    let missing = project.fails(&["mol", "pour", "mol-ship"]);
    assert!(
        missing.contains("missing required variables: version\n"),
        "{missing}"
    );
    assert!(missing.contains("--var version=<value>"), "{missing}");
    let root = pour(&project, &[])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let step = project.shown(&format!("{root}.1"));
    assert_eq!(step["title"], "Bump to 1.4 {{else}} {{undeclared}}");
    assert_eq!(step["acceptance_criteria"], "The version file says 1.4");
    assert_eq!(step["labels"], json!(["fast"]));
    assert_eq!(step["source_formula"], "mol-ship@4");
}

#[test]
fn case_84_the_root_uses_the_title_variable_only_if_it_is_declared() {
    let project = project();
    let root = pour(&project, &["--var", "title=Big one"])["new_epic_id"].clone();
    assert_eq!(project.shown(root.as_str().unwrap())["title"], "Big one");
    write(
        &project,
        "plain",
        "formula = \"plain\"\ndescription = \"D\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n",
    );
    let root = project.json(&["mol", "pour", "plain", "--var", "title=No"])["new_epic_id"].clone();
    let root = project.shown(root.as_str().unwrap());
    assert_eq!(
        (&root["title"], &root["description"]),
        (&json!("plain"), &json!("D"))
    );
}

#[test]
fn case_85_a_pour_starts_open_and_assigns_only_the_root() {
    let project = project();
    let made = pour(&project, &["--assignee", "dana"]);
    assert_eq!(made["created"], 5);
    assert_eq!(made["phase"], "liquid");
    let root = made["new_epic_id"].as_str().unwrap();
    assert!(root.starts_with("bd-mol-"), "{root}");
    assert_eq!(made["id_mapping"]["mol-ship.bump"], format!("{root}.1"));
    assert_eq!(project.shown(root)["assignee"], "dana");
    for number in 1..=4 {
        let step = project.shown(&format!("{root}.{number}"));
        assert_eq!(
            (&step["status"], &step["assignee"]),
            (&json!("open"), &Value::Null)
        );
    }
    let before = tracked(&project);
    let wisp = wisp(&project);
    for id in [wisp.clone(), format!("{wisp}.1"), format!("{wisp}.4")] {
        assert_eq!(project.shown(&id)["ephemeral"], true, "{id}");
    }
    assert_eq!(tracked(&project), before, "no wisp is in git");
}

#[test]
fn case_86_a_gate_is_a_child_that_blocks_its_step() {
    let project = project();
    let root = pour(&project, &[])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let gates = project.json(&["gate", "list"]);
    let gate = &gates[0];
    assert_eq!(gate["await_type"], "timer");
    assert_eq!(gate["timeout"], 3_600_000_000_000_i64);
    let gate = gate["id"].as_str().unwrap();
    assert!(gate.starts_with(&format!("{root}.")), "{gate}");
    let publish = project.shown(&format!("{root}.4"));
    assert_eq!(publish["title"], "Publish");
    let blockers = ids(&publish["dependencies"]);
    assert!(blockers.contains(&gate), "{blockers:?}");
    assert_eq!(project.json(&["gate", "check"])["resolved"], 0);
    let later = [("BD_NOW", "2099-01-01T00:00:00Z")];
    let ran = project.run_with(&later, &["gate", "check", "--json"]);
    let checked: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(checked["resolved"], 1, "{checked}");
    write(
        &project,
        "odd",
        "formula = \"odd\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\ngate = { type = \"human\", timeout = \"soon\" }\n",
    );
    project.ok(&["mol", "pour", "odd"]);
    let odd = project.json(&["gate", "list"]);
    assert_eq!(
        odd[0]["timeout"],
        Value::Null,
        "a timeout that cannot be read is none"
    );
}

#[test]
fn a_gate_shows_only_the_beads_that_it_can_block() {
    let project = Project::new();
    let step = project.make("Publish", &[]);
    let note = project.make("Note", &[]);
    let child = project.make("Child", &[]);
    let gate = project.json(&["gate", "create", "--blocks", &step]);
    let gate = gate["id"].as_str().unwrap();
    project.ok(&["dep", "add", &note, gate, "--type", "related"]);
    project.ok(&["dep", "add", &child, gate, "--type", "parent-child"]);
    let text = project.ok(&["gate", "show", gate]);
    assert!(text.contains(&format!("Blocks {step}: Publish")), "{text}");
    assert!(!text.contains(&note) && !text.contains("Child"), "{text}");
}

#[test]
fn case_87_a_proto_is_found_by_edges_and_by_dotted_ids() {
    let project = project();
    let kept = project.json(&["cook", "mol-ship", "--persist"]);
    assert_eq!(kept["proto_id"], "mol-ship");
    assert_eq!(kept["created"], 5);
    let again = project.fails(&["cook", "mol-ship", "--persist"]);
    assert!(
        again.contains("proto mol-ship already exists (use --force to replace)"),
        "{again}"
    );
    // An odd edge of a dotted child does not lose it; a foreign bead with another edge is not
    // taken.
    project.ok(&["dep", "remove", "mol-ship.test", "mol-ship"]);
    let other = project.make("Other", &[]);
    project.ok(&["dep", "add", &other, "mol-ship", "--type", "related"]);
    fs::remove_file(project.path(".beads/formulas/mol-ship.formula.toml")).unwrap();
    let made = project.json(&["mol", "pour", "mol-ship", "--var", "version=2"]);
    assert_eq!(made["created"], 5);
    let root = made["new_epic_id"].as_str().unwrap();
    let first = project.shown(made["id_mapping"]["mol-ship.bump"].as_str().unwrap());
    assert_eq!(first["title"], "Bump to 2 {{else}} {{undeclared}}");
    assert_eq!(states(&project, root)[0], "1 ready", "the order is kept");
}

#[test]
fn a_proto_never_replaces_other_beads() {
    let project = Project::new();
    let bead = project.make("Work", &[]);
    let text = format!("formula = \"{bead}\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n");
    write(&project, &bead, &text);
    let refused = project.fails(&["cook", &bead, "--persist", "--force"]);
    assert!(refused.contains("is a bead and no proto"), "{refused}");
    assert_eq!(project.shown(&bead)["title"], "Work");
}

#[test]
fn replacing_a_proto_leaves_other_beads_unchanged() {
    let project = Project::new();
    let one = |name: &str| format!("formula = \"{name}\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n");
    for name in ["mol-rel", "mol-rel.fast"] {
        write(&project, name, &one(name));
        project.ok(&["cook", name, "--persist"]);
    }
    project.ok(&["cook", "mol-rel", "--persist", "--force"]);
    assert_eq!(
        project.shown("mol-rel.fast.a")["title"],
        "A",
        "it only begins alike"
    );
    let made = project.json(&["mol", "pour", "mol-rel"]);
    assert_eq!(made["created"], 2);
    fs::remove_file(project.path(".beads/formulas/mol-rel.formula.toml")).unwrap();
    assert_eq!(project.json(&["mol", "pour", "mol-rel"])["created"], 2);
    write(&project, "mol-rel", &one("mol-rel"));
    let notes = project.make("My notes", &["--parent", "mol-rel"]);
    let refused = project.fails(&["cook", "mol-rel", "--persist", "--force"]);
    assert!(
        refused.contains("cannot be replaced") && refused.contains(&notes),
        "{refused}"
    );
    assert_eq!(project.shown(&notes)["title"], "My notes");
}

#[test]
fn a_step_moved_to_another_parent_is_not_burned() {
    let project = project();
    let root = pour(&project, &[])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let epic = project.make("Other", &["--type", "epic"]);
    let moved = format!("{root}.4");
    project.ok(&["update", &moved, "--parent", &epic]);
    let burned = project.json(&["mol", "burn", &root]);
    assert_eq!(burned["deleted_count"], 4);
    assert_eq!(project.shown(&moved)["status"], "open");
}

#[test]
fn a_wisp_in_use_is_not_collected() {
    let project = project();
    let root = wisp(&project);
    project.ok(&["update", &format!("{root}.1"), "--claim"]);
    assert_eq!(
        project.json(&["wisp", "gc", "--age", "0s"])["cleaned_count"],
        0
    );
    let work = project.make("Work", &[]);
    let second = wisp(&project);
    project.ok(&["mol", "bond", &work, &second]);
    assert_eq!(
        project.json(&["wisp", "gc", "--age", "0s"])["cleaned_count"],
        0
    );
}

#[test]
fn continue_never_starts_a_step_for_a_closed_step_or_another_worker() {
    let project = Project::new();
    write(
        &project,
        "side",
        "formula = \"side\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n[[steps]]\nid = \"b\"\ntitle = \"B\"\n[[steps]]\nid = \"c\"\ntitle = \"C\"\nassignee = \"bob\"\n",
    );
    let root = project.json(&["mol", "pour", "side"])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let first = format!("{root}.1");
    for _ in 0..3 {
        project.ok(&["close", &first, "--continue"]);
    }
    assert_eq!(states(&project, &root), ["1 done", "2 current", "3 ready"]);
}

#[test]
fn a_project_formula_overrides_those_of_town_user_and_built_in() {
    let project = Project::new();
    let name = "mol-polecat-work";
    let text = |version: &str| {
        format!(
            "formula = \"{name}\"\nversion = \"{version}\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n"
        )
    };
    let town = project.path("../town");
    let env = [("GT_ROOT", town.to_str().unwrap())];
    let version = |wanted: &str| {
        let ran = project.run_with(&env, &["formula", "show", wanted, "--json"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str::<Value>(&ran.out).unwrap()["version"].clone()
    };
    assert_eq!(version(name), 5, "the built-in one");
    for (folder, wanted) in [("..", "7"), ("../town", "8"), (".", "9.1")] {
        project.write(
            &format!("{folder}/.beads/formulas/{name}.formula.toml"),
            &text(wanted),
        );
        assert_eq!(version(name), wanted);
    }
    assert_eq!(version(&format!("{name}@8.0.0")), "8");
    assert_eq!(version(&format!("{name}@5")), 5);
    let none = project.run_with(&env, &["formula", "show", &format!("{name}@6")]);
    assert!(
        none.err.contains("has no version 6 (found: 9.1, 8, 7, 5)"),
        "{}",
        none.err
    );
}

#[test]
fn daemon_case_159_a_user_formula_is_never_overwritten() {
    let project = Project::new();
    let text = "# mine\nformula = 'mol-polecat-work'\n[[steps]]\nid = 'a'\ntitle = 'A'\n";
    write(&project, "mol-polecat-work", text);
    project.ok(&["formula", "validate"]);
    project.ok(&["cook", "mol-polecat-work", "--persist"]);
    project.ok(&["mol", "pour", "mol-polecat-work"]);
    project.run(&["formula", "new", "mol-polecat-work"]);
    project.run(&["init", "--prefix", "bd"]);
    let path = ".beads/formulas/mol-polecat-work.formula.toml";
    assert_eq!(project.read(path), text);
}

#[test]
fn text_lists_hide_wisps_and_json_lists_show_them() {
    let project = project();
    let work = project.make("Work", &[]);
    let root = wisp(&project);
    let shown = project.ok(&["list"]);
    assert!(shown.contains(&work) && !shown.contains(&root), "{shown}");
    for args in [
        &["list", "--include-infra"][..],
        &["list", "--internal"],
        &["children", &root],
    ] {
        assert!(project.ok(args).contains(&root), "{args:?}");
    }
    assert!(!project.ok(&["list", "--all"]).contains(&root));
    assert!(ids(&project.json(&["list"])).contains(&root.as_str()));
}

#[test]
fn case_88_bonded_arms_have_their_own_ids() {
    let project = project();
    write(
        &project,
        "mol-arm",
        "formula = \"mol-arm\"\n[[steps]]\nid = \"look\"\ntitle = \"Look at {{name}}\"\n",
    );
    let root = wisp(&project);
    let mut arms = Vec::new();
    for name in ["toast", "nux"] {
        let name = format!("name={name}");
        let bonded = project.json(&[
            "mol",
            "bond",
            "mol-arm",
            &root,
            "--ref",
            "arm-{{name}}",
            "--var",
            &name,
        ]);
        assert_eq!(bonded["result_type"], "compound_molecule");
        arms.push(bonded["id_mapping"]["mol-arm.look"].clone());
    }
    assert_eq!(
        arms,
        [
            format!("{root}.arm-toast.look"),
            format!("{root}.arm-nux.look")
        ]
    );
    assert_eq!(project.shown(arms[0].as_str().unwrap())["ephemeral"], true);
    for bad in ["a b", "{{empty}}", "x/y"] {
        let error = project.fails(&[
            "mol", "bond", "mol-arm", &root, "--ref", bad, "--var", "empty=",
        ]);
        assert!(error.contains("invalid --ref"), "{bad}: {error}");
    }
}

#[test]
fn case_89_the_molecule_of_a_hooked_bead_is_found() {
    let project = project();
    let root = pour(&project, &[])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let work = project.make("Work", &[]);
    project.ok(&["dep", "add", &work, &root]);
    project.ok(&["update", &work, "--status", "hooked", "--assignee", "toast"]);
    let current = project.json(&["mol", "current", "--for", "toast"]);
    assert_eq!(current[0]["molecule_id"], root);
    assert_eq!(
        project.json(&["mol", "current", "--for", "nobody"]),
        json!([])
    );
}

#[test]
fn case_90_continue_starts_the_next_step_and_reports_completion() {
    let project = project();
    let lone = project.make("Lone", &[]);
    let closed = project.json(&["close", &lone, "--continue"]);
    assert_eq!(closed["continue"]["molecule_complete"], false);
    assert_eq!(closed["continue"]["molecule_id"], Value::Null);
    for root in [
        pour(&project, &[])["new_epic_id"]
            .as_str()
            .unwrap()
            .to_owned(),
        wisp(&project),
    ] {
        let step = |number: usize| format!("{root}.{number}");
        let look = project.json(&["close", &step(1), "--continue", "--no-auto"]);
        assert_eq!(look["continue"]["next_step"]["id"], step(2));
        assert_eq!(look["continue"]["auto_advanced"], false);
        assert_eq!(states(&project, &root)[1], "2 ready");
        project.ok(&["reopen", &step(1)]);
        let went = project.json(&["close", &step(1), "--continue"]);
        assert_eq!(went["continue"]["next_step"]["status"], "in_progress");
        assert_eq!(project.shown(&step(2))["assignee"], "tester");
        let stuck = project.json(&["close", &step(2), "--continue"]);
        assert_eq!(
            stuck["continue"]["next_step"],
            Value::Null,
            "the gate is closed"
        );
        assert_eq!(stuck["continue"]["molecule_complete"], false);
        project.ok(&["gate", "resolve", &step(3)]);
        let end = project.json(&["close", &step(4), "--continue"]);
        assert_eq!(end["continue"]["molecule_complete"], true);
        assert_eq!(end["continue"]["molecule_id"], root.as_str());
    }
    let several = project.fails(&["close", &lone, "x", "--continue"]);
    assert!(
        several.contains("--continue only works when closing a single issue"),
        "{several}"
    );
}

#[test]
fn case_91_a_squash_leaves_one_digest() {
    let project = project();
    let root = wisp(&project);
    project.ok(&["close", &format!("{root}.1"), "-r", "Bumped it"]);
    let before = tracked(&project);
    let done = project.json(&["mol", "squash", &root]);
    assert_eq!(done["squashed_count"], 4);
    assert_eq!(tracked(&project), before + 1, "one bead");
    let digest = project.shown(done["digest_id"].as_str().unwrap());
    assert_eq!(digest["title"], "Digest: Release 1.4");
    assert_eq!(digest["status"], "closed");
    assert_eq!(digest["close_reason"], "Squashed from 4 wisps");
    let text = digest["description"].as_str().unwrap();
    for part in [
        "## Molecule Execution Summary",
        "**Completed**: 1/4",
        "[closed]",
        "*Outcome*: Bumped it",
        "Publish",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(project.json(&["mol", "wisp", "list", "--all"])["count"], 0);
    let root = wisp(&project);
    let done = project.json(&["mol", "squash", &root, "--summary", "As *told*"]);
    assert_eq!(
        project.shown(done["digest_id"].as_str().unwrap())["description"],
        "As *told*"
    );
    let durable = pour(&project, &[])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let nothing = project.json(&["mol", "squash", &durable]);
    assert_eq!(
        (&nothing["squashed_count"], &nothing["squashed_ids"]),
        (&json!(0), &Value::Null)
    );
}

#[test]
fn case_92_a_gated_or_hooked_molecule_is_not_listed() {
    let project = project();
    write(
        &project,
        "two",
        "formula = \"two\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\ngate = { type = \"human\" }\n[[steps]]\nid = \"b\"\ntitle = \"B\"\ngate = { type = \"human\" }\n",
    );
    let root = project.json(&["mol", "pour", "two"])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let gated = |project: &Project| project.json(&["ready", "--gated"]);
    assert_eq!(gated(&project)["count"], 0);
    for gate in [format!("{root}.1"), format!("{root}.3")] {
        project.ok(&["gate", "resolve", &gate]);
    }
    let found = gated(&project);
    assert_eq!(found["count"], 1, "one entry a molecule");
    assert_eq!(found["molecules"][0]["molecule_id"], root);
    project.ok(&["update", &format!("{root}.2"), "--status", "hooked"]);
    assert_eq!(gated(&project)["count"], 0);
}

#[test]
fn case_93_a_bead_gate_names_rig_and_bead() {
    let project = project();
    for (id, reason) in [
        ("gone:gone-1", "rig gone is not known here"),
        ("odd", "is not RIG:BEAD"),
    ] {
        let gate = project.json(&["gate", "create", "--type", "bead", "--await-id", id]);
        let checked = project.json(&["gate", "check", "-t", "bead"]);
        let own = checked["gates"].as_array().unwrap().iter();
        let own = own.clone().find(|one| one["id"] == gate["id"]).unwrap();
        assert_eq!(own["result"], "pending");
        assert!(own["reason"].as_str().unwrap().contains(reason), "{own}");
    }
}

#[test]
fn a_forge_is_queried_through_a_command() {
    let project = project();
    let script = project.path("forge");
    fs::write(
        &script,
        "#!/bin/sh\ncase \"$1\" in\n7) echo '{\"status\":\"completed\",\"conclusion\":\"success\",\"name\":\"ci\"}';;\n8) echo '{\"status\":\"completed\",\"conclusion\":\"failure\",\"name\":\"ci\"}';;\n*) echo no such run >&2; exit 1;;\nesac\n",
    )
    .unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&script, mode).unwrap();
    let command = format!("{} {{id}}", script.display());
    project.write_user_settings(&format!("gate.run-command: {command}\n"));
    let work = project.make("Work", &[]);
    let make = |id: &str| {
        let made = project.json(&[
            "gate",
            "create",
            "--type",
            "gh:run",
            "--await-id",
            id,
            "--blocks",
            &work,
        ]);
        made["id"].as_str().unwrap().to_owned()
    };
    let (good, bad, gone) = (make("7"), make("8"), make("9"));
    let dry = project.json(&["gate", "check", "--dry-run"]);
    assert_eq!(
        (&dry["resolved"], &dry["dry_run"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(project.shown(&good)["status"], "open");
    let only_shown = project.ok(&["gate", "check", "--dry-run"]);
    let line = format!("✗ {bad}: needs someone, run ci ended with failure");
    assert!(only_shown.contains(&line), "{only_shown}");
    let done = project.json(&["gate", "check", "--escalate"]);
    assert_eq!(
        (
            &done["checked"],
            &done["resolved"],
            &done["escalated"],
            &done["errors"]
        ),
        (&json!(3), &json!(1), &json!(1), &json!(1))
    );
    assert_eq!(project.shown(&good)["status"], "closed");
    assert_eq!(project.shown(&bad)["labels"], json!(["escalated"]));
    assert_eq!(project.shown(&gone)["status"], "open");
    let injected = make("7; touch pwned");
    project.ok(&["gate", "check"]);
    assert!(!project.path("pwned").exists(), "{injected}");
}

#[test]
fn a_gate_that_waits_longer_than_its_time_limit_needs_someone_and_is_escalated_on_request() {
    let project = project();
    let limit = ["--timeout", "1s", "--type", "human"];
    let made = project.json(&[&["gate", "create"], &limit[..]].concat());
    let gate = made["id"].as_str().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let checked = project.json(&["gate", "check"]);
    assert_eq!(checked["escalated"], 0);
    assert_eq!(checked["needs_someone"], 1);
    assert_eq!(checked["gates"][0]["result"], "needs someone");
    let reason = checked["gates"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("its time limit passed at "), "{reason}");
    assert_eq!(project.shown(gate)["labels"], json!(null));
    let text = project.ok(&["gate", "check", "--escalate"]);
    assert!(text.contains(": escalated, its time limit"), "{text}");
    assert_eq!(project.shown(gate)["labels"], json!(["escalated"]));
}

#[test]
fn a_forge_command_that_comes_with_the_repository_does_not_run() {
    let project = project();
    let refused = project.fails(&["config", "set", "gate.pr-command", "touch owned"]);
    assert!(refused.contains("BD_GATE_PR_COMMAND"), "{refused}");
    let settings = project.read(".beads/config.yaml");
    let hostile = "gate.pr-command: touch owned\ngate.runs-command: touch owned\n";
    project.write(".beads/config.yaml", &format!("{settings}{hostile}"));
    for id in ["7", ""] {
        let kind = if id.is_empty() { "gh:run" } else { "gh:pr" };
        project.ok(&["gate", "create", "--type", kind, "--await-id", id]);
    }
    let checked = project.run(&["gate", "check"]);
    assert!(
        checked.err.contains("config.yaml sets gate.pr-command"),
        "{}",
        checked.err
    );
    assert!(
        checked.err.contains("set BD_GATE_PR_COMMAND"),
        "{}",
        checked.err
    );
    let found = project.run(&["gate", "discover"]);
    assert!(
        found.err.contains("set BD_GATE_RUNS_COMMAND"),
        "{}",
        found.err
    );
    assert!(!project.path("owned").exists());
    assert_ne!(project.run(&["config", "validate"]).code, 0);
}

#[test]
fn a_burn_removes_a_wisp_completely_and_leaves_tombstones_of_a_molecule() {
    let project = project();
    let (a, b) = (wisp(&project), wisp(&project));
    let dry = project.json(&["mol", "burn", &a, "--dry-run"]);
    assert_eq!(dry["deleted_count"], 5);
    let both = project.json(&["mol", "burn", &a, &b]);
    assert_eq!(
        (&both["total_deleted"], &both["failed_count"]),
        (&json!(10), &json!(0))
    );
    assert_eq!(project.json(&["mol", "wisp", "list", "--all"])["count"], 0);
    let root = pour(&project, &[])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let refused = project.fails(&["mol", "burn", &root]);
    assert!(refused.contains("nothing was removed"), "{refused}");
    project.ok(&["mol", "burn", &root, "--force"]);
    assert!(project.fails(&["show", &root]).contains("was deleted"));
    project.ok(&["restore", &root]);
}

#[test]
fn steps_can_wait_for_the_children_of_another_step() {
    let project = project();
    for (name, waits, also) in [
        ("alone", "children-of(fan)", ""),
        ("with", "any-children", "needs = [\"fan\"]\n"),
    ] {
        write(
            &project,
            name,
            &format!(
                "formula = \"{name}\"\n[[steps]]\nid = \"fan\"\ntitle = \"Fan\"\n[[steps]]\nid = \"in\"\ntitle = \"In\"\nwaits_for = \"{waits}\"\n{also}"
            ),
        );
        let root = project.json(&["mol", "pour", name])["new_epic_id"]
            .as_str()
            .unwrap()
            .to_owned();
        let step = project.shown(&format!("{root}.2"));
        let edges = step["dependencies"].as_array().unwrap();
        let kinds: Vec<&str> = edges
            .iter()
            .map(|edge| edge["dependency_type"].as_str().unwrap())
            .collect();
        assert!(
            kinds.contains(&"waits-for") && kinds.contains(&"blocks"),
            "{kinds:?}"
        );
        assert_eq!(step["labels"], json!([format!("gate:{waits}")]));
    }
}

#[test]
fn a_step_that_waits_for_children_waits_for_their_spawner_first() {
    let project = project();
    let step =
        |id: &str, more: &str| format!("[[steps]]\nid = \"{id}\"\ntitle = \"{id}\"\n{more}\n");
    let steps = [
        step("first", ""),
        step("out", "needs = [\"first\"]\ncondition = \"{{fan}}\""),
        step(
            "in",
            "depends_on = [\"first\"]\nneeds = [\"out\"]\nwaits_for = \"all-children\"",
        ),
    ];
    let text = "formula = \"fan\"\n[vars]\nfan = \"yes\"\n".to_owned() + &steps.concat();
    write(&project, "fan", &text);
    let pour = |more: &[&str]| {
        let made = project.json(&[&["mol", "pour", "fan"], more].concat());
        made["new_epic_id"].as_str().unwrap().to_owned()
    };
    let ready = |root: &str| -> Vec<String> {
        let steps = project.json(&["ready", "--mol", root])["steps"].clone();
        let steps = steps.as_array().unwrap().iter();
        steps
            .map(|step| step["issue"]["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let root = pour(&[]);
    assert_eq!(ready(&root), ["first"]);
    project.ok(&["close", &format!("{root}.1")]);
    assert_eq!(ready(&root), ["out"]);
    let child = project.make("Child", &["--parent", &format!("{root}.2")]);
    project.ok(&["close", &format!("{root}.2")]);
    assert!(!ready(&root).contains(&"in".to_owned()));
    project.ok(&["close", &child]);
    assert_eq!(ready(&root), ["in"]);
    for word in ["OFF", "No", "FALSE"] {
        let root = pour(&["--var", &format!("fan={word}")]);
        assert_eq!(ready(&root), ["first"], "{word}");
        project.ok(&["close", &format!("{root}.1")]);
        assert_eq!(ready(&root), ["in"], "{word}");
    }
}

#[test]
fn blocked_names_the_bead_whose_children_are_awaited() {
    let project = Project::new();
    for id in ["bd-a", "bd-b", "bd-s"] {
        project.make(id, &["--id", id]);
    }
    project.ok(&["create", "Child", "--parent", "bd-s"]);
    let line = project.read(".beads/issues.jsonl");
    let edge = "\"dependencies\":[{\"issue_id\":\"bd-a\",\"depends_on_id\":\"bd-b\",\"type\":\"waits-for\",\"created_at\":\"2026-01-01T00:00:00Z\",\"metadata\":\"{\\\"spawner_id\\\":\\\"bd-s\\\"}\"}]";
    let text = line.replacen(
        "{\"id\":\"bd-a\",",
        &format!("{{\"id\":\"bd-a\",{edge},"),
        1,
    );
    project.write(".beads/issues.jsonl", &text);
    let blocked = project.json(&["blocked"]);
    assert_eq!(blocked[0]["blocked_by"], json!(["bd-s"]), "{blocked}");
}

#[test]
fn parallel_steps_are_grouped_and_drawn() {
    let project = project();
    write(
        &project,
        "fan",
        "formula = \"fan\"\n[[steps]]\nid = \"a\"\ntitle = \"A \\\"q\\\"\"\n[[steps]]\nid = \"b\"\ntitle = \"B\"\nneeds = [\"a\"]\n[[steps]]\nid = \"c\"\ntitle = \"C\"\nneeds = [\"a\"]\n[[steps]]\nid = \"d\"\ntitle = \"D\"\nneeds = [\"b\", \"c\"]\n",
    );
    let root = project.json(&["mol", "pour", "fan"])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let shown = project.json(&["mol", "show", &root, "--parallel"]);
    let parallel = &shown["parallel"];
    assert_eq!(
        parallel["parallel_groups"],
        json!({"group-1": [format!("{root}.2"), format!("{root}.3")]})
    );
    assert_eq!(
        parallel["steps"][format!("{root}.4")]["blocked_by"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    project.ok(&["close", &format!("{root}.1")]);
    let ready = project.json(&["ready", "--mol", &root]);
    assert_eq!(ready["ready_steps"], 2);
    assert_eq!(ready["steps"][0]["parallel_group"], "group-1");
    let tree = project.ok(&["mol", "show", &root, "--graph"]);
    assert!(tree.contains("└── ") && tree.contains("(after "), "{tree}");
    let mermaid = project.ok(&["mol", "show", &root, "--mermaid"]);
    assert!(
        mermaid.starts_with("graph TD\n") && mermaid.contains("A #quot;q#quot;"),
        "{mermaid}"
    );
    let dot = project.ok(&["formula", "show", "fan", "--dot"]);
    assert!(
        dot.starts_with("digraph \"fan\" {") && dot.contains("s0 -> s1;"),
        "{dot}"
    );
}

#[test]
fn a_formula_can_be_written_checked_listed_and_converted() {
    let project = Project::new();
    for kind in ["workflow", "expansion", "aspect", "convoy"] {
        project.ok(&["formula", "new", &format!("my-{kind}"), "--type", kind]);
    }
    let checked = project.json(&[
        "formula",
        "validate",
        "my-workflow",
        "my-expansion",
        "my-aspect",
        "my-convoy",
    ]);
    for one in checked.as_array().unwrap() {
        assert_eq!(
            (&one["valid"], &one["warnings"]),
            (&json!(true), &json!([])),
            "{one}"
        );
    }
    assert!(
        project
            .fails(&["formula", "new", "my-workflow"])
            .contains("exists")
    );
    assert!(
        project
            .fails(&["formula", "new", "../x"])
            .contains("is no formula name")
    );
    let listed = project.json(&["formula", "list", "--type", "workflow"]);
    let names: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"my-workflow") && !names.contains(&"my-aspect"),
        "{names:?}"
    );
    let unknown = project.fails(&["formula", "show", "my-workflov"]);
    assert!(
        unknown.contains("not found in search paths; did you mean my-workflow?"),
        "{unknown}"
    );
}

#[test]
fn a_json_formula_is_converted_or_its_invalid_line_is_reported() {
    let project = Project::new();
    project.write(
        ".beads/formulas/old.formula.json",
        "{\"formula\":\"old\",\"steps\":[{\"id\":\"a\",\"title\":\"A\"}],\"owner\":\"me\"}",
    );
    assert!(
        project
            .ok(&["formula", "convert", "old", "--stdout"])
            .contains("owner = \"me\"")
    );
    project.ok(&["formula", "convert", "old"]);
    let source = project.json(&["formula", "show", "old"])["source"].clone();
    assert!(
        source.as_str().unwrap().ends_with("old.formula.toml"),
        "{source}"
    );
    project.write(
        ".beads/formulas/bad.formula.toml",
        "formula = \"bad\"\n[[steps]]\nid = \"a\"\n",
    );
    let bad = project.run(&["formula", "validate", "bad"]);
    assert_eq!(bad.code, 1);
    assert!(
        bad.out
            .contains("bad.formula.toml:3: step \"a\": it has no title"),
        "{}",
        bad.out
    );
}

#[test]
fn an_epic_can_be_distilled_and_poured_again() {
    let project = Project::new();
    let epic = project.make("Ship 1.4", &["--type", "epic"]);
    let first = project.make("Bump to 1.4", &["--parent", &epic]);
    let second = project.make("Tag 1.4", &["--parent", &epic]);
    project.ok(&["dep", "add", &second, &first]);
    let made = project.json(&["mol", "distill", &epic, "ship", "--var", "version=1.4"]);
    assert_eq!(
        (&made["steps"], &made["variables"]),
        (&json!(2), &json!(["version"]))
    );
    let root =
        project.json(&["mol", "pour", "ship", "--var", "version=2.0"])["new_epic_id"].clone();
    let root = root.as_str().unwrap();
    assert_eq!(project.shown(&format!("{root}.2"))["title"], "Tag 2.0");
    assert_eq!(states(&project, root), ["1 ready", "2 blocked"]);
    assert!(
        project
            .fails(&["mol", "distill", &epic, "ship"])
            .contains("exists")
    );
}

#[test]
fn a_pour_creates_all_beads_or_none() {
    let project = project();
    let before = tracked(&project);
    let error = project.fails(&[
        "mol",
        "pour",
        "mol-ship",
        "--var",
        "version=1",
        "--attach",
        "gone",
    ]);
    assert!(
        error.contains("gone not found as formula or proto ID"),
        "{error}"
    );
    assert_eq!(tracked(&project), before);
    write(
        &project,
        "picky",
        "formula = \"picky\"\n[vars.env]\nenum = [\"dev\", \"prod\"]\n[vars.n]\ntype = \"int\"\ndefault = 1\n[vars.tag]\npattern = \"^v[0-9]+$\"\ndefault = \"v1\"\n[[steps]]\nid = \"a\"\ntitle = \"{{env}} {{n}} {{tag}}\"\n",
    );
    for (value, wanted) in [
        (
            "env=moon",
            "variable env takes one of dev, prod, not \"moon\"",
        ),
        ("n=x", "variable n takes a whole number"),
        ("tag=1", "variable tag takes a value that matches ^v[0-9]+$"),
    ] {
        let error = project.fails(&["mol", "pour", "picky", "--var", "env=dev", "--var", value]);
        assert!(error.contains(wanted), "{error}");
    }
    assert_eq!(tracked(&project), before);
}

#[test]
fn a_finished_molecule_is_stale_until_it_is_closed() {
    let project = project();
    let root = pour(&project, &[])["new_epic_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let waiting = project.make("Waiting", &[]);
    project.ok(&["dep", "add", &waiting, &root]);
    assert_eq!(project.json(&["mol", "stale"])["total_count"], 0);
    for number in [1, 2, 3, 4] {
        project.ok(&["close", &format!("{root}.{number}"), "--force"]);
    }
    let stale = project.json(&["mol", "stale", "--blocking"]);
    assert_eq!(
        stale["stale_molecules"][0]["blocking_issues"],
        json!([waiting])
    );
    let progress = project.json(&["mol", "progress", &root]);
    assert_eq!(
        (&progress["percent"], &progress["completed"]),
        (&json!(100), &json!(4))
    );
    project.ok(&["close", &root]);
    assert_eq!(project.json(&["mol", "stale"])["total_count"], 0);
    assert!(project.ok(&["mol", "last-activity", &root]).contains(&root));
}

#[test]
fn wisps_are_collected_by_age() {
    let project = project();
    let root = wisp(&project);
    assert_eq!(project.json(&["mol", "wisp", "gc"])["cleaned_count"], 0);
    assert_eq!(project.json(&["wisp", "list"])["count"], 5);
    let dry = project.json(&["wisp", "gc", "--age", "0s", "--dry-run"]);
    assert_eq!(
        (&dry["candidates"], &dry["cleaned_count"]),
        (&json!(5), &json!(0))
    );
    project.ok(&["close", &format!("{root}.1")]);
    assert_eq!(
        project.json(&["wisp", "gc", "--age", "0s"])["cleaned_count"],
        4
    );
    assert_eq!(
        project.json(&["wisp", "gc", "--closed"])["cleaned_count"],
        1
    );
}

#[test]
fn waiting_for_a_gate_ends_when_it_opens() {
    let project = project();
    let gate = project.json(&["gate", "create"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let late = project.fails(&["gate", "wait", &gate, "--timeout", "1ms"]);
    assert!(late.contains("did not open in time"), "{late}");
    let mut waiting = project
        .command(&project.dir(), &["gate", "wait", &gate])
        .spawn()
        .unwrap();
    project.ok(&["gate", "resolve", &gate, "-r", "approved"]);
    assert!(waiting.wait().unwrap().success());
    project.ok(&["gate", "wait", &gate, "--notify", "mayor/"]);
    project.ok(&["gate", "add-waiter", &gate, "mayor/"]);
    assert_eq!(
        project.json(&["gate", "show", &gate])["waiters"],
        json!(["mayor/"])
    );
    let other = project.make("Work", &[]);
    assert!(
        project
            .fails(&["gate", "show", &other])
            .contains("is not a gate issue (type=task)")
    );
}

#[test]
fn two_formulas_bond_into_a_compound() {
    let project = project();
    write(
        &project,
        "mol-after",
        "formula = \"mol-after\"\n[[steps]]\nid = \"x\"\ntitle = \"X\"\n",
    );
    let bonded = project.json(&["mol", "bond", "mol-ship", "mol-after", "--as", "Both"]);
    assert_eq!(bonded["result_type"], "compound_proto");
    let compound = bonded["result_id"].as_str().unwrap();
    let made = project.json(&["mol", "pour", compound, "--var", "version=3"]);
    assert_eq!(
        made["created"], 8,
        "the compound, both roots, their steps and the gate"
    );
    let root = made["new_epic_id"].as_str().unwrap();
    assert_eq!(
        project.shown(root)["source_formula"],
        compound,
        "it is a molecule"
    );
    let shown = project.json(&["mol", "show", root]);
    assert_eq!(shown["issues"].as_array().unwrap().len(), 8);
    let work = project.make("Work", &[]);
    let wisp = wisp(&project);
    let link = project.json(&["mol", "bond", &wisp, &work]);
    assert_eq!(link["result_id"], wisp.as_str());
    assert_eq!(
        project.shown(&work)["dependencies"],
        Value::Null,
        "the wisp holds the edge"
    );
}
