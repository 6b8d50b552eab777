//! Rule O1: finds the items that only a user can resolve. They are derived from the beads each
//! time and reported to the overseer once, and their messages are closed when they are resolved.

mod alerts;
mod budgets;
mod desks;
mod gates;
mod hooks;
mod hosts;
mod item;
mod mail;
mod message;
mod pushes;
mod refusals;
mod remotes;
mod requests;

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;

pub use budgets::list_budgets;
pub use gates::{gate_items, gate_items_about};
pub(super) use hooks::hook_items;
pub use item::{AttentionItem, AttentionKind};
pub use message::{AddressedItem, AttentionMessages};

use super::decision::{Action, Decision};
use super::hooked::{self, HookFacts};
use super::rule;
use super::thresholds::{PatrolSettings, Thresholds};
use crate::host::LiveTown;
use crate::record::town_view::TownView;
use crate::town::TownLayout;

/// The facts for rule O1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttentionFacts {
    /// The messages to write or close.
    pub messages: AttentionMessages,
    /// The time until a current failure becomes due.
    pub due_in: Option<SignedDuration>,
}

/// Reads the facts.
pub(super) fn facts(
    layout: &TownLayout,
    view: &TownView,
    rigs: &BTreeMap<String, PatrolSettings>,
    hooked: &[HookFacts],
    numbers: &Thresholds,
) -> AttentionFacts {
    let items = AttentionItems::find(layout, view, rigs, hooked, numbers);
    AttentionFacts {
        messages: message::plan_messages(view, items.due),
        due_in: items.next_due_in,
    }
}

/// Returns the items that wait for the user now, each once.
pub fn list_due_items(town: &LiveTown, view: &TownView) -> Vec<AttentionItem> {
    let rigs = PatrolSettings::for_rigs(town, view);
    let hooked = hooked::facts(town, view);
    let numbers = Thresholds::from_layers(view.settings.for_rig(None));
    let items = AttentionItems::find(&town.layout, view, &rigs, &hooked, &numbers);
    items.due.into_iter().chain(items.shown).collect()
}

/// Returns the items of a rig, those due now and those that become due if the failure lasts.
pub fn rig_items(
    layout: &TownLayout,
    view: &TownView,
    rig: &str,
    settings: &PatrolSettings,
) -> Vec<AttentionItem> {
    let Some(beads) = view.stores.rigs.get(rig) else {
        return Vec::new();
    };
    // A user has stopped the rig and knows that its work waits.
    if view.stores.holds.contains_key(rig) {
        return Vec::new();
    }
    let mut items = item::work_items(view, rig, beads, settings);
    items.extend(requests::request_items(&layout.rig(rig), beads, settings));
    let patience = settings.thresholds.patience;
    remotes::join_remote_failures(layout, view, rig, &mut items, patience);
    items
}

struct AttentionItems {
    /// The items to report now, each once.
    due: Vec<AttentionItem>,
    /// The items that screens show before they are reported.
    shown: Vec<AttentionItem>,
    /// The time until the next failure is reported if it lasts.
    next_due_in: Option<SignedDuration>,
}

impl AttentionItems {
    fn find(
        layout: &TownLayout,
        view: &TownView,
        rigs: &BTreeMap<String, PatrolSettings>,
        hooked: &[HookFacts],
        numbers: &Thresholds,
    ) -> Self {
        let patience = numbers.patience;
        let limits = numbers.alerts;
        let (due, later): (Vec<_>, Vec<_>) = rigs
            .iter()
            .flat_map(|(rig, settings)| rig_items(layout, view, rig, settings))
            .chain(item::outage_items(view, patience))
            .chain(hosts::host_items(view, patience))
            .chain(item::crash_loop_items(layout, view))
            .chain(pushes::push_items(layout, view, patience))
            .chain(item::review_items(view))
            .chain(item::rollback_items(view))
            .chain(item::loss_items(view))
            .chain(item::settings_items(view))
            .chain(desks::desk_items(view))
            .chain(item::agent_items(layout, view))
            .chain(alerts::queue_alerts(view, limits.requests))
            .chain(alerts::escalation_alert(view, limits.escalations))
            .chain(alerts::kill_alert(view, limits.killed))
            .chain(budgets::budget_items(layout, view))
            .chain(hook_items(hooked, view.now))
            .chain(gate_items(layout, view))
            .chain(gates::user_gate_items(view))
            .chain(hooks::sleeping_items(view))
            .chain(mail::unread_items(layout, view))
            .chain(refusals::refusal_items(layout, view))
            .partition(|item| item.is_due(view.now));
        let mut keys = BTreeSet::new();
        let due = due
            .into_iter()
            .filter(|item| keys.insert(item.key.clone()))
            .collect();
        let waits = later.iter().map(|item| item.due.duration_since(view.now));
        Self {
            due,
            shown: later
                .iter()
                .filter(|item| item.is_shown(view.now))
                .cloned()
                .collect(),
            next_due_in: waits.min(),
        }
    }
}

/// O1: an item that only a user can resolve is reported once, and its message is closed when it is
/// resolved.
pub(super) fn decide(facts: &AttentionFacts) -> Vec<Decision> {
    let messages = &facts.messages;
    let subjects = messages.new.iter().map(|new| new.item.subject.clone());
    let over = messages.over.len();
    let saw: Vec<String> = subjects
        .chain((over > 0).then(|| format!("messages about what is over: {over}")))
        .collect();
    let ask = (!messages.is_empty()).then(|| Decision {
        rule: rule::O1_ASK_A_PERSON,
        saw: saw.join("; "),
        action: Action::AskPerson,
    });
    ask.into_iter().collect()
}

/// Finds the items again, because other actions of this pass may have resolved them, and reports
/// them.
pub(super) fn report_items(town: &LiveTown) -> anyhow::Result<Option<String>> {
    // The sessions of an idle town are listed too, because the mayor's may run.
    let view = TownView::read(town)?;
    let rigs = PatrolSettings::for_rigs(town, &view);
    let hooked = hooked::facts(town, &view);
    let numbers = Thresholds::from_layers(view.settings.for_rig(None));
    let messages = facts(&town.layout, &view, &rigs, &hooked, &numbers).messages;
    if messages.is_empty() {
        return Ok(None);
    }
    message::deliver_messages(town, &messages)?;
    let new = messages.new.len();
    let over = messages.over.len();
    Ok(Some(format!("{new} reported, {over} closed")))
}
