//! `gt quota clear`.

use kit::ui::escape::escape_line;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::account::AccountBook;
use gt::record::quota;

/// Make accounts available again
///
/// With `--json` {cleared[]}: the accounts that were limited.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The accounts (default: all)
    #[arg(value_name = "ACCOUNT")]
    handles: Vec<String>,
}

#[derive(serde::Serialize)]
struct ClearReport {
    cleared: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let book = AccountBook::load(&town.layout)?;
    let mut handles = args.handles;
    if handles.is_empty() {
        handles.extend(book.accounts.keys().cloned());
    }
    for handle in &handles {
        book.find(handle)?;
    }
    let cleared = quota::clear_limits(&town, &handles)?;
    build_report(ClearReport { cleared }, |report, page| {
        if report.cleared.is_empty() {
            page.line("no account was limited");
        }
        for handle in &report.cleared {
            page.line(format!("✓ {} is available", escape_line(handle)));
        }
    })
}
