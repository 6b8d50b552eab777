//! Describes a command line that cannot be parsed: one error, and the line to type instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::everyday;
use kit::cli::slip::is_slip;
use kit::failure::{Failure, UsageError};

/// Describes an unknown command, flag or argument. Returns `None` for all other errors.
pub(super) fn describe_unknown(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let (message, hint) = match error.kind() {
        ErrorKind::InvalidSubcommand => describe_unknown_command(error, words)?,
        ErrorKind::UnknownArgument => describe_unknown_argument(error)?,
        _ => return None,
    };
    let failure = bd::error::describe_failure(&UsageError(message).into());
    Some(Failure {
        hint: Some(hint),
        ..failure
    })
}

fn describe_unknown_command(error: &clap::Error, words: &[String]) -> Option<(String, String)> {
    let name = text_of(error, ContextKind::InvalidSubcommand)?;
    let mut path: Vec<&str> = words
        .iter()
        .skip(1)
        .take_while(|word| *word != name)
        .map(String::as_str)
        .filter(|word| !word.starts_with('-') && *word != "help")
        .collect();
    let similar: Vec<String> = texts_of(error, ContextKind::SuggestedSubcommand)
        .into_iter()
        .filter(|similar| is_slip(name, similar))
        .collect();
    path.insert(0, "bd");
    let parent = path.join(" ");
    if path.len() > 1 {
        let similar = similar.iter().map(|name| format!("{parent} {name}"));
        let hint = join_choices(similar.collect())
            .unwrap_or_else(|| format!("list the commands with: {parent} --help"));
        return Some((format!("unknown command \"{name}\" for \"{parent}\""), hint));
    }
    let mut commands = everyday::suggest_commands(name);
    if commands.is_empty() {
        commands = similar.iter().map(|name| format!("bd {name}")).collect();
    }
    let hint = join_choices(commands)
        .unwrap_or_else(|| "list the commands with: bd help --all".to_owned());
    Some((format!("unknown command \"{name}\""), hint))
}

fn describe_unknown_argument(error: &clap::Error) -> Option<(String, String)> {
    let name = text_of(error, ContextKind::InvalidArg)?;
    let message = if name.starts_with('-') {
        format!("unknown flag: {name}")
    } else {
        format!("unexpected argument: {name}")
    };
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let usage = usage.unwrap_or_default();
    let command = usage
        .trim_start_matches("Usage: ")
        .split_whitespace()
        .take_while(|word| !word.starts_with(['[', '<', '-']))
        .collect::<Vec<_>>()
        .join(" ");
    let similar = texts_of(error, ContextKind::SuggestedArg);
    let hint = match similar.first() {
        Some(flag) => format!("did you mean {flag}?"),
        None => format!("{command} --help explains the flags and arguments"),
    };
    Some((message, hint))
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

fn texts_of(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    }
}
