//! Words of other programs for common commands, such as `ls` for `list`.

use std::ffi::OsString;

use kit::cli::parse::find_command_name;
use kit::table;

const COMMAND_ALIASES: &str = include_str!("../../templates/vocabulary/aliases.txt");
const COMMAND_CHOICES: &str = include_str!("../../templates/vocabulary/choices.txt");

/// Replaces the command of a line if it is one of the words.
pub(super) fn replace_everyday_word(args: Vec<OsString>) -> Vec<OsString> {
    // Most lines have no such word, and building the parser takes a while.
    let is_last_word = |arg: &OsString, words: &str| arg == words.rsplit(' ').next().unwrap_or("");
    if !args.iter().any(|arg| {
        arg == "message"
            || table::read_rows(COMMAND_ALIASES).any(|[words, _]| is_last_word(arg, words))
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
    if let Some(line) = found.and_then(|at| replace_verb(&args, at)) {
        return line;
    }
    // A text after the id of a bead is a change of it, not one more bead to show.
    let has_text = |at: usize| {
        let text = args.get(at + 2).map(|text| text.to_string_lossy());
        text.is_some_and(|text| text.contains(char::is_whitespace))
    };
    match (found, meaning) {
        (Some(at), Some("show")) if has_text(at) => args,
        (Some(at), Some(meaning)) => replace_words(&args, at, 1, meaning),
        _ => args,
    }
}

/// Replaces `taken` words of a line by others.
fn replace_words(args: &[OsString], at: usize, taken: usize, meaning: &str) -> Vec<OsString> {
    args[..at]
        .iter()
        .cloned()
        .chain(meaning.split(' ').map(OsString::from))
        .chain(args[at + taken..].iter().cloned())
        .collect()
}

/// Replaces a command and a word in the place of its id, as in `comments list ID`. The word may be
/// a part of an id itself, so only an id after it shows that it is none.
fn replace_verb(args: &[OsString], at: usize) -> Option<Vec<OsString>> {
    let texts: Vec<&str> = args[at..].iter().map_while(|arg| arg.to_str()).collect();
    let [command, verb, id, ..] = texts[..] else {
        return None;
    };
    let is_id = !id.starts_with('-')
        && id.contains(|c: char| c == '-' || c.is_ascii_digit())
        && !id.contains(char::is_whitespace);
    let meaning = table::find_meaning(COMMAND_ALIASES, &format!("{command} {verb}"));
    let meaning = meaning.filter(|_| is_id)?;
    Some(replace_words(args, at, 2, meaning))
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
    if meaning == Some("show") {
        return vec![
            "bd show ID".to_owned(),
            "bd update ID --description TEXT".to_owned(),
        ];
    }
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
            let found = word
                .split(' ')
                .try_fold(&command, |above, word| above.find_subcommand(word));
            assert!(found.is_none(), "{word}");
            assert!(!meaning.is_empty() && words.insert(word), "{word}");
        }
    }

    #[test]
    fn a_verb_in_the_place_of_an_id_is_understood_only_before_an_id() {
        let line = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (given, meant) in [
            ("bd comments show bd-1", "bd comments bd-1"),
            ("bd --json dep show bd-1", "bd --json dep list bd-1"),
            ("bd note add a1 text", "bd note a1 text"),
            ("bd note add text", "bd note add text"),
            ("bd comments list", "bd comments list"),
        ] {
            assert_eq!(replace_everyday_word(line(given)), line(meant), "{given}");
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
