use super::*;
use crate::host::{SessionHost, SessionSpec};
use crate::testing::TestTown;
use crate::view::rig::{list_rig_rows, rig_status};

/// Asserts that no trace of a refused rig is left.
fn assert_no_trace(place: &TestTown, name: &str) {
    assert!(!place.town.rig(name).root().exists());
    assert!(place.town.read_registry().unwrap().rigs.is_empty());
    let routes = std::fs::read_to_string(place.town.layout.routes()).unwrap();
    assert!(!routes.contains(name), "{routes}");
}

fn expect_refusal(result: anyhow::Result<AddRigReport>) -> RigError {
    result.unwrap_err().downcast().unwrap()
}

#[test]
fn a_rig_with_an_origin_gets_repository_beads_and_route() {
    let place = TestTown::new();
    let url = place.create_origin(&[("README", "hi\n")]);
    let added = place.add_rig("web", Some(&url)).unwrap();
    assert_eq!(
        (added.prefix.as_str(), added.branch.as_str()),
        ("web", "main")
    );
    assert_eq!(added.remote.as_deref(), Some(url.as_str()));
    let rig = place.town.find_rig("web").unwrap();
    let repo = rig.git();
    assert!(repo.resolve("refs/remotes/origin/main").unwrap().is_some());
    assert!(rig.mayor_clone().join("README").is_file());
    assert_eq!(place.town.prefix_of_rig("web"), "web");
    let beads = rig.store().unwrap().snapshot().unwrap();
    for id in ["web-rig-web", "web-web-witness", "web-web-refinery"] {
        assert!(beads.get(id).is_some(), "{id}");
    }
    let path = rig.repo();
    assert!(matches!(
        expect_refusal(place.add_rig("web", Some(path.to_str().unwrap()))),
        RigError::Taken { .. }
    ));
    let same = AddRigRequest {
        name: "other".to_owned(),
        url: Some(url),
        prefix: Some("web".to_owned()),
        ..AddRigRequest::default()
    };
    assert!(matches!(
        expect_refusal(place.add_rig_with(&same)),
        RigError::PrefixTaken { .. }
    ));
    assert!(!place.town.rig("other").root().exists());
    assert_eq!(list_rig_rows(&place.town).unwrap().len(), 1);
}

#[test]
fn a_rig_without_a_url_has_its_own_repository() {
    let place = TestTown::new();
    let added = place.add_rig("lab", None).unwrap();
    assert_eq!(added.remote, None);
    let rig = place.town.find_rig("lab").unwrap();
    let repo = rig.git();
    assert!(repo.resolve("refs/heads/main").unwrap().is_some());
    assert_eq!(repo.remote_url("origin").unwrap(), None);
    let seen = rig_status(&place.town, &rig).unwrap();
    assert_eq!(
        (seen.rig.remote, seen.queue, seen.branch.as_str()),
        (None, 0, "main")
    );
    assert_eq!(seen.rig.problem, None);
}

#[test]
fn an_origin_with_its_target_checked_out_is_refused_with_next_steps() {
    let place = TestTown::new();
    let tree = place.create_tree("mine", &[("README", "hi\n")]);
    let url = tree.folder().to_str().unwrap().to_owned();
    let error = expect_refusal(place.add_rig("web", Some(&url)));
    assert!(matches!(error, RigError::CheckedOut { .. }));
    let words = error.to_string();
    for way in [
        "check out another branch",
        "updateInstead",
        "--bare",
        "--no-remote",
    ] {
        assert!(words.contains(way), "{words}");
    }
    assert_no_trace(&place, "web");
    let copy = AddRigRequest {
        name: "web".to_owned(),
        url: Some(url.clone()),
        no_remote: true,
        ..AddRigRequest::default()
    };
    assert_eq!(place.add_rig_with(&copy).unwrap().remote, None);
    tree.config_set("receive.denyCurrentBranch", "updateInstead")
        .unwrap();
    let other = place.add_rig("two", Some(&url)).unwrap();
    assert_eq!(other.remote.map(PathBuf::from), Some(PathBuf::from(url)));
}

#[test]
fn tracked_beads_of_the_repository_become_the_beads_of_the_rig() {
    let place = TestTown::new();
    let issue = r#"{"id":"proj-a1b","title":"One","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#;
    let url = place.create_origin(&[
        (".beads/issues.jsonl", &format!("{issue}\n")),
        (".beads/config.yaml", "issue-prefix: \"proj\"\n"),
    ]);
    let wrong = AddRigRequest {
        name: "web".to_owned(),
        url: Some(url.clone()),
        prefix: Some("w".to_owned()),
        ..AddRigRequest::default()
    };
    assert!(matches!(
        expect_refusal(place.add_rig_with(&wrong)),
        RigError::PrefixDiffers { .. }
    ));
    assert_no_trace(&place, "web");
    let added = place.add_rig("web", Some(&url)).unwrap();
    assert!(added.tracked_beads);
    assert_eq!(added.prefix, "proj");
    let rig = place.town.find_rig("web").unwrap();
    assert_eq!(rig.beads(), rig.mayor_clone().join(".beads"));
    let routes = std::fs::read_to_string(place.town.layout.routes()).unwrap();
    assert!(
        routes.contains(r#"{"prefix":"proj-","path":"web/mayor/rig"}"#),
        "{routes}"
    );
    assert_eq!(place.town.find_bead("proj-a1b").unwrap().bead.title, "One");
    let changes = bd::git::Git::at(rig.mayor_clone()).status().unwrap();
    let paths: Vec<String> = changes
        .iter()
        .map(bd::git::FileChange::display_path)
        .collect();
    assert_eq!(paths, [".beads/issues.jsonl"]);
}

#[test]
fn an_unusable_origin_is_refused_and_leaves_nothing_behind() {
    let place = TestTown::new();
    let away = place.path_beside("nowhere.git");
    assert!(place.add_rig("web", Some(away.to_str().unwrap())).is_err());
    assert_no_trace(&place, "web");
    let empty = bd::git::Git::at(place.path_beside("empty.git"));
    empty.init("main", true).unwrap();
    let url = empty.folder().to_str().unwrap().to_owned();
    assert!(matches!(
        expect_refusal(place.add_rig("web", Some(&url))),
        RigError::Empty { .. }
    ));
    assert!(matches!(
        expect_refusal(place.add_rig("my-app", None)),
        RigError::BadName { .. }
    ));
    assert_no_trace(&place, "web");
}

#[test]
fn removing_a_rig_leaves_its_folder_and_waits_for_its_sessions() {
    let place = TestTown::new();
    place.add_rig("lab", None).unwrap();
    let spec = SessionSpec {
        name: "gt-lab-nux".to_owned(),
        ..SessionSpec::default()
    };
    place.host.start(&spec).unwrap();
    let error = remove_rig(&place.town, "lab").unwrap_err();
    assert!(error.to_string().contains("gt-lab-nux"), "{error}");
    place.host.end_process("gt-lab-nux");
    let removed = remove_rig(&place.town, "lab").unwrap();
    assert!(removed.path.join(".repo.git").is_dir());
    assert!(list_rig_rows(&place.town).unwrap().is_empty());
    let routes = std::fs::read_to_string(place.town.layout.routes()).unwrap();
    assert!(!routes.contains("lab"), "{routes}");
    assert!(remove_rig(&place.town, "lab").is_err());
}

#[test]
fn only_leftovers_of_a_killed_run_do_not_block_adding_a_rig() {
    let place = TestTown::new();
    let root = place.town.rig("lab").root().to_owned();
    std::fs::create_dir_all(root.join(".repo.git")).unwrap();
    std::fs::write(root.join("precious"), "x").unwrap();
    let taken = expect_refusal(place.add_rig("lab", None));
    assert!(matches!(taken, RigError::Taken { .. }));
    assert!(root.join("precious").is_file());
    std::fs::write(root.join(".being-added"), "").unwrap();
    place.add_rig("lab", None).unwrap();
    assert!(!root.join(".being-added").exists());
    std::fs::write(root.join("kept"), "x").unwrap();
    remove_rig(&place.town, "lab").unwrap();
    place.add_rig("lab", None).unwrap();
    assert!(root.join("kept").is_file(), "the folder is taken back");
}

#[test]
fn a_run_killed_right_after_registering_the_rig_has_added_it() {
    let place = TestTown::new();
    let root = place.town.rig("lab").root().to_owned();
    place.add_rig("lab", None).unwrap();
    let mark = root.join(".being-added");
    std::fs::write(&mark, "").unwrap();
    assert!(matches!(
        expect_refusal(place.add_rig("lab", None)),
        RigError::Taken { .. }
    ));
    assert!(!mark.exists(), "the rig is one, and keeps its folder");
    std::fs::write(&mark, "").unwrap();
    std::fs::write(root.join("kept"), "x").unwrap();
    remove_rig(&place.town, "lab").unwrap();
    place.add_rig("lab", None).unwrap();
    assert!(root.join("kept").is_file(), "the folder is taken back");
}
