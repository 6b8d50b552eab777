//! Changes the beads of agents: state, last activity and slots.

use super::{ChangeError, NewBead, amend_bead, create_bead, load_live_bead};
pub use crate::bead::internal::AGENT_LABEL;
use crate::bead::{Bead, Kind};
use crate::store::Tx;

/// The states that an agent can report.
pub const AGENT_STATES: [&str; 8] = [
    "idle", "spawning", "running", "working", "stuck", "done", "stopped", "dead",
];

/// A place of an agent for one bead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum AgentSlot {
    /// The work on its hook.
    Hook,
    /// The definition of its role.
    Role,
}

impl AgentSlot {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Role => "role",
        }
    }

    /// Returns the bead in this slot of the agent. A free slot has the empty text.
    pub fn bead_of(self, agent: &Bead) -> &str {
        match self {
            Self::Hook => &agent.hook_bead,
            Self::Role => &agent.role_bead,
        }
    }
}

/// Puts a bead into a slot, or empties the slot. Fails if the hook already holds another bead.
pub fn set_slot(
    tx: &mut Tx<'_>,
    agent: &str,
    slot: AgentSlot,
    bead: &str,
) -> Result<Bead, ChangeError> {
    let current = agent_bead(tx, agent)?;
    let held = slot.bead_of(&current);
    if slot == AgentSlot::Hook && !bead.is_empty() && !held.is_empty() && held != bead {
        return Err(ChangeError::SlotTaken {
            agent: agent.to_owned(),
            by: held.to_owned(),
        });
    }
    amend_bead(tx, agent, |agent_bead| {
        let place = match slot {
            AgentSlot::Hook => &mut agent_bead.hook_bead,
            AgentSlot::Role => &mut agent_bead.role_bead,
        };
        bead.clone_into(place);
    })
}

/// Records the state of an agent. Creates the agent's bead if necessary.
pub fn set_agent_state(tx: &mut Tx<'_>, id: &str, state: &str) -> Result<Bead, ChangeError> {
    if tx.get_live(id).is_none() {
        let new = NewBead {
            id: Some(id.to_owned()),
            title: format!("Agent: {id}"),
            issue_type: Kind::Agent,
            labels: vec![AGENT_LABEL.to_owned()],
            ..NewBead::default()
        };
        create_bead(tx, new)?;
    }
    agent_bead(tx, id)?;
    let now = tx.now();
    amend_bead(tx, id, |agent_bead| {
        state.clone_into(&mut agent_bead.agent_state);
        agent_bead.last_activity = Some(now);
    })
}

/// Records the current time as the agent's last activity.
pub fn agent_heartbeat(tx: &mut Tx<'_>, id: &str) -> Result<Bead, ChangeError> {
    agent_bead(tx, id)?;
    let now = tx.now();
    amend_bead(tx, id, |agent_bead| agent_bead.last_activity = Some(now))
}

fn agent_bead(tx: &Tx<'_>, id: &str) -> Result<Bead, ChangeError> {
    let bead = load_live_bead(tx, id)?;
    if bead.is_agent() {
        return Ok(bead);
    }
    Err(ChangeError::NoAgent(id.to_owned()))
}
