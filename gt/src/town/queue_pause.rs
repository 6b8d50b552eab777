//! Stores the pause of a rig's merge queue, `.runtime/queue-pause.json`. While it lasts, requests
//! are accepted and nothing is merged. Agents go on.

use kit::sys::file;
use kit::ui::escape::escape_line;
use serde::{Deserialize, Serialize};

use crate::town::config::{SettingsError, check_guards};
use crate::town::hold::{self, HeldError};
use crate::town::{Rig, RigLayout};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueuePause {
    pub rig: String,
    pub reason: String,
    pub paused_by: String,
    /// RFC 3339.
    pub paused_at: String,
}

/// A reason why a rig merges nothing now.
#[derive(Debug, thiserror::Error)]
pub enum MergeStop {
    #[error(transparent)]
    Held(#[from] HeldError),
    #[error("{0}")]
    Paused(String),
    #[error(transparent)]
    WrongSetting(#[from] SettingsError),
}

impl QueuePause {
    /// Returns the pause of a rig's queue, if it is paused. An unreadable file counts as a pause,
    /// because its writer wanted one.
    pub fn load(rig: &RigLayout) -> Option<Self> {
        let read = match file::read_file_if_exists(&rig.queue_pause()) {
            Ok(bytes) => serde_json::from_slice(&bytes?)
                .map_err(|error| format!("queue-pause.json: {error}")),
            Err(error) => Err(error.to_string()),
        };
        Some(read.unwrap_or_else(|reason| Self {
            rig: rig.name().to_owned(),
            reason,
            ..Self::default()
        }))
    }

    /// Pauses the queue of a rig. Replaces an existing pause.
    pub fn start(rig: &Rig, reason: &str) -> anyhow::Result<Self> {
        let pause = Self {
            rig: rig.name().to_owned(),
            reason: reason.to_owned(),
            paused_by: rig.town().actor.to_string(),
            paused_at: rig.town().clock.now().to_string(),
        };
        file::create_folder(&rig.runtime(), 0o755)?;
        let text = serde_json::to_vec_pretty(&pause)?;
        file::replace_file(&rig.queue_pause(), &text, 0o600)?;
        Ok(pause)
    }

    /// Ends the pause of a rig's queue. Returns the pause, if there was one.
    pub fn end(rig: &RigLayout) -> anyhow::Result<Option<Self>> {
        let pause = Self::load(rig);
        file::remove_file(&rig.queue_pause())?;
        Ok(pause)
    }

    /// Describes the pause in a few words.
    pub fn describe(&self) -> String {
        let by = match self.paused_by.as_str() {
            "" => String::new(),
            by => format!(" by {}", escape_line(by)),
        };
        let reason = match self.reason.as_str() {
            "" => String::new(),
            reason => format!(": {}", escape_line(reason)),
        };
        format!("the merge queue of rig {} is paused{by}{reason}", self.rig)
    }

    /// Returns the command that ends the pause.
    pub fn next_step(&self) -> String {
        format!("gt mq resume {}", self.rig)
    }
}

/// Fails if nothing may be merged in a rig: it is held, its queue is paused, or a limit or a gate
/// is wrong in the settings.
pub fn check_may_merge(rig: &Rig) -> Result<(), MergeStop> {
    hold::check_free(rig.town(), Some(rig.name()))?;
    match QueuePause::load(rig) {
        Some(pause) => {
            let what = pause.describe();
            let next = pause.next_step();
            Err(MergeStop::Paused(format!("{what} (`{next}`)")))
        }
        None => Ok(check_guards(rig)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_paused_queue_merges_nothing_until_it_is_resumed_and_a_damaged_file_pauses_it() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.rig("web");
        assert!(check_may_merge(&rig).is_ok());
        let pause = QueuePause::start(&rig, "release").unwrap();
        let refused = check_may_merge(&rig).unwrap_err().to_string();
        assert!(refused.contains("release") && refused.contains("gt mq resume web"));
        assert_eq!(QueuePause::end(&rig).unwrap(), Some(pause));
        assert_eq!(QueuePause::end(&rig).unwrap(), None);
        std::fs::write(rig.queue_pause(), "{").unwrap();
        assert!(check_may_merge(&rig).is_err());
    }
}
