use std::collections::BTreeSet;

use serde_json::json;

use crate::context::Context;
use bd::bead::{Bead, id};
use bd::change::{self, NewIds};
use bd::config;
use bd::store::Snapshot;
use bd::store::archive::Archive;
use kit::failure::UsageError;
use kit::ui::counted;

use kit::cli::report::{CommandResult, TextReport};

/// Change the prefix of all beads
///
/// Updates the edges and texts that name a bead.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The new prefix
    #[arg(value_name = "PREFIX")]
    prefix: String,
    /// Report what would be done
    #[arg(long)]
    dry_run: bool,
    /// Also rename beads of other prefixes
    #[arg(long)]
    repair: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("rename-prefix")?;
    let new = args.prefix.trim_end_matches('-').to_owned();
    if new.is_empty() || !id::is_well_formed(&format!("{new}-a")) {
        return Err(UsageError(format!(
            "invalid prefix {:?}: use letters, digits, '-', '_' and '.'",
            args.prefix
        ))
        .into());
    }
    let store = ctx.store()?;
    let old = store.prefix()?;
    if old == new {
        return Err(UsageError(format!("the prefix is {new} already")).into());
    }
    let snapshot = store.snapshot()?;
    // After a crash between the rename and the setting, some beads have the new prefix.
    let (mut beads, others): (Vec<&Bead>, Vec<&Bead>) = snapshot
        .live()
        .filter(|bead| !is_renamed(&bead.id, &old, &new))
        .partition(|bead| has_prefix(&bead.id, &old));
    let foreign: Vec<String> = others.iter().map(|bead| bead.id.clone()).collect();
    beads.extend(others);
    let ids = plan_new_ids(&snapshot, &Archive::read(store.dir())?, &beads, &old, &new);
    if !foreign.is_empty() && !args.repair {
        let first = foreign
            .iter()
            .take(5)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        return Err(UsageError(format!("multiple prefixes found: {first} do not begin with {old}- (use --repair to rename them, too)")).into());
    }
    let count = ids.len();
    if !args.dry_run {
        if !ids.is_empty() {
            store.transact(&ctx.author(), &ctx.clock, |tx| {
                change::rename_beads(tx, &ids)?;
                tx.describe("rename", "");
                Ok(())
            })?;
        }
        config::set_setting(store.dir(), "issue-prefix", &new)?;
    }
    let value = json!({"old_prefix": old, "new_prefix": new, "issues_count": count, "dry_run": args.dry_run});
    let what = if args.dry_run {
        "Would rename"
    } else {
        "✓ Renamed"
    };
    let count = counted(count, "bead");
    TextReport::new(value, format!("{what} {count} from {old}- to {new}-")).into_answer()
}

/// Plans the new ids: a bead of the old prefix keeps the rest of its id, and so does any other bead
/// whose new id is free.
fn plan_new_ids(
    snapshot: &Snapshot,
    archive: &Archive,
    beads: &[&Bead],
    old: &str,
    new: &str,
) -> NewIds {
    let renamed: BTreeSet<&str> = beads.iter().map(|bead| bead.id.as_str()).collect();
    let is_taken = |id: &str, _: &Bead| {
        !renamed.contains(id) && (snapshot.get(id).is_some() || archive.has(id))
    };
    change::map_to_prefix(beads.iter().copied(), old, new, is_taken)
}

/// Returns true if an id has the new prefix already. One prefix may begin with the other.
fn is_renamed(id: &str, old: &str, new: &str) -> bool {
    let is_longer = new.len() > old.len() && id::prefix_of(id) == Some(new);
    has_prefix(id, new) && (is_longer || !has_prefix(id, old))
}

fn has_prefix(id: &str, prefix: &str) -> bool {
    id.strip_prefix(prefix)
        .is_some_and(|rest| rest.starts_with('-'))
}
