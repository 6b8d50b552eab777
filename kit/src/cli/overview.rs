//! The short help of a program: its common commands, grouped by task. They are a table with a task
//! and its commands in each row.

use std::ffi::OsString;

use clap::Command;

use crate::table;

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
    let (_, words) = words.split_first()?;
    let asks = words.iter().any(|word| is_help_word(word))
        && words
            .iter()
            .all(|word| is_help_word(word) || word == "--all");
    let page = if words.iter().any(|word| word == "--all") {
        HelpPage::All
    } else {
        HelpPage::Overview
    };
    asks.then_some(page)
}

/// Commands of all programs whose text or key may be the word `help` itself.
const TEXT_COMMANDS: &[&str] = &[
    "broadcast",
    "create",
    "escalate",
    "forget",
    "memories",
    "q",
    "query",
    "recall",
    "remember",
    "search",
];

fn is_help_word(word: &str) -> bool {
    ["-h", "--help", "help"].contains(&word)
}

/// Turns `gt sling help` and `gt --help sling` into `gt sling --help`. A command would take the
/// word for a bead or an agent.
pub fn ask_command_for_help(args: Vec<OsString>, program: impl Fn() -> Command) -> Vec<OsString> {
    let find_command = |word: &OsString| {
        let program = program();
        let found = word.to_str().and_then(|word| program.find_subcommand(word));
        found.map(|command| command.get_name().to_owned())
    };
    let takes_text = |word: &OsString| {
        find_command(word).is_none_or(|name| TEXT_COMMANDS.contains(&name.as_str()))
    };
    match &args[..] {
        [name, command, help] if help == "help" && !takes_text(command) => {
            vec![name.clone(), command.clone(), "--help".into()]
        }
        [name, help, command, ..]
            if (help == "-h" || help == "--help") && find_command(command).is_some() =>
        {
            std::iter::once(name)
                .chain(&args[2..])
                .cloned()
                .chain(["--help".into()])
                .collect()
        }
        _ => args,
    }
}

/// Formats a help page of a program with this table of common commands.
pub fn format_page(page: HelpPage, mut command: Command, groups: &str) -> String {
    if page == HelpPage::All {
        return command.render_long_help().to_string();
    }
    let name = command.get_name().to_owned();
    let about = describe_command(&command);
    let mut text = format!("{about}\n\nUsage: {name} [OPTIONS] [COMMAND]\n\nAvailable Commands:\n");
    for [task, commands] in table::read_rows(groups) {
        text.push_str(&format!("\n  {task}\n"));
        for name in commands.split(' ') {
            let about = command
                .find_subcommand(name)
                .map_or(String::new(), describe_command);
            text.push_str(&format!("    {name:<12} {about}\n"));
        }
    }
    text.push_str(&format!(
        "\nHelp for one command:     {name} COMMAND --help\nAll commands and options: {name} help --all\n"
    ));
    text
}

fn describe_command(command: &Command) -> String {
    command
        .get_about()
        .map_or(String::new(), ToString::to_string)
}

/// Returns the commands of the table that the program does not have, and those that appear twice.
pub fn find_faults<'a>(command: &Command, groups: &'a str) -> Vec<&'a str> {
    let names: Vec<&str> = table::read_rows(groups)
        .flat_map(|[_, commands]| commands.split(' '))
        .collect();
    names
        .iter()
        .enumerate()
        .filter(|(index, name)| {
            command.find_subcommand(name).is_none() || names[..*index].contains(name)
        })
        .map(|(_, name)| *name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_for_help_goes_to_the_command_that_it_is_about() {
        let program = || {
            let commands = ["sling", "search"].map(Command::new);
            Command::new("gt").subcommands(commands)
        };
        let asked = |line: &str| {
            let args = line.split(' ').map(OsString::from).collect();
            let args = ask_command_for_help(args, program);
            args.join(std::ffi::OsStr::new(" ")).into_string().unwrap()
        };
        assert_eq!(asked("gt sling help"), "gt sling --help");
        assert_eq!(asked("gt -h sling"), "gt sling --help");
        assert_eq!(asked("gt --help sling web-1"), "gt sling web-1 --help");
        assert_eq!(asked("gt --help search"), "gt search --help");
        for line in [
            "gt search help",
            "gt keeper help",
            "gt sling a help",
            "gt -h",
        ] {
            assert_eq!(asked(line), line);
        }
    }
}
