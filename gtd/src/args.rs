//! The command line of `gtd`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use bd::sys::Env;
use bd::ui::Ui;
use clap::{Args, CommandFactory, Parser, Subcommand};
use gt::town::identity::Address;

/// Run the daemon of Gas Town
///
/// The daemon watches a town and keeps it moving. `gt up` starts it, `gt daemon` manages it. Every command works without
/// it; it makes the town prompt and unattended.
#[derive(Debug, Parser)]
#[command(name = "gtd", version, subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(RunArgs),
}

/// Watch a town until it is stopped
///
/// It wakes on changes of beads, on the end of a session's process and on requests, and checks everything at least
/// every three minutes. An idle town costs only that check.
#[derive(Debug, Args)]
struct RunArgs {
    /// The town's folder (default: the one around the working directory)
    #[arg(long)]
    town: Option<PathBuf>,
    /// Run passes until nothing is left to do, merge queues included, then end
    #[arg(long)]
    once: bool,
}

/// The whole command line, for man pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs one `gtd` command line and says how it ended.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the same shape as the other programs"
)]
pub fn main(env: Env, args: Vec<OsString>) -> ExitCode {
    if let Some(exit) = bd::cli::completion::answer(&env, &args, command) {
        return exit;
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            return ExitCode::from(Ui::new(false, false, &env).command_line(&error));
        }
    };
    let Command::Run(args) = cli.command;
    match run(&env, &args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let failure = gt::cli::error::failure(&error);
            Ui::new(false, false, &env).error(&failure);
            ExitCode::from(failure.exit)
        }
    }
}

fn run(env: &Env, args: &RunArgs) -> anyhow::Result<()> {
    let root = match &args.town {
        Some(path) => gt::town::find(&env.at(&env.cwd().join(path)))?,
        None => gt::town::find(env)?,
    };
    crate::log::begin(env);
    bd::git::report_slow_remotes(|url| tracing::warn!(url, "still waiting for the remote"));
    let town = gt::host::live_town::open(env, &root, Address::Deacon);
    if args.once {
        return crate::live::once(&town);
    }
    crate::live::forever(town)
}
