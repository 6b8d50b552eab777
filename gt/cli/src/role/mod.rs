//! The commands that the mayor and the roles of the patrol have in common, over the agent's address.

pub(crate) mod attach;
pub(crate) mod restart;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod stop;

use std::fmt;

use super::{CommandResult, build_report};
use gt::town::identity::Address;

/// Which agent a command is about.
pub(crate) trait RoleSelector: clap::Args + fmt::Debug {
    /// Its address.
    fn address(&self) -> Address;
}

macro_rules! which {
    ($($role:ident,)* ; $($of_rig:ident,)*) => {
        $(
            #[derive(Debug, clap::Args)]
            pub(crate) struct $role {}

            impl RoleSelector for $role {
                fn address(&self) -> Address {
                    Address::$role
                }
            }
        )*
        $(
            #[derive(Debug, clap::Args)]
            pub(crate) struct $of_rig {
                /// The rig
                rig: String,
            }

            impl RoleSelector for $of_rig {
                fn address(&self) -> Address {
                    Address::$of_rig(self.rig.clone())
                }
            }
        )*
    };
}

which! { Boot, Deacon, Mayor,; Refinery, Witness, }

/// The commands of a role as modules, for the table of its family.
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

/// The command of an agent: `gt deacon start`, `gt witness start web`.
fn command_of(agent: &Address, verb: &str) -> String {
    match agent.rig() {
        Some(rig) => format!("gt {} {verb} {rig}", agent.role()),
        None => format!("gt {} {verb}", agent.role()),
    }
}
