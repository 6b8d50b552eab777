//! Converts between one line of JSON and [`Bead`].
//!
//! An unknown key keeps the bytes of its value. A known key with `null` counts as absent. If a key
//! occurs twice, the first one counts. A known key whose value has the wrong type is preserved like
//! an unknown key, and so is an element of a list ([`ForeignElement`]). A
//! line that is read and written without a change has the same values. Written lines escape `<`,
//! `>`, `&`, U+2028 and U+2029 as existing clients do, so that both leave the same bytes in git.

use std::borrow::Cow;
use std::io;

use kit::json::EscapingFormatter;
use kit::table::split_list;
use serde::ser::{Serialize, Serializer};
use serde_json::ser::CompactFormatter;

mod fields;
mod list;
mod number;

pub use fields::RecordFields;
pub(crate) use list::{ListElement, parse_list};
pub use number::compact_json;

use super::fields_table::{ForeignElement, table_serde};
use super::{Bead, Comment, Dep, Kind, RawJson, Stamp, Status, with_fields};

/// The reason why a line is not a bead.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The line is not the JSON of a bead.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("the record has no id")]
    NoId,
}

pub fn parse_bead(line: &[u8]) -> Result<Bead, RecordError> {
    let text = decode_line(line);
    let mut bead: Bead = match serde_json::from_str(&text) {
        Ok(bead) => bead,
        Err(error) => parse_leniently(&text).ok_or(error)?,
    };
    if bead.id.is_empty() {
        return Err(RecordError::NoId);
    }
    normalize_tombstone(&mut bead);
    Ok(bead)
}

/// Returns the id of a line in canonical key order, or `None` if only parsing can find the id.
pub(crate) fn first_id(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(b"{\"id\":\"")?;
    let end = memchr::memchr2(b'"', b'\\', rest)?;
    let id = &rest[..end];
    let plain = rest[end] == b'"' && !id.is_empty() && id.iter().all(|byte| *byte >= 0x20);
    plain.then(|| std::str::from_utf8(id).ok()).flatten()
}

/// Decodes a line as text, and replaces invalid UTF-8.
pub(crate) fn decode_line(line: &[u8]) -> Cow<'_, str> {
    // Much faster than the lossy conversion, which inspects each character.
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(line),
    }
}

/// Parses an object in which a known key has a value of the wrong type. That value is preserved
/// among the unknown keys, or, in a list, as a [`ForeignElement`].
fn parse_leniently(text: &str) -> Option<Bead> {
    let fields: RecordFields = serde_json::from_str(text).ok()?;
    let mut sound = String::from("{");
    let mut odd = Vec::new();
    let mut seen = Vec::new();
    for (key, raw) in fields.0 {
        if KEYS.contains(&key.as_str()) {
            if seen.contains(&key) {
                continue;
            }
            seen.push(key.clone());
        }
        let name = serde_json::to_string(&key).ok()?;
        let alone = format!("{{{name}:{}}}", raw.get());
        if serde_json::from_str::<Bead>(&alone).is_err() {
            odd.push((key, raw));
            continue;
        }
        if sound.len() > 1 {
            sound.push(',');
        }
        sound.push_str(&alone[1..alone.len() - 1]);
    }
    sound.push('}');
    let mut bead: Bead = serde_json::from_str(&sound).ok()?;
    for (key, raw) in odd {
        if !read_list(&mut bead, &key, raw.get()) {
            read_other_form(&mut bead, &key, raw.get());
            bead.extra.push((key, raw));
        }
    }
    Some(bead)
}

/// Reads a text or a list of words from a value of another type, as far as it can be understood, so
/// that a change of the field keeps its content. Until then the value stays unchanged.
fn read_other_form(bead: &mut Bead, key: &str, text: &str) {
    match key {
        "labels" => bead.labels = split_json_text(text),
        "waiters" => bead.waiters = split_json_text(text),
        "title" => bead.title = format_as_text(text),
        "description" => bead.description = format_as_text(text),
        "design" => bead.design = format_as_text(text),
        "acceptance_criteria" => bead.acceptance_criteria = format_as_text(text),
        "notes" => bead.notes = format_as_text(text),
        _ => {}
    }
}

/// Splits a JSON text at commas. Any other value has no words.
fn split_json_text(text: &str) -> Vec<String> {
    serde_json::from_str::<String>(text)
        .iter()
        .flat_map(|text| split_list(text, ','))
        .map(str::to_owned)
        .collect()
}

/// Formats a JSON value as text: a list with one element per line, any other value as its JSON.
fn format_as_text(text: &str) -> String {
    let Ok(elements) = serde_json::from_str::<Vec<RawJson>>(text) else {
        return text.to_owned();
    };
    elements
        .iter()
        .map(|element| {
            serde_json::from_str(element.get()).unwrap_or_else(|_| element.get().to_owned())
        })
        .collect::<Vec<String>>()
        .join("\n")
}

/// Reads a list of a bead element by element. Returns false if the key has no list.
fn read_list(bead: &mut Bead, key: &str, text: &str) -> bool {
    fn read<T: ListElement>(
        list: &'static str,
        text: &str,
        elements: &mut Vec<T>,
        foreign: &mut Vec<ForeignElement>,
    ) -> bool {
        let Some(parsed) = parse_list(text) else {
            return false;
        };
        *elements = parsed.elements;
        for (position, raw) in parsed.foreign {
            foreign.push(ForeignElement {
                list,
                position,
                raw,
            });
        }
        true
    }
    let foreign = &mut bead.foreign;
    match key {
        "labels" => read("labels", text, &mut bead.labels, foreign),
        "waiters" => read("waiters", text, &mut bead.waiters, foreign),
        "dependencies" => read("dependencies", text, &mut bead.dependencies, foreign),
        "comments" => read("comments", text, &mut bead.comments, foreign),
        _ => false,
    }
}

/// Parses a JSON object into its keys and the bytes of their values, in source order. Returns
/// `None` for any other text.
pub(crate) fn parse_pairs(text: &str) -> Option<Vec<(String, RawJson)>> {
    serde_json::from_str(text)
        .ok()
        .map(|RecordFields(pairs)| pairs)
}

/// Returns false only if no object in a text of JSON has this key. A text with escapes may have it,
/// because they can be in a key.
pub(crate) fn may_have_key(text: &[u8], key: &str) -> bool {
    memchr::memmem::find(text, key.as_bytes()).is_some()
        || memchr::memmem::find(text, br"\u").is_some()
}

/// The lists of which a value of another type cannot be read into the field.
const UNREAD_LISTS: [&str; 4] = ["labels", "waiters", "dependencies", "comments"];

/// Drops a preserved value of the wrong type under a known key whose field has a new value. If the
/// field of a list had nothing of it, the value moves to the key `unread_KEY`.
pub(crate) fn drop_replaced(before: &Bead, bead: &mut Bead) {
    if !bead
        .extra
        .iter()
        .any(|(key, _)| KEYS.contains(&key.as_str()))
    {
        return;
    }
    let [old, new] = [before, bead].map(|bead| {
        let mut plain = bead.clone();
        plain.extra.clear();
        bead_to_json_value(&plain)
    });
    for (key, raw) in std::mem::take(&mut bead.extra) {
        if !KEYS.contains(&key.as_str()) || old.get(&key) == new.get(&key) {
            bead.extra.push((key, raw));
        } else if UNREAD_LISTS.contains(&key.as_str()) && old.get(&key).is_none() {
            bead.extra.push((format!("unread_{key}"), raw));
        }
    }
}

/// Applies the meaning that older clients intended: a deleted bead is a tombstone regardless of its
/// status.
fn normalize_tombstone(bead: &mut Bead) {
    if bead.deleted_at.is_some() {
        bead.status = Status::Tombstone;
    }
    if bead.metadata.as_ref().is_some_and(|raw| raw.get() == "{}") {
        bead.metadata = None;
    }
}

/// Serializes the canonical line, without a newline.
pub fn serialize_bead(bead: &Bead) -> Vec<u8> {
    serialize_compact(bead)
}

/// Like [`serialize_bead`], but serializes into a reused buffer, so that the returned line takes no
/// more memory than its length.
pub(crate) fn serialize_bead_with(scratch: &mut Vec<u8>, bead: &Bead) -> Vec<u8> {
    scratch.clear();
    // Serializing our own types into memory cannot fail.
    serialize_compact_to(&mut *scratch, bead).ok();
    scratch.as_slice().to_vec()
}

/// Serializes any value as one compact line with the escapes of bead lines.
pub fn serialize_compact(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    // Serializing our own types into memory cannot fail.
    serialize_compact_to(&mut bytes, value).ok();
    bytes
}

/// Writes the line of [`serialize_compact`] to `out`.
pub(crate) fn serialize_compact_to(out: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer =
        serde_json::Serializer::with_formatter(out, EscapingFormatter(CompactFormatter));
    Ok(value.serialize(&mut serializer)?)
}

/// Serializes a bead for `--json`, without the keys in `omitted`. Numbers keep their text, see
/// `number`.
pub fn serialize_for_json<S: Serializer>(
    bead: &Bead,
    omitted: &[&str],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if !has_raw_values(bead) {
        return bead.serialize_without(omitted, serializer);
    }
    let mut value = bead_to_json_value(bead);
    if let serde_json::Value::Object(object) = &mut value {
        for key in omitted {
            object.shift_remove(*key);
        }
    }
    value.serialize(serializer)
}

/// Converts a bead to a JSON value for `--json`. Numbers keep their text, see `number`.
pub fn bead_to_json_value(bead: &Bead) -> serde_json::Value {
    if !has_raw_values(bead) {
        return serde_json::to_value(bead).unwrap_or(serde_json::Value::Null);
    }
    serde_json::value::to_raw_value(bead)
        .map_or(serde_json::Value::Null, |raw| number::parse_exact(&raw))
}

/// Returns true if the bead has values that are kept as their source text.
fn has_raw_values(bead: &Bead) -> bool {
    let raws = [
        &bead.metadata,
        &bead.bonded_from,
        &bead.creator,
        &bead.validations,
        &bead.quality_score,
    ];
    let has_extra = !bead.extra.is_empty()
        || !bead.foreign.is_empty()
        || bead.dependencies.iter().any(|edge| !edge.extra.is_empty())
        || bead
            .comments
            .iter()
            .any(|comment| !comment.extra.is_empty());
    has_extra || raws.iter().any(|raw| raw.is_some())
}

/// Converts a value to raw JSON. An empty object and `null` count as no value.
pub fn to_raw_json(value: &serde_json::Value) -> Option<RawJson> {
    let empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
    (!empty)
        .then(|| serde_json::value::to_raw_value(value).ok())
        .flatten()
}

macro_rules! bead_serde {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $key:literal, $when:ident;)*) => {
        table_serde!(Bead, Bead::blank(), $($name: $kind = $key, $when;)*);

        /// All known keys, in the order in which they are written.
        pub(crate) const KEYS: &[&str] = &[$($key),*];
    };
}
with_fields!(bead_serde);

#[cfg(test)]
mod tests;
