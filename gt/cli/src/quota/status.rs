//! `gt quota status`.

use kit::ui::escape::escape_line;
use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::account::AccountBook;
use gt::record::quota::QuotaBook;

/// Show which accounts are available
///
/// With `--json` an array of {handle, email, status, limited_at?, resets_at?, last_used?,
/// is_default}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum QuotaState {
    Available,
    Limited,
}

#[derive(Debug, Serialize)]
struct QuotaRow {
    handle: String,
    email: String,
    status: QuotaState,
    #[serde(skip_serializing_if = "Option::is_none")]
    limited_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    last_used: String,
    is_default: bool,
}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let book = AccountBook::load(&town.layout)?;
    let quota = QuotaBook::load(&town.layout)?;
    let now = town.clock.now();
    let mut rows = Vec::new();
    for (handle, account) in &book.accounts {
        let limit = quota.limit_of(handle, now);
        rows.push(QuotaRow {
            handle: handle.clone(),
            email: account.email.clone(),
            status: limit.map_or(QuotaState::Available, |_| QuotaState::Limited),
            limited_at: limit.and_then(|limit| Some(limit.since?.to_string())),
            resets_at: limit.and_then(|limit| Some(limit.until?.to_string())),
            last_used: quota.find(handle).last_used,
            is_default: *handle == book.default,
        });
    }
    build_report(rows, |rows, page| {
        if rows.is_empty() {
            page.line("no accounts: gt account add NAME makes one");
        }
        for row in rows {
            let default = if row.is_default { " (default)" } else { "" };
            let since = match &row.limited_at {
                Some(at) => format!(" since {}", page.local_time(at)),
                None => String::new(),
            };
            let until = match (row.status, &row.resets_at) {
                (QuotaState::Limited, Some(at)) => format!(" until {}", page.local_time(at)),
                (QuotaState::Limited, None) => " until `gt quota clear`".to_owned(),
                _ => String::new(),
            };
            let (mark, status) = match row.status {
                QuotaState::Available => ("●", "available"),
                QuotaState::Limited => ("○", "limited"),
            };
            page.line(format!(
                "{mark} {}{default}: {status}{since}{until}",
                escape_line(&row.handle)
            ));
        }
    })
}
