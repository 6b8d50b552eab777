//! The ids of a snapshot: their prefix, the resolution of partial ids, and used numbers.

use std::ops::Bound;

use crate::bead::Bead;
use crate::bead::id::{self, ResolveError, SharedPrefix};
use crate::store::log::history;
use crate::store::view::bead_ref::{BeadNode, BeadRef};
use crate::store::{Snapshot, StoreError};

impl Snapshot {
    /// The prefix of new ids: the configured one, the one that all beads share (if all are deleted,
    /// that of the deleted ones), or the name of the project's folder.
    pub fn prefix(&self) -> Result<String, StoreError> {
        if let Some(prefix) = self.config().get("issue-prefix") {
            return Ok(prefix.trim_end_matches('-').to_owned());
        }
        let live = self.bead_refs().filter(|bead| !bead.is_tombstone());
        match id::find_shared_prefix(live.map(|bead| bead.id())) {
            SharedPrefix::Is(prefix) => Ok(prefix.to_owned()),
            SharedPrefix::Mixed => Err(StoreError::MixedPrefixes),
            SharedPrefix::None => {
                let deleted = self.bead_refs().find_map(|bead| id::prefix_of(bead.id()));
                Ok(deleted.map_or_else(
                    || id::clean_prefix(&self.source.folder_name()),
                    str::to_owned,
                ))
            }
        }
    }

    /// Resolves a full or partial id to the one live bead that it means.
    pub fn resolve(&self, given: &str) -> Result<&Bead, ResolveError> {
        if let Some(bead) = self.get_live(given) {
            return Ok(bead);
        }
        let prefix = self.prefix().unwrap_or_else(|_| String::new());
        // The full id of a deleted bead must not resolve to another bead that contains it.
        if self.bead_ref(given).is_some() {
            let gone = self.deletion_error(given, &prefix);
            return Err(gone.unwrap_or_else(|| ResolveError::NotFound(given.to_owned())));
        }
        let exists = |id: &str| self.bead_ref(id).is_some_and(|bead| !bead.is_tombstone());
        // The same holds for a bead that was removed without a trace.
        let is_full = id::is_prefixed(given, &prefix);
        if is_full && history::has_history(&self.source.paths, given) {
            return Err(ResolveError::NotFound(given.to_owned()));
        }
        let live = self.bead_refs().filter(|bead_ref| !bead_ref.is_tombstone());
        let found = id::resolve_id(given, &prefix, exists, live.map(|bead_ref| bead_ref.id()));
        let bead = found.and_then(|id| {
            self.get_live(&id)
                .ok_or_else(|| ResolveError::NotFound(given.to_owned()))
        });
        bead.map_err(|error| match error {
            ResolveError::NotFound(_) => self.deletion_error(given, &prefix).unwrap_or(error),
            other => other,
        })
    }

    /// Returns the error for an id whose bead was deleted.
    fn deletion_error(&self, given: &str, prefix: &str) -> Option<ResolveError> {
        let full = format!("{prefix}-{given}");
        let tombstone = |id| self.get(id).filter(|bead| bead.is_tombstone());
        let bead = tombstone(given).or_else(|| tombstone(&full))?;
        let at = bead.deleted_at.as_ref().unwrap_or(&bead.updated_at);
        Some(ResolveError::Deleted {
            id: bead.id.clone(),
            by: bead.deleted_by.clone(),
            at: at.to_string(),
        })
    }

    /// The highest number that a child of a bead ever had, including deleted children.
    pub fn last_child_number(&self, parent: &str) -> u64 {
        let start = format!("{parent}.");
        self.ids_from(&start)
            .chain(self.archive().ids_from(&start))
            .filter_map(id::split_child)
            .filter(|(parent_id, _)| *parent_id == parent)
            .map(|(_, number)| number)
            .max()
            .unwrap_or(0)
    }

    /// The number of ids with this prefix that are not children, including deleted ones.
    pub fn count_top_level(&self, prefix: &str) -> usize {
        let start = format!("{prefix}-");
        let is_top = |id: &str| !id[start.len()..].contains('.');
        let archived = self
            .archive()
            .ids_from(&start)
            .filter(|id| is_top(id))
            .count();
        if prefix.contains('.') {
            return archived + self.ids_from(&start).filter(|id| is_top(id)).count();
        }
        // The range of a prefix with its hyphen ends where the next character, the dot, begins.
        let rows = self.index.first_from(&start)..self.index.first_from(&format!("{prefix}."));
        let hidden = self
            .hidden
            .range(rows.clone())
            .filter(|row| is_top(self.index.id(**row)))
            .count();
        let changed = self
            .pending_from(&start)
            .filter(|(id, _)| is_top(id))
            .count();
        (rows.len() - self.index.count_dotted(rows) + changed + archived).saturating_sub(hidden)
    }

    /// Returns all ids that begin with `start`.
    pub(crate) fn ids_from<'a, 's>(
        &'a self,
        start: &'s str,
    ) -> impl Iterator<Item = &'a str> + use<'a, 's> {
        self.bead_refs_from(start).map(|bead| bead.id())
    }

    /// Returns the beads whose ids begin with `start`, including deleted ones.
    pub(crate) fn bead_refs_from<'a, 's>(
        &'a self,
        start: &'s str,
    ) -> impl Iterator<Item = BeadRef<'a>> + use<'a, 's> {
        let ids = self.index.ids();
        let rows = (self.index.first_from(start)..self.index.len())
            .take_while(move |row| ids.of_row(*row).starts_with(start.as_bytes()))
            .filter(|row| !self.hidden.contains(row))
            .map(BeadNode::Row);
        let changed = self
            .pending_from(start)
            .map(|(_, slot)| BeadNode::Pending(slot));
        rows.chain(changed).map(|node| self.bead_ref_at(node))
    }

    /// Returns the pending beads among them, with their positions.
    fn pending_from<'a, 's>(
        &'a self,
        start: &'s str,
    ) -> impl Iterator<Item = (&'a str, u32)> + use<'a, 's> {
        self.over
            .range::<str, _>((Bound::Included(start), Bound::Unbounded))
            .take_while(move |(id, _)| id.starts_with(start))
            .filter_map(|(id, slot)| Some((id.as_str(), (*slot)?)))
    }
}
