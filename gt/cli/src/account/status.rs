//! `gt account status`.

use super::super::{CommandResult, build_report};
use super::AccountRow;
use crate::context::Context;
use gt::record::account::AccountBook;

/// Show the account that a session started now would use
///
/// With `--json` {handle, email, description, config_dir, is_default, is_set_up}, or null.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let book = AccountBook::load(&town.layout)?;
    let mut found: Option<AccountRow> = None;
    if let Some(handle) = book.chosen(&town.env) {
        book.find(&handle)?;
        found = super::list_rows(&town, &book)
            .into_iter()
            .find(|row| row.handle == handle);
    }
    build_report(found, |found, page| match found {
        None => page.line("no account: sessions use the program's own folder"),
        Some(row) => {
            page.line(format!("{}  {}", row.handle, row.config_dir));
            if !row.is_set_up {
                page.line("! its folder is missing: log in there once");
                page.line(format!("  CLAUDE_CONFIG_DIR={} claude", row.config_dir));
            }
        }
    })
}
