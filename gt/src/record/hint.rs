//! Records the hints that a user has seen, so that each is shown once.

use std::collections::BTreeSet;

use super::state_file::{change_state, read_state_or_default};
use crate::town::Town;
use crate::town::config::SettingsLayers;
use crate::town::identity::Address;

/// Returns true if the user has not seen this hint, and records it as seen. False for agents, and
/// if the setting `hints` is off.
pub fn take_hint(town: &Town, name: &str) -> bool {
    if town.actor != Address::Overseer {
        return false;
    }
    let path = town.layout.hints();
    // A damaged file shows no hint: it is no reason to disturb a command.
    let Ok(seen) = read_state_or_default::<BTreeSet<String>>(&path) else {
        return false;
    };
    if seen.contains(name)
        || SettingsLayers::load(town, None).is_ok_and(|layers| !layers.flag("hints"))
    {
        return false;
    }
    change_state(&town.layout, &path, |seen: &mut BTreeSet<String>| {
        seen.insert(name.to_owned())
    })
    .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_hint_is_taken_once_and_never_if_hints_are_off() {
        let place = TestTown::new();
        assert!(take_hint(&place.town, "queue"));
        assert!(!take_hint(&place.town, "queue"));
        std::fs::write(place.town.layout.settings(), r#"{"hints": false}"#).unwrap();
        assert!(!take_hint(&place.town, "agent"));
        std::fs::write(place.town.layout.settings(), "{}").unwrap();
        assert!(take_hint(&place.town, "agent"));
    }
}
