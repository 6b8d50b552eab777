//! Preserves the text of numbers in `--json` output: a JSON value would print `1.50` as `1.5`.
//!
//! A number that a JSON value would print differently is stored in the value as a marked string.
//! [`kit::json::unmark_numbers`] turns that string into a number again in the printed text. A
//! number that is too large for a JSON value is a plain string, which clients can read.

use kit::json::NUMBER_MARK;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::RecordFields;

/// Parses JSON text into a value in which numbers keep their text.
pub(super) fn parse_exact(raw: &RawValue) -> Value {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let RecordFields(pairs) = RecordFields::parse(text);
            let mut object = Map::new();
            for (key, raw) in &pairs {
                object
                    .entry(key.as_str())
                    .or_insert_with(|| parse_exact(raw));
            }
            Value::Object(object)
        }
        Some(b'[') => {
            let items = serde_json::from_str::<Vec<&RawValue>>(text)
                .into_iter()
                .flatten();
            items.map(parse_exact).collect()
        }
        Some(b'-' | b'0'..=b'9') => match serde_json::from_str::<Value>(text) {
            Ok(Value::Number(number)) if number.to_string().as_str() == text => number.into(),
            Ok(_) => Value::String(format!("{NUMBER_MARK}{text}")),
            Err(_) => Value::String(text.to_owned()),
        },
        _ => serde_json::from_str(text).unwrap_or(Value::Null),
    }
}

/// Removes the whitespace between JSON tokens, so that the text fits on one line. Numbers and
/// strings keep their text.
pub fn compact_json(text: &str) -> serde_json::Result<Box<RawValue>> {
    let raw: Box<RawValue> = serde_json::from_str(text)?;
    let mut out = String::with_capacity(text.len());
    let mut quoted = false;
    let mut escaped = false;
    for c in raw.get().chars() {
        if quoted {
            (quoted, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            quoted = c == '"';
        }
        out.push(c);
    }
    RawValue::from_string(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> String {
        let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
        kit::json::unmark_numbers(serde_json::to_string(&parse_exact(&raw)).unwrap())
    }

    #[test]
    fn numbers_are_printed_exactly_as_read() {
        for text in [
            r#"{"a":1.50,"b":[1e5,-0.10,{"c":123456789012345678901234567890}],"d":7,"e":"1.50"}"#,
            "1.50",
            "[]",
            r#""plain""#,
        ] {
            assert_eq!(printed(text), text);
        }
        assert_eq!(printed("[1e999]"), r#"["1e999"]"#);
    }

    #[test]
    fn foreign_text_with_the_number_marker_stays_a_string() {
        let text = format!(r#"["{NUMBER_MARK}x","\"{NUMBER_MARK}1","{NUMBER_MARK}1\\"]"#);
        assert_eq!(printed(&text), text);
    }

    #[test]
    fn whitespace_outside_strings_is_removed() {
        let text = compact_json("{ \"a b\" : [1.50 ,\n \"c \\\" d\" ] }").unwrap();
        assert_eq!(text.get(), r#"{"a b":[1.50,"c \" d"]}"#);
        assert!(compact_json("{bad").is_err());
    }
}
