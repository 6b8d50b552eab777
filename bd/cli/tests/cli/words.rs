//! Everyday words, slips of the keyboard, and the short help.

use super::Project;

/// A command that is not understood prints one error and runs nothing.
fn assert_suggests(line: &str, suggestion: &str) {
    let project = Project::new();
    let args: Vec<&str> = line.split(' ').collect();
    let ran = project.run(&args);
    assert_eq!(ran.code, 1, "{line}: {}", ran.out);
    assert_eq!(ran.out, "", "{line}");
    assert_eq!(ran.err.matches("Error:").count(), 1, "{line}: {}", ran.err);
    assert!(ran.err.contains(suggestion), "{line}: {}", ran.err);
}

#[test]
fn an_unknown_command_suggests_what_it_means_or_looks_like() {
    for (line, suggestion) in [
        ("push", "Hint: try: bd sync --full"),
        ("pull", "Hint: try: bd sync --full"),
        (
            "whoami",
            "Hint: try: bd list --mine, bd --actor NAME COMMAND",
        ),
        ("assignee bd-1", "Hint: try: bd assign bd-1 NAME"),
        ("open bd-1", "Hint: try: bd show bd-1, bd reopen bd-1"),
        (
            "block bd-1 bd-2",
            "Hint: try: bd link bd-1 bd-2  (bd-1 waits for bd-2)",
        ),
        ("start", "Hint: try: bd update --claim"),
        ("resolve", "Hint: try: bd close ID, bd resolve-conflicts"),
        ("lst", "Hint: try: bd list"),
        ("shwo bd-1", "Hint: try: bd show"),
        ("upd bd-1", "Hint: try: bd update"),
        ("frobnicate", "Hint: list the commands with: bd help --all"),
        ("label remov bd-1 x", "Hint: try: bd label remove"),
        (
            "label frobnicate",
            "unknown command \"frobnicate\" for \"bd label\"",
        ),
        (
            "list --nosuch",
            "Error: unknown flag: --nosuch\nHint: usage: bd list [OPTIONS]\n  flags: --",
        ),
        ("list --stats open", "did you mean --status"),
        ("blocked x", "Error: unexpected argument: x\n"),
        ("bd-1a2", "Hint: try: bd show bd-1a2"),
        ("watch bd-1", "Hint: try: bd show bd-1 --watch"),
        (
            "dep bd-1 bd-2",
            "Hint: try: bd dep add bd-1 bd-2  (bd-1 waits for bd-2)",
        ),
        ("create Buy honey", "in quotes: bd create 'Buy honey'\n"),
        (
            "create epic Honey cake",
            "bd create 'Honey cake' --type epic\n",
        ),
        ("create x --desc y", "did you mean --description?"),
        ("create x --tag y", "did you mean --label"),
        ("list closed", "bd list --status closed"),
        ("list --me", "did you mean --mine?"),
        ("create x --assign y", "did you mean --assignee?"),
        ("update bd-1 --state open", "did you mean --status?"),
        ("update bd-1 --name x", "did you mean --title?"),
        (
            "status bd-1 closed",
            "try: bd update bd-1 --status closed\n",
        ),
        ("label new bd-1 x", "Hint: try: bd label add bd-1 x\n"),
        ("due bd-1 friday", "try: bd update bd-1 --due friday\n"),
        ("estimate bd-1 90", "try: bd update bd-1 --estimate 90\n"),
        ("overdue", "try: bd list --overdue\n"),
        ("set priority bd-1 0", "try: bd priority bd-1 0\n"),
        ("issue close bd-1", "try: bd close bd-1\n"),
        ("bd-1 close", "try: bd close bd-1\n"),
        (
            "mv bd-1 --parent none",
            "try: bd update bd-1 --parent none\n",
        ),
        ("unlabel bd-1 x", "try: bd label remove bd-1 x\n"),
        (
            "edit bd-1 --estimate 90",
            "try: bd update bd-1 --estimate 90\n",
        ),
        ("list -o json", "try: bd list --json\n"),
        (
            "list --sort created --desc",
            "\n  bd list --sort created --reverse\n",
        ),
        ("list label:x", "try: bd list --label x\n"),
        ("stats --by label", "try: bd count --by-label\n"),
        (
            "close bd-1 --as duplicate --of bd-2",
            "try: bd duplicate bd-1 --of bd-2\n",
        ),
        ("help dependencies", "try: bd help dep\n"),
        ("merge bd-1 bd-2", "bd duplicate bd-1 --of bd-2\n"),
        (
            "link bd-1 https://a.example",
            "\n  bd update bd-1 --external-ref https://a.example\n",
        ),
        (
            "graph --dot",
            "missing argument: <ID>\nHint: type\n  bd graph --dot --all\n",
        ),
    ] {
        assert_suggests(line, suggestion);
    }
}

#[test]
fn a_field_or_a_title_in_the_place_of_an_id_is_explained() {
    let project = Project::new();
    let id = project.make("Repair the roof", &[]);
    let ran = project.run(&["update", &id, "priority=1"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("--priority 1"), "{}", ran.err);
    let ran = project.run(&["rename", &id, "Repair it"]);
    assert!(ran.err.contains("--title \"Repair it\""), "{}", ran.err);
    assert_eq!(project.shown(&id)["title"], "Repair the roof");
}

#[test]
fn help_as_the_only_argument_is_a_request_except_as_a_text() {
    let project = Project::new();
    let help = project.ok(&["close", "--help"]);
    assert_eq!(project.ok(&["close", "help"]), help);
    assert_eq!(project.ok(&["--help", "close"]), help);
    let help = project.ok(&["create", "--help"]);
    assert_eq!(project.ok(&["--help", "create"]), help);
    assert_eq!(project.ok(&["list"]).trim(), "No issues found");
    project.ok(&["create", "help"]);
    assert!(project.ok(&["list"]).contains("help"));
    assert_eq!(project.ok(&["-v"]), project.ok(&["--version"]));
}

#[test]
fn everyday_words_run_what_they_mean() {
    let project = Project::new();
    let id = project.make("Repair the roof", &[]);
    let id = id.as_str();
    assert!(project.ok(&["find", "roof"]).contains(id));
    let shown = project.ok(&["show", id]);
    assert_eq!(project.ok(&[id]), shown);
    assert_eq!(project.ok(&["describe", "bead", id]), shown);
    assert_eq!(project.ok(&["diff", id]), project.ok(&["history", id]));
    assert_eq!(project.ok(&["list", "--closed"]).trim(), "No issues found");
    let table = project.ok(&["export", "--format", "csv"]);
    let mut rows = table.lines();
    assert!(
        rows.next()
            .unwrap()
            .starts_with("id,title,status,priority,")
    );
    assert!(
        rows.next()
            .unwrap()
            .starts_with(&format!("{id},Repair the roof,open,"))
    );
    assert!(project.ok(&["get", id]).contains("Repair the roof"));
    assert!(project.ok(&["tree", id]).contains(id));
    project.ok(&["claim", id]);
    assert_eq!(project.shown(id)["assignee"], "tester");
    project.ok(&["unassign", id]);
    project.ok(&["update", id, "--status", "open"]);
    project.ok(&["start", id]);
    assert_eq!(project.shown(id)["status"], "in_progress");
    project.ok(&["finish", id]);
    assert_eq!(project.shown(id)["status"], "closed");
    let refused = project.run(&["unclaim", id]);
    assert!(
        refused.err.contains("is closed; reopen it first"),
        "{}",
        refused.err
    );
    assert_eq!(project.shown(id)["status"], "closed");
    project.ok(&["reopen", id]);
    // It keeps its assignee, who may start it again.
    let refused = project.run(&["--actor", "other", "start", id]);
    let line = format!("bd unclaim {id} && bd start {id}");
    assert!(refused.err.contains(&line), "{}", refused.err);
    project.ok(&["--actor", "tester", "start", id]);
    // Who loses a race is not told to take the bead from the winner.
    let refused = project.run(&["--actor", "other", "start", id]);
    assert!(!refused.err.contains("unclaim"), "{}", refused.err);
    assert_eq!(project.shown(id)["status"], "in_progress");
    project.ok(&["unclaim", id]);
    assert_eq!(project.shown(id)["status"], "open");
}

#[test]
fn me_is_the_acting_user_where_a_bead_is_assigned() {
    let project = Project::new();
    let id = project.make("One", &["--assignee", "me"]);
    let assignee = || project.shown(&id)["assignee"].clone();
    assert_eq!(assignee(), "tester");
    project.ok(&["assign", &id, "me", "--actor", "dana"]);
    assert_eq!(assignee(), "dana");
    project.ok(&["update", &id, "--assignee", "me"]);
    assert_eq!(assignee(), "tester");
}

#[test]
fn priorities_are_words_too_and_a_wrong_value_lists_the_right_ones() {
    let project = Project::new();
    let id = project.make("One", &["-p", "high"]);
    assert_eq!(project.shown(&id)["priority"], 1);
    project.ok(&["update", &id, "-p", "critical"]);
    assert!(project.ok(&["list", "-p", "critical"]).contains(&id));
    for (args, valid) in [
        (
            &["create", "x", "-p", "soon"][..],
            "critical, high, medium, low, backlog",
        ),
        (
            &["create", "x", "-t", "foo"],
            "Valid types: bug, feature, task, epic, chore",
        ),
        (
            &["update", &id, "--status", "wip"],
            "wip (here: in_progress). Valid statuses: open, in_progress",
        ),
        (
            &["update", &id, "--status", "done"],
            "invalid status: done (here: closed). Valid",
        ),
        (&["label", &id, "x"], "try: bd label add"),
        (&["update", &id, "-t", "foo"], "Valid types: bug"),
    ] {
        let error = project.fails(args);
        assert!(error.contains(valid), "{args:?}: {error}");
        assert_eq!(error.matches("Error:").count(), 1, "{args:?}: {error}");
    }
}

#[test]
fn help_is_grouped_and_all_lists_every_command() {
    let project = Project::empty();
    let help = project.ok(&["--help"]);
    assert!(help.lines().count() < 60, "{help}");
    for text in [
        "\n  Find work\n    ready        List beads that are ready for work\n",
        "\n  Do work\n",
        "\n  Set up\n",
        "bd help --all",
    ] {
        assert!(help.contains(text), "{text}: {help}");
    }
    for args in [&["help"][..], &["-h"], &[]] {
        assert_eq!(project.ok(args), help, "{args:?}");
    }
    let all = project.ok(&["help", "--all"]);
    assert!(
        all.contains("  find-duplicates ") && all.contains("Global options:"),
        "{all}"
    );
    assert_eq!(project.ok(&["--help", "--all"]), all);
    assert!(project.ok(&["help", "create"]).contains("Usage: bd create"));
}
