//! Words of other programs for common commands, such as `ls` for `list`.

use std::ffi::OsString;

use kit::cli::parse::find_command_name;
use kit::table;

const COMMAND_ALIASES: &str = include_str!("../../templates/vocabulary/aliases.txt");
const COMMAND_CHOICES: &str = include_str!("../../templates/vocabulary/choices.txt");

/// Replaces the command of a line if it is one of the words.
pub(super) fn replace_everyday_word(args: Vec<OsString>) -> Vec<OsString> {
    // Most lines have no such word, and building the parser takes a while.
    if !args.iter().any(|arg| {
        arg == "message" || table::read_rows(COMMAND_ALIASES).any(|[word, _]| arg == word)
    }) {
        return args;
    }
    let root = super::BD.build_root();
    let Some(name) = find_command_name(&root, &args) else {
        return args;
    };
    let found = args
        .iter()
        .position(|arg| std::ptr::eq(arg.as_os_str(), name));
    if name == "message" {
        return replace_thread(args, found);
    }
    // Alone, it may mean a service.
    let has_operand = found.is_some_and(|at| {
        args.iter()
            .skip(at + 1)
            .any(|arg| !arg.to_string_lossy().starts_with('-'))
    });
    if name == "start" && !has_operand {
        return args;
    }
    let meaning = name
        .to_str()
        .and_then(|name| table::find_meaning(COMMAND_ALIASES, name));
    let (Some(at), Some(meaning)) = (found, meaning) else {
        return args;
    };
    let mut replaced = args[..at].to_vec();
    replaced.extend(meaning.split(' ').map(OsString::from));
    replaced.extend_from_slice(&args[at + 1..]);
    replaced
}

/// Replaces `message thread ID`, which `gt` calls, by the list of the messages with that label.
fn replace_thread(args: Vec<OsString>, at: Option<usize>) -> Vec<OsString> {
    let Some((at, id)) = at.and_then(|at| Some((at, args.get(at + 2)?.to_str()?))) else {
        return args;
    };
    if args[at + 1] != "thread" {
        return args;
    }
    let list = [
        "list",
        "--type=message",
        "--status=all",
        "--limit=0",
        "--sort=created",
    ];
    let label = format!("--label=thread:{id}");
    let mut line = args[..at].to_vec();
    line.extend(list.map(OsString::from));
    line.push(label.into());
    line.extend_from_slice(&args[at + 3..]);
    line
}

/// Returns the commands to type instead of a word, nearest in meaning first.
pub(super) fn suggest_commands(word: &str) -> Vec<String> {
    let word = word.to_lowercase();
    if let Some(commands) = table::find_meaning(COMMAND_CHOICES, &word) {
        return table::split_list(commands, '|')
            .map(str::to_owned)
            .collect();
    }
    let meaning = table::find_meaning(COMMAND_ALIASES, &word);
    meaning
        .map(|meaning| format!("bd {meaning}"))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_everyday_word_is_a_command_and_each_is_in_one_table_once() {
        let command = super::super::build_command_line();
        let mut words = std::collections::BTreeSet::new();
        for [word, meaning] in
            table::read_rows(COMMAND_ALIASES).chain(table::read_rows(COMMAND_CHOICES))
        {
            assert!(command.find_subcommand(word).is_none(), "{word}");
            assert!(!meaning.is_empty() && words.insert(word), "{word}");
        }
    }

    #[test]
    fn each_suggestion_names_a_command() {
        let command = super::super::build_command_line();
        let suggested = table::read_rows(COMMAND_CHOICES)
            .flat_map(|[_, commands]| table::split_list(commands, '|'));
        for line in suggested {
            let mut words = line.split_whitespace().skip(1);
            let name = words.find(|word| !word.starts_with('-') && *word != "NAME");
            let name = name.unwrap();
            assert!(
                name == "COMMAND" || command.find_subcommand(name).is_some(),
                "{line}"
            );
        }
    }

    #[test]
    fn a_word_after_a_flag_with_a_value_is_replaced_and_the_value_is_not() {
        let line = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            replace_everyday_word(line(&["bd", "--actor", "take", "claim", "x"])),
            line(&["bd", "--actor", "take", "update", "--claim", "x"])
        );
        assert_eq!(
            replace_everyday_word(line(&["bd", "show", "find"])),
            line(&["bd", "show", "find"])
        );
    }
}
