//! `gt directive`: instructions of the user for all agents of a role.

mod edit;
mod list;
mod show;

use std::path::PathBuf;

use super::CommandResult;
use crate::context::Context;
use gt::town::Town;

/// The roles that can have directives.
const DIRECTIVE_ROLES: [&str; 7] = [
    "mayor", "deacon", "dog", "witness", "refinery", "polecat", "crew",
];

kit::family! {
    /// Show and edit your instructions for a role
    ///
    /// Each agent of the role reads directives/ROLE.md of the town, then that of its rig, at each
    /// start. A first line `mode: replace` replaces the role's own text.
    Args:
    Show => show,
    #[command(alias = "ls")]
    List => list,
    Edit => edit,
}

/// Selects the directives of a role, of the town or of one rig.
#[derive(Debug, clap::Args)]
struct DirectiveSelector {
    /// The role: mayor, deacon, dog, witness, refinery, polecat or crew
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(DIRECTIVE_ROLES), hide_possible_values = true)]
    role: String,
    /// The rig (default: the town)
    #[arg(long)]
    rig: Option<String>,
}

impl DirectiveSelector {
    fn path(&self, town: &Town) -> anyhow::Result<PathBuf> {
        path_of(town, &self.role, self.rig.as_deref())
    }
}

fn path_of(town: &Town, role: &str, rig: Option<&str>) -> anyhow::Result<PathBuf> {
    let folder = match rig {
        Some(name) => town.find_rig(name)?.root().to_owned(),
        None => town.layout.root().to_owned(),
    };
    Ok(folder.join(format!("directives/{role}.md")))
}
