//! `gt crew`: manages the workers that a user directs.

mod add;
mod at;
mod list;
mod pristine;
mod remove;
mod rename;
mod restart;
mod start;
mod status;
mod stop;

use super::CommandResult;
use crate::context::Context;
use gt::town::{Rig, Town};

kit::family! {
    /// Manage crew: persistent workers that a user directs
    Args:
    Add => add,
    #[command(alias = "attach")]
    At => at,
    #[command(alias = "ls")]
    List => list,
    #[command(alias = "spawn")]
    Start => start,
    Stop => stop,
    #[command(alias = "rs")]
    Restart => restart,
    #[command(alias = "show")]
    Status => status,
    Pristine => pristine,
    Rename => rename,
    #[command(alias = "rm")]
    Remove => remove,
}

/// The members of a command that needs names or `--all`.
#[derive(Debug, clap::Args)]
struct NamedMembers {
    /// The names, or RIG/NAME; the first word may be the rig
    names: Vec<String>,
    /// The rig
    #[arg(long)]
    rig: Option<String>,
    /// Take all of them
    #[arg(long)]
    all: bool,
}

impl NamedMembers {
    fn select<'t>(&self, ctx: &Context, town: &'t Town) -> anyhow::Result<Vec<(Rig<'t>, String)>> {
        // Veterans write `gt crew start RIG NAME...`. A member with the name of a rig needs --rig.
        let (rig, names) = match (&self.rig, self.names.split_first()) {
            (None, Some((first, rest)))
                if (self.all || !rest.is_empty()) && town.find_rig(first).is_ok() =>
            {
                (Some(first.as_str()), rest)
            }
            (rig, _) => (rig.as_deref(), self.names.as_slice()),
        };
        select_members(ctx, town, names, rig, self.all)
    }
}

/// The member of a command that otherwise takes all.
#[derive(Debug, clap::Args)]
struct MemberOrAll {
    /// The name, or RIG/NAME (default: all)
    name: Option<String>,
    /// The rig
    #[arg(long)]
    rig: Option<String>,
}

impl MemberOrAll {
    fn select<'t>(&self, ctx: &Context, town: &'t Town) -> anyhow::Result<Vec<(Rig<'t>, String)>> {
        let names = self.name.as_slice();
        select_members(ctx, town, names, self.rig.as_deref(), names.is_empty())
    }
}

/// Returns the named members, or all members of a rig or of the town.
fn select_members<'t>(
    ctx: &Context,
    town: &'t Town,
    names: &[String],
    rig: Option<&str>,
    all: bool,
) -> anyhow::Result<Vec<(Rig<'t>, String)>> {
    let rig = rig.map(|name| town.find_rig(name)).transpose()?;
    if !all {
        anyhow::ensure!(
            !names.is_empty(),
            "say which crew member, or --all: gt crew list shows them"
        );
        let around = rig.or_else(|| super::rig::resolve_rig(ctx, town, None).ok());
        return names
            .iter()
            .map(|name| {
                gt::flow::place::crew::find_member(
                    town,
                    around
                        .as_ref()
                        .filter(|rig| rig.crew(name).join(".git").exists()),
                    name,
                )
            })
            .collect();
    }
    anyhow::ensure!(names.is_empty(), "give names or --all, not both");
    let rigs = match rig {
        Some(rig) => vec![rig],
        None => town.list_rigs()?,
    };
    Ok(rigs
        .into_iter()
        .flat_map(|rig| {
            gt::flow::place::crew::list_member_names(&rig)
                .into_iter()
                .map(move |name| (rig.clone(), name))
        })
        .collect())
}
