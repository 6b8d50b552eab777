//! Points from the town's own beads to those of its rigs.

use bd::store::route::{Route, Routes, find_town_root};

use kit::ui::escape::escape_line;

use crate::context::Context;

/// Prints how to list the beads of a rig if a list of the town's own beads is empty.
pub(super) fn hint_lists_of_rigs(ctx: &Context) {
    let rigs = list_rigs_of_town(ctx);
    if rigs.is_empty() || ctx.ui.is_json() {
        return;
    }
    ctx.ui
        .status("Hint: these are the town's own beads. Each rig has its own:");
    for rig in rigs {
        ctx.ui
            .status(&format!("  bd list --rig {}", escape_line(&rig)));
    }
}

/// Prints how to make a bead of a rig if a new bead belongs to the town itself.
pub(super) fn hint_rig_of_new_bead(ctx: &Context, id: &str) {
    let rigs = list_rigs_of_town(ctx);
    let rig = match rigs.as_slice() {
        [] => return,
        [rig] => rig,
        _ => "RIG",
    };
    // An agent of the town makes such beads on purpose.
    if !ctx.ui.is_json() && ctx.env.get("GT_ROLE").is_none() {
        ctx.ui.status(&format!(
            "Hint: {id} belongs to the town, so no worker of a rig can take it. For a bead of a rig:\n  \
             bd create --rig {} TITLE",
            escape_line(rig)
        ));
    }
}

/// Returns the address of the polecat or crew member with this name or RIG/NAME, if the command is in
/// a town and only one worker has the name.
pub(super) fn find_worker_address(ctx: &Context, worker: &str) -> Option<String> {
    let (rig, name) = match worker.split_once('/') {
        Some((rig, name)) => (Some(rig), name),
        None => (None, worker),
    };
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if name.is_empty() || !is_name {
        return None;
    }
    let town = find_town_root(ctx.env.cwd())?;
    let routes = Routes::load(&town);
    let mut rigs: Vec<&str> = routes.all().iter().map(Route::rig).collect();
    rigs.sort_unstable();
    rigs.dedup();
    let mut addresses = rigs
        .into_iter()
        .filter(|known| rig.is_none_or(|rig| rig == *known))
        .flat_map(|rig| ["polecats", "crew"].map(|folder| format!("{rig}/{folder}/{name}")))
        .filter(|address| town.join(address).is_dir());
    let address = addresses.next()?;
    addresses.next().is_none().then_some(address)
}

/// Returns the rigs if the command is in the root of a town and uses the town's own beads.
fn list_rigs_of_town(ctx: &Context) -> Vec<String> {
    let Some(town) = find_town_root(ctx.env.cwd()) else {
        return Vec::new();
    };
    let Ok(project) = ctx.project() else {
        return Vec::new();
    };
    let is_root = ctx.env.cwd() == town && project.dir == town.join(".beads");
    let routes = ctx.routes(&project.dir);
    let mut rigs: Vec<String> = routes
        .all()
        .iter()
        .filter(|route| is_root && route.path != "." && routes.dir_of(route).is_some())
        .map(|route| route.rig().to_owned())
        .collect();
    rigs.dedup();
    rigs
}
