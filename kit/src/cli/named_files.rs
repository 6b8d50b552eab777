//! Finds the files that a command line names, and the arguments that name them.

use std::any::TypeId;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// A file that an argument of a command line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// The index of the argument.
    pub argument: usize,
    /// The byte of the argument at which the path begins.
    pub start: usize,
    pub path: String,
}

/// Returns true for an argument whose value is a path.
pub fn names_a_file(arg: &Arg) -> bool {
    let is_named_so = arg.get_value_names().is_some_and(|names| {
        names
            .iter()
            .any(|name| matches!(name.as_str(), "DIR" | "FILE" | "FOLDER" | "PATH"))
    });
    is_named_so || arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}

/// Returns the paths that were given to a command and its subcommands. `-`, the standard input or
/// output, is none.
pub(super) fn list_paths(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let mut paths = Vec::new();
    visit_given(command, matches, &mut |arg, here| {
        if names_a_file(arg) {
            let values = here.get_raw(arg.get_id().as_str()).into_iter().flatten();
            let values = values.map(|value| value.to_string_lossy().into_owned());
            paths.extend(values.filter(|value| !value.is_empty() && value != "-"));
        }
    });
    paths
}

/// Returns the ids of the arguments that were given to a command and its subcommands.
pub(super) fn list_given(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let mut given = Vec::new();
    visit_given(command, matches, &mut |arg, _| {
        given.push(arg.get_id().as_str().to_owned());
    });
    given
}

fn visit_given(command: &Command, matches: &ArgMatches, visit: &mut dyn FnMut(&Arg, &ArgMatches)) {
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if matches.value_source(id) == Some(ValueSource::CommandLine) {
            visit(arg, matches);
        }
    }
    if let Some((name, inner)) = matches.subcommand()
        && let Some(below) = command.find_subcommand(name)
    {
        visit_given(below, inner, visit);
    }
}
