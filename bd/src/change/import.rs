//! Imports beads from a file of records. Creates the new beads, updates older ones from newer
//! records, and changes nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::ChangeError;
use crate::bead::validate::ValidationError;
use crate::bead::{Bead, Dep, hash, id};
use crate::store::Tx;

/// The treatment of a child whose parent is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OrphanPolicy {
    /// Import it.
    #[default]
    Allow,
    /// Leave it out.
    Skip,
    /// Refuse the import.
    Strict,
    /// Import it; the parent is not invented.
    Resurrect,
}

#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The prefixes of this project's beads. An edge to a bead of another project stays.
    pub own_prefixes: Vec<String>,
    /// Leave existing beads unchanged.
    pub skip_existing: bool,
    /// Refuse edges to missing beads.
    pub strict: bool,
    /// The treatment of children whose parent is missing.
    pub orphans: OrphanPolicy,
    /// If several beads have the same reference to another tracker, clear it in all except the
    /// first.
    pub clear_duplicate_refs: bool,
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ImportReport {
    pub created: Vec<String>,
    pub updated: Vec<String>,
    pub unchanged: usize,
    pub skipped: Vec<String>,
    /// Edges that were left out because their target is missing, as (from, to).
    pub left_out: Vec<(String, String)>,
    /// Values that no bead made here may have, and that were kept, as (id, problem).
    pub unusual: Vec<(String, String)>,
}

/// Imports beads, and calls `on_bead` for each one. Of two records with the same id, the first
/// counts.
pub fn import_beads(
    tx: &mut Tx<'_>,
    beads: impl IntoIterator<Item = Box<Bead>>,
    options: &ImportOptions,
    mut on_bead: impl FnMut(),
) -> Result<ImportReport, ChangeError> {
    let mut beads: Vec<_> = beads.into_iter().collect();
    check_external_refs(&mut beads, options.clear_duplicate_refs)?;
    let mut done = ImportReport::default();
    let mut seen = BTreeSet::new();
    // Parents come first.
    beads.sort_by_cached_key(|bead| bead.id.bytes().filter(|byte| *byte == b'.').count());
    let coming: BTreeSet<String> = beads.iter().map(|bead| bead.id.clone()).collect();
    for mut bead in beads {
        on_bead();
        let id = bead.id.clone();
        let existing = tx.get(&id).map(|own| Box::new(own.clone()));
        let is_gone =
            existing.as_ref().is_some_and(|own| own.is_tombstone()) || tx.is_archived(&id);
        let is_there = existing.is_some();
        if !seen.insert(id.clone()) || is_gone || (is_there && options.skip_existing) {
            done.skipped.push(id);
            continue;
        }
        let parent = id::split_child(&id).map(|(parent, _)| parent.to_owned());
        if let Some(parent) = parent.filter(|parent| !is_there && tx.get_live(parent).is_none()) {
            match options.orphans {
                OrphanPolicy::Strict => return Err(ChangeError::NoParent(parent)),
                OrphanPolicy::Skip => {
                    done.skipped.push(id);
                    continue;
                }
                OrphanPolicy::Allow | OrphanPolicy::Resurrect => {}
            }
        }
        let is_known = |edge: &Dep| {
            let to = edge.depends_on_id.as_str();
            to.starts_with("external:") || coming.contains(to) || tx.get_live(to).is_some()
        };
        let is_kept = |edge: &Dep| {
            is_known(edge) || !id::has_prefix_in(&edge.depends_on_id, &options.own_prefixes)
        };
        if let Some(edge) = bead.dependencies.iter().find(|edge| !is_known(edge)) {
            if options.strict {
                return Err(ChangeError::NoTarget(edge.depends_on_id.clone()));
            }
            done.left_out.extend(
                bead.dependencies
                    .iter()
                    .filter(|edge| !is_kept(edge))
                    .map(|edge| (id.clone(), edge.depends_on_id.clone())),
            );
            bead.dependencies.retain(is_kept);
        }
        match existing {
            None => {
                bead.ephemeral |= bead.id.contains("-wisp-");
                note_unusual(&mut done, tx.put_imported(bead)?, &id);
                done.created.push(id);
            }
            Some(existing) => match merge_newer_record(&existing, *bead) {
                Some(bead) => {
                    note_unusual(&mut done, tx.put_imported(bead)?, &id);
                    done.updated.push(id);
                }
                None => done.unchanged += 1,
            },
        }
    }
    Ok(done)
}

fn note_unusual(done: &mut ImportReport, problems: Vec<ValidationError>, id: &str) {
    for problem in problems {
        done.unusual.push((id.to_owned(), problem.to_string()));
    }
}

/// Fails if two new beads refer to the same item of another tracker, or clears the second reference
/// if `clear` is set.
fn check_external_refs(beads: &mut [Box<Bead>], clear: bool) -> Result<(), ChangeError> {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut twice = Vec::new();
    for bead in beads.iter_mut().filter(|bead| !bead.is_tombstone()) {
        let Some(reference) = bead.external_ref.clone().filter(|text| !text.is_empty()) else {
            continue;
        };
        match seen.get(&reference) {
            Some(first) if *first != bead.id && clear => bead.external_ref = None,
            Some(first) if *first != bead.id => {
                twice.push(format!("{reference}: {first}, {}", bead.id));
            }
            Some(_) => {}
            None => {
                seen.insert(reference, bead.id.clone());
            }
        }
    }
    if twice.is_empty() {
        return Ok(());
    }
    Err(ChangeError::SameReference(twice))
}

/// Returns the bead with the values of a newer record, or `None` if nothing is new.
fn merge_newer_record(existing: &Bead, new: Bead) -> Option<Bead> {
    let is_newer = new.updated_at.instant() > existing.updated_at.instant();
    if !is_newer || hash::compute_content_hash(existing) == hash::compute_content_hash(&new) {
        return None;
    }
    let mut bead = Bead {
        title: new.title,
        description: new.description,
        status: new.status,
        priority: new.priority,
        issue_type: new.issue_type,
        design: new.design,
        acceptance_criteria: new.acceptance_criteria,
        notes: new.notes,
        closed_at: new.closed_at,
        close_reason: new.close_reason,
        assignee: new.assignee,
        external_ref: new.external_ref,
        updated_at: new.updated_at,
        pinned: existing.pinned || new.pinned,
        ..existing.clone()
    };
    if !new.labels.is_empty() {
        bead.labels = new.labels;
    }
    for element in new.foreign {
        if !bead.foreign.iter().any(|existing| {
            existing.list == element.list && existing.raw.get() == element.raw.get()
        }) {
            bead.foreign.push(element);
        }
    }
    for edge in new.dependencies {
        if !bead.dependencies.iter().any(|existing_edge| {
            existing_edge.depends_on_id == edge.depends_on_id && existing_edge.kind == edge.kind
        }) {
            bead.dependencies.push(edge);
        }
    }
    for comment in new.comments {
        if !bead.comments.iter().any(|existing| {
            existing.author == comment.author && existing.text.trim() == comment.text.trim()
        }) {
            bead.comments.push(comment);
        }
    }
    Some(bead)
}
