//! `gt host link`: the process that keeps the connection to a host.

use super::{CommandResult, build_report};
use crate::context::{Context, record_refused_command};
use gt::flow::agent::seance::transcript::far::take_transcripts;
use gt::flow::place::sandbox::{prepare_far_call, take_far_state};
use gt::host::daemon;
use gt::host::far::link_socket;
use gt::host::link::{LinkPlace, LinkRules, run_link};
use gt::town::permission::find_permission_name;
use kit::sys::Clock;

/// Keep the connection to a host while workers run there
///
/// The town starts it when it is needed. It ends when no worker is left.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the host
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let place = LinkPlace {
        env: town.env.clone(),
        socket: link_socket(&town.layout, &daemon::socket_folder(&town), &args.name),
        town: town.layout.clone(),
        host: args.name,
        clock: Clock::choose(ctx.env.get("BD_NOW")),
    };
    let rules = LinkRules {
        record_refusal: |town, command| {
            record_refused_command(town, command, find_permission_name(command));
        },
        prepare_call: prepare_far_call,
        take_state: take_far_state,
        take_transcripts,
    };
    run_link(place, rules)?;
    build_report((), |(), _| {})
}
