use anyhow::Context as _;
use serde_json::Value;

use crate::context::Context;
use crate::line;
use crate::report::linked_json;
use bd::bead::{Bead, DepKind};
use kit::cli::report::CommandResult;
use kit::ui::{Page, Report};

/// List the edges of a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// down: its dependencies; up: its dependents
    #[arg(long, default_value = "down", value_parser = ["down", "up"], value_name = "WAY")]
    direction: String,
    /// Only edges of this type
    #[arg(short = 't', long = "type", value_name = "KIND")]
    kind: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let bead = snapshot
        .resolve(&args.id)
        .with_context(|| format!("resolving {}", args.id))?;
    let kind = args.kind.as_deref().map(DepKind::from);
    let wanted = |candidate: &DepKind| kind.as_ref().is_none_or(|kind| kind == candidate);
    let links: Vec<(Bead, DepKind)> = if args.direction == "up" {
        let links = snapshot.dependents_of(&bead.id).into_iter();
        links
            .filter(|(_, edge)| wanted(&edge.kind))
            .map(|(holder, edge)| (holder.clone(), edge.kind.clone()))
            .collect()
    } else {
        let edges = bead.dependencies.iter().filter(|edge| wanted(&edge.kind));
        edges
            .filter_map(|edge| {
                let target = match snapshot.get_live(&edge.depends_on_id) {
                    Some(bead) => bead.clone(),
                    None => find_bead_elsewhere(ctx, &edge.depends_on_id)?,
                };
                Some((target, edge.kind.clone()))
            })
            .collect()
    };
    Ok(Box::new(DepListReport {
        id: bead.id.clone(),
        up: args.direction == "up",
        found: links,
    }))
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

/// The beads at the other ends of the edges.
#[derive(Debug)]
struct DepListReport {
    id: String,
    up: bool,
    found: Vec<(Bead, DepKind)>,
}

impl Report for DepListReport {
    fn json(&self) -> Value {
        self.found
            .iter()
            .map(|(bead, kind)| linked_json(bead, kind.as_str()))
            .collect()
    }

    fn human(&self, page: &mut Page) {
        let text = match (self.found.is_empty(), self.up) {
            (true, false) => format!("{} has no dependencies", self.id),
            (true, true) => format!("No issues depend on {}", self.id),
            (false, false) => format!("{} depends on:", self.id),
            (false, true) => format!("Issues that depend on {}:", self.id),
        };
        page.line(text);
        for (bead, kind) in &self.found {
            let tail = format!(" [P{}] ({}) via {kind}", bead.priority, bead.status);
            let prefix = format!("  {}: ", page.style().cyan(&bead.id));
            line::write_fitted(page, &prefix, &bead.title, &tail);
        }
    }
}
