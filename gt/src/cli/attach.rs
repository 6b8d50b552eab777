//! `gt attach`.

use bd::sys::Exec;

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::host::LiveTown;
use crate::town::identity::{Address, SessionName};

/// Open an agent's session in this terminal (leave: Ctrl-b d)
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent: RIG/NAME, RIG/crew/NAME, mayor, ...
    agent: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let agent = town.address(&args.agent)?;
    attach(ctx, &town, &agent)?;
    answer(Vec::<String>::new(), |_, _| {})
}

/// Shows an agent's session until the person leaves it.
pub(super) fn attach(ctx: &Context, town: &LiveTown, agent: &Address) -> anyhow::Result<()> {
    let session = SessionName::of(agent)
        .ok_or_else(|| anyhow::anyhow!("`{agent}` is a person and has no session"))?;
    let running = town.host.find(session.as_str())?;
    anyhow::ensure!(
        running.is_some(),
        "{agent} has no session right now: not found"
    );
    let command = town.host.attach_command(session.as_str());
    let (program, rest) = command
        .split_first()
        .ok_or_else(|| anyhow::anyhow!("this backend cannot show sessions"))?;
    anyhow::ensure!(
        ctx.ui.is_terminal(),
        "this is no terminal: `gt peek {agent}` shows the screen as text"
    );
    Exec::new(program)
        .args(rest)
        .env_remove("TMUX")
        .run_attached()?;
    Ok(())
}
