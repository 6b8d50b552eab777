//! Stores the pause of a town, `.runtime/deacon/paused.json`. In a pause the patrol reads and
//! writes messages, and does nothing else.

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::{Town, TownLayout};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TownPause {
    pub paused: bool,
    pub reason: String,
    pub paused_at: String,
    pub paused_by: String,
}

impl TownPause {
    /// Returns the pause of a town, if it is paused. An unreadable file counts as a pause, because
    /// its writer wanted one.
    pub fn load(layout: &TownLayout) -> Option<Self> {
        match state_file::read_state::<Self>(&layout.pause_file()) {
            Ok(pause) => pause.filter(|pause| pause.paused),
            Err(error) => Some(Self {
                paused: true,
                reason: format!("{error:#}"),
                ..Self::default()
            }),
        }
    }

    /// Pauses a town. Replaces an existing pause.
    pub fn start(town: &Town, reason: &str) -> anyhow::Result<Self> {
        let pause = Self {
            paused: true,
            reason: reason.to_owned(),
            paused_at: town.clock.now().to_string(),
            paused_by: town.actor.to_string(),
        };
        state_file::write_state(&town.layout.pause_file(), &pause)?;
        Ok(pause)
    }

    /// Ends the pause of a town. Returns the pause, if there was one.
    pub fn end(layout: &TownLayout) -> anyhow::Result<Option<Self>> {
        let pause = Self::load(layout);
        file::remove_file(&layout.pause_file())?;
        Ok(pause)
    }

    /// Describes the pause in a few words.
    pub fn describe(&self) -> String {
        let reason = kit::ui::escape::escape_line(&self.reason);
        if reason.is_empty() {
            "the town is paused".to_owned()
        } else {
            format!("the town is paused: {reason}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_town_is_paused_until_it_is_resumed_and_a_damaged_file_pauses_it() {
        let town = TestTown::new();
        let town = &town.town;
        assert_eq!(TownPause::load(&town.layout), None);
        TownPause::start(town, "lunch").unwrap();
        let again = TownPause::start(town, "a long lunch").unwrap();
        assert_eq!(TownPause::load(&town.layout), Some(again.clone()));
        assert_eq!(TownPause::end(&town.layout).unwrap(), Some(again));
        assert_eq!(TownPause::end(&town.layout).unwrap(), None);
        std::fs::write(town.layout.pause_file(), "{").unwrap();
        assert!(
            TownPause::load(&town.layout)
                .unwrap()
                .reason
                .contains("paused.json")
        );
    }
}
