//! The short help of a program: its common commands, grouped by task.

use clap::Command;

/// Commands for one task.
#[derive(Debug, Clone, Copy)]
pub struct TaskGroup {
    pub task: &'static str,
    pub commands: &'static [&'static str],
}

/// The help that a command line without a command asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpPage {
    /// The common commands.
    Overview,
    /// All commands.
    All,
}

/// Returns the requested page if the line asks for the help of the program.
pub fn find_page(words: &[String]) -> Option<HelpPage> {
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

/// Formats a help page of a program.
pub fn format_page(page: HelpPage, mut command: Command, groups: &[TaskGroup]) -> String {
    if page == HelpPage::All {
        return command.render_long_help().to_string();
    }
    let name = command.get_name().to_owned();
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut text = format!("{about}\n\nUsage: {name} [OPTIONS] [COMMAND]\n\nAvailable Commands:\n");
    for group in groups {
        text.push_str(&format!("\n  {}\n", group.task));
        for name in group.commands {
            let about = command
                .find_subcommand(name)
                .and_then(Command::get_about)
                .map(ToString::to_string)
                .unwrap_or_default();
            text.push_str(&format!("    {name:<12} {about}\n"));
        }
    }
    text.push_str(&format!(
        "\nHelp for one command:     {name} COMMAND --help\nAll commands and options: {name} help --all\n"
    ));
    text
}

/// Returns the commands of the groups that the program does not have, and those that appear twice.
pub fn find_faults(command: &Command, groups: &[TaskGroup]) -> Vec<&'static str> {
    let names: Vec<&str> = groups
        .iter()
        .flat_map(|group| group.commands)
        .copied()
        .collect();
    let is_fault = |(index, name): &(usize, &&'static str)| {
        command.find_subcommand(name).is_none() || names[..*index].contains(name)
    };
    let faults = names.iter().enumerate().filter(is_fault);
    faults.map(|(_, name)| *name).collect()
}
