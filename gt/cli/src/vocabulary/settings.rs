//! Commands of the original about settings, hooks, plugins and the shell.

use super::{Group, kinder, refused, renamed, runs, same};

const ACCOUNT: &str = "an agent program uses the account that it is logged in with";
const ACCOUNT_NEXT: &str = "set CLAUDE_CONFIG_DIR in the `env` of an agent in settings/config.json";
const SHELL: &str = "the town is found from the working directory";
const SHELL_NEXT: &str = "set GT_TOWN_ROOT outside of it";
const THEME: &str = "the status line of a session is tmux's own";
const THEME_NEXT: &str = "set it in ~/.tmux.conf";
const PLUGIN: &str = "programs in `plugins/` are commands, and those in `hooks/` run at events";
const PLUGIN_NEXT: &str = "type `gt NAME` to run plugins/NAME/gt-NAME";
const ISSUE: &str = "the work of a session is what is on its hook";
const TMUX: &str = "tmux has a key for it";
const GUARD: &str =
    "agents hand in their work on the branch that they have, without a pull request";

/// See the module.
pub(super) const SETTINGS: Group = Group {
    title: "Settings",
    commands: &[
        same("config"),
        kinder("config get", "--show-origin names the file"),
        kinder("config set", "refuses values that a key does not take"),
        renamed(
            "config agent",
            "gt config list",
            "settings/config.json has the agents",
        ),
        renamed(
            "config agent list",
            "gt config list",
            "settings/config.json has the agents",
        ),
        renamed(
            "config agent get",
            "gt config list",
            "settings/config.json has the agents",
        ),
        renamed("config agent set", "gt config set default_agent NAME", ""),
        renamed("config agent remove", "gt config unset default_agent", ""),
        runs("config default-agent", "gt config set default_agent"),
        renamed(
            "config agent-email-domain",
            "gt config list",
            "addresses end in gastown.local",
        ),
        refused("account", ACCOUNT, ACCOUNT_NEXT),
        refused("account list", ACCOUNT, ACCOUNT_NEXT),
        refused("account add", ACCOUNT, ACCOUNT_NEXT),
        refused("account default", ACCOUNT, ACCOUNT_NEXT),
        refused("account status", ACCOUNT, ACCOUNT_NEXT),
        refused("account switch", ACCOUNT, ACCOUNT_NEXT),
        refused("enable", SHELL, SHELL_NEXT),
        refused("disable", SHELL, SHELL_NEXT),
        refused("shell", SHELL, SHELL_NEXT),
        refused("shell install", SHELL, SHELL_NEXT),
        refused("shell remove", SHELL, SHELL_NEXT),
        refused("shell status", SHELL, SHELL_NEXT),
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
        refused("plugin run", PLUGIN, PLUGIN_NEXT),
        refused("plugin history", PLUGIN, PLUGIN_NEXT),
        refused("issue", ISSUE, "type `gt hook`"),
        refused("issue set", ISSUE, "type `gt sling BEAD`"),
        refused("issue clear", ISSUE, "type `gt unsling BEAD`"),
        refused("issue show", ISSUE, "type `gt hook`"),
        refused("theme", THEME, THEME_NEXT),
        refused("theme apply", THEME, THEME_NEXT),
        refused(
            "theme cli",
            "the terminal's own colours are used",
            "set NO_COLOR for none",
        ),
        refused(
            "uninstall",
            "a town is one folder",
            "type `gt down`, then remove the folder",
        ),
        same("completion"),
        refused("cycle", TMUX, "press Ctrl-b ) or Ctrl-b ("),
        refused("cycle next", TMUX, "press Ctrl-b )"),
        refused("cycle prev", TMUX, "press Ctrl-b ("),
        refused("town", TMUX, "press Ctrl-b ) or Ctrl-b ("),
        refused("town next", TMUX, "press Ctrl-b )"),
        refused("town prev", TMUX, "press Ctrl-b ("),
        refused("tap", GUARD, "type `gt done`"),
        refused("tap guard", GUARD, "type `gt done`"),
        refused("tap guard pr-workflow", GUARD, "type `gt done`"),
    ],
};
