//! Defines the command line of `gtd`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use gt::town::identity::Address;
use kit::sys::Env;
use kit::ui::Ui;

use crate::supervise::DaemonError;

/// Run the daemon of Gas Town
///
/// The daemon watches a town and keeps it moving. `gt up` starts it, `gt daemon` manages it. Every
/// command works without it; it makes the town prompt and unattended.
#[derive(Debug, Parser)]
#[command(name = "gtd", version, subcommand_required = true)]
struct CliArgs {
    #[command(subcommand)]
    command: GtdCommand,
}

#[derive(Debug, Subcommand)]
enum GtdCommand {
    Run(RunArgs),
    /// Moved to the program `town-sim`.
    #[command(hide = true)]
    Sim {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        args: Vec<OsString>,
    },
}

/// Watch a town until it is stopped
///
/// The daemon wakes when beads change, when the process of a session ends and on requests. It
/// checks everything at least every three minutes. An idle town costs only that check.
#[derive(Debug, Args)]
struct RunArgs {
    /// The town's folder (default: the one around the working directory)
    #[arg(long)]
    town: Option<PathBuf>,
    /// Run passes until nothing is left to do, merge queues included, then end
    #[arg(long)]
    once: bool,
    /// Print what one pass would do, with the rule and what it saw, and do nothing
    #[arg(long, requires = "once")]
    dry_run: bool,
}

/// Builds the whole command line. Man pages and completions are generated from it.
pub fn build_command_line() -> clap::Command {
    CliArgs::command()
}

/// Runs one `gtd` command line and returns its exit code.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the same shape as the other programs"
)]
pub fn main(env: Env, args: Vec<OsString>) -> ExitCode {
    if let Some(exit) = kit::cli::completion::answer_completion(&env, &args, build_command_line) {
        return exit;
    }
    let cli = match CliArgs::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let ui = Ui::new(false, false, &env);
            return ui.exit_code(ui.command_line(&error));
        }
    };
    let ended = match &cli.command {
        GtdCommand::Run(args) => run_daemon(&env, args),
        GtdCommand::Sim { .. } => Err(DaemonError::Other(anyhow::anyhow!(
            "the simulator is a program of its own: `cargo run -p town-sim -- --seed 1` in the source folder of Gas Town"
        ))),
    };
    let (error, exit) = match ended {
        Ok(()) => return ExitCode::SUCCESS,
        Err(DaemonError::Other(error)) => (error, None),
        // The same exit code as for a bad command line, so that systemd does not restart it: a
        // restart would change nothing.
        Err(error @ DaemonError::AlreadyRunning) => (error.into(), Some(2)),
    };
    let failure = gt::error::build_failure(&error);
    Ui::new(false, false, &env).error(&failure);
    ExitCode::from(exit.unwrap_or(failure.exit))
}

fn run_daemon(env: &Env, args: &RunArgs) -> Result<(), DaemonError> {
    let found = match &args.town {
        Some(path) => gt::town::find_town(&env.in_dir(&env.cwd().join(path))),
        None => gt::town::find_town(env),
    };
    let root = found.map_err(anyhow::Error::from)?;
    crate::log::start_logging(env);
    bd::git::report_slow_remotes(|url| tracing::warn!(url, "still waiting for the remote"));
    let town = gt::host::live_town::open_live_town(env, &root, Address::Deacon);
    if args.dry_run {
        let decisions = crate::live::list_decisions(&town)?;
        Ui::new(false, false, env).raw(&decisions);
        return Ok(());
    }
    if args.once {
        return Ok(crate::live::run_until_idle(&town)?);
    }
    crate::live::watch_forever(town)
}
