//! `gt demo`.

use std::os::unix::fs::PermissionsExt;

use town_tests::{Town, eventually};

#[test]
fn the_demo_lands_its_convoy_without_touching_the_given_repository() {
    let place = Town::place();
    let repo = place.origin("given");
    let refs = || repo.git(["for-each-ref"]);
    let objects = || repo.git(["count-objects", "-v"]);
    let before = (refs(), objects());
    let said = place
        .gt_at(
            &place.path("home"),
            ["demo", "--keep", "--json", "--repo", repo.url()],
        )
        .ok();
    assert_eq!(
        (refs(), objects()),
        before,
        "the given repository is as it was"
    );
    let shown = said.json();
    assert_eq!(shown["landed"], true, "{shown}");
    // The bare origin of the demo, read from outside.
    let origin = shown["origin"].as_str().unwrap();
    let log = place
        .program_on_path("git")
        .args(["-C", origin, "log", "--format=%an", "main"])
        .ok();
    let authors: Vec<&str> = log.out.lines().collect();
    let workers: std::collections::BTreeSet<&str> = authors[..3].iter().copied().collect();
    assert_eq!(
        authors.len(),
        4,
        "three commits on top of the first: {authors:?}"
    );
    assert_eq!(workers.len(), 2, "by two workers: {workers:?}");
    assert!(
        workers
            .iter()
            .all(|author| author.starts_with("demo/polecats/")),
        "{workers:?}"
    );
    // The briefing of the third worker's session.
    let town = std::path::PathBuf::from(shown["town"].as_str().unwrap());
    let third = place.program_on_path("sh").args([
        "-c",
        "ls -t .runtime/demo-prime-*.json | head -n 1 | xargs cat",
    ]);
    let prime: serde_json::Value = third.at(&town).ok().json();
    let text = prime["text"].as_str().unwrap();
    assert!(
        text.contains("greet NAME in gastown-demo/greet.sh"),
        "{text}"
    );
    assert!(
        text.contains("count ARGS in gastown-demo/count.sh"),
        "{text}"
    );
    // The town is up, and goes down.
    let status = place.gt_at(&town, ["status", "--json"]).ok().json();
    assert_eq!(status["daemon"]["running"], true);
    place.gt_at(&town, ["down"]).ok();
    std::fs::remove_dir_all(town.parent().unwrap()).unwrap();
}

#[test]
fn a_demo_without_keep_leaves_nothing_behind() {
    let place = Town::place().with_tmp();
    // A fresh machine: nobody has told git who they are.
    std::fs::remove_file(place.path("home/.gitconfig")).unwrap();
    let said = place.gt_at(&place.path("home"), ["demo"]).ok();
    assert!(said.out.contains("landed"), "{}", said.out);
    assert_nothing_is_left(&place);
}

#[test]
fn a_demo_whose_terminal_is_closed_leaves_nothing_behind() {
    let place = Town::place().with_tmp();
    for signal in ["-HUP", "-TERM"] {
        let mut demo = place
            .gt_at(&place.path("home"), ["demo"])
            .start_on_terminal();
        let sockets = place.path("tmux");
        let folder = eventually("a session of the demo runs", || {
            let find = [sockets.to_str().unwrap(), "-type", "s"];
            let sockets = place.program_on_path("find").args(find).ok();
            let made = std::fs::read_dir(place.path("tmp")).unwrap().flatten();
            let folder = made.map(|entry| entry.path()).next()?;
            (!sockets.text().is_empty()).then_some(folder)
        });
        let mode = std::fs::metadata(folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let kill = place.program_on_path("kill");
        kill.args([signal, &demo.id().to_string()]).ok();
        let ended = demo.wait().unwrap();
        assert_eq!(ended.code(), Some(1), "{signal}: {ended:?}");
        assert_nothing_is_left(&place);
    }
}

fn assert_nothing_is_left(place: &Town) {
    let left: Vec<_> = std::fs::read_dir(place.path("tmp"))
        .unwrap()
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let servers = place
        .program_on_path("pgrep")
        .args(["-f", place.path("tmp").to_str().unwrap()])
        .run();
    assert_eq!(servers.text(), "", "no process is left");
    let sockets = place.program_on_path("find").args([
        place.path("tmux").to_str().unwrap(),
        place.path("run").to_str().unwrap(),
        "-type",
        "s",
    ]);
    assert_eq!(sockets.ok().text(), "", "no socket is left");
}

#[test]
fn a_missing_repository_is_reported_by_name() {
    let place = Town::place().with_tmp();
    let args = ["demo", "--repo", "/nowhere/at/all"];
    place
        .gt_at(&place.path("home"), args)
        .fails("cannot copy the repository /nowhere/at/all");
    assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0);
}
