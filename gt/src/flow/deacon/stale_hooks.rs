//! Work on the hook of an agent that has had no session for long goes back to open, so that someone else takes it.
//!
//! What must always hold: work with a sandbox is only listed. Its files may hold what nobody committed, and the patrol
//! restarts workers itself.

use bd::bead::{Bead, Status};
use bd::store::BeadMark;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::flow::sling;
use crate::host::LiveTown;
use crate::record::town_view::TownView;
use crate::town;
use crate::town::identity::Address;

/// What becomes of a stale hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookVerdict {
    /// The bead goes back to open.
    Reopen,
    /// It stays on the hook.
    Keep,
}

/// A bead on the hook of an agent without a session.
#[derive(Debug, Clone, Serialize)]
pub struct StaleHook {
    /// The bead.
    pub bead: String,
    /// Its title.
    pub title: String,
    /// Who has it on the hook.
    pub assignee: String,
    /// When the bead was last changed, RFC 3339.
    pub since: Timestamp,
    /// What becomes of it.
    pub verdict: HookVerdict,
    /// Why.
    pub reason: &'static str,
    /// Whether that was done.
    pub done: bool,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// Who has a bead on the hook, as far as the verdict depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HookHolder {
    /// Whether the text names an agent.
    is_agent: bool,
    /// Whether the agent is a person, who has no session.
    is_person: bool,
    /// Whether it has a session.
    has_session: bool,
    /// Whether it has a sandbox or a clone.
    has_sandbox: bool,
}

/// Judges a hook whose bead was last changed so long ago; none if it is not stale.
fn judge_hook(
    holder: HookHolder,
    age: SignedDuration,
    limit: SignedDuration,
) -> Option<(HookVerdict, &'static str)> {
    if age < limit || holder.has_session || holder.is_person {
        return None;
    }
    Some(if !holder.is_agent {
        (
            HookVerdict::Keep,
            "its assignee names no agent of this town",
        )
    } else if holder.has_sandbox {
        (HookVerdict::Keep, "its sandbox may hold unfinished work")
    } else {
        (
            HookVerdict::Reopen,
            "its agent has no session and no sandbox",
        )
    })
}

/// Finds the stale hooks of a town, and takes beads off them unless it is a dry run.
pub fn handle_stale_hooks(
    town: &LiveTown,
    limit: SignedDuration,
    dry_run: bool,
) -> anyhow::Result<Vec<StaleHook>> {
    let view = TownView::read(town)?;
    anyhow::ensure!(
        view.sessions.is_some(),
        "sessions cannot be listed, so no hook is judged: {}",
        view.blind.unwrap_or_default()
    );
    let stores = std::iter::once(&view.stores.town).chain(view.stores.rigs.values());
    let hooked = stores
        .flat_map(|store| store.select_marked(&[BeadMark::Status(&Status::Hooked)], |_| true));
    let mut found: Vec<StaleHook> = hooked
        .filter_map(|bead| {
            let age = view.now.duration_since(bead.updated_at.instant());
            let (verdict, reason) = judge_hook(find_holder(town, &view, bead), age, limit)?;
            Some(StaleHook {
                bead: bead.id.clone(),
                title: bead.title.clone(),
                assignee: bead.assignee.clone(),
                since: bead.updated_at.instant(),
                verdict,
                reason,
                done: false,
                failed: None,
            })
        })
        .collect();
    found.sort_by(|a, b| (a.since, &a.bead).cmp(&(b.since, &b.bead)));
    if !dry_run {
        for one in &mut found {
            if one.verdict == HookVerdict::Reopen {
                let result = sling::unsling_bead(town, &one.bead);
                one.done = result.is_ok();
                one.failed = result.err().map(|error| format!("{error:#}"));
            }
        }
    }
    Ok(found)
}

fn find_holder(town: &LiveTown, view: &TownView, bead: &Bead) -> HookHolder {
    let address = town.parse_address(&bead.assignee).ok();
    let has_sandbox = |agent: &Address| match agent {
        Address::Polecat(..) | Address::Crew(..) => town::agent_home(town, agent).exists(),
        _ => false,
    };
    HookHolder {
        is_agent: address.is_some(),
        is_person: address == Some(Address::Overseer),
        has_session: address
            .as_ref()
            .is_some_and(|agent| view.session_of(agent).is_some()),
        has_sandbox: address.as_ref().is_some_and(has_sandbox),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_agent_without_session_and_sandbox_loses_what_is_on_its_hook() {
        let gone = HookHolder {
            is_agent: true,
            is_person: false,
            has_session: false,
            has_sandbox: false,
        };
        let (reopen, keep) = (Some(HookVerdict::Reopen), Some(HookVerdict::Keep));
        let table = [
            (gone, 60, reopen),
            (gone, 59, None),
            (
                HookHolder {
                    has_session: true,
                    ..gone
                },
                600,
                None,
            ),
            (
                HookHolder {
                    is_person: true,
                    ..gone
                },
                600,
                None,
            ),
            (
                HookHolder {
                    has_sandbox: true,
                    ..gone
                },
                60,
                keep,
            ),
            (
                HookHolder {
                    is_agent: false,
                    ..gone
                },
                60,
                keep,
            ),
        ];
        for (holder, minutes, expected) in table {
            let age = SignedDuration::from_mins(minutes);
            let verdict = judge_hook(holder, age, SignedDuration::from_hours(1));
            assert_eq!(verdict.map(|(verdict, _)| verdict), expected, "{holder:?}");
        }
    }
}
