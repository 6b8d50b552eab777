//! Describes a command line that cannot be parsed: one error, and the line to type instead.

use clap::error::{ContextKind, ErrorKind};
use kit::cli::unknown;
use kit::failure::{Failure, UsageError};
use kit::table::{find_meaning, read_rows, split_list};

use super::everyday;

const ARGUMENTS: &str = include_str!("../../templates/vocabulary/arguments.txt");
const FLAGS: &str = include_str!("../../templates/vocabulary/flags.txt");

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
    if found.hint.ends_with("bd label --help") {
        "try: bd label add ID LABEL".clone_into(&mut found.hint);
    }
    let path = unknown::find_command_path(&program, words);
    if let Some(hint) = found
        .message
        .strip_prefix("unknown flag: ")
        .and_then(|flag| find_flag_hint(&path, flag))
    {
        hint.clone_into(&mut found.hint);
    }
    let failure = bd::error::describe_failure(&UsageError(found.message).into());
    Some(Failure {
        hint: Some(found.hint),
        ..failure
    })
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

/// Describes `bd dep A B`, in which a command is missing.
fn describe_dependency(error: &clap::Error) -> Option<unknown::UnknownWord> {
    let usage = error.get(ContextKind::Usage)?.to_string();
    let is_conflict = error.kind() == ErrorKind::ArgumentConflict;
    (is_conflict && usage.contains("bd dep ")).then(|| unknown::UnknownWord {
        message: "bd dep needs a command".to_owned(),
        hint: "try: bd dep add A B  (A waits for B)".to_owned(),
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
