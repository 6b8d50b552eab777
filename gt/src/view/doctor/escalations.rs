//! Checks escalations: open ones, their settings, and routes that reached no one.

use super::CheckFindings;
use crate::host::LiveTown;
use crate::record::escalation::{self, DeliveryState};
use crate::town::config::EscalationSettings;

pub(super) fn check_escalations(town: &LiveTown, page: &mut CheckFindings) {
    let before = page.all.len();
    if let Err(error) = EscalationSettings::load(town) {
        let hint = "correct the file; the built-in routes count until then";
        page.warn(error.to_string(), hint);
    }
    let Ok(beads) = town
        .open_town_store()
        .and_then(|store| Ok(store.snapshot()?))
    else {
        return;
    };
    for escalation in escalation::list_escalations(&beads, false) {
        let severity = escalation.severity.name();
        let text = format!(
            "{} is open ({severity}): {}",
            escalation.id, escalation.title
        );
        if escalation.is_acked() {
            page.note(text, &escalation.next_step());
        } else {
            page.warn(text, &escalation.next_step());
        }
        for delivery in &escalation.details.deliveries {
            let route = &delivery.route;
            let detail = &delivery.detail;
            let text = format!("{}: {route}: {detail}", escalation.id);
            match delivery.state {
                DeliveryState::Failed => page.warn(text, "run the command by hand, then correct it in settings/escalation.json"),
                DeliveryState::Skipped => page.note(text, "add the command to settings/escalation.json (docs/ESCALATIONS.md), or take the route out"),
                DeliveryState::Pending | DeliveryState::Sent => {}
            }
        }
    }
    page.ok_unless(before, "no open escalations");
}
