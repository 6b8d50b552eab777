//! One line of JSON ⇄ [`Bead`].
//!
//! What must always hold: a value under a key we do not know keeps its bytes; a known key with `null`
//! counts as absent; of a key that stands twice the first counts; a known key whose value is of another
//! type than it should be is kept like an unknown one; a line that was read and written without a change
//! in between has the same values. Written lines escape `<`, `>`, `&`, U+2028 and
//! U+2029 as existing clients do, so that both leave the same bytes in git.

use std::borrow::Cow;
use std::io;

use kit::json::EscapingFormatter;
use serde::ser::Serialize;
use serde_json::ser::CompactFormatter;

mod fields;
mod number;

pub use fields::RecordFields;
pub use number::compact_json;

use super::fields_table::table_serde;
use super::{Bead, Comment, Dep, Kind, RawJson, Stamp, Status, with_fields};

/// Why a line is no bead.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It is not the JSON of a bead.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// It has no id.
    #[error("the record has no id")]
    NoId,
}

/// Reads one line.
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

/// The id of a line that begins as every line is written; `None` where only parsing can tell.
pub(crate) fn first_id(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(b"{\"id\":\"")?;
    let end = memchr::memchr2(b'"', b'\\', rest)?;
    let id = &rest[..end];
    let plain = rest[end] == b'"' && !id.is_empty() && id.iter().all(|byte| *byte >= 0x20);
    plain.then(|| std::str::from_utf8(id).ok()).flatten()
}

/// A line as text; what is no UTF-8 in it is replaced.
pub(crate) fn decode_line(line: &[u8]) -> Cow<'_, str> {
    // Far quicker than the lossy reading, which looks at each character.
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(line),
    }
}

/// Reads an object in which some known key has a value of the wrong type: that value is kept as it is
/// beside the unknown ones.
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
    bead.extra.extend(odd);
    Some(bead)
}

/// The keys of a JSON object with the bytes of their values, in the order of the text; `None` where it is
/// something else.
pub(crate) fn parse_pairs(text: &str) -> Option<Vec<(String, RawJson)>> {
    serde_json::from_str(text)
        .ok()
        .map(|RecordFields(pairs)| pairs)
}

/// Forgets a value of the wrong type under a known key where the field was given a new one.
pub(crate) fn drop_replaced(before: &Bead, bead: &mut Bead) {
    if !bead
        .extra
        .iter()
        .any(|(key, _)| KEYS.contains(&key.as_str()))
    {
        return;
    }
    let known = |bead: &Bead| {
        let mut plain = bead.clone();
        plain.extra.clear();
        bead_to_json_value(&plain)
    };
    let (old, new) = (known(before), known(bead));
    bead.extra
        .retain(|(key, _)| !KEYS.contains(&key.as_str()) || old.get(key) == new.get(key));
}

/// What older clients meant: a deleted bead is a tombstone whatever its status says.
fn normalize_tombstone(bead: &mut Bead) {
    if bead.deleted_at.is_some() {
        bead.status = Status::Tombstone;
    }
    if bead.metadata.as_ref().is_some_and(|raw| raw.get() == "{}") {
        bead.metadata = None;
    }
}

/// Writes the canonical line, without a newline.
pub fn serialize_bead(bead: &Bead) -> Vec<u8> {
    serialize_compact(bead)
}

/// The same, made in a text that is used again and again, so that the line takes no more memory than it is long.
pub(crate) fn serialize_bead_with(scratch: &mut Vec<u8>, bead: &Bead) -> Vec<u8> {
    scratch.clear();
    // Writing our own types into memory has no way to fail.
    serialize_compact_to(&mut *scratch, bead).ok();
    scratch.as_slice().to_vec()
}

/// Writes any value as one compact line with the escapes of bead lines.
pub fn serialize_compact(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    // Writing our own types into memory has no way to fail.
    serialize_compact_to(&mut bytes, value).ok();
    bytes
}

/// Writes such a line to somewhere else.
pub(crate) fn serialize_compact_to(out: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer =
        serde_json::Serializer::with_formatter(out, EscapingFormatter(CompactFormatter));
    Ok(value.serialize(&mut serializer)?)
}

/// The bead as a JSON value for `--json`. Numbers keep their text, see `number`.
pub fn bead_to_json_value(bead: &Bead) -> serde_json::Value {
    let raws = [
        &bead.metadata,
        &bead.bonded_from,
        &bead.creator,
        &bead.validations,
        &bead.quality_score,
    ];
    let has_extra = !bead.extra.is_empty()
        || bead.dependencies.iter().any(|edge| !edge.extra.is_empty())
        || bead.comments.iter().any(|it| !it.extra.is_empty());
    if !has_extra && raws.iter().all(|raw| raw.is_none()) {
        return serde_json::to_value(bead).unwrap_or_default();
    }
    serde_json::value::to_raw_value(bead)
        .map(|raw| number::parse_exact(&raw))
        .unwrap_or_default()
}

/// A value as raw JSON; an empty object and `null` count as no value.
pub fn to_raw_json(value: &serde_json::Value) -> Option<RawJson> {
    let empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
    (!empty)
        .then(|| serde_json::value::to_raw_value(value).ok())
        .flatten()
}

macro_rules! bead_serde {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $key:literal, $when:ident;)*) => {
        table_serde!(Bead, Bead::blank(), $($name: $kind = $key, $when;)*);

        /// Every known key, in the order in which they are written.
        pub(crate) const KEYS: &[&str] = &[$($key),*];
    };
}
with_fields!(bead_serde);

#[cfg(test)]
mod tests;
