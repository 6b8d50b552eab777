//! Runs the rig's gates: commands from its settings that run on the merged tree before any push.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bd::git::{ChangeKind, DrivenFile, Git, find_stalling_file};
use kit::sys::{ChildCommand, ExecError, file};
use kit::ui::cut;

use super::gate_cache::{GateCaches, TREES_PER_RUN};
use super::gate_tree::GateTree;
use super::job::{MergeJob, MergeOutcome, MergeQueue};
use crate::flow::place::town_hook::inherited_variables;
use crate::host::jail::{GitPointers, JailRefusal, RepositoryCommand};
use crate::record::merge_request::JAIL_GATE;
use crate::town::config::{Gate, SETUP_GATE};
use crate::town::event::{MergeRef, event};
use crate::town::file_name_of;
use crate::town::temporary;

/// The maximum size of a gate's output in the task.
const MAX_OUTPUT: usize = 4000;

/// The exit codes of a shell for a command that it finds but cannot execute, and for one that it
/// does not find.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// The exit code of `make` for every error.
const MAKE_FAILED: i32 = 2;

/// A run of the gates of a rig.
pub(crate) struct GateRun<'a> {
    pub queue: &'a MergeQueue<'a>,
    /// The branch for which the gates check a commit.
    pub target: &'a str,
    /// The request, the convoy or the search that needs the result. The logs have the name of its
    /// `mr`.
    pub subject: MergeRef,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct GateFailure {
    pub gate: String,
    pub command: String,
    pub end: String,
    /// The exit code, if the command exited.
    pub code: Option<i32>,
    /// The end of the output.
    pub tail: String,
    /// The file with the whole output.
    pub log: PathBuf,
    /// The reason why the command was not started.
    pub refusal: Option<String>,
}

impl GateFailure {
    /// Names at the end of the log which merge drivers made the tree that the gate checked.
    pub(crate) fn add_drivers_to_log(&self, driven: &[DrivenFile]) -> anyhow::Result<()> {
        let lines = driven.iter().map(|file| {
            let path = &file.path;
            let driver = &file.driver;
            format!("The merge driver {driver} of the repository merged {path}.\n")
        });
        let lines = lines.collect::<String>();
        if lines.is_empty() {
            return Ok(());
        }
        // The output of a gate may be large, and end without a line break.
        let mut log = file::open_append(&self.log, 0o600)?;
        let mut last = [b'\n'];
        if log.seek(SeekFrom::End(0))? > 0 {
            log.seek(SeekFrom::End(-1))?;
            log.read_exact(&mut last)?;
        }
        let separator = if last == *b"\n" { "" } else { "\n" };
        log.write_all(format!("{separator}{lines}").as_bytes())?;
        Ok(())
    }

    /// Returns the outcome of a request if the gate could not run.
    pub(crate) fn outcome_if_cannot_run(&self) -> Option<MergeOutcome> {
        let reason = self.describe_cannot_run()?;
        let gate = self.gate.clone();
        Some(MergeOutcome::GateCannotRun { gate, reason })
    }

    /// Describes a gate whose command, or a program that it needs, cannot be run. None if the gate
    /// ran and failed.
    pub(crate) fn describe_cannot_run(&self) -> Option<String> {
        if let Some(refusal) = &self.refusal {
            return Some(format!("no gate runs: {refusal}"));
        }
        let code = self.code?;
        let said = self.tail.lines().rfind(|line| !line.trim().is_empty());
        let cannot_run = CANNOT_RUN.contains(&code)
            || code == MAKE_FAILED
                && said.is_some_and(|line| names_missing_make_target(line, &self.command));
        if !cannot_run {
            return None;
        }
        let said = said.map_or_else(String::new, |line| format!(": {}", line.trim()));
        Some(format!(
            "the gate {} cannot run (exit code {code}){said}",
            self.gate
        ))
    }
}

/// Returns true if the line is the one with which the `make` of this command ends because a target
/// of the command does not exist. The line of a `make` that a recipe runs is part of the result of
/// a target, and a target that another one needs may have been removed by the work.
fn names_missing_make_target(line: &str, command: &str) -> bool {
    let target = line
        .strip_prefix("make: *** No rule to make target ")
        .and_then(|rest| rest.trim_end().strip_suffix(".  Stop."))
        .and_then(|quoted| quoted.strip_prefix(['\'', '`'])?.strip_suffix('\''));
    target.is_some_and(|target| {
        command
            .split(|c: char| c.is_whitespace() || ";&|()\"'".contains(c))
            .any(|word| word == target)
    })
}

/// Runs the gates of several candidates side by side, each in trees of its own. Returns the first
/// failure of each.
pub(super) fn run_gates_side_by_side(
    runs: &[(GateRun, &str)],
) -> anyhow::Result<Vec<Option<GateFailure>>> {
    if let [(run, candidate)] = runs {
        return Ok(vec![run.run_gates(candidate)?]);
    }
    let results = run_side_by_side(runs.len(), &|index: usize| {
        let (run, candidate) = &runs[index];
        run.run_gates_in(candidate, index * TREES_PER_RUN)
    });
    results.into_iter().collect()
}

impl<'a> GateRun<'a> {
    pub(crate) fn for_request(job: &'a MergeJob) -> Self {
        Self {
            queue: &job.queue,
            target: &job.receipt.target,
            subject: job.merge_ref(),
        }
    }

    /// Runs the gates on `candidate`: first those that may run side by side, then the others one
    /// after the other. Returns the first failure.
    pub(crate) fn run_gates(&self, candidate: &str) -> anyhow::Result<Option<GateFailure>> {
        self.run_gates_in(candidate, 0)
    }

    /// Runs the gates in the trees from this number on.
    fn run_gates_in(
        &self,
        candidate: &str,
        first_tree: usize,
    ) -> anyhow::Result<Option<GateFailure>> {
        let MergeQueue { rig, settings, .. } = *self.queue;
        let (parallel, serial): (Vec<_>, Vec<_>) = settings
            .gates(rig)?
            .into_iter()
            .partition(|group| group.iter().any(|gate| gate.parallel));
        let count = parallel.len().clamp(1, TREES_PER_RUN);
        let trees: Vec<GateTree> = (first_tree..first_tree + count)
            .map(|number| GateTree::new(rig, number))
            .collect();
        let ran = self.run_groups_in(candidate, &parallel, &serial, &trees);
        if let Ok(None) = ran {
            self.keep_passed_caches(candidate, &trees);
        }
        for tree in &trees {
            tree.close(rig);
        }
        ran
    }

    /// Keeps what the gates left in their caches until the candidate is merged.
    fn keep_passed_caches(&self, candidate: &str, trees: &[GateTree]) {
        let caches: Vec<_> = trees.iter().map(|tree| &tree.cache).collect();
        let kept = self.queue.git.tree_of(candidate).map_err(Into::into);
        let kept: anyhow::Result<()> = kept
            .and_then(|tree| Ok(GateCaches::of_rig(self.queue.rig).keep_passed(&tree, &caches)?));
        // The caches then stay as the last merge left them.
        kept.ok();
    }

    /// Runs the groups of parallel gates in the trees, and the others in the first tree.
    fn run_groups_in(
        &self,
        candidate: &str,
        parallel: &[Vec<Gate>],
        serial: &[Vec<Gate>],
        trees: &[GateTree],
    ) -> anyhow::Result<Option<GateFailure>> {
        for together in parallel.chunks(trees.len()) {
            let failures = run_side_by_side(together.len(), &|index: usize| {
                self.run_group_in(candidate, &together[index], &trees[index])
            });
            for failure in failures {
                if let Some(failure) = failure? {
                    return Ok(Some(failure));
                }
            }
        }
        for group in serial {
            if let Some(failure) = self.run_group_in(candidate, group, &trees[0])? {
                return Ok(Some(failure));
            }
        }
        Ok(None)
    }

    /// Runs gates that share a tree on a commit. Returns the first failure.
    pub(crate) fn run_group(
        &self,
        commit: &str,
        group: &[Gate],
    ) -> anyhow::Result<Option<GateFailure>> {
        let tree = GateTree::new(self.queue.rig, 0);
        let ran = self.run_group_in(commit, group, &tree);
        tree.close(self.queue.rig);
        ran
    }

    fn run_group_in(
        &self,
        commit: &str,
        group: &[Gate],
        gate_tree: &GateTree,
    ) -> anyhow::Result<Option<GateFailure>> {
        gate_tree.check_out(self.queue, &self.subject, commit)?;
        for gate in group {
            // The setup runs once per tree.
            if gate.name == SETUP_GATE && gate_tree.is_set_up(commit) {
                continue;
            }
            let failure = self.run_with_retries(commit, group, gate, gate_tree)?;
            if failure.is_some() {
                return Ok(failure);
            }
        }
        Ok(None)
    }

    /// Runs a gate of a group until it passes or has used up its retries.
    fn run_with_retries(
        &self,
        commit: &str,
        group: &[Gate],
        gate: &Gate,
        gate_tree: &GateTree,
    ) -> anyhow::Result<Option<GateFailure>> {
        let tree = &gate_tree.path;
        let begun = Instant::now();
        let mut retried = 0;
        let mut dropped = Vec::new();
        let mut jail = None;
        let mut unused_cache = None;
        let failure = loop {
            let cache = gate_tree.cache.lay_out(gate);
            unused_cache = unused_cache.or_else(|| cache.error.clone());
            let ran = self.run_gate(gate_tree, gate, &mut jail);
            cache.put_back();
            match ran? {
                None => {
                    dropped = drop_changes(tree, commit)?;
                    break self.check_tree_commit(tree, commit, gate)?;
                }
                Some(failure)
                    if retried < gate.retry && failure.describe_cannot_run().is_none() =>
                {
                    retried += 1;
                    // The failed run may have written what lets the next one pass, also into what
                    // the setup made and into the cache.
                    gate_tree.forget_setup();
                    gate_tree.cache.remove();
                    gate_tree.check_out(self.queue, &self.subject, commit)?;
                    let setup = group.iter().find(|one| one.name == SETUP_GATE);
                    if let Some(setup) = setup
                        && let Some(failure) =
                            self.run_with_retries(commit, group, setup, gate_tree)?
                    {
                        break Some(failure);
                    }
                }
                Some(failure) => break Some(failure),
            }
        };
        if failure.is_none() && gate.name == SETUP_GATE {
            gate_tree.record_setup(commit)?;
        }
        self.queue.rig.town().record_event(&event!(Gate,
            gate: gate.name, passed: failure.is_none(), commit: commit, dropped: dropped,
            seconds: round_seconds(begun.elapsed()), retried: retried, jail: jail,
            unused_cache: unused_cache, request: self.subject.clone(),
        ));
        Ok(failure)
    }

    /// Fails a gate that left the tree at another commit, because it passed on other content than
    /// what would be pushed.
    fn check_tree_commit(
        &self,
        tree: &Path,
        candidate: &str,
        gate: &Gate,
    ) -> anyhow::Result<Option<GateFailure>> {
        let head_commit = Git::at(tree)
            .resolve("HEAD")?
            .unwrap_or_else(|| "no commit".to_owned());
        if head_commit == candidate {
            return Ok(None);
        }
        let end = format!("it left the tree at {head_commit:.12} instead of {candidate:.12}");
        let words =
            format!("The gate passed, but {end}. What it checked is not what would be merged.\n");
        self.build_failure(gate, end, words).map(Some)
    }

    /// Runs the command of a gate. `jail` describes the jail in which it ran.
    fn run_gate(
        &self,
        gate_tree: &GateTree,
        gate: &Gate,
        jail: &mut Option<String>,
    ) -> anyhow::Result<Option<GateFailure>> {
        let tree = &gate_tree.path;
        let settings = self.queue.settings.sandbox.jail(self.queue.rig)?;
        let command = self.prepare_command(gate_tree, gate);
        let command = match RepositoryCommand::prepare(self.queue.rig, &settings, tree, command) {
            Ok(command) => command,
            Err(refusal @ (JailRefusal::NoBackend { .. } | JailRefusal::Cache { .. })) => {
                return Ok(Some(self.fail_refused(gate, &refusal)?));
            }
            Err(error) => return Err(error.into()),
        };
        *jail = command.describe_jail();
        let pointers = if command.is_jailed() {
            Some(GitPointers::read(tree)?)
        } else {
            None
        };
        temporary::prepare_for_signals();
        let ran = command.run();
        if let Some(pointers) = pointers
            && let Some(path) = pointers.find_change()?
        {
            let end = format!("it changed {}", path.display());
            let words = format!("{end}, which names the repository of the tree.\n");
            return Ok(Some(self.fail_for_tree(tree, gate, end, words)?));
        }
        if let Some(path) = find_stalling_file(tree) {
            let end = format!("it left {}, which is no regular file", path.display());
            let words = format!("{end}: git would wait for it.\n");
            return Ok(Some(self.fail_for_tree(tree, gate, end, words)?));
        }
        let mut code = None;
        let (end, output) = match ran {
            Ok(done) if done.is_success() => return Ok(None),
            Ok(done) => {
                code = done.code();
                let end = code.map_or_else(
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
        let failure = self.build_failure(gate, end, output)?;
        Ok(Some(GateFailure { code, ..failure }))
    }

    fn prepare_command(&self, tree: &GateTree, gate: &Gate) -> ChildCommand {
        let env = &self.queue.rig.town().env;
        let mut run = ChildCommand::new("sh")
            .args(["-c", &gate.command])
            .cwd(&tree.path)
            .env_clear();
        for (name, value) in inherited_variables(env) {
            run = run.env(name, value);
        }
        for (name, value) in tree.desk_variables(self.queue.rig) {
            run = run.env(name, value);
        }
        run.env("GT_RIG", self.queue.rig.name())
            .env("GT_BRANCH", &self.subject.branch)
            .env("GT_TARGET", self.target)
            .limit(gate.limit)
            .stop_when(Arc::clone(&self.queue.rig.town().stop))
    }

    /// Builds the failure of a gate that is not started without its jail. All gates of the rig fail
    /// under one name, so that the user gets one message.
    fn fail_refused(&self, gate: &Gate, refusal: &JailRefusal) -> anyhow::Result<GateFailure> {
        let jail = Gate {
            name: JAIL_GATE.to_owned(),
            ..gate.clone()
        };
        let failure =
            self.build_failure(&jail, "not started".to_owned(), format!("{refusal}\n"))?;
        Ok(GateFailure {
            refusal: Some(refusal.to_string()),
            ..failure
        })
    }

    /// Fails a gate that left a tree in which git would obey it or wait, and removes the tree.
    fn fail_for_tree(
        &self,
        tree: &Path,
        gate: &Gate,
        end: String,
        words: String,
    ) -> anyhow::Result<GateFailure> {
        file::remove_tree(tree)?;
        self.build_failure(gate, end, words)
    }

    /// Builds the failure of a gate with this output.
    fn build_failure(
        &self,
        gate: &Gate,
        end: String,
        output: impl AsRef<[u8]>,
    ) -> anyhow::Result<GateFailure> {
        Ok(GateFailure {
            gate: gate.name.clone(),
            command: gate.command.clone(),
            end,
            code: None,
            log: self.keep_log(&gate.name, output.as_ref())?,
            tail: output_tail(&String::from_utf8_lossy(output.as_ref())).to_owned(),
            refusal: None,
        })
    }

    /// Writes the whole output of a gate to a log file.
    pub(crate) fn keep_log(&self, gate: &str, output: &[u8]) -> anyhow::Result<PathBuf> {
        let folder = self.queue.rig.gate_logs();
        file::create_folder(&folder, 0o700)?;
        let name: String = gate
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let log = folder.join(format!("{}-{name}.log", file_name_of(&self.subject.mr)));
        file::replace_file_relaxed(&log, output, 0o600)?;
        Ok(log)
    }
}

/// Runs a function with each number below `count`, at the same time.
fn run_side_by_side<T: Send>(count: usize, run: &(impl Fn(usize) -> T + Sync)) -> Vec<T> {
    if count <= 1 {
        return (0..count).map(run).collect();
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|index| scope.spawn(move || run(index)))
            .collect();
        threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}

/// Returns a duration in seconds, with milliseconds.
fn round_seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

/// Takes back what a passed gate changed in tracked files, such as a lock file or the format of
/// sources, and returns the paths. The gate's work is to check: only the candidate is merged.
fn drop_changes(tree: &Path, candidate: &str) -> anyhow::Result<Vec<String>> {
    let git = Git::at(tree);
    let files: Vec<String> = git
        .status()?
        .into_iter()
        .filter(|change| change.kind != ChangeKind::Untracked)
        .map(|change| change.display_path())
        .collect();
    if !files.is_empty() && git.resolve("HEAD")?.as_deref() == Some(candidate) {
        git.reset_hard("HEAD")?;
    }
    Ok(files)
}

/// Returns the part of an output that goes into the task.
pub(crate) fn output_tail(output: &str) -> &str {
    cut::last_lines(output.trim_end(), MAX_OUTPUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_with_a_wrong_make_target_cannot_run() {
        let describe = |command: &str, code, tail: &str| {
            let failure = GateFailure {
                gate: "check".to_owned(),
                command: command.to_owned(),
                code: Some(code),
                tail: tail.to_owned(),
                ..GateFailure::default()
            };
            failure.describe_cannot_run()
        };
        let missing = "make: *** No rule to make target 'tset'.  Stop.\n";
        for command in ["make tset", "cd sub && (make -s 'tset'; date)"] {
            assert_eq!(
                describe(command, 2, missing).as_deref(),
                Some(
                    "the gate check cannot run (exit code 2): make: *** No rule to make target 'tset'.  Stop."
                )
            );
        }
        assert_eq!(describe("make tset", 1, missing), None);
        assert_eq!(describe("make test", 2, missing), None);
        let in_recipe = missing.replace("make:", "make[1]:");
        assert_eq!(describe("make tset", 2, &in_recipe), None);
        let failed = "make: *** [Makefile:2: tset] Error 1\n";
        assert_eq!(describe("make tset", 2, failed), None);
        assert_eq!(
            describe("make tset", 2, &format!("{missing}{failed}")),
            None
        );
        let removed = "make: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.\n";
        assert_eq!(describe("make a.c", 2, removed), None);
    }
}
