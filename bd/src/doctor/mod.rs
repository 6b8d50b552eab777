//! The doctor: looks whether a store is sound, says what is wrong and the way out, and mends what it can
//! without losing anything.

mod journal;
mod pollution;
mod rescue;
mod sqlite;

use std::collections::BTreeSet;
use std::path::Path;

use crate::bead::{Bead, record};
use crate::change;
use crate::config::key;
use crate::git::Git;
use crate::store::paths::StorePaths;
use crate::store::{Author, Snapshot, Store, StoreError};
use kit::sys::Clock;
use kit::ui::counted;

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Ok,
    /// Not as it should be; nothing is lost by it.
    Warning,
    /// Wrong.
    Error,
}

impl Level {
    /// Its name in `--json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// How it stands.
    pub level: Level,
    /// What was seen.
    pub message: String,
    /// More of it, a line each.
    pub detail: Vec<String>,
    /// The way out.
    pub fix: Option<String>,
}

impl Check {
    fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self {
            name,
            level: Level::Ok,
            message: message.into(),
            detail: Vec::new(),
            fix: None,
        }
    }

    fn bad(
        name: &'static str,
        level: Level,
        message: impl Into<String>,
        detail: Vec<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            name,
            level,
            message: message.into(),
            detail,
            fix: Some(fix.into()),
        }
    }
}

/// Looks at everything.
pub fn examine(store: &Store, clock: &Clock) -> Result<Vec<Check>, StoreError> {
    let snapshot = store.snapshot()?;
    let mut checks = vec![
        lines(&snapshot, store.dir()),
        order(store)?,
        edges(&snapshot),
        circles(&snapshot),
        index(store)?,
        rollback(store)?,
        journal::check(store)?,
        sqlite::check(store.dir()),
        settings(&snapshot),
        // Not before the index was looked at: reading every line would find it wrong, and make it anew.
        values(&snapshot),
        merges(store),
    ];
    checks.extend(left_over(store, clock));
    Ok(checks)
}

/// Checks that are made only when they are asked for by name.
pub fn examine_more(store: &Store, name: &str) -> Result<Vec<Check>, StoreError> {
    Ok(if name == "pollution" {
        vec![pollution::check(&store.snapshot()?)]
    } else {
        Vec::new()
    })
}

/// Mends what can be mended; says what was done, a line each.
pub fn mend(store: &Store, author: &Author, clock: &Clock) -> anyhow::Result<Vec<String>> {
    let mut done = journal::mend(store, author, clock)?;
    let found = rescue::from_git(store)?;
    if !found.is_empty() {
        let ids = store.transact(author, clock, |tx| {
            let mut ids = Vec::new();
            for bead in found {
                if tx.get(&bead.id).is_none() {
                    ids.push(bead.id.clone());
                    tx.put(bead)?;
                }
            }
            tx.describe("restore", "");
            Ok(ids)
        })?;
        done.extend(
            ids.iter()
                .map(|id| format!("{id} is back, as git last had it")),
        );
    }
    if store.rewrite(clock)? {
        done.push(
            "issues.jsonl is rewritten: sorted, each id once; damaged lines are in damaged/".into(),
        );
    }
    if store.remove_wrong_index()? {
        done.push("the index was wrong and was rebuilt".into());
    }
    let removed = store.remove_leftovers(clock)?;
    if removed > 0 {
        done.push(format!(
            "{removed} unfinished files of killed commands are removed"
        ));
    }
    let git = Git::at(store.dir());
    if let Some(path) = tracked_path(store, &git)
        && !git.has_merge_driver(&path).unwrap_or(true)
    {
        git.install_merge_driver(&path)?;
        done.push("git merges the beads of this clone field by field".into());
    }
    Ok(done)
}

fn lines(snapshot: &Snapshot, dir: &Path) -> Check {
    let damaged = snapshot.damaged();
    if damaged.is_empty() {
        let beads = counted(snapshot.live_count(), "bead");
        return Check::ok("Lines", format!("{beads}, every line is readable"));
    }
    let detail = damaged
        .iter()
        .map(|line| {
            format!(
                "{}, line {}: {}",
                line.file.display(),
                line.line,
                line.reason
            )
        })
        .collect();
    // With the markers of a merge in it the file is written by nobody but who finishes the merge.
    let way_out = if snapshot.conflict().is_some() {
        crate::error::unmerged_hint(StorePaths::for_folder(dir).issues())
    } else {
        let kept = dir.join("damaged");
        format!(
            "bd doctor --fix brings back what git still has; the lines are kept in {}",
            kept.display()
        )
    };
    Check::bad(
        "Lines",
        Level::Error,
        format!("{} cannot be read", counted(damaged.len(), "line")),
        detail,
        way_out,
    )
}

fn order(store: &Store) -> Result<Check, StoreError> {
    Ok(if store.is_canonical()? {
        Check::ok("Order", "sorted by id, each id once")
    } else {
        Check::bad(
            "Order",
            Level::Warning,
            "the file is not sorted by id, so that merges by git are harder",
            Vec::new(),
            "bd doctor --fix rewrites it",
        )
    })
}

fn edges(snapshot: &Snapshot) -> Check {
    let mut dangling = Vec::new();
    let prefixes: BTreeSet<String> = snapshot
        .bead_refs()
        .filter_map(|head| crate::bead::id::route_prefix(head.id()).map(str::to_owned))
        .collect();
    for head in snapshot.bead_refs().filter(|head| !head.is_tombstone()) {
        for (_, target) in head.edges() {
            let is_own =
                crate::bead::id::route_prefix(target).is_some_and(|own| prefixes.contains(own));
            if is_own && !target.starts_with("external:") && !snapshot.is_taken(target) {
                dangling.push(format!("{} → {target}", head.id()));
            }
        }
    }
    if dangling.is_empty() {
        return Check::ok("Edges", "every edge leads to a bead");
    }
    Check::bad(
        "Edges",
        Level::Warning,
        format!(
            "{} edges lead to beads that are not there; they block nothing",
            dangling.len()
        ),
        dangling,
        "bd dep remove FROM TO takes an edge away",
    )
}

fn circles(snapshot: &Snapshot) -> Check {
    match change::find_cycle(snapshot) {
        None => Check::ok("Circles", "no bead waits for itself"),
        Some(circle) => Check::bad(
            "Circles",
            Level::Error,
            "beads wait for each other in a circle",
            vec![circle.join(" → ")],
            "bd dep remove takes one of the edges away",
        ),
    }
}

/// Values of the wrong kind: they are kept, and the field counts as not given.
fn values(snapshot: &Snapshot) -> Check {
    let odd = |bead: &Bead| -> Vec<String> {
        let fields = bead.extra.iter();
        let odd = fields.filter(|(key, _)| record::KEYS.contains(&key.as_str()));
        odd.map(|(key, _)| format!("{}: {key}", bead.id)).collect()
    };
    let found: Vec<String> = snapshot.all().flat_map(odd).collect();
    if found.is_empty() {
        return Check::ok("Values", "every known field has a value of its kind");
    }
    let message = format!(
        "{} fields have a value of another kind, which counts as none",
        found.len()
    );
    let fix = "bd update ID gives the field a value; the old one stays in the line until then";
    Check::bad("Values", Level::Warning, message, found, fix)
}

fn index(store: &Store) -> Result<Check, StoreError> {
    Ok(if store.is_index_correct()? {
        Check::ok("Index", "it says what the files say")
    } else {
        Check::bad(
            "Index",
            Level::Error,
            "it does not say what the files say",
            Vec::new(),
            "bd doctor --fix rebuilds it",
        )
    })
}

/// What a rollback of the issues took.
fn rollback(store: &Store) -> Result<Check, StoreError> {
    let left = store.rolled_back()?;
    let ids: BTreeSet<String> = left.into_iter().map(|one| one.id).collect();
    if ids.is_empty() {
        return Ok(Check::ok("Rollback", "no change waits for a decision"));
    }
    Ok(Check::bad(
        "Rollback",
        Level::Warning,
        format!(
            "the file was rolled back, and changes to {} are not in it",
            counted(ids.len(), "bead")
        ),
        ids.into_iter().collect(),
        "`bd restore --lost` brings them back, `bd restore --discard` accepts the older state",
    ))
}

/// Settings of the files that have a value they do not take.
fn settings(snapshot: &Snapshot) -> Check {
    let stored = snapshot.config().stored();
    let odd = stored.iter().filter_map(|(name, setting)| {
        let wanted = key::find_expectation(name, &setting.value)?;
        Some(format!("{name} takes {wanted}, not {:?}", setting.value))
    });
    let odd: Vec<String> = odd.collect();
    if odd.is_empty() {
        return Check::ok("Settings", "each has a value that it takes");
    }
    Check::bad(
        "Settings",
        Level::Warning,
        "some have a value that they do not take",
        odd,
        "`bd config set NAME VALUE`",
    )
}

/// The path of the issues in the work tree, where git tracks them or would.
fn tracked_path(store: &Store, git: &Git) -> Option<String> {
    let prefix = git.prefix().ok()?;
    let name = store
        .issues_file()
        .file_name()?
        .to_string_lossy()
        .into_owned();
    Some(format!("{prefix}{name}"))
}

fn merges(store: &Store) -> Check {
    let git = Git::at(store.dir());
    let Some(path) = tracked_path(store, &git) else {
        return Check::ok("Merges", "not in a git work tree");
    };
    let name = path.rsplit('/').next().unwrap_or(&path);
    if git.is_unmerged(name).unwrap_or(false) {
        return Check::bad(
            "Merges",
            Level::Error,
            "git has two sides of issues.jsonl: a merge of it is not finished, and the file may be one side only",
            Vec::new(),
            "bd merge --unmerged brings both together, by field",
        );
    }
    match git.has_merge_driver(&path) {
        Ok(true) => Check::ok("Merges", "git merges beads field by field"),
        Ok(false) => Check::bad(
            "Merges",
            Level::Warning,
            "git merges issues.jsonl line by line in this clone",
            Vec::new(),
            "bd merge --install",
        ),
        Err(error) => Check::bad(
            "Merges",
            Level::Warning,
            format!("git cannot be asked: {error}"),
            Vec::new(),
            "see that git runs here",
        ),
    }
}

/// What killed processes left behind.
fn left_over(store: &Store, clock: &Clock) -> Option<Check> {
    let found = store.find_leftovers(clock);
    let names = found.iter().map(|path| path.display().to_string());
    (!found.is_empty()).then(|| {
        Check::bad(
            "Left over",
            Level::Warning,
            format!(
                "{} unfinished files of killed commands, of no use",
                found.len()
            ),
            names.collect(),
            "bd doctor --fix removes them",
        )
    })
}
