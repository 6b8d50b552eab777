//! Describes an unknown command, flag or argument.

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
    let found =
        unknown::describe_unknown(error, &words, program, |word| suggest_for_name(town, word))?;
    let setting = suggest_for_setting(&words);
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

/// Returns the command for `gt config KEY` and `gt config KEY VALUE`.
fn suggest_for_setting(words: &[String]) -> Option<String> {
    let [_, config, key, value @ ..] = words else {
        return None;
    };
    let is_setting = config == "config" && gt::town::config::key::find_key(key).is_some();
    is_setting.then(|| match value {
        [] => format!("gt config get {key}"),
        value => {
            let value = escape::quote_for_shell(&value.join(" "));
            format!("gt config set {key} {value}")
        }
    })
}
