use std::path::Path;

use anyhow::Context as _;

use crate::args;
use crate::context::Context;
use bd::bead::DepKind;
use bd::change;
use bd::graph::external;
use bd::store::Tx;
use kit::cli::report::{CommandResult, build_confirmation};
use kit::failure::UsageError;

/// Make a bead depend on another
///
/// The other may be a capability of another project, `external:<project>:<capability>`, or a bead
/// of another rig of the town.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The dependent bead
    #[arg(value_name = "ID")]
    from: String,
    /// The bead it depends on
    #[arg(value_name = "ON")]
    to: Option<String>,
    /// The bead it waits for
    #[arg(long, value_name = "ID", conflicts_with = "to")]
    blocked_by: Option<String>,
    /// The bead it depends on
    #[arg(long, value_name = "ID", conflicts_with_all = ["to", "blocked_by"])]
    depends_on: Option<String>,
    /// The type of the edge: blocks, parent-child, conditional-blocks, waits-for, related,
    /// discovered-from, tracks
    #[arg(
        short = 't',
        long = "type",
        default_value = "blocks",
        value_name = "KIND"
    )]
    kind: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let to = args
        .to
        .or(args.blocked_by)
        .or(args.depends_on)
        .ok_or_else(|| UsageError("dependency target is required: bd dep add ID ON".into()))?;
    if args.kind.is_empty() || args.kind.len() > 50 {
        kit::bail_usage!("invalid dependency type \"{}\"", args.kind);
    }
    let kind = DepKind::from(args.kind.as_str());
    let (from, to) = link_beads(ctx, &args.from, &to, kind.clone())?;
    args::hint_custom_dep_kind(ctx, &kind);
    let edge = kit::report_value! {
        status: "added", issue_id: from, depends_on_id: to, r#type: kind
    };
    build_confirmation(edge, |edge, page| {
        let from = &edge.issue_id;
        let to = &edge.depends_on_id;
        page.line(format!(
            "✓ Added dependency: {from} depends on {to} ({})",
            edge.r#type
        ));
    })
}

/// Adds an edge between two beads by their partial ids, and returns their full ids.
pub(crate) fn link_beads(
    ctx: &Context,
    from: &str,
    to: &str,
    kind: DepKind,
) -> anyhow::Result<(String, String)> {
    ctx.check_writable("dep add")?;
    check_external(to)?;
    let store = ctx.store_for_id(from)?;
    let routes = ctx.routes(store.dir());
    store.transact(&ctx.author(), &ctx.clock, |tx| {
        let from = resolve_dep_end(tx, from, "issue")?;
        let to = match resolve_dep_end(tx, to, "dependency") {
            Ok(id) => id,
            Err(error) => find_external_ref(ctx, store.dir(), to)?.ok_or(error)?,
        };
        if kind == DepKind::Blocks
            && let Some(mut path) =
                external::find_path_across_rigs(&routes, &ctx.reports, &to, &from)
            && path.iter().any(|id| tx.get(id).is_none())
        {
            path.insert(0, from.clone());
            return Err(change::ChangeError::Cycle { path }.into());
        }
        change::add_dep(tx, &from, &to, kind)?;
        Ok((from, to))
    })
}

/// Returns the reference to a bead of another rig, `external:<rig>:<id>`, if routing leads to that
/// rig. If the rig can be read, the bead must exist.
pub(crate) fn find_external_ref(
    ctx: &Context,
    current_dir: &Path,
    id: &str,
) -> anyhow::Result<Option<String>> {
    let routes = ctx.routes(current_dir);
    let prefix = bd::bead::id::route_prefix(id);
    let route = prefix.and_then(|prefix| routes.all().iter().find(|route| route.prefix == prefix));
    let Some(route) = route else {
        return Ok(None);
    };
    let Some(dir) = routes
        .dir_of(route)
        .filter(|dir| dir != current_dir && dir.is_dir())
    else {
        return Ok(None);
    };
    let name = if route.path == "." { "hq" } else { route.rig() };
    let beads = ctx.open(&dir).and_then(|store| store.snapshot());
    anyhow::ensure!(
        beads.is_err() || beads.is_ok_and(|beads| beads.get(id).is_some()),
        "there is no bead {id} in {name}: not found"
    );
    Ok(Some(format!("external:{name}:{id}")))
}

/// Resolves a partial id. An external reference is returned unchanged.
pub(crate) fn resolve_dep_end(tx: &Tx<'_>, given: &str, role: &str) -> anyhow::Result<String> {
    if given.starts_with("external:") {
        return Ok(given.to_owned());
    }
    let bead = tx
        .resolve(given)
        .with_context(|| format!("resolving {role} ID {given}"))?;
    Ok(bead.id.clone())
}

fn check_external(to: &str) -> Result<(), UsageError> {
    let Some(rest) = to.strip_prefix("external:") else {
        return Ok(());
    };
    match rest.split_once(':') {
        Some((project, capability)) if !project.is_empty() && !capability.is_empty() => Ok(()),
        _ => Err(UsageError(format!(
            "invalid external reference \"{to}\": use external:<project>:<capability>"
        ))),
    }
}
