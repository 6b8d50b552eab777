use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::testing::TestTown;

/// Creates a town with one bead and a hook that approves with front matter and runs `more`.
fn town_with_hook(more: &str) -> TestTown {
    let place = TestTown::new();
    let town = &place.town;
    let bead = Bead {
        id: "hq-one".to_owned(),
        title: "One".to_owned(),
        description: "Original.\n".to_owned(),
        ..Bead::default()
    };
    let store = town.open_town_store().unwrap();
    town.transact(&store, |tx| Ok(tx.put(bead.clone())?))
        .unwrap();
    let hook = town.layout.hooks().join("pre-convoy");
    std::fs::create_dir_all(town.layout.hooks()).unwrap();
    let result = "keeper_result:\\n  adr: ADR-001\\n  bead_frontmatter: {keeper: ADR-001}\\n";
    let body = format!("#!/bin/sh\necho run >>runs\nprintf '{result}'\n{more}\n");
    std::fs::write(&hook, body).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    place
}

fn new_convoy() -> NewConvoy {
    NewConvoy {
        title: "C".to_owned(),
        beads: vec!["hq-one".to_owned()],
        ..NewConvoy::default()
    }
}

fn bead_description(town: &Town) -> String {
    let store = town.open_town_store().unwrap().snapshot().unwrap();
    store.get("hq-one").unwrap().description.clone()
}

fn count_convoys(town: &Town) -> usize {
    crate::record::convoy::list_convoys(&town.open_town_store().unwrap().snapshot().unwrap(), true)
        .len()
}

const WITH: &str = "---\nkeeper: ADR-001\n---\nOriginal.\n";

#[test]
fn the_patrol_finishes_a_killed_review_and_duplicates_nothing() {
    for steps in 0..3 {
        let place = town_with_hook("");
        let town = &place.town;
        let mut request =
            ReviewRequest::for_new_convoy(town, new_convoy(), ConvoyPurpose::default()).unwrap();
        ask::ask_hooks(town, &mut request).unwrap();
        assert_eq!(
            count_convoys(town),
            0,
            "nothing is written before the hook has approved"
        );
        if steps > 0 {
            request.save_intent(town).unwrap();
        }
        if steps > 1 {
            let decision = &request.decisions[0];
            finish::write_front_matter(town, &request, decision).unwrap();
            assert_eq!(bead_description(town), WITH);
        }
        let left = list_unfinished(&town.open_town_store().unwrap().snapshot().unwrap());
        assert_eq!(left.len(), usize::from(steps > 0));
        let Some(id) = left.first() else {
            assert_eq!(bead_description(town), "Original.\n");
            continue;
        };
        assert!(resume_request(town, id).unwrap().is_some());
        assert_eq!(
            (bead_description(town).as_str(), count_convoys(town)),
            (WITH, 1)
        );
        assert!(resume_request(town, id).unwrap().is_none());
        let store = town.open_town_store().unwrap().snapshot().unwrap();
        assert!(list_unfinished(&store).is_empty() && list_requests(&store, true).is_empty());
        let convoy = crate::record::convoy::list_convoys(&store, false)[0];
        assert_eq!(
            crate::flow::work::convoy::decision_for(convoy, "")
                .unwrap()
                .adr
                .as_deref(),
            Some("ADR-001")
        );
        let runs = std::fs::read_to_string(town.layout.root().join("runs")).unwrap();
        assert_eq!(
            runs.lines().count(),
            1,
            "an approved request asks nobody again"
        );
    }
}

#[test]
fn approving_a_request_again_resumes_where_it_stopped() {
    let place = town_with_hook("exit 3");
    let town = &place.town;
    let error = create_reviewed_convoy(town, &new_convoy(), ConvoyPurpose::default()).unwrap_err();
    let Some(ReviewError::Deferred { request, .. }) = error.downcast_ref() else {
        panic!("{error:#}");
    };
    assert_eq!(
        (bead_description(town).as_str(), count_convoys(town)),
        ("Original.\n", 0)
    );
    let store = town.open_town_store().unwrap().snapshot().unwrap();
    assert_eq!(list_requests(&store, false)[0].id, *request);
    let first = approve_request(town, request, "fine").unwrap();
    let second = approve_request(town, request, "").unwrap();
    assert_eq!(first.convoy, second.convoy);
    assert!(!first.already && second.already);
    assert_eq!(
        (bead_description(town).as_str(), count_convoys(town)),
        (WITH, 1)
    );
    let store = town.open_town_store().unwrap().snapshot().unwrap();
    assert!(list_requests(&store, false).is_empty());
    assert!(reject_request(town, request, "no").is_err());
    let answer = store.get(request).unwrap().metadata_object();
    assert_eq!(answer["answer"]["reason"], "fine");
}

#[test]
fn a_rejected_request_creates_nothing_and_can_no_longer_be_approved() {
    let place = town_with_hook("exit 3");
    let town = &place.town;
    let error = create_reviewed_convoy(town, &new_convoy(), ConvoyPurpose::default()).unwrap_err();
    let Some(ReviewError::Deferred { request, .. }) = error.downcast_ref() else {
        panic!("{error:#}");
    };
    reject_request(town, request, "not now").unwrap();
    assert!(approve_request(town, request, "").is_err());
    assert_eq!(
        (bead_description(town).as_str(), count_convoys(town)),
        ("Original.\n", 0)
    );
}

#[test]
fn a_hook_that_fails_after_an_answer_asks_again_and_keeps_it() {
    let place = town_with_hook("[ -z \"$GT_RIG\" ] && exit 3\nkill -9 $$");
    let town = &place.town;
    let url = place.create_origin(&[("a", "b")]);
    place.add_rig("web", Some(&url)).unwrap();
    let store = town.rig("web").store().unwrap();
    let bead = Bead {
        id: "web-1".to_owned(),
        title: "Two".to_owned(),
        ..Bead::default()
    };
    town.transact(&store, |tx| Ok(tx.put(bead.clone())?))
        .unwrap();
    let mut both = new_convoy();
    both.beads.push("web-1".to_owned());
    let error = create_reviewed_convoy(town, &both, ConvoyPurpose::default()).unwrap_err();
    let Some(ReviewError::Deferred { request, .. }) = error.downcast_ref() else {
        panic!("{error:#}");
    };
    let error = approve_request(town, request, "").unwrap_err();
    assert!(error.to_string().contains("ended by a signal"), "{error:#}");
    assert_eq!(count_convoys(town), 0);
    approve_request(town, request, "without it, then").unwrap();
    assert_eq!(
        (bead_description(town).as_str(), count_convoys(town)),
        (WITH, 1)
    );
}
