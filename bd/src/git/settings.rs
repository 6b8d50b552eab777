//! Reads files of git's settings for who the user is.
//!
//! What must always hold: the answer is the git command's. A file with a line that git might call an error or
//! read in another way, by its version or by where it is read, has none: the command is to be asked.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Who git says the user is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// `user.name`.
    pub name: Option<String>,
    /// `user.email`.
    pub email: Option<String>,
}

/// Something that only the git command judges.
#[derive(Debug)]
pub(super) struct AskGit;

/// How deep files may include others, as in git.
const DEPTH: u8 = 10;

/// Reads a file and those that it includes; what it says of the user wins over what is there already.
pub(super) fn read(file: &Path, home: Option<&Path>, user: &mut User) -> Result<(), AskGit> {
    let reader = Reader { home, depth: DEPTH };
    reader.file(file, user)
}

struct Reader<'a> {
    home: Option<&'a Path>,
    depth: u8,
}

enum Section {
    User,
    Core,
    Include,
    Other,
}

impl Reader<'_> {
    fn file(&self, file: &Path, user: &mut User) -> Result<(), AskGit> {
        match fs::read_to_string(file) {
            Ok(text) => self.text(&text, file, user),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(_) => Err(AskGit),
        }
    }

    fn text(&self, text: &str, file: &Path, user: &mut User) -> Result<(), AskGit> {
        let is_odd =
            |c: char| (c.is_control() || c.is_whitespace()) && !matches!(c, '\n' | '\t' | ' ');
        if text.contains(is_odd) {
            return Err(AskGit);
        }
        let mut section = None;
        for line in text.lines() {
            let line = line.trim_matches(BLANK);
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(header) = line.strip_prefix('[') {
                section = Some(Section::read(header.strip_suffix(']').ok_or(AskGit)?)?);
                continue;
            }
            let (key, value) = setting(line)?;
            let section = section.as_ref().ok_or(AskGit)?;
            match (section, key.as_str()) {
                (Section::User, "name") => user.name = Some(value.ok_or(AskGit)?),
                (Section::User, "email") => user.email = Some(value.ok_or(AskGit)?),
                (Section::Include, "path") => self.include(&value.ok_or(AskGit)?, file, user)?,
                (Section::Core, key) if !is_usual(key, value.as_deref()) => return Err(AskGit),
                _ => {}
            }
        }
        Ok(())
    }

    fn include(&self, path: &str, by: &Path, user: &mut User) -> Result<(), AskGit> {
        let path = match path.strip_prefix("~/") {
            Some(rest) => self.home.ok_or(AskGit)?.join(rest),
            None if path.starts_with(['~', '%']) => return Err(AskGit),
            None => by.parent().ok_or(AskGit)?.join(path),
        };
        let reader = Reader {
            home: self.home,
            depth: self.depth.checked_sub(1).ok_or(AskGit)?,
        };
        reader.file(&path, user)
    }
}

const BLANK: [char; 2] = [' ', '\t'];

impl Section {
    /// By what stands between the brackets.
    fn read(header: &str) -> Result<Self, AskGit> {
        let (name, part) = match header.split_once(' ') {
            Some((name, part)) => {
                let part = part
                    .strip_prefix('"')
                    .and_then(|part| part.strip_suffix('"'));
                (name, Some(part.ok_or(AskGit)?))
            }
            None => (header, None),
        };
        if !is_name(name) || part.is_some_and(|part| part.contains(['"', '\\'])) {
            return Err(AskGit);
        }
        match (name.to_ascii_lowercase().as_str(), part) {
            ("extensions" | "includeif", _) => Err(AskGit),
            ("include", None) => Ok(Self::Include),
            ("user", None) => Ok(Self::User),
            ("core", None) => Ok(Self::Core),
            _ => Ok(Self::Other),
        }
    }
}

/// Whether a setting of `core` lets a repository be read as all are.
fn is_usual(key: &str, value: Option<&str>) -> bool {
    match key {
        "repositoryformatversion" => value == Some("0"),
        "bare" => matches!(value, Some("true" | "false")),
        "worktree" => false,
        _ => true,
    }
}

/// The key, in small letters, and the value of a line; no value where there is none, or one that is more
/// than some text.
fn setting(line: &str) -> Result<(String, Option<String>), AskGit> {
    let (key, value) = match line.split_once('=') {
        Some((key, value)) => (key.trim_end_matches(BLANK), text_of(value)?),
        None => (line, None),
    };
    if !key.starts_with(|c: char| c.is_ascii_alphabetic()) || !is_name(key) {
        return Err(AskGit);
    }
    Ok((key.to_ascii_lowercase(), value))
}

/// What a value says, without quotes, comments and blanks around it.
fn text_of(value: &str) -> Result<Option<String>, AskGit> {
    let mut text = String::new();
    let mut blanks = String::new();
    let mut is_quoted = false;
    let mut is_plain = true;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if !is_quoted && BLANK.contains(&c) {
            if !text.is_empty() {
                blanks.push(c);
            }
            continue;
        }
        if !is_quoted && matches!(c, '#' | ';') {
            break;
        }
        text.push_str(&std::mem::take(&mut blanks));
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' => match chars.next() {
                Some(escaped @ ('"' | '\\')) => text.push(escaped),
                Some('n' | 't' | 'b') => is_plain = false,
                // An error, or a line that goes on in the next one.
                _ => return Err(AskGit),
            },
            c => text.push(c),
        }
    }
    if is_quoted {
        return Err(AskGit);
    }
    // Older gits say a space for a tab.
    let is_plain = is_plain && !text.is_empty() && !text.contains('\t');
    Ok(is_plain.then_some(text))
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !text.is_empty() && text.chars().all(is_part)
}
