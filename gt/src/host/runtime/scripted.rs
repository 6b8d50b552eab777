//! Runs an agent without a model: it follows a script and uses the same commands as any other
//! agent.
//!
//! 1. Run `gt prime --json` to find the hooked work. Without any, there is nothing to do.
//! 2. Run the script in the sandbox with the work in its environment.
//! 3. Commit the remaining changes.
//! 4. Run `gt done` with the script's summary.
//!
//! If the script fails, the agent ends with its exit code, without `gt done`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::git::{Git, GitError};
use kit::gateway::{ADDRESS_VARIABLE, GatewayAddress, kept_call_file};
use kit::sys::{ChildCommand, Env, ExecError, file};
use kit::ui::cut;
use serde_json::Value;

use crate::town::temporary::TemporaryFolder;

/// The size up to which a description or summary is passed as a variable or argument. Linux allows
/// 128 KiB for each.
const LONGEST_ARGUMENT: usize = 64 * 1024;

/// The time limit of `gt prime`.
const PRIME_TIMEOUT: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub struct ScriptedRequest<'a> {
    /// The script, an executable file.
    pub script: &'a Path,
    pub cwd: &'a Path,
    pub exe: &'a Path,
    /// The parent of the agent's folder for files. If `None`, the folder for temporary files,
    /// because the agent belongs to no session.
    pub folder: Option<&'a Path>,
}

/// The result of a scripted agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedOutcome {
    /// The hook was empty.
    NoWork,
    /// `gt done` accepted the work.
    Done { bead: String },
}

/// Returns true if a `gt done` of this session waits on this machine for the town.
pub fn has_kept_call(env: &Env) -> bool {
    let address = env.get(ADDRESS_VARIABLE).and_then(GatewayAddress::parse);
    matches!(address, Some(GatewayAddress::Far(socket)) if kept_call_file(&socket).exists())
}

#[derive(Debug, thiserror::Error)]
pub enum ScriptedError {
    /// A `gt` command failed.
    #[error("`{command}` ended with exit code {code}: {words}")]
    Command {
        command: &'static str,
        code: i32,
        words: String,
    },
    /// `gt prime --json` printed invalid JSON.
    #[error("`gt prime --json` gave no JSON")]
    Prime(#[from] serde_json::Error),
    #[error("the script {} ended with exit code {code}; gt done was not run", script.display())]
    Script { script: PathBuf, code: i32 },
    /// The script left a merge with conflicts.
    #[error("the script left a merge unfinished, with conflicts in {files}; gt done was not run")]
    Unmerged { files: String },
    #[error(transparent)]
    Exec(#[from] ExecError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("cannot use a temporary file")]
    Io(#[from] std::io::Error),
}

impl ScriptedError {
    /// Returns the exit code of the agent.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Script { code, .. } | Self::Command { code, .. } => {
                u8::try_from(*code).unwrap_or(1).max(1)
            }
            _ => 1,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HookedBead {
    id: String,
    title: String,
    description: String,
}

/// Does the work on the hook, and reports each step to `say`.
pub fn run_scripted(
    request: &ScriptedRequest,
    say: &dyn Fn(&str),
) -> Result<ScriptedOutcome, ScriptedError> {
    let prime = run_prime(request)?;
    let Some(work) = parse_work(&serde_json::from_str(&prime)?) else {
        say("Nothing is on my hook.");
        return Ok(ScriptedOutcome::NoWork);
    };
    say(&format!("Working on {}: {}", work.id, work.title));
    let folder = match request.folder {
        Some(path) => TemporaryFolder::at(path)?,
        None => TemporaryFolder::new("gt-work-")?,
    };
    let summary = run_script(request, &work, &prime, folder.path())?;
    // Removed here and not at the end, because `gt done` ends this process too.
    drop(folder);
    commit_changes(request, &work, say)?;
    say("Finishing with gt done.");
    let status = ChildCommand::new(request.exe)
        .args(["done", "--summary", &summary])
        .cwd(request.cwd)
        .run_attached()?;
    if status.success() {
        return Ok(ScriptedOutcome::Done { bead: work.id });
    }
    Err(ScriptedError::Command {
        command: "gt done",
        code: status.code().unwrap_or(1),
        words: "its words are above".to_owned(),
    })
}

fn run_prime(request: &ScriptedRequest) -> Result<String, ScriptedError> {
    let finished = ChildCommand::new(request.exe)
        .args(["prime", "--json"])
        .cwd(request.cwd)
        .limit(PRIME_TIMEOUT)
        .run()?;
    if finished.is_success() {
        return Ok(finished.text());
    }
    Err(ScriptedError::Command {
        command: "gt prime --json",
        code: finished.code().unwrap_or(1),
        words: finished.error_text(),
    })
}

fn parse_work(prime: &Value) -> Option<HookedBead> {
    let bead = prime.get("bead").filter(|bead| bead.is_object())?;
    let read_text = |key: &str| {
        bead.get(key)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    let id = read_text("id");
    (!id.is_empty()).then(|| HookedBead {
        id,
        title: read_text("title"),
        description: read_text("description"),
    })
}

/// Runs the script on this terminal. Returns its summary: the content of the summary file,
/// otherwise the title of the work.
fn run_script(
    request: &ScriptedRequest,
    work: &HookedBead,
    prime: &str,
    folder: &Path,
) -> Result<String, ScriptedError> {
    let primed = folder.join("prime.json");
    let summary = folder.join("summary");
    let description = folder.join("description");
    fs::write(&primed, prime)?;
    fs::write(&description, &work.description)?;
    let mut script = ChildCommand::new(request.script).cwd(request.cwd);
    if work.description.len() <= LONGEST_ARGUMENT {
        script = script.env("GT_BEAD_DESCRIPTION", &work.description);
    }
    let status = script
        .env("GT_BEAD", &work.id)
        .env("GT_BEAD_TITLE", &work.title)
        .env("GT_BEAD_DESCRIPTION_FILE", &description)
        .env("GT_PRIME_FILE", &primed)
        .env("GT_SUMMARY_FILE", &summary)
        .run_attached()?;
    if !status.success() {
        return Err(ScriptedError::Script {
            script: request.script.to_owned(),
            code: status.code().unwrap_or(1),
        });
    }
    // A script that leaves no readable summary has done what the title says.
    let written = file::read_file_if_exists(&summary).ok().flatten();
    let written = String::from_utf8_lossy(written.as_deref().unwrap_or(b""));
    Ok(match cut::first_bytes(&written, LONGEST_ARGUMENT).trim() {
        "" => work.title.clone(),
        written => written.to_owned(),
    })
}

fn commit_changes(
    request: &ScriptedRequest,
    work: &HookedBead,
    say: &dyn Fn(&str),
) -> Result<(), ScriptedError> {
    let git = Git::at(request.cwd);
    let changed = git.status()?.len();
    if changed == 0 {
        return Ok(());
    }
    // Adding a file with conflict markers would mark its conflict as resolved.
    let unmerged = git
        .plumbing(["diff", "--name-only", "--diff-filter=U"])
        .text()?;
    if !unmerged.is_empty() {
        let files = unmerged.lines().collect::<Vec<_>>().join(", ");
        return Err(ScriptedError::Unmerged { files });
    }
    git.add_all()?;
    let id = git.commit_index(&format!("{}: {}", work.id, work.title))?;
    say(&format!(
        "Committed {changed} changed files as {}.",
        &id[..id.len().min(10)]
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Another process writes it: a program that is open for writing here, and in what other tests
    /// fork in the meantime, cannot be run.
    fn script(path: &Path, text: &str) {
        let write = ChildCommand::new("sh")
            .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
            .arg(path)
            .stdin(format!("#!/bin/sh\n{text}\n"));
        assert!(write.run().unwrap().is_success());
    }

    /// A sandbox with one commit, a stand-in for `gt` that notes its arguments, and a script.
    fn play_through(
        prime: &str,
        text: &str,
    ) -> (Result<ScriptedOutcome, ScriptedError>, String, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let (tree, exe, own) = (
            folder.path().join("tree"),
            folder.path().join("gt"),
            folder.path().join("script"),
        );
        let git = Git::at(&tree);
        git.init("main", false).unwrap();
        git.config_set("user.name", "Tess").unwrap();
        git.config_set("user.email", "tess@example.org").unwrap();
        let notes = folder.path().join("notes");
        let answer = format!("if [ \"$1\" = prime ]; then echo '{prime}'; fi");
        let note = format!("printf '%s|' \"$@\" >>'{}'", notes.display());
        script(&exe, &format!("{note}\n{answer}"));
        script(&own, text);
        let said = RefCell::new(Vec::new());
        let request = ScriptedRequest {
            script: &own,
            cwd: &tree,
            exe: &exe,
            folder: None,
        };
        let outcome = run_scripted(&request, &|line| said.borrow_mut().push(line.to_owned()));
        let log = git
            .plumbing(["log", "--format=%s"])
            .text()
            .unwrap_or_else(|_| String::new());
        let notes = fs::read_to_string(notes).unwrap_or_else(|_| String::new());
        (outcome, format!("{notes}{log}"), said.into_inner())
    }

    const WORK: &str = r#"{"bead":{"id":"gt-ab1","title":"Add a page"}}"#;

    #[test]
    fn a_hand_in_that_waits_for_the_town_is_found_by_the_address_of_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("box-1");
        let address = GatewayAddress::Far(socket.clone()).to_string();
        let env = Env::with_vars(folder.path(), [(ADDRESS_VARIABLE, address.as_str())]);
        assert!(!has_kept_call(&env));
        std::fs::write(kept_call_file(&socket), "").unwrap();
        assert!(has_kept_call(&env));
    }

    #[test]
    fn scripted_work_is_committed_and_submitted() {
        let (outcome, trace, said) = play_through(
            WORK,
            "echo \"$GT_BEAD_TITLE\" >page; test -s \"$GT_PRIME_FILE\"; printf 'Made the page' >\"$GT_SUMMARY_FILE\"",
        );
        assert_eq!(
            outcome.unwrap(),
            ScriptedOutcome::Done {
                bead: "gt-ab1".to_owned()
            }
        );
        assert_eq!(
            trace,
            "prime|--json|done|--summary|Made the page|gt-ab1: Add a page"
        );
        assert_eq!(said[0], "Working on gt-ab1: Add a page");
    }

    #[test]
    fn a_missing_summary_is_replaced_by_the_title() {
        let (_, trace, _) = play_through(WORK, "echo x >page");
        assert!(trace.contains("--summary|Add a page"), "{trace}");
    }

    #[test]
    fn a_failing_script_ends_the_agent_without_done() {
        let (outcome, trace, _) = play_through(WORK, "exit 7");
        assert_eq!(outcome.unwrap_err().exit_code(), 7);
        assert!(!trace.contains("done"), "{trace}");
    }

    #[test]
    fn a_merge_left_with_conflicts_is_not_committed() {
        let (outcome, trace, _) = play_through(
            WORK,
            "git commit -q --allow-empty -m base; git switch -qc other; echo a >f; git add f; git commit -qm a; git switch -q -; echo b >f; git add f; \
             git commit -qm b; git merge -q other || true",
        );
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("conflicts in f"), "{error}");
        assert!(!trace.contains("done"), "{trace}");
    }

    #[test]
    fn an_empty_hook_is_not_a_failure() {
        let (outcome, trace, said) = play_through(r#"{"bead":null}"#, "exit 7");
        assert_eq!(outcome.unwrap(), ScriptedOutcome::NoWork);
        assert_eq!(trace, "prime|--json|");
        assert_eq!(said, ["Nothing is on my hook."]);
    }
}
