//! The command line of `gtd`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use bd::sys::Env;
use bd::ui::{Ui, counted};
use clap::{Args, CommandFactory, Parser, Subcommand};
use gt::town::identity::Address;

use crate::sim::{self, Chaos, SimRequest};
use crate::supervise::AlreadyRunning;

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
    Sim(SimArgs),
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
    /// Print what one pass would do, with the rule and what it saw, and do nothing
    #[arg(long, requires = "once")]
    dry_run: bool,
}

/// Try the rules of the patrol on a simulated town
///
/// Draws a town, agents and troubles from a seed, and lets the real rules act until every bead has landed. What must always
/// hold is checked after each action. A failure prints its seed: the same seed gives the same run. Nothing is read from
/// or written to a town.
#[derive(Debug, Args)]
struct SimArgs {
    /// The first seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// How many seeds to try, one after the other
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u64,
    /// How many rigs
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    rigs: u64,
    /// How many workers per rig
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    polecats: u64,
    /// How many beads
    #[arg(long, default_value_t = 12, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    beads: u64,
    /// Allow only these kinds of trouble (default: all)
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    chaos: Vec<Chaos>,
    /// Print each action
    #[arg(short, long)]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
    let ended = match &cli.command {
        Command::Run(args) => run(&env, args),
        Command::Sim(args) => simulate(&env, args),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let failure = gt::cli::error::failure(&error);
            Ui::new(false, false, &env).error(&failure);
            // As for a bad command line: systemd does not start it again, since that would change nothing.
            let is_twice = error.downcast_ref::<AlreadyRunning>().is_some();
            ExitCode::from(if is_twice { 2 } else { failure.exit })
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
    if args.dry_run {
        let decisions = crate::live::decisions(&town)?;
        Ui::new(false, false, env).raw(&decisions);
        return Ok(());
    }
    if args.once {
        return crate::live::once(&town);
    }
    crate::live::forever(town)
}

/// Runs simulations until one fails.
fn simulate(env: &Env, args: &SimArgs) -> anyhow::Result<()> {
    let ui = Ui::new(args.json, false, env);
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    for seed in (args.seed..).take(size(args.count)) {
        let result = sim::run(&SimRequest {
            seed,
            rigs: size(args.rigs),
            polecats: size(args.polecats),
            beads: size(args.beads),
            chaos: args.chaos.clone(),
        });
        let failed = !result.faults.is_empty();
        if args.verbose || failed {
            ui.status(&result.log.join("\n"));
        }
        if args.json {
            ui.raw(&format!("{}\n", serde_json::to_string(&result)?));
        } else {
            ui.raw(&format!(
                "seed {seed}: {} of {} beads landed in {} h; {}, {}, {}\n",
                result.landed,
                args.beads,
                result.minutes / 60,
                counted(result.actions, "action"),
                counted(result.sessions, "session"),
                counted(result.messages, "message"),
            ));
        }
        anyhow::ensure!(
            !failed,
            "seed {seed}: {}\nTo run it again: gtd sim --seed {seed} --rigs {} --polecats {} --beads {} --verbose",
            result.faults.join("\n"),
            args.rigs,
            args.polecats,
            args.beads
        );
    }
    Ok(())
}
