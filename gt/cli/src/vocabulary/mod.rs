//! The commands of the original `gt`, later versions included, and the everyday words of other
//! tools, each with what typing it does here.
//!
//! One table for three readers: a command line that this program does not know is looked up in it
//! before it is refused (`answer`), `docs/GT-COMPATIBILITY.md` is generated from it (`page`),
//! and an end-to-end test drives every line with the real programs.

mod agents;
pub(super) mod answer;
mod everyday;
mod flags;
mod later;
mod mail;
mod observe;
mod page;
mod services;
mod settings;
mod suggest;
mod work;
mod workspace;

pub use flags::{FLAGS, OldFlag};
pub use page::build_page;
pub(super) use suggest::describe_unknown;

/// A command of the original.
#[derive(Debug, Clone, Copy)]
pub struct OldCommand {
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
        /// The difference; empty if there is none.
        note: &'static str,
    },
    /// Typing it is refused.
    NotOffered {
        reason: &'static str,
        /// The next step.
        next: &'static str,
    },
}

/// Commands under one heading.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    pub title: &'static str,
    pub commands: &'static [OldCommand],
}

/// Every command of the table, by group.
pub const GROUPS: &[Group] = &[
    work::WORK,
    workspace::WORKSPACE,
    agents::AGENTS,
    mail::MAIL,
    services::SERVICES,
    observe::OBSERVE,
    settings::SETTINGS,
    later::LATER,
    everyday::EVERYDAY,
];

/// Other names of the original for the first word of a command.
const ALIASES: &[(&str, &str)] = &[
    ("ag", "agents"),
    ("recap", "trail"),
    ("recent", "trail"),
    ("sess", "session"),
    ("synth", "synthesis"),
    ("work", "hook"),
];

/// Lines that lack a command or a value, each with the line that runs.
const BARE_LINES: &[(&str, &str)] = &[
    ("accounts", "account list"),
    ("config default-agent", "config get default_agent"),
    ("convoys", "convoy list"),
    ("dogs", "dog list"),
    ("formulas", "formula list"),
    ("hooks", "hooks list"),
    ("mail", "mail inbox"),
    ("plugins", "plugin list"),
    ("polecats", "polecat list"),
    ("rigs", "rig list"),
    ("role", "role show"),
    ("trail", "trail commits"),
];

const fn same(path: &'static str) -> OldCommand {
    let standing = Standing::Same;
    OldCommand { path, standing }
}

const fn kinder(path: &'static str, how: &'static str) -> OldCommand {
    let standing = Standing::Kinder(how);
    OldCommand { path, standing }
}

const fn accepted(path: &'static str, why: &'static str) -> OldCommand {
    let standing = Standing::Accepted(why);
    OldCommand { path, standing }
}

const fn runs(path: &'static str, command: &'static str) -> OldCommand {
    let standing = Standing::Runs(command);
    OldCommand { path, standing }
}

const fn renamed(path: &'static str, command: &'static str, note: &'static str) -> OldCommand {
    let standing = Standing::Renamed { command, note };
    OldCommand { path, standing }
}

const fn refused(path: &'static str, reason: &'static str, next: &'static str) -> OldCommand {
    let standing = Standing::NotOffered { reason, next };
    OldCommand { path, standing }
}

/// Returns every command of the table.
pub fn all_commands() -> impl Iterator<Item = &'static OldCommand> {
    GROUPS.iter().flat_map(|group| group.commands)
}

/// Returns the command of the table whose path is the longest beginning of `words`.
fn find_command(words: &[&str]) -> Option<&'static OldCommand> {
    let first = *words.first()?;
    let first = name_of_alias(first).unwrap_or(first);
    let begins_line = |path: &str| {
        let mut line = std::iter::once(&first).chain(&words[1..]);
        path.split(' ').all(|word| line.next() == Some(&word))
    };
    all_commands()
        .filter(|command| begins_line(command.path))
        .max_by_key(|command| command.path.split(' ').count())
}

fn name_of_alias(word: &str) -> Option<&'static str> {
    let mut aliases = ALIASES.iter();
    aliases
        .find(|(alias, _)| *alias == word)
        .map(|(_, name)| *name)
}

/// Returns the commands below a path.
fn list_below(path: &str) -> impl Iterator<Item = &'static OldCommand> {
    all_commands().filter(move |command| {
        let rest = command.path.strip_prefix(path);
        rest.is_some_and(|rest| rest.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_in_the_table_once() {
        let mut paths: Vec<&str> = all_commands().map(|command| command.path).collect();
        let count = paths.len();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), count);
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
                    assert!(!reason.is_empty() && !next.is_empty(), "{}", command.path);
                }
                Standing::Renamed { command: other, .. } | Standing::Runs(other) => {
                    assert!(!other.is_empty(), "{}", command.path);
                }
                Standing::Same | Standing::Kinder(_) | Standing::Accepted(_) => {}
            }
        }
    }
}
