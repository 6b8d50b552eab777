//! `gt hooks`: what makes agent programs call `gt`.

mod diff;
mod install;
mod status;
mod sync;

use clap::{Args, Subcommand};

use super::Answer;
use crate::cli::context::Context;

/// Show and install what makes agent programs call `gt`: their hooks.
///
/// They lie in settings files beside the work trees, one for each role. Every start of a session adds what is missing of
/// ours; what else is in such a file stays, key by key. (`hooks/` of a town or a rig is another thing: what runs at the
/// events of the town.)
#[derive(Debug, Args)]
pub(super) struct HooksArgs {
    #[command(subcommand)]
    command: HooksCommand,
}

#[derive(Debug, Subcommand)]
enum HooksCommand {
    #[command(alias = "list")]
    Status(status::StatusArgs),
    Diff(diff::DiffArgs),
    Install(install::InstallArgs),
    Sync(sync::SyncArgs),
}

pub(super) fn run(ctx: &Context, args: &HooksArgs) -> Answer {
    match &args.command {
        HooksCommand::Status(args) => status::run(ctx, args),
        HooksCommand::Diff(args) => diff::run(ctx, args),
        HooksCommand::Install(args) => install::run(ctx, args),
        HooksCommand::Sync(args) => sync::run(ctx, args),
    }
}

/// What was added to settings files.
fn changed(changed: Vec<crate::host::runtime::installed::Hooks>) -> Answer {
    super::answer(changed, |changed, page| {
        if changed.is_empty() {
            page.line("nothing was missing");
        }
        for hooks in changed {
            page.line(format!("✓ {}  {}", hooks.target, hooks.place()));
        }
    })
}
