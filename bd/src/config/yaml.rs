//! Parses `config.yaml` into flat dotted keys, and edits single lines of it.
//!
//! Keys may be flat (`sync.mode: x`) or nested; both parse alike. An edit touches only the line of
//! a top-level key, so comments and order stay unchanged.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::DuplicateKeyPolicy;

/// The mark that some editors write before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Parses a document. The error is the parser's own text.
pub fn parse_flat(text: &str) -> Result<BTreeMap<String, String>, String> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    if let Some(flat) = parse_simple(text) {
        return Ok(flat);
    }
    parse_document(text)
}

fn parse_document(text: &str) -> Result<BTreeMap<String, String>, String> {
    if !text.lines().any(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && line != "---"
    }) {
        return Ok(BTreeMap::new());
    }
    let parse_flat_with = |policy| {
        let mut flat = BTreeMap::new();
        parse_with_policy(text, MAX_SETTING_NODES, policy)?.flatten("", &mut flat);
        Ok::<_, String>(flat)
    };
    // Every command parses the file, so it is parsed again only if it has a fault.
    if let Ok(flat) = parse_flat_with(DuplicateKeyPolicy::Error) {
        return Ok(flat);
    }
    // A file that several programs edit may have a key twice.
    let first = parse_flat_with(DuplicateKeyPolicy::FirstWins)?;
    let last = parse_flat_with(DuplicateKeyPolicy::LastWins)?;
    match first
        .iter()
        .find(|(key, value)| last.get(*key) != Some(*value))
    {
        Some((key, value)) => {
            let other = last.get(key).map_or("", String::as_str);
            Err(format!(
                "{key} is set to {value:?} and to {other:?}: keep one of the lines"
            ))
        }
        None => Ok(first),
    }
}

/// The maximum number of nodes of a settings file.
const MAX_SETTING_NODES: usize = 10_000;

/// Parses a typical document without the YAML parser, which takes many times as long, because every
/// command parses one. The document must be ASCII and contain only comments, blank lines and unique
/// lower-case keys, each with its value on the same line in a form that [`set_key`] writes without
/// escapes. Returns `None` for all other documents.
fn parse_simple(text: &str) -> Option<BTreeMap<String, String>> {
    if text.len() > MAX_SIMPLE_LENGTH
        || !text
            .bytes()
            .all(|byte| byte == b'\n' || byte == b' ' || byte.is_ascii_graphic())
    {
        return None;
    }
    let mut flat = BTreeMap::new();
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(": ")?;
        let value = match value.strip_prefix('"') {
            Some(rest) => rest.strip_suffix('"')?,
            None if is_bare(value) => value,
            None => return None,
        };
        // A key named null is an error.
        if key == "null"
            || key.len() > MAX_KEY_LENGTH
            || !key
                .chars()
                .all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '.'))
            || !key.starts_with(|c: char| c.is_ascii_lowercase())
            || value.contains(['"', '\\'])
            || flat.insert(key.to_owned(), value.to_owned()).is_some()
        {
            return None;
        }
    }
    Some(flat)
}

/// The maximum length of a document for [`parse_simple`]. A document of this length cannot exceed
/// the node limit of the parser.
const MAX_SIMPLE_LENGTH: usize = 16 << 10;

/// The maximum length of a key on the line of its value (YAML 1.2.2, 7.4.2).
const MAX_KEY_LENGTH: usize = 1024;

/// The maximum nesting depth of a document.
const MAX_DEPTH: usize = 64;

/// Parses a document with at most `nodes` nodes, including the nodes that aliases repeat. The error
/// is the parser's own text.
pub fn parse_tree(text: &str, nodes: usize) -> Result<YamlNode, String> {
    parse_with_policy(text, nodes, DuplicateKeyPolicy::Error)
}

fn parse_with_policy(
    text: &str,
    nodes: usize,
    duplicate_keys: DuplicateKeyPolicy,
) -> Result<YamlNode, String> {
    let mut budget = serde_saphyr::Budget::default();
    budget.max_nodes = nodes;
    budget.max_depth = MAX_DEPTH;
    let mut options = serde_saphyr::Options::default();
    options.strict_booleans = true;
    options.leading_zero_numbers_as_strings = true;
    options.budget = Some(budget);
    options.with_snippet = false;
    options.duplicate_keys = duplicate_keys;
    serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())
}

/// A YAML value whose scalars are text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlNode {
    /// A scalar; `null` is empty text.
    Text(String),
    List(Vec<YamlNode>),
    /// A mapping in document order.
    Map(Vec<(String, YamlNode)>),
}

impl YamlNode {
    fn flatten(self, path: &str, flat: &mut BTreeMap<String, String>) {
        match self {
            Self::Text(text) => {
                flat.insert(path.to_owned(), text);
            }
            Self::List(items) => {
                let words: Vec<String> = items
                    .into_iter()
                    .filter_map(|item| match item {
                        Self::Text(text) => Some(text),
                        Self::List(_) | Self::Map(_) => None,
                    })
                    .collect();
                flat.insert(path.to_owned(), words.join(","));
            }
            Self::Map(entries) => {
                for (key, node) in entries {
                    let key = key.to_lowercase();
                    let path = if path.is_empty() {
                        key
                    } else {
                        format!("{path}.{key}")
                    };
                    node.flatten(&path, flat);
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeReader)
    }
}

struct NodeReader;

impl<'de> Visitor<'de> for NodeReader {
    type Value = YamlNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a setting")
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(String::new()))
    }

    fn visit_none<E>(self) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(String::new()))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlNode, D::Error> {
        YamlNode::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<YamlNode, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(YamlNode::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<YamlNode, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(YamlNode::Map(map))
    }
}

/// Returns the document with `key` set. The first line of the key, even if commented out, is
/// replaced in place; otherwise a line is appended.
pub fn set_key(text: &str, key: &str, value: &str) -> String {
    let fresh = format!("{key}: {}", format_scalar(value));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let live = lines
        .iter()
        .position(|line| key_of(line, false) == Some(key));
    let at = live.or_else(|| {
        lines
            .iter()
            .position(|line| key_of(line, true) == Some(key))
    });
    if let Some(at) = at {
        lines[at] = fresh;
    } else {
        if lines.last().is_some_and(|line| !line.trim().is_empty()) {
            lines.push(String::new());
        }
        lines.push(fresh);
    }
    lines.join("\n") + "\n"
}

/// Returns the document without the line of `key`, or `None` if there is no such line.
pub fn remove_key(text: &str, key: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let at = lines
        .iter()
        .position(|line| key_of(line, false) == Some(key))?;
    lines.remove(at);
    Some(lines.join("\n") + "\n")
}

fn key_of(line: &str, commented: bool) -> Option<&str> {
    let line = line.trim_start_matches(BYTE_ORDER_MARK);
    let line = match line.strip_prefix('#') {
        Some(rest) if commented => rest.trim_start(),
        Some(_) => return None,
        None => line,
    };
    let (key, rest) = line.split_once(':')?;
    let plain = rest.is_empty() || rest.starts_with(' ');
    (plain
        && !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
    .then_some(key)
}

/// Returns true if a value is written without quotes.
fn is_bare(value: &str) -> bool {
    let number = value
        .parse::<i64>()
        .is_ok_and(|number| number.to_string() == value);
    let duration = value.len() > 1
        && value.ends_with(['s', 'm', 'h'])
        && value[..value.len() - 1]
            .bytes()
            .all(|byte| byte.is_ascii_digit());
    number || duration || matches!(value, "true" | "false")
}

/// Formats a value as YAML: booleans, numbers and durations bare, all other text in double quotes.
fn format_scalar(value: &str) -> String {
    if is_bare(value) {
        return value.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() => {
                quoted.extend(['\\', 'x', encode_hex_digit(c, 4), encode_hex_digit(c, 0)]);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Encodes one hexadecimal digit of a control character.
fn encode_hex_digit(c: char, shift: u32) -> char {
    char::from_digit((u32::from(c) >> shift) & 0xf, 16).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn flat_and_nested_keys_read_the_same() {
        let flat = parse_flat("sync.mode: x\nno-db: true\n").unwrap();
        let nested = parse_flat("sync:\n  mode: x\nNO-DB: true\n").unwrap();
        assert_eq!(flat, nested);
        assert_eq!(flat["sync.mode"], "x");
    }

    #[test]
    fn a_byte_order_mark_and_carriage_returns_change_no_setting() {
        let settings = parse_flat("\u{feff}sync.mode: x\r\nno-db: true\r\n").unwrap();
        assert_eq!(settings["sync.mode"], "x");
        assert_eq!(settings["no-db"], "true");
        let text = set_key("\u{feff}issue-prefix: a\n", "issue-prefix", "b");
        assert_eq!(text, "issue-prefix: \"b\"\n");
    }

    #[test]
    fn scalars_keep_their_text() {
        let settings =
            parse_flat("a: y\nb: no\nc: 080\nd: 5s\ne: [p, q]\nf:\ng: 'true'\n").unwrap();
        let texts: Vec<_> = settings.values().map(String::as_str).collect();
        assert_eq!(texts, ["y", "no", "080", "5s", "p,q", "", "true"]);
    }

    #[test]
    fn a_file_of_comments_is_empty_and_a_broken_one_is_an_error() {
        assert!(parse_flat("# nothing\n\n").unwrap().is_empty());
        assert!(parse_flat("a: [").is_err());
    }

    #[test]
    fn setting_replaces_one_line_and_keeps_the_rest() {
        let text = "# about\n# issue-prefix: \"\"\nno-db: false # why\n";
        let text = set_key(text, "issue-prefix", "hq");
        assert_eq!(text, "# about\nissue-prefix: \"hq\"\nno-db: false # why\n");
        let text = set_key(&text, "sync.mode", "git-portable");
        assert!(text.ends_with("\n\nsync.mode: \"git-portable\"\n"));
        let text = remove_key(&text, "issue-prefix").unwrap();
        assert!(!text.contains("issue-prefix"));
        assert_eq!(remove_key(&text, "issue-prefix"), None);
    }

    const KEYS: &str = "a|b|sync.mode|no-db|true|null|n|~|A|a b|-|-a|.|a.|1|a_b|#a";
    const COLONS: &str = ": |: |: |:  |:| : |:\t| ";
    const VALUES: &str = concat!(
        "\"bd\"|\"null\"|\"~\"|\"true\"|\"007\"|\"<<\"|\"\"|\" x \"|\"a: b # c\"|\"a\\n\"|\"a\"b\"|\"a|a\"|\"|true|false|True|yes|null|7|-7|-0|007|5s|05m|0x1|1_0|1e3|x # y|",
        "\"x\" # y|'x'|[a, b]|{a: b}|&a x|*a|!t x|\"é\"|\"\u{85}\"||- a"
    );
    const OTHERS: &str = "| |#|# why: \"x\"| # why|---|...|%YAML 1.2|- a|  a: b|\t|# é|\u{feff}|>";

    fn one_of(texts: &'static str) -> impl Strategy<Value = &'static str> {
        prop::sample::select(texts.split('|').collect::<Vec<_>>())
    }

    /// A line of settings, well or badly written.
    fn line() -> impl Strategy<Value = String> {
        let setting = (one_of(KEYS), one_of(COLONS), one_of(VALUES))
            .prop_map(|(key, colon, value)| format!("{key}{colon}{value}"));
        prop_oneof![4 => setting, 1 => one_of(OTHERS).prop_map(str::to_owned)]
    }

    #[test]
    fn a_key_may_be_as_long_as_the_parser_allows() {
        for length in [1023, 1024, 1025, 2000] {
            let text = format!("a: 1\n{}: \"x\"\n", "k".repeat(length));
            assert_eq!(
                parse_flat(&text).is_ok(),
                parse_document(&text).is_ok(),
                "{length}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_fast_reader_agrees_with_the_yaml_parser(
            lines in prop::collection::vec(line(), 0..6),
            end in prop::sample::select(vec!["\n", "", "\r\n", "\n\n"]),
        ) {
            let text = lines.join("\n") + end;
            if let Some(flat) = parse_simple(&text) {
                prop_assert_eq!(Ok(flat), parse_document(&text), "{:?}", text);
            }
        }

        #[test]
        fn every_value_that_is_set_is_read_back(value in "\\PC*") {
            let text = set_key("a: 1\n", "types.custom", &value);
            let settings = parse_flat(&text).unwrap();
            prop_assert_eq!(settings["types.custom"].as_str(), value.as_str());
        }
    }
}
