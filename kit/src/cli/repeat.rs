//! Checks the rule for repeated options with every option of a program. Tests of the programs use
//! this module.

use std::ffi::OsString;

use clap::builder::PossibleValue;
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgAction, Args, Command, Subcommand};

use super::parse::{Program, parse_line, takes_text};

/// Pairs of different values. An option takes one of the pairs.
const VALUE_PAIRS: [[&str; 2]; 8] = [
    ["1", "2"],
    ["1h", "2h"],
    ["a", "b"],
    ["a=1", "b=2"],
    ["0.1", "0.2"],
    ["2026-01-01", "2026-01-02"],
    ["created", "updated"],
    ["task", "reply"],
];

/// Returns the options that break the rule: a switch that is refused the second time, a list that
/// does not add up, any other option that accepts two different values, and an option for text that
/// takes no text with a dash at its start.
pub fn find_option_faults<R: Args, C: Subcommand, W: Subcommand>(
    program: &Program<R, C, W>,
) -> Vec<String> {
    let mut whole = program.build_whole();
    whole.build();
    let mut options = Vec::new();
    collect_options(&whole, &[], &mut options);
    options
        .into_iter()
        .filter_map(|option| {
            let fault = find_fault(program, &option)?;
            Some(format!("{}: {fault}", option.line.join(" ")))
        })
        .collect()
}

struct CommandOption {
    /// The command and the flag.
    line: Vec<String>,
    arg: Arg,
}

fn collect_options(command: &Command, path: &[String], options: &mut Vec<CommandOption>) {
    let path = [path, &[command.get_name().to_owned()]].concat();
    for arg in command
        .get_opts()
        .filter(|arg| path.len() == 1 || !arg.is_global_set())
    {
        let flag = match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => continue,
        };
        options.push(CommandOption {
            line: [&path[..], &[flag]].concat(),
            arg: arg.clone(),
        });
    }
    for below in command
        .get_subcommands()
        .filter(|below| below.get_name() != "help")
    {
        collect_options(below, &path, options);
    }
}

fn find_fault<R: Args, C: Subcommand, W: Subcommand>(
    program: &Program<R, C, W>,
    option: &CommandOption,
) -> Option<String> {
    let (flag, command) = option.line.split_last()?;
    let parse = |more: &[&str]| -> Result<(), Error> {
        let words = command
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied());
        let args: Vec<OsString> = words.map(OsString::from).collect();
        let lean = program
            .build_lean(&args)
            .unwrap_or_else(|| program.build_whole());
        parse_line::<R, C>(lean, args).map(drop)
    };
    if takes_text(&option.arg)
        && let Err(error) = parse(&[flag, "- a"])
        && matches!(
            error.kind(),
            ErrorKind::UnknownArgument | ErrorKind::InvalidValue
        )
    {
        return Some(error.to_string());
    }
    let names = option.arg.get_possible_values();
    let names: Vec<&str> = names.iter().map(PossibleValue::get_name).collect();
    let pairs = match names[..] {
        [] => VALUE_PAIRS.to_vec(),
        [only] => vec![[only, only]],
        [first, second, ..] => vec![[first, second]],
    };
    match option.arg.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => {
            let error = parse(&[flag, flag]).err()?;
            is_repeat_error(&error).then(|| error.to_string())
        }
        ArgAction::Set | ArgAction::Append => {
            let is_list = matches!(option.arg.get_action(), ArgAction::Append);
            let results = pairs.iter().map(|[first, second]| {
                let [first, second] = [first, second].map(|value| format!("{flag}={value}"));
                let result = parse(&[&first, &second]);
                let is_refused = result.as_ref().err().is_some_and(is_repeat_error);
                (is_refused, result.err().map(|error| error.kind()))
            });
            let takes_value = |kind: Option<ErrorKind>| {
                !matches!(
                    kind,
                    Some(ErrorKind::ValueValidation | ErrorKind::InvalidValue)
                )
            };
            let mut results = results.filter(|(_, kind)| takes_value(*kind));
            match results.next() {
                None => Some("no value of the check is valid".to_owned()),
                Some((is_refused, _)) if is_refused == is_list => {
                    Some("two values do not follow the rule".to_owned())
                }
                Some(_) => None,
            }
        }
        _ => None,
    }
}

fn is_repeat_error(error: &Error) -> bool {
    error.kind() == ErrorKind::ArgumentConflict && error.to_string().contains("multiple times")
}
