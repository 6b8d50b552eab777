//! Reads and writes `key: value` lines in descriptions, where existing clients store structured
//! facts.
//!
//! Keys match in any case and in their snake, kebab and joined spellings. All other lines keep
//! their place and their bytes. Front matter, a block between two `---` lines at the very start,
//! stays in place, and its lines are not fields.

use std::str::Lines;

/// Splits a description into the front matter, delimiters included, and the rest. Without front
/// matter, the rest is the whole description.
pub fn split_front_matter(description: &str) -> (&str, &str) {
    let Some(after) = description.strip_prefix("---\n") else {
        return ("", description);
    };
    let mut at = "---\n".len();
    for line in after.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" {
            return description.split_at(at);
        }
    }
    ("", description)
}

/// Splits a description into the block of fields at the top, with the front matter before it and
/// the blank line after it, and the rest.
pub fn split_block(description: &str) -> (&str, &str) {
    let (front, text) = split_front_matter(description);
    let mut at = front.len();
    for line in text.split_inclusive('\n') {
        if split_field(line).is_none() {
            at += if line.trim().is_empty() {
                line.len()
            } else {
                0
            };
            break;
        }
        at += line.len();
    }
    description.split_at(at)
}

/// Returns the value of the first line with this key. An empty value counts as absent.
pub fn get_field(description: &str, key: &str) -> Option<String> {
    let key = normalize_key(key);
    split_front_matter(description)
        .1
        .lines()
        .filter_map(split_field)
        .find(|(name, value)| normalize_key(name) == key && !value.is_empty())
        .map(|(_, value)| value.to_owned())
}

/// Returns the description with `key` set to `value`, or without the field if `value` is `None`. An
/// existing line is replaced in place. A new line joins the block of fields at the top, or starts
/// that block, followed by a blank line.
pub fn set_field(description: &str, key: &str, value: Option<&str>) -> String {
    set_below_front_matter(description, key, value, str::lines)
}

/// Like [`set_field`], for a field that occurs only in the block at the top. A similar line further
/// down is user text.
pub fn set_field_at_top(description: &str, key: &str, value: Option<&str>) -> String {
    set_below_front_matter(description, key, value, |text| split_block(text).0.lines())
}

fn set_below_front_matter(
    description: &str,
    key: &str,
    value: Option<&str>,
    candidate_lines: fn(&str) -> Lines<'_>,
) -> String {
    let (front, text) = split_front_matter(description);
    let gap = if front.is_empty() || front.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!(
        "{front}{gap}{}",
        set_in_text(text, key, value, candidate_lines)
    )
}

fn set_in_text(
    description: &str,
    key: &str,
    value: Option<&str>,
    candidate_lines: fn(&str) -> Lines<'_>,
) -> String {
    let wanted = normalize_key(key);
    let fresh = value.map(|value| format!("{key}: {}", value.replace(['\n', '\r'], " ")));
    let mut lines: Vec<String> = description.lines().map(str::to_owned).collect();
    match (
        candidate_lines(description).position(|line| {
            split_field(line).is_some_and(|(name, _)| normalize_key(name) == wanted)
        }),
        fresh,
    ) {
        (Some(at), Some(fresh)) => lines[at] = fresh,
        (Some(at), None) => {
            lines.remove(at);
            let block_gone = at == 0 && lines.first().is_some_and(|line| line.trim().is_empty());
            if block_gone {
                lines.remove(0);
            }
        }
        (None, Some(fresh)) => insert_field(&mut lines, fresh),
        (None, None) => return description.to_owned(),
    }
    let mut text = lines.join("\n");
    if description.ends_with('\n') && !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Inserts a new field after the leading block of fields.
fn insert_field(lines: &mut Vec<String>, field_line: String) {
    let block = lines
        .iter()
        .take_while(|line| split_field(line).is_some())
        .count();
    lines.insert(block, field_line);
    if block == 0 && lines.len() > 1 && !lines[1].trim().is_empty() {
        lines.insert(1, String::new());
    }
}

/// Splits a line into a key, one word of letters, digits, `_` and `-`, and the value.
fn split_field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim();
    let plain = value.is_empty() || value.starts_with([' ', '\t']);
    (!key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        && plain)
        .then(|| (key, value.trim()))
}

/// Returns the key without case and separators.
fn normalize_key(key: &str) -> String {
    key.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_every_spelling() {
        for text in [
            "attached_molecule: m-1",
            "Attached-Molecule: m-1",
            "AttachedMolecule:  m-1 ",
        ] {
            assert_eq!(get_field(text, "attached_molecule").as_deref(), Some("m-1"));
        }
        assert_eq!(get_field("attached_molecule:", "attached_molecule"), None);
    }

    #[test]
    fn a_value_may_contain_colons() {
        assert_eq!(
            get_field("url: https://x:8/y", "url").as_deref(),
            Some("https://x:8/y")
        );
        assert_eq!(get_field("https://x", "https"), None);
    }

    #[test]
    fn setting_a_field_keeps_all_other_lines() {
        let text = "branch: a\n\nSome words: here\nTarget of it";
        let text = set_field(text, "branch", Some("b"));
        let text = set_field(&text, "worker", Some("nux"));
        assert_eq!(
            text,
            "branch: b\nworker: nux\n\nSome words: here\nTarget of it"
        );
        assert_eq!(
            set_field(&text, "branch", None),
            "worker: nux\n\nSome words: here\nTarget of it"
        );
    }

    #[test]
    fn the_first_field_starts_its_own_block() {
        assert_eq!(
            set_field("Do it.", "convoy", Some("hq-cv-1")),
            "convoy: hq-cv-1\n\nDo it."
        );
        assert_eq!(set_field("", "convoy", Some("hq-cv-1")), "convoy: hq-cv-1");
        assert_eq!(
            set_field("convoy: hq-cv-1\n\nDo it.", "convoy", None),
            "Do it."
        );
    }

    #[test]
    fn front_matter_stays_first_and_its_lines_are_not_fields() {
        let text = "---\nkeeper: ADR-017\n---\nDo it.\n";
        assert_eq!(get_field(text, "keeper"), None);
        let set_once = set_field(text, "convoy", Some("hq-cv-1"));
        assert_eq!(
            set_once,
            "---\nkeeper: ADR-017\n---\nconvoy: hq-cv-1\n\nDo it.\n"
        );
        assert_eq!(set_field(&set_once, "convoy", None), text);
        assert_eq!(
            set_field("---\na: b\n---", "convoy", Some("x")),
            "---\na: b\n---\nconvoy: x"
        );
        let open = "---\nkeeper: never closed";
        assert_eq!(split_front_matter(open), ("", open));
    }

    #[test]
    fn the_block_of_fields_ends_with_the_first_other_line() {
        for (block, rest) in [
            ("convoy: hq-cv-1\nbranch: a\n\n", "New columns\nat: time\n"),
            ("---\na: b\n---\nconvoy: x\n", "Do it now\nat: time"),
            ("", "Do it.\n\nat: time"),
            ("convoy: x", ""),
            ("", ""),
        ] {
            let whole = format!("{block}{rest}");
            assert_eq!(split_block(&whole), (block, rest));
        }
    }

    #[test]
    fn setting_a_field_keeps_a_similar_line_below_the_block() {
        let text = "New columns\nat: time";
        let set_once = set_field_at_top(text, "at", Some("now"));
        assert_eq!(set_once, "at: now\n\nNew columns\nat: time");
        let again = set_field_at_top(&set_once, "at", Some("then"));
        assert_eq!(again, "at: then\n\nNew columns\nat: time");
        assert_eq!(set_field_at_top(&again, "at", None), text);
        assert_eq!(set_field_at_top(text, "at", None), text);
    }

    #[test]
    fn a_value_stays_on_one_line() {
        assert_eq!(set_field("", "note", Some("a\nb: c")), "note: a b: c");
    }
}
