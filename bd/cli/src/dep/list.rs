use anyhow::Context as _;

use crate::args;
use crate::context::Context;
use crate::line;
use crate::report::LinkedBead;
use bd::bead::{Bead, Dep, DepKind};
use kit::cli::report::{CommandResult, build_report};

/// List the edges of a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// down: its dependencies; up: its dependents
    #[arg(long, default_value = "down", value_parser = ["down", "up"], value_name = "WAY")]
    direction: String,
    /// Filter by type
    #[arg(short = 't', long = "type", value_name = "KIND", value_parser = args::parse_filter_value)]
    kind: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let bead = snapshot
        .resolve(&args.id)
        .with_context(|| format!("resolving {}", args.id))?;
    let kind = args.kind.as_deref().map(DepKind::from);
    let is_wanted = |edge: &Dep| kind.as_ref().is_none_or(|kind| *kind == edge.kind);
    let links: Vec<LinkedBead> = if args.direction == "up" {
        snapshot
            .dependents_of(&bead.id)
            .into_iter()
            .filter(|(_, edge)| is_wanted(edge))
            .map(|(holder, edge)| LinkedBead::new(holder.clone(), &edge.kind))
            .collect()
    } else {
        bead.dependencies
            .iter()
            .filter(|edge| is_wanted(edge))
            .filter_map(|edge| {
                let target = match snapshot.get_live(&edge.depends_on_id) {
                    Some(bead) => bead.clone(),
                    None => find_bead_elsewhere(ctx, &edge.depends_on_id)?,
                };
                Some(LinkedBead::new(target, &edge.kind))
            })
            .collect()
    };
    let id = bead.id.clone();
    let is_up = args.direction == "up";
    build_report(links, move |links, page| {
        let text = match (links.is_empty(), is_up) {
            (true, false) => format!("{id} has no dependencies"),
            (true, true) => format!("No issues depend on {id}"),
            (false, false) => format!("{id} depends on:"),
            (false, true) => format!("Issues that depend on {id}:"),
        };
        page.line(text);
        for LinkedBead { bead, kind } in links {
            let tail = format!(" [P{}] ({}) via {kind}", bead.priority, bead.status);
            let prefix = format!("  {}: ", page.style().cyan(&bead.id));
            line::write_fitted(page, &prefix, &bead.title, &tail);
        }
    })
}

/// Finds a bead of another rig of the town, by its id or as `external:<rig>:<id>`.
fn find_bead_elsewhere(ctx: &Context, target: &str) -> Option<Bead> {
    let id = match target.strip_prefix("external:") {
        Some(rest) => rest.split_once(':')?.1,
        None => target,
    };
    let here = ctx.project().ok()?;
    let dir = ctx.routes(&here.dir).dir_for(id)?;
    let snapshot = ctx.open(&dir).ok()?.snapshot().ok()?;
    snapshot.get_live(id).cloned()
}
