//! `gt directive list`.

use super::super::{CommandResult, build_report};
use crate::context::Context;

/// List the directives of the town and its rigs
///
/// With `--json` an array of {role, rig, path}: `rig` is null for the town's.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(serde::Serialize)]
struct DirectiveRow {
    role: &'static str,
    rig: Option<String>,
    path: std::path::PathBuf,
}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rigs = town.list_rigs()?;
    let mut rows = Vec::new();
    for rig in std::iter::once(None).chain(rigs.iter().map(|rig| Some(rig.name()))) {
        for role in super::DIRECTIVE_ROLES {
            let path = super::path_of(&town, role, rig)?;
            if path.is_file() {
                let rig = rig.map(str::to_owned);
                rows.push(DirectiveRow { role, rig, path });
            }
        }
    }
    build_report(rows, |rows, page| {
        if rows.is_empty() {
            page.line("no directives: gt directive edit ROLE makes some");
        }
        for row in rows {
            let place = row.rig.as_deref().unwrap_or("the town");
            page.line(format!(
                "{:<9} {place:<12} {}",
                row.role,
                row.path.display()
            ));
        }
    })
}
