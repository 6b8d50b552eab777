//! Describes a command line that cannot be parsed: one error, and the line to type instead.

use clap::error::{ContextKind, ErrorKind};
use kit::cli::unknown;
use kit::failure::{Failure, UsageError};
use kit::table::find_meaning;

use super::everyday;

const ARGUMENTS: &str = include_str!("../../templates/vocabulary/arguments.txt");

/// Describes an unknown command, flag or argument. Returns `None` for all other errors.
pub(super) fn describe_unknown(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let program = super::build_command_line();
    let mut found = match describe_dependency(error) {
        Some(found) => found,
        None => unknown::describe_unknown(error, words, &program, everyday::suggest_commands)?,
    };
    let asked = words.get(1).map_or("", String::as_str);
    let hash = asked.rsplit_once('-').map_or("", |(_, hash)| hash);
    let is_id = hash.chars().any(|letter| letter.is_ascii_digit());
    if is_id && found.hint.ends_with("help --all") {
        found.hint = format!("try: bd show {asked}");
    }
    if found.message.starts_with("unexpected argument")
        && let Some(hint) = find_meaning(ARGUMENTS, asked)
    {
        hint.clone_into(&mut found.hint);
    }
    let failure = bd::error::describe_failure(&UsageError(found.message).into());
    Some(Failure {
        hint: Some(found.hint),
        ..failure
    })
}

/// Describes `bd dep A B`, in which a command is missing.
fn describe_dependency(error: &clap::Error) -> Option<unknown::UnknownWord> {
    let usage = error.get(ContextKind::Usage)?.to_string();
    let is_conflict = error.kind() == ErrorKind::ArgumentConflict;
    (is_conflict && usage.contains("bd dep ")).then(|| unknown::UnknownWord {
        message: "bd dep needs a command".to_owned(),
        hint: "try: bd dep add A B  (A waits for B)".to_owned(),
    })
}
