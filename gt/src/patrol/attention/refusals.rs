//! Finds the agents to which commands were refused again and again: one item for each.

use jiff::Timestamp;
use kit::ui::escape::escape_line;

use super::item::{AttentionItem, AttentionKind};
use crate::record::refusal::{self, RefusedAgent};
use crate::record::town_view::TownView;
use crate::town::TownLayout;

pub(super) fn refusal_items(layout: &TownLayout, view: &TownView) -> Vec<AttentionItem> {
    let refused = refusal::list_repeated(layout, view.now);
    refused
        .iter()
        .map(|(agent, refused)| refusal_item(agent, refused))
        .collect()
}

fn refusal_item(agent: &str, refused: &RefusedAgent) -> AttentionItem {
    let role = agent.split('/').nth(1).map_or(agent, |part| match part {
        "polecats" => "polecat",
        part => part,
    });
    AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        key: format!("refused:{agent}:{}", refused.since),
        bead: String::new(),
        subject: format!("{agent} tries commands that it may not run"),
        text: format!(
            "{} commands of {agent} were refused since {}, the last was `{}`. It may have been told to, or misunderstand its task. \
             This ends an hour after the last one.",
            refused.count,
            refused.since,
            escape_line(&refused.command),
        ),
        next: vec![
            format!("gt audit --actor {agent}"),
            format!("gt role permissions {role}"),
        ],
    }
}
