//! Shows an agent's session.

use crate::host::{LiveSession, LiveTown};
use crate::town::identity::{Address, SessionName};

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

/// Returns the last lines of an agent's screen.
pub fn read_screen(town: &LiveTown, agent: &Address, lines: usize) -> anyhow::Result<Vec<String>> {
    let text = town.host.capture(session_name_of(agent)?.as_str(), lines)?;
    Ok(text.trim_end().lines().map(str::to_owned).collect())
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
    anyhow::ensure!(
        town.host.find_session(session.as_str())?.is_some(),
        "{agent} has no session right now: not found"
    );
    let command = town.host.attach_command(session.as_str());
    anyhow::ensure!(!command.is_empty(), "this host cannot show sessions");
    Ok(command)
}
