//! `gt rescue restore`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bd::git::{Git, rescue};
use serde::Serialize;
use serde_json::json;

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::host::LiveTown;
use crate::record::polecat;
use crate::town::RigLayout;
use crate::town::lock::Lock;

/// Restore saved work to a working tree
///
/// It refuses to overwrite files that differ or are not committed, and to write to the sandbox of a worker at work. The
/// saved work of crew is in their own clones.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rescue ref
    #[arg(value_name = "REF")]
    reference: String,
    /// The working tree (default: the worker's own)
    #[arg(long)]
    into: Option<PathBuf>,
}

#[derive(Serialize)]
struct Restored {
    into: PathBuf,
    files: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let (rig, reference, home) = super::locate(&town, &args.reference)?;
    let into = match &args.into {
        Some(path) => ctx.env.cwd().join(path),
        None => {
            // refs/gt/<kind>/<rig>/<role>/<name>/…
            let mut parts = reference.split('/').skip(4);
            match (parts.next(), parts.next()) {
                (Some("polecats"), Some(name)) => rig.sandbox(name),
                (Some("crew"), Some(name)) => rig.crew(name),
                _ => anyhow::bail!("the ref does not say whose it is: name the tree with --into"),
            }
        }
    };
    anyhow::ensure!(
        into.is_dir(),
        "there is no working tree at {} (name one with --into)",
        into.display()
    );
    let _held = unless_at_work(&town, &into)?;
    let files = rescue::restore(&home, &Git::at(&into), &reference)?;
    town.tell(
        "rescue_restored",
        json!({ "rig": rig.name(), "ref": reference, "into": into, "files": files }),
    );
    answer(Restored { into, files }, |restored, page| {
        page.line(format!(
            "✓ {} files are back in {}",
            restored.files.len(),
            restored.into.display()
        ));
        for file in &restored.files {
            page.line(format!("  {}", bd::ui::escape::line(file)));
        }
    })
}

/// Refuses to write into the sandbox of a worker that is at work; else nobody starts one there meanwhile.
fn unless_at_work(town: &LiveTown, into: &Path) -> anyhow::Result<Option<Lock>> {
    let Some((rig, name)) = worker_of(town, into)? else {
        return Ok(None);
    };
    let address = format!("{}/{name}", rig.name());
    let lock = Lock::try_take(&rig.slot_lock(&name))
        .with_context(|| format!("{address} is just being given work or finishing it"))?;
    let beads = town.rig_store(&rig)?.snapshot()?;
    // Sessions that cannot be asked are not taken for ended.
    let sessions = town.host.list().ok();
    let all = polecat::all(&rig, &beads, sessions.as_deref());
    let Some(worker) = all.into_iter().find(|worker| worker.name == name) else {
        return Ok(Some(lock));
    };
    let runs = worker.session.is_some_and(|live| live.dead.is_none());
    let unasked = sessions.is_none() && worker.hook.is_some();
    let on = worker
        .hook
        .map_or_else(String::new, |bead| format!(" on {bead}"));
    anyhow::ensure!(
        !runs && !unasked,
        "{address} works{on} in {}: nothing was written. Bring it back into another working tree with --into PATH, or \
         wait until the worker is idle (gt polecat status {address})",
        into.display()
    );
    Ok(Some(lock))
}

/// The worker in whose sandbox a folder lies.
fn worker_of(town: &LiveTown, into: &Path) -> anyhow::Result<Option<(RigLayout, String)>> {
    let Ok(into) = into.canonicalize() else {
        return Ok(None);
    };
    for rig in town.rigs()? {
        let Ok(polecats) = rig.polecats().canonicalize() else {
            continue;
        };
        let name = into.strip_prefix(&polecats).ok();
        let name = name.and_then(|rest| rest.components().next());
        if let Some(name) = name {
            let name = name.as_os_str().to_string_lossy().into_owned();
            return Ok(Some((rig, name)));
        }
    }
    Ok(None)
}
