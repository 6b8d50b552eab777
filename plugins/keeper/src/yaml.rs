//! Reads and writes the plugin's files: YAML whose scalars are text, with the order of keys
//! preserved. Aliases are refused; size, depth and number of values are bounded; written documents
//! parse to the same values.

use std::path::Path;

use anyhow::Context;
use granit_parser::{Event, Parser, ScalarStyle};

use crate::sys;

/// The maximum nesting depth of a document.
const MAX_DEPTH: usize = 24;

/// The maximum number of values in a document.
const MAX_NODES: usize = 200_000;

/// A YAML value whose scalars are text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlValue {
    /// A scalar; `null` and an absent value are empty text.
    Text(String),
    List(Vec<YamlValue>),
    /// A mapping in document order.
    Map(Vec<(String, YamlValue)>),
}

pub static EMPTY_TEXT: YamlValue = YamlValue::Text(String::new());

/// The reason why a document cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadYaml(String);

impl YamlValue {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn texts<T: AsRef<str>>(texts: &[T]) -> Self {
        Self::List(texts.iter().map(|text| Self::text(text.as_ref())).collect())
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        entries
            .iter()
            .find(|(entry_key, _)| entry_key == key)
            .map(|(_, value)| value)
    }

    /// The value of a key. An absent key has the empty text.
    pub fn value_of(&self, key: &str) -> &Self {
        self.get(key).unwrap_or(&EMPTY_TEXT)
    }

    /// The text of a key. A list, a mapping and an absent key have the empty text.
    pub fn field(&self, key: &str) -> &str {
        self.value_of(key).as_text().unwrap_or("")
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts of a list, or the text of a scalar as a list of one.
    pub fn as_texts(&self) -> Vec<String> {
        match self {
            Self::Text(text) if text.is_empty() => Vec::new(),
            Self::Text(text) => vec![text.clone()],
            Self::List(items) => items
                .iter()
                .filter_map(Self::as_text)
                .map(str::to_owned)
                .collect(),
            Self::Map(_) => Vec::new(),
        }
    }

    /// The items of a list; empty for any other value.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The entries of a mapping; empty for any other value.
    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }
}

/// Reads a file. One that does not exist is an empty mapping.
pub fn load_yaml(path: &Path) -> anyhow::Result<YamlValue> {
    match sys::read_text(path)? {
        Some(text) => parse_yaml(&text).with_context(|| format!("{} is not valid", path.display())),
        None => Ok(YamlValue::Map(Vec::new())),
    }
}

pub fn parse_yaml(text: &str) -> Result<YamlValue, BadYaml> {
    let mut reader = YamlReader {
        parser: Parser::new_from_str(text),
        nodes: 0,
    };
    loop {
        match reader.next()? {
            Event::StreamStart | Event::DocumentStart(..) => {}
            Event::StreamEnd | Event::DocumentEnd => return Ok(YamlValue::Map(Vec::new())),
            event => return reader.value(event, 0),
        }
    }
}

struct YamlReader<'a> {
    parser: Parser<'a, granit_parser::StrInput<'a>>,
    nodes: usize,
}

impl<'a> YamlReader<'a> {
    fn next(&mut self) -> Result<Event<'a>, BadYaml> {
        match self.parser.next_event() {
            None => Ok(Event::StreamEnd),
            Some(Err(error)) => Err(BadYaml(error.to_string())),
            Some(Ok((event, _))) => Ok(event),
        }
    }

    fn value(&mut self, event: Event<'a>, depth: usize) -> Result<YamlValue, BadYaml> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return Err(BadYaml("it is too large or too deep".to_owned()));
        }
        match event {
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                let empty = plain && matches!(text.as_ref(), "~" | "null");
                Ok(YamlValue::Text(if empty {
                    String::new()
                } else {
                    text.into_owned()
                }))
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(YamlValue::List(items)),
                        event => items.push(self.value(event, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => self.map(depth),
            _ => Err(BadYaml("aliases are not understood here".to_owned())),
        }
    }

    fn map(&mut self, depth: usize) -> Result<YamlValue, BadYaml> {
        let mut entries: Vec<(String, YamlValue)> = Vec::new();
        loop {
            let key = match self.next()? {
                Event::MappingEnd => return Ok(YamlValue::Map(entries)),
                Event::Scalar(text, ..) => text.into_owned(),
                _ => return Err(BadYaml("a key is no text".to_owned())),
            };
            if entries.iter().any(|(entry_key, _)| *entry_key == key) {
                return Err(BadYaml(format!("`{key}` stands there twice")));
            }
            let event = self.next()?;
            let value = self.value(event, depth + 1)?;
            entries.push((key, value));
        }
    }
}

/// Formats a document: mappings as blocks, short lists of texts on one line.
pub fn format_yaml(value: &YamlValue) -> String {
    let mut out = String::new();
    write_block(&mut out, value, 0);
    out
}

fn write_block(out: &mut String, value: &YamlValue, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        YamlValue::Map(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                out.push_str(&format!("{indent}{}:", format_scalar(key)));
                write_nested(out, value, depth);
            }
        }
        YamlValue::List(items) if !items.is_empty() => {
            for item in items {
                match item {
                    YamlValue::Map(entries) if !entries.is_empty() => {
                        let mut text = String::new();
                        write_block(&mut text, item, depth + 1);
                        out.push_str(&format!("{indent}- {}", text.trim_start_matches(' ')));
                    }
                    YamlValue::List(inner) if !inner.is_empty() => {
                        out.push_str(&format!("{indent}-\n"));
                        write_block(out, item, depth + 1);
                    }
                    item => out.push_str(&format!("{indent}- {}\n", format_flow(item))),
                }
            }
        }
        value => out.push_str(&format!("{indent}{}\n", format_flow(value))),
    }
}

/// Writes the value after a key.
fn write_nested(out: &mut String, value: &YamlValue, depth: usize) {
    let line = format_flow(value);
    let short = !matches!(value, YamlValue::Map(entries) if !entries.is_empty());
    let plain = !value
        .items()
        .iter()
        .any(|item| !matches!(item, YamlValue::Text(text) if text.len() < 40));
    if short && plain && line.len() < 100 || matches!(value, YamlValue::Text(_)) {
        out.push_str(&format!(" {line}\n"));
    } else {
        out.push('\n');
        write_block(out, value, depth + 1);
    }
}

fn format_flow(value: &YamlValue) -> String {
    match value {
        YamlValue::Text(text) => format_scalar(text),
        YamlValue::List(items) => {
            let items: Vec<String> = items.iter().map(format_flow).collect();
            format!("[{}]", items.join(", "))
        }
        YamlValue::Map(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", format_scalar(key), format_flow(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// Formats a scalar on one line: plain if it cannot be misread as another type, otherwise quoted.
fn format_scalar(text: &str) -> String {
    let begins = text
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric() || c == '/');
    let word = !matches!(
        text,
        "null" | "true" | "false" | "yes" | "no" | "on" | "off"
    );
    if begins
        && word
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || " ._/-'()+@".contains(c))
        && !text.ends_with(' ')
    {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || ('\u{2028}'..='\u{2029}').contains(&c) || c == '\u{feff}' => {
                out.push_str(&format!("\\U{:08x}", u32::from(c)));
            }
            // Noncharacters, which a reader need not accept.
            c if u32::from(c) >= 0xfffe && u32::from(c) <= 0xffff => {
                out.push_str(&format!("\\U{:08x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_value() -> impl Strategy<Value = YamlValue> {
        let text = prop_oneof![
            "[ -~]{0,60}",
            "\\PC{0,12}",
            any::<String>(),
            Just("null".to_owned()),
            Just("1.10".to_owned()),
            Just("---".to_owned()),
        ];
        let leaf = text.clone().prop_map(YamlValue::Text);
        leaf.prop_recursive(4, 32, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(YamlValue::List),
                prop::collection::btree_map("[a-zA-Z_ -]{1,9}", inner, 0..5)
                    .prop_map(|map| YamlValue::Map(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn written_yaml_round_trips(value in any_value()) {
            let text = format_yaml(&value);
            prop_assert_eq!(parse_yaml(&text), Ok(value), "{}", text);
        }
    }

    #[test]
    fn hand_written_yaml_keeps_its_words() {
        let value =
            parse_yaml("a: 1.10\nb: yes\nc: [017, ~]\n# words\nd: |\n  two\n  lines\n").unwrap();
        assert_eq!(value.field("a"), "1.10");
        assert_eq!(value.field("b"), "yes");
        assert_eq!(value.get("c").unwrap().as_texts(), ["017", ""]);
        assert_eq!(value.field("d"), "two\nlines\n");
        assert_eq!(parse_yaml(""), Ok(YamlValue::Map(Vec::new())));
    }

    #[test]
    fn yaml_bombs_are_refused() {
        assert!(parse_yaml("a: &a [x]\nb: *a\n").is_err());
        assert!(parse_yaml(&format!("a: {}", "[".repeat(200))).is_err());
        assert!(parse_yaml("a: 1\na: 2\n").is_err());
        assert!(parse_yaml(&format!("a: [{}]", "x, ".repeat(250_000))).is_err());
    }
}
