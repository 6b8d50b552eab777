//! Discovery documents: written by workers of a convoy, seen by those after them, absent on the
//! target.

use town_tests::{Repo, Town, eventually};

/// Notes what it sees, writes down what it finds, and does its work. Some commit their document,
/// some leave it untracked, and who only explores has nothing else.
const WORK: &str = r#"notes="$GT_ROOT/../scripts"
ls .gt/discovery > "$notes/seen-$GT_BEAD" 2> /dev/null || :
cp "$GT_PRIME_FILE" "$notes/prime-$GT_BEAD"
mkdir -p .gt/discovery
echo "found by $GT_BEAD" > ".gt/discovery/$GT_BEAD.md"
echo "did $GT_BEAD" > "$GT_SUMMARY_FILE"
case "$GT_BEAD_TITLE" in Explore*) ;; *) echo work > "$GT_BEAD.txt" ;; esac
case "$GT_BEAD_TITLE" in *commits*|Explore*)
  git add --force .gt/discovery && git commit --quiet -m "Notes of $GT_BEAD" ;;
esac"#;

fn note(town: &Town, name: &str) -> String {
    std::fs::read_to_string(town.path(&format!("scripts/{name}"))).unwrap()
}

fn make_convoy(town: &Town, title: &str, beads: &[String]) -> String {
    let mut args = vec!["convoy", "create", title, "--json"];
    args.extend(beads.iter().map(String::as_str));
    let made = town.gt(args).ok().json();
    made["id"].as_str().unwrap().to_owned()
}

/// Every path that any commit of a branch touches.
fn paths(origin: &Repo, branch: &str) -> String {
    origin.git(["log", "--format=", "--name-only", branch])
}

fn kept(town: &Town, key: &str) -> String {
    let repo = town.root().join("web/.repo.git");
    let reference = format!("refs/gt/discovery/{key}");
    let args = ["ls-tree", "-r", "--name-only", &reference];
    let said = town.git_at(&repo, args).run();
    said.out
}

#[test]
fn twelve_beads_pass_on_their_documents_and_none_reaches_the_target() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    let mut beads: Vec<String> = Vec::new();
    for number in 0..12_usize {
        let title = match number {
            0 => "Explore the code".to_owned(),
            odd if odd % 2 == 1 => format!("Part {odd} commits its document"),
            even => format!("Part {even}"),
        };
        // In waves of three, and the last one after all others.
        let needed = match number {
            11 => beads.join(","),
            0..3 => String::new(),
            _ => beads[number / 3 * 3 - 3..number / 3 * 3].join(","),
        };
        let deps = ["--deps", needed.as_str()];
        let more = if needed.is_empty() {
            &[][..]
        } else {
            &deps[..]
        };
        beads.push(town.bead_with("web", &title, more));
    }
    let convoy = make_convoy(&town, "Twelve", &beads);
    // Without a daemon, the sling starts the first wave at once.
    let mut args = vec!["sling"];
    args.extend(beads.iter().map(String::as_str));
    args.push("web");
    town.gt(args).ok();
    town.up();
    for bead in &beads {
        town.closed("web", bead);
    }
    eventually("the convoy has landed", || {
        (town.show(".", &convoy)["status"] == "closed").then_some(())
    });
    town.told_once("convoy_landed");
    // Absent on the target, in every commit of it; all the rest is there.
    let landed = paths(&origin, "main");
    assert!(!landed.contains(".gt"), "{landed}");
    for bead in &beads[1..] {
        assert!(landed.contains(&format!("{bead}.txt")), "{landed}");
    }
    assert_eq!(
        origin.subjects("main").len(),
        11,
        "{:?}",
        origin.subjects("main")
    );
    let reason = town.show("web", &beads[0])["close_reason"].clone();
    let words = reason.as_str().unwrap();
    assert!(
        words.starts_with("No change: only discovery documents"),
        "{words}"
    );
    // Seen by the last worker: all documents before, committed or not, and it was told of them.
    let seen = note(&town, &format!("seen-{}", beads[11]));
    let prime: serde_json::Value =
        serde_json::from_str(&note(&town, &format!("prime-{}", beads[11]))).unwrap();
    let text = prime["text"].as_str().unwrap();
    for bead in &beads[..11] {
        assert!(seen.contains(&format!("{bead}.md")), "{bead}: {seen}");
        assert!(
            text.contains(&format!("- .gt/discovery/{bead}.md (")),
            "{bead}: {text}"
        );
    }
    assert!(text.contains("6 earlier beads were finished"), "{text}");
    assert_eq!(text.matches("   > did ").count(), 5, "{text}");
    // Only documents of its own wave may be there when the first worker starts.
    let seen = note(&town, &format!("seen-{}", beads[0]));
    assert!(!beads[3..].iter().any(|bead| seen.contains(bead)), "{seen}");
    let first: serde_json::Value =
        serde_json::from_str(&note(&town, &format!("prime-{}", beads[0]))).unwrap();
    let text = first["text"].as_str().unwrap();
    assert!(text.contains(".gt/discovery/explore-the-code.md"), "{text}");
    assert!(
        !text.contains("Discovery documents of this convoy"),
        "{text}"
    );
    // Landing took them away, to where lost things are looked for, and told of it.
    town.told_once("discovery_removed");
    assert_eq!(kept(&town, &convoy), "");
    let saved = town.gt(["rescue", "list", "web"]).ok().out;
    let name = format!("refs/gt/rescue/web/discovery/{convoy}-");
    assert!(saved.contains(&name), "{saved}");
}

#[test]
fn documents_of_an_unfinished_worker_survive_reuse_of_its_sandbox() {
    let (town, _origin) = Town::with_rig();
    town.script(
        "mkdir -p .gt/discovery; echo half > .gt/discovery/half.md; touch \"$GT_ROOT/../scripts/wrote\"\n\
         while :; do sleep 1; done",
    );
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let convoy = make_convoy(&town, "C", &[one.clone(), two.clone()]);
    let worker = town.sling(&one);
    eventually("it wrote", || {
        town.path("scripts/wrote").exists().then_some(())
    });
    town.gt(["unsling", &one]).ok();
    assert_eq!(kept(&town, &convoy), "", "nobody has taken it yet");
    // Other work, of another convoy: it does not see the document, and the document is not lost.
    let other = town.bead("web", "Other");
    town.script("while :; do sleep 1; done");
    let again = town.gt(["sling", &other, &worker, "--json"]).ok().json();
    assert_eq!(again[0]["sandbox"], "switched");
    assert!(!town.sandbox(&worker).join(".gt").exists());
    assert_eq!(kept(&town, &convoy).trim(), ".gt/discovery/half.md");
    // Whoever takes up the convoy's next bead has it.
    let next = town.sling(&two);
    let path = town.sandbox(&next).join(".gt/discovery/half.md");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "half\n");
    let text = town.gt_as(&next, ["prime"]).ok().out;
    assert!(text.contains("- .gt/discovery/half.md (5 bytes)"), "{text}");
    // It is untracked: there is nothing to commit, and work without a change can say so.
    let done = ["done", "--stay", "--no-change", "looked only", "--json"];
    town.gt_as(&next, done).ok();
    assert_eq!(kept(&town, &convoy).trim(), ".gt/discovery/half.md");
}

#[test]
fn a_document_alone_completes_explorer_work_but_no_other_work() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let [explore, build] = ["Explore the parser", "Build the parser"].map(|t| town.bead("web", t));
    let convoy = make_convoy(&town, "C", &[explore.clone(), build.clone()]);
    let worker = |bead: &str| {
        let worker = town.sling(bead);
        let folder = town.sandbox(&worker).join(".gt/discovery");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{bead}.md")), "found").unwrap();
        worker
    };
    let done = ["done", "--stay", "--summary", "found it"];
    let builder = worker(&build);
    town.gt_as(&builder, done).fails("nothing to merge");
    // Kept all the same.
    assert_eq!(
        kept(&town, &convoy).trim(),
        format!(".gt/discovery/{build}.md")
    );
    let explorer = worker(&explore);
    town.gt_as(&explorer, done).ok();
    let bead = town.show("web", &explore);
    let reason = bead["close_reason"].as_str().unwrap();
    let reference = format!("refs/gt/discovery/{convoy}");
    assert_eq!(
        reason,
        format!("No change: only discovery documents, kept on {reference}")
    );
    assert_eq!(bead["metadata"]["summary"], "found it");
    assert!(kept(&town, &convoy).contains(&format!("{explore}.md")));
}

#[test]
fn documents_sync_with_the_beads_to_another_town() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    let (one, two) = (
        town.bead("web", "Explore the code"),
        town.bead("web", "Build"),
    );
    let convoy = make_convoy(&town, "Shared", &[one.clone(), two.clone()]);
    let soon = serde_json::json!({ "sync": { "rest": "1s", "interval": "1s" } });
    town.set_rig_setting("web", "patrol", soon);
    town.up();
    town.gt(["sling", &one, "web"]).ok();
    town.closed("web", &one);
    let reference = format!("refs/gt/discovery/{convoy}");
    let path = format!(".gt/discovery/{one}.md");
    eventually("the documents are at origin", || {
        let sent = origin.git(["for-each-ref", "--format=%(refname)", "refs/gt/discovery"]);
        sent.contains(&reference).then_some(())
    });
    assert!(!paths(&origin, "main").contains(".gt/"));
    // Lost here, as on another machine, they come from there.
    let repo = town.root().join("web/.repo.git");
    town.git_at(&repo, ["update-ref", "-d", &reference]).ok();
    town.gt(["sling", &two, "web"]).ok();
    town.closed("web", &two);
    let seen = note(&town, &format!("seen-{two}"));
    assert!(seen.contains(&format!("{one}.md")), "{seen}");
    // The landing names where they stay, and they are listed from there.
    town.told_once("convoy_landed");
    let kept = eventually("the documents are where they stay", || {
        let shown = town.gt(["convoy", "show", &convoy, "--documents", "--json"]);
        let shown = shown.ok().json();
        let mut documents = shown["documents"].as_array().unwrap().iter();
        let document = documents.find(|one| one["path"] == path.as_str())?;
        let kept = document["ref"].as_str().unwrap().to_owned();
        kept.starts_with("refs/gt/rescue/web/discovery/")
            .then_some(kept)
    });
    let mail = town.mail("overseer");
    assert!(
        mail[0]["body"].as_str().unwrap().contains(&kept),
        "{mail:?}"
    );
    // A sync may bring the removed ref back for a moment.
    eventually("the command prints the kept documents", || {
        let shown = town.gt(["convoy", "show", &convoy, "--documents"]).ok().out;
        shown.contains(&format!("show {kept}:{path}")).then_some(())
    });
    // A follow-up names them.
    let made = town
        .gt(["followup", &one, "More of it", "--json"])
        .ok()
        .json();
    let text = town.gt(["brief", made["bead"].as_str().unwrap()]).ok().out;
    assert!(
        text.contains(&format!("> git show {kept}:{path}")),
        "{text}"
    );
}

#[test]
fn documents_stay_local_if_configured() {
    let (town, origin) = Town::with_rig();
    town.script(WORK);
    town.set_rig_setting("web", "discovery", serde_json::json!({ "push": false }));
    let one = town.bead("web", "Explore the code");
    let two = town.bead("web", "Later");
    let convoy = make_convoy(&town, "Local", &[one.clone(), two]);
    town.sling(&one);
    eventually("it is handed in", || {
        (town.status_of("web", &one) != "hooked").then_some(())
    });
    town.gt(["mq", "run", "web"]).ok();
    town.patrol_in(300);
    assert!(kept(&town, &convoy).contains(&one));
    assert_eq!(origin.git(["for-each-ref", "refs/gt/discovery"]), "");
}
