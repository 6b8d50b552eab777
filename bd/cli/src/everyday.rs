//! Words of other programs for common commands, such as `ls` for `list`.

use std::ffi::OsString;

/// The words, each with the arguments that take its place.
const WORDS: [(&str, &[&str]); 6] = [
    ("add", &["create"]),
    ("log", &["history"]),
    ("ls", &["list"]),
    ("mine", &["list", "--mine"]),
    ("rm", &["delete"]),
    ("take", &["update", "--claim"]),
];

/// Replaces the first argument that is no flag if it is one of the words.
pub(super) fn replace_everyday_word(args: Vec<OsString>) -> Vec<OsString> {
    let is_flag = |arg: &OsString| arg.to_string_lossy().starts_with('-');
    let Some(at) = args.iter().skip(1).position(|arg| !is_flag(arg)) else {
        return args;
    };
    let at = at + 1;
    let Some((_, meaning)) = WORDS.iter().find(|(word, _)| args[at] == *word) else {
        return args;
    };
    let meaning = meaning.iter().map(OsString::from);
    let before = args[..at].iter().cloned();
    before
        .chain(meaning)
        .chain(args[at + 1..].iter().cloned())
        .collect()
}
