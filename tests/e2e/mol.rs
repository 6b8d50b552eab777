//! `gt mol`, `gt formula` and slung formulas.

use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually};

const STEPS: &str = r#"
formula = "three"
on_done = "refuse"
[vars.issue]
required = true
[[steps]]
id = "look"
title = "Look at {{issue}}"
description = "Read\n# all of it"
acceptance = "You have read it."
[[steps]]
id = "make"
title = "Make it"
needs = ["look"]
description = "Write the file."
cycle = false
[[steps]]
id = "check"
title = "Check it"
needs = ["make"]
"#;

fn write_formula(town: &Town, name: &str, text: &str) {
    let folder = town.root().join(".beads/formulas");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.formula.toml")), text).unwrap();
}

/// How many beads of the rig git has.
fn in_git(town: &Town) -> usize {
    let path = town.root().join("web/.beads/issues.jsonl");
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

fn status(town: &Town, target: &str) -> Value {
    town.gt(["mol", "status", target, "--json"]).ok().json()
}

/// The states of the steps of the molecule of a bead.
fn states(town: &Town, target: &str) -> Vec<String> {
    let status = status(town, target);
    let steps = status["molecule"]["steps"].as_array().unwrap();
    steps
        .iter()
        .map(|step| step["state"].as_str().unwrap().to_owned())
        .collect()
}

/// A town with a worker that does nothing by itself and has the steps of `three`: the bead and the
/// worker.
fn with_steps() -> (Town, String, String) {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    write_formula(&town, "three", STEPS);
    let bead = town.bead("web", "Work");
    town.gt(["sling", "three", "--on", &bead, "web"]).ok();
    let name = town.polecats()[0]["name"].as_str().unwrap().to_owned();
    (town, bead, format!("web/{name}"))
}

#[test]
fn the_session_after_a_crash_is_shown_the_next_step() {
    let (town, bead, worker) = with_steps();
    let before = in_git(&town);
    let prime = || town.gt_as(&worker, ["prime"]).ok().out;
    let text = prime();
    for words in [
        "0 of 3 steps done",
        "\"Look at ",
        "~~~\nRead\n# all of it\n~~~",
        "It is done when:\n~~~\nYou have read it.",
        "Next: Make it",
        "> [>] Look at ",
        "> [ ] Check it",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    // A worker may change the steps of its own bead with bd.
    let (_, step) = text.split_once("## Now: step 1 of 3, ").unwrap();
    let step = step.split_whitespace().next().unwrap();
    let begin = ["update", step, "--status", "in_progress"];
    let role = worker.replace('/', "/polecats/");
    town.bd("web", begin).env("GT_ROLE", role).ok();
    let done = town
        .gt_as(&worker, ["mol", "step", "done", "-r", "Read it"])
        .args(["--json"])
        .ok()
        .json();
    assert_eq!(
        (&done["action"], &done["next_step_title"]),
        (&json!("continue"), &json!("Make it"))
    );
    town.gt_as(&worker, ["mol", "step", "done"]).ok();
    assert_eq!(states(&town, &bead), ["done", "done", "current"]);

    town.kill_session(&town.sessions()[0]);
    town.patrol();
    assert_eq!(town.sessions().len(), 1, "the worker is started again");
    let text = prime();
    for words in [
        "2 of 3 steps done",
        "## Now: step 3 of 3",
        "> [x] Make it\n> [>] Check it",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }

    hand_in(&town, &bead, &worker, before);
}

/// The worker hands in: refused while a step is open; then one digest is left.
fn hand_in(town: &Town, bead: &str, worker: &str, before: usize) {
    let sandbox = town.sandbox(worker);
    std::fs::write(sandbox.join("made"), "it").unwrap();
    town.git_at(&sandbox, ["add", "made"]).ok();
    town.git_at(&sandbox, ["commit", "--quiet", "-m", "Make it"])
        .ok();
    let refused = town.gt_as(worker, ["done", "--stay"]);
    let refused = refused.fails("1 step of molecule");
    assert!(refused.err.contains("\"Check it\""), "{}", refused.err);
    assert_eq!(town.status_of("web", bead), "hooked", "nothing has begun");
    town.gt_as(worker, ["mol", "step", "done"]).ok();
    let handed = town
        .gt_as(worker, ["done", "--stay", "-s", "made"])
        .args(["--json"])
        .ok()
        .json();
    let digest = handed["molecule"]["digest"].as_str().unwrap();
    let digest = town.show("web", digest);
    assert_eq!(digest["status"], "closed");
    let text = digest["description"].as_str().unwrap();
    assert!(
        text.contains("**Completed**: 3/3") && text.contains("*Outcome*: Read it"),
        "{text}"
    );
    // Only the request and the entry of the worker's record are new. The wisps are gone, and the
    // digest is a wisp.
    assert_eq!(digest["ephemeral"], true);
    town.bd("web", ["sync"]).ok();
    assert_eq!(in_git(town), before + 2);
    let left = town
        .bd("web", ["mol", "wisp", "list", "--all", "--json"])
        .ok()
        .json();
    let left = left["wisps"].as_array().unwrap().iter();
    let left = left.filter(|wisp| wisp["title"].as_str().unwrap().contains("Check it"));
    assert_eq!(left.count(), 0);
}

#[test]
fn every_slung_bead_gets_the_steps_of_its_rig_unless_disabled() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    town.gate("web", "true");
    let (with, without, broken) = (
        town.bead("web", "A"),
        town.bead("web", "B"),
        town.bead("web", "C"),
    );
    town.gt(["sling", &with, "web"]).ok();
    let title = |bead: &str| status(&town, bead)["molecule"]["title"].clone();
    assert_eq!(title(&with), "mol-polecat-work");
    town.gt(["sling", &without, "web", "--no-molecule"]).ok();
    assert_eq!(title(&without), Value::Null);
    town.set_rig_setting("web", "molecule", json!({"formula": "gone"}));
    town.gt(["sling", &broken, "web"]).ok();
    assert_eq!(title(&broken), Value::Null);
    let skipped = &town.events("molecule_skipped")[0];
    assert!(
        skipped["payload"]["reason"]
            .as_str()
            .unwrap()
            .contains("gone not found as formula"),
        "{skipped}"
    );
}

#[test]
fn open_steps_of_the_default_formula_never_block_gt_done() {
    let worker = Worker::new();
    worker.commit("a");
    let handed = worker.done(["-s", "made"]).args(["--json"]).ok().json();
    assert_eq!(handed["molecule"]["done"], 0);
    let digest = handed["molecule"]["digest"].as_str().unwrap();
    let text = worker.town.show("web", digest)["description"].clone();
    assert!(
        text.as_str().unwrap().contains("**[open]** Understand"),
        "{text}"
    );
    let next = worker
        .town
        .gt(["followup", &worker.bead, "More", "--json"])
        .ok()
        .json();
    let told = worker
        .town
        .gt(["brief", next["bead"].as_str().unwrap()])
        .ok()
        .out;
    // Nothing was marked: "0 of 4 steps done" would read as if nothing had been done.
    assert!(!told.contains("steps done"), "{told}");
}

#[test]
fn attaching_and_detaching_a_molecule_keeps_the_description_of_the_work() {
    let (town, bead, _) = with_steps();
    let described = |town: &Town| {
        let bead = town.show("web", &bead);
        bead["description"].as_str().unwrap().to_owned()
    };
    let text = format!("{}\n\nNew columns\nattached_at: a time", described(&town));
    town.bd("web", ["update", &bead, "--description", &text])
        .ok();
    town.gt(["mol", "detach", &bead]).ok();
    // Only one that lasts is named in the text.
    let formula = town.gt(["mol", "attach", &bead, "three"]);
    formula.fails(&format!("\n  gt sling three --on {bead}"));
    town.gt(["mol", "attach", "web-none1", "three"])
        .fails("web-none1");
    let pour = ["mol", "pour", "three", "--var", "issue=x", "--json"];
    let poured = town.bd("web", pour).ok().json();
    let molecule = poured["new_epic_id"].as_str().unwrap();
    town.gt(["mol", "attach", &bead, molecule]).ok();
    let with = described(&town);
    town.gt(["mol", "detach", &bead]).ok();
    let without = described(&town);
    for (now, count) in [(with, 2), (without, 1)] {
        assert!(now.ends_with("New columns\nattached_at: a time"), "{now}");
        assert_eq!(now.matches("attached_at: ").count(), count, "{now}");
    }
}

#[test]
fn work_with_open_steps_can_be_submitted_and_a_molecule_detached() {
    let (town, bead, worker) = with_steps();
    let taken = town.gt(["mol", "detach", &bead, "--json"]).ok().json();
    let molecule = taken["molecule"].as_str().unwrap().to_owned();
    assert_eq!(status(&town, &bead)["molecule"], Value::Null);
    town.gt(["mol", "attach", &bead, &molecule]).ok();
    assert_eq!(states(&town, &worker), ["ready", "blocked", "blocked"]);
    town.gt(["sling", "shiny", "--on", &bead])
        .fails("has the molecule");
    let progress = town.gt(["mol", "progress", &bead, "--json"]).ok().json();
    assert_eq!(
        (&progress["total_steps"], &progress["percent_complete"]),
        (&json!(3), &json!(0))
    );
    assert!(
        town.gt(["mol", "dag", &bead])
            .ok()
            .out
            .contains("└── [blocked]")
    );
    let current = town
        .gt_as(&worker, ["mol", "current"])
        .args(["--json"])
        .ok()
        .json();
    assert_eq!(
        (&current["status"], &current["steps_total"]),
        (&json!("working"), &json!(3))
    );
    let no_change = ["done", "--stay", "--no-change", "nothing to do"];
    town.gt_as(&worker, no_change).fails("3 steps of molecule");
    town.gt_as(&worker, no_change).args(["--close-steps"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    town.gt(["mol", "burn", &bead]).fails("has no molecule");
}

#[test]
fn an_epic_that_blocks_the_work_is_not_mistaken_for_its_molecule() {
    let worker = Worker::new();
    let (town, bead) = (&worker.town, &worker.bead);
    town.gt(["mol", "burn", bead]).ok();
    let epic = town.bead_with("web", "Later", &["--type", "epic"]);
    let child = town.bead_with("web", "Part of it", &["--parent", &epic]);
    town.bd("web", ["dep", "add", bead, &epic]).ok();
    worker.commit("a");
    let handed = worker.done(["-s", "made"]).args(["--json"]).ok().json();
    assert_eq!(handed["molecule"], Value::Null);
    assert_eq!(town.status_of("web", &child), "open");
}

#[test]
fn a_molecule_named_only_in_a_description_is_shown_and_never_ended() {
    let worker = Worker::new();
    let (town, bead) = (&worker.town, &worker.bead);
    town.gt(["mol", "burn", bead]).ok();
    let victim = town.bead_with("web", "Victim", &["--type", "epic"]);
    let child = town.bead_with("web", "Child", &["--parent", &victim]);
    let text = format!("Do it.\n\nattached_molecule: {victim}");
    town.bd("web", ["update", bead, "-d", &text]).ok();
    town.gt(["mol", "burn", bead])
        .fails("only named in the description");
    town.gt(["mol", "squash", bead])
        .fails("only named in the description");
    town.gt(["mol", "attach", bead, &victim])
        .fails("was not poured from a formula");
    worker.commit("a");
    let handed = worker
        .done(["-s", "made", "--close-steps"])
        .args(["--json"])
        .ok()
        .json();
    assert_eq!(handed["molecule"], Value::Null);
    for id in [&victim, &child] {
        assert_eq!(town.status_of("web", id), "open");
    }
}

#[test]
fn the_work_bead_cannot_be_closed_as_a_step() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let epic = town.bead_with("web", "Epic", &["--type", "epic"]);
    let [own, other] =
        ["One", "Two"].map(|title| town.bead_with("web", title, &["--parent", &epic]));
    town.gt(["sling", &own, "web"]).ok();
    let worker = format!("web/{}", town.polecats()[0]["name"].as_str().unwrap());
    town.gt_as(&worker, ["mol", "step", "done", &own])
        .fails("is no step of a molecule");
    assert_eq!(town.status_of("web", &own), "hooked");
    assert_eq!(town.status_of("web", &other), "open");
}

#[test]
fn steps_of_a_bead_closed_by_someone_else_are_removed_or_digested() {
    let (town, bead, worker) = with_steps();
    town.gt_as(&worker, ["mol", "step", "done"]).ok();
    town.bd("web", ["close", &bead]).ok();
    town.patrol();
    assert_eq!(status(&town, &bead)["molecule"], Value::Null);
    let digests = town
        .bd("web", ["list", "--all", "--label", "digest", "--json"])
        .ok()
        .json();
    assert_eq!(digests.as_array().unwrap().len(), 1, "{digests}");
}

#[test]
fn a_molecule_named_in_a_message_is_attached() {
    let (town, bead, worker) = with_steps();
    let poured = town
        .bd(
            "web",
            ["mol", "wisp", "three", "--var", "issue=x", "--json"],
        )
        .ok()
        .json();
    let molecule = poured["new_epic_id"].as_str().unwrap();
    let body = format!("Please follow this\nmolecule: {molecule}\n");
    town.gt([
        "mail",
        "send",
        &format!("web/polecats/{}", &worker[4..]),
        "-s",
        "Steps",
        "-m",
        &body,
    ])
    .ok();
    let inbox = town
        .gt_as(&worker, ["mail", "inbox"])
        .args(["--json"])
        .ok()
        .json();
    let message = inbox[0]["id"].as_str().unwrap();
    let attached = town
        .gt_as(&worker, ["mol", "attach-from-mail", message])
        .args(["--json"])
        .ok()
        .json();
    assert_eq!(
        (&attached["bead"], &attached["molecule"]),
        (&json!(bead), &json!(molecule))
    );
    assert_eq!(status(&town, &bead)["attached_molecule"], molecule);
    let burned = town.gt(["mol", "burn", &bead, "--json"]).ok().json();
    assert_eq!(burned["beads"], 4);
}

#[test]
fn a_fresh_session_can_follow_after_each_step() {
    let (town, _bead, worker) = with_steps();
    let session = town.sessions()[0].clone();
    let lease = || town.polecats()[0]["lease"].clone();
    let before = lease();
    town.set_rig_setting("web", "molecule", json!({"cycle": true}));
    let done = town
        .gt_as(&worker, ["mol", "step", "done"])
        .args(["--json"])
        .ok()
        .json();
    assert_eq!(done["cycled"], true);
    eventually("a fresh session", || {
        (lease() != before && town.sessions() == [session.clone()]).then_some(())
    });
    let text = town.gt_as(&worker, ["prime"]).ok().out;
    assert!(text.contains("## Now: step 2 of 3"), "{text}");
    // The second step says itself that the session stays.
    let second = town
        .gt_as(&worker, ["mol", "step", "done"])
        .args(["--json"])
        .ok()
        .json();
    assert_eq!(
        (&second["action"], &second["cycled"]),
        (&json!("continue"), &json!(false))
    );
}

#[test]
fn a_sling_that_fails_after_the_pour_can_be_run_again() {
    let (town, _origin) = Town::with_rig();
    write_formula(&town, "three", STEPS);
    let bead = town.bead("web", "Work");
    let sling = ["sling", "three", "--on", &bead, "web"];
    town.set_town_setting("default_agent", json!("gone"));
    town.gt(sling).fails("gone");
    town.script("while :; do sleep 1; done");
    town.set_town_setting("default_agent", json!("worker"));
    town.gt(sling).ok();
    assert_eq!(states(&town, &bead), ["ready", "blocked", "blocked"]);
    let wisps = town
        .bd("web", ["mol", "wisp", "list", "--json"])
        .ok()
        .json();
    let roots = wisps["wisps"].as_array().unwrap().iter();
    assert_eq!(roots.filter(|wisp| wisp["title"] == "three").count(), 1);
}

#[test]
fn a_formula_can_be_slung_as_its_own_work() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    write_formula(
        &town,
        "mol-own",
        &STEPS
            .replace("\"three\"", "\"mol-own\"")
            .replace("required = true", "default = \"it\""),
    );
    let slung = town.gt(["sling", "own", "web", "--json"]).ok().json();
    let root = slung[0]["bead"].as_str().unwrap();
    assert!(root.starts_with("web-mol-"), "{root}");
    assert_eq!(slung[0]["convoy"], Value::Null);
    assert_eq!(town.status_of("web", root), "hooked");
    assert_eq!(states(&town, root), ["ready", "blocked", "blocked"]);
    town.gt(["sling", "web-none", "web", "--var", "a=b"])
        .fails("--var sets a variable of a formula");
}

/// What the worker of a leg, and of the synthesis, does.
const LEG: &str = r#"mkdir -p "$GT_ROOT/../legs"
bd show "$GT_BEAD" > "$GT_ROOT/../legs/$GT_BEAD"
case $(bd show "$GT_BEAD") in *synthesis*|*Synthesis*) ls "$GT_ROOT/../legs" | wc -l > "$GT_ROOT/../seen";; esac
mkdir -p reports
echo "$GT_BEAD" > "reports/$GT_BEAD.md"
git add reports && git commit --quiet -m "Report of $GT_BEAD"
echo found > "$GT_SUMMARY_FILE""#;

/// Four legs and a synthesis.
fn formula_of_legs() -> String {
    let legs: String = ["a", "b", "c", "d"]
        .map(|id| format!("[[legs]]\nid = \"{id}\"\ntitle = \"Leg {id}\"\nfocus = \"{id} of {{{{problem}}}}\"\n"))
        .concat();
    format!(
        "formula = \"look\"\ntype = \"convoy\"\n[inputs.problem]\nrequired = true\n[prompts]\nbase = \"About {{{{problem}}}} to {{{{output}}}}\"\n[output]\ndirectory = \"reports/{{{{run_id}}}}\"\n{legs}[synthesis]\ntitle = \"Synthesis\"\ndescription = \"Bring together\"\n"
    )
}

#[test]
fn a_convoy_formula_runs_parallel_legs_and_then_its_synthesis() {
    let (town, _origin) = Town::with_rig();
    town.script(LEG);
    write_formula(&town, "look", &formula_of_legs());
    town.gt(["formula", "run", "look", "--rig", "web"])
        .fails("missing required variables: problem");
    let dry = [
        "formula",
        "run",
        "look",
        "--rig",
        "web",
        "--var",
        "problem=speed",
        "--dry-run",
        "--json",
    ];
    assert_eq!(
        town.gt(dry).ok().json()["beads"].as_array().unwrap().len(),
        5
    );
    let run = [
        "formula",
        "run",
        "look",
        "--rig",
        "web",
        "--var",
        "problem=speed",
        "--json",
    ];
    let started = town.gt(run).ok().json();
    let legs = started["legs"].as_object().unwrap();
    let synthesis = started["synthesis"].as_str().unwrap();
    let slung = started["slung"].as_array().unwrap();
    let waits = |one: &&Value| !one["waits_for"].as_array().unwrap().is_empty();
    assert_eq!(
        slung.iter().filter(waits).count(),
        1,
        "only the synthesis is queued"
    );
    let leg = town.show("web", legs["a"].as_str().unwrap());
    let text = leg["description"].as_str().unwrap();
    assert!(
        text.contains("About speed to reports/") && text.contains("Focus: a of speed"),
        "{text}"
    );
    town.up();
    town.closed("web", synthesis);
    for leg in legs.values() {
        assert_eq!(town.status_of("web", leg.as_str().unwrap()), "closed");
    }
    let seen = std::fs::read_to_string(town.path("seen")).unwrap();
    assert_eq!(seen.trim(), "5", "the legs had all run");
}
