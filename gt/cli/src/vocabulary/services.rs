//! Commands of the original that start and stop the town.

use super::{Group, kinder, renamed, runs, same};

/// See the module.
pub(super) const SERVICES: Group = Group {
    title: "Start and stop",
    commands: &[
        same("up"),
        kinder(
            "down",
            "saves uncommitted work first, so that `gt up` goes on",
        ),
        runs("start", "gt up"),
        runs("start crew", "gt crew start"),
        runs("shutdown", "gt down"),
        same("daemon"),
        same("daemon start"),
        same("daemon stop"),
        same("daemon status"),
        same("daemon logs"),
        renamed("daemon run", "gt daemon start", ""),
    ],
};
