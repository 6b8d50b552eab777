//! Gives running sessions the colours of their status lines, `gt theme apply`.

use crate::host::LiveTown;
use crate::record::theme::StatusTheme;
use crate::town::identity::SessionName;

/// Gives the running sessions of a rig, or of the town, their colours. Returns their names.
pub fn apply_themes(town: &LiveTown, rig: Option<&str>) -> anyhow::Result<Vec<String>> {
    let rigs = town.list_rigs()?;
    let mut applied = Vec::new();
    for live in town.host.list()? {
        let names = rigs.iter().map(|rig| rig.name());
        let Some(agent) = SessionName::parse_address(&live.name, names) else {
            continue;
        };
        if live.dead.is_some() || rig.is_some_and(|rig| agent.rig() != Some(rig)) {
            continue;
        }
        let style = StatusTheme::for_agent(town, &agent).tmux_style();
        town.host.set_status_style(&live.name, &style)?;
        applied.push(live.name);
    }
    Ok(applied)
}
