//! Checks the limits and safety rules before a session is started.

use anyhow::Context;

use crate::town::Town;
use crate::town::config;
use crate::town::identity::Address;

/// Fails if a limit or another safety rule that applies to an agent is wrong in the settings.
pub(super) fn check_guards(town: &Town, address: &Address) -> anyhow::Result<()> {
    let checked = match address.rig() {
        Some(rig) => config::check_guards(&town.rig(rig)),
        None => config::check_town_guards(town),
    };
    checked.context("no session is started until the settings are correct (`gt doctor`)")
}
