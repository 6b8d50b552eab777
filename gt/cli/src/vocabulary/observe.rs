//! Commands of the original that show what happens.

use super::{Group, accepted, kinder, refused, renamed, runs, same};

const COSTS: &str = "costs are read from the transcripts, so nothing is collected";
const COSTS_NEXT: &str = "type `gt costs --by day`";
const EMIT: &str = "each command records its own events";
const DIGEST: &str = "the patrol leaves no beads that need a digest";

/// See the module.
pub(super) const OBSERVE: Group = Group {
    title: "Observe",
    commands: &[
        kinder(
            "status",
            "also shows the daemon, queues, convoys and open questions",
        ),
        kinder(
            "feed",
            "prints what happened and ends; --follow waits for more",
        ),
        same("trail"),
        kinder("trail commits", "of all rigs"),
        kinder("trail beads", "of all rigs"),
        same("trail hooks"),
        runs("log", "gt feed"),
        renamed(
            "log crash",
            "gt feed --type session_ended",
            "the daemon records each end",
        ),
        kinder("audit", "also shows changes of beads field by field"),
        refused("activity", EMIT, "type `gt feed`"),
        refused("activity emit", EMIT, "type `gt feed`"),
        kinder("costs", "reads the transcripts, and has tokens too"),
        accepted(
            "costs record",
            "agents of the original call it at each stop; nothing is collected",
        ),
        refused("costs digest", COSTS, COSTS_NEXT),
        refused("costs migrate", COSTS, COSTS_NEXT),
        kinder(
            "dashboard",
            "the link is valid once, and reads only without --act",
        ),
        kinder("doctor", "names the fix for each finding"),
        runs("info", "gt version"),
        same("version"),
        same("whoami"),
        same("thanks"),
        kinder(
            "stale",
            "compares the running daemon with the installed programs",
        ),
        refused("patrol", DIGEST, "type `gt feed --type patrol`"),
        refused("patrol digest", DIGEST, "type `gt feed --type patrol`"),
        kinder(
            "prime",
            "--explain shows the parts of the text and their size",
        ),
        kinder("seance", "`gt seance search` finds words in past sessions"),
        same("checkpoint"),
        same("checkpoint write"),
        same("checkpoint read"),
        same("checkpoint clear"),
    ],
};
