//! `bd dep`: one file per subcommand.

mod add;
mod cycles;
mod list;
pub(super) mod relate;
mod remove;
mod tree;

pub(super) use add::{find_external_ref, link_beads, resolve_dep_end};

use crate::context::Context;
use bd::bead::DepKind;
use kit::cli::report::{CommandResult, build_confirmation};
use kit::failure::UsageError;

/// Add, remove and show dependencies
///
/// `bd dep add A B` makes A wait for B. `bd dep B --blocks A` does the same.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// The blocker
    #[arg(value_name = "BLOCKER")]
    blocker: Option<String>,
    /// The bead that waits for the blocker
    #[arg(short, long, value_name = "ID")]
    blocks: Option<String>,
    #[command(subcommand)]
    verb: Option<DepCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum DepCommand {
    Add(add::Args),
    #[command(visible_alias = "rm")]
    Remove(remove::Args),
    List(list::Args),
    Tree(tree::Args),
    #[command(alias = "check")]
    Cycles(cycles::Args),
    Relate(relate::Args),
    Unrelate(relate::UnArgs),
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    match (args.verb, args.blocker, args.blocks) {
        (Some(DepCommand::Add(args)), ..) => add::run(ctx, args),
        (Some(DepCommand::Remove(args)), ..) => remove::run(ctx, &args),
        (Some(DepCommand::List(args)), ..) => list::run(ctx, args),
        (Some(DepCommand::Tree(args)), ..) => tree::run(ctx, &args),
        (Some(DepCommand::Cycles(args)), ..) => cycles::run(ctx, &args),
        (Some(DepCommand::Relate(args)), ..) => relate::run(ctx, &args),
        (Some(DepCommand::Unrelate(args)), ..) => relate::run_unrelate(ctx, &args),
        (None, Some(target), Some(waiting)) => {
            let (from, to) = add::link_beads(ctx, &waiting, &target, DepKind::Blocks)?;
            let edge = kit::report_value! {
                status: "added", blocker_id: to, blocked_id: from, r#type: DepKind::Blocks
            };
            build_confirmation(edge, |edge, page| {
                let to = &edge.blocker_id;
                let from = &edge.blocked_id;
                page.line(format!("✓ Added dependency: {to} blocks {from}"));
            })
        }
        _ => Err(UsageError(
            "use 'bd dep add A B' or 'bd dep BLOCKER --blocks BLOCKED'; see 'bd help dep'".into(),
        )
        .into()),
    }
}
