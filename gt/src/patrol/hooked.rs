//! Work on the hook of an agent that is no polecat, the mayor, crew or a dog, with a session that does not get on: rule G3.
//!
//! It is reminded once. If it still does not get on for as long again, a person hears of it. Such a session is never ended:
//! a person may be at work in it.

use bd::bead::{Bead, Status};
use bd::store::BeadMark;
use jiff::{SignedDuration, Timestamp};
use kit::ui::time::format_ago;

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::nudge;
use crate::flow::session::start;
use crate::host::{LiveTown, runtime};
use crate::record::hook_nudges;
use crate::record::progress::{self, ActivityCache, ProgressSign, WorkerActivity, WorkerProgress};
use crate::record::town_view::TownView;
use crate::town;
use crate::town::identity::Address;

const HOOKED: &str = include_str!("../../templates/message/quiet-hook.txt");

/// What is known about an agent with work on its hook and a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFacts {
    /// The agent's address.
    pub agent: String,
    /// The bead.
    pub bead: String,
    /// Its progress; the bead may have come onto the hook later than the session began.
    pub progress: WorkerProgress,
    /// When it was reminded of this bead.
    pub nudged: Option<Timestamp>,
    /// How long it may not get on.
    pub limit: SignedDuration,
}

/// Reads the facts.
pub(super) fn facts(town: &LiveTown, view: &TownView) -> Vec<HookFacts> {
    let mut nudges = None;
    let hooked = hooked_beads(view).into_iter();
    let found = hooked.filter_map(|(agent, bead)| {
        let live = view.session_of(&agent)?;
        let rig = agent.rig().map(|rig| town.layout.rig(rig));
        let limit = view
            .settings
            .for_rig(agent.rig())
            .duration(quiet_setting(&agent)?);
        let preset = runtime::resolve_runtime(town, rig.as_ref(), &agent, "");
        let preset = preset.map(|runtime| runtime.preset).unwrap_or_default();
        let home = town::agent_home(town, &agent);
        let (committed, fresh) = (progress::last_commit_in(&home), ActivityCache::default());
        let mut progress =
            progress::read_progress(town, &home, committed, &preset, live, limit, &fresh);
        let hooked = bead.updated_at.instant();
        if hooked > progress.at {
            (progress.at, progress.sign) = (hooked, ProgressSign::Start);
        }
        let agent = agent.to_string();
        let nudges = nudges.get_or_insert_with(|| hook_nudges::load_hook_nudges(town));
        let nudge = nudges.get(&agent).filter(|nudge| nudge.bead == bead.id);
        Some(HookFacts {
            nudged: nudge
                .map(|nudge| nudge.at)
                .filter(|at| *at >= progress.work && *at <= view.now),
            bead: bead.id.clone(),
            agent,
            progress,
            limit,
        })
    });
    found.collect()
}

/// The setting with the time that an agent may not get on; none for a polecat, which the witness watches, and for roles,
/// which have no hook.
fn quiet_setting(agent: &Address) -> Option<&'static str> {
    Some(match agent {
        Address::Mayor => "patrol.hook.mayor",
        Address::Crew(..) => "patrol.hook.crew",
        Address::Dog(_) => "patrol.hook.dog",
        _ => return None,
    })
}

impl HookFacts {
    /// From when on the step after the last one applies: the reminder, or after it the message to a person.
    pub(super) fn next_step_at(&self) -> Option<Timestamp> {
        let waits = matches!(self.progress.doing, WorkerActivity::Refused(_));
        if self.progress.attached || waits {
            return None;
        }
        let from = self.nudged.unwrap_or(self.progress.at);
        from.checked_add(self.limit).ok()
    }
}

/// G3: an agent that does not get on with the bead on its hook is reminded once.
pub(super) fn decide(facts: &[HookFacts], now: Timestamp) -> Vec<Decision> {
    let quiet = facts.iter().filter(|one| {
        let is_due = one.next_step_at().is_some_and(|at| at <= now);
        is_due && one.nudged.is_none()
    });
    quiet
        .map(|one| Decision {
            rule: rule::G3_NUDGE_HOOKED,
            saw: format!(
                "{} has {} on its hook: {}",
                one.agent,
                one.bead,
                one.progress.describe(now)
            ),
            action: Action::NudgeHooked {
                agent: one.agent.clone(),
                bead: one.bead.clone(),
            },
        })
        .collect()
}

/// In how long the next step applies to one of them.
pub(super) fn due(facts: &[HookFacts], now: Timestamp) -> Option<SignedDuration> {
    let steps = facts.iter().filter_map(HookFacts::next_step_at);
    let waits = steps.map(|at| at.duration_since(now));
    waits.filter(SignedDuration::is_positive).min()
}

/// Reminds an agent of the bead on its hook. It counts before it is typed: what cannot be typed now is no reason to try for
/// ever.
pub(super) fn remind_of_hook(
    town: &LiveTown,
    agent: &str,
    bead: &str,
) -> anyhow::Result<Option<String>> {
    let view = TownView::read(town)?;
    let facts = facts(town, &view);
    let still = decide(&facts, view.now).into_iter().any(|one| {
        matches!(&one.action, Action::NudgeHooked { agent: its, bead: b } if its == agent && b == bead)
    });
    let found = facts.iter().find(|one| one.agent == agent && still);
    let Some(found) = found else { return Ok(None) };
    let address = town.parse_address(agent)?;
    hook_nudges::record_hook_nudge(town, &address, bead)?;
    let time = format_ago(view.now, found.progress.at);
    let values = [("bead", bead), ("time", time.trim_end_matches(" ago"))];
    nudge::nudge_agent(town, &address, start::fill_template(HOOKED, &values).trim())?;
    Ok(Some("reminded".to_owned()))
}

/// The beads on the hooks of agents that are no polecats.
fn hooked_beads(view: &TownView) -> Vec<(Address, &Bead)> {
    let stores = std::iter::once(&view.stores.town).chain(view.stores.rigs.values());
    let hooked = stores
        .flat_map(|beads| beads.select_marked(&[BeadMark::Status(&Status::Hooked)], |_| true));
    let with_agent = hooked.filter_map(|bead| Some((bead.assignee.parse().ok()?, bead)));
    with_agent
        .filter(|(agent, _)| quiet_setting(agent).is_some())
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::patrol) fn now() -> Timestamp {
        "2026-01-01T12:00:00Z".parse().unwrap()
    }

    fn minutes(ago: i64) -> Timestamp {
        now() - SignedDuration::from_mins(ago)
    }

    pub(in crate::patrol) fn hooked(ago: i64, nudged: Option<i64>) -> HookFacts {
        HookFacts {
            agent: "mayor/".to_owned(),
            bead: "hq-1".to_owned(),
            progress: WorkerProgress {
                at: minutes(ago),
                sign: ProgressSign::Tool,
                work: minutes(ago),
                doing: WorkerActivity::AtPrompt,
                attached: false,
            },
            nudged: nudged.map(minutes),
            limit: SignedDuration::from_mins(30),
        }
    }

    #[test]
    fn when_the_next_step_applies_is_known() {
        let minute = SignedDuration::from_mins(1);
        let facts = [hooked(29, None), hooked(90, Some(40))];
        assert_eq!(due(&facts, now()), Some(minute));
    }
}
