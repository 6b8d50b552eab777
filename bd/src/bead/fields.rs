//! `key: value` lines in descriptions, where existing clients keep structured facts.
//!
//! Keys are found in any case and in their snake, kebab and joined spellings. Lines that are no field
//! keep their place and their bytes. Front matter, a block between two lines `---` at the very start, is none of
//! them: it stays where it is, and its lines are no fields.

/// The front matter with the lines around it, and what follows; the first is empty where there is none.
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

/// The value of the first line with this key; an empty value counts as absent.
pub fn get(description: &str, key: &str) -> Option<String> {
    let key = fold(key);
    split_front_matter(description)
        .1
        .lines()
        .filter_map(split)
        .find(|(own, value)| fold(own) == key && !value.is_empty())
        .map(|(_, value)| value.to_owned())
}

/// The description with `key` set to `value`, or without it. An existing line is replaced where it
/// stands; a new one goes to the block of fields at the top, or starts it, followed by a blank line.
pub fn set(description: &str, key: &str, value: Option<&str>) -> String {
    let (front, text) = split_front_matter(description);
    let gap = if front.is_empty() || front.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{front}{gap}{}", set_in(text, key, value))
}

fn set_in(description: &str, key: &str, value: Option<&str>) -> String {
    let wanted = fold(key);
    let fresh = value.map(|value| format!("{key}: {}", value.replace(['\n', '\r'], " ")));
    let mut lines: Vec<String> = description.lines().map(str::to_owned).collect();
    let is_wanted = |line: &String| split(line).is_some_and(|(own, _)| fold(own) == wanted);
    match (lines.iter().position(is_wanted), fresh) {
        (Some(at), Some(fresh)) => lines[at] = fresh,
        (Some(at), None) => {
            lines.remove(at);
            let block_gone = at == 0 && lines.first().is_some_and(|line| line.trim().is_empty());
            if block_gone {
                lines.remove(0);
            }
        }
        (None, Some(fresh)) => insert(&mut lines, fresh),
        (None, None) => return description.to_owned(),
    }
    let mut text = lines.join("\n");
    if description.ends_with('\n') && !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Puts a new field after the leading block of fields.
fn insert(lines: &mut Vec<String>, fresh: String) {
    let block = lines
        .iter()
        .take_while(|line| split(line).is_some())
        .count();
    lines.insert(block, fresh);
    if block == 0 && lines.len() > 1 && !lines[1].trim().is_empty() {
        lines.insert(1, String::new());
    }
}

/// Splits a line into a key, one word of letters, digits, `_` and `-`, and its value.
fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain = value.is_empty() || value.starts_with([' ', '\t']);
    (!key.is_empty() && key.chars().all(word) && plain).then(|| (key, value.trim()))
}

/// A key without case and separators.
fn fold(key: &str) -> String {
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
            assert_eq!(get(text, "attached_molecule").as_deref(), Some("m-1"));
        }
        assert_eq!(get("attached_molecule:", "attached_molecule"), None);
    }

    #[test]
    fn a_value_with_colons_is_whole() {
        assert_eq!(
            get("url: https://x:8/y", "url").as_deref(),
            Some("https://x:8/y")
        );
        assert_eq!(get("https://x", "https"), None);
    }

    #[test]
    fn setting_keeps_all_other_lines() {
        let text = "branch: a\n\nSome words: here\nTarget of it";
        let text = set(text, "branch", Some("b"));
        let text = set(&text, "worker", Some("nux"));
        assert_eq!(
            text,
            "branch: b\nworker: nux\n\nSome words: here\nTarget of it"
        );
        assert_eq!(
            set(&text, "branch", None),
            "worker: nux\n\nSome words: here\nTarget of it"
        );
    }

    #[test]
    fn the_first_field_makes_its_own_block() {
        assert_eq!(
            set("Do it.", "convoy", Some("hq-cv-1")),
            "convoy: hq-cv-1\n\nDo it."
        );
        assert_eq!(set("", "convoy", Some("hq-cv-1")), "convoy: hq-cv-1");
        assert_eq!(set("convoy: hq-cv-1\n\nDo it.", "convoy", None), "Do it.");
    }

    #[test]
    fn front_matter_stays_first_and_its_lines_are_no_fields() {
        let text = "---\nkeeper: ADR-017\n---\nDo it.\n";
        assert_eq!(get(text, "keeper"), None);
        let set_once = set(text, "convoy", Some("hq-cv-1"));
        assert_eq!(
            set_once,
            "---\nkeeper: ADR-017\n---\nconvoy: hq-cv-1\n\nDo it.\n"
        );
        assert_eq!(set(&set_once, "convoy", None), text);
        assert_eq!(
            set("---\na: b\n---", "convoy", Some("x")),
            "---\na: b\n---\nconvoy: x"
        );
        let open = "---\nkeeper: never closed";
        assert_eq!(split_front_matter(open), ("", open));
    }

    #[test]
    fn a_value_stays_on_one_line() {
        assert_eq!(set("", "note", Some("a\nb: c")), "note: a b: c");
    }
}
