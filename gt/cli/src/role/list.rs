//! `gt role list`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;

/// List the roles of a town
///
/// With `--json` an array of {role, address, does}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// A role and its task.
#[derive(Debug, Clone, Copy, Serialize)]
struct RoleLine {
    role: &'static str,
    address: &'static str,
    does: &'static str,
}

const fn role(role: &'static str, address: &'static str, does: &'static str) -> RoleLine {
    RoleLine {
        role,
        address,
        does,
    }
}

const ROLES: &[RoleLine] = &[
    role("overseer", "overseer", "the user, who owns the town"),
    role("mayor", "mayor", "plans and gives out work for the user"),
    role("deacon", "deacon", "patrols the town"),
    role("boot", "deacon-boot", "watches the deacon"),
    role("dog", "deacon/dogs/NAME", "does chores for the deacon"),
    role("witness", "RIG/witness", "watches the polecats of a rig"),
    role("refinery", "RIG/refinery", "runs the merge queue of a rig"),
    role(
        "polecat",
        "RIG/polecats/NAME",
        "does one bead after the other",
    ),
    role("crew", "RIG/crew/NAME", "works with the user"),
];

pub(super) fn run(_ctx: &Context, _args: Args) -> CommandResult {
    build_report(ROLES, |roles, page| {
        for role in *roles {
            page.line(format!(
                "{:<9} {:<18} {}",
                role.role, role.address, role.does
            ));
        }
    })
}
