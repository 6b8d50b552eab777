//! `gt config`: settings of the town and its rigs.

mod agent;
mod explain;
mod get;
mod list;
mod set;
mod unset;

use super::CommandResult;
use crate::context::Context;
use gt::town::{Rig, Town};

kit::family! {
    /// Show and change settings
    ///
    /// Layers, highest first: environment (GT_ and the name in capitals), this machine's local
    /// layer, the rig's bead, the rig's settings, the town's settings, built-in.
    Args:
    #[command(alias = "agents")]
    Agent => agent,
    Explain => explain,
    Get => get,
    List => list,
    Set => set,
    Unset => unset,
}

/// Selects the town's settings or those of one rig.
#[derive(Debug, clap::Args)]
struct SettingsScope {
    /// The rig (default: the one around the working directory)
    #[arg(long)]
    rig: Option<String>,
    /// The town's settings
    #[arg(long, conflicts_with = "rig")]
    town: bool,
}

impl SettingsScope {
    fn rig<'t>(&self, ctx: &Context, town: &'t Town) -> anyhow::Result<Option<Rig<'t>>> {
        if self.town {
            return Ok(None);
        }
        match &self.rig {
            Some(name) => town.find_rig(name).map(Some),
            None => Ok(super::rig::rig_of_caller(ctx, town)),
        }
    }
}
