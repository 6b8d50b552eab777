//! `gt jail try`.

use kit::ui::escape::escape_line;

use super::{CommandResult, build_report_with_exit, rig};
use crate::context::Context;
use gt::flow::agent::jail_trial::try_jail;

/// Run an agent program once in the jail of workers
///
/// It runs in an empty folder that is removed afterwards, with `--version` or the arguments after
/// `--`, and cannot reach the town. Then the files are listed that exist and that it could not use,
/// if `strace` is installed: what it needs of them belongs into `jail_copies` or `jail_readable` of
/// the agent. Hosts of the network that the settings do not list are listed, too. With `--json` {agent,
/// program, jail, exit_code, output, is_traced, refused, refused_hosts}. The exit code is 1 if the
/// program failed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent program, by its name in the settings
    #[arg(value_name = "PROGRAM")]
    preset: String,
    /// The rig (default: the one around the working directory)
    #[arg(long)]
    rig: Option<String>,
    /// The arguments of the program
    #[arg(last = true)]
    arguments: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    let arguments = match args.arguments.as_slice() {
        [] => vec!["--version".to_owned()],
        given => given.to_vec(),
    };
    let trial = try_jail(&town, &rig, &args.preset, &arguments)?;
    let exit = u8::from(trial.exit_code != Some(0));
    build_report_with_exit(exit, trial, |trial, page| {
        let end = trial.exit_code.map_or("by a signal".to_owned(), |code| {
            format!("with exit code {code}")
        });
        page.line(format!(
            "{} ran in the jail of {} and ended {end}",
            trial.agent, trial.jail
        ));
        for line in trial.output.lines() {
            page.line(format!("  {}", escape_line(line)));
        }
        if !trial.is_traced {
            page.line("What was refused is not known: strace is not installed");
        } else if trial.refused.is_empty() {
            page.line("Nothing that exists was refused");
        } else {
            page.line("Refused:");
        }
        for refused in &trial.refused {
            let path = escape_line(&refused.path.to_string_lossy());
            page.line(format!("  {path}  ({})", refused.error));
        }
        if !trial.refused_hosts.is_empty() {
            page.line(
                "Refused hosts (sandbox.jail_network or jail_hosts of the agent can list them):",
            );
        }
        for host in &trial.refused_hosts {
            page.line(format!("  {}", escape_line(host)));
        }
    })
}
