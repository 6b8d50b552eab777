//! Changes the ids of beads: in their records, in edges, and in texts that mention them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::{ChangeError, load_live_bead};
use crate::bead::{Bead, RawJson, id, validate};
use crate::merge::collision;
use crate::store::Tx;

/// New ids by old id.
pub type NewIds = BTreeMap<String, String>;

/// Maps ids to another prefix, in the order of the beads. An id that is taken gets a fresh hash,
/// and children follow their parents.
///
/// `usual` is the prefix of most beads, which may have hyphens. `is_taken` returns true if an id
/// belongs to another bead that keeps it.
pub fn map_to_prefix<'a>(
    beads: impl IntoIterator<Item = &'a Bead>,
    usual: &str,
    prefix: &str,
    is_taken: impl Fn(&str, &Bead) -> bool,
) -> NewIds {
    let mut beads: Vec<&Bead> = beads.into_iter().collect();
    // Stable, so that among ids of one depth the first bead keeps its name.
    beads.sort_by_key(|bead| bead.id.matches('.').count());
    let mut ids = NewIds::new();
    let mut used = BTreeSet::new();
    for bead in beads {
        let parent = bead.id.rsplit_once('.');
        let parent = parent.and_then(|(parent, name)| Some((ids.get(parent)?, name)));
        let mut renamed = bead.clone();
        renamed.id = match parent {
            Some((parent, name)) => format!("{parent}.{name}"),
            None => {
                let rest = [Some(usual), id::prefix_of(&bead.id)]
                    .into_iter()
                    .flatten()
                    .filter_map(|prefix| bead.id.strip_prefix(prefix))
                    .find(|rest| rest.starts_with('-'));
                format!("{prefix}{}", rest.unwrap_or(""))
            }
        };
        while used.contains(&renamed.id) || is_taken(&renamed.id, bead) {
            renamed.id = collision::compute_new_id(&renamed);
        }
        used.insert(renamed.id.clone());
        ids.insert(bead.id.clone(), renamed.id);
    }
    ids
}

/// Changes the ids of beads and every reference to them. Returns the number of beads that refer to
/// a renamed bead.
pub fn rename_beads(tx: &mut Tx<'_>, ids: &NewIds) -> Result<usize, ChangeError> {
    for (old, new) in ids {
        load_live_bead(tx, old)?;
        if !id::is_well_formed(new) {
            let invalid = validate::ValidationError::Id(new.clone());
            return Err(ChangeError::Store(invalid.into()));
        }
        if tx.is_taken(new) && !ids.contains_key(new) {
            return Err(ChangeError::Exists(new.clone()));
        }
    }
    let changed = find_changed_beads(tx, ids);
    let renamed: BTreeMap<&String, Bead> = ids
        .iter()
        .filter_map(|(old, new)| Some((new, tx.get(old)?.clone())))
        .collect();
    let references = changed
        .iter()
        .filter(|bead| !renamed.contains_key(&bead.id))
        .count();
    // A new id may be the old one of another bead, so all are erased before any is written.
    for old in ids.keys() {
        tx.erase(old)?;
    }
    for bead in changed {
        match renamed.get(&bead.id) {
            Some(before) => tx.put_renamed(before, bead)?,
            None => tx.put(bead)?,
        }
    }
    Ok(references)
}

/// Changes every reference of another store's beads to renamed beads. Returns the number of beads
/// that refer to one.
pub fn rename_references(tx: &mut Tx<'_>, ids: &NewIds) -> Result<usize, ChangeError> {
    let changed = find_changed_beads(tx, ids);
    let references = changed.len();
    for bead in changed {
        tx.put(bead)?;
    }
    Ok(references)
}

/// Returns the beads that new ids change, in their new state.
fn find_changed_beads(tx: &Tx<'_>, ids: &NewIds) -> Vec<Bead> {
    tx.live()
        .map(|before| {
            let mut bead = before.clone();
            apply_new_ids(&mut bead, ids);
            (before, bead)
        })
        .filter(|(before, bead)| bead != *before)
        .map(|(_, mut bead)| {
            bead.updated_at = tx.now().max(bead.updated_at);
            bead
        })
        .collect()
}

/// Replaces old ids by new ones everywhere in a bead.
pub fn apply_new_ids(bead: &mut Bead, ids: &NewIds) {
    let replace_id = |text: &mut String| {
        if let Some(new) = ids.get(text) {
            text.clone_from(new);
        } else if let Some(changed) = rename_external_reference(text, ids) {
            *text = changed;
        }
    };
    replace_id(&mut bead.id);
    for reference in [&mut bead.hook_bead, &mut bead.target, &mut bead.await_id] {
        replace_id(reference);
    }
    // A worker's local record, for example, names its bead there.
    if let Some(raw) = &bead.metadata
        && let Some(changed) = replace_ids_in_json(raw.get(), ids)
    {
        bead.metadata = Some(changed);
    }
    for edge in &mut bead.dependencies {
        replace_id(&mut edge.issue_id);
        replace_id(&mut edge.depends_on_id);
    }
    for comment in &mut bead.comments {
        replace_id(&mut comment.issue_id);
        comment.text = replace_ids_in_text(&comment.text, ids);
    }
    let texts = [
        &mut bead.title,
        &mut bead.description,
        &mut bead.design,
        &mut bead.acceptance_criteria,
        &mut bead.notes,
    ];
    for text in texts {
        *text = replace_ids_in_text(text, ids);
    }
}

/// Returns `external:PLACE:ID` with the new id. A place that is the beginning of the id changes
/// with it.
fn rename_external_reference(text: &str, ids: &NewIds) -> Option<String> {
    let (place, id) = text.strip_prefix("external:")?.split_once(':')?;
    let new = ids.get(id)?;
    let [old_place, new_place] =
        [id, new.as_str()].map(|id| id.split('-').take(2).collect::<Vec<_>>().join("-"));
    let place = if place == old_place {
        &new_place
    } else {
        place
    };
    Some(format!("external:{place}:{new}"))
}

/// Replaces the strings of a JSON text that are ids, and nothing else. Returns `None` if there are
/// none.
fn replace_ids_in_json(text: &str, ids: &NewIds) -> Option<RawJson> {
    let mut replaced = String::with_capacity(text.len());
    let mut has_ids = false;
    let mut rest = text;
    while let Some((before, string)) = rest.split_once('"') {
        let mut is_escaped = false;
        let end = string.find(|c| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        })?;
        let new = ids.get(&string[..end]);
        has_ids |= new.is_some();
        let value = new.map_or(&string[..end], String::as_str);
        replaced.extend([before, "\"", value, "\""]);
        rest = &string[end + 1..];
    }
    replaced.push_str(rest);
    has_ids
        .then(|| RawValue::from_string(replaced).ok())
        .flatten()
}

/// Replaces ids in a text. Only whole words are ids.
fn replace_ids_in_text(text: &str, ids: &NewIds) -> String {
    let is_id_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_id_char) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c| !is_id_char(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        // A full stop after an id is not part of the id.
        let bare = word.trim_end_matches(['.', '-']);
        made.push_str(before);
        made.push_str(ids.get(bare).map_or(bare, String::as_str));
        made.push_str(&word[bare.len()..]);
        rest = after;
    }
    made.push_str(rest);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_replaced_as_ids() {
        let ids = NewIds::from([("bd-a1".to_owned(), "web-a1".to_owned())]);
        let text = "(bd-a1) bd-a1. bd-a12 x-bd-a1 bd-a1.1 bd-a1";
        assert_eq!(
            replace_ids_in_text(text, &ids),
            "(web-a1) web-a1. bd-a12 x-bd-a1 bd-a1.1 web-a1"
        );
    }

    #[test]
    fn only_whole_strings_are_replaced_as_ids_in_json() {
        let ids = NewIds::from([("bd-a1".to_owned(), "web-a1".to_owned())]);
        let text = r#"{"bead":"bd-a1","n": 1.50,"text":"\"bd-a1\" x","list":["bd-a1","bd-a12"]}"#;
        let replaced = replace_ids_in_json(text, &ids).unwrap();
        assert_eq!(
            replaced.get(),
            r#"{"bead":"web-a1","n": 1.50,"text":"\"bd-a1\" x","list":["web-a1","bd-a12"]}"#
        );
        assert!(replace_ids_in_json(r#"{"bead":"bd-b2"}"#, &ids).is_none());
    }
}
