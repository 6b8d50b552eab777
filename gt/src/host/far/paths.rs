//! Translates the paths of the town in texts, for a caller that has the town's folders elsewhere.

use std::path::{Component, Path};

/// The maximum length of the path that a host names as the root of the town, in bytes.
const MAX_ROOT: usize = 1024;

/// The root of the town on the two sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTranslation {
    pub town: String,
    pub caller: String,
}

impl PathTranslation {
    /// Translates the paths in an argument of the caller.
    pub fn to_town(&self, text: &str) -> String {
        let mut bytes = Replacement::new(&self.caller, &self.town);
        let mut done = bytes.push(text.as_bytes());
        done.extend(bytes.finish());
        // Both roots are text, so that the result is.
        String::from_utf8(done).unwrap_or_else(|_| text.to_owned())
    }

    /// Translates the paths in a text for the caller.
    pub fn to_caller(&self, text: &str) -> String {
        let opposite = Self {
            town: self.caller.clone(),
            caller: self.town.clone(),
        };
        opposite.to_town(text)
    }

    /// Translates the paths in output that comes in parts.
    pub(crate) fn output(&self) -> Replacement {
        Replacement::new(&self.town, &self.caller)
    }
}

/// Replaces a path in bytes that come in parts.
#[derive(Debug)]
pub(crate) struct Replacement {
    from: Vec<u8>,
    to: Vec<u8>,
    /// The end of the last part, which may be the beginning of the path.
    held: Vec<u8>,
}

impl Replacement {
    fn new(from: &str, to: &str) -> Self {
        Self {
            from: from.as_bytes().to_vec(),
            to: to.as_bytes().to_vec(),
            held: Vec::new(),
        }
    }

    /// Returns what is certain of the text until now.
    pub(crate) fn push(&mut self, part: &[u8]) -> Vec<u8> {
        if self.from.is_empty() {
            return part.to_vec();
        }
        let mut text = std::mem::take(&mut self.held);
        text.extend(part);
        let mut done = Vec::with_capacity(text.len());
        let mut rest = text.as_slice();
        while let Some(at) = memchr::memmem::find(rest, &self.from) {
            let end = at + self.from.len();
            let Some(next) = rest.get(end) else {
                done.extend(&rest[..at]);
                self.held = rest[at..].to_vec();
                return done;
            };
            done.extend(&rest[..at]);
            let is_whole = !is_name_byte(*next);
            done.extend(if is_whole { &self.to } else { &self.from });
            rest = &rest[end..];
        }
        let held = self.count_beginning(rest);
        let (certain, uncertain) = rest.split_at(rest.len() - held);
        done.extend(certain);
        self.held = uncertain.to_vec();
        done
    }

    /// Returns the rest of the text.
    pub(crate) fn finish(self) -> Vec<u8> {
        if !self.from.is_empty() && self.held == self.from {
            self.to
        } else {
            self.held
        }
    }

    /// Returns the length of the longest end of `text` with which the path begins.
    fn count_beginning(&self, text: &[u8]) -> usize {
        let longest = text.len().min(self.from.len() - 1);
        (1..=longest)
            .rev()
            .find(|length| self.from.starts_with(&text[text.len() - length..]))
            .unwrap_or(0)
    }
}

/// Returns true for a byte that continues the name of a folder.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(&byte) || !byte.is_ascii()
}

/// Returns true for a folder that can stand for the root of the town: its path replaces that of the
/// town in texts.
pub(crate) fn is_valid_root(root: &Path) -> bool {
    let is_plain =
        |text: &str| (2..=MAX_ROOT).contains(&text.len()) && !text.chars().any(char::is_control);
    let has_only_names = root
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    root.is_absolute() && has_only_names && root.to_str().is_some_and(is_plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn example() -> PathTranslation {
        PathTranslation {
            town: "/home/a/town".to_owned(),
            caller: "/b".to_owned(),
        }
    }

    #[test]
    fn whole_paths_are_translated() {
        for (town, caller) in [
            ("", ""),
            ("/home/a/town", "/b"),
            (
                "see /home/a/town/web, /home/a/town.",
                "see /b/web, /home/a/town.",
            ),
            ("/home/a/town2 /home/a/tow", "/home/a/town2 /home/a/tow"),
            ("`/home/a/town`\n", "`/b`\n"),
        ] {
            assert_eq!(example().to_caller(town), caller);
        }
        let nowhere = PathTranslation {
            caller: String::new(),
            ..example()
        };
        assert_eq!(nowhere.to_town("/b/x"), "/b/x");
        assert_eq!(
            example().to_town("--file=/b/x /bin"),
            "--file=/home/a/town/x /bin"
        );
    }

    proptest! {
        #[test]
        fn output_in_parts_is_translated_like_the_whole(
            words in proptest::collection::vec("/home/a/town|/home/a/tow|/|x|\n", 0..12),
            cuts in proptest::collection::vec(1_usize..9, 1..20),
        ) {
            let text = words.concat();
            let mut replacement = example().output();
            let mut done = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (part, left) = rest.split_at((*cut).min(rest.len()));
                done.extend(replacement.push(part));
                rest = left;
            }
            done.extend(replacement.finish());
            prop_assert_eq!(String::from_utf8(done).unwrap(), example().to_caller(&text));
        }
    }

    #[test]
    fn a_host_names_a_plain_folder_for_the_town() {
        for root in [
            "",
            "/",
            "a/b",
            "/a/../b",
            "/a\nb",
            &format!("/{}", "a".repeat(2000)),
        ] {
            assert!(!is_valid_root(Path::new(root)), "{root}");
        }
        assert!(is_valid_root(Path::new(
            "/home/b/.local/share/gastown/box/1"
        )));
    }
}
