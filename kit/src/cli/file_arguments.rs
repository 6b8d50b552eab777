//! Finds the arguments of a command line that name its files.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::named_files::NamedFile;
use super::parse::Program;

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
    use std::path::PathBuf;

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
