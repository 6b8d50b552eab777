//! `gt role def`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::town::role_file;

/// Print the text that an agent of a role reads at its start
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The role
    #[arg(value_parser = [
        "mayor", "deacon", "boot", "dog", "witness", "refinery", "polecat", "crew", "overseer",
    ])]
    role: String,
}

#[derive(Debug, Serialize)]
struct RoleDefinition {
    role: String,
    text: &'static str,
}

pub(super) fn run(_ctx: &Context, args: Args) -> CommandResult {
    let text = role_file::role_text(&args.role);
    let role = args.role;
    build_report(RoleDefinition { role, text }, |found, page| {
        for line in found.text.lines() {
            page.line(line);
        }
    })
}
