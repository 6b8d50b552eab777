//! `gt mail directory`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::recipient;

/// List the addresses that can get mail
///
/// With `--json` an array of {address, kind, reader?}: `reader` gets the mail of a role that no
/// agent plays.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let entries = recipient::list_directory(&ctx.open_town()?)?;
    build_report(entries, |entries, page| {
        for entry in entries {
            let address = escape::escape_line(&entry.address);
            let reader = entry.reader.as_ref();
            let reader = reader.map_or(String::new(), |reader| format!(", read by {reader}"));
            page.line(format!("{address}  ({}{reader})", entry.kind));
        }
    })
}
