use std::collections::BTreeSet;

use super::rename::rename_references_elsewhere;
use crate::context::Context;
use bd::bead::{Bead, id};
use bd::change::{self, NewIds};
use bd::config;
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::ui::counted;

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
        kit::bail_usage!(
            "invalid prefix {:?}: use letters, digits, '-', '_' and '.'",
            args.prefix
        );
    }
    let store = ctx.store()?;
    let old = store.prefix()?;
    if old == new {
        kit::bail_usage!("the prefix is {new} already");
    }
    let count = if args.dry_run {
        let none = BTreeSet::new();
        plan_new_ids(&store.snapshot()?, &old, &new, args.repair, &none)?.len()
    } else {
        // The ids are chosen under the lock, so that no bead of another writer is left out.
        let rename_all = |done: &BTreeSet<String>| -> anyhow::Result<BTreeSet<String>> {
            let ids = store.transact(&ctx.author(), &ctx.clock, |tx| {
                let ids = plan_new_ids(tx, &old, &new, args.repair, done)?;
                if !ids.is_empty() {
                    change::rename_beads(tx, &ids)?;
                    tx.describe("rename", "");
                }
                Ok(ids)
            })?;
            if !ids.is_empty() {
                rename_references_elsewhere(ctx, &store, &ids)?;
            }
            Ok(ids.into_values().collect())
        };
        let done = rename_all(&BTreeSet::new())?;
        config::set_setting(store.dir(), "issue-prefix", &new)?;
        // Other writers used the old prefix until the setting changed.
        done.len() + rename_all(&done)?.len()
    };
    let line = format!("{} from {old}- to {new}-", counted(count, "bead"));
    let dry_run = args.dry_run;
    let report = kit::report_value! {
        old_prefix: old, new_prefix: new, issues_count: count, dry_run
    };
    if dry_run {
        return build_report(report, move |_, page| {
            page.line(format!("Would rename {line}"));
        });
    }
    build_confirmation(report, move |_, page| {
        page.line(format!("✓ Renamed {line}"));
    })
}

/// Plans the new ids: a bead of the old prefix keeps the rest of its id, and so does any other bead
/// whose new id is free. Beads with an id in `done` are renamed already.
fn plan_new_ids(
    snapshot: &Snapshot,
    old: &str,
    new: &str,
    repair: bool,
    done: &BTreeSet<String>,
) -> anyhow::Result<NewIds> {
    // After a crash between the rename and the setting, some beads have the new prefix.
    let (mut beads, others): (Vec<&Bead>, Vec<&Bead>) = snapshot
        .live()
        .filter(|bead| !done.contains(&bead.id) && !is_renamed(&bead.id, old, new))
        .partition(|bead| has_prefix(&bead.id, old));
    if !others.is_empty() && !repair {
        let first: Vec<&str> = others.iter().take(5).map(|bead| bead.id.as_str()).collect();
        kit::bail_usage!(
            "multiple prefixes found: {} do not begin with {old}- (use --repair to rename them, too)",
            first.join(", ")
        );
    }
    beads.extend(others);
    let renamed: BTreeSet<&str> = beads.iter().map(|bead| bead.id.as_str()).collect();
    Ok(change::map_to_prefix(
        beads.iter().copied(),
        old,
        new,
        |id, _| !renamed.contains(id) && (snapshot.get(id).is_some() || snapshot.is_archived(id)),
    ))
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
