//! Runs the commands of an escalation's routes. Each is attempted a limited number of times, and
//! every result is recorded.

use super::{command, read_settings, save_escalation};
use crate::record::answer_link::offer_answer_link;
use crate::record::escalation::{DeliveryState, Escalation, RouteDelivery, TRIES};
use crate::town::Town;
use crate::town::config::EscalationRoute;
use crate::town::event::event;
use crate::town::lock::Lock;

/// Runs the commands that have not run or may be retried. Returns the updated escalation.
pub fn deliver_escalation(town: &Town, id: &str) -> anyhow::Result<Escalation> {
    let _turn = Lock::try_take(&town.layout.escalation_lock(id))?;
    let (settings, _) = read_settings(town);
    let store = town.open_town_store()?;
    let read_escalation = || {
        let beads = store.snapshot()?;
        let escalation = beads.get_live(id).and_then(Escalation::from_bead);
        anyhow::Ok(escalation.ok_or_else(|| super::EscalateError::Unknown { id: id.to_owned() })?)
    };
    let first = read_escalation()?;
    let due: Vec<usize> = first
        .details
        .deliveries
        .iter()
        .enumerate()
        .filter(|(_, delivery)| delivery.is_due())
        .map(|(at, _)| at)
        .collect();
    for at in due {
        let Some(before) = first.details.deliveries.get(at) else {
            continue;
        };
        let EscalationRoute::Command { name, target } = EscalationRoute::parse(&before.route)
        else {
            continue;
        };
        let (state, detail) = match settings.command(&name) {
            None => {
                let file = town.layout.escalation_json();
                let detail = format!("no command `{name}` in {}", file.display());
                (DeliveryState::Skipped, detail)
            }
            Some(with) => {
                let to = settings.contact(&name, &target);
                // The command runs without a link, too.
                let link = offer_answer_link(town, id).ok().flatten();
                match command::run_command(town, with, &first, to, link.as_deref()) {
                    Ok(output) => (DeliveryState::Sent, output),
                    Err(reason) => (DeliveryState::Failed, reason),
                }
            }
        };
        let after = RouteDelivery {
            state,
            detail,
            tries: before.tries + u32::from(state != DeliveryState::Skipped),
            at: town.clock.now().to_string(),
            ..before.clone()
        };
        town.record_event(&event!(EscalationDelivered,
            escalation_id: id, route: after.route, sent: state == DeliveryState::Sent, outcome: after.detail,
        ));
        town.transact(&store, |tx| {
            let (_, mut one) = super::find_with_bead(tx, id)?;
            if let Some(delivery) = one.details.deliveries.get_mut(at) {
                *delivery = after;
            }
            save_escalation(tx, &one)
        })?;
    }
    read_escalation()
}

/// Runs the due commands for the patrol. The error names the failed ones, so that they are retried
/// later.
pub(crate) fn redeliver_escalation(town: &Town, id: &str) -> anyhow::Result<Option<String>> {
    let escalation = deliver_escalation(town, id)?;
    let failed = escalation
        .details
        .deliveries
        .iter()
        .find(|delivery| delivery.is_due());
    if let Some(delivery) = failed {
        let route = &delivery.route;
        let detail = &delivery.detail;
        let tries = delivery.tries;
        anyhow::bail!("{route} failed ({tries} of {TRIES} tries): {detail}");
    }
    Ok(Some(format!("the routes of {id} are done")))
}
