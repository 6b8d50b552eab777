//! Reads lists element by element, so that one element of another program does not hide the others.
//!
//! An element in which a key has a value of the wrong type keeps that value among its unknown keys.
//! An element that cannot be understood at all is kept as raw JSON with its position.

use serde::de::DeserializeOwned;

use super::super::{Comment, Dep, RawJson};
use super::parse_pairs;

/// An element of a bead's list.
pub(crate) trait ListElement: DeserializeOwned {
    /// The keys without which an element means nothing.
    const REQUIRED_KEYS: &'static [&'static str];

    /// Preserves the value of a key among the unknown keys.
    fn keep_raw(&mut self, key: String, raw: RawJson);
}

impl ListElement for String {
    const REQUIRED_KEYS: &'static [&'static str] = &[];

    fn keep_raw(&mut self, _key: String, _raw: RawJson) {}
}

impl ListElement for Dep {
    const REQUIRED_KEYS: &'static [&'static str] = &["depends_on_id", "type"];

    fn keep_raw(&mut self, key: String, raw: RawJson) {
        self.extra.push((key, raw));
    }
}

impl ListElement for Comment {
    const REQUIRED_KEYS: &'static [&'static str] = &["author", "text"];

    fn keep_raw(&mut self, key: String, raw: RawJson) {
        self.extra.push((key, raw));
    }
}

/// The elements of a list.
#[derive(Debug)]
pub(crate) struct ParsedList<T> {
    pub elements: Vec<T>,
    /// The elements that are not understood, with their positions.
    pub foreign: Vec<(usize, RawJson)>,
}

/// Parses a list. Returns `None` for any other value.
pub(crate) fn parse_list<T: ListElement>(text: &str) -> Option<ParsedList<T>> {
    let all: Vec<RawJson> = serde_json::from_str(text).ok()?;
    let mut elements = Vec::new();
    let mut foreign = Vec::new();
    for (position, raw) in all.into_iter().enumerate() {
        match parse_element(raw.get()) {
            Some(element) => elements.push(element),
            None => foreign.push((position, raw)),
        }
    }
    Some(ParsedList { elements, foreign })
}

fn parse_element<T: ListElement>(text: &str) -> Option<T> {
    if let Ok(element) = serde_json::from_str(text) {
        return Some(element);
    }
    let mut sound = Vec::new();
    let mut odd = Vec::new();
    for (key, raw) in parse_pairs(text)? {
        let alone = format!("{}:{}", serde_json::to_string(&key).ok()?, raw.get());
        if serde_json::from_str::<T>(&format!("{{{alone}}}")).is_ok() {
            sound.push(alone);
        } else if T::REQUIRED_KEYS.contains(&key.as_str()) {
            return None;
        } else {
            odd.push((key, raw));
        }
    }
    let mut element: T = serde_json::from_str(&format!("{{{}}}", sound.join(","))).ok()?;
    for (key, raw) in odd {
        element.keep_raw(key, raw);
    }
    Some(element)
}
