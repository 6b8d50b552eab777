//! What a hook answers: its exit code, and a result in YAML or JSON on its standard output or, where there is
//! none, in the side-car `.keeper-result.yaml`, which is read once and always taken away.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use bd::config::yaml::{YamlNode, parse_tree};
use rustix::fs::OFlags;

use super::TownHookVerdict;
use super::front_matter::{FrontMatter, FrontMatterError};

/// How many bytes a side-car may have.
const SIDE_CAR: u64 = 64 * 1024;

/// How many values a result may hold, those that aliases repeat counted.
const NODES: usize = 2000;

/// For how many beads a result may say something of their own.
const OVERRIDES: usize = 500;

/// A hook's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TownHookAnswer {
    /// Its exit code; none where it did not end by itself.
    pub exit: Option<i32>,
    /// Where the result was: `stdout`, `side-car`, or nowhere.
    pub source: &'static str,
    /// The status that the result names.
    pub status: Option<TownHookStatus>,
    /// The id of the decision.
    pub adr: Option<String>,
    /// The decision's file, relative to the rig's root.
    pub adr_path: Option<String>,
    /// What goes before the description of each bead.
    pub front: FrontMatter,
    /// What goes into the front matter of one bead only, as `override`.
    pub overrides: BTreeMap<String, YamlNode>,
    /// Its words.
    pub reason: String,
}

/// The status of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TownHookStatus {
    /// Go on.
    Approved,
    /// Ask a person.
    Deferred,
    /// Do not.
    Rejected,
}

/// Why a result cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TownHookResultError {
    /// It is no YAML, or too much of it.
    #[error("its result cannot be read: {0}")]
    Yaml(String),
    /// A field is not what it should be.
    #[error("`{field}` of its result is {what}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong.
        what: &'static str,
    },
    /// The front matter cannot be used.
    #[error(transparent)]
    FrontMatter(#[from] FrontMatterError),
    /// The side-car cannot be used.
    #[error("its side-car {SIDE_CAR_NAME} {0}")]
    SideCar(String),
}

const SIDE_CAR_NAME: &str = ".keeper-result.yaml";

impl TownHookAnswer {
    /// The answer of a hook that says nothing but its exit code.
    pub fn from_exit(exit: i32) -> Self {
        Self {
            exit: Some(exit),
            ..Self::default()
        }
    }

    /// What it comes to: of exit code and status the one that lets less through.
    pub fn verdict(&self) -> TownHookVerdict {
        let by_exit = match self.exit {
            Some(0) => TownHookVerdict::Approved,
            Some(3) => TownHookVerdict::Deferred,
            _ => TownHookVerdict::Rejected,
        };
        match (by_exit, self.status) {
            (TownHookVerdict::Approved, Some(TownHookStatus::Deferred)) => {
                TownHookVerdict::Deferred
            }
            (
                TownHookVerdict::Approved | TownHookVerdict::Deferred,
                Some(TownHookStatus::Rejected),
            ) => TownHookVerdict::Rejected,
            (verdict, _) => verdict,
        }
    }
}

/// Removes a side-car that an earlier run left.
pub(super) fn clear_side_car(root: &Path) -> io::Result<()> {
    match std::fs::remove_file(root.join(SIDE_CAR_NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Reads the side-car and takes it away.
pub(super) fn take_side_car(root: &Path) -> Result<Option<String>, TownHookResultError> {
    let path = root.join(SIDE_CAR_NAME);
    let bad = |what: &str| TownHookResultError::SideCar(what.to_owned());
    // No link is followed, and a pipe is not waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags).unwrap_or_default())
        .open(&path);
    let read = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(bad(&format!("cannot be opened: {error}"))),
        Ok(file) if !file.metadata().is_ok_and(|meta| meta.is_file()) => {
            Err(bad("is no plain file"))
        }
        Ok(file) => {
            let mut bytes = Vec::new();
            let read = file.take(SIDE_CAR + 1).read_to_end(&mut bytes);
            match (read, String::from_utf8(bytes)) {
                (Err(error), _) => Err(bad(&format!("cannot be read: {error}"))),
                (Ok(count), _) if count as u64 > SIDE_CAR => Err(bad("has more than 64 KiB")),
                (Ok(_), Err(_)) => Err(bad("is no text")),
                (Ok(_), Ok(text)) => Ok(Some(text)),
            }
        }
    };
    clear_side_car(root).map_err(|error| bad(&format!("cannot be removed: {error}")))?;
    read
}

/// Reads a hook's answer. The second value is what is to be told though it is no failure.
pub(super) fn read_answer(
    stdout: &str,
    side_car: Result<Option<String>, TownHookResultError>,
    exit: i32,
) -> Result<(TownHookAnswer, Option<String>), TownHookResultError> {
    let bare = TownHookAnswer::from_exit(exit);
    if let Some(text) = find_result(stdout) {
        return Ok((parse_answer(&text, "stdout", exit)?, None));
    }
    if let Some(text) = side_car? {
        return Ok((parse_answer(&text, "side-car", exit)?, None));
    }
    let warning = !stdout.trim().is_empty() && exit == 0;
    let warning = warning.then(|| "what it printed holds no `keeper_result`".to_owned());
    Ok((bare, warning))
}

/// The part of an output that is the result: a JSON object, or the line `keeper_result:` and the indented lines
/// below it, among whatever else was printed.
fn find_result(stdout: &str) -> Option<String> {
    let text = stdout.trim();
    if text.starts_with('{') && text.contains("keeper_result") {
        return Some(text.to_owned());
    }
    let mut lines = stdout
        .lines()
        .skip_while(|line| !line.starts_with("keeper_result:"));
    let first = lines.next()?;
    let inside = |line: &&str| line.is_empty() || line.starts_with([' ', '\t']);
    let rest: Vec<&str> = lines.take_while(inside).collect();
    Some(format!("{first}\n{}", rest.join("\n")))
}

fn parse_answer(
    text: &str,
    source: &'static str,
    exit: i32,
) -> Result<TownHookAnswer, TownHookResultError> {
    let root = parse_tree(text, NODES).map_err(TownHookResultError::Yaml)?;
    let field = |field, what| TownHookResultError::Field { field, what };
    let fields = match root {
        YamlNode::Map(entries) => entries
            .into_iter()
            .find(|(key, _)| key == "keeper_result")
            .map(|(_, value)| value),
        _ => None,
    };
    let Some(YamlNode::Map(fields)) = fields else {
        return Err(field("keeper_result", "missing or no mapping"));
    };
    let mut answer = TownHookAnswer {
        source,
        ..TownHookAnswer::from_exit(exit)
    };
    for (key, value) in fields {
        match (key.as_str(), value) {
            ("status", YamlNode::Text(text)) => answer.status = Some(parse_status(&text)?),
            ("adr", YamlNode::Text(text)) => answer.adr = parse_decision_id(&text)?,
            ("adr_path", YamlNode::Text(text)) => answer.adr_path = parse_inner_path(&text)?,
            ("bead_frontmatter", value) => answer.front = FrontMatter::from_value(&value)?,
            ("reason", YamlNode::Text(text)) => answer.reason = text,
            ("bead_overrides", YamlNode::Map(entries)) => {
                if entries.len() > OVERRIDES {
                    return Err(field("bead_overrides", "too long"));
                }
                answer.overrides = entries.into_iter().collect();
            }
            ("status", _) => return Err(field("status", "no text")),
            ("adr", _) => return Err(field("adr", "no text")),
            ("adr_path", _) => return Err(field("adr_path", "no text")),
            ("bead_overrides", YamlNode::Text(text)) if text.is_empty() => {}
            ("bead_overrides", _) => return Err(field("bead_overrides", "no mapping")),
            // Hooks of later versions may say more.
            _ => {}
        }
    }
    for value in answer.overrides.values() {
        answer.front.clone().with("override", value)?;
    }
    Ok(answer)
}

fn parse_status(text: &str) -> Result<TownHookStatus, TownHookResultError> {
    match text.trim().to_ascii_lowercase().as_str() {
        "approved" => Ok(TownHookStatus::Approved),
        "deferred" => Ok(TownHookStatus::Deferred),
        "rejected" => Ok(TownHookStatus::Rejected),
        _ => Err(TownHookResultError::Field {
            field: "status",
            what: "none of approved, deferred, rejected",
        }),
    }
}

fn parse_decision_id(text: &str) -> Result<Option<String>, TownHookResultError> {
    let word = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() > 64 || !text.chars().all(word) {
        return Err(TownHookResultError::Field {
            field: "adr",
            what: "no id: up to 64 letters, digits, `.`, `_` and `-`",
        });
    }
    Ok(Some(text.to_owned()))
}

/// A path below the rig's root.
fn parse_inner_path(text: &str) -> Result<Option<String>, TownHookResultError> {
    if text.is_empty() {
        return Ok(None);
    }
    let path = PathBuf::from(text);
    let plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if !plain || text.len() > 400 || text.chars().any(char::is_control) {
        return Err(TownHookResultError::Field {
            field: "adr_path",
            what: "no path below the rig's root",
        });
    }
    Ok(Some(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(stdout: &str, exit: i32) -> Result<TownHookAnswer, TownHookResultError> {
        read_answer(stdout, Ok(None), exit).map(|(answer, _)| answer)
    }

    const RESULT: &str = "keeper_result:\n  status: approved\n  adr: \"ADR-017\"\n  \
        adr_path: \"keeper/decisions/017-user-profile.yaml\"\n\n  bead_frontmatter: |\n    ---\n    \
        keeper: ADR-017\n    ---\n";

    #[test]
    fn the_documented_result_is_read_alone_and_among_other_words() {
        for text in [RESULT.to_owned(), format!("Reviewing ...\n{RESULT}done\n")] {
            let answer = said(&text, 0).unwrap();
            assert_eq!(answer.adr.as_deref(), Some("ADR-017"));
            assert_eq!(answer.front.lines(), "keeper: ADR-017\n");
            assert_eq!(
                (answer.source, answer.verdict()),
                ("stdout", TownHookVerdict::Approved)
            );
        }
        let json =
            r#"{"keeper_result": {"status": "deferred", "bead_frontmatter": {"keeper": "ADR-2"}}}"#;
        let answer = said(json, 0).unwrap();
        assert_eq!(answer.verdict(), TownHookVerdict::Deferred);
        assert_eq!(answer.front.lines(), "keeper: ADR-2\n");
    }

    #[test]
    fn of_exit_code_and_status_the_stricter_counts() {
        let of = |status: &str, exit| {
            let text = format!("keeper_result:\n  status: {status}\n");
            said(&text, exit).unwrap().verdict()
        };
        assert_eq!(of("approved", 3), TownHookVerdict::Deferred);
        assert_eq!(of("approved", 1), TownHookVerdict::Rejected);
        assert_eq!(of("rejected", 0), TownHookVerdict::Rejected);
        assert_eq!(of("rejected", 3), TownHookVerdict::Rejected);
        assert_eq!(said("", 3).unwrap().verdict(), TownHookVerdict::Deferred);
        assert_eq!(
            said("fine", 0).unwrap().verdict(),
            TownHookVerdict::Approved
        );
    }

    #[test]
    fn bombs_and_nonsense_are_refused_quickly() {
        let mut bomb = String::from("keeper_result:\n  a: &a [x,x,x,x,x,x,x,x,x]\n");
        for (new, old) in "bcdefghi".chars().zip("abcdefgh".chars()) {
            let line: Vec<String> = (0..9).map(|_| format!("*{old}")).collect();
            bomb.push_str(&format!("  {new}: &{new} [{}]\n", line.join(",")));
        }
        let deep = format!(
            "keeper_result:\n  a: {}{}\n",
            "[".repeat(5000),
            "]".repeat(5000)
        );
        for text in [bomb.as_str(), &deep, "keeper_result: [", "keeper_result: 5"] {
            assert!(said(text, 0).is_err(), "{}", &text[..40.min(text.len())]);
        }
        for path in ["../../etc/passwd", "/etc/passwd", "a/../../b", "./a"] {
            let text = format!("keeper_result:\n  adr_path: {path}\n");
            assert!(said(&text, 0).is_err(), "{path}");
        }
        assert!(said("keeper_result:\n  adr: \"a; rm -rf ~\"\n", 0).is_err());
        assert!(said("keeper_result:\n  status: maybe\n", 0).is_err());
    }

    #[test]
    fn a_side_car_is_read_once_and_no_link_or_pipe_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(SIDE_CAR_NAME);
        std::fs::write(&path, RESULT).unwrap();
        let text = take_side_car(folder.path()).unwrap();
        let (answer, _) = read_answer("Words.", Ok(text), 0).unwrap();
        assert_eq!(
            (answer.source, answer.adr.as_deref()),
            ("side-car", Some("ADR-017"))
        );
        assert_eq!(take_side_car(folder.path()), Ok(None));
        let other = folder.path().join("other");
        std::fs::write(&other, RESULT).unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert!(take_side_car(folder.path()).is_err());
        assert!(other.exists() && path.symlink_metadata().is_err());
        std::fs::write(&path, vec![b'x'; 70_000]).unwrap();
        assert!(take_side_car(folder.path()).is_err());
        assert_eq!(take_side_car(folder.path()), Ok(None));
    }
}
