//! Convoys with branches of their own: beads are merged there, and the convoy lands as one commit a
//! rig.

use std::path::Path;

use serde_json::Value;
use town_tests::{Repo, Town, eventually};

/// Notes which documents it sees, writes one of its own without committing it, and does its work.
const WORK: &str = r#"ls .gt/discovery > "$GT_ROOT/../scripts/seen-$GT_BEAD" 2> /dev/null || :
mkdir -p .gt/discovery
echo "found by $GT_BEAD" > ".gt/discovery/$GT_BEAD.md"
echo work > "$GT_BEAD.txt"
echo "did $GT_BEAD" > "$GT_SUMMARY_FILE""#;

fn make_convoy(town: &Town, beads: &[&str]) -> String {
    let mut args = vec!["convoy", "create", "All of it", "--integration", "--json"];
    args.extend(["--owner", "mayor/"]);
    args.extend(beads);
    let made = town.gt(args).ok().json();
    made["id"].as_str().unwrap().to_owned()
}

fn status(town: &Town, convoy: &str) -> Value {
    town.gt(["convoy", "status", convoy, "--json"]).ok().json()[0].clone()
}

fn landed(town: &Town, convoy: &str) {
    eventually(
        &format!("the convoy has landed: {}", status(town, convoy)),
        || (town.status_of(".", convoy) == "closed").then_some(()),
    );
}

fn branches(origin: &Repo) -> String {
    origin.git(["branch", "--list", "--format=%(refname:short)"])
}

/// Lets an origin refuse every push to `main`.
fn protect(origin: &Repo) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let hook = origin.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let body = "#!/bin/sh\nwhile read old new ref; do\n\
                [ \"$ref\" != refs/heads/main ] || { echo 'main is protected here' >&2; exit 1; }\ndone\n";
    std::fs::write(&hook, body).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    hook
}

/// A convoy with branches of its own in the rigs `api` and `web`, its work handed in: the town, the
/// origins, the beads, the convoy.
fn in_two_rigs() -> (Town, [Repo; 2], [String; 2], String) {
    let town = Town::new();
    let origins = [town.add_rig("api", "ap"), town.add_rig("web", "web")];
    town.script(WORK);
    let beads = [town.bead("api", "One"), town.bead("web", "Two")];
    let convoy = make_convoy(&town, &[&beads[0], &beads[1]]);
    for (bead, rig) in beads.iter().zip(["api", "web"]) {
        town.gt(["sling", bead, rig]).ok();
        eventually("the work is handed in", || {
            (town.status_of(rig, bead) == "in_progress").then_some(())
        });
    }
    town.quiet();
    (town, origins, beads, convoy)
}

#[test]
fn a_convoy_branch_lands_as_one_commit_without_its_documents() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let three = town.bead_with("web", "Three", &["--deps", &format!("{one},{two}")]);
    let convoy = make_convoy(&town, &[&one, &two, &three]);
    let branch = format!("integration/{convoy}");
    town.up();
    town.gt(["sling", &one, &two, &three, "web"]).ok();
    for bead in [&one, &two] {
        town.closed("web", bead);
    }
    // On the convoy's branch, documents too; nothing on the target.
    assert_eq!(origin.file(&branch, &format!("{one}.txt")), "work");
    let document = format!(".gt/discovery/{one}.md");
    assert_eq!(origin.file(&branch, &document), format!("found by {one}"));
    landed(&town, &convoy);
    assert_eq!(origin.subjects("main"), ["All of it"], "one commit");
    let files = origin.git(["log", "--format=", "--name-only", "main"]);
    assert!(!files.contains(".gt"), "{files}");
    for bead in [&one, &two, &three] {
        assert!(files.contains(&format!("{bead}.txt")), "{files}");
        let reason = town.show("web", bead)["close_reason"].clone();
        let merged = format!("Merged to {branch} in ");
        assert!(reason.as_str().unwrap().starts_with(&merged), "{reason}");
    }
    let message = origin.git(["log", "-1", "--format=%B", "main"]);
    assert!(message.contains(&format!("- {three} Three")), "{message}");
    assert!(
        message.contains("Co-authored-by: web/polecats/"),
        "{message}"
    );
    let seen = std::fs::read_to_string(town.path(&format!("scripts/seen-{three}"))).unwrap();
    assert!(
        seen.contains(&format!("{one}.md")) && seen.contains(&format!("{two}.md")),
        "{seen}"
    );
    // The branch is gone, what was on it is kept, and the owner hears of it once.
    assert!(
        !branches(&origin).contains("integration/"),
        "{}",
        branches(&origin)
    );
    let repo = town.root().join("web/.repo.git");
    town.git_at(
        &repo,
        ["show", &format!("refs/gt/merged/{convoy}:{document}")],
    )
    .ok();
    let letters = town.mail("mayor/");
    assert_eq!(letters.len(), 1, "{letters:?}");
    let commit = origin.git(["rev-parse", "main"]);
    let body = letters[0]["body"].as_str().unwrap_or_default();
    assert!(body.contains(&format!("web: {commit}")), "{letters:?}");
    // Reopened, it lands once more, with only what is new.
    let four = town.bead("web", "Four");
    town.gt(["convoy", "add", &convoy, &four]).ok();
    town.gt(["sling", &four, "web"]).ok();
    town.closed("web", &four);
    landed(&town, &convoy);
    assert_eq!(origin.subjects("main").len(), 2);
    let files = origin.git(["show", "--format=", "--name-only", "main"]);
    assert_eq!(files, format!("{four}.txt"));
}

#[test]
fn all_rigs_are_prepared_before_any_push_and_refusals_revert_nothing() {
    let town = Town::new();
    let (api, web) = (town.add_rig("api", "ap"), town.add_rig("web", "web"));
    town.script(WORK);
    let (one, two) = (town.bead("api", "One"), town.bead("web", "Two"));
    // A gate that looks at what would land, and refuses it at first.
    let allowed = town.path("scripts/allowed");
    town.gate(
        "web",
        &format!(
            "[ \"$GT_TARGET\" != main ] || test -e {}",
            allowed.display()
        ),
    );
    let convoy = make_convoy(&town, &[&one, &two]);
    town.up();
    town.gt(["sling", &one, "api"]).ok();
    town.gt(["sling", &two, "web"]).ok();
    let task = |words: &str| {
        eventually("the landing stopped", || {
            let own = status(&town, &convoy)["integration"]["rigs"]["web"].clone();
            let found = own["trouble"].as_str().unwrap_or_default().contains(words);
            found.then(|| own["task"].as_str().unwrap().to_owned())
        })
    };
    let gate = task("gate check fails");
    assert!(
        api.subjects("main").is_empty(),
        "nothing was pushed to a rig that is fine"
    );
    let text = town.show("web", &gate)["description"].clone();
    assert!(text.as_str().unwrap().contains("test -e"), "{text}");
    // The gate is fine now, but the target takes no push. The other rig lands, and stays landed.
    std::fs::write(&allowed, "").unwrap();
    let hook = protect(&web);
    town.bd("web", ["close", &gate, "--reason", "the gate is mended"])
        .ok();
    let push = task("was declined");
    assert_ne!(push, gate);
    assert_eq!(api.subjects("main").len(), 1);
    assert!(web.subjects("main").is_empty());
    assert_eq!(town.status_of(".", &convoy), "open");
    assert!(town.mail("mayor/").is_empty(), "it has not landed");
    let shown = town.gt(["convoy", "status", &convoy]).ok().out;
    assert!(shown.contains("landing 1 of 2"), "{shown}");
    assert!(
        shown.contains(&format!("→ gt convoy land {convoy}")),
        "{shown}"
    );
    let text = town.show("web", &push)["description"].clone();
    assert!(
        text.as_str().unwrap().contains("main is protected here"),
        "{text}"
    );
    town.patrol_is_quiet();
    // By hand, as often as one likes: it still waits, and makes no second task.
    let again = town.gt(["convoy", "land", &convoy, "--json"]).ok().json();
    assert_eq!(
        (&again["landed"], &again["of"]),
        (&1.into(), &2.into()),
        "{again}"
    );
    assert_eq!(again["task"], push.as_str());
    // A prepared commit with a document does not get through the door.
    refused_at_the_door(&town, &convoy);
    // Mended: closing the task is enough.
    std::fs::remove_file(hook).unwrap();
    town.gt(["convoy", "land", &convoy]).ok();
    landed(&town, &convoy);
    assert_eq!(api.subjects("main"), ["All of it"], "landed once");
    assert_eq!(web.subjects("main"), ["All of it"]);
    for (origin, rig, bead) in [(&api, "api", &one), (&web, "web", &two)] {
        assert_eq!(origin.file("main", &format!("{bead}.txt")), "work");
        assert!(
            !branches(origin).contains("integration/"),
            "{rig}: {}",
            branches(origin)
        );
    }
    assert_eq!(town.mail("mayor/").len(), 1);
    assert_eq!(town.status_of("web", &push), "closed");
    town.told_once("convoy_landed");
}

/// Puts a document into the commit that is prepared for `web`, and lets it be landed.
fn refused_at_the_door(town: &Town, convoy: &str) {
    let repo = town.root().join("web/.repo.git");
    let git = |args: &[&str]| {
        town.git_at(&repo, args.iter().copied())
            .ok()
            .text()
            .to_owned()
    };
    let step = status(town, convoy)["integration"]["rigs"]["web"]["landing"].clone();
    let (good, onto) = (
        step["candidate"].as_str().unwrap(),
        step["onto"].as_str().unwrap(),
    );
    let tip = step["tip"].as_str().unwrap();
    // The convoy's branch has the document: its tree on the target is what must not be pushed.
    let tree = format!("{tip}^{{tree}}");
    let bad = git(&[
        "-c",
        "user.name=x",
        "-c",
        "user.email=x",
        "commit-tree",
        &tree,
        "-p",
        onto,
        "-m",
        "x",
    ]);
    swap(town, convoy, good, &bad);
    let said = town.gt(["convoy", "land", convoy, "--json"]).ok().json();
    let reason = said["reason"].as_str().unwrap();
    assert_eq!(reason, "discovery documents would reach main", "{said}");
    let task = town.show("web", said["task"].as_str().unwrap());
    let text = task["description"].as_str().unwrap();
    assert!(text.contains(".gt/discovery/"), "{text}");
    swap(town, convoy, &bad, good);
}

/// Replaces a commit id in what a convoy keeps about its landing.
fn swap(town: &Town, convoy: &str, from: &str, to: &str) {
    let metadata = town.show(".", convoy)["metadata"].to_string();
    let metadata = metadata.replace(from, to);
    town.bd(".", ["update", convoy, "--metadata", &metadata])
        .ok();
}

#[test]
fn a_landing_killed_at_any_step_resumes_there() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    let bead = town.bead("web", "Work");
    let convoy = make_convoy(&town, &[&bead]);
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    town.quiet();
    // After the commit was prepared, in the merge queue's own run.
    let lease = "--force-with-lease=refs/heads/main:";
    let steps = [
        ("refs/gt/landing/", 0),
        // Pushed, and not written down.
        (lease, 1),
        // Written down as landed, and the branch just gone.
        (":refs/heads/integration/", 1),
    ];
    for (number, (words, commits)) in steps.into_iter().enumerate() {
        town.crash_after_git(words, ":");
        let run = match number {
            0 => town.gt(["mq", "run", "web"]),
            _ => town.gt(["convoy", "land", &convoy]),
        };
        assert_ne!(run.run().code, 0, "it was killed");
        assert!(town.path("scripts/crashed").exists(), "at {words}");
        std::fs::remove_file(town.path("scripts/crashed")).unwrap();
        std::fs::remove_file(town.path("bin/git")).unwrap();
        assert_eq!(origin.subjects("main").len(), commits, "after {words}");
        assert_eq!(town.status_of(".", &convoy), "open");
        assert!(town.mail("mayor/").is_empty());
    }
    town.patrol();
    assert_eq!(town.status_of(".", &convoy), "closed");
    assert_eq!(origin.subjects("main"), ["All of it"], "landed once");
    assert!(
        !branches(&origin).contains("integration/"),
        "{}",
        branches(&origin)
    );
    assert_eq!(town.mail("mayor/").len(), 1);
    town.told_once("convoy_landed");
    let said = town.gt(["convoy", "land", &convoy]).ok().out;
    assert!(said.contains("closed already"), "{said}");
}

#[test]
fn a_landing_waits_for_an_unreachable_remote_before_it_counts() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    let bead = town.bead("web", "Work");
    let convoy = make_convoy(&town, &[&bead]);
    // Another convoy tracks the same bead and has no branch of its own.
    let other = town
        .gt(["convoy", "create", "Other", &bead, "--json"])
        .ok()
        .json();
    let other = other["id"].as_str().unwrap();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    town.quiet();
    // The gate of the landing takes the remote away once its work is merged to the branch.
    let (path, away) = (origin.path().to_owned(), town.path("origins/away.git"));
    let gate = format!(
        "[ \"$GT_TARGET\" != main ] || mv {} {}",
        path.display(),
        away.display()
    );
    town.gate("web", &gate);
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    let own = status(&town, &convoy)["integration"]["rigs"]["web"].clone();
    let trouble = own["trouble"].as_str().unwrap();
    assert!(trouble.contains("cannot be reached"), "{own}");
    assert!(own["task"].is_null(), "nobody can mend that: {own}");
    let tracked = status(&town, other)["tracked"][0].clone();
    assert_eq!(
        tracked["standing"], "merging",
        "its work is on no target: {tracked}"
    );
    assert_eq!(tracked["waits_for"][0], convoy.as_str());
    town.gt(["convoy", "land", other]).fails("is merging");
    // What is on a branch only is not given up by closing.
    town.gt(["convoy", "close", &convoy])
        .fails("on no target yet");
    std::fs::rename(&away, &path).unwrap();
    town.patrol();
    assert_eq!(town.status_of(".", &convoy), "closed");
    assert_eq!(town.status_of(".", other), "closed");
    assert_eq!(origin.subjects("main"), ["All of it"]);
}

#[test]
fn a_patrol_killed_after_each_git_command_lands_two_rigs_exactly_once() {
    let (town, [api, web], _, convoy) = in_two_rigs();
    let mut killed = 0;
    for number in 1..200 {
        town.crash_at_git(number);
        let code = town.patrol().code;
        killed += usize::from(code != 0);
        let landed = town.status_of(".", &convoy) == "closed";
        let on_target = [&api, &web].map(|origin| origin.subjects("main").len());
        assert!(
            on_target.iter().all(|count| *count <= 1),
            "{number}: {on_target:?}"
        );
        assert!(!landed || on_target == [1, 1], "{number}: {on_target:?}");
        assert_eq!(town.mail("mayor/").len(), usize::from(landed), "{number}");
        if landed && code == 0 {
            break;
        }
    }
    assert!(killed > 5, "{killed}");
    assert_eq!(town.status_of(".", &convoy), "closed");
    for origin in [&api, &web] {
        assert_eq!(origin.subjects("main"), ["All of it"]);
    }
    town.gt(["convoy", "land", &convoy]).ok();
    assert_eq!(town.mail("mayor/").len(), 1);
}

#[test]
fn a_landing_rechecks_beads_and_targets_before_and_after_its_gates() {
    let (town, [api, web], [_, two], convoy) = in_two_rigs();
    // The gate of the landing is counted, and has a bead reopened the first time.
    let (ran, rig) = (town.path("scripts/ran"), town.root().join("web"));
    let gate = format!(
        "[ \"$GT_TARGET\" = main ] || exit 0; echo x >> {ran}; [ $(wc -l < {ran}) -gt 1 ] || \
         {{ cd {rig} && bd reopen {two}; }}",
        ran = ran.display(),
        rig = rig.display(),
    );
    town.gate("api", &gate);
    town.gt(["mq", "run", "web"]).ok();
    let off = serde_json::json!({ "enabled": false });
    town.set_rig_setting("web", "merge_queue", off);
    // One rig can only be waited for: no gate of the other runs in the meantime.
    town.gt(["mq", "run", "api"]).ok();
    let land = || town.gt(["convoy", "land", &convoy, "--json"]);
    let said = land().ok().json();
    assert_eq!(said["reason"], "its merge queue is turned off", "{said}");
    assert!(!ran.exists(), "no gate ran");
    town.set_rig_setting("web", "merge_queue", serde_json::json!({}));
    // A bead that is reopened while the gates run keeps all of it from landing.
    land().fails("cannot land yet");
    assert!(api.subjects("main").is_empty() && web.subjects("main").is_empty());
    town.bd("web", ["close", &two, "--reason", "Merged before"])
        .ok();
    // One rig lands, the other is declined; then the first is taken back behind the convoy's back.
    let hook = protect(&web);
    let said = land().ok().json();
    assert_eq!((&said["landed"], &said["of"]), (&1.into(), &2.into()));
    let commit = api.git(["rev-parse", "main"]);
    api.git(["update-ref", "refs/heads/main", "main~1"]);
    std::fs::remove_file(hook).unwrap();
    let said = land().ok().json();
    let reason = said["reason"].as_str().unwrap();
    assert!(reason.ends_with("is not on main any more"), "{said}");
    let task = said["task"].as_str().unwrap();
    let text = town.show("api", task)["description"].to_string();
    assert!(text.contains(&commit[..12]), "{text}");
    assert!(web.subjects("main").is_empty());
    assert_eq!(town.status_of(".", &convoy), "open");
    api.git(["update-ref", "refs/heads/main", &commit]);
    land().ok();
    assert_eq!(town.status_of(".", &convoy), "closed");
    assert_eq!(town.status_of("api", task), "closed");
    for origin in [&api, &web] {
        assert_eq!(origin.subjects("main"), ["All of it"]);
    }
}

/// A gate that lets someone else push to the target in the middle of the landing, once.
fn moving_gate(town: &Town, origin: &Path) -> String {
    let (scripts, origin) = (town.path("scripts"), origin.display());
    let scripts = scripts.display();
    format!(
        "[ \"$GT_TARGET\" = main ] || exit 0; [ ! -e {scripts}/moved ] || exit 0; touch {scripts}/moved; \
         git clone -q {origin} {scripts}/other && cd {scripts}/other && echo o > other.txt && git add -A && \
         git -c user.name=o -c user.email=o@o commit -qm Other && git push -q origin HEAD:main"
    )
}

#[test]
fn a_target_that_moves_between_phases_is_prepared_again() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    town.gate("web", &moving_gate(&town, origin.path()));
    let bead = town.bead("web", "Work");
    let convoy = make_convoy(&town, &[&bead]);
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    landed(&town, &convoy);
    assert_eq!(origin.subjects("main"), ["All of it", "Other"]);
    assert_eq!(town.events("landing_prepared").len(), 2);
}

#[test]
fn a_branch_that_conflicts_with_its_target_lands_through_a_task() {
    let (town, origin) = Town::with_rig();
    town.script(
        r#"case "$GT_BEAD_TITLE" in
Let*) git merge --quiet origin/main || { echo both > shared.txt; git add -A; git commit --quiet -m Both; } ;;
*) echo ours > shared.txt ;;
esac"#,
    );
    let bead = town.bead("web", "Work");
    let convoy = make_convoy(&town, &[&bead]);
    town.up();
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    assert_eq!(slung[0]["convoy"], convoy.as_str());
    // The convoy's branch began before this.
    origin.commit("shared.txt", "theirs\n", "Theirs");
    let task = eventually("the landing stopped", || {
        let own = status(&town, &convoy)["integration"]["rigs"]["web"].clone();
        own["task"].as_str().map(str::to_owned)
    });
    assert_eq!(origin.subjects("main"), ["Theirs"]);
    let shown = town.gt(["convoy", "status", &convoy]).ok().out;
    assert!(shown.contains(&format!("→ gt sling {task} web")), "{shown}");
    town.gt(["sling", &task, "web"]).ok();
    landed(&town, &convoy);
    assert_eq!(origin.subjects("main"), ["All of it", "Theirs"]);
    assert_eq!(origin.file("main", "shared.txt"), "both");
}

#[test]
fn a_rig_without_a_remote_keeps_the_convoy_branch_locally() {
    let town = Town::new();
    let source = town.origin("source");
    let add = [
        "rig",
        "add",
        "web",
        source.url(),
        "--prefix",
        "web",
        "--no-remote",
    ];
    town.gt(add).ok();
    town.script(WORK);
    town.gt([
        "config",
        "set",
        "merge_queue.integration_branch_template",
        "convoys/{prefix}-{epic}",
        "--rig",
        "web",
    ])
    .ok();
    let bead = town.bead("web", "Work");
    let convoy = make_convoy(&town, &[&bead]);
    town.up();
    let slung = town.gt(["sling", &bead, "web", "--json"]).ok().json();
    let name = format!("convoys/web-{convoy}");
    let own = status(&town, &convoy)["integration"]["rigs"]["web"]["branch"].clone();
    assert_eq!(own, name.as_str(), "{slung}");
    landed(&town, &convoy);
    let repo = town.root().join("web/.repo.git");
    let log = town.git_at(&repo, ["log", "--format=%s", "main"]).ok();
    assert!(log.out.starts_with("All of it\n"), "{}", log.out);
    let left = town.git_at(&repo, ["branch", "--list", "convoys/*"]).ok();
    assert_eq!(left.text(), "");
}

#[test]
fn a_slung_epic_lands_as_one_commit_when_all_its_children_are_done() {
    let (town, origin) = Town::with_rig();
    town.script(&format!(
        "while [ ! -e \"$GT_ROOT/../scripts/go\" ]; do sleep 0.05; done\n{WORK}"
    ));
    town.gt(["config", "set", "max_polecats", "2", "--rig", "web"])
        .ok();
    let epic = town.bead_with("web", "The import", &["-t", "epic"]);
    let child = |title: &str| town.bead_with("web", title, &["--parent", &epic]);
    let children = [child("One"), child("Two"), child("Three")];
    town.up();
    let slung = town.gt(["sling", &epic, "--json"]).ok().json();
    assert_eq!(slung.as_array().unwrap().len(), 3, "{slung}");
    let convoy = slung[0]["convoy"].as_str().unwrap().to_owned();
    let waiting = slung.as_array().unwrap().iter();
    let waiting = waiting.filter(|one| one["waits_for"][0] == "a free worker");
    assert_eq!(waiting.count(), 1, "two workers for three beads: {slung}");
    std::fs::write(town.path("scripts/go"), "").unwrap();
    landed(&town, &convoy);
    assert_eq!(origin.subjects("main"), ["The import"]);
    for bead in &children {
        assert_eq!(origin.file("main", &format!("{bead}.txt")), "work");
    }
    let epic = town.show("web", &epic);
    assert_eq!(epic["status"], "closed");
    assert_eq!(epic["close_reason"], format!("Landed as {convoy}"));
    town.gt(["sling", &convoy, "web"]).fails("nothing to sling");
}
