//! The common commands of `bd`, grouped by task, for its short help.

use kit::cli::overview::TaskGroup;

pub(super) const GROUPS: &[TaskGroup] = &[
    TaskGroup {
        task: "Find work",
        commands: &["ready", "list", "show", "search", "blocked", "status"],
    },
    TaskGroup {
        task: "Do work",
        commands: &[
            "create", "update", "comment", "close", "reopen", "defer", "delete",
        ],
    },
    TaskGroup {
        task: "Plan",
        commands: &["link", "dep", "label", "epic", "graph", "mol"],
    },
    TaskGroup {
        task: "Look back",
        commands: &["history", "activity", "undo", "restore"],
    },
    TaskGroup {
        task: "Share and keep",
        commands: &["sync", "import", "export", "doctor", "compact"],
    },
    TaskGroup {
        task: "Set up",
        commands: &[
            "init",
            "setup",
            "config",
            "hooks",
            "uninstall",
            "quickstart",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::everyday;

    #[test]
    fn each_command_of_the_overview_exists_and_appears_once() {
        let command = super::super::build_command_line();
        let faults = kit::cli::overview::find_faults(&command, GROUPS);
        assert!(faults.is_empty(), "{faults:?}");
        for name in GROUPS.iter().flat_map(|group| group.commands) {
            assert!(everyday::suggest_commands(name).is_empty(), "{name}");
        }
    }
}
