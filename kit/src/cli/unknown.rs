//! Describes an unknown command, flag or argument: one error, and what to type instead.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::slip::{self, is_slip};
use super::synonym;
use crate::ui::escape::quote_for_shell;

/// A word of a command line that the program does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    pub message: String,
    pub hint: String,
}

/// Describes the unknown word of a line, or returns `None` for all other errors. `suggest` returns
/// the commands to type instead of an unknown command of the program.
pub fn describe_unknown(
    error: &clap::Error,
    words: &[String],
    program: &Command,
    suggest: impl Fn(&str) -> Vec<String>,
) -> Option<UnknownWord> {
    let (path, command) = find_command(program, words);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = text_of(error, ContextKind::InvalidSubcommand)?;
            let mut choices = if path.contains(' ') {
                Vec::new()
            } else {
                suggest(name)
            };
            if choices.is_empty() {
                let similar = find_similar_commands(command, name);
                choices = similar
                    .iter()
                    .map(|name| format!("{path} {name}"))
                    .collect();
            }
            Some(describe_unknown_command(&path, name, choices))
        }
        ErrorKind::UnknownArgument => {
            let name = text_of(error, ContextKind::InvalidArg)?;
            Some(
                describe_dashed_text(program, words, name)
                    .unwrap_or_else(|| describe_unknown_argument(&path, command, name)),
            )
        }
        _ => None,
    }
}

/// Returns the words after the program of the longest path of commands in a line.
pub fn find_command_path(program: &Command, words: &[String]) -> String {
    let (path, _) = find_command(program, words);
    path.split_once(' ')
        .map_or_else(String::new, |(_, path)| path.to_owned())
}

/// Returns the longest path of commands in a line, and the command that it names.
fn find_command<'a>(program: &'a Command, words: &[String]) -> (String, &'a Command) {
    let mut here = program;
    let mut path = program.get_name().to_owned();
    for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
        if word == "help" {
            continue;
        }
        let Some(found) = here.find_subcommand(word) else {
            break;
        };
        path = format!("{path} {word}");
        here = found;
    }
    (path, here)
}

fn describe_unknown_command(path: &str, name: &str, choices: Vec<String>) -> UnknownWord {
    let is_family = path.contains(' ');
    let message = if is_family {
        format!("unknown command \"{name}\" for \"{path}\"")
    } else {
        format!("unknown command \"{name}\"")
    };
    let hint = join_choices(choices).unwrap_or_else(|| {
        if is_family {
            format!("list the commands with: {path} --help")
        } else {
            format!("list the commands with: {path} help --all")
        }
    });
    UnknownWord { message, hint }
}

/// Describes a text that begins with a dash, which `name` makes look like a flag.
fn describe_dashed_text(program: &Command, words: &[String], name: &str) -> Option<UnknownWord> {
    let is_text = |word: &String| {
        name.starts_with('-') && word.starts_with(name) && word.contains(char::is_whitespace)
    };
    let at = words.iter().position(is_text)?;
    let others = words[1..at].iter().chain(&words[at + 1..]);
    let line: Vec<String> = std::iter::once(program.get_name())
        .chain(others.map(String::as_str))
        .chain(["--", &words[at]])
        .map(quote_for_shell)
        .collect();
    Some(UnknownWord {
        message: format!(
            "a text that begins with a dash is read as a flag: {}",
            words[at]
        ),
        hint: format!("put it last, after --\n  {}", line.join(" ")),
    })
}

fn describe_unknown_argument(path: &str, command: &Command, name: &str) -> UnknownWord {
    if !name.starts_with('-') {
        return UnknownWord {
            message: format!("unexpected argument: {name}"),
            hint: format!("{path} --help explains the flags and arguments"),
        };
    }
    let similar = find_similar_flags(command, name);
    let hint = match similar.first() {
        Some(flag) => format!("did you mean --{flag}?"),
        None => format!("{path} --help explains the flags and arguments"),
    };
    UnknownWord {
        message: format!("unknown flag: {name}"),
        hint,
    }
}

/// Returns the commands below `parent` that a word may mean: another word for the same thing,
/// otherwise a slip of the keyboard.
fn find_similar_commands(parent: &Command, word: &str) -> Vec<String> {
    let names: Vec<&str> = parent
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(Command::get_name)
        .collect();
    let same = synonym::find_commands(word, names.iter().copied());
    if same.is_empty() {
        find_slips(word, names)
    } else {
        same
    }
}

/// Returns the long flags of a command that a flag may mean, without their dashes.
fn find_similar_flags(command: &Command, flag: &str) -> Vec<String> {
    let word = flag.trim_start_matches('-');
    let word = word.split(['=', ' ']).next().unwrap_or(word);
    let names: Vec<&str> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .filter_map(clap::Arg::get_long)
        .collect();
    let same = synonym::find_flags(word, names.iter().copied());
    if same.is_empty() {
        find_slips(word, names)
    } else {
        same
    }
}

fn find_slips(word: &str, mut names: Vec<&str>) -> Vec<String> {
    names.retain(|name| is_slip(word, name));
    slip::sort_nearest_first(word, names)
}

/// Joins commands to choose from, at most three.
fn join_choices(commands: Vec<String>) -> Option<String> {
    let text = commands.into_iter().take(3).collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then(|| format!("try: {text}"))
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn program() -> Command {
        let convoy = Command::new("convoy")
            .subcommand(Command::new("create").arg(Arg::new("description").long("description")))
            .subcommand(Command::new("list").arg(Arg::new("parent").long("parent")))
            .subcommand(Command::new("close"));
        Command::new("gt")
            .subcommand_required(true)
            .subcommand(convoy)
            .subcommand(Command::new("status"))
    }

    fn describe(line: &str) -> UnknownWord {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = program().try_get_matches_from(&words).unwrap_err();
        describe_unknown(&error, &words, &program(), |_| Vec::new()).unwrap()
    }

    #[test]
    fn an_unknown_command_gets_the_command_that_does_it() {
        assert_eq!(describe("gt stauts").hint, "try: gt status");
        assert_eq!(describe("gt convoy new").hint, "try: gt convoy create");
        assert_eq!(describe("gt convoy ls").hint, "try: gt convoy list");
        assert_eq!(describe("gt convoy rm x").hint, "try: gt convoy close");
        assert_eq!(
            describe("gt convoy gallop"),
            UnknownWord {
                message: "unknown command \"gallop\" for \"gt convoy\"".into(),
                hint: "list the commands with: gt convoy --help".into(),
            }
        );
    }

    #[test]
    fn a_text_that_begins_with_a_dash_gets_the_line_that_works() {
        for text in ["-x isn't right", "- item", "--- a"] {
            let words = ["gt", "convoy", "create", text, "--description", "d"].map(String::from);
            let error = program().try_get_matches_from(&words).unwrap_err();
            let found = describe_unknown(&error, &words, &program(), |_| Vec::new()).unwrap();
            let quoted = quote_for_shell(text);
            let line = format!("  gt convoy create --description d -- {quoted}");
            assert_eq!(found.hint.lines().nth(1), Some(line.as_str()), "{text}");
        }
        assert_eq!(quote_for_shell("-x isn't"), "'-x isn'\\''t'");
    }

    #[test]
    fn an_unknown_flag_gets_the_flag_that_does_it_and_no_other() {
        let hint = |line: &str| describe(line).hint;
        assert_eq!(
            hint("gt convoy create --desc x"),
            "did you mean --description?"
        );
        assert_eq!(
            hint("gt convoy create --body x"),
            "did you mean --description?"
        );
        assert_eq!(
            hint("gt convoy list --sideways"),
            "gt convoy list --help explains the flags and arguments"
        );
    }
}
