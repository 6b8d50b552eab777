//! Recorded cases of commands that look at beads and move them: graph, orphans, edit, query, diff,
//! move, promote, purge.

use super::recorded::{check, project};
use super::{Project, Ran};

pub(super) fn git(project: &Project, args: &[&str]) {
    let path = std::env::var_os("PATH").unwrap();
    let who = [
        ("GIT_AUTHOR_NAME", "t"),
        ("GIT_AUTHOR_EMAIL", "t@example.com"),
        ("GIT_COMMITTER_NAME", "t"),
        ("GIT_COMMITTER_EMAIL", "t@example.com"),
    ];
    let mut command = std::process::Command::new("git");
    let command = command.args(args).current_dir(project.dir()).env_clear();
    let command = command.env("PATH", path).env("HOME", project.dir());
    let output = command.envs(who).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
}

pub(super) fn commit(project: &Project, message: &str) {
    if !project.path(".git").exists() {
        git(project, &["init", "-q"]);
    }
    git(project, &["add", "-A"]);
    git(project, &["commit", "-q", "--allow-empty", "-m", message]);
}

#[test]
fn a_graph_shows_the_dependencies() {
    let project = project();
    project.ok(&["dep", "add", "bd-b", "bd-a"]);
    project.ok(&["create", "Alone", "--id", "bd-d"]);
    check(
        &project,
        &[
            (
                "graph bd-b",
                0,
                "📊 bd-b: Login form FAILS (2 beads, 2 layers)\nLayer 0 (waits for nothing)\n  ○ bd-a [● P2] Login form fails\nLayer 1\n  ○ bd-b [● P2] Login form FAILS (after bd-a)\n",
            ),
            (
                "graph bd-a --compact",
                0,
                "○ bd-a: Login form fails\n└── ○ bd-b: Login form FAILS\n",
            ),
            (
                "graph bd-a",
                0,
                r#"{"root":{"id":"bd-a"},"issues":[{"id":"bd-a"},{"id":"bd-b"}],"layout":{"Nodes":{"bd-b":{"Layer":1,"Position":0,"DependsOn":["bd-a"]}},"Layers":[["bd-a"],["bd-b"]],"MaxLayer":1,"RootID":"bd-a"}}"#,
            ),
            (
                "graph --all",
                0,
                r#"[{"root":{"id":"bd-a"}},{"root":{"id":"bd-c"}},{"root":{"id":"bd-d"}}]"#,
            ),
            ("graph bd-a --mermaid", 0, "s0 --> s1"),
            ("graph bd-a --dot", 0, "s0 -> s1;"),
            ("graph", 1, "<ID>"),
            ("graph bd-none", 1, "no issue found matching \"bd-none\""),
        ],
    );
    assert_eq!(
        Project::new().json(&["graph", "--all"]),
        serde_json::json!([])
    );
}

#[test]
fn open_beads_named_in_commits_are_orphans() {
    let project = project();
    project.ok(&["close", "bd-c"]);
    check(&project, &[("orphans", 1, "git")]);
    commit(&project, "Fix the form (bd-a)");
    commit(
        &project,
        "Fix it again (bd-a, bd-c)\n\nbd-b is not named in brackets",
    );
    check(
        &project,
        &[
            (
                "orphans",
                0,
                "⚠ 1 open bead named in commits:\n○ bd-a Login form fails\n",
            ),
            (
                "orphans",
                0,
                r#"[{"issue_id":"bd-a","title":"Login form fails","status":"open","latest_commit_message":"Fix it again (bd-a, bd-c)"}]"#,
            ),
            ("orphans --details", 0, "Fix the form (bd-a)"),
            ("orphans --fix", 1, "nothing was closed"),
            ("orphans --fix --yes", 0, "✓ Closed bd-a: Implemented in "),
            ("orphans", 0, "✓ No orphaned issues"),
            ("orphans", 0, "[]"),
        ],
    );
}

#[test]
fn a_text_field_can_be_edited_in_an_editor() {
    let project = project();
    let edit = |editor: &str, args: &[&str]| {
        let args = [&["edit", "bd-a"], args].concat();
        project.run_with(
            &[
                ("GIT_EDITOR", editor),
                ("TMPDIR", project.dir().to_str().unwrap()),
            ],
            &args,
        )
    };
    let before = project.read(".beads/issues.jsonl");
    let refused = edit("vim -u NONE", &["--notes"]);
    assert!(
        refused.err.contains("\n  bd update bd-a --notes TEXT"),
        "{}",
        refused.err
    );
    let Ran { code, out, .. } = edit("true", &["--title"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "No changes to the title of bd-a\n")
    );
    let failed = edit("false", &[]);
    assert!(
        failed
            .err
            .contains("the editor failed: false; nothing was written")
    );
    assert!(!failed.err.contains("Your text"), "{}", failed.err);
    assert_eq!(project.read(".beads/issues.jsonl"), before);
    let done = edit("sed -i s/fails/works/", &["--title"]);
    assert_eq!(done.out, "✓ Updated the title of bd-a\n");
    for (flag, field) in [
        ("--description", "description"),
        ("--design", "design"),
        ("--notes", "notes"),
        ("--acceptance", "acceptance_criteria"),
    ] {
        assert_eq!(edit("printf 'a\\nb\\n' >", &[flag]).code, 0);
        assert_eq!(project.shown("bd-a")[field], "a\nb", "{field}");
    }
    assert_eq!(project.shown("bd-a")["title"], "Login form works");
    let empty = edit("printf '' >", &["--title"]);
    assert!(
        empty
            .err
            .contains("a title is one line of text; nothing was written")
    );
}

#[test]
fn an_edit_that_lost_a_race_keeps_its_text_in_a_file() {
    let project = project();
    let script = format!(
        "#!/bin/sh\n{} update bd-a -d theirs --json >/dev/null\necho mine >\"$1\"\n",
        env!("CARGO_BIN_EXE_bd")
    );
    project.write("editor.sh", &script);
    let ran = project.run_with(
        &[("EDITOR", "sh ./editor.sh"), ("BEADS_ACTOR", "a")],
        &["edit", "bd-a"],
    );
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains(
            "the description of bd-a was changed while you edited it; nothing was written"
        ),
        "{}",
        ran.err
    );
    let path = ran.err.split("Your text is in ").nth(1).unwrap().trim();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "mine\n");
    assert_eq!(project.shown("bd-a")["description"], "theirs");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn an_expression_selects_beads() {
    let project = project();
    project.ok(&["update", "bd-a", "-p", "0", "--add-label", "ui"]);
    project.ok(&["close", "bd-c"]);
    project.ok(&[
        "create",
        "W",
        "--ephemeral",
        "--id",
        "bd-w",
        "-l",
        "gt:mail",
    ]);
    check(
        &project,
        &[
            (
                "query 'status=open AND title=login'",
                0,
                r#"[{"id":"bd-a","dependency_count":0},{"id":"bd-b"}]"#,
            ),
            (
                "query priority<2",
                0,
                "Found 1 issue:\n○ bd-a [● P0] [task] [ui] - Login form fails\n",
            ),
            (
                "query 'ephemeral=true AND label=gt:mail AND status=open' --limit=5",
                0,
                r#"[{"id":"bd-w"}]"#,
            ),
            (
                "query 'NOT label=none OR title=other'",
                0,
                r#"[{"id":"bd-a"},{"id":"bd-w"}]"#,
            ),
            ("query title=other --all", 0, r#"[{"id":"bd-c"}]"#),
            ("query status=closed", 0, r#"[{"id":"bd-c"}]"#),
            ("query title=nothing", 0, "[]"),
            (
                "query title=login --sort id --reverse -n 1",
                0,
                r#"[{"id":"bd-b"}]"#,
            ),
        ],
    );
}

#[test]
fn a_syntax_error_in_an_expression_is_named() {
    check(
        &project(),
        &[
            (
                "query --parse-only 'not type=bug and id=bd-*'",
                0,
                "(NOT type=bug AND id=bd-*)",
            ),
            (
                "query status=open type=bug",
                1,
                "invalid query: expected AND, OR or the end at column 13, not \"type\"",
            ),
            (
                "query colour=red",
                1,
                "unknown field \"colour\"; fields: status",
            ),
            ("query", 1, "<EXPRESSION>"),
        ],
    );
}

#[test]
fn beads_can_be_compared_with_an_earlier_commit() {
    let project = project();
    commit(&project, "one");
    project.ok(&["update", "bd-a", "-p", "0"]);
    project.ok(&["delete", "bd-b", "--force"]);
    project.ok(&["create", "New", "--id", "bd-n"]);
    check(
        &project,
        &[
            (
                "diff",
                0,
                "~ bd-a Login form fails\n    priority: 2 → 0\n- bd-b Login form FAILS\n+ bd-n New\n",
            ),
            (
                "diff HEAD",
                0,
                r#"[{"issue_id":"bd-a","diff_type":"modified","old_value":{"priority":2},"new_value":{"priority":0}},{"issue_id":"bd-b","diff_type":"removed"},{"issue_id":"bd-n","diff_type":"added"}]"#,
            ),
            ("diff HEAD HEAD", 0, "No differences"),
            ("diff HEAD HEAD", 0, "[]"),
            ("diff nosuch", 1, "no commit or branch \"nosuch\""),
        ],
    );
}

#[test]
fn beads_can_be_moved_to_another_rig() {
    let project = project();
    project.write("mayor/town.json", "{}");
    let web = project.path("web");
    std::fs::create_dir_all(&web).unwrap();
    let ran = project.run_in(&web, &["init", "--prefix", "web", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    project.write(
        ".beads/routes.jsonl",
        "{\"prefix\":\"bd-\",\"path\":\".\"}\n{\"prefix\":\"web-\",\"path\":\"web\"}\n",
    );
    project.ok(&["update", "bd-a", "-d", "Long", "-p", "1"]);
    std::fs::create_dir_all(project.path("web/polecats/amber")).unwrap();
    for name in ["amber", "web/amber", "web/polecats/amber"] {
        project.ok(&["assign", "bd-c", name]);
        assert_eq!(project.shown("bd-c")["assignee"], "web/polecats/amber");
        project.ok(&["assign", "bd-c", "none"]);
    }
    project.ok(&["dep", "add", "bd-b", "bd-a"]);
    let moved = project.json(&["move", "bd-a", "--to", "web"]);
    let target = moved["target"].as_str().unwrap();
    assert!(target.starts_with("web-"), "{moved}");
    assert_eq!(
        (&moved["source"], &moved["closed"], &moved["deps_remapped"]),
        (&"bd-a".into(), &true.into(), &1.into())
    );
    let copy = project.shown(target);
    assert_eq!(copy["description"], "Long\n\n(Moved from bd-a)");
    assert_eq!(
        (&copy["title"], &copy["priority"]),
        (&"Login form fails".into(), &1.into())
    );
    let old = project.shown("bd-a");
    assert_eq!(old["close_reason"], format!("Moved to {target}"));
    let ready = project.json(&["list", "--id", "bd-b"]);
    assert_eq!(
        ready[0]["dependencies"][0]["depends_on_id"],
        format!("external:web:{target}")
    );
    project.ok(&["create", "W", "--ephemeral", "--id", "bd-w"]);
    check(
        &project,
        &[
            (
                "refile bd-c web --keep-open",
                0,
                r#"{"source":"bd-c","closed":false}"#,
            ),
            ("show bd-c", 0, r#"[{"status":"open"}]"#),
            ("refile bd-c web-", 0, "  bd-c is closed\n"),
            (
                "move bd-w --to web",
                1,
                "cannot move bd-w: it is a wisp; first run: bd promote bd-w",
            ),
            ("move bd-b --to bd", 1, "bd-b is already in rig ."),
            (
                "move bd-b --to nosuch",
                1,
                "rig or prefix \"nosuch\" not found",
            ),
            ("move bd-b", 1, "--to"),
        ],
    );
}

#[test]
fn wisps_can_be_promoted_or_purged_and_beads_pinned() {
    let project = project();
    for id in ["bd-v", "bd-w", "bd-x"] {
        project.ok(&["create", "W", "--ephemeral", "--id", id]);
    }
    project.ok(&["close", "bd-w", "bd-x"]);
    check(
        &project,
        &[
            (
                "promote bd-v -r 'worth it'",
                0,
                r#"{"id":"bd-v","status":"open"}"#,
            ),
            (
                "show bd-v",
                0,
                r#"[{"comments":[{"author":"tester","text":"Promoted from wisp: worth it"}]}]"#,
            ),
            ("promote bd-v", 1, "bd-v is not a wisp (already persistent)"),
            (
                "purge --pattern '*w'",
                0,
                "Would delete 1 closed wisp:\n  bd-w\nDelete permanently: bd purge --force\n",
            ),
            ("purge --dry-run", 0, r#"{"purged_count":2,"dry_run":true}"#),
            ("purge --older-than 1d --force", 0, r#"{"purged_count":0}"#),
            (
                "purge --older-than soon",
                1,
                "invalid --older-than \"soon\"",
            ),
            (
                "purge --force",
                0,
                r#"{"purged_count":2,"purged_ids":["bd-w","bd-x"]}"#,
            ),
            ("purge --force", 0, "No closed wisps to delete"),
            ("show bd-w", 1, "no issue found"),
            ("pin bd-a bd-b", 0, "📌 Pinned bd-a\n📌 Pinned bd-b\n"),
            ("ready", 0, r#"[{"id":"bd-c"},{"id":"bd-v"}]"#),
            ("unpin bd-a", 0, r#"[{"id":"bd-a"}]"#),
            ("pin bd-none", 1, "no issue found"),
        ],
    );
    assert!(project.read(".beads/issues.jsonl").contains("\"bd-v\""));
}
