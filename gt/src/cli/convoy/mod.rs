//! `gt convoy`: batches of work.

mod add;
mod close;
mod create;
mod land;
mod list;
mod review;
mod status;

use clap::{Args, Subcommand};

use super::Answer;
use crate::cli::context::Context;

/// Follow batches of work until they have landed.
#[derive(Debug, Args)]
pub(super) struct ConvoyArgs {
    #[command(subcommand)]
    command: ConvoyCommand,
}

#[derive(Debug, Subcommand)]
enum ConvoyCommand {
    Create(create::CreateArgs),
    Add(add::AddArgs),
    Status(status::StatusArgs),
    List(list::ListArgs),
    Close(close::CloseArgs),
    Land(land::LandArgs),
    Review(review::ReviewArgs),
}

pub(super) fn run(ctx: &Context, args: ConvoyArgs) -> Answer {
    match args.command {
        ConvoyCommand::Create(args) => create::run(ctx, args),
        ConvoyCommand::Add(args) => add::run(ctx, &args),
        ConvoyCommand::Status(args) => status::run(ctx, &args),
        ConvoyCommand::List(args) => list::run(ctx, &args),
        ConvoyCommand::Close(args) => close::run(ctx, &args),
        ConvoyCommand::Land(args) => land::run(ctx, &args),
        ConvoyCommand::Review(args) => review::run(ctx, &args),
    }
}

/// What hooks had to say although they approved.
fn warn(ctx: &Context, warnings: &[String]) {
    for warning in warnings {
        ctx.ui.warn(&bd::ui::escape::line(warning));
    }
}
