//! `gt convoy review`: convoys that a hook left to a person.

mod approve;
mod list;
mod reject;
mod show;

use clap::{Args, Subcommand};

use super::super::Answer;
use crate::cli::context::Context;

/// Answer the requests for convoys that a pre-convoy hook left to a person.
#[derive(Debug, Args)]
pub(super) struct ReviewArgs {
    #[command(subcommand)]
    command: ReviewCommand,
}

#[derive(Debug, Subcommand)]
enum ReviewCommand {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Approve(approve::ApproveArgs),
    Reject(reject::RejectArgs),
}

pub(super) fn run(ctx: &Context, args: &ReviewArgs) -> Answer {
    match &args.command {
        ReviewCommand::List(args) => list::run(ctx, args),
        ReviewCommand::Show(args) => show::run(ctx, args),
        ReviewCommand::Approve(args) => approve::run(ctx, args),
        ReviewCommand::Reject(args) => reject::run(ctx, args),
    }
}
