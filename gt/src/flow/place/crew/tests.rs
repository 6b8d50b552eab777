use super::*;
use crate::host::SessionSpec;
use crate::testing::TestTown;
use crate::view::rig;

#[test]
fn a_crew_member_has_a_full_clone_that_reads_the_rigs_beads() {
    let place = TestTown::new();
    let url = place.create_origin(&[("README", "hi\n")]);
    place.add_rig("web", Some(&url)).unwrap();
    let rig = place.town.find_rig("web").unwrap();
    let added = add_member(&rig, "max", true).unwrap();
    assert_eq!(added.branch, "crew/max");
    let git = Git::at(&added.path);
    assert_eq!(git.remote_url("origin").unwrap(), Some(url));
    assert!(git.status().unwrap().is_empty());
    let redirect = fs::read_to_string(added.path.join(".beads/redirect")).unwrap();
    assert_eq!(redirect.trim(), rig.beads().to_str().unwrap());
    let beads = rig.store().unwrap().snapshot().unwrap();
    assert_eq!(beads.get("web-web-crew-max").unwrap().role_type, "crew");
    let again = add_member(&rig, "max", false).unwrap_err();
    assert!(matches!(again, CrewError::Exists { .. }));
    for bad in ["a-b", "a.b", "a/b", "a b", ""] {
        assert!(add_member(&rig, bad, false).is_err(), "{bad}");
    }
    assert_eq!(rig::list_rig_rows(&place.town).unwrap()[0].crew, ["max"]);
    let all = list_members(&rig, &[]);
    assert!(all[0].git_clean && !all[0].has_session);
}

#[test]
fn a_crew_member_is_found_by_name_and_by_address() {
    let place = TestTown::new();
    place.add_rig("lab", None).unwrap();
    place.add_rig("web", None).unwrap();
    let (lab, web) = (
        place.town.find_rig("lab").unwrap(),
        place.town.find_rig("web").unwrap(),
    );
    add_member(&lab, "max", false).unwrap();
    let found =
        |text: &str| find_member(&place.town, None, text).map(|(rig, _)| rig.name().to_owned());
    assert_eq!(found("max").unwrap(), "lab");
    assert_eq!(found("lab/crew/max").unwrap(), "lab");
    assert!(found("web/max").is_err());
    add_member(&web, "max", false).unwrap();
    assert!(
        found("max")
            .unwrap_err()
            .to_string()
            .contains("several rigs")
    );
}

#[test]
fn stopping_a_crew_member_saves_uncommitted_work_and_keeps_the_clone() {
    let place = TestTown::new();
    place.add_rig("lab", None).unwrap();
    let rig = place.town.find_rig("lab").unwrap();
    let added = add_member(&rig, "max", false).unwrap();
    assert!(!stop_member(&place.town, &rig, "max").unwrap());
    fs::write(added.path.join("draft"), "x\n").unwrap();
    let spec = SessionSpec {
        name: "gt-lab-crew-max".to_owned(),
        ..SessionSpec::default()
    };
    place.town.host.start(&spec).unwrap();
    assert!(stop_member(&place.town, &rig, "max").unwrap());
    assert!(added.path.join("draft").is_file());
    let saved = bd::git::rescue::list_rescues(&Git::at(&added.path), "refs/gt/snap/").unwrap();
    assert_eq!(saved.len(), 1);
}
