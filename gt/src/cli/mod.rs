//! The command line of `gt`: arguments in, one domain call, one report out.

mod session_wrapper;

use std::ffi::OsString;
use std::process::ExitCode;

use bd::sys::Env;
use bd::ui::{Page, Report, Ui};
use clap::{CommandFactory, Parser, Subcommand};
use serde::Serialize;

use crate::context::Context;

/// What a command hands to the screen.
pub type Answer = anyhow::Result<Box<dyn Report>>;

/// One value shown as JSON or, by `human`, as text.
struct Shown<T, F> {
    data: T,
    human: F,
}

impl<T: Serialize, F: Fn(&T, &mut Page)> Report for Shown<T, F> {
    fn json(&self) -> serde_json::Value {
        // Reports are plain structs with string keys: they have no way not to become JSON.
        serde_json::to_value(&self.data).unwrap_or_default()
    }

    fn human(&self, page: &mut Page) {
        (self.human)(&self.data, page);
    }
}

/// Makes the answer of a command from what it found and how that reads.
fn answer<T, F>(data: T, human: F) -> Answer
where
    T: Serialize + 'static,
    F: Fn(&T, &mut Page) + 'static,
{
    Ok(Box::new(Shown { data, human }))
}

/// Gas Town: a machine as a town of coding agents.
///
/// Work is tracked as beads (see `bd`). `gt sling` gives a bead to a worker in its own git worktree and
/// session, `gt done` hands finished work to the merge queue, `gt convoy` follows a batch of work until it
/// has landed. `gtd` is the daemon that keeps all of it moving.
#[derive(Debug, Parser)]
#[command(name = "gt", version, infer_subcommands = true, subcommand_required = true)]
struct Cli {
    /// Prints machine-readable JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(hide = true)]
    SessionWrapper(session_wrapper::Args),
}

fn run(ctx: &Context, command: Command) -> Answer {
    match command {
        Command::SessionWrapper(args) => session_wrapper::run(ctx, &args),
    }
}

/// The whole command line, for man pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs one `gt` command line and says how it ended.
pub fn main(env: Env, args: Vec<OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return bd::cli::usage(&error),
    };
    let ui = Ui::new(cli.json, false, &env);
    let ctx = Context { env, ui };
    match run(&ctx, cli.command) {
        Ok(report) => {
            ctx.ui.show(report.as_ref());
            ExitCode::SUCCESS
        }
        Err(error) => {
            let failure = crate::error::failure(&error);
            ctx.ui.error(&failure);
            ExitCode::from(failure.exit)
        }
    }
}
