//! Recorded cases of swarms, templates, capabilities, people, audit records and the setup of
//! agents.

use super::Project;
use super::recorded::{check, project};

/// An epic `bd-e` with children: `bd-b` waits for `bd-a`.
fn epic() -> Project {
    let project = project();
    project.ok(&["create", "Big", "-t", "epic", "--id", "bd-e"]);
    for id in ["bd-a", "bd-b", "bd-c"] {
        project.ok(&["update", id, "--parent", "bd-e"]);
    }
    project.ok(&["dep", "add", "bd-b", "bd-a"]);
    project
}

#[test]
fn the_children_of_an_epic_are_a_swarm() {
    let project = epic();
    project.ok(&["close", "bd-c"]);
    check(
        &project,
        &[
            (
                "swarm validate bd-e",
                0,
                "bd-e: Big\n  2 child beads open, 1 closed\n  Wave 0: bd-a\n  Wave 1: bd-b\n✓ A swarm can do it\n",
            ),
            (
                "swarm validate bd-e --verbose",
                0,
                r#"{"epic_id":"bd-e","epic_title":"Big","total_issues":3,"closed_issues":1,"ready_fronts":[{"wave":0,"issues":["bd-a"]},{"wave":1,"issues":["bd-b"]}],"max_parallelism":1,"estimated_sessions":2,"warnings":[],"errors":[],"swarmable":true,"issues":{"bd-b":{"depends_on":["bd-a"],"wave":1}}}"#,
            ),
            ("swarm list", 0, r#"{"swarms":[]}"#),
            ("swarm list", 0, "No swarms found"),
            (
                "swarm create bd-e --coordinator mayor",
                0,
                r#"{"epic_id":"bd-e","coordinator":"mayor","analysis":{"swarmable":true}}"#,
            ),
            (
                "swarm create bd-e",
                1,
                r#"{"error":"swarm already exists","existing_title":"Swarm: Big"}"#,
            ),
            ("update bd-a --claim", 0, "Updated"),
            (
                "swarm status bd-e",
                0,
                r#"{"epic_id":"bd-e","total_issues":3,"completed":[{"id":"bd-c"}],"active":[{"id":"bd-a","assignee":"tester"}],"ready":[],"blocked":[{"id":"bd-b","blocked_by":["bd-a"]}],"active_count":1,"ready_count":0,"blocked_count":1}"#,
            ),
            (
                "swarm status bd-e",
                0,
                "  1 of 3 closed (33%)\nActive:\n  bd-a: Login form fails @tester\nBlocked:\n  bd-b: Login form FAILS (after bd-a)\nCompleted:\n",
            ),
            (
                "swarm list",
                0,
                r#"{"swarms":[{"epic_id":"bd-e","coordinator":"mayor","total_issues":3,"completed_issues":1,"active_issues":1,"status":"open"}]}"#,
            ),
            (
                "swarm status bd-a",
                1,
                "bd-a is a task, not an epic or a swarm",
            ),
            ("swarm validate bd-none", 1, "no issue found"),
        ],
    );
    let swarm = project.json(&["swarm", "list"])["swarms"][0]["id"].clone();
    let status = project.json(&["swarm", "status", swarm.as_str().unwrap()]);
    assert_eq!(status["epic_id"], "bd-e");
}

#[test]
fn a_swarm_of_a_plain_bead_gets_its_own_epic() {
    let project = project();
    let made = project.json(&["swarm", "create", "bd-a"]);
    let parent = project.shown("bd-a")["parent"].clone();
    assert_eq!(made["epic_id"], parent);
    let warned = project.json(&["swarm", "validate", parent.as_str().unwrap()]);
    assert_eq!(warned["ready_fronts"][0]["issues"][0], "bd-a");
}

#[test]
fn children_that_block_each_other_in_a_circle_are_not_a_swarm() {
    let project = Project::new();
    let line = |id: &str, needs: &str| {
        let edge = |to: &str, kind: &str| {
            format!(
                "{{\"issue_id\":\"bd-{id}\",\"depends_on_id\":\"bd-{to}\",\"type\":\"{kind}\",\"created_at\":\"2024-01-01T00:00:00Z\"}}"
            )
        };
        format!(
            "{{\"id\":\"bd-{id}\",\"title\":\"T\",\"status\":\"open\",\"created_at\":\"2024-01-01T00:00:00Z\",\"updated_at\":\"2024-01-01T00:00:00Z\",\"dependencies\":[{},{}]}}\n",
            edge("e", "parent-child"),
            edge(needs, "blocks")
        )
    };
    let epic = "{\"id\":\"bd-e\",\"title\":\"E\",\"status\":\"open\",\"issue_type\":\"epic\",\"created_at\":\"2024-01-01T00:00:00Z\",\"updated_at\":\"2024-01-01T00:00:00Z\"}\n";
    project.write(
        ".beads/issues.jsonl",
        &(line("a", "b") + &line("b", "a") + epic),
    );
    check(
        &project,
        &[
            ("swarm validate bd-e", 1, r#"{"swarmable":false}"#),
            (
                "swarm validate bd-e",
                1,
                "✗ bd-a and bd-b wait for each other in a circle",
            ),
            ("swarm create bd-e", 1, "a swarm cannot do bd-e"),
            ("swarm create bd-e --force", 0, "✓ Created swarm "),
        ],
    );
}

#[test]
fn protos_can_be_listed_shown_and_poured_as_templates() {
    let project = project();
    project.write(
        ".beads/formulas/release.formula.toml",
        "formula = \"release\"\nversion = 1\n[vars.version]\nrequired = true\n[[steps]]\nid = \"build\"\ntitle = \"Build {{version}}\"\n[[steps]]\nid = \"ship\"\ntitle = \"Ship\"\nneeds = [\"build\"]\n",
    );
    check(
        &project,
        &[
            (
                "template list",
                0,
                "No templates found\nMake one: bd cook FORMULA --persist\n",
            ),
            ("template list", 0, "[]"),
            (
                "cook release --persist --prefix bd-",
                0,
                r#"{"proto_id":"bd-release"}"#,
            ),
            ("template list", 0, r#"[{"id":"bd-release","steps":2}]"#),
            (
                "template show bd-release",
                0,
                r#"{"root":{"id":"bd-release"},"variables":["version"]}"#,
            ),
            ("template show bd-a", 1, "bd-a"),
            (
                "template instantiate bd-release --var version=2 --dry-run",
                0,
                "Build 2",
            ),
            (
                "template instantiate bd-release --var version=2 --assignee dana",
                0,
                r#"{"created":3,"phase":"liquid"}"#,
            ),
            ("template instantiate bd-a", 1, "bd-a"),
        ],
    );
}

#[test]
fn a_capability_is_shipped_when_its_bead_is_closed() {
    let project = project();
    project.ok(&["update", "bd-a", "--add-label", "export:api"]);
    check(
        &project,
        &[
            ("ship none", 1, "no issue found with label 'export:none'"),
            (
                "ship api",
                1,
                "issue bd-a is not closed (status: open); use --force",
            ),
            ("close bd-a", 0, "Closed"),
            (
                "ship api --dry-run",
                0,
                r#"{"status":"dry_run","capability":"api","issue_id":"bd-a","would_add":"provides:api"}"#,
            ),
            (
                "ship api",
                0,
                r#"{"status":"shipped","capability":"api","issue_id":"bd-a","label":"provides:api"}"#,
            ),
            ("ship api", 0, "✓ api is already shipped (bd-a)"),
            (
                "show bd-a",
                0,
                r#"[{"labels":["export:api","provides:api"]}]"#,
            ),
        ],
    );
}

#[test]
fn beads_for_the_user_can_be_answered_or_dismissed() {
    let project = project();
    for id in ["bd-a", "bd-b"] {
        project.ok(&["update", id, "--add-label", "human"]);
    }
    check(
        &project,
        &[
            // An answer does not wait for what the bead waits for.
            ("dep add bd-a bd-b", 0, ""),
            ("human", 0, "bd human respond ID"),
            ("human list", 0, r#"[{"id":"bd-b"},{"id":"bd-a"}]"#),
            ("human respond bd-a", 1, "--response"),
            (
                "human respond bd-a -r 'Use blue'",
                0,
                r#"{"id":"bd-a","status":"closed","close_reason":"Responded"}"#,
            ),
            (
                "show bd-a",
                0,
                r#"[{"comments":[{"author":"tester","text":"Response: Use blue"}]}]"#,
            ),
            (
                "human dismiss bd-b --reason stale",
                0,
                "✓ Closed bd-b: Dismissed: stale",
            ),
            (
                "human dismiss bd-c",
                1,
                "bead bd-c does not have the 'human' label",
            ),
            (
                "human stats",
                0,
                r#"{"total":2,"pending":0,"responded":1,"dismissed":1}"#,
            ),
            ("human list", 0, "No beads wait for the user"),
            ("human list --status all", 0, "- Login form fails"),
        ],
    );
}

#[test]
fn audit_records_are_appended() {
    let project = project();
    let made = project.json(&[
        "audit",
        "record",
        "--kind",
        "tool_call",
        "--tool-name",
        "git",
        "--exit-code",
        "1",
        "--issue-id",
        "bd-a",
    ]);
    let id = made["id"].as_str().unwrap();
    assert!(id.starts_with("int-"), "{made}");
    assert_eq!(made["kind"], "tool_call");
    let labelled = project.json(&["audit", "label", id, "--label", "bad", "--reason", "no"]);
    assert_eq!(
        (&labelled["parent_id"], &labelled["label"]),
        (&made["id"], &"bad".into())
    );
    let file = project.read(".beads/interactions.jsonl");
    let lines: Vec<serde_json::Value> = file
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["actor"], &lines[0]["exit_code"]),
        (&"tester".into(), &1.into())
    );
    assert_eq!(
        (&lines[1]["kind"], &lines[1]["reason"]),
        (&"label".into(), &"no".into())
    );
    check(
        &project,
        &[
            ("audit record --model m", 1, "kind is required"),
            ("audit record --stdin", 1, "invalid JSON on standard input"),
            (
                "audit label int-none --label good",
                1,
                "audit entry int-none not found",
            ),
        ],
    );
}

#[test]
fn setup_of_an_agent_is_removed_byte_for_byte() {
    let files = [
        ("codex", "AGENTS.md", "# Mine\n\nno line end"),
        ("junie", ".junie/guidelines.md", "a\n"),
        (
            "claude --project",
            ".claude/settings.local.json",
            "{\"hooks\": {\"Stop\": []},\n \"b\":  1}",
        ),
        ("gemini --project", ".gemini/settings.json", "{}"),
        ("aider", ".aider.conf.yml", "model: x\n"),
    ];
    for (tool, path, before) in files {
        let project = project();
        project.write(path, before);
        let line = |rest: &str| format!("setup {tool}{rest}");
        let name = tool.split(' ').next().unwrap();
        check(
            &project,
            &[
                (
                    &line(" --check"),
                    1,
                    &format!("✗ {name} is not set up; run: bd setup {name}"),
                ),
                (&line(""), 0, r#"{"status":"installed"}"#),
                (&line(""), 0, &format!("✓ {name} is up to date")),
                (&line(" --check"), 0, r#"{"status":"installed"}"#),
            ],
        );
        assert!(project.read(path).contains(if path.ends_with("json") {
            "bd prime"
        } else {
            "BEADS"
        }));
        check(
            &project,
            &[
                (&line(" --remove"), 0, "✓ Removed from "),
                (&line(" --remove"), 0, r#"{"status":"missing"}"#),
                (&line(" --check"), 1, r#"{"status":"missing"}"#),
            ],
        );
        assert_eq!(project.read(path), before, "{tool}");
        assert!(!project.path(".aider/BEADS.md").exists());
    }
}

#[test]
fn files_created_by_setup_are_removed_with_it() {
    let project = project();
    for (tool, path) in [
        ("cursor", ".cursor/rules/beads.mdc"),
        ("windsurf", ".windsurf/rules/beads.md"),
        ("claude", "../.claude/settings.json"),
        ("aider", ".aider.conf.yml"),
        ("factory", "AGENTS.md"),
    ] {
        project.ok(&["setup", tool]);
        assert!(project.path(path).exists(), "{tool}");
        project.ok(&["setup", tool, "--remove"]);
        assert!(!project.path(path).exists(), "{tool}");
    }
    project.write(".claude/settings.local.json", "{\"hooks\": []}");
    project.write(".aider.conf.yml", "read:\n  - x\n");
    check(
        &project,
        &[
            ("setup claude --project", 1, "not a JSON object"),
            ("setup aider", 1, "has a list `read:` already"),
            (
                "setup nosuch",
                1,
                "unknown agent \"nosuch\"; agents: claude, gemini, cursor",
            ),
            ("setup", 1, "<AGENT>"),
            ("setup --list", 0, "claude\ngemini\n"),
            ("setup --print", 0, "## Tracking work with bd"),
            ("setup -o notes.md", 0, "✓ Wrote "),
            ("onboard", 0, "## Tracking work with bd"),
        ],
    );
}
