//! The command line of `town-sim`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use kit::failure::Failure;
use kit::sys::Env;
use kit::ui::{Ui, counted};

use crate::{ChaosKind, SimRequest, simulate_town};

/// Try the rules of the patrol on a simulated town
///
/// Draws a town, agents and troubles from a seed, and lets the real rules act until every bead has
/// landed. What must always hold is checked after each action. A failure prints its seed: the same
/// seed gives the same run. Nothing is read from or written to a town.
#[derive(Debug, Parser)]
#[command(name = "town-sim", version)]
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
    chaos: Vec<ChaosKind>,
    /// Print each action
    #[arg(short, long)]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs one `town-sim` command line and returns the exit code.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the same shape as the other programs"
)]
pub fn main(env: Env, args: Vec<OsString>) -> ExitCode {
    let args = match SimArgs::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => {
            return ExitCode::from(Ui::new(false, false, &env).command_line(&error));
        }
    };
    match run_seeds(&env, &args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let failure = Failure::unclassified(&error);
            Ui::new(args.json, false, &env).error(&failure);
            ExitCode::from(failure.exit)
        }
    }
}

/// Runs simulations until one fails.
fn run_seeds(env: &Env, args: &SimArgs) -> anyhow::Result<()> {
    let ui = Ui::new(args.json, false, env);
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    for seed in (args.seed..).take(size(args.count)) {
        let result = simulate_town(&SimRequest {
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
            "seed {seed}: {}\nTo run it again: town-sim --seed {seed} --rigs {} --polecats {} --beads {} --verbose",
            result.faults.join("\n"),
            args.rigs,
            args.polecats,
            args.beads
        );
    }
    Ok(())
}
