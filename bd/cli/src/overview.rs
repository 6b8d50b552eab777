//! The short help of the program: the common commands, grouped by task.

/// Commands for one task.
struct TaskGroup {
    task: &'static str,
    commands: &'static [&'static str],
}

const GROUPS: &[TaskGroup] = &[
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

/// The help that a command line without a command asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HelpPage {
    /// The common commands.
    Overview,
    /// All commands.
    All,
}

/// Returns the requested page if the line asks for the help of the program.
pub(super) fn find_page(words: &[String]) -> Option<HelpPage> {
    let words = words.get(1..).unwrap_or_default();
    let is_help = |word: &str| ["-h", "--help", "help"].contains(&word);
    let asks = words.iter().any(|word| is_help(word))
        && words.iter().all(|word| is_help(word) || word == "--all");
    let page = if words.iter().any(|word| word == "--all") {
        HelpPage::All
    } else {
        HelpPage::Overview
    };
    asks.then_some(page)
}

/// Formats the help page.
pub(super) fn format_page(page: HelpPage) -> String {
    let mut command = super::build_command_line();
    if page == HelpPage::All {
        return command.render_long_help().to_string();
    }
    let mut text = "Track work as beads, in git, for humans and agents\n\nUsage: bd [OPTIONS] [COMMAND]\n\nAvailable Commands:\n".to_owned();
    for group in GROUPS {
        text.push_str(&format!("\n  {}\n", group.task));
        for name in group.commands {
            let about = command
                .find_subcommand(name)
                .and_then(clap::Command::get_about)
                .map(ToString::to_string)
                .unwrap_or_default();
            text.push_str(&format!("    {name:<12} {about}\n"));
        }
    }
    text.push_str(
        "\nHelp for one command:     bd COMMAND --help\nAll commands and options: bd help --all\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::everyday;

    #[test]
    fn each_command_of_the_overview_exists_and_appears_once() {
        let command = super::super::build_command_line();
        let mut names: Vec<&str> = GROUPS
            .iter()
            .flat_map(|group| group.commands)
            .copied()
            .collect();
        for name in &names {
            assert!(command.find_subcommand(name).is_some(), "{name}");
            assert!(everyday::suggest_commands(name).is_empty(), "{name}");
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
