//! Rule H1: ends the sessions of a rig in which nothing may run, for example because it was docked
//! on another machine. No other rule starts or moves an agent there, or runs the queue. Crew
//! belongs to users, so its sessions are left alone.

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::agent::down;
use crate::host::LiveTown;
use crate::record::town_view::TownView;
use crate::town::Rig;
use crate::town::hold::Hold;
use crate::town::identity::{Address, SessionName};

/// The facts about a rig in which nothing may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldFacts {
    pub rig: String,
    pub hold: Hold,
    /// The sessions that still run.
    pub sessions: Vec<String>,
}

/// Reads the facts.
pub(super) fn facts(view: &TownView, rig: &str) -> Option<HeldFacts> {
    let hold = view.stores.holds.get(rig)?.clone();
    Some(HeldFacts {
        rig: rig.to_owned(),
        hold,
        sessions: view
            .sessions
            .iter()
            .flatten()
            .filter(|live| live.dead.is_none())
            .filter(|live| {
                let rigs = view.stores.rigs.keys().map(String::as_str);
                SessionName::parse_address(&live.name, rigs).is_some_and(|address| {
                    address.rig() == Some(rig) && !matches!(address, Address::Crew(..))
                })
            })
            .map(|live| live.name.clone())
            .collect(),
    })
}

/// H1: a session that runs in a held rig is ended.
pub(super) fn decide(facts: &HeldFacts) -> Option<Decision> {
    (!facts.sessions.is_empty()).then(|| Decision {
        rule: rule::H1_STOP_HELD,
        saw: format!(
            "{}, and {} runs",
            facts.hold.reason,
            facts.sessions.join(", ")
        ),
        action: Action::StopRig {
            rig: facts.rig.clone().into(),
        },
    })
}

/// Ends the sessions.
pub(super) fn stop_held(town: &LiveTown, rig: &Rig) -> anyhow::Result<Option<String>> {
    let ended = down::stop_rig(town, rig, down::CrewSessions::Keep)?;
    let count = kit::ui::counted(ended.sessions.len(), "session");
    Ok((!ended.sessions.is_empty()).then(|| format!("{count} ended")))
}
