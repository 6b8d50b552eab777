//! Shows an agent's session.

use crate::host::ended::{SessionEnd, strip_end_message};
use crate::host::{LiveSession, LiveTown};
use crate::record::polecat::{Slot, find_polecat};
use crate::town::identity::{Address, SessionName};
use kit::ui::escape::quote_for_shell;

/// Returns the name of an agent's session. Fails for a user, who has none.
pub fn session_name_of(agent: &Address) -> anyhow::Result<SessionName> {
    SessionName::for_agent(agent)
        .ok_or_else(|| anyhow::anyhow!("`{agent}` is a user and has no session"))
}

/// Returns the session of an agent, running or just ended.
pub fn find_session(town: &LiveTown, agent: &Address) -> anyhow::Result<Option<LiveSession>> {
    Ok(match SessionName::for_agent(agent) {
        Some(name) => town.host.find_session(name.as_str())?,
        None => None,
    })
}

/// The agent has no session.
#[derive(Debug, thiserror::Error)]
#[error("{agent} has no session{}", if *has_work { "" } else { ", because it has no work" })]
pub struct NotRunning {
    pub agent: Address,
    /// False for a polecat without work, which needs no session.
    pub has_work: bool,
    /// The text that could not be typed into the session.
    pub unsent: Option<String>,
}

impl NotRunning {
    /// Returns the commands that explain it or start a session.
    pub fn next_steps(&self) -> Vec<String> {
        let agent = &self.agent;
        let mail = self
            .unsent
            .iter()
            .map(|text| format!("gt mail send {agent} -s {}", quote_for_shell(text)));
        mail.chain(self.start_steps()).collect()
    }

    fn start_steps(&self) -> Vec<String> {
        let agent = &self.agent;
        match agent {
            Address::Polecat(..) if !self.has_work => vec![format!("gt why {agent}")],
            Address::Polecat(..) => vec![
                format!("gt why {agent}"),
                format!("gt polecat retry {agent}"),
            ],
            Address::Crew(rig, name) => vec![format!("gt crew start {rig}/{name}")],
            Address::Witness(rig) | Address::Refinery(rig) => {
                vec![format!("gt {} start {rig}", agent.role())]
            }
            Address::Dog(name) => vec![format!("gt dog status {name}")],
            Address::Mayor | Address::Deacon | Address::Boot | Address::Overseer => {
                vec![format!("gt {} start", agent.role())]
            }
        }
    }
}

/// The last lines of an agent's screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastScreen {
    pub lines: Vec<String>,
    /// The end of the session, if it does not run any more.
    pub end: Option<SessionEnd>,
}

/// Returns the last lines of an agent's screen. After the end of a worker's session they are those
/// at its end.
pub fn read_last_screen(
    town: &LiveTown,
    agent: &Address,
    lines: usize,
) -> anyhow::Result<LastScreen> {
    if find_session(town, agent)?.is_some() {
        let lines = read_screen(town, agent, lines)?;
        return Ok(LastScreen { lines, end: None });
    }
    session_name_of(agent)?;
    let end = match read_slot(town, agent)? {
        Some(Slot {
            ended: Some(end), ..
        }) => end,
        slot => return Err(not_running(agent, slot.as_ref(), None).into()),
    };
    let skipped = end.screen.len().saturating_sub(lines);
    Ok(LastScreen {
        lines: end.screen[skipped..].to_vec(),
        end: Some(end),
    })
}

/// Reads the record of a polecat. None for other agents.
fn read_slot(town: &LiveTown, agent: &Address) -> anyhow::Result<Option<Slot>> {
    let Address::Polecat(rig, name) = agent else {
        return Ok(None);
    };
    let rig = town.find_rig(rig)?;
    let beads = rig.store()?.snapshot()?;
    let polecat = find_polecat(&rig, &beads, None, name)?;
    Ok(Some(polecat.slot))
}

/// Returns the reason why an agent has no session. None if its session runs.
pub fn find_stopped(town: &LiveTown, agent: &Address) -> anyhow::Result<Option<NotRunning>> {
    let live = find_session(town, agent)?;
    if live.is_some_and(|live| live.dead.is_none()) {
        return Ok(None);
    }
    let slot = read_slot(town, agent)?;
    Ok(Some(not_running(agent, slot.as_ref(), None)))
}

/// Refuses to type a text if the agent has no session.
pub fn check_session(town: &LiveTown, agent: &Address, text: &str) -> anyhow::Result<()> {
    if find_session(town, agent)?.is_some() {
        return Ok(());
    }
    let slot = read_slot(town, agent)?;
    Err(not_running(agent, slot.as_ref(), Some(text)).into())
}

fn not_running(agent: &Address, slot: Option<&Slot>, unsent: Option<&str>) -> NotRunning {
    NotRunning {
        unsent: unsent.map(str::to_owned),
        agent: agent.clone(),
        has_work: slot.is_none_or(|slot| !slot.bead.is_empty()),
    }
}

/// Returns the last lines of an agent's screen.
pub fn read_screen(town: &LiveTown, agent: &Address, lines: usize) -> anyhow::Result<Vec<String>> {
    let text = town.host.capture(session_name_of(agent)?.as_str(), lines)?;
    let text = text.trim_end();
    // The message about the end is on the lowest line of the screen, far below the others.
    let above = strip_end_message(text);
    let message = text[above.len()..].trim_start();
    let shown = above.lines().chain(message.lines());
    Ok(shown.map(str::to_owned).collect())
}

/// Returns the last lines of an agent's screen as one text, with the escape sequences that set
/// colours and attributes.
pub fn read_styled_screen(
    town: &LiveTown,
    agent: &Address,
    lines: usize,
) -> anyhow::Result<String> {
    let name = session_name_of(agent)?;
    let text = town.host.capture_styled(name.as_str(), lines)?;
    Ok(text.trim_end().to_owned())
}

/// Returns the command that opens an agent's session in a terminal.
pub fn attach_command(town: &LiveTown, agent: &Address) -> anyhow::Result<Vec<String>> {
    let session = session_name_of(agent)?;
    if town.host.find_session(session.as_str())?.is_none() {
        let slot = read_slot(town, agent)?;
        return Err(not_running(agent, slot.as_ref(), None).into());
    }
    let command = town.host.attach_command(session.as_str());
    anyhow::ensure!(!command.is_empty(), "this host cannot show sessions");
    Ok(command)
}
