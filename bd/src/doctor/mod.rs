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
pub enum CheckLevel {
    /// As it should be.
    Ok,
    /// Not as it should be; nothing is lost by it.
    Warning,
    /// Wrong.
    Error,
}

impl CheckLevel {
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
pub struct DoctorCheck {
    /// What.
    pub name: &'static str,
    /// How it stands.
    pub level: CheckLevel,
    /// What was seen.
    pub message: String,
    /// More of it, a line each.
    pub detail: Vec<String>,
    /// The way out.
    pub fix: Option<String>,
}

impl DoctorCheck {
    fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self {
            name,
            level: CheckLevel::Ok,
            message: message.into(),
            detail: Vec::new(),
            fix: None,
        }
    }

    fn bad(
        name: &'static str,
        level: CheckLevel,
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
pub fn examine_store(store: &Store, clock: &Clock) -> Result<Vec<DoctorCheck>, StoreError> {
    let snapshot = store.snapshot()?;
    let mut checks = vec![
        check_lines(&snapshot, store.dir()),
        check_order(store)?,
        check_edges(&snapshot),
        check_cycles(&snapshot),
        check_index(store)?,
        check_rollback(store)?,
        journal::check_journal(store)?,
        sqlite::check_sqlite(store.dir()),
        check_settings(&snapshot),
        // Not before the index was looked at: reading every line would find it wrong, and make it anew.
        check_values(&snapshot),
        check_merge_driver(store),
    ];
    checks.extend(check_leftovers(store, clock));
    Ok(checks)
}

/// Checks that are made only when they are asked for by name.
pub fn examine_more(store: &Store, name: &str) -> Result<Vec<DoctorCheck>, StoreError> {
    Ok(if name == "pollution" {
        vec![pollution::check_pollution(&store.snapshot()?)]
    } else {
        Vec::new()
    })
}

/// Mends what can be mended; says what was done, a line each.
pub fn repair_store(store: &Store, author: &Author, clock: &Clock) -> anyhow::Result<Vec<String>> {
    let mut done = journal::repair_journal(store, author, clock)?;
    let found = rescue::recover_from_git(store)?;
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

fn check_lines(snapshot: &Snapshot, dir: &Path) -> DoctorCheck {
    let damaged = snapshot.damaged();
    if damaged.is_empty() {
        let beads = counted(snapshot.live_count(), "bead");
        return DoctorCheck::ok("Lines", format!("{beads}, every line is readable"));
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
    DoctorCheck::bad(
        "Lines",
        CheckLevel::Error,
        format!("{} cannot be read", counted(damaged.len(), "line")),
        detail,
        way_out,
    )
}

fn check_order(store: &Store) -> Result<DoctorCheck, StoreError> {
    Ok(if store.is_canonical()? {
        DoctorCheck::ok("Order", "sorted by id, each id once")
    } else {
        DoctorCheck::bad(
            "Order",
            CheckLevel::Warning,
            "the file is not sorted by id, so that merges by git are harder",
            Vec::new(),
            "bd doctor --fix rewrites it",
        )
    })
}

fn check_edges(snapshot: &Snapshot) -> DoctorCheck {
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
        return DoctorCheck::ok("Edges", "every edge leads to a bead");
    }
    DoctorCheck::bad(
        "Edges",
        CheckLevel::Warning,
        format!(
            "{} edges lead to beads that are not there; they block nothing",
            dangling.len()
        ),
        dangling,
        "bd dep remove FROM TO takes an edge away",
    )
}

fn check_cycles(snapshot: &Snapshot) -> DoctorCheck {
    match change::find_cycle(snapshot) {
        None => DoctorCheck::ok("Circles", "no bead waits for itself"),
        Some(circle) => DoctorCheck::bad(
            "Circles",
            CheckLevel::Error,
            "beads wait for each other in a circle",
            vec![circle.join(" → ")],
            "bd dep remove takes one of the edges away",
        ),
    }
}

/// Values of the wrong kind: they are kept, and the field counts as not given.
fn check_values(snapshot: &Snapshot) -> DoctorCheck {
    let odd = |bead: &Bead| -> Vec<String> {
        let fields = bead.extra.iter();
        let odd = fields.filter(|(key, _)| record::KEYS.contains(&key.as_str()));
        odd.map(|(key, _)| format!("{}: {key}", bead.id)).collect()
    };
    let found: Vec<String> = snapshot.all().flat_map(odd).collect();
    if found.is_empty() {
        return DoctorCheck::ok("Values", "every known field has a value of its kind");
    }
    let message = format!(
        "{} fields have a value of another kind, which counts as none",
        found.len()
    );
    let fix = "bd update ID gives the field a value; the old one stays in the line until then";
    DoctorCheck::bad("Values", CheckLevel::Warning, message, found, fix)
}

fn check_index(store: &Store) -> Result<DoctorCheck, StoreError> {
    Ok(if store.is_index_correct()? {
        DoctorCheck::ok("Index", "it says what the files say")
    } else {
        DoctorCheck::bad(
            "Index",
            CheckLevel::Error,
            "it does not say what the files say",
            Vec::new(),
            "bd doctor --fix rebuilds it",
        )
    })
}

/// What a rollback of the issues took.
fn check_rollback(store: &Store) -> Result<DoctorCheck, StoreError> {
    let left = store.rolled_back()?;
    let ids: BTreeSet<String> = left.into_iter().map(|one| one.id).collect();
    if ids.is_empty() {
        return Ok(DoctorCheck::ok(
            "Rollback",
            "no change waits for a decision",
        ));
    }
    Ok(DoctorCheck::bad(
        "Rollback",
        CheckLevel::Warning,
        format!(
            "the file was rolled back, and changes to {} are not in it",
            counted(ids.len(), "bead")
        ),
        ids.into_iter().collect(),
        "`bd restore --lost` brings them back, `bd restore --discard` accepts the older state",
    ))
}

/// Settings of the files that have a value they do not take.
fn check_settings(snapshot: &Snapshot) -> DoctorCheck {
    let stored = snapshot.config().stored();
    let odd = stored.iter().filter_map(|(name, setting)| {
        let wanted = key::find_expectation(name, &setting.value)?;
        Some(format!("{name} takes {wanted}, not {:?}", setting.value))
    });
    let odd: Vec<String> = odd.collect();
    if odd.is_empty() {
        return DoctorCheck::ok("Settings", "each has a value that it takes");
    }
    DoctorCheck::bad(
        "Settings",
        CheckLevel::Warning,
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

fn check_merge_driver(store: &Store) -> DoctorCheck {
    let git = Git::at(store.dir());
    let Some(path) = tracked_path(store, &git) else {
        return DoctorCheck::ok("Merges", "not in a git work tree");
    };
    let name = path.rsplit('/').next().unwrap_or(&path);
    if git.is_unmerged(name).unwrap_or(false) {
        return DoctorCheck::bad(
            "Merges",
            CheckLevel::Error,
            "git has two sides of issues.jsonl: a merge of it is not finished, and the file may be one side only",
            Vec::new(),
            "bd merge --unmerged brings both together, by field",
        );
    }
    match git.has_merge_driver(&path) {
        Ok(true) => DoctorCheck::ok("Merges", "git merges beads field by field"),
        Ok(false) => DoctorCheck::bad(
            "Merges",
            CheckLevel::Warning,
            "git merges issues.jsonl line by line in this clone",
            Vec::new(),
            "bd merge --install",
        ),
        Err(error) => DoctorCheck::bad(
            "Merges",
            CheckLevel::Warning,
            format!("git cannot be asked: {error}"),
            Vec::new(),
            "see that git runs here",
        ),
    }
}

/// What killed processes left behind.
fn check_leftovers(store: &Store, clock: &Clock) -> Option<DoctorCheck> {
    let found = store.find_leftovers(clock);
    let names = found.iter().map(|path| path.display().to_string());
    (!found.is_empty()).then(|| {
        DoctorCheck::bad(
            "Left over",
            CheckLevel::Warning,
            format!(
                "{} unfinished files of killed commands, of no use",
                found.len()
            ),
            names.collect(),
            "bd doctor --fix removes them",
        )
    })
}
