//! Reads the answer of a hook: its exit code, and a result in YAML or JSON on its standard output
//! or, without one there, in the side-car `.keeper-result.yaml`, which is read once and always
//! removed.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use bd::config::yaml::{YamlNode, parse_tree};
use rustix::fs::OFlags;

use super::TownHookVerdict;
use super::front_matter::{FrontMatter, FrontMatterError};

/// The maximum size of a side-car in bytes.
const SIDE_CAR: u64 = 64 * 1024;

/// The maximum number of values in a result, with the values that aliases repeat.
const MAX_NODES: usize = 2000;

/// The maximum number of beads with overrides.
const MAX_OVERRIDES: usize = 500;

/// The answer of a hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TownHookAnswer {
    /// The exit code. None if the process was killed.
    pub exit: Option<i32>,
    /// The place of the result: `stdout`, `side-car`, or empty.
    pub source: &'static str,
    /// The status in the result.
    pub status: Option<TownHookStatus>,
    /// The id of the decision.
    pub adr: Option<String>,
    /// The path of the decision's file, relative to the rig's root.
    pub adr_path: Option<String>,
    /// The front matter before the description of each bead.
    pub front: FrontMatter,
    /// The front matter entry `override` of single beads.
    pub overrides: BTreeMap<String, YamlNode>,
    pub reason: String,
}

/// The status of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TownHookStatus {
    Approved,
    Deferred,
    Rejected,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TownHookResultError {
    /// The text is not YAML, or exceeds the limits of the parser.
    #[error("its result cannot be read: {0}")]
    Yaml(String),
    /// A field has an invalid value.
    #[error("`{field}` of its result is {what}")]
    Field {
        field: &'static str,
        what: &'static str,
    },
    #[error(transparent)]
    FrontMatter(#[from] FrontMatterError),
    #[error("its side-car {SIDE_CAR_NAME} {0}")]
    SideCar(String),
}

const SIDE_CAR_NAME: &str = ".keeper-result.yaml";

impl TownHookAnswer {
    /// Builds the answer of a hook with only an exit code.
    pub fn from_exit(exit: i32) -> Self {
        Self {
            exit: Some(exit),
            ..Self::default()
        }
    }

    /// Returns the stricter verdict of exit code and status.
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

/// Removes the side-car of an earlier run.
pub(super) fn clear_side_car(root: &Path) -> io::Result<()> {
    match std::fs::remove_file(root.join(SIDE_CAR_NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Reads and removes the side-car.
pub(super) fn take_side_car(root: &Path) -> Result<Option<String>, TownHookResultError> {
    let path = root.join(SIDE_CAR_NAME);
    let build_error = |what: &str| TownHookResultError::SideCar(what.to_owned());
    // Never follows a link, and never waits for a pipe.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(&path);
    let read = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(build_error(&format!("cannot be opened: {error}"))),
        Ok(file) if !file.metadata().is_ok_and(|meta| meta.is_file()) => {
            Err(build_error("is no plain file"))
        }
        Ok(file) => {
            let mut bytes = Vec::new();
            let read = file.take(SIDE_CAR + 1).read_to_end(&mut bytes);
            match (read, String::from_utf8(bytes)) {
                (Err(error), _) => Err(build_error(&format!("cannot be read: {error}"))),
                (Ok(count), _) if count as u64 > SIDE_CAR => {
                    Err(build_error("has more than 64 KiB"))
                }
                (Ok(_), Err(_)) => Err(build_error("is no text")),
                (Ok(_), Ok(text)) => Ok(Some(text)),
            }
        }
    };
    clear_side_car(root).map_err(|error| build_error(&format!("cannot be removed: {error}")))?;
    read
}

/// Reads a hook's answer. The second value is a warning.
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

/// Extracts the result from an output: a JSON object, or the line `keeper_result:` with the
/// indented lines below it.
fn find_result(stdout: &str) -> Option<String> {
    let text = stdout.trim();
    if text.starts_with('{') && text.contains("keeper_result") {
        return Some(text.to_owned());
    }
    let mut lines = stdout
        .lines()
        .skip_while(|line| !line.starts_with("keeper_result:"));
    let first = lines.next()?;
    let rest: Vec<&str> = lines
        .take_while(|line| line.is_empty() || line.starts_with([' ', '\t']))
        .collect();
    Some(format!("{first}\n{}", rest.join("\n")))
}

fn parse_answer(
    text: &str,
    source: &'static str,
    exit: i32,
) -> Result<TownHookAnswer, TownHookResultError> {
    let root = parse_tree(text, MAX_NODES).map_err(TownHookResultError::Yaml)?;
    let build_error = |field, what| TownHookResultError::Field { field, what };
    let fields = match root {
        YamlNode::Map(entries) => entries
            .into_iter()
            .find(|(key, _)| key == "keeper_result")
            .map(|(_, value)| value),
        _ => None,
    };
    let Some(YamlNode::Map(fields)) = fields else {
        return Err(build_error("keeper_result", "missing or no mapping"));
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
                if entries.len() > MAX_OVERRIDES {
                    return Err(build_error("bead_overrides", "too long"));
                }
                answer.overrides = entries.into_iter().collect();
            }
            ("status", _) => return Err(build_error("status", "no text")),
            ("adr", _) => return Err(build_error("adr", "no text")),
            ("adr_path", _) => return Err(build_error("adr_path", "no text")),
            ("bead_overrides", YamlNode::Text(text)) if text.is_empty() => {}
            ("bead_overrides", _) => return Err(build_error("bead_overrides", "no mapping")),
            // Ignores fields of later versions.
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
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() > 64
        || !text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    {
        return Err(TownHookResultError::Field {
            field: "adr",
            what: "no id: up to 64 letters, digits, `.`, `_` and `-`",
        });
    }
    Ok(Some(text.to_owned()))
}

/// Parses a path, which must be below the rig's root.
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
    fn the_documented_result_is_parsed_alone_and_within_other_output() {
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
    fn the_stricter_of_exit_code_and_status_counts() {
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
    fn huge_and_malformed_results_are_refused_quickly() {
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
    fn a_sidecar_is_read_once_and_symlinks_and_pipes_are_refused() {
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
