//! The commands of the original `gt`, later versions included, and the everyday words of other
//! tools, each with what typing it does here.
//!
//! Three readers of the tables in `gt/templates/vocabulary`: a command line that this program does
//! not know is looked up in them before it is refused (`answer`), `docs/GT-COMPATIBILITY.md` is
//! generated from them (`page`), and an end-to-end test drives every line with the real programs.

pub(super) mod answer;
mod flags;
mod operand;
mod page;
mod suggest;

use std::fmt;

use kit::table;

pub use flags::{OldFlag, all_flags};
pub(super) use operand::{fill_hint, find_command_of_gt};
pub use page::build_page;
pub(super) use suggest::{complete_reading_line, describe_unknown};

const COMMANDS: &str = include_str!("../../../templates/vocabulary/commands.txt");
const SHORT_NAMES: &str = include_str!("../../../templates/vocabulary/short-names.txt");
const BARE_LINES: &str = include_str!("../../../templates/vocabulary/bare-lines.txt");

/// A command of the original.
#[derive(Debug, Clone, Copy)]
pub struct OldCommand {
    /// The heading above the command.
    pub group: &'static str,
    /// The words after `gt`.
    pub path: &'static str,
    pub standing: Standing,
}

/// The relation of an old command or flag to this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Does the same.
    Same,
    /// Accepts the same line, and does more or asks for less: how.
    Kinder(&'static str),
    /// Accepts the line, does nothing and exits with 0, because hooks of old agents call it: why.
    Accepted(&'static str),
    /// Typing it runs another command with the same arguments.
    Runs(&'static str),
    /// Typing it is refused and names the command to type.
    Renamed {
        command: &'static str,
        /// The difference.
        note: Option<&'static str>,
    },
    /// Typing it is refused.
    NotOffered {
        reason: &'static str,
        next: NextStep,
    },
}

/// The next step of a refused line: a sentence, and after each `|` a command to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextStep(&'static str);

impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in table::split_list(self.0, '|').enumerate() {
            let indent = if index == 0 { "" } else { "\n  " };
            write!(f, "{indent}{line}")?;
        }
        Ok(())
    }
}

impl Standing {
    /// Reads a standing from its word and the two columns behind it.
    fn parse(word: &str, text: &'static str, more: &'static str) -> Option<Self> {
        Some(match word {
            "same" => Self::Same,
            "kinder" => Self::Kinder(text),
            "accepted" => Self::Accepted(text),
            "runs" => Self::Runs(text),
            "renamed" => Self::Renamed {
                command: text,
                note: (!more.is_empty()).then_some(more),
            },
            "not offered" => Self::NotOffered {
                reason: text,
                next: NextStep(more),
            },
            _ => return None,
        })
    }

    /// Returns true if this program accepts the line and does at least the same.
    fn is_ours(self) -> bool {
        matches!(self, Self::Same | Self::Kinder(_))
    }
}

/// Returns every command of the table, by group.
pub fn all_commands() -> impl Iterator<Item = OldCommand> {
    let mut group = "";
    table::read_rows(COMMANDS).filter_map(move |[path, word, text, more]| {
        if word.is_empty() {
            group = path;
        }
        let standing = Standing::parse(word, text, more)?;
        Some(OldCommand {
            group,
            path,
            standing,
        })
    })
}

/// Returns the command of the table whose path is the longest beginning of `words`.
fn find_command(words: &[&str]) -> Option<OldCommand> {
    let first = *words.first()?;
    let first = table::find_meaning(SHORT_NAMES, first).unwrap_or(first);
    let line = [&[first], &words[1..]].concat();
    all_commands()
        .filter(|command| line.starts_with(&command.path.split(' ').collect::<Vec<_>>()))
        .max_by_key(|command| command.path.split(' ').count())
}

/// Returns the commands below a path.
fn list_below(path: &str) -> impl Iterator<Item = OldCommand> {
    all_commands().filter(move |command| {
        let rest = command.path.strip_prefix(path);
        rest.is_some_and(|rest| rest.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_can_be_read_and_each_name_is_in_its_table_once() {
        let mut headings = 0;
        for [path, word, text, more] in table::read_rows(COMMANDS) {
            headings += usize::from(word.is_empty());
            let is_read = word.is_empty() || Standing::parse(word, text, more).is_some();
            assert!(is_read, "{path}: {word}");
        }
        assert_eq!(headings, 9);
        for [path, names, word, text, more] in table::read_rows(flags::FLAGS) {
            let is_read = Standing::parse(word, text, more).is_some();
            assert!(is_read && !names.is_empty(), "{path}: {word}");
        }
        for rows in [SHORT_NAMES, BARE_LINES, flags::ARGUMENTS] {
            for [name, meaning] in table::read_rows(rows) {
                assert!(!meaning.is_empty(), "{name}");
            }
        }
        let first_columns = |rows| table::read_rows(rows).map(|[name, _]| name.to_owned());
        let flags = all_flags().flat_map(|flag| {
            flag.names()
                .map(move |name| format!("{} {name}", flag.path))
        });
        let tables: [Vec<String>; 5] = [
            all_commands()
                .map(|command| command.path.to_owned())
                .collect(),
            flags.collect(),
            first_columns(SHORT_NAMES).collect(),
            first_columns(BARE_LINES).collect(),
            first_columns(flags::ARGUMENTS).collect(),
        ];
        for names in tables {
            let unique: std::collections::BTreeSet<&String> = names.iter().collect();
            assert_eq!(unique.len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn the_longest_path_of_a_line_is_found_by_alias_too() {
        let path = |words: &[&str]| find_command(words).map(|command| command.path);
        assert_eq!(path(&["session", "at", "web/amber"]), Some("session at"));
        assert_eq!(path(&["sess", "at"]), Some("session at"));
        assert_eq!(path(&["session", "nosuch"]), Some("session"));
        assert_eq!(path(&["nosuch"]), None);
        assert_eq!(path(&[]), None);
    }

    #[test]
    fn every_refusal_names_a_reason_and_a_next_step() {
        for command in all_commands() {
            match command.standing {
                Standing::NotOffered { reason, next } => {
                    assert!(!reason.is_empty() && !next.0.is_empty(), "{}", command.path);
                }
                Standing::Renamed { command: other, .. } | Standing::Runs(other) => {
                    assert!(!other.is_empty(), "{}", command.path);
                }
                Standing::Same | Standing::Kinder(_) | Standing::Accepted(_) => {}
            }
        }
    }
}
