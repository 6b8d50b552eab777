//! Creates the convoy of a request that all hooks have approved. Each step may run twice.

use bd::bead::Status;

use super::request::ReviewState;
use super::{ReviewRequest, create};
use crate::flow::work::convoy::create::ConvoyChange;
use crate::flow::work::convoy::decision::{self, HookDecision};
use crate::town::Town;
use crate::town::beads::BeadsHome;
use crate::town::event::{ConvoyBeads, Event};

/// Runs the steps: intent, front matter, convoy.
pub(super) fn finish_request(
    town: &Town,
    request: &mut ReviewRequest,
) -> anyhow::Result<ConvoyChange> {
    let writes = request.decisions.iter().any(HookDecision::has_front_matter);
    // If no bead is changed, creating the convoy is a single transaction and needs no intent.
    if writes {
        request.save_intent(town)?;
    }
    for decision in &request.decisions {
        write_front_matter(town, request, decision)?;
    }
    write_convoy_change(town, request)
}

/// Writes the front matter before the descriptions of a rig's beads, in one transaction.
pub(super) fn write_front_matter(
    town: &Town,
    request: &ReviewRequest,
    decision: &HookDecision,
) -> anyhow::Result<()> {
    if !decision.has_front_matter() {
        return Ok(());
    }
    let home = match decision.rig.as_str() {
        "" => BeadsHome::Town,
        rig => BeadsHome::Rig(rig.to_owned()),
    };
    let store = town.open_store_at(&home)?;
    town.transact(&store, |tx| {
        let now = tx.now();
        for id in &request.new.beads {
            let Some(mut bead) = tx.get(id).filter(|bead| !bead.is_tombstone()).cloned() else {
                continue;
            };
            let description = decision.front_matter_of(id).apply(&bead.description);
            if description != bead.description {
                bead.description = description;
                bead.updated_at = now.clone();
                tx.put(bead)?;
            }
        }
        Ok(())
    })
}

/// Creates or extends the convoy and ends the request, in one transaction of the town.
fn write_convoy_change(town: &Town, request: &mut ReviewRequest) -> anyhow::Result<ConvoyChange> {
    let beads = create::check_beads_exist(town, &request.new.beads)?;
    let store = town.open_town_store()?;
    request.state = ReviewState::Done;
    let created = town.transact(&store, |tx| {
        let (mut convoy, created) = if request.adds {
            create::extend_convoy(tx, &request.convoy, &beads)?
        } else if let Some(made) = tx.get(&request.convoy).cloned() {
            let created = ConvoyChange {
                id: made.id.clone(),
                title: made.title.clone(),
                added: beads.clone(),
                reopened: false,
            };
            (made, created)
        } else {
            create::build_convoy(tx, request.convoy.clone(), &request.new, &beads)?
        };
        decision::record_decisions(&mut convoy, &request.decisions)?;
        tx.put(convoy)?;
        if let Some(kept) = tx.get(&request.id).cloned() {
            if kept.ephemeral {
                tx.erase_wisp(&request.id)?;
            } else {
                request.save(tx, Status::Closed, false)?;
            }
        }
        Ok(created)
    })?;
    let grown = ConvoyBeads {
        convoy: created.id.clone(),
        beads: created.added.clone(),
        reopened: Some(created.reopened),
        decisions: Some(
            request
                .decisions
                .iter()
                .filter_map(|decision| decision.adr.clone())
                .collect(),
        ),
    };
    town.record_event(&if request.adds {
        Event::ConvoyAdded(grown)
    } else {
        Event::ConvoyCreated(grown)
    });
    Ok(created)
}
