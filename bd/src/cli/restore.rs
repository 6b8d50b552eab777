use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::bead::{Bead, Stamp};
use crate::change::{self, Revived};
use crate::config::Config;
use crate::context::Context;
use crate::error::Usage;
use crate::store::event::{Lacking, Losses};
use crate::store::{ARCHIVE, Event, Store, StoreError};
use crate::sync::forward::{self, Behind, How};
use crate::ui::{Page, Report, counted, escape};

use super::merge;
use super::report::{Answer, plain_json};

/// Bring back what is no longer there: beads that were deleted or archived, or lost changes.
///
/// With ids alone those beads come back, from the archive or as they stood before they were deleted: with the edges that went along, where history has
/// the deletion, and with what was changed in them elsewhere. With --lost acknowledged changes: after `git reset --hard`, `git checkout` or `git stash` the file may be older than what was done. Nothing
/// comes back by itself. Beads that are gone, or older than where the store was last synced or than in HEAD, are taken from there as they are; then what was done in this clone and is not in them is done again, from history, also on beads that were edited since: a field that was edited stays as it is and is named.
/// Beads whose line git merged or somebody wrote elsewhere are named: whether they have what was done before cannot be told. Given by their ids, that is done again, too.
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
            "say what to restore: bd restore ID... for deleted and archived beads, or bd restore --lost [ID...]"
                .into(),
        )
        .into());
    }
    if !args.lost {
        return back(ctx, &args);
    }
    let store = ctx.store()?;
    let config = Config::load(Some(store.dir()), &ctx.env)?;
    // What others did, and what nobody here ever changed, only git's commits have.
    let mut behind = forward::behind(&store, &config).unwrap_or_else(|error| {
        let error = escape::line(&error.to_string());
        ctx.ui.warn(&format!(
            "what git's commits still have could not be looked at: {error}"
        ));
        BTreeMap::new()
    });
    let mut losses = store.lost_beside(&forward::lines(&behind))?;
    let ids = if args.ids.is_empty() {
        None
    } else {
        let is_known = |id: &str| behind.contains_key(id) || losses.lacking.contains_key(id);
        Some(asked(&store, &args.ids, is_known)?)
    };
    if let Some(ids) = &ids {
        behind.retain(|id, _| ids.contains(id));
    }
    if !args.dry_run && !behind.is_empty() {
        ctx.may_change("restore")?;
        let is_asked = |one: &Behind| behind.contains_key(&one.id);
        let brought = forward::bring(&store, &config, &ctx.clock, &ctx.random, &is_asked);
        ctx.tell_notices(&store);
        let brought = brought?;
        merge::tell(ctx, &brought.lost, &brought.notes);
        behind = brought.beads;
        losses = store.lost()?;
    }
    let mut restored = wanted(losses, behind, ids.as_ref(), args.dry_run);
    if ctx.ui.is_json() && !restored.untold.is_empty() {
        ctx.ui.warn(&untold_line(&restored.untold));
    }
    if !args.dry_run && restored.found.iter().any(|one| one.lacking.is_some()) {
        ctx.may_change("restore")?;
        store.transact(&ctx.author(), &ctx.clock, |tx| {
            for one in &mut restored.found {
                let Some(lacking) = &one.lacking else {
                    continue;
                };
                let done = change::redo(tx, &one.id, lacking).map_err(anyhow::Error::from);
                one.kept = done.map_err(|error| error.context(format!("restoring {}", one.id)))?;
            }
            Ok(())
        })?;
        ctx.tell_notices(&store);
    }
    Ok(Box::new(restored))
}

/// What is to be restored of what is lost, and of which of these beads nothing is.
fn wanted(
    losses: Losses,
    behind: BTreeMap<String, Behind>,
    ids: Option<&BTreeSet<String>>,
    dry_run: bool,
) -> Restored {
    let Losses {
        lacking: mut lost,
        mut untold,
    } = losses;
    if let Some(ids) = ids {
        lost.retain(|id, _| ids.contains(id));
        // Who asks for a bead by name knows what it should have.
        for (id, open) in std::mem::take(&mut untold) {
            if ids.contains(&id) {
                lost.entry(id)
                    .and_modify(|lacking| lacking.follow(&open))
                    .or_insert(open);
            }
        }
    }
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for (id, one) in behind {
        let found = found.entry(id.clone()).or_insert_with(|| Found::of(id));
        found.source = Some(one.source);
        found.is_merged = one.how == How::Apart;
    }
    for (id, lacking) in lost {
        let one = found.entry(id.clone()).or_insert_with(|| Found::of(id));
        one.lacking = Some(lacking);
    }
    let asked = ids.into_iter().flatten();
    let sound = asked.filter(|id| !found.contains_key(*id)).cloned();
    Restored {
        sound: sound.collect(),
        found: found.into_values().collect(),
        untold,
        dry_run,
    }
}

/// The full ids of beads whose lost changes are asked for.
fn asked(
    store: &Store,
    given: &[String],
    is_lost: impl Fn(&str) -> bool,
) -> anyhow::Result<BTreeSet<String>> {
    let snapshot = store.snapshot()?;
    let mut ids = BTreeSet::new();
    for id in given {
        // One that is in no file any more has no other name.
        let is_known = is_lost(id) || snapshot.head(id).is_some();
        ids.insert(if is_known {
            id.clone()
        } else {
            snapshot.resolve(id)?.id.clone()
        });
    }
    Ok(ids)
}

/// Brings beads back from the archive, and deleted ones to life.
fn back(ctx: &Context, args: &Args) -> Answer {
    let store = ctx.store_of(args.ids.first().map_or("", String::as_str))?;
    if args.dry_run {
        return Err(Usage("--dry-run goes with --lost".into()).into());
    }
    ctx.may_change("restore")?;
    let snapshot = store.snapshot()?;
    let is_there = |id: &str| snapshot.head(id).is_some() || snapshot.is_archived(id);
    let is_deleted = |id: &String| {
        let is_tombstone = snapshot.head(id).is_some_and(|head| head.is_tombstone());
        is_tombstone && !snapshot.is_archived(id)
    };
    let prefix = snapshot.prefix().unwrap_or_default();
    // As elsewhere an id may be given without its prefix; each once.
    let ids = args.ids.iter().map(|given| {
        let full = format!("{prefix}-{given}");
        if !is_there(given) && is_there(&full) {
            full
        } else {
            given.clone()
        }
    });
    let ids: BTreeSet<String> = ids.collect();
    let (deleted, archived): (Vec<String>, Vec<String>) = ids.into_iter().partition(is_deleted);
    for id in archived.iter().filter(|id| !is_there(id)) {
        refuse_removed(&store, id)?;
    }
    let mut back = Back::default();
    if !archived.is_empty() {
        let beads = store.unarchive(&ctx.author(), &ctx.clock, &archived);
        ctx.tell_notices(&store);
        back.archived = beads?;
    }
    if !deleted.is_empty() {
        let history = store.events()?;
        let revived = store.transact(&ctx.author(), &ctx.clock, |tx| {
            Ok(change::revive(tx, &deleted, &history)?)
        });
        ctx.tell_notices(&store);
        back.revived = revived?;
    }
    if ctx.ui.is_json() {
        for line in back.revived.iter().flat_map(remarks) {
            ctx.ui.warn(&line);
        }
    }
    Ok(Box::new(back))
}

/// Refuses a bead that was removed without a tombstone, naming what takes that back.
fn refuse_removed(store: &Store, id: &str) -> Result<(), StoreError> {
    let events = store.events_of(id)?;
    let changes = |event: &Event| {
        let mut changes = event.changes.iter();
        changes.any(|change| change.id == id && change.new.is_none())
    };
    let removal = events.into_iter().next_back().filter(changes);
    match removal {
        Some(event) if event.verb == ARCHIVE => Err(StoreError::LeftArchive(id.to_owned())),
        Some(event) => Err(StoreError::Removed {
            id: id.to_owned(),
            by: event.actor,
            event: event.id,
        }),
        None => Ok(()),
    }
}

/// What came back.
#[derive(Debug, Default)]
struct Back {
    archived: Vec<Bead>,
    revived: Vec<Revived>,
}

impl Report for Back {
    fn json(&self) -> Value {
        let revived = self.revived.iter().map(|revived| &revived.bead);
        self.archived
            .iter()
            .chain(revived)
            .map(plain_json)
            .collect()
    }

    fn human(&self, page: &mut Page) {
        for Bead { id, title, .. } in &self.archived {
            let line = format!("✓ Restored {id} from the archive: {title}");
            page.line(escape::line(&line));
        }
        for revived in &self.revived {
            let Bead {
                id, title, status, ..
            } = &revived.bead;
            let Bead {
                deleted_by,
                deleted_at,
                ..
            } = &revived.tombstone;
            let at = deleted_at.as_ref().map_or("", Stamp::as_str);
            let line =
                format!("✓ Restored {id}, which {deleted_by} deleted at {at} ({status}): {title}");
            page.line(escape::line(&line));
            for remark in remarks(revived) {
                page.line(format!("    {remark}"));
            }
        }
    }
}

/// What did not come back with a bead.
fn remarks(revived: &Revived) -> Vec<String> {
    let edges = revived.left_out.iter();
    let mut remarks: Vec<String> = edges
        .map(|edge| format!("not back: {}", escape::line(edge)))
        .collect();
    if !revived.is_known {
        let id = escape::line(&revived.bead.id);
        remarks.push(format!(
            "history here does not have the deletion of {id}: edges that went with it may not be back (bd dep add {id} ID)"
        ));
    }
    remarks
}

/// A bead and the changes it lacks.
#[derive(Debug)]
struct Found {
    id: String,
    /// Where it was newer, and is taken from.
    source: Option<String>,
    /// Whether it was merged with that, since it was changed here.
    is_merged: bool,
    /// Changes that are done again.
    lacking: Option<Lacking>,
    /// Fields that were edited since and stay as they are.
    kept: BTreeSet<String>,
}

impl Found {
    fn of(id: String) -> Self {
        Self {
            id,
            source: None,
            is_merged: false,
            lacking: None,
            kept: BTreeSet::new(),
        }
    }

    fn events(&self) -> &[Event] {
        self.lacking.as_ref().map_or(&[], |lacking| &lacking.events)
    }
}

/// What is said of beads of which it cannot be told.
fn untold_line(untold: &BTreeMap<String, Lacking>) -> String {
    let ids: Vec<&str> = untold.keys().map(String::as_str).collect();
    format!(
        "It cannot be told of {}: git merged that line or somebody wrote it elsewhere, with or without what was changed here before \
         (bd history ID shows that, bd restore --lost ID does it again where the fields are as they were before it)",
        escape::line(&ids.join(", "))
    )
}

#[derive(Debug)]
struct Restored {
    found: Vec<Found>,
    /// Beads that were asked for and lack nothing.
    sound: Vec<String>,
    /// Beads of which it cannot be told.
    untold: BTreeMap<String, Lacking>,
    dry_run: bool,
}

impl Report for Restored {
    fn json(&self) -> Value {
        let one = |found: &Found| {
            let events = found.events().iter();
            let events: Vec<&str> = events.map(|event| event.id.as_str()).collect();
            json!({
                "id": found.id, "from": found.source, "events": events,
                "restored": !self.dry_run, "kept": found.kept,
            })
        };
        self.found.iter().map(one).collect()
    }

    fn human(&self, page: &mut Page) {
        if !self.sound.is_empty() {
            let ids = escape::line(&self.sound.join(", "));
            page.line(format!(
                "Nothing is lost of {ids}: history knows of no change that is not there"
            ));
        } else if self.found.is_empty() {
            page.line(if self.untold.is_empty() {
                "Nothing is lost: the file has every change that history knows of"
            } else {
                "Nothing is lost that can be told"
            });
        }
        for found in &self.found {
            let mark = if self.dry_run {
                "would restore"
            } else {
                "✓ restored"
            };
            let count = found.events().len();
            let changes = (count > 0).then(|| counted(count, "change"));
            let how = if found.is_merged {
                "with what is in"
            } else {
                "as in"
            };
            let state = found.source.as_ref().map(|from| format!("{how} {from}"));
            let what: Vec<String> = state.into_iter().chain(changes).collect();
            let line = format!("{mark} {}: {}", found.id, what.join(", "));
            page.line(escape::line(&line));
            if !found.kept.is_empty() {
                let kept: Vec<&str> = found.kept.iter().map(String::as_str).collect();
                page.line(format!(
                    "    edited since, and left so: {} (what it was: bd history {})",
                    escape::line(&kept.join(", ")),
                    found.id
                ));
            }
        }
        if !self.untold.is_empty() {
            page.line(untold_line(&self.untold));
        }
    }
}
