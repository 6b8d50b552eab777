//! The rig's gates: plain commands of its settings, run on the merged tree before anything is pushed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bd::git::{ChangeKind, Git, GitError};
use kit::sys::{ChildCommand, ExecError, file};

use super::job::MergeJob;
use crate::flow::town_hook::inherited_variables;
use crate::town::config::Gate;
use crate::town::event::event;

/// How much of a gate's output goes into the task.
const TAIL: usize = 4000;

/// A gate that failed.
#[derive(Debug, Clone)]
pub(crate) struct GateFailure {
    /// Its name.
    pub gate: String,
    /// Its command line.
    pub command: String,
    /// How it ended.
    pub end: String,
    /// The end of what it printed.
    pub tail: String,
    /// The file with all of it.
    pub log: PathBuf,
}

/// Runs the gates one after the other on `candidate`; the first that fails is returned.
pub(crate) fn run_gates(job: &MergeJob, candidate: &str) -> anyhow::Result<Option<GateFailure>> {
    for group in job.settings.gates(job.rig)? {
        if let Some(failure) = run_gate_group(job, candidate, &group)? {
            return Ok(Some(failure));
        }
    }
    Ok(None)
}

/// Runs gates that share a tree on a commit; the first that fails is returned.
pub(crate) fn run_gate_group(
    job: &MergeJob,
    commit: &str,
    group: &[Gate],
) -> anyhow::Result<Option<GateFailure>> {
    let tree = job.rig.refinery();
    check_out_candidate(job, &tree, commit)?;
    for gate in group {
        let cache = GateCache::lay_out(job, &tree, gate)?;
        let ran = run_gate(job, &tree, gate);
        cache.put_back();
        let failure = match ran? {
            None => check_tree_unchanged(job, (&tree, commit), gate)?,
            failure => failure,
        };
        job.town.record_event(&event!(Gate,
            gate: gate.name, passed: failure.is_none(), commit: commit, request: job.merge_ref(),
        ));
        if failure.is_some() {
            return Ok(failure);
        }
    }
    Ok(None)
}

/// Puts the queue's own tree at the candidate, without anything that an earlier gate left there. Nothing of value is
/// ever in it.
pub(crate) fn check_out_candidate(
    job: &MergeJob,
    tree: &Path,
    candidate: &str,
) -> anyhow::Result<()> {
    if tree.join(".git").exists() {
        match reset_tree(tree, candidate) {
            Ok(()) => return Ok(()),
            // A lock file of a git that was killed, for one, would be in the way for ever.
            Err(error) => {
                job.town.record_event(&event!(GateTreeRebuilt,
                    tree: tree, reason: error.to_string(), request: job.merge_ref(),
                ));
            }
        }
    }
    if let Some(folder) = tree.parent() {
        file::create_folder(folder, 0o755)?;
    }
    if tree.exists() {
        job.git.worktree_remove(tree, true).ok();
    }
    // What git does not know as its tree, it does not remove.
    if tree.exists() {
        std::fs::remove_dir_all(tree)?;
    }
    job.git.worktree_prune()?;
    Ok(job.git.worktree_add_detached(tree, candidate)?)
}

fn reset_tree(tree: &Path, candidate: &str) -> Result<(), GitError> {
    let git = Git::at(tree);
    git.reset_hard("HEAD")?;
    git.checkout_detach(candidate)?;
    // Repositories below it and ignored files, too.
    git.plumbing(["clean", "--quiet", "-f", "-f", "-d", "-x"])
        .finish_checked()
        .map(drop)
}

/// The ignored files that a gate may find as the last one that names them left them. Between two runs they lie beside the
/// tree; a run that is killed loses them with it.
struct GateCache {
    /// Where each is in the tree, and where it lies between two runs.
    places: Vec<(PathBuf, PathBuf)>,
}

impl GateCache {
    fn lay_out(job: &MergeJob, tree: &Path, gate: &Gate) -> anyhow::Result<Self> {
        let folder = job.rig.gate_caches();
        let place = |path: &String| (tree.join(path), folder.join(path.replace('/', "%")));
        let mut places: Vec<_> = gate.cache.iter().map(place).collect();
        // What is tracked there counts more.
        places.retain(|(inside, _)| !inside.exists());
        for (inside, beside) in &places {
            if !beside.exists() {
                continue;
            }
            if let Some(folder) = inside.parent() {
                file::create_folder(folder, 0o755)?;
            }
            std::fs::rename(beside, inside)?;
        }
        if !places.is_empty() {
            file::create_folder(&folder, 0o700)?;
        }
        Ok(Self { places })
    }

    /// A cache that cannot be kept is made again by the next run.
    fn put_back(self) {
        for (inside, beside) in self.places {
            std::fs::rename(inside, beside).ok();
        }
    }
}

/// A gate that changed the tree has passed on something else than what would be pushed: that counts as failed. Files
/// that it only added are left behind.
fn check_tree_unchanged(
    job: &MergeJob,
    (tree, candidate): (&Path, &str),
    gate: &Gate,
) -> anyhow::Result<Option<GateFailure>> {
    let git = Git::at(tree);
    let head = git.resolve("HEAD")?.unwrap_or_default();
    let end = if head == candidate {
        let files: Vec<String> = git
            .status()?
            .into_iter()
            .filter(|change| change.kind != ChangeKind::Untracked)
            .map(|change| change.path)
            .collect();
        if files.is_empty() {
            return Ok(None);
        }
        format!("it changed tracked files: {}", files.join(", "))
    } else {
        format!("it left the tree at {head:.12} instead of {candidate:.12}")
    };
    let words =
        format!("The gate passed, but {end}. What it checked is not what would be merged.\n");
    Ok(Some(GateFailure {
        gate: gate.name.clone(),
        command: gate.command.clone(),
        log: keep_log(job, &gate.name, words.as_bytes())?,
        tail: words,
        end,
    }))
}

fn run_gate(job: &MergeJob, tree: &Path, gate: &Gate) -> anyhow::Result<Option<GateFailure>> {
    let env = &job.town.env;
    let mut run = ChildCommand::new("sh")
        .args(["-c", &gate.command])
        .cwd(tree)
        .env_clear();
    for (name, value) in inherited_variables(env) {
        run = run.env(name, value);
    }
    let run = run
        .env("GT_RIG", job.rig.name())
        .env("GT_BRANCH", &job.receipt.branch)
        .env("GT_TARGET", &job.receipt.target)
        .limit(gate.limit)
        .stop_when(Arc::clone(&job.town.stop));
    let (end, output) = match run.run() {
        Ok(done) if done.is_success() => return Ok(None),
        Ok(done) => {
            let end = done.code().map_or_else(
                || "ended by a signal".to_owned(),
                |code| format!("exit code {code}"),
            );
            (end, [done.stdout, done.stderr].concat())
        }
        Err(ExecError::TimedOut { limit, output, .. }) => (
            format!("not finished after {}s", limit.as_secs()),
            output.into_bytes(),
        ),
        Err(error) => return Err(error.into()),
    };
    let log = keep_log(job, &gate.name, &output)?;
    let tail = output_tail(&String::from_utf8_lossy(&output)).to_owned();
    Ok(Some(GateFailure {
        gate: gate.name.clone(),
        command: gate.command.clone(),
        end,
        tail,
        log,
    }))
}

/// Keeps all that a gate printed.
pub(crate) fn keep_log(job: &MergeJob, gate: &str, output: &[u8]) -> anyhow::Result<PathBuf> {
    let folder = job.rig.gate_logs();
    file::create_folder(&folder, 0o700)?;
    let name: String = gate
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let log = folder.join(format!("{}-{name}.log", job.request.id));
    file::replace_file_relaxed(&log, output, 0o600)?;
    Ok(log)
}

/// The part of an output that goes into the task.
pub(crate) fn output_tail(output: &str) -> &str {
    last_part(output.trim_end(), TAIL)
}

/// The last `limit` bytes of a text, from the start of a line.
fn last_part(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut start = text.len() - limit;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let rest = &text[start..];
    rest.find('\n').map_or(rest, |end| &rest[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_begins_at_a_line_and_never_inside_a_character() {
        assert_eq!(last_part("short", 10), "short");
        assert_eq!(last_part("first\nsecond\nthird", 12), "third");
        assert_eq!(last_part("üüüü", 3), "ü");
    }
}
