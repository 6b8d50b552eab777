//! `gt host add`.

use kit::failure::UsageError;

use super::check::{TRIAL, write_host};
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::{NewHost, add_host};
use gt::host::far::{ChosenEngine, HostTransport};

/// Add a machine that `gt sling --host` can use
///
/// The machine needs tmux, git and an agent program with its login; no town, no daemon and no access to
/// your remote. Over ssh it gets `gt` and `bd` of the town, if it has no `gt`. The connection is tried first. With `--container`, `--kubernetes` or
/// `--slurm`, each worker gets a container, pod or job of its own, which is removed after its work;
/// settings/hosts/NAME.toml has their commands, limits and secrets for you to change. One is made and
/// removed as a trial. With `--json` {name, way, version, root, millis}.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("way").required(true)))]
pub(super) struct Args {
    /// The name of the host in this town
    name: String,
    /// A name that ssh knows; keys and jumps come from ~/.ssh/config
    #[arg(long, value_name = "HOST", group = "way")]
    ssh: Option<String>,
    /// The command that runs `gt box serve` on the machine, after `--`
    #[arg(long, group = "way")]
    command: bool,
    /// The image of a container for each worker
    #[arg(long, value_name = "IMAGE", group = "way")]
    container: Option<String>,
    /// The program that runs the containers
    #[arg(long, value_name = "PROGRAM", default_value = "podman", value_parser = ["podman", "docker"], requires = "container")]
    engine: String,
    /// The cluster and the namespace of a pod for each worker
    #[arg(
        long,
        value_name = "CONTEXT/NAMESPACE",
        group = "way",
        requires = "image"
    )]
    kubernetes: Option<String>,
    /// The image of the pods
    #[arg(long, value_name = "IMAGE", requires = "kubernetes")]
    image: Option<String>,
    /// The partition of a Slurm job for each worker
    #[arg(long, value_name = "PARTITION", group = "way")]
    slurm: Option<String>,
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
    let transport = choose_transport(&args)?;
    if matches!(transport, HostTransport::Engine(_)) {
        ctx.ui.status(TRIAL);
    }
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

fn choose_transport(args: &Args) -> Result<HostTransport, UsageError> {
    if let Some(host) = &args.ssh {
        if host.starts_with('-') || host.is_empty() {
            return Err(UsageError(format!("`{host}` is no name of a host for ssh")));
        }
        return Ok(HostTransport::Ssh(host.clone()));
    }
    if let Some(image) = &args.container {
        return Ok(engine(&args.engine, &[("image", image)]));
    }
    if let Some(partition) = &args.slurm {
        return Ok(engine("slurm", &[("partition", partition)]));
    }
    if let (Some(cluster), Some(image)) = (&args.kubernetes, &args.image) {
        let Some((context, namespace)) = cluster.rsplit_once('/') else {
            let text = format!("`{cluster}` names no namespace: --kubernetes CONTEXT/NAMESPACE");
            return Err(UsageError(text));
        };
        let values = [
            ("context", context),
            ("namespace", namespace),
            ("image", image),
        ];
        return Ok(engine("kubernetes", &values));
    }
    if args.words.is_empty() {
        let text = "the command is missing: gt host add NAME --command -- CMD...";
        return Err(UsageError(text.to_owned()));
    }
    Ok(HostTransport::Command(args.words.clone()))
}

fn engine(name: &str, values: &[(&str, &str)]) -> HostTransport {
    let values = values
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    HostTransport::Engine(ChosenEngine {
        engine: name.to_owned(),
        values: values.collect(),
    })
}
