//! Finds the files that a command line names, and the arguments that name them.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Subcommand};

use super::parse::Program;

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

/// What a path is replaced with to find the argument that names it.
const PROBE: &str = "/named-file-probe";

impl<R: Args, C: Subcommand, W: Subcommand> Program<R, C, W> {
    /// Finds the arguments of a line that name `paths`, the paths that were read from it.
    pub fn find_named_files(&self, args: &[OsString], paths: &[String]) -> Vec<NamedFile> {
        let mut found: Vec<NamedFile> = Vec::new();
        for path in paths {
            let place = args.iter().enumerate().skip(1).find_map(|(argument, arg)| {
                let before = arg.to_str()?.strip_suffix(path.as_str())?;
                let start = before.len();
                let is_taken = found
                    .iter()
                    .any(|file| (file.argument, file.start) == (argument, start));
                let may_name = before.is_empty() || before.starts_with('-');
                (!is_taken && may_name && self.reads_path(args, argument, before))
                    .then_some((argument, start))
            });
            if let Some((argument, start)) = place {
                found.push(NamedFile {
                    argument,
                    start,
                    path: path.clone(),
                });
            }
        }
        found
    }

    /// Returns true if the rest of an argument after `before` is read as a path.
    fn reads_path(&self, args: &[OsString], argument: usize, before: &str) -> bool {
        let mut args = args.to_vec();
        args[argument] = format!("{before}{PROBE}").into();
        self.read(args)
            .is_ok_and(|line| line.paths.iter().any(|path| path == PROBE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: Program<Root, Verb, Verb> = Program::new("tool");

    #[derive(Debug, clap::Args)]
    struct Root {
        #[arg(long, global = true)]
        json: bool,
    }

    #[derive(Debug, Subcommand)]
    enum Verb {
        Add {
            title: String,
            #[arg(short, long, value_name = "FILE", default_value = "-")]
            file: String,
            #[arg(long)]
            into: Option<PathBuf>,
            #[arg(long, value_name = "TEXT")]
            note: Option<String>,
        },
    }

    fn find(line: &str) -> Vec<(usize, usize)> {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let read = TOOL.read(args.clone()).unwrap();
        let files = TOOL.find_named_files(&args, &read.paths);
        files
            .iter()
            .map(|file| (file.argument, file.start))
            .collect()
    }

    #[test]
    fn only_the_argument_that_names_the_file_is_found() {
        assert_eq!(find("tool add notes.md"), []);
        assert_eq!(find("tool add x --file -"), []);
        assert_eq!(
            find("tool add notes.md --note notes.md --file notes.md"),
            [(6, 0)]
        );
        assert_eq!(find("tool add a -fnotes.md --into=out"), [(3, 2), (4, 7)]);
        assert_eq!(
            find("tool --json add --file=a b --into a"),
            [(3, 7), (6, 0)]
        );
    }

    #[test]
    fn the_given_arguments_are_listed_without_defaults() {
        let args = ["tool", "add", "x", "--note=y", "--json"].map(OsString::from);
        let line = TOOL.read(args.to_vec()).unwrap();
        assert_eq!(line.given, ["title", "note", "json"]);
        assert_eq!(line.paths, Vec::<String>::new());
    }
}
