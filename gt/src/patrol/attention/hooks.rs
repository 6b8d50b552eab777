//! Reports agents that make no progress on the bead on their hook.

use jiff::Timestamp;
use kit::ui::escape;
use kit::ui::time::format_ago;

use super::super::hooked::{self, HookFacts};
use super::item::{AttentionItem, AttentionKind};
use crate::record::town_view::TownView;
use crate::town::identity::Address;

/// Returns the agents that were reminded and still make no progress.
pub(in crate::patrol) fn hook_items(facts: &[HookFacts], now: Timestamp) -> Vec<AttentionItem> {
    facts
        .iter()
        .filter_map(|hook| build_hook_item(hook, now))
        .collect()
}

fn build_hook_item(hook: &HookFacts, now: Timestamp) -> Option<AttentionItem> {
    let agent = &hook.agent;
    let bead = hook.bead.clone();
    let nudged = hook.nudged?;
    Some(AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: hook.next_step_at()?,
        key: format!("hook:{agent}:{bead}:{nudged}"),
        subject: format!("{agent} does not get on with {bead}"),
        text: format!(
            "It was reminded {} and has done nothing since: {}.",
            format_ago(now, nudged),
            escape::escape_line(&hook.progress.describe(now))
        ),
        next: vec![
            format!("gt peek {agent}"),
            format!("gt nudge {agent} \"<what to do>\""),
            format!("gt unsling {bead}"),
        ],
        bead,
    })
}

/// Returns the crew members and the mayor if they have work and no session.
pub(in crate::patrol) fn sleeping_items(view: &TownView) -> Vec<AttentionItem> {
    hooked::sleeping_agents(view)
        .into_iter()
        .map(|one| {
            let agent = one.agent;
            let bead = one.bead;
            let start = match &agent {
                Address::Crew(rig, name) => format!("gt crew start {rig}/{name}"),
                _ => "gt mayor start".to_owned(),
            };
            AttentionItem {
                kind: AttentionKind::NeedsPerson,
                due: one.due,
                key: format!("asleep:{agent}:{bead}"),
                subject: format!("{agent} has {bead} on its hook and no session"),
                text: "Its session has ended or was never started, and nothing starts it again."
                    .to_owned(),
                next: vec![start, format!("gt unsling {bead}")],
                bead,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::hooked::decide;
    use super::super::super::hooked::tests::{hooked, now};
    use super::*;

    #[test]
    fn an_agent_is_reminded_once_before_the_user_is_notified() {
        let steps = |one: &HookFacts| {
            let facts = std::slice::from_ref(one);
            let items = hook_items(facts, now());
            let due = items.iter().filter(|item| item.is_due(now()));
            (decide(facts, now()).len(), due.count())
        };
        assert_eq!(steps(&hooked(29, None)), (0, 0));
        assert_eq!(steps(&hooked(30, None)), (1, 0));
        assert_eq!(steps(&hooked(59, Some(29))), (0, 0));
        assert_eq!(steps(&hooked(60, Some(30))), (0, 1));
        let mut watched = hooked(90, Some(40));
        watched.progress.attached = true;
        assert_eq!(steps(&watched), (0, 0), "a person looks at it");
    }
}
