//! Checks the names of rigs, and derives the prefixes of their beads.

use super::RigError;

/// Names that have another meaning in a town.
const RESERVED_NAMES: &[&str] = &[
    "mayor", "deacon", "witness", "refinery", "polecats", "crew", "settings", "config", "plugins",
    "logs", "daemon", "roles", "hooks", "overseer", "human", "hq", "town",
];

/// Suffixes that name a programming language or platform.
const LANGUAGE_SUFFIXES: &[&str] = &["-py", "-go", "-rs", "-js", "-ts"];

/// Words that end a compound name.
const COMPOUND_ENDINGS: &[&str] = &[
    "town", "ville", "port", "place", "land", "field", "wood", "ford",
];

/// Checks a rig's name: letters, digits and `_`, because `-` and `.` are separators in session
/// names and bead ids.
pub fn check_rig_name(name: &str) -> Result<(), RigError> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if RESERVED_NAMES.contains(&name.to_ascii_lowercase().as_str()) {
        "the town uses it itself"
    } else if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        "only letters, digits and _ are allowed"
    } else if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        "it must begin with a letter"
    } else if name.len() > 40 {
        "it is longer than 40 characters"
    } else {
        return Ok(());
    };
    Err(RigError::BadName {
        name: name.to_owned(),
        reason,
        suggestion: suggest_name(name),
    })
}

/// Derives a rig's name from a repository's URL or path: the last part, without `.git`.
pub fn derive_rig_name(url: &str) -> String {
    let path = url.trim_end_matches('/');
    let path = path.strip_suffix("/.git").unwrap_or(path);
    let last = path.rsplit(['/', ':']).next().unwrap_or("");
    suggest_name(last.strip_suffix(".git").unwrap_or(last))
}

fn suggest_name(name: &str) -> String {
    let kept_chars: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .take(40)
        .collect();
    let name = kept_chars
        .trim_matches('_')
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .to_owned();
    if name.is_empty() {
        "rig".to_owned()
    } else if RESERVED_NAMES.contains(&name.as_str()) {
        format!("{name}_rig")
    } else {
        name
    }
}

/// Derives a prefix from a rig's name: the initials of its words, a short name itself, otherwise
/// the first two letters.
pub fn derive_prefix(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let language = LANGUAGE_SUFFIXES
        .iter()
        .find_map(|ending| lower.strip_suffix(ending));
    let base = language.unwrap_or(&lower);
    let mut parts: Vec<&str> = base
        .split(['-', '_'])
        .filter(|part| !part.is_empty())
        .collect();
    if let [whole] = parts[..] {
        let cut = COMPOUND_ENDINGS.iter().find_map(|ending| {
            let stem = whole.strip_suffix(ending)?;
            (!stem.is_empty()).then_some([stem, ending])
        });
        if let Some(halves) = cut {
            parts = halves.to_vec();
        }
    }
    if parts.len() > 1 {
        return parts
            .iter()
            .filter_map(|part| part.chars().next())
            .collect();
    }
    if base.len() <= 3 {
        return base.to_owned();
    }
    base.chars().take(2).collect()
}

/// Checks a prefix and returns it without its hyphen.
pub(super) fn check_prefix(prefix: &str) -> Result<String, RigError> {
    let prefix = prefix.trim_end_matches('-');
    let good = !prefix.is_empty()
        && prefix.len() <= 20
        && prefix.starts_with(|c: char| c.is_ascii_alphabetic())
        && prefix
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if good {
        return Ok(prefix.to_owned());
    }
    let prefix = prefix.to_owned();
    Err(RigError::BadPrefix { prefix })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_derived_like_existing_clients() {
        for (name, prefix) in [
            ("gastown", "gt"),
            ("beads", "be"),
            ("web", "web"),
            ("my_project", "mp"),
            ("longeye_py", "lp"),
            ("wyvern-go", "wy"),
            ("town", "to"),
            ("Ab", "ab"),
        ] {
            assert_eq!(derive_prefix(name), prefix, "{name}");
        }
    }

    #[test]
    fn an_invalid_name_gets_a_valid_suggestion() {
        for (name, better) in [
            ("my-app", "my_app"),
            ("my.app v2", "my_app_v2"),
            ("Mayor", "mayor_rig"),
            ("", "rig"),
            ("9lives", "lives"),
            ("../x", "x"),
        ] {
            let error = check_rig_name(name).unwrap_err();
            assert!(
                matches!(&error, RigError::BadName { suggestion, .. } if suggestion == better),
                "{error}"
            );
            check_rig_name(better).unwrap();
        }
        check_rig_name("web_2").unwrap();
    }

    #[test]
    fn a_prefix_is_short_and_starts_with_a_letter() {
        assert_eq!(check_prefix("gt-").unwrap(), "gt");
        for bad in ["", "1a", "a_b", "abcdefghijklmnopqrstu"] {
            assert!(check_prefix(bad).is_err(), "{bad}");
        }
    }
}
