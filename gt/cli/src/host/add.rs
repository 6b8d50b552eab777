//! `gt host add`.

use kit::failure::UsageError;

use super::check::write_host;
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::{NewHost, add_host};
use gt::host::far::HostTransport;

/// Add a machine that `gt sling --host` can use
///
/// The machine needs tmux, git, an agent program with its login, and `gt`; no town, no daemon and no
/// access to your remote. The connection is tried first. With `--json` {name, way, version, root,
/// millis}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the host in this town
    name: String,
    /// A name that ssh knows; keys and jumps come from ~/.ssh/config
    #[arg(long, value_name = "HOST", required_unless_present = "command")]
    ssh: Option<String>,
    /// The command that runs `gt box serve` on the machine, after `--`
    #[arg(long, conflicts_with = "ssh")]
    command: bool,
    /// The program gt on the machine, if it is not on PATH there
    #[arg(
        long,
        value_name = "PATH",
        default_value = "gt",
        conflicts_with = "command"
    )]
    program: String,
    /// The maximum number of workers on the machine
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The words of the command
    #[arg(last = true, value_name = "CMD", requires = "command")]
    words: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let transport = match args.ssh {
        Some(host) if host.starts_with('-') || host.is_empty() => {
            return Err(UsageError(format!("`{host}` is no name of a host for ssh")).into());
        }
        Some(host) => HostTransport::Ssh(host),
        None if args.words.is_empty() => {
            let text = "the command is missing: gt host add NAME --command -- CMD...";
            return Err(UsageError(text.to_owned()).into());
        }
        None => HostTransport::Command(args.words),
    };
    let added = add_host(
        &town,
        NewHost {
            name: args.name,
            transport,
            program: args.program,
            limit: args.limit,
        },
    )?;
    build_report(added, |added, page| {
        write_host(added, page);
        page.line("Give a worker there a bead:");
        page.line(format!("  gt sling BEAD RIG --host {}", added.name));
    })
}
