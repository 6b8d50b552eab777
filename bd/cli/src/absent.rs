//! Accepts commands of other versions that make no sense without a database or a tracker's server,
//! and prints one line that names the replacement. A command that only reads succeeds. A command
//! that should change something fails.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::json;

use kit::failure::UsageError;
use kit::sys::Env;
use kit::ui::Ui;

/// A command of another version that is not offered.
struct AbsentCommand {
    name: &'static str,
    /// The subcommands that succeed without an effect.
    harmless: &'static [&'static str],
    /// True if the command without a subcommand succeeds without an effect.
    is_harmless_alone: bool,
    line: &'static str,
}

const fn define_absent(
    name: &'static str,
    harmless: &'static [&'static str],
    is_harmless_alone: bool,
    line: &'static str,
) -> AbsentCommand {
    AbsentCommand {
        name,
        harmless,
        is_harmless_alone,
        line,
    }
}

const TRACKER: &str =
    "bd does not talk to other trackers; `bd import FILE` takes their exports over";

const TABLE: &[AbsentCommand] = &[
    define_absent("ado", &["status"], false, TRACKER),
    define_absent(
        "backend",
        &["list", "show"],
        true,
        "beads are files in git; there is no other backend",
    ),
    define_absent(
        "backup",
        &["status"],
        false,
        "git keeps the beads; `bd export -o FILE` writes a copy",
    ),
    define_absent(
        "bootstrap",
        &[],
        true,
        "a clone needs no bootstrap; `bd init` sets up merging in it",
    ),
    define_absent(
        "branch",
        &["list"],
        true,
        "beads are on the branch of your checkout; use `git branch`",
    ),
    define_absent(
        "context",
        &[],
        true,
        "there is no server to describe; use `bd where` or `bd info`",
    ),
    define_absent(
        "detect-pollution",
        &[],
        false,
        "use `bd doctor --check pollution`",
    ),
    define_absent(
        "dolt",
        &["commit", "show", "start", "status", "stop", "test"],
        true,
        "beads need no Dolt server; `bd sync --full` shares them",
    ),
    define_absent(
        "federation",
        &["list-peers", "status"],
        true,
        "there are no peers; `bd sync` shares beads by git",
    ),
    define_absent(
        "flatten",
        &[],
        true,
        "there is no database to flatten; `bd compact` archives old beads",
    ),
    define_absent(
        "gc",
        &[],
        true,
        "there is no database to clean; `bd compact` archives old beads",
    ),
    define_absent("github", &["repos", "status"], false, TRACKER),
    define_absent("gitlab", &["projects", "status"], false, TRACKER),
    define_absent("init-safety", &[], true, "`bd init` never overwrites beads"),
    define_absent("jira", &["status"], false, TRACKER),
    define_absent("linear", &["status", "teams"], false, TRACKER),
    define_absent("notion", &["status"], false, TRACKER),
    define_absent("ping", &[], true, "ok: beads need no server"),
    define_absent(
        "preflight",
        &[],
        false,
        "use `bd lint`, `bd doctor` and your project's own checks",
    ),
    define_absent(
        "prune",
        &[],
        false,
        "use `bd purge` for closed wisps and `bd compact` for old beads",
    ),
    define_absent(
        "reset",
        &[],
        false,
        "use `bd uninstall --beads`, and `bd init` to start over",
    ),
    define_absent(
        "rules",
        &["audit"],
        true,
        "bd keeps no rules; use `bd onboard` and `bd setup`",
    ),
    define_absent(
        "sql",
        &[],
        false,
        "there is no database for SQL; use `bd query` or `bd list --json`",
    ),
    define_absent(
        "statuses",
        &[],
        true,
        "statuses: open, in_progress, blocked, deferred, closed, pinned, hooked, and those of `bd config get status.custom`",
    ),
    define_absent("thanks", &[], true, "thank you for using bd"),
    define_absent("tips", &[], true, "`bd quickstart` shows the first steps"),
    define_absent(
        "upgrade",
        &["ack", "review", "status"],
        true,
        "bd keeps no notes on versions; CHANGELOG.md has them",
    ),
    define_absent(
        "vc",
        &["commit", "log", "status"],
        true,
        "beads are versioned by git; use `bd history` and `git log`",
    ),
];

/// Answers a command line that names an absent command, and returns the exit code. Returns `None`
/// for all other command lines.
pub(super) fn answer_absent_command(error: &clap::Error, args: &[String]) -> Option<ExitCode> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let command = TABLE.iter().find(|command| command.name == name)?;
    let mut rest = args.iter().skip_while(|arg| *arg != name).skip(1);
    let word = rest.find(|arg| !arg.starts_with('-'));
    let is_harmless = match word {
        Some(word) => command.harmless.contains(&word.as_str()),
        None => command.is_harmless_alone,
    };
    let is_json = args.iter().any(|arg| arg == "--json");
    let screen = Ui::new(is_json, false, &Env::default());
    if !is_harmless {
        let text = format!("bd {name} is not offered: {}", command.line);
        return Some(super::report_failure(&screen, &UsageError(text).into()));
    }
    if is_json {
        let value = json!({"status": "not_needed", "message": command.line});
        screen.raw(&kit::json::to_pretty_json(&value));
    } else {
        screen.raw(&format!("{}\n", command.line));
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
        for AbsentCommand { name, .. } in TABLE {
            assert!(command.find_subcommand(name).is_none(), "{name}");
            assert!(last < *name, "{name} is out of order");
            last = name;
        }
    }
}
