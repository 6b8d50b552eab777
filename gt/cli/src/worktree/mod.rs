//! `gt worktree`: a crew member's place in another rig.
//!
//! The place is a clone of its own in the crew folder of that rig, `RIG_NAME`, so that no other
//! worktree of the rig is in the way.

mod list;
mod remove;

use anyhow::Context as _;
use kit::ui::escape;
use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::crew::{self, CrewError};
use gt::town::identity::Address;
use gt::town::{Rig, Town};

/// Work in another rig as a crew member
///
/// Makes a clone of that rig for you, with its beads, and prints the folder and the variables that
/// keep your identity there. With `--json` {rig, name, path, created}.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(super) struct Args {
    /// The other rig
    rig: Option<String>,
    /// Print only the folder
    #[arg(long)]
    no_cd: bool,
    #[command(subcommand)]
    verb: Option<Verb>,
}

kit::verbs! {
    Verb:
    #[command(alias = "ls")]
    List => list,
    #[command(alias = "rm")]
    Remove => remove,
}

#[derive(Debug, Serialize)]
struct WorktreeReport {
    rig: String,
    name: String,
    path: std::path::PathBuf,
    created: bool,
}

/// A crew member in its own rig.
#[derive(Debug, Clone)]
struct Visitor {
    rig: String,
    name: String,
}

impl Visitor {
    /// Returns the caller. Fails if it is no crew member.
    fn of_caller(town: &Town) -> anyhow::Result<Self> {
        match &town.actor {
            Address::Crew(rig, name) => Ok(Self {
                rig: rig.clone(),
                name: name.clone(),
            }),
            other => anyhow::bail!(
                "`{other}` is no crew member: go to the folder of one, or add one with `gt crew add`"
            ),
        }
    }

    /// Returns the name of the clone in other rigs.
    fn clone_name(&self) -> String {
        format!("{}_{}", self.rig, self.name)
    }

    /// Returns the other rig of this name.
    fn find_other_rig<'t>(&self, town: &'t Town, rig: &str) -> anyhow::Result<Rig<'t>> {
        anyhow::ensure!(
            rig != self.rig,
            "{rig} is your own rig: your clone is in {}",
            town.rig(rig).crew(&self.name).display()
        );
        town.find_rig(rig)
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(verb) = args.verb {
        return verb.run(ctx);
    }
    let town = ctx.open_town()?;
    let visitor = Visitor::of_caller(&town)?;
    let rig = visitor.find_other_rig(&town, &args.rig.context("name the other rig")?)?;
    let name = visitor.clone_name();
    let created = match crew::add_member(&rig, &name, false) {
        Ok(_) => true,
        Err(CrewError::Exists { .. }) => false,
        Err(CrewError::Other(error)) => return Err(error),
        Err(error) => return Err(error.into()),
    };
    let report = WorktreeReport {
        rig: rig.name().to_owned(),
        path: rig.crew(&name),
        name,
        created,
    };
    build_report(report, move |report, page| {
        let path = report.path.display().to_string();
        if args.no_cd {
            page.line(path);
            return;
        }
        page.line(format!("cd {}", escape::quote_for_shell(&path)));
        let rig = &visitor.rig;
        let name = &visitor.name;
        page.line(format!("export GT_ROLE={rig}/crew/{name}"));
        page.line(format!("export BD_ACTOR={rig}/crew/{name}"));
        page.line(format!("export GT_RIG={rig} GT_CREW={name}"));
    })
}
