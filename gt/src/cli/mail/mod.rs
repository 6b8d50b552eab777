//! `gt mail`: messages that last.

mod check;
mod inbox;
mod read;
mod send;

use clap::{Args, Subcommand};

use super::Answer;
use crate::cli::context::Context;

/// Send and read mail.
#[derive(Debug, Args)]
pub(super) struct MailArgs {
    #[command(subcommand)]
    command: MailCommand,
}

#[derive(Debug, Subcommand)]
enum MailCommand {
    Send(send::SendArgs),
    Inbox(inbox::InboxArgs),
    #[command(alias = "show")]
    Read(read::ReadArgs),
    Check(check::CheckArgs),
}

pub(super) fn run(ctx: &Context, args: MailArgs) -> Answer {
    match args.command {
        MailCommand::Send(args) => send::run(ctx, args),
        MailCommand::Inbox(args) => inbox::run(ctx, &args),
        MailCommand::Read(args) => read::run(ctx, &args),
        MailCommand::Check(args) => check::run(ctx, &args),
    }
}

/// The mailbox of an address, or the caller's own.
fn mailbox(town: &crate::host::LiveTown, text: Option<&str>) -> anyhow::Result<String> {
    Ok(match text {
        Some(text) => town.address(text)?.mailbox(),
        None => town.actor.mailbox(),
    })
}
