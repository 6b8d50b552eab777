//! Files that other programs wrote, and what they leave in them.

use std::fs;

use serde_json::json;

use super::Project;
use super::recorded_work::git;

/// A line of a bead with the given more fields.
fn line(id: &str, title: &str, updated: u32, more: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"title\":\"{title}\",\"status\":\"open\",\"issue_type\":\"task\",\
         \"created_at\":\"2026-01-01T00:00:00Z\",\"created_by\":\"dana\",\
         \"updated_at\":\"2026-01-0{updated}T00:00:00Z\"{more}}}\n"
    )
}

#[test]
fn two_lines_of_one_bead_are_merged() {
    let project = Project::new();
    let lines = [
        line("bd-a", "Old", 2, r#","labels":["x"],"notes":"N""#),
        line("bd-a", "New", 3, r#","labels":["y"],"assignee":"kim""#),
        line("bd-b", "Other", 2, ""),
        line("bd-b", "Other", 2, ""),
    ];
    project.write(".beads/issues.jsonl", &lines.concat());
    for _ in 0..2 {
        let shown = project.shown("bd-a");
        assert_eq!(shown["title"], "New");
        assert_eq!(shown["labels"], json!(["x", "y"]));
        assert_eq!(shown["notes"], "N");
        assert_eq!(shown["assignee"], "kim");
        let ran = project.run(&["update", "bd-b", "-p", "1"]);
        assert!(!ran.err.contains("damaged"), "{}", ran.err);
    }
    assert_eq!(project.read(".beads/issues.jsonl").lines().count(), 2);
    assert!(!project.path(".beads/damaged").exists());
    assert!(project.ok(&["history", "bd-a"]).contains("Old"));
}

#[test]
fn two_beads_on_two_lines_of_one_id_both_stay() {
    let project = Project::new();
    let other = line("bd-a", "Second", 2, "").replace("dana", "kim");
    project.write(
        ".beads/issues.jsonl",
        &(line("bd-a", "First", 2, "") + &other),
    );
    let seen = project.json(&["list"]);
    project.ok(&["create", "Third"]);
    let text = project.read(".beads/issues.jsonl");
    for title in ["First", "Second", "Third"] {
        assert!(text.contains(title), "{text}");
    }
    assert_eq!(seen.as_array().unwrap().len(), 2);
    assert_eq!(project.shown("bd-a")["title"], "First");
}

#[test]
fn a_union_merge_by_git_keeps_the_changes_of_both_sides() {
    let project = Project::new();
    let run = |args: &[&str]| git(&project, args);
    run(&["init", "-q", "-b", "main"]);
    project.write(".git/info/attributes", ".beads/issues.jsonl merge=union\n");
    project.make("Shared", &["--id", "bd-s"]);
    run(&["add", "-A"]);
    run(&["commit", "-qm", "Base"]);
    run(&["switch", "-qc", "other"]);
    project.ok(&["update", "bd-s", "--add-label", "theirs"]);
    run(&["commit", "-qam", "Theirs"]);
    run(&["switch", "-q", "main"]);
    project.run(&["restore", "--discard"]);
    project.ok(&["update", "bd-s", "--add-label", "ours"]);
    run(&["commit", "-qam", "Ours"]);
    run(&["merge", "-q", "other"]);
    let text = project.read(".beads/issues.jsonl");
    assert_eq!(text.lines().count(), 2, "{text}");
    let ran = project.run(&["update", "bd-s", "-p", "0"]);
    assert!(!ran.err.contains("rolled back"), "{}", ran.err);
    assert_eq!(project.shown("bd-s")["labels"], json!(["ours", "theirs"]));
    assert_eq!(
        fs::read_to_string(project.path(".beads/issues.jsonl"))
            .unwrap()
            .lines()
            .count(),
        1
    );
}

#[test]
fn a_clock_that_was_put_back_makes_no_bead_older() {
    let project = Project::new();
    let ahead = line("bd-a", "Ahead", 2, "").replace("2026-01-02", "2199-01-02");
    project.write(".beads/issues.jsonl", &ahead);
    for args in [
        &["update", "bd-a", "-p", "0"][..],
        &["label", "add", "bd-a", "x"],
        &["close", "bd-a"],
        &["undo"],
    ] {
        project.ok(args);
        let updated = project.shown("bd-a")["updated_at"].clone();
        assert!(
            updated.as_str().unwrap() >= "2199-01-02",
            "{args:?}: {updated}"
        );
    }
}

#[test]
fn an_empty_filter_value_is_an_error_and_not_everything() {
    let project = Project::new();
    project.make("One", &[]);
    for command in [
        "list --label",
        "list --labels",
        "list --label-any",
        "list --exclude-label",
        "list --label-pattern",
        "list --assignee",
        "list --status",
        "list --type",
        "list --priority",
        "list --id",
        "list --title",
        "list --desc-contains",
        "list --parent",
        "search one --assignee",
        "count --label",
        "count --status",
        "export --id",
        "export --parent",
        "ready --label",
        "ready --assignee",
        "ready --type",
        "ready --parent",
        "ready --mol",
        "blocked --parent",
        "stale --status",
        "lint --status",
        "dep tree bd-a --status",
        "find-duplicates --status",
        "activity --mol",
    ] {
        for value in ["", " ", ","] {
            let args: Vec<&str> = command.split(' ').chain([value]).collect();
            let ran = project.run(&args);
            assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{command} {value:?}");
            assert!(
                ran.err.contains("leave the flag out"),
                "{command} {value:?}: {}",
                ran.err
            );
        }
    }
}

#[test]
fn every_unknown_id_of_a_change_is_named() {
    let project = Project::new();
    project.make("One", &["--id", "bd-a"]);
    for command in ["close", "reopen", "defer", "update -p 1", "label add x"] {
        let ids = ["bd-a", "bd-zzz", "bd-yyy"];
        let mut args: Vec<&str> = command.split(' ').collect();
        // `label add` has its label last.
        let at = if command.starts_with("label") {
            2
        } else {
            args.len()
        };
        args.splice(at..at, ids);
        let before = project.read(".beads/issues.jsonl");
        let error = project.fails(&args);
        assert!(
            error.contains("bd-zzz") && error.contains("bd-yyy"),
            "{args:?}: {error}"
        );
        assert_eq!(project.read(".beads/issues.jsonl"), before, "{args:?}");
    }
}

#[test]
fn an_import_takes_what_the_file_of_a_clone_may_hold() {
    let project = Project::new();
    let edge = |to: &str| {
        format!("{{\"issue_id\":\"bd-a\",\"depends_on_id\":\"{to}\",\"type\":\"blocks\"}}")
    };
    let edges = format!(
        ",\"dependencies\":[{},{}]",
        edge("other-xyz"),
        edge("bd-gone")
    );
    let lines = [
        line("bd-a", "Odd", 2, &edges).replace("\"task\"", "\"decision\""),
        line("bd-b", "Odd, too", 2, "").replace("\"open\"", "\"cancelled\""),
        line("bd-c", "Urgent", 2, ",\"priority\":9"),
        "{\"_type\":\"memory\",\"key\":\"build\",\"value\":\"use make\"}\n".to_owned(),
        "{\"_type\":\"config\",\"key\":\"a\"}\n".to_owned(),
    ];
    project.write("in.jsonl", &lines.concat());
    let said = project.run(&["import", "in.jsonl"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for words in [
        "bd-a: invalid issue type: decision; imported unchanged",
        "bd-b: invalid status: cancelled; imported unchanged",
        "bd-c: priority must be between 0 and 4 (got 9); imported unchanged",
        "bd-a depends on bd-gone, which is not here: left out",
        "1 line of the type \"config\": not a bead, left out",
    ] {
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
    assert!(!said.err.contains("other-xyz"), "{}", said.err);
    assert_eq!(project.shown("bd-a")["issue_type"], "decision");
    assert_eq!(project.shown("bd-b")["status"], "cancelled");
    let text = project.read(".beads/issues.jsonl");
    assert!(text.contains("other-xyz"), "{text}");
    assert!(project.ok(&["recall", "build"]).contains("use make"));
    let again = Project::new();
    again.write("in.jsonl", &lines.concat());
    let json = again.json(&["import", "in.jsonl"]);
    assert_eq!(json["left_out"]["edges"][0]["depends_on_id"], "bd-gone");
    assert_eq!(json["left_out"]["lines"]["config"], 1);
    assert_eq!(json["unusual"].as_array().unwrap().len(), 3);
}

#[test]
fn pages_of_issues_and_comments_of_jira_tables_are_imported() {
    let project = Project::new();
    let page = |number: u32| {
        format!("[{{\"number\":{number},\"title\":\"Issue {number}\",\"state\":\"open\"}}]")
    };
    project.write("gh.json", &(page(1) + &page(2) + "\n" + &page(3)));
    assert_eq!(project.json(&["import", "gh.json"])["created"], 3);
    project.write(
        "jira.csv",
        "Issue key,Summary,Status,Created,Comment,Comment\n\
         P-1,One,To Do,2024-01-12 15:45,12/Jan/24 3:50 PM;kim;Looks right; or not,plain\n",
    );
    project.ok(&["import", "jira.csv"]);
    let comments = project.shown("bd-p1")["comments"].clone();
    assert_eq!(comments[1]["author"], "kim", "{comments}");
    assert_eq!(comments[1]["text"], "Looks right; or not");
    assert_eq!(comments[0]["text"], "plain");
}

#[test]
fn the_prefix_is_found_over_all_ids() {
    let project = Project::empty();
    let lines = [
        line("dns-ops-abcd", "Letters only", 2, ""),
        line("dns-ops-cwcx", "Letters only", 2, ""),
        line("dns-ops-x1y", "With a digit", 2, ""),
    ];
    project.write(".beads/issues.jsonl", &lines.concat());
    assert_eq!(project.json(&["init"])["prefix"], "dns-ops");
    let two = Project::empty();
    let lines = [
        line("aa-1", "One", 2, ""),
        line("zz-1", "One", 2, ""),
        line("aa-2", "Two", 2, ""),
    ];
    two.write(".beads/issues.jsonl", &lines.concat());
    assert_eq!(two.json(&["init"])["prefix"], "aa");
}

#[test]
fn init_in_a_sparse_checkout_does_not_hide_the_tracked_beads() {
    let project = Project::new();
    project.make("One", &[]);
    super::recorded_work::commit(&project, "Beads");
    project.write("src/a.txt", "a\n");
    super::recorded_work::commit(&project, "Source");
    git(&project, &["clone", "-q", "--sparse", ".", "clone"]);
    let clone = project.path("clone");
    let run = |args: &[&str]| project.run_in(&clone, args);
    git(&project, &["-C", "clone", "sparse-checkout", "set", "src"]);
    assert!(!clone.join(".beads").exists());
    let refused = run(&["init", "--prefix", "bd"]);
    assert_ne!(refused.code, 0);
    assert!(
        refused.err.contains("git sparse-checkout add .beads"),
        "{}",
        refused.err
    );
    git(
        &project,
        &["-C", "clone", "sparse-checkout", "add", ".beads"],
    );
    assert_eq!(run(&["init", "-q"]).code, 0);
    assert!(run(&["list"]).out.contains("One"));
}

#[test]
fn init_in_a_single_branch_or_older_clone_reads_the_beads_of_the_remote() {
    let project = Project::empty();
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["commit", "-q", "--allow-empty", "-m", "Start"]);
    project.write("branch/.beads/issues.jsonl", &line("web-a1b", "One", 2, ""));
    git(
        &project,
        &["-C", "branch", "init", "-q", "-b", "beads-sync"],
    );
    git(&project, &["-C", "branch", "add", "-A"]);
    git(&project, &["-C", "branch", "commit", "-q", "-m", "Beads"]);
    let push = ["-C", "branch", "push", "-q", "..", "beads-sync"];
    let url = format!("file://{}", project.dir().display());
    git(&project, &["clone", "-q", &url, "older"]);
    git(&project, &push);
    git(&project, &["clone", "-q", "--single-branch", &url, "clone"]);
    for clone in ["clone", "older"].map(|name| project.path(name)) {
        let made = project.run_in(&clone, &["init"]);
        assert_eq!(made.code, 0, "{}", made.err);
        assert!(
            made.out.contains("1 bead read from the branch"),
            "{}",
            made.out
        );
        let list = project.run_in(&clone, &["list", "--json"]);
        assert!(list.out.contains("web-a1b"), "{}", list.out);
    }
}

#[test]
fn a_clone_without_beads_is_told_to_get_them_and_not_to_start_anew() {
    let project = Project::new();
    git(&project, &["init", "-q", "-b", "main"]);
    project.write("src/a", "");
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-q", "-m", "Beads"]);
    let url = format!("file://{}", project.dir().display());
    git(&project, &["clone", "-q", &url, "sparse"]);
    git(&project, &["-C", "sparse", "sparse-checkout", "set", "src"]);
    let sparse = project.path("sparse");
    let said = project.run_in(&sparse, &["list"]);
    assert!(
        said.err.contains("\n  git sparse-checkout add .beads"),
        "{}",
        said.err
    );
    git(
        &project,
        &["-C", "sparse", "sparse-checkout", "add", ".beads"],
    );
    assert_eq!(project.run_in(&sparse, &["list"]).code, 0);

    let origin = Project::empty();
    git(&origin, &["init", "-q", "-b", "main"]);
    git(&origin, &["commit", "-q", "--allow-empty", "-m", "Start"]);
    let url = format!("file://{}", origin.dir().display());
    git(&origin, &["clone", "-q", &url, "clone"]);
    let clone = origin.path("clone");
    let said = origin.run_in(&clone, &["list"]);
    assert!(said.err.contains("\n  git fetch origin\n"), "{}", said.err);
}

#[test]
fn a_tracked_link_is_opened_by_no_way_to_name_it() {
    let project = Project::new();
    git(&project, &["init", "-q", "clone"]);
    let clone = project.path("clone");
    std::os::unix::fs::symlink(project.path(".beads"), clone.join(".beads")).unwrap();
    git(&project, &["-C", "clone", "add", "-f", ".beads"]);
    let words = "it is a symbolic link that the repository tracks";
    let link = clone.join(".beads");
    let database = link.join("beads.db");
    let [link, database] = [&link, &database].map(|path| path.to_str().unwrap());
    let outside = project.path("outside/.beads");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("redirect"), link).unwrap();
    let tries = [
        project.run_with(&[("BEADS_DIR", link)], &["list"]),
        project.run_with(&[("BEADS_DB", database)], &["list"]),
        project.run(&["--db", database, "list"]),
        project.run_in(outside.parent().unwrap(), &["list"]),
    ];
    for (number, ran) in tries.into_iter().enumerate() {
        assert!(
            ran.code != 0 && ran.err.contains(words),
            "{number}: {}",
            ran.err
        );
    }
    let formulas = project.path(".beads/formulas");
    fs::create_dir(project.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(project.path("elsewhere"), &formulas).unwrap();
    git(&project, &["init", "-q"]);
    git(&project, &["add", "-f", ".beads/formulas"]);
    assert!(project.fails(&["formula", "new", "mine"]).contains(words));
    assert_eq!(fs::read_dir(project.path("elsewhere")).unwrap().count(), 0);
}

#[test]
fn an_export_through_a_link_to_nothing_makes_the_file() {
    let project = Project::new();
    let id = project.make("One", &[]);
    std::os::unix::fs::symlink("target.jsonl", project.path("link.jsonl")).unwrap();
    project.ok(&["export", "-o", "link.jsonl"]);
    assert!(project.read("target.jsonl").contains(&id));
    assert!(
        fs::symlink_metadata(project.path("link.jsonl"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn list_elements_of_other_programs_are_imported_and_removed_on_request() {
    let project = Project::new();
    project.write(
        ".beads/issues.jsonl",
        &line("bd-a", "One", 2, r#","labels":["x",5]"#),
    );
    project.write(
        "in.jsonl",
        &line("bd-a", "Two", 3, r#","labels":["x",7],"comments":[8]"#),
    );
    project.ok(&["import", "in.jsonl"]);
    let text = project.read(".beads/issues.jsonl");
    assert!(text.contains(r#""comments":[8]"#), "{text}");
    assert!(text.contains('5') && text.contains(",7"), "{text}");
    project.ok(&["label", "remove", "bd-a", "7"]);
    project.ok(&["label", "remove", "bd-a", "x"]);
    let text = project.read(".beads/issues.jsonl");
    assert!(text.contains(r#""labels":[5]"#), "{text}");
    project.ok(&["update", "bd-a", "--set-labels", ""]);
    let text = project.read(".beads/issues.jsonl");
    assert!(!text.contains("labels") && text.contains("[8]"), "{text}");
}
