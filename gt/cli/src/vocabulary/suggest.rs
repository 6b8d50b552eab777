//! Describes an unknown command, flag or argument.

use kit::cli::unknown;
use kit::failure::Failure;

use super::answer::USAGE;

/// Describes the unknown word of a line. Returns `None` for all other errors.
pub(in super::super) fn describe_unknown(
    error: &clap::Error,
    words: &[std::ffi::OsString],
    program: &clap::Command,
) -> Option<Failure> {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let found = unknown::describe_unknown(error, &words, program, suggest_for_id)?;
    Some(Failure {
        message: found.message,
        hint: Some(found.hint),
        code: "usage",
        exit: USAGE,
        similar: Vec::new(),
    })
}

/// Returns the command that shows a bead if the word looks like an id. An id has a digit or a short
/// hash, and no command has either.
fn suggest_for_id(word: &str) -> Vec<String> {
    let hash = word.rsplit('-').next().unwrap_or("");
    let is_id = word.contains('-') && hash.chars().any(|letter| letter.is_ascii_digit());
    if is_id {
        vec![format!("gt why {word}")]
    } else {
        Vec::new()
    }
}
