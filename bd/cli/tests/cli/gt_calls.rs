//! The calls that the Go `gt` makes, and what it reads from each answer: one test per kind of call.

use serde_json::{Value, json};

use super::recorded::check;
use super::{Project, Ran, ids};

/// A project as `gt` sets one up, with an agent, an epic and a task.
pub(super) fn rig() -> Project {
    let project = Project::new();
    let types = "agent,role,rig,convoy,slot,queue,event,message,molecule,gate,merge-request";
    project.ok(&[
        "--no-daemon",
        "--allow-stale",
        "config",
        "set",
        "types.custom",
        types,
    ]);
    for args in [
        &["create", "Epic", "-t", "epic", "--id", "bd-e", "-d", "D"][..],
        &["create", "Task", "--id", "bd-t", "-d", "D"],
        &[
            "create",
            "Dog",
            "--id",
            "bd-polecat-dog",
            "--type=agent",
            "--labels=gt:agent",
            "-d",
            "D",
        ],
    ] {
        project.ok(args);
    }
    project
}

/// Output that `gt` treats as a failure although the exit code is 0.
fn seems_failed(ran: &Ran) -> bool {
    ran.out.is_empty() && !ran.err.is_empty()
}

macro_rules! calls {
    ($($name:ident: [$(($line:expr, $code:expr, $wanted:expr)),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            check(&rig(), &[$(($line, $code, $wanted)),*]);
        }
    )*};
}

calls! {
    gt_config: [
        ("config get types.custom", 0, "agent"),
        ("config get status.custom", 0, "status.custom (not set"),
        ("config set status.custom staged_ready,staged_warnings", 0, ""),
        ("config get status.custom", 0, "staged_ready,staged_warnings"),
        ("config set allowed_prefixes hq,hq-cv", 0, ""),
        ("config set routing.mode explicit", 0, ""),
        ("config get routing.mode", 0, "explicit"),
        ("config set issue_prefix bd", 0, ""),
    ];
    gt_list_filters: [
        ("list --status=open --label=gt:agent", 0, r#"[{"id":"bd-polecat-dog","labels":["gt:agent"]}]"#),
        ("list --type=epic --status=open --limit=0 --all", 0, r#"[{"id":"bd-e"}]"#),
        ("list --status=all --no-assignee --type=task", 0, r#"[{"id":"bd-t"}]"#),
        ("list --parent=bd-e --status=all", 0, "[]"),
        ("list --priority=0", 0, "[]"),
        ("list --desc-contains=nothing", 0, "[]"),
        ("list --labels=gt:agent --sort=created --asc", 0, r#"[{"id":"bd-polecat-dog"}]"#),
        ("list --tag=gt:agent", 0, r#"[{"id":"bd-polecat-dog"}]"#),
        ("list --type=epic --format=id", 0, "bd-e"),
        ("list --type=epic --format=json", 0, "\"id\": \"bd-e\""),
        ("list --include-infra --flat --no-pager --title Task", 0, r#"[{"id":"bd-t"}]"#),
        ("list --type=nothing", 0, "[]"),
        ("list --status=open --type=epic", 0, "bd-e"),
    ];
    gt_show: [
        ("show bd-t --allow-stale", 0, r#"[{"id":"bd-t","description":"D","status":"open","priority":2,"issue_type":"task","created_by":"tester"}]"#),
        ("show bd-gone", 1, "no issue found"),
        ("show bd-e --children", 0, r#"{"bd-e":[]}"#),
        ("show bd-t", 0, "Task"),
    ];
    gt_show_edges: [
        ("dep add bd-e bd-t --type=tracks", 0, "✓"),
        ("show bd-e", 0, r#"[{"dependencies":[{"id":"bd-t","title":"Task","status":"open","dependency_type":"tracks"}]}]"#),
        ("show bd-t", 0, r#"[{"dependents":[{"id":"bd-e","dependency_type":"tracks"}]}]"#),
        ("dep list bd-e --direction=down --type=tracks", 0, r#"[{"id":"bd-t","dependency_type":"tracks"}]"#),
        ("dep list bd-t --direction=up -t tracks", 0, r#"[{"id":"bd-e"}]"#),
        ("dep remove bd-e bd-t", 0, "✓"),
    ];
    gt_ready_and_blocked: [
        ("ready --label gt:nothing -n 100", 0, "[]"),
        ("ready -n 100 --type task", 0, r#"[{"id":"bd-t"}]"#),
        ("dep add bd-t bd-e", 0, ""),
        ("blocked", 0, r#"[{"id":"bd-t","blocked_by":["bd-e"]}]"#),
    ];
    gt_create_beads: [
        ("create --title=T --labels=gt:rig --priority=1 --description=D --actor=mayor", 0, r#"{"title":"T","labels":["gt:rig"],"priority":1,"created_by":"mayor"}"#),
        ("create --id=hq-cv-a1b2c --title=Convoy --type=convoy --description=D --force", 0, r#"{"id":"hq-cv-a1b2c"}"#),
        ("create --id=bd-witness --title=W --type=agent --labels=gt:agent --description=D", 0, r#"{"id":"bd-witness","issue_type":"agent"}"#),
        ("create --title=C --parent=bd-e --description=D", 0, r#"{"id":"bd-e.1"}"#),
        ("create --type=epic --mol-type=swarm --title S --silent", 0, "bd-"),
        ("list --mol-type=swarm --type=epic", 0, r#"[{"title":"S","mol_type":"swarm"}]"#),
        ("create Hello --type message --assignee mayor/ -d Body --priority 1 --labels from:x,thread:y --actor dog", 0, "Created issue: "),
        ("create --ephemeral --title=Wisp --labels=gt:message --description=D -- --help", 1, "cannot specify different titles"),
        ("create --labels=gt:message --description=D -- --help", 0, r#"{"title":"--help"}"#),
        ("create --type=event --event-category=session.cost --event-payload={} --silent --title E", 0, "bd-"),
    ];
    gt_update_close_reopen: [
        ("update bd-t --status=hooked --assignee=dog", 0, "✓ Updated issue: bd-t"),
        ("list --status=hooked --assignee=dog", 0, r#"[{"id":"bd-t"}]"#),
        ("update bd-t --status=pinned", 0, "✓"),
        ("update bd-t --status=open --assignee=", 0, "✓"),
        ("update bd-t --title=New --priority=0 --notes=N --add-label=a --remove-label=b", 0, "✓"),
        ("update bd-t --set-labels=x --set-labels=y", 0, r#"[{"labels":["x","y"]}]"#),
        ("update bd-t --set-labels=", 0, r#"[{"labels":null}]"#),
        ("update bd-t --set-metadata=k=v", 0, r#"[{"metadata":{"k":"v"}}]"#),
        ("update bd-t --unset-metadata=k", 0, r#"[{"metadata":null}]"#),
        ("update bd-t --unassign", 0, "✓"),
        ("update bd-t --parent=bd-e", 0, "✓"),
        ("close bd-t --reason=Done --force --session=s1", 0, "✓ Closed bd-t: Done"),
        ("show bd-t", 0, r#"[{"status":"closed","close_reason":"Done","closed_by_session":"s1"}]"#),
        ("reopen bd-t --reason=Again", 0, "bd-t"),
        ("close bd-t -r Done", 0, "✓"),
    ];
    gt_delete_for_good_and_use_the_id_again: [
        ("delete bd-polecat-dog --hard --force", 0, "bd-polecat-dog"),
        ("create --id=bd-polecat-dog --title=D --type=agent --labels=gt:agent --description=D", 0, r#"{"id":"bd-polecat-dog"}"#),
        ("delete --force bd-polecat-dog bd-t", 0, ""),
    ];
    gt_labels_and_comments: [
        ("label add bd-t read", 0, "✓"),
        ("label add bd-t read", 0, ""),
        ("label remove bd-t read", 0, ""),
        ("comment bd-t text", 0, ""),
        ("comments add bd-t more", 0, ""),
        ("comments bd-t", 0, r#"[{"text":"text"},{"text":"more"}]"#),
    ];
    gt_agents_and_slots: [
        ("agent state bd-polecat-dog working", 0, ""),
        ("agent heartbeat bd-polecat-dog", 0, ""),
        ("show bd-polecat-dog", 0, r#"[{"agent_state":"working"}]"#),
        ("slot set bd-polecat-dog hook bd-t", 0, ""),
        ("slot show bd-polecat-dog", 0, r#"{"agent":"bd-polecat-dog","slots":{"hook":"bd-t"}}"#),
        ("slot set bd-polecat-dog hook bd-e", 1, "hook slot already occupied by bd-t"),
        ("slot clear bd-polecat-dog hook", 0, r#"{"slot":"hook","bead":null}"#),
    ];
    gt_merge_slot: [
        ("merge-slot check", 0, r#"{"available":false,"error":"not found"}"#),
        ("merge-slot create", 0, r#"{"id":"bd-merge-slot","status":"open"}"#),
        ("merge-slot check", 0, r#"{"available":true}"#),
        ("merge-slot acquire --holder a", 0, r#"{"acquired":true,"holder":"a"}"#),
        ("merge-slot acquire --holder b --wait", 0, r#"{"acquired":false,"holder":"a","waiting":true,"position":1}"#),
        ("merge-slot release --holder a", 0, r#"{"released":true,"previous_holder":"a"}"#),
    ];
    gt_swarm: [
        ("create C --parent bd-e -d D", 0, "bd-e.1"),
        ("swarm status bd-e", 0, r#"{"epic_id":"bd-e","ready":[{"id":"bd-e.1"}],"active":[],"blocked":[],"completed":[]}"#),
    ];
    gt_health: [
        ("sync", 0, ""),
        ("sync --status", 0, ""),
        ("stats", 0, r#"{"summary":{"open_issues":3}}"#),
        ("doctor", 0, r#"{"overall_ok":true}"#),
        ("migrate --update-repo-id --yes", 0, ""),
        ("migrate --update-repo-id", 0, ""),
        ("daemon status", 0, ""),
        ("daemon health", 0, ""),
        ("daemon start", 0, ""),
        ("prime", 0, "bd"),
        ("kv set memory.x text", 0, ""),
        ("kv get memory.x", 0, r#"{"key":"memory.x","value":"text","found":true}"#),
        ("kv list", 0, r#"{"memory.x":"text"}"#),
        ("kv clear memory.x", 0, ""),
        ("purge --dry-run", 0, r#"{"purged_count":0}"#),
        ("query 'ephemeral=true AND label=x' --all --limit=5", 0, "[]"),
        ("sql 'SELECT 1'", 1, "bd query"),
    ];
}

#[test]
fn gt_accepts_the_version() {
    let text = Project::empty().ok(&["--allow-stale", "version"]);
    let version = text.strip_prefix("bd version ").unwrap();
    let major: u32 = version.split('.').next().unwrap().parse().unwrap();
    assert!(major >= 1, "{text}");
}

#[test]
fn repeating_the_init_of_gt_is_harmless() {
    let project = Project::empty();
    project.ok(&["init", "--prefix", "gt", "--quiet"]);
    project.make("Kept", &["-d", "D"]);
    let again = project.run(&["init", "--prefix", "gt"]);
    assert!(
        again.code == 0 || again.err.contains("already initialized"),
        "{}",
        again.err
    );
    assert_eq!(project.json(&["list"]).as_array().unwrap().len(), 1);
}

#[test]
fn gt_never_mistakes_a_success_for_a_failure() {
    let project = rig();
    for line in [
        "update bd-t --status=hooked",
        "label add bd-t a",
        "label add bd-t a",
        "dep add bd-t bd-e --type=tracks",
        "slot set bd-polecat-dog hook bd-t",
        "agent state bd-polecat-dog idle",
        "comment bd-t text",
        "sync",
        "close bd-t --reason=x",
        "reopen bd-t",
        "delete bd-t --force",
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let ran = project.run(&[&["--no-daemon", "--allow-stale"], &args[..]].concat());
        assert_eq!(ran.code, 0, "{line}: {}", ran.err);
        assert!(!seems_failed(&ran), "{line}: {}", ran.err);
    }
}

#[test]
fn gt_pours_wisps_and_reads_their_ids() {
    let project = rig();
    let formula = "formula = \"mol-work\"\n[vars]\nissue = { required = true }\n[[steps]]\nid = \"one\"\ntitle = \"Do {{issue}}\"\n";
    project.write(".beads/formulas/mol-work.formula.toml", formula);
    project.ok(&["cook", "mol-work"]);
    let made = project.json(&["mol", "wisp", "mol-work", "--var", "issue=bd-t"]);
    let root = made["new_epic_id"].as_str().unwrap().to_owned();
    let bonded = project.json(&["mol", "bond", &root, "bd-t"]);
    assert!(bonded["result_id"].is_string(), "{bonded}");
    let current = project.json(&["mol", "current", &root]);
    assert_eq!(current[0]["molecule_id"], root.as_str());
    assert_eq!(current[0]["total"], 1);
    let list = project.json(&["mol", "wisp", "list", "--all"]);
    assert_eq!(list["wisps"].as_array().unwrap().len(), 2, "{list}");
    let ready = project.json(&["ready", "--mol", &root, "-n", "100"]);
    assert!(ready["steps"].is_array(), "{ready}");
    let text = project.ok(&[
        "mol",
        "wisp",
        "create",
        "mol-work",
        "--root-only",
        "--actor",
        "dog",
        "--var",
        "issue=x",
    ]);
    assert!(text.contains("Root issue:"), "{text}");
    let formulas = project.json(&["formula", "list"]);
    let mut formulas = formulas.as_array().unwrap().iter();
    assert!(formulas.any(|formula| formula["name"] == "mol-work"));
    project.ok(&["mol", "burn", "--force", &root]);
    project.ok(&["mol", "wisp", "gc"]);
}

#[test]
fn gt_parks_on_a_gate() {
    let project = rig();
    let gate = project.json(&["gate", "create", "--blocks", "bd-t", "--type", "human"]);
    let id = gate["id"].as_str().unwrap();
    project.ok(&["gate", "add-waiter", id, "gastown/dog"]);
    let shown: Value = project.json(&["gate", "show", id]);
    assert_eq!(
        (&shown["id"], &shown["status"], &shown["waiters"]),
        (&json!(id), &json!("open"), &json!(["gastown/dog"]))
    );
    project.ok(&["gate", "resolve", id, "-r", "Decided"]);
    assert_eq!(
        project.json(&["gate", "show", id])["close_reason"],
        "Decided"
    );
    assert_eq!(ids(&project.json(&["gate", "list"])), Vec::<&str>::new());
}
