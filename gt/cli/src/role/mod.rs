//! `gt role`, and the commands that the mayor and the patrol roles share. Each of the latter works
//! on the agent's address.

pub(crate) mod attach;
mod def;
mod env;
mod home;
mod list;
mod permissions;
pub(crate) mod restart;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod stop;

use std::fmt;

use super::{CommandResult, build_report, rig, whoami};
use crate::context::Context;
use gt::town::Town;
use gt::town::identity::Address;

kit::family! {
    /// Show your role, its folder and its text
    Args:
    #[command(alias = "detect")]
    Show => whoami,
    List => list,
    Home => home,
    Env => env,
    Def => def,
    Permissions => permissions,
}

/// Selects the agent of a command.
pub(crate) trait RoleSelector: clap::Args + fmt::Debug {
    /// Returns the agent's address.
    fn address(&self, ctx: &Context, town: &Town) -> anyhow::Result<Address>;
}

macro_rules! which {
    ($($role:ident,)* ; $($of_rig:ident,)*) => {
        $(
            #[derive(Debug, clap::Args)]
            pub(crate) struct $role {}

            impl RoleSelector for $role {
                fn address(&self, _ctx: &Context, _town: &Town) -> anyhow::Result<Address> {
                    Ok(Address::$role)
                }
            }
        )*
        $(
            #[derive(Debug, clap::Args)]
            pub(crate) struct $of_rig {
                /// The rig (default: the one around the working directory)
                rig: Option<String>,
            }

            impl RoleSelector for $of_rig {
                fn address(&self, ctx: &Context, town: &Town) -> anyhow::Result<Address> {
                    let rig = rig::resolve_rig(ctx, town, self.rig.as_deref())?;
                    Ok(Address::$of_rig(rig.name().to_owned()))
                }
            }
        )*
    };
}

which! { Boot, Deacon, Mayor,; Refinery, Witness, }

/// Declares a role's commands as modules, for the table of its command family.
macro_rules! commands {
    ($which:ident: $($verb:ident),+) => {
        $(mod $verb {
            pub(super) use crate::role::$verb::run;
            pub(super) type Args =
                crate::role::$verb::Args<crate::role::$which>;
        })+
    };
}
pub(crate) use commands;

/// Returns the command line for an agent: `gt deacon start`, `gt witness start web`.
fn command_of(agent: &Address, verb: &str) -> String {
    match agent.rig() {
        Some(rig) => format!("gt {} {verb} {rig}", agent.role()),
        None => format!("gt {} {verb}", agent.role()),
    }
}
