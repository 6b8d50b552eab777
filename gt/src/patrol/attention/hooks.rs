//! Agents that do not get on with the bead on their hook.

use bd::ui::escape;
use bd::ui::time::ago;
use jiff::Timestamp;

use super::super::hooked::HookFacts;
use super::matter::{Attention, MatterKind};

/// Those that were reminded and still do not get on.
pub(in crate::patrol) fn of_hooks(facts: &[HookFacts], now: Timestamp) -> Vec<Attention> {
    let of_one = |one: &HookFacts| {
        let (agent, bead, nudged) = (&one.agent, one.bead.clone(), one.nudged?);
        Some(Attention {
            kind: MatterKind::NeedsPerson,
            due: one.next()?,
            key: format!("hook:{agent}:{bead}:{nudged}"),
            subject: format!("{agent} does not get on with {bead}"),
            text: format!(
                "It was reminded {} and has done nothing since: {}.",
                ago(now, nudged),
                escape::line(&one.progress.describe(now))
            ),
            next: vec![
                format!("gt peek {agent}"),
                format!("gt nudge {agent} \"<what to do>\""),
                format!("gt unsling {bead}"),
            ],
            bead,
        })
    };
    facts.iter().filter_map(of_one).collect()
}
