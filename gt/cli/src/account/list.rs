//! `gt account list`.

use kit::ui::escape::escape_line;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::account::AccountBook;

/// List the accounts
///
/// With `--json` an array of {handle, email, description, config_dir, is_default, is_set_up}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rows = super::list_rows(&town, &AccountBook::load(&town.layout)?);
    build_report(rows, |rows, page| {
        if rows.is_empty() {
            page.line("no accounts: gt account add NAME makes one");
        }
        for row in rows {
            let mark = if row.is_default { "*" } else { " " };
            page.cut_line(format!(
                "{mark} {:<12} {:<28} {}  {}",
                escape_line(&row.handle),
                escape_line(&row.email),
                escape_line(&row.config_dir),
                escape_line(&row.description)
            ));
        }
    })
}
