//! `bd list`, `bd search`, `bd count`, `bd children`, `bd stats`.

use serde_json::json;

use super::{Project, ids};

#[test]
fn the_list_shows_open_beads_most_urgent_first() {
    let project = Project::new();
    let low = project.make("Low", &["-p", "3"]);
    let high = project.make("High", &["-p", "0"]);
    let done = project.make("Done", &[]);
    project.ok(&["close", &done]);
    assert_eq!(ids(&project.json(&["list"])), [high.as_str(), low.as_str()]);
    assert_eq!(
        ids(&project.json(&["list", "--status", "closed"])),
        [done.as_str()]
    );
    assert_eq!(
        project
            .json(&["list", "--status=all"])
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        project.json(&["list", "--all"]).as_array().unwrap().len(),
        3
    );
    assert_eq!(
        project
            .json(&["list", "--status", "open,closed"])
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn a_filter_given_twice_adds_up() {
    let project = Project::new();
    let bug = project.make("Bug", &["-t", "bug", "-p", "0"]);
    let task = project.make("Task", &["-p", "1", "--external-ref", "gh-41"]);
    let done = project.make("Done", &["-t", "feature"]);
    project.ok(&["close", &done]);
    let listed = |line: &str| {
        let list = project.json(&line.split(' ').collect::<Vec<_>>());
        let mut found: Vec<String> = ids(&list).into_iter().map(str::to_owned).collect();
        found.sort();
        found
    };
    let sorted = |some: &[&String]| {
        let mut some: Vec<String> = some.iter().map(|id| (*id).clone()).collect();
        some.sort();
        some
    };
    let every = sorted(&[&bug, &task, &done]);
    assert_eq!(listed("list --status open --status closed"), every);
    assert_eq!(listed("list --status all --status open"), every);
    assert_eq!(
        listed("list --type bug --type task"),
        sorted(&[&bug, &task])
    );
    assert_eq!(
        listed("list --priority 0 --priority P1"),
        sorted(&[&bug, &task])
    );
    assert_eq!(listed("ready --type bug,task"), sorted(&[&bug, &task]));
    assert_eq!(listed("list --external-ref gh-*"), sorted(&[&task]));
    assert_eq!(listed("search gh-41"), sorted(&[&task]));
    let error = project.fails(&["list", "--limit", "1", "--limit", "2"]);
    assert!(error.contains("cannot be used multiple times"), "{error}");
    let cut = project.run(&["ready", "--json", "-n", "1"]);
    assert!(cut.err.contains("Showing 1 of 2 issues"), "{}", cut.err);
}

#[test]
fn a_tree_shows_the_parents_that_a_filter_leaves_out() {
    let project = Project::new();
    let top = project.make("Top", &["-t", "epic"]);
    let below = project.make("Below", &["--parent", &top]);
    project.make("Other", &[]);
    let tree = project.ok(&["list", "--tree", "--type", "task", "--id", &below]);
    let drawn = format!("○ {top} [● P2] Top (not in the list)\n└── ○ {below} [● P2] Below\n");
    assert!(tree.starts_with(&drawn), "{tree}");
    assert!(tree.contains("Total: 1 issue"), "{tree}");
    let blocker = project.make("Blocker", &[]);
    project.ok(&["dep", "add", &below, &blocker]);
    let tree = project.ok(&["dep", "tree", &below]);
    assert!(tree.contains("Top [P2] (open) · parent\n"), "{tree}");
    assert!(tree.contains("Blocker [P2] (open)\n"), "{tree}");
    let blocked = project.run(&["list", "--status", "blocked"]);
    assert!(
        blocked.err.contains("1 bead with another status"),
        "{}",
        blocked.err
    );
}

#[test]
fn an_invalid_filter_value_finds_nothing_and_lists_the_valid_ones() {
    let project = Project::new();
    project.make("A", &[]);
    project.ok(&["config", "set", "status.custom", "in_review"]);
    for command in ["list", "search A", "count"] {
        let mut args: Vec<&str> = command.split(' ').collect();
        args.extend(["--status", "opne", "--type", "taks"]);
        let said = project.run(&args).err;
        assert!(
            said.contains("no bead has status `opne` here. Valid statuses: open, in_progress,"),
            "{command}: {said}"
        );
        assert!(said.contains("in_review"), "{command}: {said}");
        assert!(
            said.contains("no bead is of type `taks` here. Valid types: bug,"),
            "{command}: {said}"
        );
    }
    assert_eq!(project.json(&["list", "--status", "opne"]), json!([]));
    let known = project.run(&["list", "--status", "in_review", "--type", "bug"]);
    assert_eq!(known.err, "");
}

#[test]
fn a_sort_order_applies_to_all_beads_before_the_limit() {
    let project = Project::new();
    project.make("C", &["-p", "0"]);
    project.make("A", &["-p", "3"]);
    project.make("B", &["-p", "2"]);
    let titles = |args: &[&str]| -> Vec<String> {
        let list = project.json(args);
        let title = |bead: &serde_json::Value| bead["title"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(title).collect()
    };
    assert_eq!(titles(&["list", "-n", "2"]), ["C", "B"]);
    assert_eq!(titles(&["list", "--sort", "title", "-n", "2"]), ["A", "B"]);
    assert_eq!(titles(&["list", "--reverse", "-n", "1"]), ["A"]);
}

#[test]
fn json_contains_edges_labels_and_counts() {
    let project = Project::new();
    let (a, b) = (project.make("A", &["-l", "x"]), project.make("B", &[]));
    project.ok(&["dep", "add", &a, &b]);
    project.ok(&["comment", &a, "hello"]);
    let list = project.json(&["list", "--sort", "title", "--flat"]);
    assert_eq!(list[0]["dependencies"][0]["depends_on_id"], b.as_str());
    assert_eq!(list[0]["labels"], json!(["x"]));
    for (index, key, wanted) in [
        (0, "dependency_count", 1),
        (0, "comment_count", 1),
        (1, "dependent_count", 1),
        (1, "dependency_count", 0),
    ] {
        assert_eq!(list[index][key], wanted, "{key}");
    }
    assert!(list[0].get("comments").is_none());
}

#[test]
fn filters_narrow_the_list() {
    let project = Project::new();
    let bug = project.make(
        "Login is broken",
        &[
            "-t",
            "bug",
            "-l",
            "auth,ui",
            "-a",
            "dana",
            "-p",
            "1",
            "-d",
            "cannot log in",
        ],
    );
    let task = project.make("Write docs", &["-l", "docs"]);
    for (flags, wanted) in [
        (&["--type", "bug"][..], &bug),
        (&["--label", "auth"], &bug),
        (&["--label", "auth,ui"], &bug),
        (&["--labels", "docs"], &task),
        (&["--tag=docs"], &task),
        (&["--label-any", "docs,none"], &task),
        (&["--label-pattern", "a*h"], &bug),
        (&["--exclude-label", "auth"], &task),
        (&["--exclude-type", "bug"], &task),
        (&["--assignee", "dana"], &bug),
        (&["--no-assignee"], &task),
        (&["--priority", "1"], &bug),
        (&["--priority=P1"], &bug),
        (&["--priority-min", "2"], &task),
        (&["--title", "LOGIN"], &bug),
        (&["--desc-contains", "log in"], &bug),
        (&["--empty-description"], &task),
        (&["--id", &task], &task),
    ] {
        let found = project.json(&[&["list"], flags].concat());
        assert_eq!(ids(&found), [wanted.as_str()], "{flags:?}");
    }
    assert_eq!(project.json(&["list", "--created-after", "+1d"]), json!([]));
    // An age is in the past.
    for age in ["5d", "5d ago", "-5d"] {
        let found = project.json(&["list", "--created-before", age]);
        assert_eq!(found, json!([]), "{age}");
        let found = project.json(&["list", "--updated-after", age]);
        assert_eq!(found.as_array().unwrap().len(), 2, "{age}");
    }
    assert_eq!(
        project
            .json(&["list", "--created-before", "tomorrow"])
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert!(
        project
            .fails(&["list", "--created-after", "soon"])
            .contains("invalid --created-after format")
    );
}

#[test]
fn the_limit_is_shown_and_can_be_lifted() {
    let project = Project::new();
    let lines: Vec<String> = (0..60)
        .map(|number| format!("{{\"id\":\"bd-{number:03}\",\"title\":\"T{number}\",\"priority\":2,\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}"))
        .collect();
    project.write(".beads/issues.jsonl", &lines.join("\n"));
    let ran = project.run(&["list"]);
    assert_eq!(ran.out.lines().count(), 50);
    assert!(ran.err.contains("Showing 50 of 60"), "{}", ran.err);
    assert_eq!(project.ok(&["list", "--limit", "0"]).lines().count(), 60);
    assert_eq!(project.ok(&["list", "-n", "7"]).lines().count(), 7);
    let agent = project.run_with(&[("BD_AGENT_MODE", "1")], &["list"]);
    assert_eq!(agent.out.lines().count(), 20);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let project = Project::new();
    let long = "A very long title ".repeat(12);
    let a = project.make(
        long.trim(),
        &[
            "-l",
            "one,two,three",
            "-a",
            "a/long/name/of/an/agent",
            "-e",
            "5",
        ],
    );
    let b = project.make(long.trim(), &[]);
    project.ok(&["dep", "add", &b, &a]);
    for args in [
        &["list"][..],
        &["ready"],
        &["ready", "--explain"],
        &["blocked"],
        &["list", "--long"],
        &["list", "--tree"],
        &["search", "long"],
        &["dep", "tree", &b],
        &["dep", "list", &b],
    ] {
        let ran = project.run_with(&[("COLUMNS", "80")], args);
        for line in ran.out.lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    }
    assert!(project.ok(&["list"]).contains(long.trim()));
}

#[test]
fn foreign_text_cannot_send_control_characters_to_the_terminal() {
    let project = Project::new();
    let id = project.make(
        "red\u{1b}[31m\u{7}",
        &[
            "-d",
            "a\u{1b}]0;x\u{7}b",
            "-l",
            "l\u{1b}[1m",
            "-a",
            "w\u{1b}[2J",
        ],
    );
    project.ok(&["comment", &id, "c\u{1b}[2J"]);
    for args in [
        &["list"][..],
        &["show", &id],
        &["ready"],
        &["comments", &id],
        &["search", "red"],
        &["list", "--long"],
    ] {
        assert!(!project.ok(args).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn a_search_reports_when_it_hides_further_results() {
    let project = Project::new();
    for title in ["word one", "word two", "word three"] {
        project.make(title, &[]);
    }
    let said = project.ok(&["search", "word", "-n", "2"]);
    assert!(
        said.contains("Found 2 issues matching 'word', and more (-n 0 shows all):"),
        "{said}"
    );
    for all in ["3", "0"] {
        let said = project.ok(&["search", "word", "-n", all]);
        assert!(said.contains("Found 3 issues matching 'word':"), "{said}");
    }
}

#[test]
fn search_finds_words_and_parts_of_ids() {
    let project = Project::new();
    let id = project.make("Fix the Flux", &["-d", "capacitor"]);
    project.ok(&["close", &id]);
    for word in ["flux", "CAPACITOR", &id[4..]] {
        assert_eq!(
            ids(&project.json(&["search", word])),
            [id.as_str()],
            "{word}"
        );
    }
    assert_eq!(project.json(&["search", "nothing"]), json!([]));
    assert!(
        project
            .ok(&["search", "nothing"])
            .contains("No issues found matching 'nothing'")
    );
    assert_eq!(
        project.json(&["search", "flux", "--status", "open"]),
        json!([])
    );
    assert!(
        project
            .fails(&["search"])
            .contains("search query is required")
    );
    assert!(
        project
            .fails(&["search", "--type", "task"])
            .contains("search query is required")
    );
}

#[test]
fn counts_can_be_grouped() {
    let project = Project::new();
    project.make("A", &["-p", "1", "-l", "x,y"]);
    let b = project.make("B", &["-a", "dana"]);
    project.ok(&["close", &b]);
    assert_eq!(project.json(&["count"]), json!({"count": 2}));
    assert_eq!(project.ok(&["count", "--status", "open"]), "1\n");
    assert_eq!(
        project.json(&["count", "--by-assignee"]),
        json!({"total": 2, "groups": [{"group": "(unassigned)", "count": 1}, {"group": "dana", "count": 1}]})
    );
    assert_eq!(
        project.json(&["count", "--by-priority"])["groups"][0]["group"],
        "P1"
    );
    assert_eq!(
        project.json(&["count", "--by-label"])["groups"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(project.run(&["count", "--by-status", "--by-type"]).code, 1);
}

#[test]
fn children_and_trees_are_found_by_parent() {
    let project = Project::new();
    let parent = project.make("Parent", &["-t", "epic"]);
    let (one, two) = (
        project.make("One", &["--parent", &parent]),
        project.make("Two", &["--parent", &parent]),
    );
    project.ok(&["close", &two]);
    assert_eq!(ids(&project.json(&["children", &parent])), [one.as_str()]);
    assert_eq!(
        ids(&project.json(&["list", "--parent", &parent, "--all", "--sort", "id"])),
        [one.as_str(), two.as_str()]
    );
    let tree = project.ok(&["list", "--tree", "--all"]);
    assert!(
        tree.contains("├── ") && tree.contains("└── ") && tree.contains("Total: 3 issues"),
        "{tree}"
    );
}

#[test]
fn stats_count_beads_by_state() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    project.ok(&["dep", "add", &a, &b]);
    let done = project.make("C", &[]);
    project.ok(&["close", &done]);
    let summary = &project.json(&["stats"])["summary"];
    for (key, wanted) in [
        ("total_issues", 3),
        ("open_issues", 2),
        ("closed_issues", 1),
        ("blocked_issues", 1),
        ("ready_issues", 1),
        ("tombstone_issues", 0),
    ] {
        assert_eq!(summary[key], wanted, "{key}");
    }
    assert!(
        project
            .ok(&["status"])
            .contains("  Total Issues:           3")
    );
}

#[test]
fn text_output_shows_only_open_blockers_and_no_town_records() {
    let project = Project::new();
    project.ok(&["config", "set", "types.custom", "agent"]);
    let agent = project.make("An agent", &["-t", "agent"]);
    let first = project.make("First", &[]);
    let second = project.make("Second", &["--deps", &first]);
    let shown = project.ok(&["list"]);
    assert!(shown.contains(&format!("(blocked by: {first})")), "{shown}");
    assert!(!shown.contains(&agent), "{shown}");
    assert!(project.ok(&["list", "--include-infra"]).contains(&agent));
    assert!(
        ids(&project.json(&["list"])).contains(&agent.as_str()),
        "programs get everything"
    );
    project.ok(&["close", &first]);
    let shown = project.ok(&["list"]);
    assert!(
        shown.contains(&second) && !shown.contains("blocked by"),
        "{shown}"
    );
}

#[test]
fn everyday_words_run_the_command_that_they_mean() {
    let project = Project::new();
    project.ok(&["add", "First"]);
    let id = project.json(&["ls"])[0]["id"].as_str().unwrap().to_owned();
    assert!(!project.ok(&["mine"]).contains(&id));
    project.ok(&["take", &id]);
    for args in [
        &["mine"][..],
        &["list", "--mine"],
        &["ls", "--assignee", "me"],
        &["count", "--mine", "--json"],
    ] {
        let shown = project.ok(args);
        assert!(
            shown.contains(&id) || shown.contains('1'),
            "{args:?}: {shown}"
        );
    }
    assert!(
        !project.ok(&["ready", "--mine"]).contains(&id),
        "it is in progress"
    );
    assert!(project.ok(&["log", &id]).contains("First"));
    project.ok(&["--quiet", "rm", &id, "--force"]);
    assert_eq!(project.json(&["ls"]), serde_json::json!([]));
}
