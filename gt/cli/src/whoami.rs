//! `gt whoami`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::town::identity::{Address, detect_caller};

#[derive(serde::Serialize)]
struct WhoamiReport {
    address: String,
    role: &'static str,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<String>,
    mailbox: String,
    town: std::path::PathBuf,
}

/// Print the identity under which commands run
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let found = detect_caller(&ctx.env, &town.layout, ctx.session.as_ref());
    let address = found.address.unwrap_or(Address::Overseer);
    let shown = WhoamiReport {
        address: address.to_string(),
        role: address.role(),
        source: found.source,
        mismatch: found.mismatch.map(|other| other.to_string()),
        mailbox: address.mailbox(),
        town: town.layout.root().to_owned(),
    };
    build_report(shown, |shown, page| {
        page.line(format!(
            "{} ({}, from {})",
            shown.address, shown.role, shown.source
        ));
        if let Some(other) = &shown.mismatch {
            page.line(format!("  but this folder belongs to {other}"));
        }
    })
}
