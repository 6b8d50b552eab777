//! Reads a file of git's settings for who the user is, where that takes no more than to look at its lines.
//!
//! Most files are such, and to begin with the library takes ten times as long as to read them. What must
//! always hold: the answer is the git command's; a file with a line that git might call an error, or that
//! goes on in the next one, is left to the command.

use super::user::{Odd, Sure, User};

/// The user of a file of settings, nothing where it names none; `None` where that takes more than a look.
pub(super) fn user(text: &[u8]) -> Sure<Option<User>> {
    let text = std::str::from_utf8(text).map_err(|_| Odd)?;
    let is_odd = |c: char| (c.is_control() || c.is_whitespace()) && !matches!(c, '\n' | '\t' | ' ');
    if text.contains(is_odd) {
        return Err(Odd);
    }
    let mut user = User::default();
    let mut is_plain = true;
    let mut section = None;
    for line in text.lines() {
        let line = line.trim_matches(BLANK);
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.ends_with('\\') || line.matches('"').count() % 2 == 1 {
            return Err(Odd);
        }
        if let Some(header) = line.strip_prefix('[') {
            section = Some(Section::read(header.strip_suffix(']').ok_or(Odd)?)?);
            is_plain &= !matches!(section, Some(Section::Include));
            continue;
        }
        let (key, value) = setting(line)?;
        let section = section.as_ref().ok_or(Odd)?;
        let place = match (section, key.as_str()) {
            (Section::User, "name") => &mut user.name,
            (Section::User, "email") => &mut user.email,
            (Section::Core, "repositoryformatversion") if value != Some("0") => return Err(Odd),
            _ => continue,
        };
        let value = value.filter(|value| !value.is_empty()).ok_or(Odd)?;
        is_plain &= !value.contains(['"', '\\', '#', ';', '\t']);
        *place = Some(value.to_owned());
    }
    Ok(is_plain.then_some(user))
}

const BLANK: [char; 2] = [' ', '\t'];

enum Section {
    User,
    Core,
    Include,
    Other,
}

impl Section {
    /// By what stands between the brackets.
    fn read(header: &str) -> Sure<Self> {
        let (name, part) = match header.split_once(' ') {
            Some((name, part)) => {
                let part = part
                    .strip_prefix('"')
                    .and_then(|part| part.strip_suffix('"'));
                (name, Some(part.ok_or(Odd)?))
            }
            None => (header, None),
        };
        if !is_name(name) || part.is_some_and(|part| part.contains(['"', '\\'])) {
            return Err(Odd);
        }
        match (name.to_ascii_lowercase().as_str(), part) {
            ("extensions", _) => Err(Odd),
            ("include" | "includeif", _) => Ok(Self::Include),
            ("user", None) => Ok(Self::User),
            ("core", None) => Ok(Self::Core),
            _ => Ok(Self::Other),
        }
    }
}

/// The key, in small letters, and the value of a line, if it has one.
fn setting(line: &str) -> Sure<(String, Option<&str>)> {
    let (key, value) = match line.split_once('=') {
        Some((key, value)) => (
            key.trim_end_matches(BLANK),
            Some(value.trim_start_matches(BLANK)),
        ),
        None => (line, None),
    };
    if !key.starts_with(|c: char| c.is_ascii_alphabetic()) || !is_name(key) {
        return Err(Odd);
    }
    Ok((key.to_ascii_lowercase(), value))
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !text.is_empty() && text.chars().all(is_part)
}
