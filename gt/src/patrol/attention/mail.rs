//! Reports calls for help and other important mail that an agent has not read.

use kit::ui::{counted, escape};

use super::super::mail::{self, UnheardCalls};
use super::item::{AttentionItem, AttentionKind};
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::identity::Address;

/// Returns the mailboxes whose calls no one has read.
pub(in crate::patrol) fn unread_items(layout: &TownLayout, view: &TownView) -> Vec<AttentionItem> {
    mail::unheard_calls(layout, view)
        .into_iter()
        .map(|unheard| build_item(view, unheard))
        .collect()
}

fn build_item(view: &TownView, unheard: UnheardCalls) -> AttentionItem {
    let UnheardCalls {
        agent,
        oldest,
        calls,
        due,
    } = unheard;
    let more = match calls - 1 {
        0 => String::new(),
        others => format!(" {} are unread, too.", counted(others, "later call")),
    };
    let session = match view.is_running(&agent) {
        Some(true) => "Its session runs",
        Some(false) => "It has no session",
        None => "Its session is unknown",
    };
    let mut next = vec![format!("gt mail read {}", oldest.id)];
    match (&agent, view.is_running(&agent)) {
        (_, Some(true)) => next.push(format!("gt peek {agent}")),
        (Address::Mayor, _) => next.push("gt mayor start".to_owned()),
        (Address::Crew(rig, name), _) => next.push(format!("gt crew start {rig}/{name}")),
        _ => {}
    }
    AttentionItem {
        key: format!("unread:{}", oldest.id),
        bead: oldest.id.clone(),
        kind: AttentionKind::NeedsPerson,
        subject: format!(
            "{agent} has not read \"{}\" from {}",
            escape::escape_line(&oldest.subject),
            escape::escape_line(&oldest.from)
        ),
        text: format!(
            "{session}, and the message waits since {}.{more}",
            oldest.timestamp
        ),
        next,
        due,
    }
}
