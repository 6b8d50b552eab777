//! Words of other programs that mean the same as a name of ours.

/// Names of commands. Words in a row mean the same.
const COMMAND_SYNONYMS: &[&[&str]] = &[
    &["list", "ls", "ps", "all", "inbox", "index"],
    &["add", "create", "new", "make", "insert", "send"],
    &[
        "remove", "rm", "delete", "del", "destroy", "kill", "nuke", "close", "drop", "burn",
    ],
    &[
        "show", "status", "info", "get", "view", "describe", "inspect", "details", "read", "cat",
    ],
    &["edit", "set", "change", "modify", "update"],
    &["at", "attach", "open", "enter", "join", "connect"],
    &["restart", "retry", "reload", "redo"],
    &["search", "find", "grep"],
    &["status", "progress", "state", "stats"],
    &["explain", "why", "help"],
    &["priority", "prio"],
    &["start", "run", "launch", "begin"],
    &["stop", "halt", "end", "pause"],
    &["rename", "mv", "move"],
];

/// Names of flags, without dashes. Words in a row mean the same.
const FLAG_SYNONYMS: &[&[&str]] = &[
    &[
        "description",
        "desc",
        "body",
        "text",
        "message",
        "msg",
        "content",
    ],
    &[
        "assignee",
        "assign",
        "owner",
        "user",
        "assigned-to",
        "author",
        "creator",
    ],
    &["label", "labels", "tag", "tags"],
    &["estimate", "points", "effort", "size"],
    &["reverse", "desc", "descending", "asc", "newest"],
    &["updated-after", "since", "after"],
    &["title", "name", "subject", "summary"],
    &["status", "state", "open", "closed", "done"],
    &["json", "output", "format", "o"],
    &["mine", "me", "my", "assigned-to-me"],
    &["all", "everything", "a"],
    &[
        "limit", "max", "count", "number", "lines", "tail", "last", "head", "n",
    ],
    &["type", "kind"],
    &["dry-run", "preview", "plan", "simulate"],
    &["force", "yes", "y", "assume-yes"],
    &["rig", "repo", "project"],
    &["priority", "prio", "importance"],
    &["due", "deadline", "until"],
    &["follow", "watch", "tail"],
    &["reason", "why", "because"],
];

/// Values of flags. Words in a row mean the same.
const VALUE_SYNONYMS: &[&[&str]] = &[
    &["agent", "worker", "polecat", "assignee"],
    &["normal", "on", "default"],
    &["muted", "off", "mute", "quiet", "none"],
    &["closed", "done", "finished", "resolved"],
    &["open", "todo", "new"],
    &["created", "date", "age", "oldest", "newest", "time"],
    &["updated", "changed", "recent", "modified"],
];

/// Returns true for a word that means to change a field.
pub fn is_edit(word: &str) -> bool {
    ["set", "change", "edit", "modify", "put"].contains(&word)
}

/// Returns those of the values that mean the same as `word`.
pub fn find_values<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    find_in(VALUE_SYNONYMS, word, names)
}

/// Returns those of the commands that mean the same as `word`.
pub fn find_commands<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    find_in(COMMAND_SYNONYMS, word, names)
}

/// Returns those of the flags that mean the same as `word`.
pub fn find_flags<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    find_in(FLAG_SYNONYMS, word, names)
}

fn find_in<'a>(table: &[&[&str]], word: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let word = word.to_lowercase();
    let rows: Vec<_> = table.iter().filter(|row| row.contains(&&*word)).collect();
    names
        .filter(|name| rows.iter().any(|row| row.contains(name)))
        .map(str::to_owned)
        .collect()
}
