//! Chooses the session before or after another one, in its group: the town's agents, the crew of a
//! rig, its witness and refinery, or its polecats.

use crate::host::LiveTown;
use crate::town::identity::{Address, SessionName};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CycleDirection {
    Next,
    Previous,
}

/// Switches a terminal to the session before or after `session`, or after the caller's own. Returns
/// that session. `client` is the terminal, as tmux names it.
pub fn switch_to_neighbour(
    town: &LiveTown,
    session: Option<&str>,
    client: Option<&str>,
    direction: CycleDirection,
) -> anyhow::Result<Option<String>> {
    let own = SessionName::for_agent(&town.actor).map(|name| name.to_string());
    let Some(session) = session.map(str::to_owned).or(own) else {
        anyhow::bail!("this is no session of the town: name one with --session");
    };
    let found = find_neighbour(town, &session, direction)?;
    if let Some(name) = &found {
        town.host.switch_client(client, name)?;
    }
    Ok(found)
}

/// Returns the running session before or after `session` in its group. None if the group has no
/// other session.
fn find_neighbour(
    town: &LiveTown,
    session: &str,
    direction: CycleDirection,
) -> anyhow::Result<Option<String>> {
    let rigs = town.list_rigs()?;
    let parse_session =
        |name: &str| SessionName::parse_address(name, rigs.iter().map(|rig| rig.name()));
    let Some(group) = parse_session(session).map(|address| group_of(&address)) else {
        return Ok(None);
    };
    let mut members: Vec<String> = town
        .host
        .list()?
        .into_iter()
        .filter(|live| live.dead.is_none())
        .map(|live| live.name)
        .filter(|name| parse_session(name).is_some_and(|address| group_of(&address) == group))
        .collect();
    members.sort_unstable();
    Ok(choose_neighbour(&members, session, direction))
}

/// Returns the name of an agent's group.
fn group_of(agent: &Address) -> String {
    match agent {
        Address::Crew(rig, _) => format!("crew of {rig}"),
        Address::Polecat(rig, _) => format!("polecats of {rig}"),
        Address::Witness(rig) | Address::Refinery(rig) => format!("roles of {rig}"),
        _ => "town".to_owned(),
    }
}

/// Returns the neighbour of a session in a sorted list. The ends of the list are neighbours.
fn choose_neighbour(
    members: &[String],
    session: &str,
    direction: CycleDirection,
) -> Option<String> {
    let at = members.iter().position(|name| name == session)?;
    let step = match direction {
        CycleDirection::Next => 1,
        CycleDirection::Previous => members.len() - 1,
    };
    let neighbour = &members[(at + step) % members.len()];
    (neighbour != session).then(|| neighbour.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbours_of_a_session_wrap_around() {
        let members = ["a", "b", "c"].map(str::to_owned);
        let of = |name, direction| choose_neighbour(&members, name, direction);
        assert_eq!(of("c", CycleDirection::Next).as_deref(), Some("a"));
        assert_eq!(of("a", CycleDirection::Previous).as_deref(), Some("c"));
        assert_eq!(of("x", CycleDirection::Next), None);
        let one = choose_neighbour(&members[..1], "a", CycleDirection::Next);
        assert_eq!(one, None);
    }
}
