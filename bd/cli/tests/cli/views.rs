//! The look of lists and trees: `list --format`, `--watch`, columns, `show --thread`, `dep tree
//! --show-all-paths`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::{Project, ids, recorded};

fn project() -> Project {
    let project = Project::new();
    for (id, title, more) in [
        (
            "bd-a",
            "Top",
            &["-p", "0", "-l", "area:ui", "-a", "dana"][..],
        ),
        (
            "bd-b",
            "Left \"quoted\"",
            &["-l", "area:db", "--defer", "2030-01-01"],
        ),
        ("bd-c", "Right", &["-t", "bug", "--defer", "2031-01-01"]),
        ("bd-long-id", "Bottom", &["-p", "3"]),
    ] {
        project.ok(&[&["create", title, "--id", id, "--force"], more].concat());
    }
    for (from, to) in [
        ("bd-a", "bd-b"),
        ("bd-a", "bd-c"),
        ("bd-b", "bd-long-id"),
        ("bd-c", "bd-long-id"),
    ] {
        project.ok(&["dep", "add", from, to]);
    }
    project
}

#[test]
fn lists_can_be_formatted_and_filtered() {
    let dot = "  \"bd-b\" [label=\"bd-b\\nLeft \\\"quoted\\\"\"];";
    recorded::check(
        &project(),
        &[
            ("list --format digraph", 0, "bd-a bd-b\nbd-a bd-c\n"),
            ("list --format dot", 0, dot),
            (
                "list --format dot",
                0,
                "  \"bd-a\" -> \"bd-b\" [label=\"blocks\"];",
            ),
            (
                "list --format '{{.IssueID}}>{{.DependsOnID}} {{.Type}} {{.Issue.Title}}'",
                0,
                "bd-a>bd-b blocks Top\n",
            ),
            (
                "list --format '{{.ID}}:{{if .Assignee}}{{.Assignee}}{{else}}-{{end}}'",
                0,
                "bd-a:dana\nbd-",
            ),
            ("list --format json --id bd-a", 0, "\"title\": \"Top\""),
            (
                "list --format '{{range .Labels}}'",
                1,
                "invalid --format: {{range .Labels}} is not known",
            ),
            (
                "list --format yaml",
                1,
                "use id, json, digraph, dot, or a template",
            ),
            (
                "list --label-regex '^area:(ui|x)$'",
                0,
                r#"[{"id":"bd-a"}]"#,
            ),
            ("count --label-regex area:", 0, "2"),
            ("list --label-regex '('", 1, "invalid --label-regex"),
            ("list --defer-after 2030-06-01", 0, r#"[{"id":"bd-c"}]"#),
            ("list --defer-before 2030-06-01", 0, r#"[{"id":"bd-b"}]"#),
            ("list --pretty", 0, "Total: 4 issues"),
            (
                "search bottom --long",
                0,
                "Found 1 issue matching 'bottom':\n\n○ bd-long-id",
            ),
        ],
    );
    assert!(
        project()
            .fails(&["list", "--watch", "--json"])
            .contains("bd activity --follow --json")
    );
}

#[test]
fn columns_line_up_if_the_width_is_known() {
    let project = project();
    let out = project.run_with(&[("COLUMNS", "60")], &["list"]).out;
    let at: Vec<usize> = out.lines().map(|line| line.find("[●").unwrap()).collect();
    assert!(at.iter().all(|place| *place == at[0]), "{out}");
    assert!(
        project
            .ok(&["list"])
            .contains("○ bd-c [● P2] [bug] - Right")
    );
}

#[test]
fn a_tree_shows_each_path_on_demand() {
    let project = project();
    let short = project.json(&["dep", "tree", "bd-a"]);
    assert_eq!(ids(&short), ["bd-a", "bd-b", "bd-c", "bd-long-id"]);
    let all = project.json(&["dep", "tree", "bd-a", "--show-all-paths"]);
    assert_eq!(
        ids(&all),
        ["bd-a", "bd-b", "bd-c", "bd-long-id", "bd-long-id"]
    );
    let drawn = project.ok(&["dep", "tree", "bd-a", "--show-all-paths"]);
    assert_eq!(drawn.matches("└── ○ bd-long-id").count(), 2, "{drawn}");
    let narrowed = project.json(&[
        "dep",
        "tree",
        "bd-long-id",
        "--direction",
        "both",
        "--show-all-paths",
    ]);
    assert_eq!(
        ids(&narrowed),
        ["bd-long-id", "bd-b", "bd-c", "bd-a", "bd-a"]
    );
    project.ok(&["update", "bd-c", "-s", "in_progress"]);
    let some = project.json(&["dep", "tree", "bd-a", "--status", "in_progress"]);
    assert_eq!(ids(&some), ["bd-a", "bd-c"]);
}

#[test]
fn any_message_shows_its_whole_thread() {
    let project = Project::new();
    project.ok(&["config", "set", "types.custom", "message"]);
    let mut before = String::new();
    let mut all = Vec::new();
    for text in ["Question", "Answer", "Thanks"] {
        let id = project.make(text, &["-t", "message", "-a", "lee", "-d", "Body\nof it"]);
        if !before.is_empty() {
            project.ok(&["dep", "add", &id, &before, "--type", "replies-to"]);
        }
        before.clone_from(&id);
        all.push(id);
    }
    for id in &all {
        assert_eq!(
            ids(&project.json(&["show", id, "--thread"])),
            all,
            "from {id}"
        );
    }
    let drawn = project.ok(&["show", &all[0], "--thread"]);
    assert!(
        drawn.contains(&format!("    {} tester → lee", all[2])),
        "{drawn}"
    );
    assert!(drawn.contains("    Body\n    of it"), "{drawn}");
    let past = project.json(&["show", &all[0], "--as-of", "2999-01-01"]);
    assert_eq!(past[0]["title"], "Question");
}

#[test]
fn a_watched_list_is_redrawn_after_a_change() {
    let project = project();
    for (args, change, wanted) in [
        (&["list", "--watch"][..], "Seen at once", "Seen at once"),
        (
            &["show", "bd-b", "--watch"],
            "Seen here, too",
            "Seen here, too",
        ),
    ] {
        let mut child = project
            .command(&project.dir(), args)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The first page is there: what comes now is a change.
        lines
            .find(|line| {
                line.as_ref().unwrap().contains("quoted") || line.as_ref().unwrap().contains("Seen")
            })
            .unwrap()
            .unwrap();
        project.ok(&["update", "bd-b", "--title", change]);
        assert!(lines.any(|line| line.unwrap().contains(wanted)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
