//! Words of other programs for common commands, such as `ls` for `list`.

use std::ffi::OsString;

use kit::cli::parse::find_command_name;

/// The words, each with the arguments that take its place.
const WORDS: &[(&str, &[&str])] = &[
    ("add", &["create"]),
    ("cat", &["show"]),
    ("claim", &["update", "--claim"]),
    ("describe", &["show"]),
    ("find", &["search"]),
    ("finish", &["close"]),
    ("get", &["show"]),
    ("grep", &["search"]),
    ("log", &["history"]),
    ("ls", &["list"]),
    ("mine", &["list", "--mine"]),
    ("remove", &["delete"]),
    ("rm", &["delete"]),
    ("start", &["update", "--claim"]),
    ("take", &["update", "--claim"]),
    ("tree", &["dep", "tree"]),
    ("unassign", &["update", "--unassign"]),
];

/// Words that have more than one meaning, each with the commands to choose from.
const CHOICES: &[(&str, &[&str])] = &[
    ("all", &["bd list --all"]),
    ("archive", &["bd compact"]),
    (
        "assignee",
        &["bd assign ID NAME", "bd list --assignee NAME"],
    ),
    ("blame", &["bd history ID"]),
    (
        "block",
        &[
            "bd link A B  (A waits for B)",
            "bd update ID --status blocked",
        ],
    ),
    ("board", &["bd list", "bd status"]),
    ("bug", &["bd create TITLE --type bug"]),
    ("child", &["bd create TITLE --parent ID", "bd children ID"]),
    ("closed", &["bd list --status closed"]),
    ("commit", &["bd sync", "bd sync --full"]),
    ("complete", &["bd close ID", "bd completion SHELL"]),
    ("deadline", &["bd update ID --due TIME"]),
    ("depend", &["bd link A B  (A waits for B)"]),
    ("depends", &["bd link A B  (A waits for B)"]),
    ("deps", &["bd dep list ID", "bd dep tree ID"]),
    (
        "drop",
        &["bd update ID --unassign --status open", "bd delete ID"],
    ),
    ("due", &["bd update ID --due TIME"]),
    ("epics", &["bd list --type epic", "bd epic status"]),
    ("feature", &["bd create TITLE --type feature"]),
    ("fetch", &["bd sync --full"]),
    ("issues", &["bd list"]),
    ("label-add", &["bd label add ID LABEL"]),
    ("labels", &["bd label list-all", "bd label list ID"]),
    ("later", &["bd defer ID"]),
    ("login", &["bd --actor NAME COMMAND"]),
    ("me", &["bd list --mine"]),
    (
        "milestone",
        &["bd create TITLE --type epic", "bd epic status"],
    ),
    (
        "mv",
        &[
            "bd move ID --to RIG",
            "bd rename ID NEW",
            "bd update ID --parent ID",
        ],
    ),
    ("next", &["bd ready"]),
    ("notes", &["bd note ID TEXT", "bd show ID"]),
    (
        "open",
        &["bd show ID", "bd reopen ID", "bd list --status open"],
    ),
    ("owner", &["bd assign ID NAME"]),
    ("parent", &["bd update ID --parent PARENT", "bd show ID"]),
    ("pause", &["bd defer ID"]),
    ("pull", &["bd sync --full"]),
    ("push", &["bd sync --full"]),
    ("release", &["bd update ID --unassign --status open"]),
    ("resolve", &["bd close ID", "bd resolve-conflicts"]),
    ("revert", &["bd undo"]),
    ("save", &["bd sync"]),
    ("set", &["bd update ID", "bd config set KEY VALUE"]),
    ("snooze", &["bd defer ID"]),
    (
        "sprint",
        &["bd create TITLE --type epic", "bd list --label NAME"],
    ),
    (
        "stop",
        &["bd defer ID", "bd update ID --unassign --status open"],
    ),
    ("sub", &["bd create TITLE --parent ID"]),
    ("subtask", &["bd create TITLE --parent ID"]),
    ("tags", &["bd label list-all", "bd label list ID"]),
    ("task", &["bd create TITLE"]),
    ("tasks", &["bd list"]),
    (
        "unblock",
        &["bd dep remove A B", "bd update ID --status open"],
    ),
    ("unclaim", &["bd update ID --unassign --status open"]),
    ("unlabel", &["bd label remove ID LABEL"]),
    ("unlink", &["bd dep remove A B"]),
    ("untag", &["bd label remove ID LABEL"]),
    ("user", &["bd --actor NAME COMMAND"]),
    (
        "users",
        &["bd list --assignee NAME", "bd count --by-assignee"],
    ),
    ("wait", &["bd link A B  (A waits for B)", "bd defer ID"]),
    ("watch", &["bd show ID --watch", "bd activity --follow"]),
    ("whoami", &["bd list --mine", "bd --actor NAME COMMAND"]),
    ("wip", &["bd list --status in_progress"]),
    ("work", &["bd ready", "bd update ID --claim"]),
];

/// Replaces the command of a line if it is one of the words.
pub(super) fn replace_everyday_word(args: Vec<OsString>) -> Vec<OsString> {
    let is_word = |arg: &OsString| arg == "message" || WORDS.iter().any(|(word, _)| arg == word);
    let is_flag = |arg: &OsString| arg.to_string_lossy().starts_with('-');
    // Most lines have no such word, and building the parser takes a while.
    if !args.iter().any(is_word) {
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
    let has_operand = |at| args.iter().skip(at + 1).any(|arg| !is_flag(arg));
    if name == "start" && !found.is_some_and(has_operand) {
        return args;
    }
    let meaning = WORDS.iter().find(|(word, _)| name == *word);
    let (Some(at), Some((_, meaning))) = (found, meaning) else {
        return args;
    };
    let meaning = meaning.iter().map(OsString::from);
    let before = args[..at].iter().cloned();
    before
        .chain(meaning)
        .chain(args[at + 1..].iter().cloned())
        .collect()
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
    if let Some((_, commands)) = CHOICES.iter().find(|(choice, _)| *choice == word) {
        return commands.iter().map(|&command| command.to_owned()).collect();
    }
    let meaning = WORDS.iter().filter(|(everyday, _)| *everyday == word);
    meaning
        .map(|(_, meaning)| format!("bd {}", meaning.join(" ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_everyday_word_is_a_command() {
        let command = super::super::build_command_line();
        let words = WORDS.iter().chain(CHOICES).map(|(word, _)| word);
        for word in words {
            assert!(command.find_subcommand(word).is_none(), "{word}");
        }
    }

    #[test]
    fn each_suggestion_names_a_command() {
        let command = super::super::build_command_line();
        let suggested = CHOICES.iter().flat_map(|(_, commands)| commands.iter());
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
