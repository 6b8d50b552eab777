//! Describes a command line that cannot be parsed: one error, and the line to type instead.

use bd::store::TimeField;
use clap::error::{ContextKind, ErrorKind};
use kit::cli::offer::{self, Operands};
use kit::cli::unknown::{self, UnknownWord, Vocabulary};
use kit::failure::{Failure, UsageError};
use kit::sys::Env;
use kit::table::{find_meaning, read_rows, split_list};

use super::everyday;
use crate::context::Context;

const ARGUMENTS: &str = include_str!("../../templates/vocabulary/arguments.txt");
const FLAGS: &str = include_str!("../../templates/vocabulary/flags.txt");

/// Returns the lines to type instead of a word. One in the form of an id may be a bead elsewhere.
fn suggest_commands(word: &str) -> Vec<String> {
    let lines = everyday::suggest_commands(word);
    let hash = word.rsplit_once('-').map_or("", |(_, hash)| hash);
    if lines.is_empty() && !word.contains(' ') && hash.chars().any(|c| c.is_ascii_digit()) {
        return vec![format!("bd show {word}")];
    }
    lines
}

/// The number of beads that a line without its id offers.
const MAX_OFFERED: usize = 5;

/// Describes an unknown command, flag or argument, or a missing argument. Returns `None` for all
/// other errors.
pub(super) fn describe_unknown(
    error: &clap::Error,
    words: &[String],
    env: &Env,
) -> Option<Failure> {
    let program = super::build_command_line();
    // The program may have been called by its path.
    let words: Vec<String> = std::iter::once("bd".to_owned())
        .chain(words.iter().skip(1).cloned())
        .collect();
    let words = &words[..];
    let vocabulary = Vocabulary {
        suggest: &suggest_commands,
        list_things: &|kind| list_beads(env, kind),
    };
    let mut found = match describe_operands(error, words) {
        Some(found) => found,
        None => unknown::describe_unknown(error, words, &program, &vocabulary)?,
    };
    let path = unknown::find_command_path(&program, words);
    let operands = &words[words.len().min(1 + path.split_whitespace().count())..];
    let is_unknown_below = found.message.starts_with("unknown command")
        && found.hint.ends_with(" --help")
        && !path.is_empty();
    let is_unexpected =
        found.message.starts_with("unexpected argument") && found.hint.starts_with("usage: ");
    if path == "create" && found.message.starts_with("unexpected argument") {
        found.hint = format!("put the title in quotes: {}", join_title(operands));
    } else if (is_unknown_below || is_unexpected)
        && let Some(hint) = find_meaning(ARGUMENTS, &path)
    {
        found.hint = fill_hint(hint, operands);
    }
    if let Some(flag) = found.message.strip_prefix("unknown flag: ")
        && let Some(hint) = find_flag_hint(&path, flag)
    {
        found.hint = fill_flag_hint(hint, words, operands, flag);
    }
    let failure = bd::error::describe_failure(&UsageError(found.message).into());
    Some(Failure {
        hint: Some(found.hint),
        ..failure
    })
}

/// Returns the ids of the beads that a missing argument may name, the last changed first.
fn list_beads(env: &Env, kind: &str) -> Vec<String> {
    if !kind.contains("ID") {
        return Vec::new();
    }
    let read = || -> anyhow::Result<Vec<String>> {
        let ctx = Context::new(env.clone(), false, true, true)?;
        let snapshot = ctx.store()?.snapshot()?;
        let mut beads: Vec<_> = snapshot
            .bead_refs()
            .filter(|bead| bead.is_open() && !bead.is_internal() && !bead.is_ephemeral())
            .collect();
        beads.sort_by_key(|bead| std::cmp::Reverse(bead.time(TimeField::Updated)));
        let ids = beads.iter().take(MAX_OFFERED).map(bd::store::BeadRef::id);
        Ok(ids.map(str::to_owned).collect())
    };
    // Without beads the usage line is the hint.
    read().unwrap_or_else(|_| Vec::new())
}

/// Returns the line in which all words before the first flag are the title, or all but a type.
fn join_title(operands: &[String]) -> String {
    let count = operands
        .iter()
        .take_while(|word| !word.starts_with('-'))
        .count();
    let (words, flags) = operands.split_at(count);
    let (kind, title) = match words {
        [kind, title @ ..] if BEAD_TYPES.contains(&kind.as_str()) && !title.is_empty() => {
            (Some(kind), title)
        }
        title => (None, title),
    };
    let mut line = vec!["bd".to_owned(), "create".to_owned(), title.join(" ")];
    line.extend(
        kind.into_iter()
            .flat_map(|kind| ["--type".to_owned(), kind.clone()]),
    );
    line.extend(flags.iter().cloned());
    offer::write_line(&line)
}

/// The types of beads that people put before a title.
const BEAD_TYPES: [&str; 5] = ["bug", "feature", "task", "epic", "chore"];

/// Fills the lines of a hint, which follow its first words.
fn fill_hint(hint: &str, operands: &[String]) -> String {
    let Some((lead, lines)) = hint.split_once("bd ") else {
        return hint.to_owned();
    };
    let templates: Vec<String> = lines
        .split(", bd ")
        .map(|line| format!("bd {line}"))
        .collect();
    let lines = offer::fill_templates(&templates, &Operands::parse(operands));
    format!("{lead}{}", lines.join(", "))
}

/// Fills the hint for a flag: a line, or a flag that takes its place in the line.
fn fill_flag_hint(hint: &str, words: &[String], operands: &[String], flag: &str) -> String {
    let name = flag.split(['=', ' ']).next().unwrap_or(flag);
    let is_flag = |word: &String| word == name || word.starts_with(&format!("{name}="));
    let Some(at) = words.iter().position(is_flag) else {
        return hint.to_owned();
    };
    let program = super::build_command_line();
    let line_with = |taken: usize, flags: &str| {
        let flags = flags.split_whitespace().map(str::to_owned);
        let rest = words[words.len().min(at + taken)..].iter().cloned();
        let line: Vec<String> = words[..at]
            .iter()
            .cloned()
            .chain(flags)
            .chain(rest)
            .collect();
        offer::is_accepted(&program, &line).then(|| offer::write_line(&line))
    };
    let line = match hint.strip_prefix("try: --") {
        Some(other) => {
            let other = format!("--{other}");
            let name = other.split(' ').next().unwrap_or(&other);
            let keeps_value = other.contains(' ') && words.get(at + 1).is_some();
            keeps_value
                .then(|| line_with(1, name))
                .flatten()
                .or_else(|| line_with(2, &other))
                .or_else(|| line_with(1, &other))
        }
        None if hint.ends_with("leave the flag out") => {
            // The word after it is its value, if there is an operand already.
            let has_operand = words.get(at - 1).is_some_and(|word| !word.starts_with('-'))
                && operands.first().is_some_and(|word| *word != words[at]);
            has_operand
                .then(|| line_with(2, ""))
                .flatten()
                .or_else(|| line_with(1, ""))
                .or_else(|| line_with(2, ""))
        }
        None => return fill_hint(hint, operands),
    };
    match line {
        Some(line) => format!("{hint}\n  {line}"),
        None => hint.to_owned(),
    }
}

/// Returns what to do instead of a flag of another version.
fn find_flag_hint(path: &str, flag: &str) -> Option<&'static str> {
    let name = flag.split(['=', ' ']).next()?;
    read_rows(FLAGS).find_map(|[command, flags, hint]| {
        let is_meant = (command == path || command == "-")
            && split_list(flags, ',').any(|spelling| spelling == name);
        is_meant.then_some(hint)
    })
}

/// Describes `bd dep A B`, in which a command is missing, and `bd merge A B`, which merges files.
fn describe_operands(error: &clap::Error, words: &[String]) -> Option<UnknownWord> {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let operands = words.get(2..)?;
    let (message, hint) = match error.kind() {
        ErrorKind::ArgumentConflict if usage?.contains("bd dep ") => {
            let hint = "try: bd dep add A B  (A waits for B)";
            ("bd dep needs a command", hint)
        }
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues if words[1] == "merge" => {
            let hint = "close one as a duplicate of the other: bd duplicate A --of B";
            ("bd merge merges files, not beads", hint)
        }
        _ => return None,
    };
    Some(UnknownWord {
        message: message.to_owned(),
        hint: fill_hint(hint, operands),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flag_of_another_version_is_a_flag_of_its_command() {
        let mut root = crate::build_command_line();
        root.build();
        for [path, flags, hint] in read_rows(FLAGS) {
            let command = path
                .split(' ')
                .filter(|word| *word != "-")
                .try_fold(&root, |above, word| above.find_subcommand(word));
            let command = command.unwrap_or_else(|| panic!("no `bd {path}`"));
            assert!(!hint.is_empty(), "{path} {flags}");
            for flag in split_list(flags, ',') {
                let name = flag.trim_start_matches('-');
                let is_ours = command.get_arguments().any(|argument| {
                    let is_long = argument.get_long() == Some(name)
                        || argument
                            .get_all_aliases()
                            .unwrap_or_default()
                            .contains(&name);
                    let is_short = argument.get_short().map(String::from).as_deref() == Some(name);
                    if flag.starts_with("--") {
                        is_long
                    } else {
                        is_short
                    }
                });
                assert!(!is_ours, "bd {path} {flag}");
            }
        }
    }
}
