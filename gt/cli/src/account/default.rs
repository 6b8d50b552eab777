//! `gt account default`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::account::AccountBook;

/// Show or set the account that new sessions use
///
/// Sessions that run keep theirs. With `--json` {default}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The account; without it, the present one is shown
    handle: Option<String>,
}

#[derive(serde::Serialize)]
struct DefaultReport {
    default: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let is_changed = args.handle.is_some();
    let book = match args.handle {
        None => AccountBook::load(&town.layout)?,
        Some(handle) => AccountBook::change(&town.layout, |book| {
            book.find(&handle)?;
            book.default = handle;
            Ok(())
        })?,
    };
    let report = DefaultReport {
        default: book.default,
    };
    build_report(report, move |report, page| {
        match (report.default.as_str(), is_changed) {
            ("", _) => page.line("no default: sessions use the program's own folder"),
            (handle, true) => page.line(format!("✓ new sessions use the account {handle}")),
            (handle, false) => page.line(handle),
        }
    })
}
