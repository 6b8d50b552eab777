//! Everyday words of other tools.

use super::{Group, refused, renamed, runs};

const STOP: &str = "name what to stop";

/// See the module.
pub(super) const EVERYDAY: Group = Group {
    title: "Everyday words",
    commands: &[
        runs("ls", "gt status"),
        runs("list", "gt status"),
        runs("ps", "gt polecat list"),
        runs("workers", "gt polecat list"),
        runs("top", "gt status --watch"),
        runs("watch", "gt status --watch"),
        runs("logs", "gt feed"),
        runs("history", "gt why"),
        runs("events", "gt feed"),
        runs("tail", "gt feed --follow"),
        runs("queue", "gt mq list"),
        runs("say", "gt nudge"),
        runs("open", "gt attach"),
        renamed("new", "bd create TITLE", ""),
        renamed("create", "bd create TITLE", ""),
        renamed("add", "bd create TITLE", "`gt rig add` adds a repository"),
        renamed("rm", "bd delete ID", "`gt polecat nuke` removes a worker"),
        renamed("run", "gt sling BEAD RIG", ""),
        renamed("merge", "gt mq run RIG", ""),
        renamed(
            "stop",
            "gt down",
            "it stops the whole town and loses nothing",
        ),
        refused(
            "kill",
            STOP,
            "type one of\n  gt unsling BEAD\n  gt polecat nuke RIG/NAME\n  gt down",
        ),
        renamed(
            "restart",
            "gt polecat retry RIG/NAME",
            "`gt down`, `gt up` restart the town",
        ),
        renamed("send", "gt mail send TO -s SUBJECT", ""),
        renamed("tasks", "bd list", ""),
        renamed("beads", "bd list", ""),
        renamed("edit", "bd edit ID", ""),
        renamed("search", "bd search TEXT", ""),
    ],
};
