//! `gt rig`: manages the repositories that the town works on.

mod add;
mod desk;
mod dock;
mod hold;
mod list;
mod park;
mod quick_add;
mod remove;
mod restart;
mod start;
mod status;
mod stop;
mod undock;
mod unpark;

pub(super) use hold::{write_hold, write_release};
pub(super) use status::{resolve_rig, rig_of_caller, write_status};

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Add, show, stop and remove rigs: the town's repositories
    Args:
    Add => add,
    QuickAdd => quick_add,
    #[command(alias = "ls")]
    List => list,
    #[command(alias = "rm")]
    Remove => remove,
    #[command(alias = "show")]
    Status => status,
    #[command(alias = "boot")]
    Start => start,
    #[command(alias = "shutdown")]
    Stop => stop,
    #[command(alias = "reboot")]
    Restart => restart,
    Desk => desk,
    Park => park,
    Unpark => unpark,
    Dock => dock,
    Undock => undock,
}
