//! Describes an unknown command, flag or argument.

use clap::error::ErrorKind;
use kit::cli::unknown;
use kit::failure::Failure;
use kit::ui::escape;

use gt::town::Town;

use super::answer::USAGE;
use super::operand::NamedThing;

/// Describes the unknown word of a line. Returns `None` for all other errors.
pub(in super::super) fn describe_unknown(
    error: &clap::Error,
    words: &[std::ffi::OsString],
    program: &clap::Command,
    town: Option<&Town>,
) -> Option<Failure> {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let found = match describe_missing_value(error, &words) {
        Some(found) => found,
        None => {
            unknown::describe_unknown(error, &words, program, |word| suggest_for_name(town, word))?
        }
    };
    let setting = suggest_for_setting(&words).or_else(|| suggest_for_town(&words));
    Some(Failure {
        message: found.message,
        hint: Some(setting.map_or(found.hint, |command| format!("try: {command}"))),
        code: "usage",
        exit: USAGE,
        similar: Vec::new(),
    })
}

/// Returns the commands for a word that names a bead, a rig or a worker.
fn suggest_for_name(town: Option<&Town>, word: &str) -> Vec<String> {
    match NamedThing::find(town, word) {
        Some(NamedThing::Bead { id, .. }) => vec![format!("gt why {id}")],
        Some(NamedThing::Rig(rig)) => vec![format!("gt rig status {rig}")],
        Some(NamedThing::Agent(agent)) => {
            vec![format!("gt why {agent}"), format!("gt peek {agent}")]
        }
        None => Vec::new(),
    }
}

/// Describes `gt config set KEY=VALUE`, in which the value is missing.
fn describe_missing_value(error: &clap::Error, words: &[String]) -> Option<unknown::UnknownWord> {
    let pair = suggest_for_pair(words.get(3)?)?;
    let is_set = words[1] == "config" && words[2] == "set";
    (is_set && error.kind() == ErrorKind::MissingRequiredArgument).then(|| unknown::UnknownWord {
        message: "a setting and its value are two words".to_owned(),
        hint: format!("try: {pair}"),
    })
}

/// Returns the command for `KEY=VALUE`.
fn suggest_for_pair(pair: &str) -> Option<String> {
    let (key, value) = pair.split_once('=')?;
    gt::town::config::key::find_key(key)?;
    let value = kit::ui::escape::quote_for_shell(value);
    Some(format!("gt config set {key} {value}"))
}

/// Returns the line for a flag before the command that other programs name a folder with.
fn suggest_for_town(words: &[String]) -> Option<String> {
    let [_, flag, folder, rest @ ..] = words else {
        return None;
    };
    let is_folder = ["-C", "--town", "--root", "--directory", "--cwd"].contains(&flag.as_str());
    is_folder.then(|| {
        let folder = kit::ui::escape::quote_for_shell(folder);
        format!("GT_TOWN_ROOT={folder} gt {}", rest.join(" "))
    })
}

/// Returns the command for `gt config KEY`, `gt config KEY VALUE` and `gt config KEY=VALUE`.
fn suggest_for_setting(words: &[String]) -> Option<String> {
    let [_, config, key, value @ ..] = words else {
        return None;
    };
    if config == "config" && value.is_empty() && key.contains('=') {
        return suggest_for_pair(key);
    }
    let is_setting = config == "config" && gt::town::config::key::find_key(key).is_some();
    is_setting.then(|| match value {
        [] => format!("gt config get {key}"),
        value => {
            let value = escape::quote_for_shell(&value.join(" "));
            format!("gt config set {key} {value}")
        }
    })
}
