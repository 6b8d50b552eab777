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
        ("assignee bd-1", "Hint: try: bd assign ID NAME"),
        ("open bd-1", "Hint: try: bd show ID, bd reopen ID"),
        ("block bd-1 bd-2", "Hint: try: bd link A B  (A waits for B)"),
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
            "Error: unknown flag: --nosuch\nHint: bd list --help",
        ),
        ("list --stats open", "did you mean --status"),
        ("blocked x", "Error: unexpected argument: x\n"),
        ("bd-1a2", "Hint: try: bd show bd-1a2"),
        ("watch bd-1", "Hint: try: bd show ID --watch"),
        ("dep bd-1 bd-2", "Hint: try: bd dep add A B"),
        ("create Buy honey", "put the title in quotes"),
        ("create x --desc y", "did you mean --description?"),
        ("create x --tag y", "did you mean --label"),
        ("list closed", "bd list --status closed"),
        ("list --me", "did you mean --mine?"),
        ("list --closed", "did you mean --status?"),
        ("create x --assign y", "did you mean --assignee?"),
        ("update bd-1 --state open", "did you mean --status?"),
        ("update bd-1 --name x", "did you mean --title?"),
        ("status bd-1 closed", "bd update ID --status STATUS"),
        ("label new bd-1 x", "Hint: try: bd label add"),
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
        (&["label", &id, "x"], "try: bd label add ID LABEL"),
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
