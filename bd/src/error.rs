//! Maps typed errors to their output for users and programs: message, hint, JSON code, exit code.
//! This is the only such table.

use kit::failure::{CHANGED, FAILED, Failure, UsageError};

use crate::bead::id::{ResolveError, is_well_formed};
use crate::change::{ChangeError, PlanError};
use crate::config::ConfigError;
use crate::formula::FormulaError;
use crate::merge::MergeError;
use crate::molecule::MoleculeError;
use crate::store::StoreError;
use crate::store::find::{BeadsElsewhere, NotFound};
use crate::sync::SyncError;

/// Returns how an error is shown: its message with the code, exit code and hint of the first cause
/// that this crate knows.
pub fn describe_failure(error: &anyhow::Error) -> Failure {
    let (code, hint) = classify_error(error);
    Failure {
        hint,
        code,
        exit: if code == "changed" { CHANGED } else { FAILED },
        ..Failure::unclassified(error)
    }
}

/// Classifies the first known cause.
fn classify_error(error: &anyhow::Error) -> Classification {
    if error.downcast_ref::<UsageError>().is_some() {
        return ("usage", None);
    }
    let known = error.chain().find_map(|cause| {
        let change = cause.downcast_ref::<ChangeError>().map(classify_change);
        change
            .or_else(|| cause.downcast_ref::<StoreError>().map(classify_store))
            .or_else(|| cause.downcast_ref::<ResolveError>().map(classify_resolve))
            .or_else(|| cause.downcast_ref::<NotFound>().map(classify_find))
            .or_else(|| cause.downcast_ref::<MergeError>().map(classify_merge))
            .or_else(|| cause.downcast_ref::<SyncError>().map(classify_sync))
            .or_else(|| cause.downcast_ref::<MoleculeError>().map(classify_molecule))
            .or_else(|| cause.downcast_ref::<FormulaError>().map(classify_formula))
            .or_else(|| cause.downcast_ref::<PlanError>().map(classify_plan))
            .or_else(|| {
                cause
                    .downcast_ref::<ConfigError>()
                    .map(|_| ("config", None))
            })
    });
    known.unwrap_or(("failed", None))
}

/// Returns the id that names no bead, if that is the cause.
pub fn unknown_id(error: &anyhow::Error) -> Option<&str> {
    error.chain().find_map(|cause| {
        let resolve = match cause.downcast_ref() {
            Some(
                ChangeError::NotFound(id) | ChangeError::NoParent(id) | ChangeError::NoTarget(id),
            ) => {
                return Some(id.as_str());
            }
            Some(ChangeError::Resolve(error)) => Some(error),
            _ => cause.downcast_ref::<ResolveError>(),
        };
        match resolve? {
            ResolveError::NotFound(id) => Some(id.as_str()),
            _ => None,
        }
    })
}

/// The JSON code and the hint.
type Classification = (&'static str, Option<String>);

fn classify_no_project() -> Classification {
    let hint = "run 'bd init' to start one here, or set BEADS_DIR to the .beads folder of another";
    ("no_project", Some(hint.to_owned()))
}

fn classify_find(error: &NotFound) -> Classification {
    match error {
        NotFound::Around { elsewhere, .. } => match elsewhere {
            None => classify_no_project(),
            Some(place) => ("no_project", Some(describe_elsewhere(place))),
        },
        NotFound::Unreadable { .. } => (
            "io",
            Some("check the permissions of the folder and the user of this process".to_owned()),
        ),
        NotFound::Named { by, .. } => {
            let hint = format!(
                "correct or leave out {by}; with it, 'bd init' starts a project in that folder"
            );
            ("no_project", Some(hint))
        }
    }
}

/// Describes how to get the beads from a place outside the work tree.
fn describe_elsewhere(place: &BeadsElsewhere) -> String {
    match place {
        BeadsElsewhere::Branch(branch) => format!("'bd init' reads the beads from {branch}"),
        BeadsElsewhere::SparseCheckout(folder) => format!(
            "the sparse checkout of this repository leaves out its beads. Add them:\n  git sparse-checkout add {folder}"
        ),
        BeadsElsewhere::Remote(remote) => format!(
            "{remote} may have beads that this clone has not fetched yet. Fetch them, and repeat the command:\n  git fetch {remote}\nOnly if the project has no beads, start with:\n  bd init"
        ),
    }
}

/// Returns the hint for an issues file with conflict markers.
pub fn unmerged_hint(issues: &std::path::Path) -> String {
    let folder = issues.parent().unwrap_or(issues).display();
    format!(
        "while git status calls it unmerged, in {folder}: 'bd merge --unmerged' merges both sides by field \
         ('bd merge --install' has git do so from now on); \
         else in an editor: keep what you want of each bead in one line and delete the marker lines"
    )
}

fn classify_merge(error: &MergeError) -> Classification {
    match error {
        MergeError::Marker { .. } => {
            let hint = "nothing was written; finish that merge first: keep the line you want of each bead and delete the marker lines";
            ("conflict", Some(hint.to_owned()))
        }
    }
}

fn classify_sync(error: &SyncError) -> Classification {
    let (code, hint) = match error {
        SyncError::Store(error) => return classify_store(error),
        SyncError::Merge(error) => return classify_merge(error),
        SyncError::Git(_) => return ("git", None),
        SyncError::Off => (
            "sync_off",
            "plain `bd sync` puts all changes into issues.jsonl, for your own commits; `bd config unset sync-branch` turns it on",
        ),
        SyncError::NotInGit { .. } => (
            "not_in_git",
            "plain `bd sync` needs no repository; `git init` makes one",
        ),
        SyncError::Name { .. } => ("sync_branch", "bd config set sync-branch beads-sync"),
        SyncError::CheckedOut { .. } => (
            "checked_out",
            "nothing was committed; leave it there (git switch --detach), or choose another one: bd config set sync-branch NAME",
        ),
        SyncError::Remotes { .. } => (
            "remotes",
            "say which: git config branch.<sync-branch>.remote NAME",
        ),
        SyncError::RolledBack { .. } => (
            "rolled_back",
            "nothing was committed; `bd restore --lost` brings them back, `bd restore --discard` accepts the older state",
        ),
        SyncError::Moving { .. } => ("overtaken", "run the command again"),
    };
    (code, Some(hint.to_owned()))
}

fn classify_formula(error: &FormulaError) -> Classification {
    match error {
        FormulaError::NotFound { searched, .. } => {
            let folders: Vec<String> = searched
                .iter()
                .map(|folder| folder.display().to_string())
                .collect();
            let hint = format!(
                "looked in {} and among the built-in formulas; 'bd formula list' lists all",
                folders.join(", ")
            );
            ("not_found", Some(hint))
        }
        FormulaError::NoVersion { .. } => ("not_found", None),
        FormulaError::Io { source, .. } => ("io", io_hint(source)),
        FormulaError::Forwarded(_)
        | FormulaError::BadName(_)
        | FormulaError::CircularExtends { .. }
        | FormulaError::Invalid(_)
        | FormulaError::Values(_) => ("invalid", None),
    }
}

fn classify_molecule(error: &MoleculeError) -> Classification {
    match error {
        MoleculeError::Formula(error) => classify_formula(error),
        MoleculeError::Plan(error) => classify_plan(error),
        MoleculeError::Change(error) => classify_change(error),
        MoleculeError::Store(error) => classify_store(error),
        MoleculeError::NotFound { .. } => {
            let hint = "'bd formula list' lists the formulas";
            ("not_found", Some(hint.to_owned()))
        }
        MoleculeError::NotAProto(_) | MoleculeError::NoSteps(_) | MoleculeError::Refused(_) => {
            ("invalid", None)
        }
    }
}

fn classify_plan(error: &PlanError) -> Classification {
    match error {
        PlanError::Bead { source, .. } | PlanError::Edge { source, .. } => classify_change(source),
        PlanError::UnknownKey(_) | PlanError::SameKey(_) => ("invalid", None),
    }
}

fn classify_resolve(error: &ResolveError) -> Classification {
    match error {
        ResolveError::NotFound(_) => ("not_found", None),
        ResolveError::Deleted { id, .. } => {
            // A command with an unsafe id must not be offered for pasting into a shell.
            let hint = is_well_formed(id).then(|| format!("bd restore {id} brings it back"));
            ("not_found", hint)
        }
        ResolveError::Ambiguous { .. } => ("ambiguous", None),
    }
}

fn classify_change(error: &ChangeError) -> Classification {
    match error {
        ChangeError::NotFound(_)
        | ChangeError::NoParent(_)
        | ChangeError::NoTarget(_)
        | ChangeError::NoEdge { .. } => ("not_found", None),
        ChangeError::Exists(_) | ChangeError::OtherEdge { .. } => ("exists", None),
        ChangeError::Changed { id, .. } => {
            let hint = is_well_formed(id).then(|| format!("read it again: bd show {id} --json"));
            ("changed", hint)
        }
        ChangeError::Claimed { id, is_open, .. } => {
            let hint = is_well_formed(id).then(|| {
                if *is_open {
                    format!("to take it over, type\n  bd unclaim {id} && bd start {id}")
                } else {
                    format!("bd show {id} shows what is known of the work")
                }
            });
            ("claimed", hint)
        }
        ChangeError::ClaimClosed(_)
        | ChangeError::SlotTaken { .. }
        | ChangeError::OtherHolder { .. } => ("claimed", None),
        ChangeError::Blocked { .. } => ("blocked", None),
        ChangeError::Cycle { .. } | ChangeError::Deadlock { .. } | ChangeError::SelfDependency => {
            ("cycle", None)
        }
        ChangeError::Template(_) | ChangeError::Pinned(_) => ("protected", None),
        ChangeError::Prefix { .. }
        | ChangeError::TooDeep { .. }
        | ChangeError::NoFreeId { .. }
        | ChangeError::TombstoneStatus
        | ChangeError::TitleLength
        | ChangeError::ParentDependsOnChild { .. }
        | ChangeError::EdgeToWisp { .. }
        | ChangeError::NoAgent(_)
        | ChangeError::SameReference(_)
        | ChangeError::EmptyLabel => ("invalid", None),
        ChangeError::Resolve(error) => classify_resolve(error),
        ChangeError::Store(error) => classify_store(error),
    }
}

fn classify_store(error: &StoreError) -> Classification {
    match error {
        StoreError::NotAProject(_) => classify_no_project(),
        StoreError::SqlBackend { dir, .. } => {
            let file = dir.join("issues.jsonl");
            let hint = format!(
                "export them with the bd that wrote them: 'bd export -o {}'; nothing in the database is changed",
                file.display()
            );
            ("sql_backend", Some(hint))
        }
        StoreError::Io { source, .. } | StoreError::Append { source, .. } => {
            ("io", io_hint(source))
        }
        StoreError::Line { source, .. } => {
            let hint =
                "the other beads can be read; git may have the line: 'git log -p' on that file";
            ("io", io_hint(source).or_else(|| Some(hint.to_owned())))
        }
        StoreError::NotRegular { .. } | StoreError::TrackedLink(_) => {
            let hint = "nothing was read or written; 'ls -l' shows where a link leads, and 'git log' on it who added it";
            ("not_regular", Some(hint.to_owned()))
        }
        StoreError::Locked { .. } => {
            let hint =
                "see who has it with 'fuser' or 'lsof' on that file, and try again when it is done";
            ("locked", Some(hint.to_owned()))
        }
        StoreError::Conflict { path, .. } => ("conflict", Some(unmerged_hint(path))),
        StoreError::WouldLose { .. } => {
            let hint = "nothing was written; run the command again, and report this if it stays";
            ("would_lose", Some(hint.to_owned()))
        }
        StoreError::NotOwnBead { id, .. } => {
            let hint = format!("write a comment instead: 'bd comment {id} TEXT'");
            ("permission", Some(hint))
        }
        StoreError::WorkerRecord { .. } => {
            let hint = "'gt done' writes the record of finished work, 'gt rate' is for the user";
            ("permission", Some(hint.to_owned()))
        }
        StoreError::Restless(_) | StoreError::Moved { .. } => {
            let hint = "something else is writing there; run the command again when it has ended";
            ("overtaken", Some(hint.to_owned()))
        }
        StoreError::MixedPrefixes => {
            let hint = "bd config set issue-prefix <prefix>";
            ("mixed_prefixes", Some(hint.to_owned()))
        }
        StoreError::AlreadyInitialized(_) => {
            let hint = "its beads can be used unchanged; in a fresh clone, 'bd merge --install' lets git merge them";
            ("already_initialized", Some(hint.to_owned()))
        }
        StoreError::NotArchived(_) => (
            "not_found",
            Some("bd search --archived WORDS finds what is there".to_owned()),
        ),
        StoreError::Removed { event, .. } => {
            let hint = format!("bd undo {event} takes that back");
            ("deleted", Some(hint))
        }
        StoreError::DamagedRollback { .. } => ("damaged", None),
        StoreError::NotAWisp(_) | StoreError::Invalid(_) => ("invalid", None),
        StoreError::Config(_) => ("config", None),
    }
}

fn io_hint(source: &std::io::Error) -> Option<String> {
    let hint = match source.kind() {
        std::io::ErrorKind::PermissionDenied => {
            "check who owns the folder and whether you may write there"
        }
        std::io::ErrorKind::StorageFull => "the disk is full; make room and try again",
        std::io::ErrorKind::ReadOnlyFilesystem => "the file system is mounted read-only",
        _ => return None,
    };
    Some(hint.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use anyhow::Context;

    use super::*;

    #[test]
    fn the_chain_is_printed_once_and_the_first_known_cause_decides() {
        let io = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let store = StoreError::Io {
            what: "write",
            path: PathBuf::from("/x/issues.jsonl"),
            source: io,
        };
        let error = anyhow::Error::from(store).context("closing bd-1");
        let failure = describe_failure(&error);
        assert!(
            failure
                .message
                .starts_with("closing bd-1: cannot write /x/issues.jsonl: ")
        );
        assert_eq!((failure.code, failure.exit), ("io", 1));
        assert!(failure.hint.unwrap().contains("disk is full"));
    }

    #[test]
    fn usage_exits_with_two_and_unknown_errors_with_one() {
        let usage = anyhow::Error::from(UsageError("unknown flag: --x".into()));
        assert_eq!(describe_failure(&usage).exit, 1);
        let other: anyhow::Result<()> = Err(anyhow::anyhow!("odd")).context("doing");
        assert_eq!(describe_failure(&other.unwrap_err()).code, "failed");
    }

    #[test]
    fn a_missing_bead_is_a_not_found_error() {
        for error in [
            anyhow::Error::from(ChangeError::NotFound("bd-9".into())),
            anyhow::Error::from(ResolveError::NotFound("bd-9".into())),
        ] {
            let failure = describe_failure(&error);
            assert_eq!(failure.code, "not_found");
            assert_eq!(failure.message, "no issue found matching \"bd-9\"");
        }
    }

    #[test]
    fn no_message_suggests_a_destructive_command() {
        let errors = [
            StoreError::Conflict {
                path: PathBuf::new(),
                line: 3,
            },
            StoreError::WouldLose {
                path: PathBuf::new(),
                ids: vec!["a-1".into()],
            },
            StoreError::Locked {
                path: PathBuf::new(),
                seconds: 30,
            },
        ];
        for error in errors {
            let failure = describe_failure(&anyhow::Error::from(error));
            let text = format!("{} {:?}", failure.message, failure.hint);
            for word in ["rm ", "reset", "--force", "checkout", "clean"] {
                assert!(!text.contains(word), "{text}");
            }
        }
    }
}
