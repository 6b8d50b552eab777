//! The common commands of `gt`, grouped by task, for its short help.

use kit::cli::overview::TaskGroup;

pub(super) const GROUPS: &[TaskGroup] = &[
    TaskGroup {
        task: "Start",
        commands: &["init", "rig", "up", "down", "demo", "doctor"],
    },
    TaskGroup {
        task: "Give work",
        commands: &["sling", "unsling", "scheduler", "convoy", "ready", "crew"],
    },
    TaskGroup {
        task: "Watch",
        commands: &[
            "top",
            "dashboard",
            "status",
            "feed",
            "attach",
            "peek",
            "why",
            "trail",
        ],
    },
    TaskGroup {
        task: "Talk",
        commands: &["mayor", "nudge", "mail", "escalate", "broadcast"],
    },
    TaskGroup {
        task: "Merge and keep",
        commands: &["mq", "polecat", "rescue", "backup", "followup"],
    },
    TaskGroup {
        task: "Set up",
        commands: &[
            "config",
            "formula",
            "hooks",
            "daemon",
            "migrate",
            "completion",
        ],
    },
    TaskGroup {
        task: "For agents",
        commands: &["prime", "hook", "mol", "done", "handoff"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_of_the_overview_exists_and_appears_once() {
        let command = super::super::build_command_line();
        let faults = kit::cli::overview::find_faults(&command, GROUPS);
        assert!(faults.is_empty(), "{faults:?}");
    }
}
