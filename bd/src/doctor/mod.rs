//! The doctor: examines a store, reports each problem with its fix, and repairs problems if no data
//! can be lost by it.

mod journal;
mod pollution;
mod rescue;
mod sqlite;

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Serialize, Serializer};

use crate::bead::record;
use crate::change;
use crate::git::Git;
use crate::store::create;
use crate::store::paths::StorePaths;
use crate::store::{Author, Snapshot, Store, StoreError};
use kit::sys::Clock;
use kit::ui::counted;

/// The severity of a check's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckLevel {
    Ok,
    /// A problem that loses no data.
    Warning,
    Error,
}

/// The result of one check.
#[derive(Debug, Clone, Serialize)]
pub struct DoctorCheck {
    pub name: &'static str,
    #[serde(rename = "status")]
    pub level: CheckLevel,
    pub message: String,
    /// Details, one line each.
    #[serde(serialize_with = "serialize_joined")]
    pub detail: Vec<String>,
    pub fix: Option<String>,
}

fn serialize_joined<S: Serializer>(lines: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&lines.join("\n"))
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

/// Runs all checks.
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
        // These run after the check of the index. Reading every line would detect a wrong index and
        // rebuild it.
        check_values(&snapshot),
        check_merge_driver(store),
    ];
    checks.extend(check_line_ends(store)?);
    checks.extend(check_leftovers(store, clock));
    Ok(checks)
}

/// Runs a check that is only run when requested by name.
pub fn examine_more(store: &Store, name: &str) -> Result<Vec<DoctorCheck>, StoreError> {
    Ok(if name == "pollution" {
        vec![pollution::check_pollution(&store.snapshot()?)]
    } else {
        Vec::new()
    })
}

/// Repairs the problems that can be repaired, and describes each repair in one line.
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
            "removed {} of killed commands",
            counted(removed, "unfinished file")
        ));
    }
    let git = Git::at(store.dir());
    if let Some(path) = tracked_path(store, &git)
        && !git.has_merge_driver(&path).unwrap_or(true)
    {
        git.install_merge_driver(&path)?;
        done.push("git merges the beads of this clone field by field".into());
    }
    if !create::has_odd_attributes(store.dir()) && create::may_change_line_ends(store.dir())? {
        create::keep_line_ends(store.dir())?;
        done.push("git keeps the line ends of beads; commit .beads/.gitattributes".into());
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
    // Only the user who resolves the merge may write a file with conflict markers.
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
            "the file is not sorted by id, which makes merges by git harder",
            Vec::new(),
            "bd doctor --fix rewrites it",
        )
    })
}

fn check_edges(snapshot: &Snapshot) -> DoctorCheck {
    let mut dangling = Vec::new();
    let prefixes: BTreeSet<String> = snapshot
        .bead_refs()
        .filter_map(|bead| crate::bead::id::route_prefix(bead.id()).map(str::to_owned))
        .collect();
    for bead in snapshot.bead_refs().filter(|head| !head.is_tombstone()) {
        for (_, target) in bead.edges() {
            let is_own = crate::bead::id::route_prefix(target)
                .is_some_and(|prefix| prefixes.contains(prefix));
            if is_own && !target.starts_with("external:") && !snapshot.is_taken(target) {
                dangling.push(format!("{} → {target}", bead.id()));
            }
        }
    }
    if dangling.is_empty() {
        return DoctorCheck::ok("Edges", "every edge leads to an existing bead");
    }
    DoctorCheck::bad(
        "Edges",
        CheckLevel::Warning,
        format!(
            "{} to beads that do not exist; they block nothing",
            counted(dangling.len(), "edge")
        ),
        dangling,
        "`bd dep remove FROM TO` removes one",
    )
}

fn check_cycles(snapshot: &Snapshot) -> DoctorCheck {
    match change::find_cycle(snapshot) {
        None => DoctorCheck::ok("Circles", "no bead blocks itself"),
        Some(circle) => DoctorCheck::bad(
            "Circles",
            CheckLevel::Error,
            "beads block each other in a cycle",
            vec![circle.join(" → ")],
            "`bd dep remove FROM TO` removes a dependency of the cycle",
        ),
    }
}

/// Reports values of the wrong type. They are preserved, and count as absent.
fn check_values(snapshot: &Snapshot) -> DoctorCheck {
    let mut found = Vec::new();
    for bead in snapshot.all() {
        let id = &bead.id;
        for (key, _) in &bead.extra {
            if record::KEYS.contains(&key.as_str()) {
                found.push(format!("{id}: {key}"));
            }
        }
        for element in &bead.foreign {
            found.push(format!("{id}: {} in {}", element.raw.get(), element.list));
        }
    }
    if found.is_empty() {
        return DoctorCheck::ok("Values", "every known field has a value of its type");
    }
    let message = format!(
        "{} of the wrong type, which count as absent",
        counted(found.len(), "value")
    );
    let fix = "nothing is lost: the values stay in their lines; `bd update ID` replaces a field, elements of lists stay";
    DoctorCheck::bad("Values", CheckLevel::Warning, message, found, fix)
}

fn check_index(store: &Store) -> Result<DoctorCheck, StoreError> {
    Ok(if store.is_index_correct()? {
        DoctorCheck::ok("Index", "agrees with the files")
    } else {
        DoctorCheck::bad(
            "Index",
            CheckLevel::Error,
            "disagrees with the files",
            Vec::new(),
            "bd doctor --fix rebuilds it",
        )
    })
}

/// Reports the lines that a rollback of the issues file removed.
fn check_rollback(store: &Store) -> Result<DoctorCheck, StoreError> {
    let left = store.rolled_back()?;
    let ids: BTreeSet<String> = left.into_iter().map(|change| change.id).collect();
    if ids.is_empty() {
        return Ok(DoctorCheck::ok(
            "Rollback",
            "no rolled-back change waits for a decision",
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

/// Reports settings that have no effect or an unexpected one.
fn check_settings(snapshot: &Snapshot) -> DoctorCheck {
    let problems = snapshot.config().find_problems();
    if problems.is_empty() {
        return DoctorCheck::ok("Settings", "every value is valid");
    }
    DoctorCheck::bad(
        "Settings",
        CheckLevel::Warning,
        "some settings are not valid",
        problems,
        "`bd config set NAME VALUE`",
    )
}

/// Returns the path of the issues file in the work tree, if git tracks or would track it.
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
            "a merge of issues.jsonl is not finished, and the file may hold one side only",
            Vec::new(),
            "`bd merge --unmerged` merges both sides field by field",
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
            format!("git does not answer: {error}"),
            Vec::new(),
            "check that git runs in this folder",
        ),
    }
}

/// Reports attributes that let git change the line ends of beads.
fn check_line_ends(store: &Store) -> Result<Option<DoctorCheck>, StoreError> {
    if create::has_odd_attributes(store.dir()) {
        return Ok(Some(DoctorCheck::bad(
            "Line ends",
            CheckLevel::Warning,
            ".beads/.gitattributes is no plain file, so git may change the line ends of beads",
            Vec::new(),
            "move .beads/.gitattributes away, then bd init --force",
        )));
    }
    Ok(create::may_change_line_ends(store.dir())?.then(|| {
        DoctorCheck::bad(
            "Line ends",
            CheckLevel::Warning,
            ".beads/.gitattributes lets git change the line ends of beads",
            Vec::new(),
            "bd doctor --fix adds the line `*.jsonl -text`",
        )
    }))
}

/// Reports files that killed processes left behind.
fn check_leftovers(store: &Store, clock: &Clock) -> Option<DoctorCheck> {
    let found = store.find_leftovers(clock);
    let names = found.iter().map(|path| path.display().to_string());
    (!found.is_empty()).then(|| {
        DoctorCheck::bad(
            "Left over",
            CheckLevel::Warning,
            format!(
                "{} of killed commands, of no use",
                counted(found.len(), "unfinished file")
            ),
            names.collect(),
            "bd doctor --fix removes them",
        )
    })
}
