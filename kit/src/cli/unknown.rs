//! Describes an unknown command, flag or argument, or a missing one: one error, and the line to type
//! instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use super::offer::{self, Operands};
use super::slip::{self, is_slip};
use super::synonym;
use crate::ui::escape::quote_for_shell;

/// A word of a command line that the program does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    pub message: String,
    pub hint: String,
}

/// The knowledge of a program that its parser does not have.
#[expect(missing_debug_implementations, reason = "it holds functions")]
pub struct Vocabulary<'a> {
    /// Returns the lines to type instead of an unknown command of the program.
    pub suggest: &'a dyn Fn(&str) -> Vec<String>,
    /// Returns the things that a missing argument may name, given the name of its value.
    pub list_things: &'a dyn Fn(&str) -> Vec<String>,
}

/// Describes the unknown or missing word of a line, or returns `None` for all other errors.
pub fn describe_unknown(
    error: &clap::Error,
    words: &[String],
    program: &Command,
    vocabulary: &Vocabulary<'_>,
) -> Option<UnknownWord> {
    let (path, command) = find_command(program, words);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = text_of(error, ContextKind::InvalidSubcommand)?;
            let at = words.iter().position(|word| word == name);
            let is_help = words.get(1).is_some_and(|word| word == "help");
            let operands = match at {
                Some(at) if !is_help => &words[at + 1..],
                _ => &[],
            };
            let choices = choose_commands(program, &path, name, operands, vocabulary);
            let choices = if is_help {
                choices.iter().map(|line| ask_for_help(line)).collect()
            } else {
                choices
            };
            Some(describe_unknown_command(&path, name, choices))
        }
        ErrorKind::UnknownArgument => {
            let name = text_of(error, ContextKind::InvalidArg)?;
            Some(
                describe_dashed_text(program, words, name).unwrap_or_else(|| {
                    describe_unknown_argument(program, &path, command, words, name)
                }),
            )
        }
        ErrorKind::MissingRequiredArgument => {
            describe_missing(error, words, program, &path, vocabulary)
        }
        ErrorKind::InvalidValue => describe_value(error, words, program),
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

/// Returns the lines to type instead of an unknown command, the nearest in meaning first.
fn choose_commands(
    program: &Command,
    path: &str,
    name: &str,
    words: &[String],
    vocabulary: &Vocabulary<'_>,
) -> Vec<String> {
    let operands = Operands::parse(words);
    let is_family = path.contains(' ');
    // `issue list` of a tracker: the command comes second.
    if let [second, rest @ ..] = words
        && !is_family
        && program.find_subcommand(second).is_some()
        && !second.starts_with('-')
    {
        // `ID close`: the bead comes first.
        let id: &[String] = if offer::is_id(name, true) {
            &[name.to_owned()]
        } else {
            &[]
        };
        let command = [path.to_owned(), second.clone()];
        let line = [&command[..], id, rest].concat();
        if offer::is_accepted(program, &line) {
            return vec![offer::write_line(&line)];
        }
        if !id.is_empty() {
            let rest = [id, rest].concat();
            return vec![offer::complete_command(program, &command.join(" "), &rest)];
        }
    }
    // `set priority ID 0`: the field comes second.
    if let [field, rest @ ..] = words
        && synonym::is_edit(name)
        && !rest.is_empty()
    {
        let lines = offer::find_commands_with_flag(program, field, rest);
        if !lines.is_empty() {
            return lines;
        }
    }
    let typed = match path.split_once(' ') {
        Some((_, family)) => format!("{family} {name}"),
        None => name.to_owned(),
    };
    let templates = (vocabulary.suggest)(&typed);
    if !templates.is_empty() {
        return offer::fill_templates(&templates, &operands);
    }
    let (_, command) = find_command_by_path(program, path);
    let similar: Vec<String> = find_similar_commands(command, name)
        .iter()
        .map(|name| offer::complete_command(program, &format!("{path} {name}"), words))
        .collect();
    if !similar.is_empty() {
        let complete = similar.iter().filter(|line| offer::is_complete(line));
        let complete: Vec<String> = complete.cloned().collect();
        return if complete.is_empty() {
            similar
        } else {
            complete
        };
    }
    if is_family {
        return Vec::new();
    }
    let with_flag = offer::find_commands_with_flag(program, &name.to_lowercase(), words);
    if !with_flag.is_empty() {
        return with_flag;
    }
    let undone = find_opposites(program, path, name, words, vocabulary);
    if !undone.is_empty() {
        return undone;
    }
    offer::find_commands_below(program, &name.to_lowercase(), words)
}

/// Returns the line that asks for the help of a line's command.
fn ask_for_help(line: &str) -> String {
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let mut words = line.split(' ');
    let program = words.next().unwrap_or("");
    let names: Vec<&str> = words
        .take_while(|word| is_name(word) && !word.starts_with('-'))
        .collect();
    format!("{program} help {}", names.join(" "))
}

fn find_command_by_path<'a>(program: &'a Command, path: &str) -> (String, &'a Command) {
    let words: Vec<String> = path.split(' ').map(str::to_owned).collect();
    find_command(program, &words)
}

/// Returns the commands that undo the command after `un` or `re`: of `unsnooze`, `undefer`.
fn find_opposites(
    program: &Command,
    path: &str,
    name: &str,
    words: &[String],
    vocabulary: &Vocabulary<'_>,
) -> Vec<String> {
    let Some((prefix, base)) = ["un", "re"].iter().find_map(|prefix| {
        let base = name.strip_prefix(prefix)?;
        (base.len() > 2).then(|| (*prefix, base.trim_start_matches('-')))
    }) else {
        return Vec::new();
    };
    let (_, above) = find_command_by_path(program, path);
    let mut meanings = find_similar_commands(above, base);
    if !path.contains(' ') {
        let lines = (vocabulary.suggest)(base);
        meanings.extend(
            lines
                .iter()
                .filter_map(|line| line.split(' ').nth(1).map(str::to_owned)),
        );
    }
    meanings
        .iter()
        .map(|meaning| format!("{prefix}{meaning}"))
        .filter(|opposite| above.find_subcommand(opposite).is_some())
        .map(|opposite| offer::complete_command(program, &format!("{path} {opposite}"), words))
        .take(1)
        .collect()
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

fn describe_unknown_argument(
    program: &Command,
    path: &str,
    command: &Command,
    words: &[String],
    name: &str,
) -> UnknownWord {
    let is_flag = name.starts_with('-');
    let message = if is_flag {
        format!("unknown flag: {name}")
    } else {
        format!("unexpected argument: {name}")
    };
    let line = repair_line(program, words, name, MAX_REPAIRS);
    let similar = if is_flag {
        find_named_flags(command, name)
    } else {
        Vec::new()
    };
    let is_in = |line: &[String], flag: &str| line.contains(&format!("--{flag}"));
    let hint = match (similar.first(), line) {
        (Some(flag), Some(line)) if is_in(&line, flag) => {
            format!("did you mean --{flag}?\n  {}", offer::write_line(&line))
        }
        (_, Some(line)) => format!("try: {}", offer::write_line(&line)),
        (Some(flag), None) => format!("did you mean --{flag}?"),
        (None, None) => describe_usage(path, command),
    };
    UnknownWord { message, hint }
}

/// The number of flags of a line that are replaced to make it one that the program accepts.
const MAX_REPAIRS: usize = 3;

/// Replaces an unknown flag or argument by what it may mean, and the ones after it. Returns a line
/// that the program accepts.
fn repair_line(
    program: &Command,
    words: &[String],
    name: &str,
    repairs: usize,
) -> Option<Vec<String>> {
    let (path, command) = find_command(program, words);
    let at = words
        .iter()
        .position(|word| word == name || word.starts_with(&format!("{name}=")))?;
    let attached = words[at].split_once('=').map(|(_, value)| value.to_owned());
    let next = words.get(at + 1).filter(|word| !word.starts_with('-'));
    let value = attached.clone().or_else(|| next.cloned());
    let end = at + 1 + usize::from(attached.is_none() && value.is_some());
    let replace = |taken_until: usize, flag: &[&str]| -> Vec<String> {
        let middle = flag.iter().map(|&word| word.to_owned());
        let before = words[..at].iter().cloned();
        let after = words[taken_until..].iter().cloned();
        before.chain(middle).chain(after).collect()
    };
    let mut lines = Vec::new();
    let is_flag = name.starts_with('-');
    if !is_flag && words[at - 1] == "--json" {
        lines.push(replace(at + 1, &[]));
    }
    if let Some((key, value)) = words[at].split_once([':', '='])
        && !is_flag
    {
        lines.push(replace(at + 1, &[&format!("--{key}"), value]));
    }
    let word = name.trim_start_matches('-');
    let is_format = ["o", "output", "format", "as"].contains(&word);
    if is_format && matches!(value.as_deref(), Some("json" | "yaml")) {
        lines.push(replace(end, &["--json"]));
    }
    for flag in find_similar_flags(command, name) {
        let is_value = value.as_ref() == Some(&flag);
        let flag = format!("--{flag}");
        match &attached {
            Some(value) => lines.push(replace(at + 1, &[&flag, value])),
            None => lines.push(replace(at + 1, &[&flag])),
        }
        lines.push(replace(at + 1, &[&flag, word]));
        if is_value {
            lines.push(replace(end, &[&flag]));
        }
    }
    let line = lines
        .into_iter()
        .find_map(|line| accept_or_repair(program, line, repairs));
    if line.is_some() || repairs < MAX_REPAIRS {
        return line;
    }
    // A value whose flag takes none here belongs to the flag of another command.
    let flag = match words[at - 1].strip_prefix("--") {
        Some(flag) if !is_flag => flag,
        _ if name.starts_with("--") => word,
        _ => return None,
    };
    find_in_other_command(program, words, &path, flag)
        .or_else(|| find_joined_flag(program, &replace(end, &[]), &path, flag, &value?))
}

/// Returns the line if the program accepts it, else the line with its next unknown flag replaced.
fn accept_or_repair(program: &Command, line: Vec<String>, repairs: usize) -> Option<Vec<String>> {
    match program.clone().try_get_matches_from(&line) {
        Ok(_) => Some(line),
        Err(error) if repairs > 1 && error.kind() == ErrorKind::UnknownArgument => {
            let name = text_of(&error, ContextKind::InvalidArg)?;
            repair_line(program, &line, name, repairs - 1)
        }
        Err(_) => None,
    }
}

/// Returns the line with another command that has the flag, with a value.
fn find_in_other_command(
    program: &Command,
    words: &[String],
    path: &str,
    flag: &str,
) -> Option<Vec<String>> {
    let rest = words.get(path.split(' ').count()..)?;
    let lines = offer::list_commands(program)
        .into_iter()
        .filter(|(other, command)| other != path && has_flag(command, flag, true))
        .map(|(other, _)| join_line(&other, rest));
    find_accepted(program, lines)
}

/// Returns the line with the command whose switch has the name and the value: of `--by label`,
/// `--by-label`. `without` is the line without the flag.
fn find_joined_flag(
    program: &Command,
    without: &[String],
    path: &str,
    flag: &str,
    value: &str,
) -> Option<Vec<String>> {
    let name = format!("{flag}-{value}");
    let rest = without.get(path.split(' ').count()..)?;
    let rest = [&[format!("--{name}")], rest].concat();
    let lines = offer::list_commands(program)
        .into_iter()
        .filter(|(_, command)| has_flag(command, &name, false))
        .map(|(other, _)| join_line(&other, &rest));
    find_accepted(program, lines)
}

/// Returns true if a command has a visible flag with this name, which takes a value or not.
fn has_flag(command: &Command, name: &str, takes_value: bool) -> bool {
    let mut arguments = command.get_arguments().filter(|arg| !arg.is_hide_set());
    arguments
        .any(|arg| arg.get_long() == Some(name) && arg.get_action().takes_values() == takes_value)
}

fn join_line(path: &str, rest: &[String]) -> Vec<String> {
    let start = path.split(' ').map(str::to_owned);
    start.chain(rest.iter().cloned()).collect()
}

fn find_accepted(
    program: &Command,
    mut lines: impl Iterator<Item = Vec<String>>,
) -> Option<Vec<String>> {
    lines.find(|line| offer::is_accepted(program, line))
}

/// The number of characters of flags in a hint.
const MAX_FLAG_TEXT: usize = 160;

/// Returns the usage line of a command, and the names of its flags.
fn describe_usage(path: &str, command: &Command) -> String {
    let usage = describe_arguments(path, command);
    let flags = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !arg.is_global_set())
        .filter_map(Arg::get_long);
    let mut text = String::new();
    let mut count = 0;
    for flag in flags {
        if text.len() > MAX_FLAG_TEXT {
            text.push_str(&format!(" … see: {path} --help"));
            break;
        }
        text.push_str(&format!(" --{flag}"));
        count += 1;
    }
    if count == 0 {
        format!("usage: {usage}  (it has no flags of its own)")
    } else {
        format!("usage: {usage}\n  flags:{text}")
    }
}

fn describe_arguments(path: &str, command: &Command) -> String {
    let usage = command.clone().bin_name(path).render_usage().to_string();
    let usage = usage.lines().next().unwrap_or("");
    usage.trim_start_matches("Usage: ").to_owned()
}

/// Returns the name of the value of the only argument that a line lacks.
pub fn find_missing_argument(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::Strings(missing) => match &missing[..] {
            [only] => Some(name_value(only)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the name in `<BEAD...>`.
fn name_value(argument: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/');
    let name = argument
        .trim_start_matches('<')
        .split(|c| !is_name(c))
        .next();
    name.unwrap_or("").to_uppercase()
}

/// Describes a line that lacks an argument, with the things that it may name.
fn describe_missing(
    error: &clap::Error,
    words: &[String],
    program: &Command,
    path: &str,
    vocabulary: &Vocabulary<'_>,
) -> Option<UnknownWord> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let (_, command) = find_command(program, words);
    let lines = match &missing[..] {
        [only] => {
            // A list of everything takes no argument.
            let all = words
                .iter()
                .all(|word| word != "--all")
                .then(|| "--all".to_owned());
            let things = (vocabulary.list_things)(&name_value(only));
            all.into_iter()
                .chain(things)
                .map(|thing| [words, &[thing]].concat())
                .filter(|line| offer::is_accepted(program, line))
                .map(|line| offer::write_line(&line))
                .collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    let hint = match &lines[..] {
        [] => format!("usage: {}", describe_arguments(path, command)),
        [line] => format!("type\n  {line}"),
        lines => format!("type one of\n  {}", lines.join("\n  ")),
    };
    let names: Vec<&str> = missing.iter().map(String::as_str).collect();
    Some(UnknownWord {
        message: format!("missing argument: {}", names.join(" ")),
        hint,
    })
}

/// Describes a wrong value of a flag with fixed values, if another word for one of them was typed.
fn describe_value(error: &clap::Error, words: &[String], program: &Command) -> Option<UnknownWord> {
    let value = text_of(error, ContextKind::InvalidValue)?;
    let argument = text_of(error, ContextKind::InvalidArg)?;
    let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue) else {
        return None;
    };
    let names: Vec<&str> = valid.iter().map(String::as_str).collect();
    let same = synonym::find_values(value, names.iter().copied());
    let meant = if same.is_empty() {
        find_slips(value, names)
    } else {
        same
    };
    let meant = meant.first()?;
    let end = format!("={value}");
    let line: Vec<String> = words
        .iter()
        .map(|word| match word.strip_suffix(&end) {
            _ if word == value => meant.clone(),
            Some(flag) => format!("{flag}={meant}"),
            None => word.clone(),
        })
        .collect();
    offer::is_accepted(program, &line).then(|| UnknownWord {
        message: format!(
            "\"{value}\" is not a valid value for {argument}: use {}",
            valid.join(", ")
        ),
        hint: format!("try: {}", offer::write_line(&line)),
    })
}

/// Returns the commands below `parent` that a word may mean: another word for the same thing,
/// otherwise a slip of the keyboard.
fn find_similar_commands(parent: &Command, word: &str) -> Vec<String> {
    let names: Vec<&str> = parent
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(Command::get_name)
        .collect();
    let aliased = || {
        parent.get_subcommands().filter_map(|command| {
            let mut aliases = command.get_all_aliases();
            let is_meant = aliases.any(|alias| alias == word);
            is_meant.then(|| command.get_name().to_owned())
        })
    };
    if let Some(name) = aliased().next() {
        return vec![name];
    }
    let same = synonym::find_commands(word, names.iter().copied());
    if same.is_empty() {
        find_slips(word, names)
    } else {
        same
    }
}

/// Returns the long flags of a command that a flag may mean, without their dashes: another word for
/// the same, or a slip of the keyboard. A word without dashes is no slip.
fn find_named_flags(command: &Command, flag: &str) -> Vec<String> {
    let word = flag.trim_start_matches('-');
    let word = word.split(['=', ' ']).next().unwrap_or(word);
    let arguments = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let names: Vec<&str> = arguments.filter_map(Arg::get_long).collect();
    let same = synonym::find_flags(word, names.iter().copied());
    if !same.is_empty() || !flag.starts_with('-') {
        return same;
    }
    find_slips(word, names)
}

/// Returns the flags that [`find_named_flags`] returns, otherwise those whose help has the word.
fn find_similar_flags(command: &Command, flag: &str) -> Vec<String> {
    let word = flag.trim_start_matches('-');
    let named = find_named_flags(command, flag);
    if !named.is_empty() || !flag.starts_with('-') || word.len() < 4 {
        return named;
    }
    let has_word = |arg: &&Arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let mut words = help.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|found| found.eq_ignore_ascii_case(word))
    };
    command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !is_guarded(arg))
        .filter(has_word)
        .filter_map(Arg::get_long)
        .map(str::to_owned)
        .collect()
}

/// Returns true for the flags that lower a guard, which no guess names.
fn is_guarded(argument: &Arg) -> bool {
    matches!(argument.get_long(), Some("force" | "yes" | "hard"))
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
    use super::*;

    const NOTHING: Vocabulary<'static> = Vocabulary {
        suggest: &|_| Vec::new(),
        list_things: &|_| Vec::new(),
    };

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
        describe_unknown(&error, &words, &program(), &NOTHING).unwrap()
    }

    #[test]
    fn an_unknown_command_gets_the_command_that_does_it() {
        assert_eq!(describe("gt stauts").hint, "try: gt status");
        assert_eq!(describe("gt convoy new").hint, "try: gt convoy create");
        assert_eq!(describe("gt convoy ls").hint, "try: gt convoy list");
        assert_eq!(describe("gt convoy rm x").hint, "try: gt convoy close");
        assert_eq!(describe("gt closes").hint, "try: gt convoy close");
        assert_eq!(describe("gt task status").hint, "try: gt status");
        assert_eq!(
            describe("gt recreate x").hint,
            "list the commands with: gt help --all"
        );
        assert_eq!(
            describe("gt description x").hint,
            "try: gt convoy create --description x"
        );
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
            let found = describe_unknown(&error, &words, &program(), &NOTHING).unwrap();
            let quoted = quote_for_shell(text);
            let line = format!("  gt convoy create --description d -- {quoted}");
            assert_eq!(found.hint.lines().nth(1), Some(line.as_str()), "{text}");
        }
        assert_eq!(quote_for_shell("-x isn't"), "'-x isn'\\''t'");
    }

    #[test]
    fn a_missing_argument_gets_the_things_that_it_may_name() {
        let show = Command::new("show").arg(Arg::new("agent").required(true));
        let program = Command::new("gt").subcommand(show);
        let words = ["gt", "show"].map(String::from);
        let error = program.clone().try_get_matches_from(&words).unwrap_err();
        assert_eq!(find_missing_argument(&error).as_deref(), Some("AGENT"));
        let describe = |things: &[&str]| {
            let things: Vec<String> = things.iter().map(|&thing| thing.to_owned()).collect();
            let vocabulary = Vocabulary {
                list_things: &|_| things.clone(),
                ..NOTHING
            };
            describe_unknown(&error, &words, &program, &vocabulary).unwrap()
        };
        assert_eq!(describe(&[]).message, "missing argument: <agent>");
        assert_eq!(describe(&[]).hint, "usage: gt show <agent>");
        assert_eq!(describe(&["a"]).hint, "type\n  gt show a");
        assert_eq!(
            describe(&["a", "b"]).hint,
            "type one of\n  gt show a\n  gt show b"
        );
    }

    #[test]
    fn a_wrong_value_gets_the_value_that_means_the_same_and_a_guard_is_never_named() {
        let by = Arg::new("by").long("by").value_parser(["agent", "day"]);
        let force = Arg::new("force")
            .long("force")
            .help("Take the bead away")
            .action(clap::ArgAction::SetTrue);
        let program = Command::new("gt").subcommand(Command::new("costs").arg(by).arg(force));
        let describe = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let error = program.clone().try_get_matches_from(&words).unwrap_err();
            describe_unknown(&error, &words, &program, &NOTHING).unwrap()
        };
        assert_eq!(
            describe("gt costs --by worker").hint,
            "try: gt costs --by agent"
        );
        assert_eq!(
            describe("gt costs --bead").hint,
            "usage: gt costs [OPTIONS]\n  flags: --by --force"
        );
    }

    #[test]
    fn an_unknown_flag_gets_the_flag_that_does_it_and_no_other() {
        let hint = |line: &str| describe(line).hint;
        for flag in ["--desc", "--body"] {
            assert_eq!(
                hint(&format!("gt convoy create {flag} x")),
                "did you mean --description?\n  gt convoy create --description x"
            );
        }
        assert_eq!(
            hint("gt convoy list --sideways"),
            "usage: gt convoy list [OPTIONS]\n  flags: --parent"
        );
        assert_eq!(
            hint("gt status --parent x"),
            "try: gt convoy list --parent x"
        );
    }
}
