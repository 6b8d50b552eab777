//! `gt host set`.

use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::{HostChanges, change_host};

/// Change the limit or the program of a host
///
/// A new program counts from the next connection on. With `--json` {name}.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub(super) struct Args {
    /// The name of the host
    name: String,
    /// The maximum number of workers on the machine, or `none`
    #[arg(long, value_name = "N", value_parser = parse_limit, group = "change")]
    limit: Option<HostLimit>,
    /// The program gt on the machine
    #[arg(long, value_name = "PATH", group = "change")]
    program: Option<String>,
}

/// The maximum number of workers.
#[derive(Debug, Clone, Copy)]
struct HostLimit(Option<usize>);

fn parse_limit(text: &str) -> Result<HostLimit, String> {
    match text {
        "none" => Ok(HostLimit(None)),
        _ => match text.parse() {
            Ok(limit) => Ok(HostLimit(Some(limit))),
            Err(_) => Err("it is neither a number nor `none`".to_owned()),
        },
    }
}

#[derive(Serialize)]
struct ChangedHost {
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let changes = HostChanges {
        limit: args.limit.map(|limit| limit.0),
        program: args.program,
        ..HostChanges::default()
    };
    change_host(&town, &args.name, changes)?;
    build_report(ChangedHost { name: args.name }, |changed, page| {
        page.line(format!("Host {} is changed", changed.name));
    })
}
