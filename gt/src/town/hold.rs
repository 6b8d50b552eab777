//! Reads and writes the reasons why nothing is started in a rig: the rig is parked on this machine,
//! or docked for all machines, or the whole town is stopped.
//!
//! All three are stored as older programs store them. Parking is `status` in the local layer of
//! the rig's settings. Docking is the label `status:docked` of the rig's bead, which is synced. A
//! stopped town has the file `ESTOP`.

use bd::bead::{Bead, Kind};
use bd::store::Snapshot;
use jiff::Timestamp;
use kit::sys::file;
use kit::ui::escape::escape_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::town::config::{self, ChangeError};
use crate::town::{Rig, Town, TownLayout};

/// The label of a docked rig's bead.
const DOCKED_LABEL: &str = "status:docked";
/// The local setting of a parked rig.
const STATUS_SETTING: &str = "status";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldState {
    Parked,
    Docked,
    Stopped,
}

/// A reason why nothing is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hold {
    pub state: HoldState,
    /// The reason in a few words.
    pub reason: String,
    /// The command that ends the hold.
    pub next: String,
}

/// A start that a hold prevents.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{}: nothing is started", .0.reason)]
pub struct HeldError(pub Hold);

impl Hold {
    fn parked(rig: &str) -> Self {
        Self {
            state: HoldState::Parked,
            reason: format!("rig {rig} is parked"),
            next: format!("gt rig unpark {rig}"),
        }
    }

    fn unreadable(rig: &str) -> Self {
        Self {
            state: HoldState::Parked,
            reason: format!("the local settings of rig {rig} cannot be read"),
            next: "gt doctor".to_owned(),
        }
    }

    fn docked(rig: &str) -> Self {
        Self {
            state: HoldState::Docked,
            reason: format!("rig {rig} is docked"),
            next: format!("gt rig undock {rig}"),
        }
    }

    /// Describes for what a queued bead waits.
    pub fn describe_wait(&self) -> String {
        format!("`{}` ({})", self.next, self.reason)
    }
}

/// The emergency stop of a town.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EmergencyStop {
    /// The agent or user that stopped the town.
    pub by: String,
    /// The time, RFC 3339.
    pub at: String,
    pub reason: String,
}

impl EmergencyStop {
    /// Reads the stop of a town, if it is stopped. An unreadable file counts as a stop.
    pub fn load(layout: &TownLayout) -> Option<Self> {
        let path = layout.emergency_stop();
        let bytes = match file::read_file_if_exists(&path) {
            Ok(bytes) => bytes?,
            Err(error) => {
                return Some(Self {
                    reason: format!("cannot read {}: {error}", path.display()),
                    ..Self::default()
                });
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut fields = text.trim_end().splitn(3, '\t');
        let [by, at, reason] = [(); 3].map(|()| fields.next().unwrap_or("").to_owned());
        Some(Self { by, at, reason })
    }

    /// Stops a town. Replaces an earlier stop.
    pub fn start(town: &Town, reason: &str) -> anyhow::Result<Self> {
        let stop = Self {
            by: town.actor.to_string(),
            at: town.clock.now().to_string(),
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        let text = format!("{}\t{}\t{}\n", stop.by, stop.at, stop.reason);
        file::replace_file(&town.layout.emergency_stop(), text.as_bytes(), 0o600)?;
        Ok(stop)
    }

    /// Ends the stop of a town. Returns the stop, if there was one.
    pub fn end(layout: &TownLayout) -> anyhow::Result<Option<Self>> {
        let stop = Self::load(layout);
        file::remove_file(&layout.emergency_stop())?;
        Ok(stop)
    }

    pub fn hold(&self) -> Hold {
        let reason = match self.reason.as_str() {
            "" => "the town is stopped".to_owned(),
            reason => format!("the town is stopped: {}", escape_line(reason)),
        };
        Hold {
            state: HoldState::Stopped,
            reason,
            next: "gt thaw".to_owned(),
        }
    }

    /// Returns the time of the stop.
    pub fn since(&self) -> Option<Timestamp> {
        self.at.parse().ok()
    }
}

/// Returns the hold of a rig, or of the whole town without a rig.
pub fn find_hold(rig: Option<&Rig>, layout: &TownLayout) -> Option<Hold> {
    if let Some(stop) = EmergencyStop::load(layout) {
        return Some(stop.hold());
    }
    let rig = rig?;
    if let Some(hold) = find_parking(rig) {
        return Some(hold);
    }
    // Unreadable beads are reported elsewhere, and nothing can be slung from them.
    let beads = rig.store().ok()?.snapshot().ok()?;
    is_docked(rig, &beads).then(|| Hold::docked(rig.name()))
}

/// Returns the hold of a rig whose beads were read.
pub(super) fn find_hold_in(
    rig: &Rig,
    beads: Option<&Snapshot>,
    stop: Option<&EmergencyStop>,
) -> Option<Hold> {
    if let Some(stop) = stop {
        return Some(stop.hold());
    }
    if let Some(hold) = find_parking(rig) {
        return Some(hold);
    }
    beads
        .is_some_and(|beads| is_docked(rig, beads))
        .then(|| Hold::docked(rig.name()))
}

/// Fails if nothing may be started in a rig, or in the town without a rig.
pub fn check_free(town: &Town, rig: Option<&str>) -> Result<(), HeldError> {
    find_hold(rig.map(|rig| town.rig(rig)).as_ref(), &town.layout)
        .map_or(Ok(()), |hold| Err(HeldError(hold)))
}

/// Returns the hold of a parked rig. A file that cannot be read counts as one, because the user may
/// have parked the rig.
fn find_parking(rig: &Rig) -> Option<Hold> {
    let path = rig.town().layout.wisp_config(rig.name());
    let bytes = match file::read_file_if_exists(&path) {
        Ok(bytes) => bytes?,
        Err(_) => return Some(Hold::unreadable(rig.name())),
    };
    let Ok(tree) = serde_json::from_slice::<Value>(&bytes) else {
        return Some(Hold::unreadable(rig.name()));
    };
    let status = tree["values"][STATUS_SETTING].as_str();
    matches!(status, Some("parked" | "docked")).then(|| Hold::parked(rig.name()))
}

fn is_docked(rig: &Rig, beads: &Snapshot) -> bool {
    let bead = beads.get_live(&bead_id_of(rig));
    bead.is_some_and(|bead| bead.has_label(DOCKED_LABEL))
}

fn bead_id_of(rig: &Rig) -> String {
    format!("{}-rig-{}", rig.prefix(), rig.name())
}

/// Parks a rig on this machine, or ends that. Returns true if that changed anything.
pub fn set_parked(rig: &Rig, is_set: bool) -> Result<bool, ChangeError> {
    if find_parking(rig).is_some() == is_set {
        return Ok(false);
    }
    let value = is_set.then(|| Value::from("parked"));
    config::change_local_value(rig, STATUS_SETTING, value)?;
    Ok(true)
}

/// Docks a rig for all machines, or ends that. Returns true if that changed anything.
pub fn set_docked(rig: &Rig, is_set: bool) -> anyhow::Result<bool> {
    let store = rig.store()?;
    let id = bead_id_of(rig);
    rig.transact(&store, |tx| {
        let now = tx.now();
        let mut bead = tx.get_live(&id).cloned().unwrap_or_else(|| Bead {
            id: id.clone(),
            title: rig.name().to_owned(),
            issue_type: Kind::Rig,
            labels: vec!["gt:rig".to_owned()],
            created_at: now.clone(),
            created_by: tx.actor().to_owned(),
            ..Bead::default()
        });
        if bead.has_label(DOCKED_LABEL) == is_set {
            return Ok(false);
        }
        bead.labels.retain(|label| label != DOCKED_LABEL);
        if is_set {
            bead.labels.push(DOCKED_LABEL.to_owned());
            bead.labels.sort();
        }
        bead.updated_at = now;
        tx.put(bead)?;
        Ok(true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_rig_is_held_while_it_is_parked_or_docked_or_the_town_is_stopped() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let town = &place.town;
        let rig = town.find_rig("web").unwrap();
        let state = || find_hold(Some(&rig), &town.layout).map(|hold| hold.state);
        assert_eq!(state(), None);
        assert!(set_docked(&rig, true).unwrap() && !set_docked(&rig, true).unwrap());
        assert_eq!(state(), Some(HoldState::Docked));
        assert!(set_parked(&rig, true).unwrap() && !set_parked(&rig, true).unwrap());
        assert_eq!(state(), Some(HoldState::Parked));
        EmergencyStop::start(town, "too\thot\n now").unwrap();
        assert_eq!(state(), Some(HoldState::Stopped));
        let stop = EmergencyStop::load(&town.layout).unwrap();
        assert_eq!(stop.reason, "too hot now");
        assert!(check_free(town, None).is_err());
        assert_eq!(EmergencyStop::end(&town.layout).unwrap(), Some(stop));
        assert!(set_parked(&rig, false).unwrap() && set_docked(&rig, false).unwrap());
        assert_eq!(state(), None);
        std::fs::write(town.layout.wisp_config("web"), "{").unwrap();
        assert_eq!(state(), Some(HoldState::Parked));
        // A folder cannot be read as a file.
        std::fs::create_dir(town.layout.emergency_stop()).unwrap();
        let unreadable = EmergencyStop::load(&town.layout).unwrap();
        assert!(
            unreadable.reason.starts_with("cannot read"),
            "{unreadable:?}"
        );
        assert_eq!(unreadable.by, "");
    }
}
