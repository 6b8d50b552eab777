//! `gt attach`.

use kit::sys::ChildCommand;

use super::{CommandResult, build_report};
use crate::context::Context;
use crate::hint::{HintTopic, show_hint_once};
use gt::flow::agent::session::show;
use gt::host::LiveTown;
use gt::town::identity::Address;

/// Open an agent's session in this terminal (leave: Ctrl-b d)
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent: RIG/NAME, RIG/crew/NAME, mayor, ...
    agent: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = town.parse_agent(&args.agent)?;
    attach_to_agent(ctx, &town, &agent)?;
    build_report(Vec::<String>::new(), |_, _| {})
}

/// Shows an agent's session until the user detaches.
pub(super) fn attach_to_agent(
    ctx: &Context,
    town: &LiveTown,
    agent: &Address,
) -> anyhow::Result<()> {
    let command = show::attach_command(town, agent)?;
    anyhow::ensure!(
        ctx.ui.is_terminal(),
        "this is no terminal: `gt peek {agent}` shows the screen as text"
    );
    show_hint_once(ctx, town, HintTopic::Agent);
    let (program, rest) = command
        .split_first()
        .ok_or_else(|| anyhow::anyhow!("this host cannot show sessions"))?;
    ChildCommand::new(program)
        .args(rest)
        .env_remove("TMUX")
        .run_attached()?;
    Ok(())
}
