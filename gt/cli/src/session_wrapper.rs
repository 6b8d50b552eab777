//! `gt session-wrapper`: the first process of every session.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;

use super::{CommandResult, build_report_with_exit};
use crate::context::{Context, record_refused_command};
use gt::host::gateway::{RefusalRecorders, open_session_gateway};
use gt::host::jail::session::{outlive_agent, run_session};
use gt::host::network::{open_relay, proxy_variables};
use gt::host::{live_town, wrapper};
use gt::record::hook::find_hooked_bead;
use gt::town::Town;
use gt::town::event::Event;
use gt::town::permission::find_permission_name;
use kit::sys::ChildCommand;

/// Become the command that a start file names
///
/// The file is read and removed first, so that what it holds is on the disk only for a moment and
/// never in an argument list.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The start file
    #[arg(required_unless_present = "foreground")]
    file: Option<PathBuf>,

    /// Serve the gateway of a command in a jail, until the command ends
    #[arg(long, hide = true, requires = "file")]
    gateway: bool,

    /// Start the jail of the command, and end what the command leaves
    #[arg(long, hide = true, requires = "file", conflicts_with = "gateway")]
    jail: bool,

    /// Run a program in the foreground of the terminal, inside a jail
    #[arg(long, hide = true, conflicts_with = "file", requires = "words")]
    foreground: bool,

    /// Pass a port of the loopback on to the socket of the network proxy
    #[arg(long, hide = true, value_name = "SOCKET", requires = "foreground")]
    relay: Option<PathBuf>,

    #[arg(last = true, hide = true, requires = "foreground")]
    words: Vec<String>,
}

pub(crate) fn run(ctx: &Context, args: Args) -> CommandResult {
    let Some(file) = args.file else {
        return run_in_foreground(&args.words, args.relay);
    };
    let exe = live_town::find_gt_program(&ctx.env);
    let terminal = ctx.env.get("TERM");
    let start = wrapper::take_start_file(&file)?;
    let Some(jail) = start.jail.clone() else {
        return Err(wrapper::become_command(start, terminal).into());
    };
    if args.jail {
        return end_with(run_session(&start, &jail, &exe, terminal)?);
    }
    if args.gateway {
        outlive_agent()?;
        let recorders = RefusalRecorders {
            command: |town, command| {
                record_refused_command(town, command, find_permission_name(command));
            },
            host: record_refused_host,
        };
        let (start, doors) = open_session_gateway(&ctx.env, start, recorders)?;
        let status = wrapper::run_jail_step(&start, &file, &exe);
        drop(doors);
        return end_with(status?);
    }
    Err(wrapper::become_gateway(start, &file, &exe, terminal).into())
}

/// Records that a worker in a jail does not reach a host, with its work.
fn record_refused_host(town: &Town, host: &str) {
    town.record_event(&Event::NetworkRefused {
        rig: town.actor.rig().unwrap_or("").to_owned(),
        host: host.to_owned(),
        // The event is enough if the hook cannot be read.
        bead: find_hooked_bead(town, &town.actor).ok(),
    });
}

fn run_in_foreground(words: &[String], relay: Option<PathBuf>) -> CommandResult {
    let (program, args) = match words.split_first() {
        Some((program, args)) => (program.as_str(), args),
        None => ("", &[][..]),
    };
    let command = ChildCommand::new(program).args(args);
    let variables = match relay {
        Some(socket) => proxy_variables(open_relay(socket)?),
        None => Vec::new(),
    };
    let command = variables
        .into_iter()
        .fold(command, |command, (name, value)| command.env(name, value));
    end_with(command.run_in_foreground()?)
}

/// Ends without output, with the code of a child. The end by a signal has the code of a shell.
fn end_with(status: ExitStatus) -> CommandResult {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .and_then(|code| u8::try_from(code).ok());
    build_report_with_exit(code.unwrap_or(u8::MAX), (), |(), _| {})
}
