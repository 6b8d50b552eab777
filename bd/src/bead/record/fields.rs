//! The fields of a record as written in its line: keys with the bytes of their values.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::super::{Bead, RawJson};

/// The keys and values of a JSON object, in source order.
#[derive(Debug, Clone, Default)]
pub struct RecordFields(pub Vec<(String, RawJson)>);

impl RecordFields {
    /// Parses an object. Text that is not an object has no fields.
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self::default())
    }

    /// Returns the fields of a bead as they are serialized.
    pub fn from_bead(bead: &Bead) -> Self {
        Self::parse(&super::decode_line(&super::serialize_bead(bead)))
    }

    /// Returns a value, or `None` if the value is absent or null.
    pub fn raw_value(&self, key: &str) -> Option<&RawValue> {
        let found = self.0.iter().find(|(name, _)| name == key)?;
        Some(&*found.1).filter(|raw| raw.get() != "null")
    }

    /// Returns the JSON of a value, or `None` if the value is absent or null.
    pub fn raw_text(&self, key: &str) -> Option<&str> {
        self.raw_value(key).map(RawValue::get)
    }

    /// Returns the text of a string value, and the JSON of any other value.
    pub fn plain_text(&self, key: &str) -> Option<String> {
        let raw = self.raw_text(key)?;
        Some(serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned()))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// Sets a key, in place if the key exists.
    pub fn set(&mut self, key: &str, value: &RawValue) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, current)) => *current = value.to_owned(),
            None => self.0.push((key.to_owned(), value.to_owned())),
        }
    }

    /// Appends a value. `None` is written as null.
    pub fn push(&mut self, key: &str, value: Option<&RawValue>) {
        let raw = value.unwrap_or(RawValue::NULL).to_owned();
        self.0.push((key.to_owned(), raw));
    }

    /// Returns the fields that differ between `self` and `new`: their old values and their new
    /// values. Null counts as absent.
    pub fn difference(&self, new: &Self) -> (Self, Self) {
        let mut before = Self::default();
        let mut after = Self::default();
        let mut keys: Vec<_> = self.keys().collect();
        keys.extend(new.keys().filter(|key| self.raw_text(key).is_none()));
        for key in keys {
            let old = self.raw_value(key);
            let new = new.raw_value(key);
            if old.map(RawValue::get) != new.map(RawValue::get) {
                before.push(key, old);
                after.push(key, new);
            }
        }
        (before, after)
    }

    /// Returns the values of `self` for the keys of `other`. A missing key becomes null.
    #[must_use]
    pub fn project_onto(&self, other: &Self) -> Self {
        let mut found = Self::default();
        for key in other.keys() {
            found.push(key, self.raw_value(key));
        }
        found
    }

    /// Applies `others` as a patch to a copy. A null removes its key.
    #[must_use]
    pub fn patched_with(&self, others: &Self) -> Self {
        let mut changed = Self::default();
        for (key, raw) in &self.0 {
            match others.0.iter().find(|(name, _)| name == key) {
                None => changed.0.push((key.clone(), raw.clone())),
                Some((_, raw)) if raw.get() != "null" => {
                    changed.0.push((key.clone(), raw.clone()));
                }
                Some(_) => {}
            }
        }
        for (key, raw) in &others.0 {
            if self.raw_text(key).is_none() && raw.get() != "null" {
                changed.0.push((key.clone(), raw.clone()));
            }
        }
        changed
    }

    /// Builds a bead of the fields; `None` if they are not those of a bead.
    pub fn to_bead(&self) -> Option<Bead> {
        super::parse_bead(self.to_raw_json()?.get().as_bytes()).ok()
    }

    pub fn to_raw_json(&self) -> Option<RawJson> {
        serde_json::value::to_raw_value(self).ok()
    }
}

impl Serialize for RecordFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, raw) in &self.0 {
            map.serialize_entry(key, raw)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for RecordFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = RecordFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RecordFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RecordFields(fields))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_can_be_applied_in_both_directions() {
        let old = RecordFields::parse(r#"{"id":"a","title":"x","n": 1.0,"gone":true}"#);
        let new = RecordFields::parse(r#"{"id":"a","title":"y","n": 1.0,"labels":["l"]}"#);
        let (before, after) = old.difference(&new);
        assert_eq!(
            before.to_raw_json().unwrap().get(),
            r#"{"title":"x","gone":true,"labels":null}"#
        );
        assert_eq!(
            after.to_raw_json().unwrap().get(),
            r#"{"title":"y","gone":null,"labels":["l"]}"#
        );
        assert_eq!(old.patched_with(&after).difference(&new).0.0.len(), 0);
        assert_eq!(new.patched_with(&before).difference(&old).0.0.len(), 0);
    }
}
