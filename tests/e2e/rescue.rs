//! `gt rescue`: leftovers are saved before a sandbox is reused, and come back.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use town_tests::Town;

#[test]
fn work_in_a_dirty_idle_sandbox_is_rescued_and_can_be_restored() {
    let (town, _origin) = Town::with_rig();
    let (first, worker) = town.idle_worker();
    let sandbox = town.sandbox(&worker);
    std::fs::write(sandbox.join("left over.txt"), "not to be lost\n").unwrap();
    std::fs::write(sandbox.join("README.md"), "changed\n").unwrap();
    let second = town.bead("web", "Second");
    let slung = town.gt(["sling", &second, "web", "--json"]).ok().json();
    let reference = slung[0]["rescued"].as_str().unwrap().to_owned();
    assert!(
        reference.starts_with("refs/gt/rescue/web/polecats/"),
        "{reference}"
    );
    town.closed("web", &second);
    town.quiet();
    assert!(
        !sandbox.join("left over.txt").exists(),
        "the sandbox was reset"
    );
    let listed = town.gt(["rescue", "list", "web", "--json"]).ok().json();
    assert_eq!(listed[0]["ref"], reference);
    // Whose they are: the worker, and the bead that it completed before.
    let name = worker.split('/').nth(1).unwrap();
    assert_eq!(listed[0]["polecat"], name, "{listed}");
    assert_eq!(listed[0]["bead"], first.as_str(), "{listed}");
    assert!(reference.ends_with(&first), "{reference}");
    let as_before = ["orphans", "--rig", "web", "--days", "7", "--json"];
    assert_eq!(town.gt(as_before).ok().json(), listed);
    let shown = town.gt(["rescue", "list"]).ok();
    let whose = format!("{worker}, last on {first}: Leftovers of web/polecats/{name}");
    assert!(shown.out.contains(&whose), "{}", shown.out);
    town.gt(["rescue", "restore", &reference]).ok();
    let back = std::fs::read_to_string(sandbox.join("left over.txt")).unwrap();
    assert_eq!(back, "not to be lost\n");
    assert_eq!(
        std::fs::read_to_string(sandbox.join("README.md")).unwrap(),
        "changed\n"
    );
    // A file that differs is in the way: nothing is overwritten.
    std::fs::write(sandbox.join("README.md"), "something else\n").unwrap();
    town.gt(["rescue", "restore", &reference])
        .fails("README.md");
    assert_eq!(
        std::fs::read_to_string(sandbox.join("README.md")).unwrap(),
        "something else\n"
    );
    town.gt(["rescue", "drop", &reference]).ok();
    assert_eq!(
        town.gt(["rescue", "list", "--json"]).ok().json(),
        serde_json::json!([])
    );
    town.gt(["rescue", "drop", "refs/heads/main"])
        .fails("is no rescue ref");
}

#[test]
fn restore_refuses_a_sandbox_with_a_working_worker() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 0.1; done");
    let first = town.bead("web", "First");
    let worker = town.sling(&first);
    let sandbox = town.sandbox(&worker);
    std::fs::write(sandbox.join("kept.txt"), "kept\n").unwrap();
    town.gt(["unsling", &first]).ok();
    let second = town.bead("web", "Second");
    let slung = town.gt(["sling", &second, &worker, "--json"]).ok().json();
    let reference = slung[0]["rescued"].as_str().unwrap().to_owned();
    assert!(reference.ends_with(&first), "{reference}");
    let refused = format!("{worker} works on {second} in");
    town.gt(["rescue", "restore", &reference]).fails(&refused);
    let into = sandbox.to_str().unwrap().to_owned();
    town.gt(["rescue", "restore", &reference, "--into", &into])
        .fails("nothing was written");
    assert!(!sandbox.join("kept.txt").exists());
    town.gt(["unsling", &second]).ok();
    let back = town.gt(["rescue", "restore", &reference]).ok();
    assert!(back.out.contains(&into), "{}", back.out);
    assert!(sandbox.join("kept.txt").exists());
    assert_eq!(town.events("rescue_restored").len(), 1);
}

#[test]
fn rescued_work_is_reported_while_its_bead_is_open() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 0.1; done");
    let first = town.bead("web", "First");
    let worker = town.sling(&first);
    let sandbox = town.sandbox(&worker);
    std::fs::write(sandbox.join("half.txt"), "half\n").unwrap();
    let unslung = town.gt(["unsling", &first]).ok();
    let listed = town.gt(["rescue", "list", "--json"]).ok().json();
    let kept = listed[0]["ref"].as_str().unwrap().to_owned();
    let way = format!("gt rescue show {kept}");
    assert!(unslung.out.contains(&way), "{}", unslung.out);
    assert!(kept.starts_with("refs/gt/rescue/web/polecats/"), "{kept}");
    // The worker does other things since, each with work of its own that is saved.
    let mut others = Vec::new();
    for number in 0..4 {
        let other = town.bead("web", &format!("Other {number}"));
        town.gt(["sling", &other, &worker]).ok();
        std::fs::write(sandbox.join("other.txt"), format!("{number}\n")).unwrap();
        town.gt(["unsling", &other]).ok();
        others.push(other);
    }
    let brief = || town.gt(["brief", &first]).ok().out;
    let named = format!("Its work is kept on {kept}");
    assert!(brief().contains(&named), "{}", brief());
    let why = |bead: &str| town.gt(["why", bead]).ok().out;
    assert!(why(&first).contains(&kept), "{}", why(&first));
    assert!(why(&others[0]).contains(&kept), "{}", why(&others[0]));
    // One piece of work has one name: what the next sling found in the sandbox was saved already.
    let listed = town.gt(["rescue", "list", "--json"]).ok().json();
    let of_first = listed.as_array().unwrap().iter();
    assert_eq!(
        of_first.filter(|one| one["bead"] == first.as_str()).count(),
        1
    );
    let repo = town.root().join("web/.repo.git");
    for (name, value) in [
        ("color.ui", "always"),
        ("diff.external", "echo"),
        ("format.pretty", "oneline"),
    ] {
        town.git_at(&repo, ["config", name, value]).ok();
    }
    let shown = town.gt(["rescue", "show", &kept]).ok().out;
    assert!(
        shown.contains("\n+half") && shown.contains("Uncommitted work of"),
        "{shown}"
    );
    let shown = town.gt(["rescue", "show", &kept, "--json"]).ok().json();
    assert_eq!(shown["bead"], first.as_str(), "{shown}");
    town.gt(["rescue", "show", "rescue/web/polecats/x/1"])
        .fails("there is no rescue");
    // So does the work of a bead that someone else gets while its worker runs, once.
    let taken = town.bead("web", "Taken");
    let holder = town.sling(&taken);
    std::fs::write(town.sandbox(&holder).join("taken.txt"), "taken\n").unwrap();
    town.bd("web", ["update", &taken, "--assignee", "dana"])
        .ok();
    town.patrol();
    town.patrol();
    let released = town.events("release");
    assert_eq!(released.len(), 1, "{released:?}");
    assert_eq!(released[0]["payload"]["reason"], "it was assigned to dana");
    let comments = town.show("web", &taken)["comments"].to_string();
    assert_eq!(
        comments.matches("was not handed in").count(),
        1,
        "{comments}"
    );
    let shown = town.show("web", &taken);
    assert_eq!(
        (&shown["assignee"], &shown["status"]),
        (&"dana".into(), &"open".into())
    );
    assert!(
        comments.contains("dana is no agent of this town"),
        "{comments}"
    );
    let next = format!("gt sling {taken} web");
    assert!(why(&taken).contains(&next), "{}", why(&taken));
    // A dropped rescue is not listed any more.
    town.gt(["rescue", "drop", &kept]).ok();
    assert!(!brief().contains(&kept), "{}", brief());
    for bead in [&first, &others[0]] {
        assert!(!why(bead).contains(&kept), "{}", why(bead));
    }
}

#[test]
fn the_brief_of_a_bead_names_work_left_in_the_sandbox() {
    let (town, _origin) = Town::with_rig();
    let (first, worker) = town.idle_worker();
    std::fs::write(town.sandbox(&worker).join("more.txt"), "more\n").unwrap();
    let second = town.bead("web", "Second");
    let slung = town.gt(["sling", &second, "web", "--json"]).ok().json();
    let left = slung[0]["rescued"].as_str().unwrap().to_owned();
    town.closed("web", &second);
    town.bd("web", ["reopen", &first]).ok();
    let brief = town.gt(["brief", &first]).ok().out;
    assert!(brief.contains("saved and not handed in"), "{brief}");
    assert!(
        brief.contains(&format!("> {left} (Leftovers of ")),
        "{brief}"
    );
}

#[test]
fn each_rescue_of_a_worker_has_a_ref_of_its_own() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 0.1; done");
    let mut refs = Vec::new();
    let mut worker = "web".to_owned();
    for file in ["first.txt", "second.txt"] {
        let bead = town.bead("web", file);
        let slung = town.gt(["sling", &bead, &worker, "--json"]).ok().json();
        worker = slung[0]["target"]
            .as_str()
            .unwrap()
            .replace("/polecats/", "/");
        std::fs::write(town.sandbox(&worker).join(file), "only here\n").unwrap();
        let unslung = town.gt(["unsling", &bead, "--json"]).ok().json();
        refs.push(unslung["kept"].as_str().unwrap().to_owned());
    }
    town.gt(["polecat", "nuke", &worker, "--force"]).ok();
    let saved = town.gt(["rescue", "list", "--json"]).ok().json();
    let saved = saved.as_array().unwrap();
    assert_eq!(saved.len(), 2, "{saved:?}");
    let repo = town.root().join("web/.repo.git");
    for (reference, file) in refs.iter().zip(["first.txt", "second.txt"]) {
        let kept = format!("{reference}:{file}");
        assert_eq!(town.git_at(&repo, ["show", &kept]).ok().out, "only here\n");
    }
}

#[test]
fn files_whose_names_are_not_utf8_come_back_with_all_others() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 0.1; done");
    let first = town.bead("web", "First");
    let worker = town.sling(&first);
    let sandbox = town.sandbox(&worker);
    let files = [OsStr::from_bytes(b"caf\xe9.txt"), OsStr::new("plain.txt")];
    for file in files {
        std::fs::write(sandbox.join(file), "work\n").unwrap();
    }
    let unslung = town.gt(["unsling", &first, "--json"]).ok().json();
    let kept = unslung["kept"].as_str().unwrap();
    let second = town.bead("web", "Second");
    town.gt(["sling", &second, &worker]).ok();
    town.gt(["unsling", &second]).ok();
    assert!(!sandbox.join(files[1]).exists());
    town.gt(["rescue", "restore", kept]).ok();
    for file in files {
        assert_eq!(
            std::fs::read_to_string(sandbox.join(file)).unwrap(),
            "work\n"
        );
    }
}
