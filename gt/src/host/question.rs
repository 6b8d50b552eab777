//! Finds a question at the end of a screen whose program has no known input line. Whatever is typed
//! there answers it.

/// The maximum number of lines that are shown of a question.
const SHOWN_LINES: usize = 3;

/// The marks of a choice, in small letters.
const CHOICE_MARKS: [&str; 6] = [
    "[y/n]",
    "(y/n)",
    "[yes/no]",
    "(yes/no)",
    "y/n?",
    "press enter",
];

/// The endings of a line that asks for a secret or a name, in small letters.
const SECRET_PROMPTS: [&str; 4] = ["password:", "passphrase:", "username:", "code:"];

/// The begin of each message that the town types.
pub(crate) const TYPED_PREFIX: &str = "[from ";

/// Returns the last lines of a screen that ends with a question.
pub(crate) fn find_last_question(screen: &str) -> Option<String> {
    let lines: Vec<&str> = screen
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = lines.last()?.to_lowercase();
    let is_question = last.ends_with('?')
        || CHOICE_MARKS.iter().any(|mark| last.contains(mark))
        || SECRET_PROMPTS.iter().any(|ending| last.ends_with(ending));
    let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    // A program without an input line of its own shows what was typed for it.
    let is_echo = shown.iter().any(|line| line.starts_with(TYPED_PREFIX));
    (is_question && !is_echo).then(|| shown.join(" / "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_that_ends_with_a_question_is_recognized() {
        for asks in [
            "Delete the production database? [Y/n] ",
            "done\n\nDelete it?\n\n",
            "user@host's password:",
            "Proceed (yes/no)",
            "Press ENTER to continue",
        ] {
            assert!(find_last_question(asks).is_some(), "{asks}");
        }
        for works in [
            "",
            "[from mayor] how is it going?",
            "Is it right?\nyes, it is",
            "test result: ok",
            "$ ",
        ] {
            assert_eq!(find_last_question(works), None, "{works}");
        }
        let shown = find_last_question("one\ntwo\nthree\nGo on? [y/N]");
        assert_eq!(shown.as_deref(), Some("two / three / Go on? [y/N]"));
    }
}
