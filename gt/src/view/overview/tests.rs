use bd::bead::{Bead, Status};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::flow::townwide::escalate::{EscalationRequest, send_escalation};
use crate::flow::townwide::town_change::TownChange;
use crate::flow::work::convoy::{NewConvoy, create_convoy};
use crate::record::escalation::{EscalationChoice, list_escalations};
use crate::testing::TestTown;

/// One change of a random town.
#[derive(Debug, Clone)]
enum TownStep {
    Create,
    Sling(usize),
    Close(usize),
    Convoy(usize),
    Ask,
    Answer(usize),
    Park(bool),
}

fn step() -> impl Strategy<Value = TownStep> {
    prop_oneof![
        4 => Just(TownStep::Create),
        3 => (0_usize..8).prop_map(TownStep::Sling),
        2 => (0_usize..8).prop_map(TownStep::Close),
        2 => (1_usize..4).prop_map(TownStep::Convoy),
        2 => Just(TownStep::Ask),
        1 => (0_usize..4).prop_map(TownStep::Answer),
        1 => any::<bool>().prop_map(TownStep::Park),
    ]
}

/// A random town with the beads and questions that the steps created.
struct RandomTown {
    place: TestTown,
    beads: Vec<String>,
    questions: Vec<String>,
}

impl RandomTown {
    fn new() -> Self {
        let place = TestTown::new();
        let origin = place.create_origin(&[("a.txt", "a\n")]);
        place.add_rig("web", Some(&origin)).unwrap();
        let settings =
            json!({ "default_agent": "idle", "agents": { "idle": { "command": "sleep" } } });
        std::fs::write(place.town.layout.settings(), settings.to_string()).unwrap();
        Self {
            place,
            beads: Vec::new(),
            questions: Vec::new(),
        }
    }

    /// Makes a change. One that the town refuses changes nothing.
    fn make(&mut self, step: &TownStep) {
        let town = &self.place.town;
        let pick = |list: &[String], at: usize| list.get(at % list.len().max(1)).cloned();
        match step {
            TownStep::Create => {
                let id = format!("web-{}", self.beads.len());
                self.put(&id, &Status::Open);
                self.beads.push(id);
            }
            TownStep::Close(at) => {
                if let Some(id) = pick(&self.beads, *at) {
                    self.put(&id, &Status::Closed);
                }
            }
            TownStep::Sling(at) => {
                if let Some(bead) = pick(&self.beads, *at) {
                    let target = "web".to_owned();
                    TownChange::Sling { bead, target }.apply(town).ok();
                }
            }
            TownStep::Convoy(count) => {
                let convoy = NewConvoy {
                    title: format!("{count} beads"),
                    beads: self.beads.iter().rev().take(*count).cloned().collect(),
                    ..NewConvoy::default()
                };
                create_convoy(town, &convoy).ok();
            }
            TownStep::Ask => {
                let request = EscalationRequest {
                    title: format!("Question {}", self.questions.len()),
                    decision: Some(EscalationChoice {
                        options: vec!["yes".to_owned(), "no".to_owned()],
                        ..EscalationChoice::default()
                    }),
                    ..EscalationRequest::default()
                };
                self.questions
                    .push(send_escalation(town, &request).unwrap().id);
            }
            TownStep::Answer(at) => {
                if let Some(escalation) = pick(&self.questions, *at) {
                    let answer = "yes".to_owned();
                    TownChange::Answer { escalation, answer }.apply(town).ok();
                }
            }
            TownStep::Park(is_parked) => {
                let rig = "web".to_owned();
                let change = if *is_parked {
                    TownChange::Park { rig }
                } else {
                    TownChange::Unpark { rig }
                };
                change.apply(town).ok();
            }
        }
    }

    fn put(&self, id: &str, status: &Status) {
        let town = &self.place.town;
        let store = town.find_rig("web").unwrap().store().unwrap();
        let write = |tx: &mut bd::store::Tx<'_>| {
            let now = tx.now();
            let mut bead = tx.get(id).cloned().unwrap_or_else(|| Bead {
                id: id.to_owned(),
                title: format!("Bead {id}"),
                created_at: now.clone(),
                ..Bead::default()
            });
            bead.closed_at = (*status == Status::Closed).then(|| now.clone());
            bead.status = status.clone();
            bead.updated_at = now;
            Ok(tx.put(bead)?)
        };
        town.transact(&store, write).unwrap();
    }
}

/// Returns the numbers that the commands print, each read on its own.
fn read_numbers(town: &LiveTown) -> Value {
    let stores = town.read_stores().unwrap();
    let board = ProgressBoard::from_stores(&stores);
    let convoys: Vec<Value> = convoy::list_convoys(&stores.town, false)
        .into_iter()
        .map(|convoy| board.progress(convoy))
        .map(|progress| {
            json!([
                progress.id,
                progress.counts.completed,
                progress.counts.total
            ])
        })
        .collect();
    let rig = town.find_rig("web").unwrap();
    let requests: Vec<String> = request::read_requests(&rig)
        .unwrap()
        .into_iter()
        .map(|row| row.id)
        .collect();
    let questions: Vec<String> = list_escalations(&stores.town, false)
        .into_iter()
        .map(|question| question.id)
        .collect();
    let view = TownView::read(town).unwrap();
    let working: Vec<String> = view
        .polecats_of("web")
        .iter()
        .filter_map(|polecat| polecat.hook.clone())
        .collect();
    json!({ "convoys": convoys, "requests": requests, "questions": questions, "working": working })
}

/// Returns the same numbers as screens show them.
fn shown_numbers(overview: &TownOverview) -> Value {
    let status = &overview.status;
    let convoys: Vec<Value> = status
        .convoys
        .iter()
        .map(|convoy| json!([convoy.id, convoy.completed, convoy.total]))
        .collect();
    let requests: Vec<&str> = overview
        .requests
        .iter()
        .map(|row| row.id.as_str())
        .collect();
    let questions: Vec<&str> = overview
        .needs_you
        .iter()
        .filter_map(|need| Some(need.question.as_ref()?.escalation.as_str()))
        .collect();
    let agents = status.rigs.iter().flat_map(|rig| &rig.agents);
    let working: Vec<&String> = agents
        .filter_map(|agent| agent.hook_bead.as_ref())
        .collect();
    json!({ "convoys": convoys, "requests": requests, "questions": questions, "working": working })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Screens show the numbers of the commands, also if they keep readings from earlier states.
    #[test]
    fn screens_show_the_numbers_of_the_commands(steps in prop::collection::vec(step(), 1..14)) {
        let (mut random, memory) = (RandomTown::new(), OverviewMemory::default());
        for step in &steps {
            random.make(step);
            let town = &random.place.town;
            let overview = TownOverview::read_again(town, &memory).unwrap();
            prop_assert_eq!(shown_numbers(&overview), read_numbers(town), "after {:?}", step);
            let status = status::build_status(town, &TownView::read(town).unwrap()).unwrap();
            prop_assert_eq!(json!(overview.status), json!(status), "after {:?}", step);
            prop_assert_eq!(status.escalations.len(), status.escalations.iter().filter(|line| {
                overview.needs_you.iter().any(|need| {
                    need.question.as_ref().is_some_and(|question| question.escalation == line.id)
                })
            }).count());
        }
    }
}

#[test]
fn the_steps_change_every_number() {
    let mut random = RandomTown::new();
    let steps = [
        TownStep::Create,
        TownStep::Create,
        TownStep::Sling(0),
        TownStep::Convoy(2),
        TownStep::Close(1),
        TownStep::Ask,
    ];
    for step in &steps {
        random.make(step);
    }
    let numbers = read_numbers(&random.place.town);
    assert_eq!(numbers["working"], json!(["web-0"]));
    assert_eq!(numbers["questions"], json!(random.questions));
    let convoys = numbers["convoys"].as_array().unwrap();
    assert!(
        convoys
            .iter()
            .any(|convoy| convoy[1] == 1 && convoy[2] == 2)
    );
}

#[test]
fn work_without_a_change_goes_to_another_worker_or_is_closed() {
    let mut random = RandomTown::new();
    random.make(&TownStep::Create);
    random.make(&TownStep::Sling(0));
    let town = &random.place.town;
    let holder = || {
        let view = TownView::read(town).unwrap();
        let mut holders = view.polecats_of("web").iter();
        let found = holders.find(|polecat| polecat.hook.is_some());
        found.map(|polecat| polecat.slot.lease)
    };
    let first = holder();
    assert!(first.is_some());
    let bead = "web-0".to_owned();
    let said = TownChange::SlingAgain { bead: bead.clone() }.apply(town);
    assert!(said.unwrap().contains("web-0 is slung to web/polecats/"));
    let view = TownView::read(town).unwrap();
    let beads = &view.stores.rigs["web"];
    assert_eq!(
        bd::bead::attempt::read_attempt(beads.get("web-0").unwrap()),
        2
    );
    let reason = "it is there".to_owned();
    TownChange::CloseBead { bead, reason }.apply(town).unwrap();
    let view = TownView::read(town).unwrap();
    let closed = view.stores.rigs["web"].get("web-0").unwrap();
    assert_eq!(closed.close_reason, "Nothing to change: it is there");
}
