//! Flags and arguments of commands that exist in both programs, if they differ.

use kit::table;

use super::{NextStep, Standing};

pub(super) const FLAGS: &str = include_str!("../../../templates/vocabulary/flags.txt");
pub(super) const ARGUMENTS: &str = include_str!("../../../templates/vocabulary/arguments.txt");

/// A flag of a command of the original.
#[derive(Debug, Clone, Copy)]
pub struct OldFlag {
    /// The command's words after `gt`.
    pub path: &'static str,
    /// The spellings, with commas between them.
    pub spellings: &'static str,
    pub standing: Standing,
}

impl OldFlag {
    /// Returns the spellings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        table::split_list(self.spellings, ',')
    }
}

/// Returns every flag of the table.
pub fn all_flags() -> impl Iterator<Item = OldFlag> {
    table::read_rows(FLAGS).filter_map(|[path, spellings, word, text, more]| {
        let standing = Standing::parse(word, text, more)?;
        Some(OldFlag {
            path,
            spellings,
            standing,
        })
    })
}

/// Returns the refusal of an argument of a command that takes none.
pub(super) fn find_argument(path: &str) -> Option<Standing> {
    let mut rows = table::read_rows(ARGUMENTS);
    rows.find_map(|[command, reason, next]| {
        (command == path).then_some(Standing::NotOffered {
            reason,
            next: NextStep(next),
        })
    })
}

/// Returns the line of a flag, as clap reports it: `--status <S>`, `--nuke`, `-p`.
pub(super) fn find_flag(path: &str, written: &str) -> Option<OldFlag> {
    let name = written.split([' ', '=']).next()?;
    all_flags().find(|flag| flag.path == path && flag.names().any(|spelling| spelling == name))
}
