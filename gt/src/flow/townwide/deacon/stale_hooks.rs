//! Reopens work on the hook of an agent that has had no session for long, so that another agent can
//! take it.
//!
//! Work with a sandbox is only listed. Its files may hold uncommitted work, and the patrol restarts
//! workers itself.

use bd::bead::{Bead, Status};
use bd::store::BeadMark;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::flow::work::sling;
use crate::host::LiveTown;
use crate::record::town_view::TownView;
use crate::town;
use crate::town::Town;
use crate::town::identity::Address;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookVerdict {
    /// The bead is reopened.
    Reopen,
    /// The bead stays on the hook.
    Keep,
}

/// A bead on the hook of an agent without a session.
#[derive(Debug, Clone, Serialize)]
pub struct StaleHook {
    pub bead: String,
    pub title: String,
    /// The address of the agent.
    pub assignee: String,
    /// The bead's last change, RFC 3339.
    pub since: Timestamp,
    pub verdict: HookVerdict,
    pub reason: &'static str,
    pub done: bool,
    /// The error of a failed reopen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The facts about a hook's agent that the verdict depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HookHolder {
    /// True if the assignee is an agent's address.
    is_agent: bool,
    /// True if the assignee is a user, who has no session.
    is_person: bool,
    has_session: bool,
    /// True if the agent has a sandbox or a clone.
    has_sandbox: bool,
}

/// Judges a hook by the time since the bead's last change. None if the hook is not stale.
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

/// Finds the stale hooks of a town. Unless it is a dry run, reopens their beads.
pub fn handle_stale_hooks(
    town: &LiveTown,
    limit: SignedDuration,
    dry_run: bool,
) -> anyhow::Result<Vec<StaleHook>> {
    let view = TownView::read(town)?;
    if view.sessions.is_none() {
        let reason = view.blind.as_deref().unwrap_or("");
        anyhow::bail!("sessions cannot be listed, so no hook is judged: {reason}");
    }
    let mut found: Vec<StaleHook> = std::iter::once(&view.stores.town)
        .chain(view.stores.rigs.values())
        .flat_map(|store| store.select_open(&[BeadMark::Status(&Status::Hooked)]))
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
        for hook in &mut found {
            if hook.verdict == HookVerdict::Reopen {
                let result = sling::unsling_bead(town, &hook.bead);
                hook.done = result.is_ok();
                hook.failed = result.err().map(|error| format!("{error:#}"));
            }
        }
    }
    Ok(found)
}

fn find_holder(town: &Town, view: &TownView, bead: &Bead) -> HookHolder {
    let address = town.parse_address(&bead.assignee).ok();
    HookHolder {
        is_agent: address.is_some(),
        is_person: address == Some(Address::Overseer),
        has_session: address
            .as_ref()
            .is_some_and(|agent| view.session_of(agent).is_some()),
        has_sandbox: address.is_some_and(|agent| {
            matches!(agent, Address::Polecat(..) | Address::Crew(..))
                && town::agent_home(town, &agent).exists()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_agent_without_session_and_sandbox_loses_its_hooked_bead() {
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
