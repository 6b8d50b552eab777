//! Chooses the store of a new bead.

use crate::context::Context;
use bd::store::Store;
use bd::store::find;
use kit::failure::UsageError;

use super::Args;

/// Returns the store for the new bead, and the name of its rig if --rig or --prefix chose it. The
/// store is that of --repo, --rig or --prefix (the own prefix needs no route), otherwise the one
/// that --id or --parent routes to, otherwise that of the working directory.
pub(super) fn choose_store(ctx: &Context, args: &Args) -> anyhow::Result<(Store, Option<String>)> {
    if let Some(folder) = &args.repo {
        let named = ctx.env.make_absolute(folder).join(".beads");
        let dir = find::follow_redirect(&named, &mut Vec::new());
        return Ok((ctx.open(&dir)?, None));
    }
    let name = args.rig.as_ref().or(args.prefix.as_ref());
    if args.rig.is_none()
        && args.prefix.as_ref().is_some_and(|prefix| {
            let own = ctx.store().and_then(|store| Ok(store.prefix()?));
            own.is_ok_and(|own| own == prefix.trim_end_matches('-'))
        })
    {
        return Ok((ctx.store()?, None));
    }
    if let Some(name) = name {
        let (store, rig) = store_of_rig(ctx, name)?;
        return Ok((store, Some(rig)));
    }
    let here = ctx.project()?;
    let routes = ctx.routes(&here.dir);
    let by_id = args.id.as_deref().or(args.parent.as_deref());
    let elsewhere = by_id.and_then(|id| routes.dir_for(id));
    match elsewhere.filter(|dir| *dir != here.dir) {
        Some(dir) => Ok((ctx.open(&dir)?, None)),
        None => Ok((ctx.store()?, None)),
    }
}

/// Returns the store of a rig, by the rig's name or prefix, and the rig's name.
pub(crate) fn store_of_rig(ctx: &Context, name: &str) -> anyhow::Result<(Store, String)> {
    let routes = ctx.routes(&ctx.project()?.dir);
    let (route, dir) = routes
        .route_of_rig(name)
        .and_then(|route| Some((route, routes.dir_of(route)?)))
        .ok_or_else(|| {
            UsageError(format!(
                "rig or prefix \"{name}\" not found in routes.jsonl"
            ))
        })?;
    Ok((ctx.open(&dir)?, route.rig().to_owned()))
}
