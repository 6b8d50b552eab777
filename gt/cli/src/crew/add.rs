//! `gt crew add`.

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::flow::place::crew::{self, CrewError};

/// Add crew members, each with a full clone
///
/// Names that exist are skipped with a warning. With `--json` an array of {name, rig, path,
/// branch}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The names, or RIG/NAME
    #[arg(required = true)]
    names: Vec<String>,
    /// The rig (default: the one around the working directory)
    #[arg(long)]
    rig: Option<String>,
    /// Put each clone on its own branch, crew/NAME
    #[arg(long)]
    branch: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mut added = Vec::new();
    for name in &args.names {
        let (named, name) = match name.split_once('/') {
            Some((rig, name)) => (Some(rig), name),
            None => (args.rig.as_deref(), name.as_str()),
        };
        let rig = rig::resolve_rig(ctx, &town, named)?;
        match crew::add_member(&rig, name, args.branch) {
            Ok(member) => added.push(member),
            Err(error @ CrewError::Exists { .. }) if args.names.len() > 1 => {
                ctx.ui.warn(&error.to_string());
            }
            Err(CrewError::Other(error)) => return Err(error),
            Err(error) => return Err(error.into()),
        }
    }
    anyhow::ensure!(!added.is_empty(), "no crew member was added");
    build_report(added, |added, page| {
        for member in added {
            let rig = &member.rig;
            let name = &member.name;
            page.line(format!(
                "Added {rig}/crew/{name} at {}",
                member.path.display()
            ));
        }
        page.line("Visit one with: gt crew at NAME");
    })
}
