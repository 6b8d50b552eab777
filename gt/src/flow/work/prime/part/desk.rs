//! Describes the desk of a worker: its ports and its database, and a setup that failed.

use super::ContextPart;
use crate::record::desk::{DeskNumbers, DeskProgress, list_carried_files};
use crate::town::config::{DeskSettings, SettingsLayers};
use crate::town::identity::Address;
use crate::town::{Town, agent_home};

/// Returns the desk of a polecat or a crew member whose rig has one.
pub(in crate::flow::work::prime) fn desk_part(
    town: &Town,
    address: &Address,
) -> Option<ContextPart> {
    let (Address::Polecat(rig, _) | Address::Crew(rig, _)) = address else {
        return None;
    };
    let rig = town.rig(rig);
    // A wrong setting is reported elsewhere.
    let layers = SettingsLayers::load(town, Some(&rig)).ok()?;
    let settings = DeskSettings::from_layers(&layers);
    let is_empty = settings.is_without_commands()
        && list_carried_files(&rig).is_ok_and(|files| files.is_empty());
    if is_empty {
        return None;
    }
    let tree = agent_home(town, address);
    let numbers = DeskNumbers::open(&town.env).ok()?;
    let number = numbers.find_of_tree(&tree)?;
    let mut text = format!(
        "# Your desk\n\nServers that you start use the ports {} to {} ($GT_PORT to $GT_PORT_END), a database \
         the name {} ($GT_DESK). No one else has them.\n",
        number.first_port(),
        number.last_port(),
        number.name
    );
    if let Some(DeskProgress::Failed { step, end, log }) = DeskProgress::read(&rig, &tree) {
        text.push_str(&format!(
            "The {step} of the desk failed ({end}). Its output is in {}.\n",
            log.display()
        ));
    }
    Some(ContextPart::fixed("desk", "gt rig desk", text))
}
