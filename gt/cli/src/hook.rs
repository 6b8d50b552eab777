//! `gt hook`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::prime;
use gt::town::identity::Address;

/// Show what is on a hook: your own, or another agent's.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent (default: you)
    agent: Option<String>,
}

#[derive(serde::Serialize)]
struct HookReport {
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bead_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    convoy: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let address = match &args.agent {
        Some(text) => town.parse_agent(text).map_err(|error| {
            if town.find_bead(text).is_err() {
                return error;
            }
            let advice =
                format!("`{text}` is a bead; to put it on your hook, type\n  gt sling {text}");
            kit::failure::UsageError(advice).into()
        })?,
        None => town.actor.clone(),
    };
    anyhow::ensure!(
        address != Address::Overseer,
        "the overseer has no hook: name an agent, such as <rig>/polecats/<name>"
    );
    let found = prime::build_context(&town, &address, prime::Occasion::Brief, "")?;
    let shown = HookReport {
        agent: address.to_string(),
        status: if found.bead.is_some() {
            "hooked"
        } else {
            "empty"
        },
        convoy: found.convoy,
        title: found.bead.as_ref().map(|bead| bead.title.clone()),
        bead_id: found.bead.map(|bead| bead.id),
    };
    build_report(shown, |shown, page| match (&shown.bead_id, &shown.title) {
        (Some(id), Some(title)) => {
            page.line(format!(
                "{}: {id} \"{}\" [hooked]",
                shown.agent,
                kit::ui::escape::escape_line(title)
            ));
            if let Some(convoy) = &shown.convoy {
                page.line(format!("  convoy: {convoy}"));
            }
        }
        _ => page.line(format!("{}: (empty)", shown.agent)),
    })
}
