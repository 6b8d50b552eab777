use serde_json::{Value, json};

use crate::change;
use crate::context::Context;
use crate::error::Usage;
use crate::store::Event;
use crate::ui::{Page, Report};

use super::report::{Answer, Changed};

/// Bring back what is no longer in the file: lost changes, or beads from the archive.
///
/// With ids alone those beads come back from the archive. With --lost acknowledged changes: after `git reset --hard`, `git checkout` or `git stash` the file may be older than what was done. Nothing
/// comes back by itself; this does those changes again, from history.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Do lost changes again
    #[arg(long)]
    lost: bool,
    /// These beads
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only show them
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    if !args.lost && args.ids.is_empty() {
        return Err(Usage(
            "say what to restore: bd restore ID... from the archive, or bd restore --lost [ID...]"
                .into(),
        )
        .into());
    }
    if !args.lost {
        return from_archive(ctx, &args);
    }
    let store = ctx.store()?;
    let mut lost = store.lost()?;
    if !args.ids.is_empty() {
        lost.retain(|id, _| args.ids.contains(id));
    }
    let found: Vec<Found> = lost
        .into_iter()
        .map(|(id, events)| Found { id, events })
        .collect();
    if !args.dry_run && !found.is_empty() {
        ctx.may_change("restore")?;
        store.transact(&ctx.author(), &ctx.clock, |tx| {
            for one in &found {
                let events: Vec<Event> =
                    one.events.iter().map(|event| event.only(&one.id)).collect();
                let events: Vec<&Event> = events.iter().collect();
                let done = change::redo(tx, &events).map_err(anyhow::Error::from);
                done.map_err(|error| error.context(format!("restoring {}", one.id)))?;
            }
            Ok(())
        })?;
        ctx.tell_notices(&store);
    }
    Ok(Box::new(Restored {
        found,
        dry_run: args.dry_run,
    }))
}

fn from_archive(ctx: &Context, args: &Args) -> Answer {
    let store = ctx.store_of(args.ids.first().map_or("", String::as_str))?;
    if args.dry_run {
        return Err(Usage("--dry-run goes with --lost".into()).into());
    }
    ctx.may_change("restore")?;
    let beads = store.unarchive(&ctx.author(), &ctx.clock, &args.ids);
    ctx.tell_notices(&store);
    Ok(Box::new(Changed {
        beads: beads?,
        line: |bead| format!("✓ Restored {} from the archive: {}", bead.id, bead.title),
    }))
}

/// A bead and the changes it lacks.
#[derive(Debug)]
struct Found {
    id: String,
    events: Vec<Event>,
}

#[derive(Debug)]
struct Restored {
    found: Vec<Found>,
    dry_run: bool,
}

impl Report for Restored {
    fn json(&self) -> Value {
        let one = |found: &Found| {
            let events: Vec<&str> = found.events.iter().map(|event| event.id.as_str()).collect();
            json!({"id": found.id, "events": events, "restored": !self.dry_run})
        };
        self.found.iter().map(one).collect()
    }

    fn human(&self, page: &mut Page) {
        if self.found.is_empty() {
            page.line("Nothing is lost: the file has every change that history knows of");
            return;
        }
        for found in &self.found {
            let mark = if self.dry_run {
                "would restore"
            } else {
                "✓ restored"
            };
            let count = found.events.len();
            let word = if count == 1 { "change" } else { "changes" };
            page.line(format!("{mark} {}: {count} {word}", found.id));
        }
    }
}
