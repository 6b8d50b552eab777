//! The lessons of a failed attempt: `gt done --failed`, a close by hand, and what later workers of
//! the convoy read of it.

use serde_json::Value;
use town_tests::{Town, Worker, eventually};

/// Gives up on each bead whose title says so, with one commit and one uncommitted file; does the
/// others.
const WORK: &str = r#"case "$GT_BEAD_TITLE" in
Impossible*)
    echo half > half.txt && git add half.txt && git commit --quiet -m "Half of it"
    echo more > more.txt
    gt done --failed "Tried the pool of libfoo. It deadlocks under load" $CLOSE
    sleep 600;;
esac
mkdir -p "src/$GT_BEAD" && echo work > "src/$GT_BEAD/f.txt"
cp "$GT_PRIME_FILE" "$GT_ROOT/../scripts/prime-$GT_BEAD"
echo "Made $GT_BEAD. And more of it" > "$GT_SUMMARY_FILE""#;

fn town(close: &str) -> Town {
    let (town, _origin) = Town::with_rig();
    town.script(&WORK.replace("$CLOSE", close));
    town
}

fn convoy(town: &Town, beads: &[&str]) -> String {
    let mut args = vec!["convoy", "create", "C", "--json"];
    args.extend(beads);
    town.gt(args).ok().json()["id"].as_str().unwrap().to_owned()
}

/// Waits until the worker has given up on a bead and its session is gone.
fn given_up(town: &Town, bead: &str) -> Value {
    eventually("the worker has given up", || {
        let told = town.events("attempt_failed");
        told.into_iter()
            .find(|event| event["payload"]["bead"] == bead)
    })["payload"]
        .clone()
}

/// `gt status` and `gt convoy` name a bead whose worker gave up.
fn status_names_the_failure(town: &Town, worker: &str, bead: &str, convoy: &str) {
    let lesson = "Tried the pool of libfoo. It deadlocks under load";
    let status = town.gt(["status"]).ok().out;
    let who = worker.replace('/', "/polecats/");
    let named = format!("! {who} gave up on {bead}: Impossible: failed: {lesson}");
    assert!(status.contains(&named), "{status}");
    assert!(
        status.contains(&format!("gt sling {bead} web\n")),
        "{status}"
    );
    for command in ["show", "status"] {
        let shown = town.gt(["convoy", command, convoy]).ok().out;
        assert!(
            shown.contains(&format!("{who} gave up: {lesson}")),
            "{shown}"
        );
    }
}

#[test]
fn giving_up_keeps_the_work_on_a_rescue_ref_and_the_bead_open() {
    let town = town("");
    let bead = town.bead("web", "Impossible");
    let id = convoy(&town, &[&bead]);
    let worker = town.sling(&bead);
    let told = given_up(&town, &bead);
    town.quiet();
    let shown = town.show("web", &bead);
    assert_eq!(
        (&shown["status"], &shown["assignee"]),
        (&"open".into(), &Value::Null)
    );
    // Commits and files are both there.
    let rescue = told["rescue"].as_str().unwrap();
    let repo = town.root().join("web/.repo.git");
    let git = |args: &[&str]| {
        let at = ["-C", repo.to_str().unwrap()];
        town.program_on_path("git")
            .args(at)
            .args(args.iter().copied())
            .ok()
            .out
    };
    let files = git(&["ls-tree", "--name-only", rescue]);
    assert!(
        files.contains("half.txt") && files.contains("more.txt"),
        "{files}"
    );
    assert!(git(&["log", "--format=%s", rescue]).contains("Half of it"));
    // The worker is free, its record has the failure, and nothing is to be merged.
    let status = town
        .gt(["polecat", "status", &worker, "--json"])
        .ok()
        .json();
    assert_eq!(status["state"], "idle");
    assert_eq!(status["record"][0]["outcome"], "failed");
    assert_eq!(
        town.gt(["mq", "list", "web", "--json"]).ok().json(),
        serde_json::json!([])
    );
    // Someone hears of it, once.
    town.patrol();
    town.patrol();
    let mail = town.mail("overseer");
    let about: Vec<&Value> = mail
        .iter()
        .filter(|one| one["subject"].as_str().unwrap().contains("gave up"))
        .collect();
    assert_eq!(about.len(), 1, "{mail:?}");
    assert!(town.gt(["convoy", "land", &id]).run().code != 0);
    status_names_the_failure(&town, &worker, &bead, &id);
    // The next worker knows what was tried.
    let text = town.gt(["brief", &bead]).ok().out;
    for words in [
        "# What was done on this bead before",
        "failed: Tried the pool of libfoo. It deadlocks under load",
        rescue,
        "Half of it",
        "> half.txt",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn a_failed_attempt_is_a_lasting_lesson_for_its_siblings() {
    let town = town("--close");
    let (one, two) = (town.bead("web", "Impossible"), town.bead("web", "Second"));
    let three = town.bead("web", "Third");
    let id = convoy(&town, &[&one, &two, &three]);
    town.up();
    town.gt(["sling", &one, "web"]).ok();
    let shown = town.closed("web", &one);
    let reason = "Failed: Tried the pool of libfoo. It deadlocks under load";
    assert_eq!(shown["close_reason"], reason);
    let listed = town.gt(["convoy", "show", &id]).ok().out;
    assert!(listed.contains(reason), "{listed}");
    // By hand, too.
    let by_hand = "Failed: the API is gone\nask ops";
    town.bd("web", ["close", &three, "-r", by_hand]).ok();
    town.gt(["sling", &two, "web"]).ok();
    town.closed("web", &two);
    let told = std::fs::read_to_string(town.path(&format!("scripts/prime-{two}"))).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    let text = told["text"].as_str().unwrap();
    let block = text.split("## Prior work in this convoy").nth(1).unwrap();
    let first = block
        .find(&format!("1. \"Impossible\" ({one}) FAILED by "))
        .unwrap();
    let lesson = block.find(&format!("   > {reason}\n")).unwrap();
    let second = block
        .find(&format!("2. \"Third\" ({three}) FAILED\n"))
        .unwrap();
    let other = block
        .find("   > Failed: the API is gone\n   > ask ops\n")
        .unwrap();
    assert!([first, lesson, second, other].is_sorted(), "{block}");
    assert_eq!(block.matches("libfoo").count(), 1, "{block}");
    // After the convoy is closed, `gt brief` shows the lessons that the worker got, and no later
    // ones.
    town.gt(["convoy", "close", &id, "--force", "--reason", "over"])
        .ok();
    let later = town.gt(["brief", &two]).ok().out;
    let later = later
        .split("## Prior work in this convoy")
        .nth(1)
        .unwrap_or(&later);
    assert!(
        later.contains("FAILED by ") && later.contains("> ask ops"),
        "{later}"
    );
    assert!(!later.contains("Made "), "{later}");
}

#[test]
fn siblings_see_the_lesson_before_and_after_another_worker_succeeds() {
    let town = town("");
    let beads = ["Impossible", "Second", "Third"].map(|title| town.bead("web", title));
    let [one, two, three] = &beads;
    convoy(&town, &[one, two, three]);
    town.sling(one);
    given_up(&town, one);
    town.quiet();
    let block = |bead: &str| {
        let text = town.gt(["brief", bead]).ok().out;
        let block = text.split("## Prior work in this convoy").nth(1);
        block.unwrap_or(&text).to_owned()
    };
    let lesson = "Tried the pool of libfoo. It deadlocks under load";
    let open = block(two);
    assert!(open.contains(&format!("({one}) FAILED by ")), "{open}");
    assert!(open.contains(", and it is not done yet\n"), "{open}");
    assert!(open.contains(&format!("   > Failed: {lesson}\n")), "{open}");
    // Another attempt does it.
    town.bd("web", ["update", one, "--title", "Possible"]).ok();
    town.up();
    town.gt(["sling", one, "web"]).ok();
    town.closed("web", one);
    let done = block(three);
    assert!(done.contains(&format!("({one}) completed by ")), "{done}");
    assert!(
        done.contains(&format!("   > Made {one}. And more of it\n")),
        "{done}"
    );
    let earlier = format!("   An earlier attempt failed: {lesson}\n");
    assert!(done.contains(&earlier), "{done}");
    assert_eq!(done.matches("libfoo").count(), 1, "{done}");
}

#[test]
fn giving_up_needs_a_reason_and_excludes_no_change() {
    let worker = Worker::new();
    worker
        .done(["--failed", " "])
        .fails("--failed needs what was tried");
    worker
        .done(["--failed", "x", "--no-change", "y"])
        .fails("cannot be used with");
    worker.done(["--close"]).fails("--failed");
    // Without any commit there is nothing to keep.
    let said = worker.done(["--failed", "no idea", "--json"]).ok().json();
    assert_eq!(said["failed"]["rescue"], Value::Null);
    assert_eq!(worker.shown()["status"], "open");
    // Given again, the mark is gone.
    assert!(
        worker.shown()["labels"]
            .to_string()
            .contains("gt:attempt-failed")
    );
    worker.town.sling(&worker.bead);
    assert!(
        !worker.shown()["labels"]
            .to_string()
            .contains("gt:attempt-failed")
    );
}

#[test]
fn the_overview_groups_more_than_ten_entries_by_folder() {
    let town = town("");
    let beads: Vec<String> = (0..14)
        .map(|n| {
            let bead = town.bead("web", &format!("Bead {n}"));
            let area = if n < 4 { "src/auth" } else { "src/api" };
            let said =
                format!(r#"{{"summary":"Lesson {n} holds. The rest is detail","area":"{area}"}}"#);
            town.bd("web", ["update", &bead, "--metadata", &said]).ok();
            bead
        })
        .collect();
    let names: Vec<&str> = beads.iter().map(String::as_str).collect();
    convoy(&town, &names);
    for (n, bead) in names.iter().enumerate().take(13) {
        let reason = if n == 1 {
            "Failed: the token is never refreshed"
        } else {
            "Closed"
        };
        town.bd("web", ["close", bead, "-r", reason]).ok();
    }
    let text = town.gt(["brief", names[13]]).ok().out;
    let block = text.split("## Prior work in this convoy").nth(1).unwrap();
    assert!(
        block.contains("8 earlier beads were finished, 1 of them failed"),
        "{block}"
    );
    let auth = block
        .lines()
        .find(|line| line.starts_with("> src/auth (4): "))
        .unwrap();
    assert!(
        auth.contains("FAILED \"Failed: the token is never refreshed\"; \"Lesson 3 holds.\"; \"Lesson 2 holds.\""),
        "{auth}"
    );
    assert!(
        block.contains("> src/api (4): \"Lesson 7 holds.\""),
        "{block}"
    );
    assert!(!block.contains("\"Bead 3\""), "{block}");
    assert_eq!(block.matches("   > Lesson").count(), 5, "{block}");
    assert_eq!(town.gt(["brief", names[13]]).ok().out, text);
}
