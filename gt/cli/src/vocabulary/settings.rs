//! Commands of the original about settings, hooks, plugins and the shell.

use super::{Group, kinder, refused, renamed, runs, same};

const PLUGIN: &str = "programs in `plugins/` are commands, and those in `hooks/` run at events";
const CHORE: &str = "recurring work of the town is a chore, and the patrol runs it when it is due";
const PLUGIN_NEXT: &str = "type `gt NAME` to run plugins/NAME/gt-NAME";
const ISSUE: &str = "the work of a session is what is on its hook";
const GUARD: &str =
    "agents hand in their work on the branch that they have, without a pull request";

/// See the module.
pub(super) const SETTINGS: Group = Group {
    title: "Settings",
    commands: &[
        same("config"),
        kinder("config get", "--show-origin names the file"),
        kinder("config set", "refuses values that a key does not take"),
        same("config agent"),
        same("config agent list"),
        same("config agent get"),
        kinder(
            "config agent set",
            "keeps the prompts and hooks of a built-in agent",
        ),
        same("config agent remove"),
        runs("config default-agent", "gt config set default_agent"),
        renamed(
            "config agent-email-domain",
            "gt config list",
            "addresses end in gastown.local",
        ),
        same("account"),
        same("account list"),
        same("account add"),
        same("account default"),
        same("account status"),
        kinder("account switch", "changes no file of the agent program"),
        same("enable"),
        same("disable"),
        same("shell"),
        same("shell install"),
        same("shell remove"),
        same("shell status"),
        same("hooks"),
        kinder("hooks list", "reports missing and changed hooks"),
        kinder("hooks install", "adds the missing hooks of every role"),
        same("hooks diff"),
        same("hooks sync"),
        renamed("hooks base", "gt hooks status", ""),
        renamed("hooks override", "gt hooks status", ""),
        renamed("hooks init", "gt hooks install", ""),
        renamed("hooks registry", "gt hooks status", ""),
        renamed("hooks scan", "gt hooks status", ""),
        refused("plugin", PLUGIN, PLUGIN_NEXT),
        refused("plugin list", PLUGIN, PLUGIN_NEXT),
        refused("plugin show", PLUGIN, PLUGIN_NEXT),
        renamed("plugin run", "gt dog dispatch CHORE", CHORE),
        renamed("plugin history", "gt feed --type patrol", CHORE),
        renamed("issue", "gt hook", ISSUE),
        renamed("issue set", "gt sling BEAD", ISSUE),
        renamed("issue clear", "gt unsling BEAD", ISSUE),
        runs("issue show", "gt hook"),
        kinder("theme", "a choice also applies to sessions that run"),
        kinder("theme apply", "of all rigs, unless --rig names one"),
        refused(
            "theme cli",
            "the terminal's own colours are used",
            "set NO_COLOR for none",
        ),
        kinder("uninstall", "removes no work"),
        same("completion"),
        same("cycle"),
        same("cycle next"),
        same("cycle prev"),
        renamed("town", "gt cycle next", ""),
        runs("town next", "gt cycle next"),
        runs("town prev", "gt cycle prev"),
        refused("tap", GUARD, "type `gt done`"),
        refused("tap guard", GUARD, "type `gt done`"),
        refused("tap guard pr-workflow", GUARD, "type `gt done`"),
    ],
};
