//! Commands of the original about the town's places: rigs, crew, worktrees, names.

use super::{Group, kinder, refused, renamed, runs, same};

const STOPPED: &str = "saves uncommitted work, and nothing is started again until `gt rig start`";
const SAVED: &str = "saves uncommitted work";

/// See the module.
pub(super) const WORKSPACE: Group = Group {
    title: "Town, rigs and crew",
    commands: &[
        kinder(
            "install",
            "checks the programs that the town needs, and can be repeated",
        ),
        refused(
            "git-init",
            "a town needs no repository of its own",
            "type `git init` in the town",
        ),
        kinder(
            "init",
            "asks for town, repository, first task and agent, and makes a rig of the repository",
        ),
        same("rig"),
        kinder("rig add", "--no-remote makes a rig without a remote"),
        same("rig list"),
        same("rig remove"),
        kinder("rig status", "names the next step of each blocked request"),
        same("rig boot"),
        same("rig start"),
        kinder("rig stop", STOPPED),
        kinder("rig shutdown", STOPPED),
        kinder("rig restart", SAVED),
        kinder("rig reboot", SAVED),
        renamed(
            "rig reset",
            "gt deacon stale-hooks",
            "it frees beads whose worker is gone",
        ),
        kinder("rig park", "also stops polecats, and saves their work"),
        same("rig unpark"),
        kinder("rig dock", "also stops the agents on other machines"),
        same("rig undock"),
        renamed("rig config", "gt config list --rig RIG", ""),
        runs("rig config show", "gt config list --show-origin --rig"),
        runs("rig config set", "gt config set --rig"),
        runs("rig config unset", "gt config unset --rig"),
        renamed("rig settings", "gt config list --rig RIG", ""),
        runs("rig settings show", "gt config list --show-origin --rig"),
        runs("rig settings set", "gt config set --rig"),
        runs("rig settings unset", "gt config unset --rig"),
        refused(
            "rig detect",
            "the shell integration asks for the folder itself",
            "type `gt rig status` in the folder",
        ),
        same("rig quick-add"),
        runs("quick-add", "gt rig quick-add"),
        same("crew"),
        same("crew add"),
        same("crew list"),
        same("crew at"),
        kinder(
            "crew start",
            "names the question on a screen that waits for you",
        ),
        kinder("crew stop", "saves uncommitted work to a hidden ref"),
        kinder("crew restart", "saves uncommitted work to a hidden ref"),
        runs("crew refresh", "gt handoff"),
        same("crew status"),
        same("crew rename"),
        kinder("crew pristine", "never merges"),
        kinder("crew remove", "moves a clone with unsaved work aside"),
        runs("crew next", "gt cycle next"),
        runs("crew prev", "gt cycle prev"),
        kinder(
            "worktree",
            "makes a clone, which no other worktree can block",
        ),
        same("worktree list"),
        kinder("worktree remove", "moves a clone with unsaved work aside"),
        same("namepool"),
        same("namepool themes"),
        same("namepool set"),
        renamed(
            "namepool add",
            "gt config set --rig RIG namepool.names NAMES",
            "",
        ),
        renamed(
            "namepool reset",
            "gt config unset --rig RIG namepool.names",
            "",
        ),
    ],
};
