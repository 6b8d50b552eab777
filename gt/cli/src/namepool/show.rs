//! `gt namepool`.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::record::polecat;
use gt::town::config;

/// The JSON has the keys rig, style, names, used and next.
#[derive(Debug, Serialize)]
struct NamepoolReport {
    rig: String,
    style: String,
    names: Vec<String>,
    used: BTreeSet<String>,
    next: String,
}

pub(super) fn run(ctx: &Context, rig: Option<&str>) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, rig)?;
    let pool = config::namepool_of(&rig)?;
    let beads = rig.store()?.snapshot()?;
    let polecats = polecat::list_polecats(&rig, &beads, None);
    let used: BTreeSet<String> = polecats.into_iter().map(|polecat| polecat.name).collect();
    let next = polecat::pick_name(rig.name(), &pool, &used);
    let pool = NamepoolReport {
        rig: rig.name().to_owned(),
        style: polecat::theme_of(rig.name(), pool.style.as_deref()).to_owned(),
        names: pool.names,
        used,
        next,
    };
    build_report(pool, |pool, page| {
        if pool.names.is_empty() {
            page.line(format!("{}: theme {}", pool.rig, pool.style));
        } else {
            page.line(format!(
                "{}: its own names: {}",
                pool.rig,
                pool.names.join(", ")
            ));
        }
        let used: Vec<&str> = pool.used.iter().map(String::as_str).collect();
        page.line(format!(
            "  in use  {}",
            if used.is_empty() {
                "-".to_owned()
            } else {
                used.join(", ")
            }
        ));
        page.line(format!("  next    {}", pool.next));
    })
}
