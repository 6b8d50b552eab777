//! Accepts commands of other versions that make no sense without a database or a tracker's server,
//! and prints one line that names the replacement. A command that only reads succeeds. A command
//! that should change something fails.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use kit::cli::unknown;
use kit::failure::UsageError;
use kit::sys::Env;
use kit::table;
use kit::ui::Ui;

const ABSENT_COMMANDS: &str = include_str!("../../templates/vocabulary/absent.txt");

/// Answers a command line that names an absent command, and returns the exit code. Returns `None`
/// for all other command lines.
pub(super) fn answer_absent_command(error: &clap::Error, args: &[String]) -> Option<ExitCode> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let above = unknown::find_command_path(&super::build_command_line(), args);
    let path = format!("{above} {name}");
    let path = path.trim_start();
    let [_, harmless, text] =
        table::read_rows(ABSENT_COMMANDS).find(|[command, _, _]| *command == path)?;
    let subcommand = args
        .iter()
        .skip_while(|arg| *arg != name)
        .skip(1)
        .find(|arg| !arg.starts_with('-'));
    let subcommand = subcommand.map_or("-", String::as_str);
    let is_harmless =
        table::split_list(harmless, ',').any(|word| word == subcommand || word == "*");
    let is_json = args.iter().any(|arg| arg == "--json");
    let screen = Ui::new(is_json, false, &Env::default());
    if !is_harmless {
        let refusal = UsageError(format!("bd {path} is not offered: {text}"));
        return Some(super::report_failure(&screen, &refusal.into()));
    }
    if is_json {
        let report = kit::report_value! { status: "not_needed", message: text };
        screen.raw(&kit::json::to_pretty_json(&report));
    } else {
        screen.raw(&format!("{text}\n"));
    }
    Some(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_is_both_absent_and_implemented() {
        let command = super::super::build_command_line();
        let mut last = "";
        for [name, _, text] in table::read_rows(ABSENT_COMMANDS) {
            let found = name
                .split(' ')
                .try_fold(&command, |above, word| above.find_subcommand(word));
            assert!(found.is_none(), "{name}");
            assert!(last < name, "{name} is out of order");
            assert!(!text.is_empty(), "{name} has no text");
            last = name;
        }
    }
}
