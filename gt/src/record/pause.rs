//! The pause of a town, `.runtime/deacon/paused.json`: the patrol reads and writes messages, and does nothing else.

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::Town;

/// A pause.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pause {
    /// Whether the town is paused.
    pub paused: bool,
    /// Why.
    pub reason: String,
    /// Since when, RFC 3339.
    pub paused_at: String,
    /// Who paused it.
    pub paused_by: String,
}

impl Pause {
    /// The pause of a town, if it is paused. A file that cannot be read pauses it: its writer wanted quiet.
    pub fn of(town: &Town) -> Option<Self> {
        match state_file::read::<Self>(&town.layout.pause_file()) {
            Ok(pause) => pause.filter(|pause| pause.paused),
            Err(error) => Some(Self {
                paused: true,
                reason: format!("{error:#}"),
                ..Self::default()
            }),
        }
    }

    /// Pauses a town; a pause that is there is replaced.
    pub fn begin(town: &Town, reason: &str) -> anyhow::Result<Self> {
        let pause = Self {
            paused: true,
            reason: reason.to_owned(),
            paused_at: town.clock.now().to_string(),
            paused_by: town.actor.to_string(),
        };
        state_file::write(&town.layout.pause_file(), &pause)?;
        Ok(pause)
    }

    /// Ends the pause of a town. Returns the pause, if there was one.
    pub fn end(town: &Town) -> anyhow::Result<Option<Self>> {
        let pause = Self::of(town);
        file::remove_file(&town.layout.pause_file())?;
        Ok(pause)
    }

    /// In a few words, for a screen.
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
    use crate::testing::Place;

    #[test]
    fn a_town_is_paused_until_it_is_resumed_and_a_damaged_file_pauses_it() {
        let town = Place::new();
        let town = &town.town;
        assert_eq!(Pause::of(town), None);
        Pause::begin(town, "lunch").unwrap();
        let again = Pause::begin(town, "a long lunch").unwrap();
        assert_eq!(Pause::of(town), Some(again.clone()));
        assert_eq!(Pause::end(town).unwrap(), Some(again));
        assert_eq!(Pause::end(town).unwrap(), None);
        std::fs::write(town.layout.pause_file(), "{").unwrap();
        assert!(Pause::of(town).unwrap().reason.contains("paused.json"));
    }
}
