//! The limits of the agents of a town.

use serde_json::{Value, json, value::to_raw_value};

use super::*;
use crate::bead::internal::{AGENT_LABEL, RATING_EVENT, RATING_LABEL, RECORD_EVENT, RECORD_LABEL};
use crate::bead::{Comment, Kind};

/// Writes a bead as an agent of a town.
fn put_as(place: &StoreFixture, agent: &str, bead: Bead) -> Result<(), StoreError> {
    let author = Author {
        actor: agent.to_owned(),
        agent: Some(agent.to_owned()),
        ..Author::default()
    };
    let put = place
        .store
        .transact(&author, &place.clock, |tx| Ok(tx.put(bead)?));
    put.map_err(|error| error.downcast::<StoreError>().unwrap())
}

/// A bead that a worker has created.
fn bead_of_worker(id: &str) -> Bead {
    Bead {
        id: id.to_owned(),
        title: "Finished bd-1".to_owned(),
        created_by: WORKER.to_owned(),
        created_at: Stamp::parse("2026-01-01T00:00:00Z"),
        updated_at: Stamp::parse("2026-01-01T00:00:00Z"),
        ..Bead::default()
    }
}

const WORKER: &str = "web/polecats/nux";

#[test]
fn an_agent_writes_no_record_and_no_rating_not_even_its_own() {
    let place = StoreFixture::new();
    let record = |label: &str, event_kind: &str| Bead {
        labels: vec![label.to_owned()],
        event_kind: event_kind.to_owned(),
        ..bead_of_worker("bd-rec1")
    };
    for agent in [WORKER, "mayor", "web/crew/max"] {
        for forged in [
            record(RECORD_LABEL, ""),
            record(RATING_LABEL, ""),
            record("other", RECORD_EVENT),
            record("other", RATING_EVENT),
        ] {
            let refused = put_as(&place, agent, forged).unwrap_err();
            assert!(matches!(refused, StoreError::WorkerRecord { .. }));
        }
    }
    place
        .change(|tx| Ok(tx.put(record(RECORD_LABEL, RECORD_EVENT))?))
        .unwrap();
    let unmarked = put_as(&place, WORKER, record("other", "")).unwrap_err();
    assert!(matches!(unmarked, StoreError::WorkerRecord { .. }));
    // The town's housekeeping archives records, also as an agent.
    let deacon = Author {
        agent: Some("deacon".to_owned()),
        ..Author::default()
    };
    place
        .change(|tx| Ok(change::close_bead(tx, "bd-rec1", "done", "", true).map(drop)?))
        .unwrap();
    let later = "2027-01-01T00:00:00Z".parse().unwrap();
    let moved = place.store.compact(&deacon, &place.clock, later).unwrap();
    assert_eq!(moved[0].id, "bd-rec1");
}

#[test]
fn an_agent_writes_no_record_into_the_bead_of_an_agent() {
    let place = StoreFixture::new();
    let refused = |agent: &str, bead: Bead| {
        let refused = put_as(&place, agent, bead).unwrap_err();
        assert!(matches!(refused, StoreError::WorkerRecord { .. }));
    };
    let agent = |metadata: Value| Bead {
        labels: vec![AGENT_LABEL.to_owned()],
        metadata: Some(to_raw_value(&metadata).unwrap()),
        ..bead_of_worker("bd-web-polecat-zed")
    };
    let forged = json!({ "record": [{ "agent": "other" }] });
    refused(WORKER, agent(forged.clone()));
    refused("mayor", agent(forged.clone()));
    // Not in two steps either.
    let note = Bead {
        labels: Vec::new(),
        ..agent(forged.clone())
    };
    put_as(&place, WORKER, note).unwrap();
    refused(WORKER, agent(forged.clone()));
    refused("mayor", agent(forged.clone()));
    let kind = Bead {
        issue_type: Kind::Agent,
        ..bead_of_worker("bd-web-polecat-zod")
    };
    refused(WORKER, kind);
    // The rest of the bead stays writable.
    place.change(|tx| Ok(tx.put(agent(json!({})))?)).unwrap();
    refused(WORKER, agent(forged));
    put_as(&place, WORKER, agent(json!({ "mood": "good" }))).unwrap();
}

#[test]
fn a_worker_makes_nothing_by_which_the_town_acts_and_changes_no_request() {
    let place = StoreFixture::new();
    let slot = Bead {
        issue_type: Kind::Slot,
        ..bead_of_worker("bd-wisp-slot-web-zed")
    };
    let refused = put_as(&place, WORKER, slot).unwrap_err();
    assert!(matches!(refused, StoreError::WorkerRecord { .. }));
    let request = Bead {
        description: "record: bd-rec1".to_owned(),
        issue_type: Kind::MergeRequest,
        ..bead_of_worker("bd-mr-1")
    };
    for kind in [Kind::MergeRequest, Kind::Message, Kind::Convoy, Kind::Queue] {
        let made = Bead {
            issue_type: kind,
            ..request.clone()
        };
        let refused = put_as(&place, WORKER, made).unwrap_err();
        assert!(matches!(refused, StoreError::WorkerRecord { .. }));
    }
    let own = bead_of_worker("bd-own");
    put_as(&place, WORKER, own.clone()).unwrap();
    for label in ["gt:merge-request", "gt:escalation"] {
        let labelled = Bead {
            labels: [label.to_owned()].into(),
            ..own.clone()
        };
        assert!(put_as(&place, WORKER, labelled).is_err());
    }
    place.change(|tx| Ok(tx.put(request.clone())?)).unwrap();
    let unlinked = Bead {
        description: String::new(),
        ..request.clone()
    };
    let refused = put_as(&place, WORKER, unlinked).unwrap_err();
    assert!(matches!(refused, StoreError::WorkerRecord { .. }));
    let mut commented = request;
    commented.comments.push(Comment::default());
    put_as(&place, WORKER, commented).unwrap();
}
