//! `gt followup`, and what a worker is told of earlier attempts.

use serde_json::Value;
use town_tests::{Town, eventually};

const WORK: &str = r#"cp "$GT_PRIME_FILE" "$GT_ROOT/../scripts/prime-$GT_BEAD"
echo work > "$GT_BEAD.txt"
git add "$GT_BEAD.txt" && git commit --quiet -m "Make $GT_BEAD.txt"
echo "made $GT_BEAD.txt" > "$GT_SUMMARY_FILE""#;

/// A town in which one bead was merged; and that bead.
fn with_finished_work() -> (Town, String) {
    let (town, _origin) = Town::with_rig();
    town.script(WORK);
    let more = ["--spec-id", "docs/parser.md"];
    let bead = town.bead_with("web", "Write the parser", &more);
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    (town, bead)
}

/// The address of the only worker.
fn address(town: &Town) -> String {
    let name = town.polecats()[0]["name"].as_str().unwrap().to_owned();
    format!("web/polecats/{name}")
}

fn made(town: &Town, args: &[&str]) -> Value {
    let mut all = vec!["followup"];
    all.extend(args);
    all.push("--json");
    town.gt(all).ok().json()
}

fn brief(town: &Town, bead: &Value) -> String {
    let id = bead["bead"].as_str().unwrap();
    town.gt(["brief", id]).ok().out
}

#[test]
fn a_follow_up_shows_the_task_commits_files_and_earlier_requests() {
    let (town, bead) = with_finished_work();
    let first = made(&town, &[&bead, "Handle tabs"]);
    assert_eq!(first["original"], Value::from(bead.as_str()));
    let text = brief(&town, &first);
    for words in [
        &format!("What this follows up: {bead} \"Write the parser\" (closed)"),
        "Do: Write the parser",
        "Its specification: docs/parser.md",
        &format!("Make {bead}.txt"),
        &format!("> {bead}.txt"),
        &format!("> made {bead}.txt"),
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(!text.contains("Asked for before this"), "{text}");

    // One to the worker is one to what it did last; one to a follow-up is one to the original.
    let worker = address(&town);
    let second = made(&town, &[&worker, "Handle comments", "--priority", "1"]);
    assert_eq!(second["original"], Value::from(bead.as_str()));
    let third = made(
        &town,
        &[first["bead"].as_str().unwrap(), "Handle\nall of it"],
    );
    assert_eq!(third["title"], "Handle");
    let text = brief(&town, &third);
    let asked = text.find("Asked for before this, oldest first").unwrap();
    let places = ["> Handle tabs", "> Handle comments"].map(|words| text[asked..].find(words));
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{text}"
    );
    assert_eq!(
        brief(&town, &third),
        text,
        "the same beads make the same bytes"
    );

    // Opened again, it carries what was done itself.
    let before = "# What was done on this bead before";
    assert!(!town.gt(["brief", &bead]).ok().out.contains(before));
    town.bd("web", ["reopen", &bead]).ok();
    let text = town.gt(["brief", &bead]).ok().out;
    for words in [
        before,
        &worker,
        "handed in as ",
        &format!("Make {bead}.txt"),
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn follow_up_on_unrecorded_work_shows_only_its_task_and_molecule() {
    let (town, _origin) = Town::with_rig();
    let steps = town.bead("web", "Run of the release");
    let [done, _open] =
        ["Load", "Test"].map(|step| town.bead_with("web", step, &["--parent", &steps]));
    town.bd("web", ["close", &done]).ok();
    let bead = town.bead("web", "Release");
    let long = format!(
        "attached_molecule: {steps}\n\n{}",
        "Release it.\n".repeat(500)
    );
    town.bd("web", ["update", &bead, "-d", &long]).ok();
    town.bd("web", ["close", &bead]).ok();
    let record = town.show("web", &bead);
    let next = made(&town, &[&bead, "Once more"]);
    let args = ["brief", next["bead"].as_str().unwrap(), "--json"];
    let told = town.gt(args).ok().json();
    let text = told["text"].as_str().unwrap();
    for words in [
        "Release it.\n~~~~\n… (cut: ",
        &format!(
            "Its molecule: {steps} \"Run of the release\", 1 of 2 steps done\n> [x] Load\n> [ ] Test\n"
        ),
    ] {
        let words = words.replace("~~~~", "~~~");
        assert!(text.contains(&words), "{words}\n{text}");
    }
    for heading in ["Its specification", "## What was done", "Asked for before"] {
        assert!(!text.contains(heading), "{heading}\n{text}");
    }
    let parts = told["parts"].as_array().unwrap();
    let part = parts
        .iter()
        .find(|part| part["name"] == "followup")
        .unwrap();
    assert!(part["bytes"].as_u64().unwrap() <= 4096, "{part}");
    let now = town.show("web", &bead);
    assert_eq!(now["metadata"], record["metadata"]);
    assert_eq!(now["updated_at"], record["updated_at"]);
}

#[test]
fn a_follow_up_names_its_worker_and_omits_unreadable_parts() {
    let (town, bead) = with_finished_work();
    let slung = made(&town, &[&bead, "Handle tabs", "--sling"]);
    let id = slung["bead"].as_str().unwrap();
    assert!(
        slung["slung"]["target"]
            .as_str()
            .unwrap()
            .starts_with("web/")
    );
    town.closed("web", id);
    let seen = std::fs::read_to_string(town.path(&format!("scripts/prime-{id}"))).unwrap();
    assert!(
        seen.contains(&format!("What this follows up: {bead}")),
        "{seen}"
    );
    // The rules equal those of the first run, to the letter.
    let rules = |bead: &str| {
        let prime = std::fs::read_to_string(town.path(&format!("scripts/prime-{bead}"))).unwrap();
        let prime: Value = serde_json::from_str(&prime).unwrap();
        let text = prime["text"].as_str().unwrap().to_owned();
        text.split("# Your work").next().unwrap().to_owned()
    };
    assert!(rules(&bead).contains("# Polecat"), "{}", rules(&bead));
    assert_eq!(rules(id), rules(&bead));

    let last = made(&town, &[&bead, "And now"]);
    let repo = town.root().join("web/.repo.git");
    std::fs::rename(&repo, town.root().join("web/gone")).unwrap();
    let text = brief(&town, &last);
    std::fs::rename(town.root().join("web/gone"), &repo).unwrap();
    assert!(
        text.contains("Do: Write the parser") && text.contains("> Handle tabs"),
        "{text}"
    );
    assert!(!text.contains("Commits, oldest first"), "{text}");
    // The receipt has the files.
    assert!(text.contains(&format!("> {bead}.txt")), "{text}");
}

#[test]
fn an_impossible_follow_up_is_refused_with_a_reason() {
    let (town, bead) = with_finished_work();
    town.gt(["followup", &bead, "  "]).fails("needs a prompt");
    town.gt(["followup", "web-nope", "More"]).fails("web-nope");
    let request = town.show("web", &bead)["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|edge| edge["id"].as_str().or(edge["depends_on_id"].as_str()))
        .unwrap()
        .to_owned();
    town.gt(["followup", &request, "More"])
        .fails("a merge request");
}

#[test]
fn a_unique_worker_name_is_enough_to_name_a_worker() {
    let (town, _origin) = Town::with_rig();
    town.script("sleep 600");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let name = worker.split('/').nth(1).unwrap();
    let made = town.gt(["followup", name, "More", "--json"]).ok().json();
    assert_eq!(made["original"], bead.as_str(), "{made}");
    town.gt(["followup", "nobody", "More"])
        .fails("`gt polecat list` shows the workers");
}

#[test]
fn the_next_worker_of_a_reassigned_bead_sees_the_previous_work() {
    let (town, _origin) = Town::with_rig();
    town.script(
        r#"echo half > half.txt
git add half.txt && git commit --quiet -m "Half of it"
echo more > more.txt
touch "$GT_ROOT/../scripts/half-done"
while :; do sleep 1; done"#,
    );
    let bead = town.bead("web", "Work");
    town.gt(["sling", &bead, "web"]).ok();
    eventually("half of it is done", || {
        town.path("scripts/half-done").exists().then_some(())
    });
    let first = address(&town);
    assert!(
        !town
            .gt(["brief", &bead])
            .ok()
            .out
            .contains("What was done on this bead before")
    );
    town.gt(["unsling", &bead]).ok();
    let text = town.gt(["brief", &bead]).ok().out;
    for words in [
        "# What was done on this bead before",
        &format!("- {first} on branch "),
        "taken off its hook by",
        "Its work is kept on refs/gt/rescue/web/polecats/",
        "Half of it",
        "> half.txt",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

/// A town with one bead handed in and not merged, and that bead.
fn with_unmerged_work() -> (Town, String, Value) {
    let (town, _origin) = Town::with_rig();
    town.script(WORK);
    let bead = town.bead("web", "Write the parser");
    town.sling(&bead);
    let request = eventually("it is handed in", || {
        let all = town.gt(["mq", "list", "web", "--json"]).ok().json();
        all.as_array().unwrap().first().cloned()
    });
    town.quiet();
    (town, bead, request)
}

#[test]
fn a_follow_up_to_unmerged_work_starts_at_and_merges_after_it() {
    let (town, bead, request) = with_unmerged_work();
    let own = town.gt(["brief", &bead]).ok().out;
    assert!(own.contains("# The steps, as the worker left them: 0 of"));
    assert!(!own.contains("# Your molecule"), "{own}");
    let made = made(&town, &[&bead, "Handle tabs"]);
    assert_eq!(made["stands_on"]["request"], request["id"]);
    assert_eq!(made["waits_for"], serde_json::json!([]));
    let id = made["bead"].as_str().unwrap();
    let text = town.gt(["brief", id]).ok().out;
    assert!(
        text.contains("is not merged yet (") && text.contains("Do not repeat its commits"),
        "{text}"
    );
    town.script(&format!("test -f {bead}.txt\n{WORK}"));
    let worker = town.sling(id);
    eventually("both are handed in", || {
        let all = town.gt(["mq", "list", "web", "--json"]).ok().json();
        (all.as_array().unwrap().len() == 2).then_some(())
    });
    town.quiet();
    // The receipt has only its own commit, and the request waits for the other.
    let own = town
        .gt(["polecat", "status", &worker, "--json"])
        .ok()
        .json();
    let own = own["record"].as_array().unwrap().last().unwrap()["request"].clone();
    let own = town.show("web", own.as_str().unwrap());
    assert_eq!(
        own["metadata"]["receipt"]["commits"]
            .as_array()
            .unwrap()
            .len(),
        1,
        "{own}"
    );
    assert!(
        own["dependencies"]
            .to_string()
            .contains(request["id"].as_str().unwrap()),
        "{own}"
    );
    for _ in 0..3 {
        town.gt(["mq", "run", "web"]).ok();
    }
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(town.status_of("web", id), "closed");
}

#[test]
fn a_waiting_follow_up_is_queued_until_the_work_is_merged() {
    let (town, bead, _request) = with_unmerged_work();
    let waiting = made(&town, &[&bead, "Handle tabs", "--wait", "--sling"]);
    assert_eq!(waiting["waits_for"], serde_json::json!([bead]));
    assert_eq!(waiting["slung"]["waits_for"], serde_json::json!([bead]));
    // The waiting bead is a follow-up, too.
    let text = brief(&town, &waiting);
    assert!(
        text.contains(&format!("What this follows up: {bead}")),
        "{text}"
    );
    let later = made(&town, &[&bead, "And more"]);
    assert!(brief(&town, &later).contains("> Handle tabs"));
    town.up();
    town.closed("web", waiting["bead"].as_str().unwrap());
}

#[test]
fn a_follow_up_waits_for_work_in_progress_and_describes_failed_attempts() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Write the parser");
    let worker = town.sling(&bead);
    let waiting = made(&town, &[&bead, "Handle tabs"]);
    assert_eq!(waiting["waits_for"], serde_json::json!([bead]));
    std::fs::write(town.sandbox(&worker).join("try.txt"), "try").unwrap();
    let failed = ["done", "--stay", "--failed", "Tried a table. It explodes"];
    town.gt_as(&worker, failed).ok();
    let next = made(&town, &[&bead, "Use descent"]);
    assert_eq!(next["waits_for"], serde_json::json!([]));
    let text = brief(&town, &next);
    for words in [
        "failed: Tried a table. It explodes",
        "Its work is kept on refs/gt/rescue/web/",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn a_chain_shows_each_earlier_change_and_the_submitted_specification() {
    let (town, _origin) = Town::with_rig();
    let with_spec = format!(
        "mkdir -p docs && echo spec > docs/$GT_BEAD.md && git add docs\n{WORK}\ngt done --summary s --spec docs/$GT_BEAD.md; sleep 600"
    );
    town.script(&with_spec);
    let bead = town.bead("web", "Write the parser");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let closed = town.closed("web", &bead);
    assert_eq!(closed["spec_id"], format!("docs/{bead}.md"));
    let first = made(&town, &[&bead, "Handle tabs"]);
    assert!(brief(&town, &first).contains(&format!("Its specification: docs/{bead}.md")));
    town.script(WORK);
    let id = first["bead"].as_str().unwrap();
    town.gt(["sling", id, "web"]).ok();
    town.closed("web", id);
    let second = made(&town, &[&bead, "Handle comments"]);
    let text = brief(&town, &second);
    let asked = &text[text.find("Asked for before this").unwrap()..];
    assert!(
        asked.contains(&format!("Make {id}.txt")) && asked.contains(&format!("> {id}.txt")),
        "{text}"
    );
    assert!(
        text.contains(&format!("Its specification: docs/{bead}.md")),
        "{text}"
    );
}

#[test]
fn a_specification_must_be_a_file_of_the_sandbox() {
    let worker = town_tests::Worker::new();
    worker.commit("spec.md");
    worker
        .done(["--spec", "none.md"])
        .fails("there is no file none.md");
    worker.done(["--spec", "../../x"]).fails("there is no file");
    worker.done(["--spec", "./spec.md", "--summary", "s"]).ok();
    assert_eq!(worker.shown()["spec_id"], "spec.md");
}

#[test]
fn first_runs_and_follow_ups_describe_blocked_patterns_in_the_same_words() {
    let (town, bead) = with_finished_work();
    town.set_rig_setting(
        "web",
        "safety",
        serde_json::json!({ "blocked_patterns": ["rm -rf /", "git push --force"] }),
    );
    let next = made(&town, &[&bead, "More"]);
    let id = next["bead"].as_str().unwrap().to_owned();
    town.gt(["sling", &id, "web"]).ok();
    town.closed("web", &id);
    let told = std::fs::read_to_string(town.path(&format!("scripts/prime-{id}"))).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    let text = told["text"].as_str().unwrap();
    assert!(
        text.contains("# Blocked commands") && text.contains("> rm -rf /\n> git push --force\n"),
        "{text}"
    );
}

#[test]
fn a_follow_up_to_work_on_a_convoy_branch_lands_with_the_convoy() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let made_convoy = [
        "convoy",
        "create",
        "C",
        "--integration",
        "--json",
        &one,
        &two,
    ];
    let convoy = town.gt(made_convoy).ok().json()["id"].clone();
    let convoy = convoy.as_str().unwrap();
    town.up();
    town.gt(["sling", &one, "web"]).ok();
    town.closed("web", &one);
    // Merged to the convoy's branch, and not on the target.
    assert!(
        !origin
            .git(["ls-tree", "--name-only", "main"])
            .contains(&one)
    );
    let made = made(&town, &[&one, "Handle tabs"]);
    assert_eq!(made["convoy"], convoy);
    let id = made["bead"].as_str().unwrap();
    let needed = format!("case \"$GT_BEAD_TITLE\" in Handle*) test -f {one}.txt;; esac\n{WORK}");
    town.script(&needed);
    town.gt(["sling", id, "web"]).ok();
    let closed = town.closed("web", id);
    let reason = closed["close_reason"].as_str().unwrap();
    let branch = format!("Merged to integration/{convoy} in ");
    assert!(reason.starts_with(&branch), "{reason}");
    assert_eq!(
        town.status_of(".", convoy),
        "open",
        "it waits for the other"
    );
    town.gt(["sling", &two, "web"]).ok();
    eventually("it has landed", || {
        (town.status_of(".", convoy) == "closed").then_some(())
    });
    let files = origin.git(["ls-tree", "--name-only", "main"]);
    assert!(files.contains(&one) && files.contains(id), "{files}");
}
