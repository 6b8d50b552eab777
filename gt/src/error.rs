//! The one table from gt's typed errors to hints, exit codes and the code shown in JSON. Errors of the
//! bead library have their own table there.

use bd::error::Failure;

use crate::beads::UnknownBead;
use crate::identity::BadAddress;
use crate::lock::LockError;
use crate::town::{NotInTown, UnknownRig};

/// How a command's failure is shown.
pub fn failure(error: &anyhow::Error) -> Failure {
    let mut failure = Failure::of(error);
    let Some((code, hint)) = error.chain().find_map(known) else {
        return failure;
    };
    failure.code = code;
    if let Some(hint) = hint {
        failure.hint = Some(hint.to_owned());
    }
    failure
}

/// Code and hint of an error that this crate knows.
fn known(
    error: &(dyn std::error::Error + 'static),
) -> Option<(&'static str, Option<&'static str>)> {
    if error.is::<NotInTown>() {
        return Some((
            "not_in_town",
            Some(
                "go to a town's folder, set GT_TOWN_ROOT, or make a town with `gt install <path>`",
            ),
        ));
    }
    if error.is::<UnknownRig>() {
        return Some((
            "unknown_rig",
            Some("`gt rig list` shows the rigs; `gt rig add` makes one"),
        ));
    }
    if error.is::<UnknownBead>() {
        return Some((
            "not_found",
            Some("`bd list` shows the beads of a rig, `gt status` the town"),
        ));
    }
    if error.is::<BadAddress>() {
        return Some(("bad_address", None));
    }
    if let Some(LockError::Held { .. }) = error.downcast_ref() {
        return Some((
            "busy",
            Some("another gt or gtd is at work there; try again in a moment"),
        ));
    }
    None
}
