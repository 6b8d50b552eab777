//! JSON as existing clients of Beads write it: escapes of markup characters, and numbers that keep
//! their text.

use std::io;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::ser::{Formatter, PrettyFormatter};

/// The mark of a string that holds the text of a number. No user types this mark.
pub const NUMBER_MARK: &str = "\u{fffe}number:";

/// Returns a JSON text without the byte-order mark that some editors write before it. The parser
/// refuses the mark.
pub fn strip_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Writes an absent text as an empty one, for answers and files in which `""` stands for none.
pub fn serialize_or_empty<S: Serializer>(
    text: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text.as_deref().unwrap_or(""))
}

/// A formatter that escapes characters that are unsafe in HTML, and otherwise delegates to `F`.
pub struct EscapingFormatter<F>(pub F);

macro_rules! forward {
    ($($name:ident($($arg:ident: $kind:ty),*);)*) => {
        $(fn $name<W: ?Sized + io::Write>(&mut self, writer: &mut W, $($arg: $kind),*) -> io::Result<()> {
            self.0.$name(writer, $($arg),*)
        })*
    };
}

impl<F: Formatter> Formatter for EscapingFormatter<F> {
    forward! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = memchr::memchr3(b'<', b'>', b'&', rest.as_bytes()) {
            write_escaping_separators(writer, &rest[..at])?;
            write!(writer, "\\u{:04x}", rest.as_bytes()[at])?;
            rest = &rest[at + 1..];
        }
        write_escaping_separators(writer, rest)
    }
}

/// Writes text without markup, and escapes its line and paragraph separators.
fn write_escaping_separators<W: ?Sized + io::Write>(writer: &mut W, text: &str) -> io::Result<()> {
    let mut rest = text;
    // The byte that begins both separators is rare, and searching for a byte is much faster than
    // searching for a character.
    if memchr::memchr(0xe2, text.as_bytes()).is_some() {
        while let Some((at, separator)) = rest
            .char_indices()
            .find(|(_, c)| matches!(c, '\u{2028}' | '\u{2029}'))
        {
            writer.write_all(&rest.as_bytes()[..at])?;
            write!(writer, "\\u{:04x}", u32::from(separator))?;
            rest = &rest[at + separator.len_utf8()..];
        }
    }
    writer.write_all(rest.as_bytes())
}

/// Replaces the marked strings in printed JSON by numbers.
pub fn unmark_numbers(text: String) -> String {
    let quoted = format!("\"{NUMBER_MARK}");
    if memchr::memmem::find(text.as_bytes(), quoted.as_bytes()).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(&quoted) {
        let (before, marked) = rest.split_at(at);
        let marked = &marked[quoted.len()..];
        let number = marked.split('"').next().unwrap_or("");
        let is_number = number.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
            && serde_json::from_str::<Value>(number).is_ok();
        out.push_str(before);
        // After a backslash the mark is part of another string.
        if is_number && !before.ends_with('\\') {
            out.push_str(number);
            rest = &marked[number.len() + 1..];
        } else {
            out.push_str(&quoted);
            rest = marked;
        }
    }
    out.push_str(rest);
    out
}

/// Formats a value as indented JSON with the escapes of existing clients and a final newline.
pub fn to_pretty_json(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let formatter = EscapingFormatter(PrettyFormatter::with_indent(b"  "));
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // Writing a JSON value into memory cannot fail, and JSON is UTF-8.
    value.serialize(&mut serializer).ok();
    bytes.push(b'\n');
    unmark_numbers(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_escaped_and_keeps_empty_lists() {
        let value = serde_json::json!({"a": "<&>", "list": [], "map": {}});
        assert_eq!(
            to_pretty_json(&value),
            "{\n  \"a\": \"\\u003c\\u0026\\u003e\",\n  \"list\": [],\n  \"map\": {}\n}\n"
        );
    }
}
