//! Parses a command line, and builds only the parser of the command that it names.
//!
//! Building the parser of every command costs more than most commands do. A table of commands with
//! `#[command(defer = true)]` gives their names at once and their arguments on demand. Steps:
//!
//! 1. Look up the first argument that is not a flag among the names and aliases.
//! 2. Parse the line with the global flags and that one command.
//! 3. If there is no such command, parsing fails, or help is requested, build the whole tree and
//!    parse with it.
//!
//! Both ways must parse a line alike, and every printed text comes from the whole tree or is
//! identical there.
//!
//! A repeated option never loses a value: a list adds up, a switch stays on, and a second value of
//! any other option is refused. The value of an option for free text may begin with a dash.

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, Subcommand};

use super::named_files;

/// A parsed command line: the global flags and the command.
#[derive(Debug)]
pub struct ParsedCommandLine<R, C> {
    /// The global flags.
    pub root: R,
    /// The command, or `None` if the line names none.
    pub command: Option<C>,
    /// The names of the command and its subcommands.
    pub path: Vec<String>,
    /// The ids of the arguments that were given.
    pub given: Vec<String>,
    /// The files and folders that it names.
    pub paths: Vec<String>,
}

/// A program: its name, the global flags `R`, and its commands, with deferred arguments as `C` and
/// with all arguments as `W`.
#[derive(Debug)]
pub struct Program<R, C, W> {
    name: &'static str,
    parts: std::marker::PhantomData<(R, C, W)>,
}

impl<R: Args, C: Subcommand, W: Subcommand> Program<R, C, W> {
    /// Creates the program with this name. The attributes for clap are on `R`.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            parts: std::marker::PhantomData,
        }
    }

    /// Builds the tree of all commands.
    pub fn build_whole(&self) -> Command {
        W::augment_subcommands(self.build_root())
    }

    /// Parses a command line that begins with the program's name. The parser is leaked: a process
    /// parses one line, and freeing the parser would take a thirtieth of the time of a small
    /// command.
    pub fn read(&self, args: Vec<OsString>) -> Result<ParsedCommandLine<R, C>, Error> {
        let args = if args.iter().any(|arg| parse_switch(arg).is_some()) {
            let mut command = self.build_lean(&args).unwrap_or_else(|| self.build_whole());
            command.build();
            normalize_switches(&command, args)
        } else {
            args
        };
        let lean = self
            .build_lean(&args)
            .and_then(|lean| parse_line(lean, args.iter().cloned()).ok());
        match lean {
            Some(line) => Ok(line),
            None => parse_line(self.build_whole(), args),
        }
    }

    /// Builds the parser with only the command that a line names, or returns `None` if the command
    /// is uncertain.
    pub fn build_lean(&self, args: &[OsString]) -> Option<Command> {
        let root = self.build_root();
        let name = find_command_name(&root, args)?.to_str()?;
        let names = C::augment_subcommands(Command::new(self.name));
        let command = names.find_subcommand(name)?.clone();
        Some(root.subcommand(command))
    }

    /// The program without its commands.
    pub fn build_root(&self) -> Command {
        R::augment_args(Command::new(self.name))
    }
}

/// Parses a command line with the given command tree.
pub fn parse_line<R: Args, C: Subcommand>(
    command: Command,
    args: impl IntoIterator<Item = OsString>,
) -> Result<ParsedCommandLine<R, C>, Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut command = command;
    command.build();
    let mut command = relax_options(command);
    let mut matches = command.try_get_matches_from_mut(&args)?;
    check_repeated_globals::<R>(&mut command, &args, &matches)?;
    let read = R::from_arg_matches_mut(&mut matches);
    let root = read.map_err(|error| error.format(&mut command))?;
    let path = list_command_names(&matches);
    let given = named_files::list_given(&command, &matches);
    let paths = named_files::list_paths(&command, &matches);
    let read = (!path.is_empty())
        .then(|| C::from_arg_matches_mut(&mut matches))
        .transpose()
        .map_err(|error| error.format(&mut command))?;
    std::mem::forget(command);
    Ok(ParsedCommandLine {
        root,
        command: read,
        path,
        given,
        paths,
    })
}

/// The names of values that are free text.
const TEXT_VALUES: [&str; 11] = [
    "ANSWER",
    "BODY",
    "DESCRIPTION",
    "MESSAGE",
    "NOTE",
    "NOTES",
    "REASON",
    "SUBJECT",
    "SUMMARY",
    "TEXT",
    "TITLE",
];

/// Accepts every switch any number of times, and text that begins with a dash as the value of an
/// option. The command must be built, because only then it has the options of its subcommands.
fn relax_options(command: Command) -> Command {
    let mut command = command.mut_args(|arg| match arg.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => {
            let id = arg.get_id().clone();
            arg.overrides_with(id)
        }
        _ if takes_text(&arg) => arg.allow_hyphen_values(true),
        _ => arg,
    });
    for below in command.get_subcommands_mut() {
        *below = relax_options(std::mem::take(below));
    }
    command
}

/// Returns true for an option with one value that is free text.
pub(super) fn takes_text(arg: &Arg) -> bool {
    let is_text = arg.get_value_names().is_some_and(|names| {
        names
            .iter()
            .all(|name| TEXT_VALUES.contains(&name.as_str()))
    });
    let takes_one = arg
        .get_num_args()
        .is_some_and(|count| (count.min_values(), count.max_values()) == (1, 1));
    !arg.is_positional() && is_text && takes_one
}

/// Refuses a global option whose value before the command differs from its value after it. Clap
/// itself drops the first.
fn check_repeated_globals<R: Args>(
    command: &mut Command,
    args: &[OsString],
    matches: &ArgMatches,
) -> Result<(), Error> {
    let mut root = R::augment_args(Command::new("root"));
    root.build();
    let root = relax_options(root);
    let name = find_command_name(&root, args);
    let is_name = |arg: &OsString| name.is_some_and(|name| std::ptr::eq(arg.as_os_str(), name));
    let Some(at) = args.iter().position(is_name).filter(|at| *at > 1) else {
        return Ok(());
    };
    let before = root.clone().try_get_matches_from(&args[..at])?;
    for option in root.get_opts() {
        let id = option.get_id().as_str();
        let first = before.get_raw(id).and_then(|mut values| values.next());
        let last = matches.get_raw(id).and_then(|mut values| values.next());
        if first.is_some() && first != last {
            let message = format!("the argument '{option}' cannot be used multiple times");
            return Err(command.error(ErrorKind::ArgumentConflict, message));
        }
    }
    Ok(())
}

fn list_command_names(matches: &clap::ArgMatches) -> Vec<String> {
    let mut path = Vec::new();
    let mut rest = matches.subcommand();
    while let Some((name, inner)) = rest {
        path.push(name.to_owned());
        rest = inner.subcommand();
    }
    path
}

/// Splits a flag with a truth value, such as `--json=true`, which Go's flag parser accepts, into
/// its name and value.
fn parse_switch(arg: &OsStr) -> Option<(&str, bool)> {
    let (name, value) = arg.to_str()?.strip_prefix("--")?.split_once('=')?;
    match value {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some((name, true)),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some((name, false)),
        _ => None,
    }
}

/// Removes truth values from flags that take none, because some clients write them. `--flag=false`
/// removes the flag, including its earlier occurrences.
fn normalize_switches(command: &Command, args: Vec<OsString>) -> Vec<OsString> {
    let mut here = command;
    let mut plain: Vec<OsString> = Vec::new();
    let mut args = args.into_iter();
    plain.extend(args.next());
    while let Some(arg) = args.next() {
        let text = arg.to_str().unwrap_or("");
        if text == "--" {
            plain.push(arg);
            break;
        }
        if let (Some(flag), Some((_, on))) = (text.strip_prefix("--"), parse_switch(&arg))
            && let name = flag.split_once('=').map_or(flag, |(name, _)| name)
            && is_switch(here, name)
        {
            let bare = format!("--{name}");
            if on {
                plain.push(bare.into());
            } else {
                plain.retain(|earlier| *earlier != *bare);
            }
            continue;
        }
        let has_value = text
            .strip_prefix('-')
            .and_then(|flag| takes_next(here, flag));
        if let Some(inner) = here.find_subcommand(&arg) {
            here = inner;
        }
        plain.push(arg);
        if has_value == Some(true) {
            plain.extend(args.next());
        }
    }
    plain.extend(args);
    plain
}

/// Returns true if a command has a flag with this long name that takes no value.
fn is_switch(command: &Command, name: &str) -> bool {
    command.get_arguments().any(|arg| {
        let is_named = arg.get_long() == Some(name)
            || arg
                .get_all_aliases()
                .is_some_and(|aliases| aliases.contains(&name));
        is_named && !arg.get_action().takes_values()
    })
}

/// Returns the first argument that is neither a flag nor the value of a flag, or `None` if that is
/// uncertain.
pub fn find_command_name<'a>(root: &Command, args: &'a [OsString]) -> Option<&'a OsStr> {
    let mut args = args.iter().skip(1);
    while let Some(arg) = args.next() {
        let text = arg.to_str()?;
        let Some(flag) = text.strip_prefix('-') else {
            return Some(arg);
        };
        if takes_next(root, flag)? {
            args.next();
        }
    }
    None
}

/// Returns true if the value of the flag, written here without its first dash, is the next
/// argument. Returns `None` for unknown flags.
fn takes_next(root: &Command, flag: &str) -> Option<bool> {
    let arg = match flag.strip_prefix('-') {
        Some(long) => {
            let name = long.split('=').next();
            root.get_arguments().find(|arg| arg.get_long() == name)?
        }
        None => {
            let mut letters = flag.chars();
            let letter = letters.next().filter(|_| letters.next().is_none());
            let mut args = root.get_arguments();
            letter.and_then(|letter| args.find(|arg| arg.get_short() == Some(letter)))?
        }
    };
    Some(arg.get_action().takes_values() && !flag.contains('='))
}
