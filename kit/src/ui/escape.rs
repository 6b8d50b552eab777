//! Escapes foreign text for terminals: control characters become visible, and marks of text
//! direction have no effect.

/// Escapes foreign text for one line.
pub fn escape_line(text: &str) -> String {
    escape_chars(text, |c| match c {
        '\n' => Some("↵"),
        '\t' => Some(" "),
        '\r' => Some(""),
        _ => None,
    })
}

/// Escapes foreign text, except its newlines and tabs.
pub fn escape_block(text: &str) -> String {
    escape_chars(text, |c| match c {
        '\n' => Some("\n"),
        '\t' => Some("\t"),
        '\r' => Some(""),
        _ => None,
    })
}

fn escape_chars(text: &str, special: impl Fn(char) -> Option<&'static str>) -> String {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if let Some(replacement) = special(c) {
            out.push_str(replacement);
        } else if c.is_control() {
            out.extend(c.escape_default());
        } else if is_direction_mark(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns true for marks that make text appear in another order than it is stored.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Quotes a word for a shell, if it needs quotes.
pub fn quote_for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@,+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_visible() {
        assert_eq!(escape_line("a\u{1b}[31mb\u{7}"), "a\\u{1b}[31mb\\u{7}");
        assert_eq!(escape_line("a\nb\tc\r"), "a↵b c");
        assert_eq!(escape_block("a\n\tb\u{9b}"), "a\n\tb\\u{9b}");
        assert_eq!(escape_line("x\u{202e}y"), "x\\u{202e}y");
    }

    #[test]
    fn words_with_other_characters_are_quoted_for_the_shell() {
        assert_eq!(quote_for_shell("/town/web"), "/town/web");
        assert_eq!(quote_for_shell("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quote_for_shell(""), "''");
    }
}
