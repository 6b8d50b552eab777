//! Commands that later versions of the original added.

use super::{Group, kinder, refused, renamed, runs, same};

const SQL: &str = "beads are plain files; there is no database server";
const PACKAGE: &str = "the package manager that installed the programs does it";
const PATROL: &str = "the patrol does it";

/// See the module.
pub(super) const LATER: Group = Group {
    title: "Later versions",
    commands: &[
        same("assign"),
        runs("remember", "bd remember"),
        runs("memories", "bd memories"),
        runs("forget", "bd forget"),
        runs("recall", "bd recall"),
        same("directive"),
        same("directive show"),
        same("directive edit"),
        same("directive list"),
        same("quota"),
        same("quota status"),
        kinder("quota scan", "marks the accounts without --update"),
        kinder(
            "quota rotate",
            "changes the default account, and no login of the agent program",
        ),
        same("quota clear"),
        renamed("quota watch", "gt quota scan", "run it again now and then"),
        same("scheduler"),
        kinder(
            "scheduler status",
            "names the reason why no worker is started",
        ),
        kinder("scheduler list", "says for what each bead waits"),
        same("scheduler pause"),
        same("scheduler resume"),
        kinder("scheduler clear", "prints how to sling each bead again"),
        same("scheduler run"),
        kinder(
            "estop",
            "ends the sessions and saves their work instead of freezing them",
        ),
        same("thaw"),
        runs("vitals", "gt status"),
        kinder("metrics", "prints numbers for Prometheus"),
        runs("health", "gt status --health"),
        renamed("heartbeat", "gt deacon heartbeat", ""),
        renamed("repair", "gt doctor", ""),
        renamed("cleanup", "gt deacon zombie-scan --kill", ""),
        kinder(
            "prune-branches",
            "of all rigs, and removes no branch but those of polecats",
        ),
        refused("warrant", PATROL, "type `gt polecat nuke RIG/NAME`"),
        same("changelog"),
        refused("upgrade", PACKAGE, "type `gt version` to see what runs"),
        renamed("mountain", "gt sling EPIC", ""),
        refused("dolt", SQL, "type `bd where` to see the folder"),
        renamed("reaper", "gt compact", ""),
        kinder("compact", "of everything that grows, not only of wisps"),
        renamed("maintain", "gt compact", ""),
        refused("krc", PATROL, "type `gt feed`"),
        refused(
            "wl",
            "a town shares beads by its repositories",
            "type `bd sync --full`",
        ),
        renamed("convoy stage", "gt convoy create NAME BEADS", ""),
        runs("convoy launch", "gt sling"),
        renamed(
            "config cost-tier",
            "gt config agent list",
            "role_agents in the settings gives a role an agent of its own",
        ),
        renamed("convoy watch", "gt convoy create NAME --notify", ""),
        refused(
            "convoy unwatch",
            "subscribers are named at `gt convoy create`",
            "ignore its mail",
        ),
        refused(
            "mq post-merge",
            "a merge closes its request and bead",
            "type `gt mq list RIG`",
        ),
        kinder(
            "polecat prune",
            "keeps branches with commits that are not merged",
        ),
    ],
};
