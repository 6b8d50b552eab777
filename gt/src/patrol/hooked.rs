//! Rule G3: reminds an agent other than a polecat (mayor, crew or dog) that has a session and makes
//! no progress on its hooked bead.
//!
//! The agent is reminded once. If it makes no progress for the same time again, the user gets a
//! message. Such a session is never ended, because a user may work in it.

use bd::bead::{Bead, Status};
use bd::store::BeadMark;
use jiff::{SignedDuration, Timestamp};
use kit::ui::time::format_ago;

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::agent::nudge;
use crate::flow::agent::session::start;
use crate::host::LiveTown;
use crate::host::runtime::{self, RuntimePreset};
use crate::record::hook_nudges;
use crate::record::progress::{self, ActivityCache, ProgressSign, WorkerActivity, WorkerProgress};
use crate::record::town_view::TownView;
use crate::town;
use crate::town::identity::Address;

const HOOKED_MESSAGE: &str = include_str!("../../templates/message/quiet-hook.txt");

/// The facts about an agent with hooked work and a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFacts {
    pub agent: String,
    pub bead: String,
    /// The agent's progress. The bead may have been hooked after the session started.
    pub progress: WorkerProgress,
    /// The time of the reminder for this bead.
    pub nudged: Option<Timestamp>,
    /// The allowed time without progress.
    pub limit: SignedDuration,
}

/// Reads the facts.
pub(super) fn facts(town: &LiveTown, view: &TownView) -> Vec<HookFacts> {
    let mut nudges = None;
    hooked_beads(view)
        .into_iter()
        .filter_map(|(agent, bead)| {
            let live = view.session_of(&agent)?;
            let rig = agent.rig().map(|rig| town.rig(rig));
            let limit = view
                .settings
                .for_rig(agent.rig())
                .duration(quiet_setting(&agent)?);
            let preset = runtime::resolve_runtime(town, rig.as_ref(), &agent, None);
            // The screen of an unknown program shows no sign; the other signs count.
            let preset = preset.map_or_else(|_| RuntimePreset::default(), |runtime| runtime.preset);
            let home = town::agent_home(town, &agent);
            let committed = progress::last_commit_in(&home);
            let fresh = ActivityCache::default();
            let mut progress =
                progress::read_progress(town, &home, committed, &preset, live, limit, &fresh);
            let hooked = bead.updated_at.instant();
            if hooked > progress.at {
                (progress.at, progress.sign) = (hooked, ProgressSign::Start);
            }
            let agent = agent.to_string();
            let nudges = nudges.get_or_insert_with(|| hook_nudges::load_hook_nudges(&town.layout));
            Some(HookFacts {
                nudged: nudges
                    .get(&agent)
                    .filter(|nudge| nudge.bead == bead.id)
                    .map(|nudge| nudge.at)
                    .filter(|at| *at >= progress.work && *at <= view.now),
                bead: bead.id.clone(),
                agent,
                progress,
                limit,
            })
        })
        .collect()
}

/// Returns the setting for the allowed time without progress. None for polecats, which the witness
/// watches, and for roles, which have no hook.
fn quiet_setting(agent: &Address) -> Option<&'static str> {
    Some(match agent {
        Address::Mayor => "patrol.hook.mayor",
        Address::Crew(..) => "patrol.hook.crew",
        Address::Dog(_) => "patrol.hook.dog",
        _ => return None,
    })
}

impl HookFacts {
    /// Returns the time of the next step: the reminder, or after it the message to the user.
    pub(super) fn next_step_at(&self) -> Option<Timestamp> {
        let resumes = match &self.progress.doing {
            // The end of a pause starts no session: the reminder makes the agent go on.
            WorkerActivity::Refused(refusal) if refusal.is_usage_limit() => refusal.until,
            WorkerActivity::Refused(_) => return None,
            _ => None,
        };
        if self.progress.attached {
            return None;
        }
        let from = self.nudged.unwrap_or(self.progress.at);
        let step = from.checked_add(self.limit).ok()?;
        Some(resumes.map_or(step, |resumes| step.max(resumes)))
    }
}

/// G3: an agent without progress on its hooked bead is reminded once.
pub(super) fn decide(facts: &[HookFacts], now: Timestamp) -> Vec<Decision> {
    facts
        .iter()
        .filter(|hook| {
            let is_due = hook.next_step_at().is_some_and(|at| at <= now);
            is_due && hook.nudged.is_none()
        })
        .map(|hook| Decision {
            rule: rule::G3_NUDGE_HOOKED,
            saw: format!(
                "{} has {} on its hook: {}",
                hook.agent,
                hook.bead,
                hook.progress.describe(now)
            ),
            action: Action::NudgeHooked {
                agent: hook.agent.clone(),
                bead: hook.bead.clone(),
            },
        })
        .collect()
}

/// Returns the time until the next step of any agent.
pub(super) fn due(facts: &[HookFacts], now: Timestamp) -> Option<SignedDuration> {
    facts
        .iter()
        .filter_map(HookFacts::next_step_at)
        .map(|at| at.duration_since(now))
        .filter(SignedDuration::is_positive)
        .min()
}

/// Reminds an agent of the bead on its hook. Recorded before the text is typed, so that a failure
/// is not retried forever.
pub(super) fn remind_of_hook(
    town: &LiveTown,
    agent: &str,
    bead: &str,
) -> anyhow::Result<Option<String>> {
    let view = TownView::read(town)?;
    let facts = facts(town, &view);
    let still = decide(&facts, view.now).into_iter().any(|decision| {
        matches!(&decision.action, Action::NudgeHooked { agent: its, bead: b } if its == agent && b == bead)
    });
    let found = facts.iter().find(|hook| hook.agent == agent && still);
    let Some(found) = found else { return Ok(None) };
    let address = town.parse_address(agent)?;
    hook_nudges::record_hook_nudge(town, &address, bead)?;
    let time = format_ago(view.now, found.progress.at);
    let values = [("bead", bead), ("time", time.trim_end_matches(" ago"))];
    nudge::nudge_agent(
        town,
        &address,
        start::fill_template(HOOKED_MESSAGE, &values).trim(),
    )?;
    Ok(Some("reminded".to_owned()))
}

/// A crew member or mayor that has a bead on its hook and no session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SleepingAgent {
    pub agent: Address,
    pub bead: String,
    /// The time from which a user gets a message.
    pub due: Timestamp,
}

/// Returns the crew members and the mayor if they have work and no session. A user starts them.
pub(super) fn sleeping_agents(view: &TownView) -> Vec<SleepingAgent> {
    if view.sessions.is_none() {
        return Vec::new();
    }
    hooked_beads(view)
        .into_iter()
        .filter(|(agent, _)| {
            let is_held = match agent.rig() {
                Some(rig) => view.stores.holds.contains_key(rig),
                None => view.stores.stopped.is_some(),
            };
            matches!(agent, Address::Mayor | Address::Crew(..))
                && view.session_of(agent).is_none()
                && !is_held
        })
        .filter_map(|(agent, bead)| {
            let settings = view.settings.for_rig(agent.rig());
            let limit = settings.duration(quiet_setting(&agent)?);
            Some(SleepingAgent {
                due: bead.updated_at.instant().checked_add(limit).ok()?,
                bead: bead.id.clone(),
                agent,
            })
        })
        .collect()
}

/// Returns the beads on the hooks of agents other than polecats.
fn hooked_beads(view: &TownView) -> Vec<(Address, &Bead)> {
    std::iter::once(&view.stores.town)
        .chain(view.stores.rigs.values())
        .flat_map(|beads| beads.select_open(&[BeadMark::Status(&Status::Hooked)]))
        .filter_map(|bead| Some((bead.assignee.parse().ok()?, bead)))
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
                changed: None,
                doing: WorkerActivity::AtPrompt,
                attached: false,
            },
            nudged: nudged.map(minutes),
            limit: SignedDuration::from_mins(30),
        }
    }

    #[test]
    fn the_time_of_the_next_reminder_step_is_computed() {
        let minute = SignedDuration::from_mins(1);
        let facts = [hooked(29, None), hooked(90, Some(40))];
        assert_eq!(due(&facts, now()), Some(minute));
    }
}
