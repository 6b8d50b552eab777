//! The lean parser and the whole tree read every command line alike.

use clap::error::ErrorKind;

use std::ffi::OsString;

use clap::Command;
use kit::cli::parse::{ParsedCommandLine, find_command_name, parse_line};

use super::{BD, Command as Commands, RootArgs};

fn to_args(words: &[&str]) -> Vec<OsString> {
    std::iter::once("bd")
        .chain(words.iter().copied())
        .map(OsString::from)
        .collect()
}

/// Every command by its path, those of families too.
fn list_command_paths(command: &Command, above: &[String]) -> Vec<Vec<String>> {
    let subs = command.get_subcommands();
    subs.filter(|sub| sub.get_name() != "help")
        .flat_map(|sub| {
            let path = [above, &[sub.get_name().to_owned()]].concat();
            let mut found = list_command_paths(sub, &path);
            found.push(path);
            found
        })
        .collect()
}

fn render_help(command: Command, args: &[OsString]) -> String {
    let error = command.clone().try_get_matches_from(args).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DisplayHelp, "{error}");
    error.render().to_string()
}

#[test]
fn help_of_every_command_is_the_same_parsed_alone_or_in_the_tree() {
    let all = list_command_paths(&BD.build_whole(), &[]);
    assert!(all.len() > 40, "{all:?}");
    for path in all {
        for flag in ["--help", "-h"] {
            let mut line: Vec<&str> = path.iter().map(String::as_str).collect();
            line.push(flag);
            let args = to_args(&line);
            let lean = BD.build_lean(&args).unwrap();
            assert_eq!(
                render_help(lean, &args),
                render_help(BD.build_whole(), &args),
                "{line:?}"
            );
        }
    }
}

#[test]
fn clap_accepts_every_command_alone() {
    for sub in BD.build_whole().get_subcommands() {
        let lean = BD.build_lean(&to_args(&[sub.get_name()]));
        match lean {
            Some(lean) => lean.debug_assert(),
            None => assert_eq!(sub.get_name(), "help"),
        }
    }
}

#[test]
fn names_and_aliases_parse_the_same_alone_and_in_the_tree() {
    let whole = BD.build_whole();
    for sub in whole.get_subcommands() {
        for name in sub.get_all_aliases().chain([sub.get_name()]) {
            for more in [&[][..], &["x"], &["x", "y"], &["--json"], &["--limit", "3"]] {
                let args = to_args(&[&[name], more].concat());
                assert_parsed_alike(&args);
            }
        }
    }
}

/// A line that the lean way understands is understood alike by the whole tree.
fn assert_parsed_alike(args: &[OsString]) {
    let show = |line: ParsedCommandLine<RootArgs, Commands>| format!("{line:?}");
    let Some(lean) = BD.build_lean(args) else {
        return;
    };
    let lean = parse_line(lean, args.iter().cloned()).map(show);
    let whole = parse_line(BD.build_whole(), args.iter().cloned()).map(show);
    match (lean, whole) {
        (Ok(lean), Ok(whole)) => assert_eq!(lean, whole, "{args:?}"),
        (Err(lean), Err(whole)) => assert_eq!(lean.kind(), whole.kind(), "{args:?}"),
        (lean, whole) => panic!("{args:?}: {lean:?}, {whole:?}"),
    }
}

#[test]
fn the_command_is_found_after_flags_and_their_values() {
    let named = |line: &[&str]| {
        let args = to_args(line);
        find_command_name(&BD.build_root(), &args).map(|name| name.to_str().unwrap().to_owned())
    };
    let show = Some("show".to_owned());
    assert_eq!(named(&["show", "create"]), show);
    assert_eq!(named(&["--json", "-q", "show"]), show);
    assert_eq!(named(&["--actor", "list", "-C", "list", "show"]), show);
    assert_eq!(named(&["--actor=list", "show"]), show);
    assert_eq!(named(&[]), None);
    // Not certain: the whole tree decides.
    for line in [
        &["-qC", "x", "show"][..],
        &["-Cx", "show"],
        &["--nosuch", "show"],
        &["--", "show"],
        &["-", "show"],
    ] {
        assert_eq!(named(line), None, "{line:?}");
    }
}

#[test]
fn an_abbreviated_name_runs_no_command() {
    for line in [&["upd", "bd-1"][..], &["block", "bd-1"], &["find-dup"]] {
        let error = BD.read(to_args(line)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSubcommand, "{line:?}");
    }
}

#[test]
fn a_missing_command_is_not_an_error() {
    assert!(BD.read(to_args(&["--json"])).unwrap().command.is_none());
    assert!(BD.read(to_args(&["--version"])).unwrap().root.version);
}

#[test]
fn a_repeated_option_adds_up_or_is_refused() {
    let faults = kit::cli::repeat::find_option_faults(&BD);
    assert!(faults.is_empty(), "{faults:#?}");
    let refused = BD.read(to_args(&["--actor", "a", "list", "--actor", "b"]));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::ArgumentConflict);
    for line in [
        &["--actor", "a", "list", "--actor", "a"][..],
        &["--json", "--json", "list", "--json", "-q", "-q"],
    ] {
        assert!(BD.read(to_args(line)).is_ok(), "{line:?}");
    }
}
