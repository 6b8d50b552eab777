//! The edge cases of the reference (58 to 80 are in `edge_records.rs`), each in a test named after
//! its number: lines for the real program, the exit code, and what is printed (see `recorded`).
//! Cases that need more than lines are below the table. Cases 81 to 93 are also in `mol.rs`.

use serde_json::{Value, json};

use super::recorded::check;
use super::recorded_work::{commit, git};
use super::{Project, ids};

/// A project with one bead, `bd-a`.
pub(super) fn one() -> Project {
    let project = Project::new();
    project.ok(&["create", "One", "--id", "bd-a", "-d", "D"]);
    project
}

/// A project with the beads `bd-a`, `bd-b` and `bd-c`.
pub(super) fn three() -> Project {
    let project = one();
    for (id, title) in [("bd-b", "Two"), ("bd-c", "Three")] {
        project.ok(&["create", title, "--id", id, "-d", "D"]);
    }
    project
}

/// A project with a prefix.
fn named(prefix: &str) -> Project {
    let project = Project::empty();
    project.ok(&["init", "--prefix", prefix, "-q"]);
    project
}

/// A project that has only a file of records, made from `id`, or `id` and more fields.
pub(super) fn file(records: &[&str]) -> Project {
    let project = Project::empty();
    project.write(".beads/issues.jsonl", &lines(records));
    project
}

pub(super) fn lines(records: &[&str]) -> String {
    let line = |record: &&str| {
        let (id, more) = record.split_once(' ').unwrap_or((record, ""));
        let comma = if more.is_empty() { "" } else { "," };
        format!(
            "{{\"id\":\"{id}\",\"title\":\"T {id}\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"{comma}{more}}}\n"
        )
    };
    records.iter().map(line).collect()
}

macro_rules! edge_cases {
    ($($name:ident: $project:expr => [$(($line:expr, $code:expr, $wanted:expr)),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            check(&$project, &[$(($line, $code, $wanted)),*]);
        }
    )*};
}

edge_cases! {
    edge_9_1_an_unknown_id_is_named: one() => [
        ("show bd-zzz", 1, "no issue found matching \"bd-zzz\""),
        ("update bd-zzz -p 1", 1, "no issue found"),
        ("close bd-zzz", 1, "no issue found"),
        ("comments bd-zzz", 1, "no issue found"),
        ("dep add bd-zzz bd-a", 1, "no issue found"),
        ("dep tree bd-zzz", 1, "no issue found"),
        ("show bd-a bd-zzz", 1, r#"[{"id":"bd-a"}]"#),
    ];
    edge_9_2_show_needs_an_id: one() => [("show", 1, "issue ID is required")];
    edge_9_3_close_and_update_need_an_id_without_a_terminal: Project::new() => [
        ("close", 1, "no issue ID provided"),
        ("create T --id bd-a -d D", 0, "bd-a"),
        ("update -p 1", 1, "no issue ID provided"),
        ("close", 1, "no issue ID provided"),
    ];
    edge_9_4_a_parent_wins_over_its_children: Project::new() => [
        ("create P --id bd-a3f8 -d D", 0, ""),
        ("create C --parent bd-a3f8 -d D", 0, "bd-a3f8.1"),
        ("show a3f8", 0, r#"[{"id":"bd-a3f8"}]"#),
        ("show bd-a3f8", 0, r#"[{"id":"bd-a3f8"}]"#),
    ];
    edge_9_5_an_id_of_another_prefix_keeps_it: named("hq") => [
        ("create T --id aap-4ar --force -d D", 0, "aap-4ar"),
        ("show aap-4ar", 0, r#"[{"id":"aap-4ar"}]"#),
        ("show 4ar", 0, r#"[{"id":"aap-4ar"}]"#),
    ];
    edge_9_6_an_id_without_a_hyphen_is_found_by_its_part: Project::new() => [
        ("create T --id bd-a3f8e9 -d D", 0, ""),
        ("show a3f8e9", 0, r#"[{"id":"bd-a3f8e9"}]"#),
        ("show f8e", 0, r#"[{"id":"bd-a3f8e9"}]"#),
    ];
    edge_9_7_a_deleted_bead_is_not_found: one() => [
        ("delete bd-a --force", 0, "bd-a"),
        ("show bd-a", 1, "no issue found"),
        ("update a -p 1", 1, "no issue found"),
    ];
    edge_9_9_a_child_of_a_hyphenated_prefix_is_of_this_project: named("bead-me-up") => [
        ("create P --id bead-me-up-3e9 -d D", 0, ""),
        ("create C --parent bead-me-up-3e9 -d D", 0, "bead-me-up-3e9.1"),
        ("create C --id bead-me-up-3e9.5 -d D", 0, "bead-me-up-3e9.5"),
    ];
    edge_9_10_an_allowed_prefix_may_have_hyphens: named("gt") => [
        ("create T --id hq-cv-test -d D", 1, "prefix mismatch"),
        ("config set allowed_prefixes hq-cv-", 0, ""),
        ("create T --id hq-cv-test -d D", 0, "hq-cv-test"),
        ("config set allowed_prefixes hq", 0, ""),
        ("create T --id hq-cv-other -d D", 0, "hq-cv-other"),
    ];
    edge_9_11_a_chosen_child_number_raises_the_next: one() => [
        ("create C --id bd-a.7 -d D", 0, "bd-a.7"),
        ("create C --parent bd-a -d D", 0, "bd-a.8"),
        ("delete bd-a.8 --force", 0, ""),
        ("create C --parent bd-a -d D", 0, "bd-a.9"),
    ];
    edge_9_12_the_depth_of_a_hierarchy_is_limited: one() => [
        ("config set hierarchy.max-depth 1", 0, ""),
        ("create C --parent bd-a -d D", 0, "bd-a.1"),
        ("create G --parent bd-a.1 -d D", 1, "maximum hierarchy depth (1) exceeded"),
        ("config set hierarchy.max-depth 2", 0, ""),
        ("create G --parent bd-a.1 -d D", 0, "bd-a.1.1"),
    ];
    edge_9_14_an_id_of_a_deleted_bead_is_used_again: three() => [
        ("update bd-a --add-label x", 0, ""),
        ("comments add bd-a text", 0, ""),
        ("dep add bd-a bd-b", 0, ""),
        ("delete bd-a --force", 0, ""),
        ("create New --id bd-a -d D", 0, ""),
        ("show bd-a", 0, r#"[{"title":"New","labels":null,"comments":null,"dependencies":null}]"#),
    ];
    edge_9_16_a_new_bead_is_checked_first: Project::new() => [
        ("create ''", 1, "title is required"),
        ("create", 1, "title required"),
        ("create T -t nonsense", 1, "invalid issue type"),
        ("create T --priority 99", 1, "invalid priority"),
        ("list --all", 0, "[]"),
    ];
    edge_9_17_two_titles_have_to_agree: Project::new() => [
        ("create A --title A -d D", 0, "Created"),
        ("create A --title B", 1, "\"A\" and \"B\""),
    ];
    edge_9_20_empty_text_clears_a_field: one() => [
        ("update bd-a -a dana --due +1d --defer +2d --design X", 0, ""),
        ("update bd-a --description '' --assignee '' --due '' --defer ''", 0, ""),
        ("show bd-a", 0, r#"[{"description":null,"assignee":null,"due_at":null,"defer_until":null,"design":"X","title":"One"}]"#),
    ];
    edge_9_21_a_wrong_value_changes_no_bead: three() => [
        ("update bd-a bd-b --estimate -5 -p 0", 1, "estimate must be a non-negative"),
        ("update bd-a bd-b --due not-a-date -p 0", 1, "invalid --due format"),
        ("list -p 0", 0, "[]"),
    ];
    edge_9_23_the_first_note_begins_without_a_line_break: one() => [
        ("update bd-a --append-notes first", 0, ""),
        ("show bd-a", 0, r#"[{"notes":"first"}]"#),
        ("update bd-a --append-notes second", 0, ""),
        ("show bd-a", 0, "[{\"notes\":\"first\\nsecond\"}]"),
        ("update bd-a --notes x --append-notes y", 1, "cannot specify both --notes and --append-notes"),
    ];
    edge_9_24_a_status_sets_and_clears_the_closing: one() => [
        ("update bd-a --status closed", 0, ""),
        ("count --closed-after -1d", 0, r#"{"count":1}"#),
        ("update bd-a --status open", 0, ""),
        ("show bd-a", 0, r#"[{"status":"open","closed_at":null,"close_reason":null}]"#),
    ];
    edge_9_25_a_claimed_bead_is_not_claimed_again: one() => [
        ("update bd-a --claim", 0, ""),
        ("update bd-a --claim -p 0 --actor other", 1, "already claimed by tester"),
        ("show bd-a", 0, r#"[{"priority":2,"assignee":"tester","status":"in_progress"}]"#),
    ];
    edge_9_27_types_are_exact_except_for_a_few: Project::new() => [
        ("create T -t BUG", 1, "invalid issue type"),
        ("create T -t Enhancement -d D", 0, r#"{"issue_type":"feature"}"#),
        ("create T -t FEAT -d D", 0, r#"{"issue_type":"feature"}"#),
    ];
    edge_9_28_labels_split_at_commas_outside_quotes: Project::new() => [
        ("create T --id bd-a -d D --labels a,b", 0, ""),
        ("label list bd-a", 0, r#"["a","b"]"#),
        ("create T --id bd-b -d D --labels '\"a,b\"'", 0, ""),
        ("label list bd-b", 0, r#"["a,b"]"#),
    ];
    edge_9_29_a_label_twice_or_not_there_is_no_failure: one() => [
        ("label add bd-a x", 0, ""),
        ("label add bd-a x", 0, ""),
        ("label remove bd-a gone", 0, ""),
        ("update bd-a -p 1", 0, ""),
        ("label list bd-a", 0, r#"["x"]"#),
    ];
    edge_9_30_a_state_may_contain_colons: one() => [
        ("label add bd-a dim:a:b", 0, ""),
        ("state bd-a dim", 0, r#"{"dimension":"dim","value":"a:b"}"#),
        ("state list bd-a", 0, r#"{"states":{"dim":"a:b"}}"#),
    ];
    edge_9_31_an_edge_that_fails_leaves_the_new_bead: Project::new() => [
        ("create T --id bd-a -d D --deps bd-none", 0, "Created issue: bd-a"),
        ("show bd-a", 0, r#"[{"dependencies":null}]"#),
    ];
    edge_9_32_discovered_work_has_its_sources_repository: file(&[r#"bd-a "source_repo":"other""#]) => [
        ("create T --id bd-b -d D --deps discovered-from:bd-a", 0, ""),
        ("show bd-b", 0, r#"[{"source_repo":"other"}]"#),
    ];
    edge_9_33_a_deletion_is_shown_first: one() => [
        ("delete bd-a", 0, "DELETE PREVIEW"),
        ("show bd-a", 0, r#"[{"id":"bd-a"}]"#),
        ("delete", 1, "no issue IDs provided"),
        ("delete bd-zzz --force", 1, "not found"),
    ];
    edge_9_36_only_whole_ids_in_neighbours_are_rewritten: Project::new() => [
        ("create One --id bd-1 -d D", 0, ""),
        ("create Near --id bd-2 -d 'bd-1, bd-10, bd-1.2'", 0, ""),
        ("create Far --id bd-3 -d bd-1", 0, ""),
        ("dep add bd-2 bd-1", 0, ""),
        ("delete bd-1 --force", 0, ""),
        ("show bd-2", 0, r#"[{"description":"[deleted:bd-1], bd-10, bd-1.2"}]"#),
        ("show bd-3", 0, r#"[{"description":"bd-1"}]"#),
    ];
    edge_9_38_nothing_waits_for_itself_or_its_ancestor: one() => [
        ("create C --parent bd-a -d D", 0, "bd-a.1"),
        ("dep add bd-a bd-a", 1, "cannot depend on itself"),
        ("dep add bd-a.1 bd-a", 1, "deadlock"),
        ("dep bd-a --blocks bd-a.1", 1, "deadlock"),
    ];
    edge_9_39_a_circle_is_refused_across_kinds: three() => [
        ("dep add bd-a bd-b", 0, ""),
        ("dep add bd-b bd-c -t discovered-from", 0, ""),
        ("dep add bd-c bd-a -t related", 1, "would create a cycle"),
        ("dep add bd-a bd-c", 0, ""),
        ("dep cycles", 0, "[]"),
        ("dep relate bd-c bd-a", 1, ""),
    ];
    edge_9_40_an_external_target_needs_not_be_there: one() => [
        ("dep add bd-a external:other:login", 0, ""),
        ("dep add bd-a external:other", 1, "external"),
        ("dep cycles", 0, "[]"),
    ];
    edge_9_41_an_edge_that_is_not_there_cannot_be_removed: three() => [
        ("dep remove bd-a bd-b", 1, "dependency from bd-a to bd-b does not exist"),
    ];
    edge_9_42_a_child_points_to_its_parent: Project::new() => [
        ("create E -t epic --id bd-e -d D", 0, ""),
        ("create T --id bd-t -d D", 0, ""),
        ("dep add bd-e bd-t -t parent-child", 1, "invalid parent-child dependency"),
        ("dep add bd-t bd-e -t parent-child", 0, ""),
    ];
    edge_9_44_a_child_with_two_edges_is_listed_once: three() => [
        ("dep add bd-b bd-a -t parent-child", 0, ""),
        ("dep add bd-c bd-a -t parent-child", 0, ""),
        ("update bd-c -p 0", 0, ""),
        ("children bd-a", 0, r#"[{"id":"bd-c"},{"id":"bd-b"}]"#),
        ("list --parent bd-a --pretty", 0, "Total: 2 issues"),
    ];
    edge_9_45_ready_shows_open_work_only: three() => [
        ("update bd-a -s in_progress", 0, ""),
        ("update bd-b -s hooked", 0, ""),
        ("ready", 0, r#"[{"id":"bd-c"}]"#),
        ("defer bd-c", 0, ""),
        ("ready", 0, "[]"),
    ];
    edge_9_46_a_deferred_bead_comes_back: three() => [
        ("update bd-a --defer +1d", 0, ""),
        ("update bd-b --defer 2020-01-01", 0, ""),
        ("close bd-c", 0, ""),
        ("ready", 0, r#"[{"id":"bd-b"}]"#),
        ("count --status open", 0, r#"{"count":2}"#),
        ("ready --include-deferred -s oldest", 0, r#"[{"id":"bd-a"},{"id":"bd-b"}]"#),
    ];
    edge_9_47_what_blocks_a_parent_blocks_all_below: three() => [
        ("create C --parent bd-a -d D", 0, "bd-a.1"),
        ("create G --parent bd-a.1 -d D", 0, "bd-a.1.1"),
        ("dep add bd-a bd-b", 0, ""),
        ("close bd-c", 0, ""),
        ("ready", 0, r#"[{"id":"bd-b"}]"#),
        ("dep remove bd-a.1 bd-a", 0, ""),
        ("ready -s oldest", 0, r#"[{"id":"bd-b"},{"id":"bd-a.1"},{"id":"bd-a.1.1"}]"#),
        ("close bd-b", 0, ""),
        ("count --status open", 0, r#"{"count":3}"#),
        ("ready -s oldest", 0, r#"[{"id":"bd-a"},{"id":"bd-a.1"},{"id":"bd-a.1.1"}]"#),
    ];
    edge_9_48_a_conditional_edge_waits_for_a_failure: three() => [
        ("dep add bd-a bd-b -t conditional-blocks", 0, ""),
        ("ready -t task -s oldest", 0, r#"[{"id":"bd-b"},{"id":"bd-c"}]"#),
        ("close bd-b -r 'All done'", 0, ""),
        ("ready", 0, r#"[{"id":"bd-c"}]"#),
        ("reopen bd-b", 0, ""),
        ("close bd-b -r 'The build FAILED twice'", 0, ""),
        ("ready -s oldest", 0, r#"[{"id":"bd-a"},{"id":"bd-c"}]"#),
    ];
    edge_9_49_waiting_for_children: three() => [
        ("create W --id bd-w -d D --waits-for bd-a", 0, ""),
        ("create V --id bd-v -d D --waits-for bd-b --waits-for-gate any-children", 0, ""),
        ("close bd-c", 0, ""),
        ("ready -s oldest", 0, r#"[{"id":"bd-a"},{"id":"bd-b"},{"id":"bd-w"}]"#),
        ("create C --parent bd-a -d D", 0, "bd-a.1"),
        ("create C --parent bd-b -d D", 0, "bd-b.1"),
        ("close bd-b.1", 0, ""),
        ("ready -s oldest", 0, r#"[{"id":"bd-a"},{"id":"bd-b"},{"id":"bd-v"},{"id":"bd-a.1"}]"#),
        ("close bd-a.1", 0, ""),
        ("ready -s oldest", 0, r#"[{"id":"bd-a"},{"id":"bd-b"},{"id":"bd-w"},{"id":"bd-v"}]"#),
        ("create C --parent bd-a -d D", 0, "bd-a.2"),
        ("ready -s oldest", 0, r#"[{"id":"bd-a"},{"id":"bd-b"},{"id":"bd-v"},{"id":"bd-a.2"}]"#),
    ];
    edge_9_50_unassigned_wins_over_an_assignee: three() => [
        ("update bd-a -a dana", 0, ""),
        ("close bd-c", 0, ""),
        ("ready -a dana", 0, r#"[{"id":"bd-a"}]"#),
        ("ready -a dana --unassigned", 0, r#"[{"id":"bd-b"}]"#),
    ];
    edge_9_51_closing_needs_no_open_blocker: three() => [
        ("create C --parent bd-a -d D", 0, "bd-a.1"),
        ("dep add bd-a bd-b", 0, ""),
        ("close bd-a", 1, "blocked by open issues [bd-b]"),
        ("close bd-a.1", 0, "Closed bd-a.1"),
        ("close bd-a --force", 0, "Closed bd-a"),
    ];
    edge_9_52_blocked_names_the_bead_and_its_blocker: three() => [
        ("blocked", 0, "[]"),
        ("dep add bd-a bd-b", 0, ""),
        ("blocked", 0, r#"[{"id":"bd-a","blocked_by":["bd-b"],"blocked_by_count":1}]"#),
        ("blocked", 0, "bd-a"),
    ];
    edge_9_53_lists_sort_and_read_templates: three() => [
        ("close bd-b", 0, ""),
        ("list --all --sort closed -n 1", 0, r#"[{"id":"bd-b"}]"#),
        ("list --label ' x , x'", 0, "[]"),
        ("list --format '{{.Nope'", 1, "invalid --format"),
    ];
    edge_9_54_all_lifts_the_filter_and_the_limit: three() => [
        ("close bd-b", 0, ""),
        ("list -n 1", 0, r#"[{"id":"bd-c"}]"#),
        ("list --limit 0", 0, r#"[{"id":"bd-c"},{"id":"bd-a"}]"#),
        ("list --all", 0, r#"[{"id":"bd-c"},{"id":"bd-b"},{"id":"bd-a"}]"#),
    ];
    edge_9_55_a_search_needs_words: one() => [
        ("search", 1, "search query is required"),
        ("search --type task", 1, "search query is required"),
    ];
    edge_9_56_a_search_matches_parts_of_ids: Project::new() => [
        ("create T --id bd-x7q9 -d D", 0, ""),
        ("search x7q", 0, r#"[{"id":"bd-x7q9"}]"#),
    ];
    edge_9_57_times_of_filters_are_exclusive: file(&["bd-a"]) => [
        ("list --created-after 2026-01-01T00:00:00Z", 0, "[]"),
        ("list --created-before 2026-01-01T00:00:00Z", 0, "[]"),
        ("list --created-after 2025-12-31 --created-before 2026-01-03", 0, r#"[{"id":"bd-a"}]"#),
    ];
    edge_9_71_a_redirect_that_leads_nowhere_stays_local: {
        let project = one();
        project.write(".beads/redirect", "# nothing\n\n");
        project
    } => [("list", 0, r#"[{"id":"bd-a"}]"#)];
    edge_9_75_mixed_prefixes_are_not_guessed: file(&["ab-1", "cd-2"]) => [
        ("create T", 1, "mixed prefixes"),
        ("create T --id ab-9", 1, "prefix"),
    ];
    edge_9_94_lint_fails_for_people_only: one() => [
        ("create C -t chore --id bd-b -d D", 0, ""),
        ("create B -t bug --id bd-c -d D", 0, ""),
        ("lint bd-b", 0, ""),
        ("lint bd-c", 1, ""),
        ("lint bd-c", 0, r#"{"total":2,"issues":1}"#),
    ];
    edge_9_95_a_setting_is_set_read_listed_and_unset: Project::new() => [
        ("config set custom.key value", 0, "value"),
        ("config get custom.key", 0, r#"{"key":"custom.key","value":"value"}"#),
        ("config list", 0, r#"{"custom.key":"value"}"#),
        ("config unset custom.key", 0, ""),
        ("config get custom.key", 0, "custom.key (not set"),
        ("config list", 0, r#"{"custom.key":null}"#),
    ];
    edge_9_96_version_and_help: Project::empty() => [
        ("version", 0, "bd version "),
        ("help", 0, "Available Commands:"),
        ("help", 0, "Usage:"),
    ];
    edge_9_97_prime_says_nothing_without_a_project: Project::empty() => [("prime", 0, "")];
    edge_9_98_agent_states_are_known: Project::new() => [
        ("agent state bd-x WORKING", 0, r#"{"agent":"bd-x","agent_state":"working"}"#),
        ("agent state bd-x sleeping", 1, "working"),
    ];
    edge_9_99_comments_have_authors: one() => [
        ("comments add bd-zzz text", 1, "no issue found"),
        ("comments add bd-a text --author lee", 0, ""),
        ("comments bd-a", 0, r#"[{"author":"lee","text":"text"}]"#),
    ];
    edge_9_100_several_are_reopened: three() => [
        ("close bd-a bd-b", 0, ""),
        ("reopen bd-a bd-b -r 'Not yet'", 0, "Not yet"),
        ("reopen bd-c", 0, ""),
        ("list", 0, r#"[{"id":"bd-c"},{"id":"bd-b"},{"id":"bd-a"}]"#),
        ("history bd-a", 0, "Not yet"),
    ];
    edge_9_102_other_files_are_no_store: {
        let project = Project::new();
        project.write(".beads/beads.left.jsonl", &lines(&["bd-l"]));
        project.write(".beads/deletions.jsonl", &lines(&["bd-d"]));
        project
    } => [("list --all", 0, "[]")];
}

#[test]
fn edge_9_8_the_prefix_is_read_from_ids() {
    for (id, prefix) in [
        ("hacker-news-ko4", "hacker-news"),
        ("x-bat", "x"),
        ("web-app-a3f8e9", "web-app"),
        ("beads-vscode-1", "beads-vscode"),
        ("vc-baseline-test", "vc"),
        ("bead-me-up-3e9.1.2", "bead-me-up"),
    ] {
        let place = file(&[id]).json(&["where"]);
        assert_eq!(place["prefix"], prefix, "{id}");
    }
}

#[test]
fn edge_9_13_a_missing_parent_is_restored_closed() {
    let project = one();
    project.ok(&["create", "Kid", "--parent", "bd-a", "-d", "D"]);
    project.ok(&["close", "bd-a.1", "bd-a"]);
    // Archived: out of the file, still in history.
    let later = [("BD_NOW", "2099-01-01T00:00:00Z")];
    assert_eq!(
        project
            .run_with(&later, &["compact", "--older-than", "1d"])
            .code,
        0
    );
    assert!(!project.read(".beads/issues.jsonl").contains("bd-a"));
    assert!(
        project
            .fails(&["create", "K", "--parent", "bd-none", "-d", "D"])
            .contains("bd-none not found")
    );
    let kid = project.make("Second", &["--id", "bd-a.1.7", "-d", "D"]);
    assert_eq!(kid, "bd-a.1.7");
    assert_eq!(project.shown("bd-a.1")["status"], "closed");
    assert_eq!(project.shown("bd-a")["status"], "closed");
}

#[test]
fn edge_9_15_the_same_bead_has_the_same_id_everywhere() {
    let make = || {
        let project = Project::new();
        let now = [("BD_NOW", "2026-01-01T00:00:00Z")];
        let args = ["create", "Fix login", "-d", "D", "--silent"];
        let first = project.run_with(&now, &args).out;
        let second = project.run_with(&now, &args).out;
        assert_ne!(first, second);
        (first, second)
    };
    assert_eq!(make(), make());
}

#[test]
fn edge_9_18_a_title_is_limited_in_bytes() {
    let project = Project::new();
    let error = project.fails(&["create", &"漢".repeat(300), "-d", "D"]);
    assert!(
        error.contains("title must be 500 characters or less") || error.contains("1-500"),
        "{error}"
    );
    project.ok(&["create", &"a".repeat(500), "-d", "D"]);
}

#[test]
fn edge_9_19_notes_survive_unchanged() {
    let project = Project::new();
    let notes = "\"quoted\" 'single' \\ back\n\ttab\n\u{1f600} <b>&amp;</b>";
    let id = project.make("T", &["-d", "D", "--notes", notes]);
    assert_eq!(project.shown(&id)["notes"], notes);
}

#[test]
fn edge_9_22_metadata_is_json_or_a_json_file() {
    let project = one();
    let error = project.fails(&["update", "bd-a", "--metadata", "{bad"]);
    assert!(error.contains("invalid JSON in --metadata"), "{error}");
    project.write("meta.json", "{\"k\": 1.50}");
    project.ok(&["update", "bd-a", "--metadata", "@meta.json"]);
    assert!(project.ok(&["show", "bd-a", "--json"]).contains("1.50"));
    project.ok(&["update", "bd-a", "--metadata", "{}"]);
    assert_eq!(project.shown("bd-a")["metadata"], Value::Null);
}

#[test]
fn edge_9_26_types_from_the_settings_file_are_accepted() {
    let project = one();
    project.write(
        ".beads/config.yaml",
        "issue-prefix: bd\ntypes.custom: \"runbook,drill\"\n",
    );
    project.ok(&["create", "R", "-t", "runbook", "-d", "D"]);
    project.ok(&["update", "bd-a", "-t", "drill"]);
    let error = project.fails(&["create", "R", "-t", "nope"]);
    assert!(
        error.contains("runbook") && error.contains("bug"),
        "{error}"
    );
}

#[test]
fn edge_9_34_ids_to_delete_can_be_read_from_a_file() {
    let project = three();
    project.write("ids", "# comment\n\nbd-b\nbd-a\nbd-b\n");
    project.ok(&["delete", "--from-file", "ids", "--force"]);
    assert_eq!(ids(&project.json(&["list"])), ["bd-c"]);
}

#[test]
fn edge_9_35_a_deleted_bead_does_not_come_back() {
    let project = three();
    project.ok(&["export", "-o", "all.jsonl"]);
    project.ok(&["delete", "bd-a", "bd-b", "--force"]);
    project.ok(&["import", "all.jsonl"]);
    project.ok(&["sync"]);
    assert_eq!(ids(&project.json(&["list"])), ["bd-c"]);
}

#[test]
fn edge_9_37_a_tombstone_keeps_the_deleted_fields() {
    let project = Project::new();
    project.ok(&["create", "Bug", "-t", "bug", "--id", "bd-a", "-d", "Why"]);
    project.ok(&["delete", "bd-a", "--force"]);
    project.ok(&["export", "-o", "all.jsonl"]);
    let stone: Value = serde_json::from_str(project.read("all.jsonl").trim()).unwrap();
    assert_eq!(stone["status"], "tombstone");
    assert_eq!(stone["original_type"], "bug");
    assert_eq!(
        (&stone["title"], &stone["description"]),
        (&json!("Bug"), &json!("Why"))
    );
}

#[test]
fn edge_9_43_trees_show_shared_work_once() {
    let project = three();
    project.ok(&["create", "Say \"hi\"", "--id", "bd-d", "-d", "D"]);
    for (from, to) in [
        ("bd-a", "bd-b"),
        ("bd-a", "bd-c"),
        ("bd-b", "bd-d"),
        ("bd-c", "bd-d"),
    ] {
        project.ok(&["dep", "add", from, to]);
    }
    let tree = |more: &[&str]| project.json(&[&["dep", "tree", "bd-a"], more].concat());
    assert_eq!(ids(&tree(&[])), ["bd-a", "bd-b", "bd-c", "bd-d"]);
    assert_eq!(ids(&tree(&["--show-all-paths"])).len(), 5);
    project.ok(&["update", "bd-d", "-s", "in_progress"]);
    let some = tree(&["--status", "in_progress"]);
    assert!(
        ids(&some).contains(&"bd-d") && ids(&some).contains(&"bd-a"),
        "{some}"
    );
    let both = project.json(&["dep", "tree", "bd-b", "--direction", "both"]);
    assert_eq!(
        ids(&both).iter().filter(|id| **id == "bd-b").count(),
        1,
        "{both}"
    );
    let mermaid = project.ok(&["dep", "tree", "bd-a", "--format", "mermaid"]);
    assert!(!mermaid.contains("\"hi\""), "{mermaid}");
    let drawn = project.ok(&["dep", "tree", "bd-a"]);
    assert!(drawn.contains("├── ") && drawn.contains("└── "), "{drawn}");
}

#[test]
fn edge_9_101_long_lines_are_read() {
    let project = Project::new();
    let long = "x".repeat(200_000);
    project.write("long", &long);
    let id = project.make("Long", &["--body-file", "long"]);
    assert_eq!(project.shown(&id)["description"], long.as_str());
}

#[test]
fn edge_9_72_a_symlinked_folder_is_used() {
    let project = one();
    let away = project.path("away");
    std::fs::rename(project.path(".beads"), &away).unwrap();
    std::os::unix::fs::symlink(&away, project.path(".beads")).unwrap();
    check(&project, &[("list", 0, r#"[{"id":"bd-a"}]"#)]);
    project.ok(&["create", "Two", "--id", "bd-b", "-d", "D"]);
    assert!(away.join("issues.jsonl").is_file());
}

#[test]
fn edge_9_73_a_linked_worktree_uses_the_beads_of_the_main_one() {
    let project = one();
    project.ok(&["sync"]);
    std::fs::write(project.path(".gitignore"), ".beads/\n").unwrap();
    commit(&project, "First");
    git(&project, &["worktree", "add", "-q", "../linked"]);
    let linked = project.dir().join("../linked");
    let listed = project.run_in(&linked, &["list", "--json"]);
    assert!(listed.out.contains("bd-a"), "{}{}", listed.out, listed.err);
    let refused = project.run_in(&linked, &["init"]);
    assert!(
        refused.code == 1 && refused.err.contains("worktree"),
        "{}",
        refused.err
    );
}

#[test]
fn edge_9_74_an_explicit_folder_disables_routing_by_prefix() {
    let town = Project::empty();
    for (rig, prefix, id) in [("one", "aa", "aa-x"), ("two", "bb", "bb-y")] {
        let dir = town.path(rig);
        std::fs::create_dir(&dir).unwrap();
        assert_eq!(town.run_in(&dir, &["init", "-p", prefix, "-q"]).code, 0);
        assert_eq!(
            town.run_in(&dir, &["create", "T", "--id", id, "-d", "D"])
                .code,
            0
        );
    }
    town.write("mayor/town.json", "{}");
    let routes = "{\"prefix\":\"aa-\",\"path\":\"one\"}\n{\"prefix\":\"bb-\",\"path\":\"two\"}\n";
    town.write(".beads/routes.jsonl", routes);
    let one = town.path("one/.beads");
    let named = town.run_with(&[("BEADS_DIR", one.to_str().unwrap())], &["show", "bb-y"]);
    assert!(
        named.code == 1 && named.err.contains("no issue found"),
        "{}",
        named.err
    );
    let routed = town.run_in(&town.path("one"), &["show", "bb-y"]);
    assert_eq!(routed.code, 0, "{}", routed.err);
}
