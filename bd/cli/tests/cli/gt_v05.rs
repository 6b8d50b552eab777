//! Every call of `bd` in the sources of `gt` 0.5.0, by package, with the fields that it reads.
//! `bd-t`, `bd-e` and `bd-polecat-dog` are the task, epic and agent of [`rig`].

use super::Project;
use super::gt_calls::rig;
use super::recorded::check;

/// Runs each line as the wrapper `internal/beads` does.
fn check_wrapped(project: &Project, cases: &[(&str, i32, &str)]) {
    let lines: Vec<String> = cases
        .iter()
        .map(|(line, ..)| format!("--no-daemon --allow-stale {line}"))
        .collect();
    let cases: Vec<(&str, i32, &str)> = lines
        .iter()
        .zip(cases)
        .map(|(line, (_, code, wanted))| (line.as_str(), *code, *wanted))
        .collect();
    check(project, &cases);
}

/// The fields of `beads.Issue` that a list gives.
const ISSUE: &str = r#"[{"id":"bd-t","title":"Task","description":"D","status":"open","priority":2,"issue_type":"task","created_by":"tester"}]"#;

#[test]
fn internal_beads() {
    check_wrapped(
        &rig(),
        &[
            // beads.go: List, ListByAssignee, Ready, ReadyWithType, Show, ShowMultiple, Blocked.
            (
                "list --status=open --label=gt:agent",
                0,
                r#"[{"id":"bd-polecat-dog","labels":["gt:agent"]}]"#,
            ),
            ("list --status=all --priority=2 --parent=bd-e", 0, "[]"),
            ("list --status=open --no-assignee --label=gt:none", 0, "[]"),
            ("ready", 0, r#"[{"id":"bd-e"},{"id":"bd-t"}]"#),
            (
                "ready --label gt:agent -n 100",
                0,
                r#"[{"id":"bd-polecat-dog"}]"#,
            ),
            ("show bd-t", 0, ISSUE),
            ("show bd-t bd-e", 0, r#"[{"id":"bd-t"},{"id":"bd-e"}]"#),
            ("blocked", 0, "[]"),
            // Create, CreateWithID, Update, Close, Release, dependencies.
            (
                "create --title=T --labels=gt:task --priority=1 --description=D --parent=bd-e --ephemeral --actor=mayor",
                0,
                r#"{"title":"T","labels":["gt:task"],"priority":1,"created_by":"mayor"}"#,
            ),
            (
                "create --id=bd-x --force --title=X --labels=gt:task --priority=2 --description=D --actor=mayor",
                0,
                r#"{"id":"bd-x"}"#,
            ),
            (
                "update bd-x --title=Y --status=in_progress --priority=0 --description=E --assignee=dog --set-labels=a --set-labels=b",
                0,
                "✓",
            ),
            ("update bd-x --parent=bd-e", 0, "✓"),
            ("update bd-x --add-label=c --remove-label=a", 0, "✓"),
            (
                "show bd-x",
                0,
                r#"[{"title":"Y","status":"in_progress","priority":0,"description":"E","assignee":"dog","labels":["b","c"],"parent":"bd-e"}]"#,
            ),
            (
                "update bd-x --status=open --assignee= '--notes=Released: died'",
                0,
                "✓",
            ),
            ("dep add bd-x bd-t", 0, "✓"),
            (
                "show bd-x",
                0,
                r#"[{"dependencies":[{"id":"bd-e","dependency_type":"parent-child"},{"id":"bd-t","title":"Task","status":"open","priority":2,"issue_type":"task","dependency_type":"blocks"}]}]"#,
            ),
            ("dep remove bd-x bd-t", 0, "✓"),
            ("close bd-x --session=s", 0, "✓"),
            ("close bd-x --reason=done --session=s", 0, "bd-x"),
            ("sync", 0, "✓"),
            ("sync --from-main", 0, "✓"),
            ("sync --status", 0, "{}"),
            ("stats", 0, "Total Issues"),
        ],
    );
}

#[test]
fn internal_beads_agents_and_registries() {
    check_wrapped(
        &rig(),
        &[
            // beads_agent.go
            (
                "create --id=bd-w --title=W --description=D --type=agent --labels=gt:agent --force --actor=mayor",
                0,
                r#"{"id":"bd-w","issue_type":"agent"}"#,
            ),
            ("close bd-w --reason=gone", 0, "✓"),
            ("reopen bd-w '--reason=re-spawning agent'", 0, "bd-w"),
            ("agent state bd-w idle", 0, "idle"),
            ("slot set bd-w hook bd-t", 0, "✓"),
            ("slot clear bd-w hook", 0, "✓"),
            ("slot set bd-w role bd-e", 0, "✓"),
            (
                "list --label=gt:agent",
                0,
                r#"[{"id":"bd-w"},{"id":"bd-polecat-dog"}]"#,
            ),
            ("delete bd-w --hard --force", 0, "bd-w"),
            // beads_channel.go, beads_queue.go, beads_group.go, beads_rig.go, beads_escalation.go
            (
                "create --id=hq-channel-x --title=X --description=D --type=task --labels=gt:channel --force --actor=mayor",
                0,
                r#"{"id":"hq-channel-x"}"#,
            ),
            (
                "list --label=gt:channel",
                0,
                r#"[{"id":"hq-channel-x","description":"D"}]"#,
            ),
            (
                "list --type=message --label=channel:x --limit=0 --sort=created",
                0,
                "[]",
            ),
            (
                "close hq-channel-x '--reason=channel retention pruning'",
                0,
                "✓",
            ),
            (
                "create --id=bd-q-x --title=X --description=D --type=queue --labels=gt:queue",
                0,
                r#"{"id":"bd-q-x","issue_type":"queue"}"#,
            ),
            (
                "create --id=bd-rig-x --title=X --description=D --labels=gt:rig --force",
                0,
                r#"{"id":"bd-rig-x"}"#,
            ),
            (
                "create --title=E --description=D --type=task --labels=gt:escalation --labels=severity:high",
                0,
                r#"{"labels":["gt:escalation","severity:high"]}"#,
            ),
            (
                "list --label=gt:escalation --label=severity:high --status=open",
                0,
                r#"[{"title":"E"}]"#,
            ),
            (
                "list --label=gt:escalation --status=open",
                0,
                r#"[{"title":"E"}]"#,
            ),
            // beads_dog.go
            (
                "create --role-type=dog --title=Dog --labels=gt:agent,role_type:dog,rig:town --actor=mayor",
                0,
                r#"{"title":"Dog","role_type":"dog","labels":["gt:agent","rig:town","role_type:dog"]}"#,
            ),
            // beads_delegation.go
            (
                r#"slot set bd-t delegated_from '{"parent":"bd-e"}'"#,
                0,
                "✓",
            ),
            (
                "slot get bd-t delegated_from",
                0,
                r#"{"bead":"{\"parent\":\"bd-e\"}"}"#,
            ),
            ("slot clear bd-t delegated_from", 0, "✓"),
            ("slot get bd-t delegated_from", 0, "\n"),
            // beads_merge_slot.go
            (
                "merge-slot create",
                0,
                r#"{"id":"bd-merge-slot","status":"open"}"#,
            ),
            (
                "merge-slot check",
                0,
                r#"{"id":"bd-merge-slot","available":true}"#,
            ),
            (
                "merge-slot acquire --holder=a --wait",
                0,
                r#"{"id":"bd-merge-slot","acquired":true,"holder":"a"}"#,
            ),
            ("merge-slot release --holder=a", 0, r#"{"released":true}"#),
        ],
    );
}

#[test]
fn internal_mail() {
    check(
        &rig(),
        &[
            (
                "create Hello --type message --assignee bd/dog -d Body --priority 1 --labels from:mayor,thread:th-1 --actor mayor",
                0,
                "bd-",
            ),
            (
                "create Again --type message --assignee bd/dog -d Body --priority 2 --labels from:mayor,thread:th-1 --actor mayor --ephemeral",
                0,
                "bd-",
            ),
            (
                "list --type message --assignee bd/dog --status open",
                0,
                r#"[{"title":"Hello","description":"Body","assignee":"bd/dog","priority":1,"status":"open","labels":["from:mayor","thread:th-1"]},{"title":"Again"}]"#,
            ),
            (
                "list --type message --label cc:bd/dog --status hooked",
                0,
                "[]",
            ),
            (
                "message thread th-1",
                0,
                r#"[{"title":"Again"},{"title":"Hello"}]"#,
            ),
            ("message thread th-2", 0, "[]"),
            (
                "list --type=agent --limit=0",
                0,
                r#"[{"id":"bd-polecat-dog","title":"Dog","status":"open","description":"D"}]"#,
            ),
            (
                "list --type=message --labels=announce:x --limit=0 --sort=created --asc",
                0,
                "[]",
            ),
            (
                "list --type message --label announce_channel:x --sort -created --limit 0",
                0,
                "[]",
            ),
            (
                "list --label queue:x --status open --type message --limit 0",
                0,
                "[]",
            ),
            (
                "label add bd-t claimed-by:dog claimed-at:2026-01-01T00:00:00Z",
                0,
                "",
            ),
            ("label remove bd-t claimed-by:dog", 0, ""),
            ("close bd-t", 0, "✓"),
            ("reopen bd-t", 0, "bd-t"),
            ("label add bd-t read", 0, "✓"),
            ("label remove bd-t read", 0, "✓"),
        ],
    );
}

#[test]
fn internal_cmd() {
    check(
        &rig(),
        &[
            // bead.go, cat.go, convoy.go, formula.go, sling_convoy.go
            (
                "create --prefix bd --title X --type task --priority 2 --silent --description D --assignee dog",
                0,
                "bd-",
            ),
            (
                "create --type=convoy --id=hq-cv-abcde --title=C --description=D --force",
                0,
                r#"{"id":"hq-cv-abcde"}"#,
            ),
            ("dep add hq-cv-abcde bd-t --type=tracks", 0, "✓"),
            (
                "list --type=convoy --status=open",
                0,
                r#"[{"id":"hq-cv-abcde","title":"C","status":"open"}]"#,
            ),
            ("list --type=convoy --all", 0, r#"[{"id":"hq-cv-abcde"}]"#),
            (
                "show hq-cv-abcde",
                0,
                r#"[{"title":"C","status":"open","issue_type":"convoy","description":"D","dependencies":[{"id":"bd-t","dependency_type":"tracks"}]}]"#,
            ),
            (
                "close hq-cv-abcde -r 'All tracked issues completed'",
                0,
                "✓",
            ),
            ("update hq-cv-abcde --status=open", 0, "✓"),
            ("comment bd-t 'Failed to sling: x'", 0, ""),
            // costs.go, patrol.go
            (
                "create --ephemeral --type=event --title=S --event-category=session.ended --event-actor=dog --event-payload={} --silent --event-target=bd-t",
                0,
                "bd-",
            ),
            (
                "mol wisp list --all",
                0,
                r#"{"wisps":[{"title":"S","status":"open"}]}"#,
            ),
            (
                "create --type=event --id=bd-ev --title=D --event-category=costs.digest --event-actor=dog --event-target=bd-t --event-payload={} --description=D --silent",
                0,
                "bd-ev",
            ),
            (
                "list --type=event --all --limit=0",
                0,
                r#"[{"title":"D"},{"title":"S"}]"#,
            ),
            (
                "show bd-ev",
                0,
                r#"[{"event_kind":"costs.digest","actor":"dog","target":"bd-t","payload":"{}"}]"#,
            ),
            ("close bd-ev '--reason=daily cost digest'", 0, "✓"),
            ("list --status=closed --label=digest --limit=0", 0, "[]"),
            ("list --type=event --limit=50", 0, r#"[{"title":"S"}]"#),
            ("delete --force bd-ev", 0, "bd-ev"),
            // crew_lifecycle.go, polecat.go, hook.go, release.go, unsling.go
            ("list --assignee=dog --format=id", 0, "bd-"),
            ("update bd-t --status=hooked --assignee=dog", 0, "✓"),
            ("update bd-t --unassign", 0, "✓"),
            ("update bd-t --status=pinned --assignee=dog", 0, "✓"),
            (
                "close bd-polecat-dog '--reason=Crew workspace removed' --session=s",
                0,
                "✓",
            ),
            ("update bd-t --status=open --assignee=", 0, "✓"),
            ("close bd-t --force --reason=replaced --session=s", 0, "✓"),
            // agent_state.go, molecule_await_signal.go
            ("update bd-e --set-labels=idle:1", 0, "✓"),
            ("update bd-e --set-labels=", 0, "✓"),
            ("list --status=in_progress", 0, ""),
            ("list --status=open --tag=escalation", 0, "[]"),
            ("prime", 0, "bd"),
            ("version", 0, "bd version "),
            ("activity --limit 1", 0, "[{}]"),
            // handoff.go
            (
                "create Handoff --type message --assignee dog -d M --priority 2 --labels a,b --actor dog --ephemeral --silent",
                0,
                "bd-",
            ),
        ],
    );
}

#[test]
fn internal_cmd_molecules_gates_and_swarms() {
    let project = rig();
    let formula = "formula = \"mol-work\"\n[vars]\nissue = { required = true }\n[[steps]]\nid = \"one\"\ntitle = \"Do {{issue}}\"\n";
    project.write(".beads/formulas/mol-work.formula.toml", formula);
    let gate = project.json(&["gate", "create", "--blocks", "bd-t", "--type", "human"]);
    let gate = gate["id"].as_str().unwrap();
    project.ok(&["gate", "wait", gate, "--notify", "bd/dog"]);
    let shown = project.json(&["gate", "show", gate]);
    assert_eq!(shown["waiters"][0], "bd/dog", "{shown}");
    check(
        &project,
        &[
            (
                "--no-daemon formula show mol-work --allow-stale",
                0,
                "mol-work",
            ),
            ("formula show mol-work", 0, "{}"),
            ("--no-daemon cook mol-work", 0, ""),
            (
                "--no-daemon mol wisp mol-work --var feature=x --var issue=bd-t",
                0,
                "{}",
            ),
            ("--no-daemon list --status=open --type=epic", 0, "bd-e"),
            ("--no-daemon list --status=in_progress --type=epic", 0, ""),
            ("--no-daemon show bd-e", 0, "Epic"),
            (
                "--no-daemon mol wisp create mol-work --actor witness --var issue=x",
                0,
                "Root issue: bd-",
            ),
            ("mol seed --patrol", 0, ""),
            (
                "create --type=molecule --title=M --description=D --priority=2",
                0,
                "bd-",
            ),
            (
                "create --type=epic --mol-type=swarm --title S --silent",
                0,
                "bd-",
            ),
            ("list --mol-type=swarm --type=epic", 0, r#"[{"title":"S"}]"#),
            (
                "swarm status bd-e",
                0,
                r#"{"epic_id":"bd-e","ready":[],"active":[],"blocked":[],"completed":[],"total_issues":0}"#,
            ),
            ("epic status", 0, ""),
        ],
    );
    let made = project.json(&["mol", "wisp", "mol-work", "--var", "issue=bd-t"]);
    let root = made["new_epic_id"].as_str().unwrap();
    let bonded = project.json(&["--no-daemon", "mol", "bond", root, "bd-t"]);
    assert!(bonded["root_id"].is_string() || bonded["result_id"].is_string());
    let current = project.json(&["--no-daemon", "mol", "current", root]);
    assert_eq!(current[0]["molecule_id"], root, "{current}");
    project.ok(&["mol", "burn", "--force", root]);
}

#[test]
fn other_packages() {
    check(
        &rig(),
        &[
            // witness/handlers.go
            (
                "create --ephemeral --title cleanup:dog --description D --labels cleanup,polecat:dog,state:pending",
                0,
                "bd-",
            ),
            (
                "list --ephemeral --labels polecat:dog,state:pending --status open",
                0,
                r#"[{"title":"cleanup:dog"}]"#,
            ),
            ("update bd-t --labels a,b", 0, "✓"),
            ("show bd-t", 0, r#"[{"labels":["a","b"]}]"#),
            // plugin/recording.go
            (
                "create --ephemeral --title=run -l type:plugin-run -l plugin:x --description=D",
                0,
                r#"{"title":"run","labels":["plugin:x","type:plugin-run"]}"#,
            ),
            (
                "list --all -l type:plugin-run -l plugin:x --limit=1 --created-after=-1h",
                0,
                r#"[{"title":"run"}]"#,
            ),
            // daemon, doctor, install, rig
            ("daemon status", 0, ""),
            ("daemon health", 0, "{}"),
            ("daemon start", 0, ""),
            ("doctor", 0, "{}"),
            ("stats", 0, r#"{"summary":{}}"#),
            ("migrate --update-repo-id --yes", 0, ""),
            ("config set issue_prefix bd", 0, ""),
            ("config set allowed_prefixes hq,hq-cv", 0, ""),
            ("agent heartbeat bd-polecat-dog", 0, ""),
            ("label add bd-t gt:task", 0, "✓"),
        ],
    );
    Project::empty().ok(&["init", "--prefix", "hq"]);
}
