#!/usr/bin/env python3
"""Breaks each promise of docs/TESTING.md on purpose, and sees that the named test fails.

Works on a copy of the repository in a temporary folder; the build there is kept in CARGO_TARGET_DIR, if that is set.
Usage: tests/mutants.py [NAME ...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# name: (file, the code, what it becomes, the end-to-end test that must fail; `town-sim:` stands before a test of the simulation)
MUTANTS = {
    "target always holds the work": (
        "gt/src/flow/mq/verify.rs",
        "    job.git.is_ancestor(commit, target)\n",
        "    job.git.is_ancestor(commit, target).map(|_| true)\n",
        "merged_means_merged::a_target_that_drops_what_was_pushed_is_found_out_before_anything_is_closed",
    ),
    "taken back counts as there": (
        "gt/src/flow/mq/verify.rs",
        "        Containment::Missing(files) => TargetPresence::Undone { commit, files },\n",
        "        Containment::Missing(_) => TargetPresence::Yes { commit },\n",
        "merged_means_merged::a_tip_that_was_merged_and_taken_back_waits_for_a_person_and_both_ways_on_work",
    ),
    "candidate not recorded before the push": (
        "gt/src/flow/mq/land.rs",
        "            candidate: candidate.to_owned(),\n",
        "            candidate: String::new(),\n",
        "merged_means_merged::what_was_pushed_before_a_crash_is_known_even_if_someone_changed_the_same_lines_since",
    ),
    "read-back of the tip skipped": (
        "gt/src/flow/done/push.rs",
        "    if found == tip {\n",
        "    if found == tip || !found.is_empty() {\n",
        "merged_means_merged::a_branch_whose_tip_read_back_is_another_is_not_handed_in",
    ),
    "closed source bead still merges": (
        "gt/src/flow/mq/withdraw.rs",
        "    if !bead.is_open() {\n",
        "    if false {\n",
        "one_attempt::a_bead_that_its_own_worker_closed_after_handing_it_in_does_not_merge",
    ),
    "attempt number ignored": (
        "gt/src/flow/mq/withdraw.rs",
        "    (!is_current).then(|| {\n",
        "    (false && !is_current).then(|| {\n",
        "one_attempt::a_bead_that_was_closed_and_reopened_is_at_another_attempt",
    ),
    "a repair closes whatever it was made for": (
        "gt/src/flow/mq/land.rs",
        "        Containment::Missing(_) => false,\n",
        "        Containment::Missing(_) => true,\n",
        "flow::gate::a_repair_that_brings_nothing_of_the_work_does_not_make_it_merged",
    ),
    "gates see what earlier ones left": (
        "gt/src/flow/mq/gate.rs",
        '    git.plumbing(["clean", "--quiet", "-f", "-f", "-d", "-x"])\n',
        '    git.plumbing(["clean", "--quiet", "-f", "-n"])\n',
        "merged_means_merged::each_gate_has_a_tree_of_its_own_and_what_it_changes_is_never_pushed",
    ),
    "commits of closed work are dropped": (
        "gt/src/flow/sandbox/mod.rs",
        "        } else if let Some(head_commit) = head_commit.as_deref().filter(|head| is_work(head)) {\n",
        "        } else if let Some(head_commit) = head_commit.as_deref().filter(|_| false) {\n",
        "one_attempt::a_worker_whose_bead_a_person_closes_is_released_and_its_commits_are_kept",
    ),
    "nobody hears of a bead without a worker": (
        "gt/src/patrol/attention/matter.rs",
        "        if !has_owner {\n",
        "        if false && !has_owner {\n",
        "attention::a_request_that_was_closed_by_hand_leaves_a_bead_that_a_person_hears_of",
    ),
    "a worker that hangs is never restarted": (
        "gt/src/patrol/witness.rs",
        "            restart(at.max(progress.at), rest.max(SignedDuration::ZERO))\n",
        "            restart(Timestamp::MAX, rest.max(SignedDuration::ZERO))\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "a worker with a dialog is never restarted": (
        "gt/src/patrol/witness.rs",
        "        (WorkerActivity::Dialog { .. }, _) => restart(progress.at, thresholds.restart),\n",
        "        (WorkerActivity::Dialog { .. }, _) => None,\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "a nudge does not count": (
        "gt/src/patrol/witness.rs",
        "        (last >= self.progress.work).then_some(last)\n",
        "        (false && last >= self.progress.work).then_some(last)\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "nobody tries again after an outage": (
        "gt/src/patrol/outages.rs",
        "        let is_due = outage.next_try() <= now;\n",
        "        let is_due = false;\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "an outage opens breakers": (
        "gt/src/patrol/polecats/mod.rs",
        "    if polecat.refused {\n        return None;\n    }\n",
        "",
        "town-sim:tests::an_outage_costs_few_tries_and_one_message",
    ),
    "a sling is not taken up again": (
        "gt/src/patrol/polecats/mod.rs",
        "        SlotState::Slinging(_) => return decision(rule::P3_RESUME_SLING, Action::ResumeSling),\n",
        "        SlotState::Slinging(_) => return None,\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "a done is not finished": (
        "gt/src/patrol/polecats/mod.rs",
        "        SlotState::Finishing { .. } => return decision(rule::P5_FINISH_DONE, Action::FinishDone),\n",
        "        SlotState::Finishing { .. } => return None,\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "a done that cannot succeed is tried for ever": (
        "gt/src/record/polecat/slot.rs",
        "        self.failed_done().is_some_and(|failed| !failed.retry)\n",
        "        false && self.failed_done().is_some_and(|failed| !failed.retry)\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "a session without work is left": (
        "gt/src/patrol/polecats/mod.rs",
        "        return (alive || polecat.shown)\n",
        "        return (false && (alive || polecat.shown))\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "a ready request is not merged": (
        "gt/src/patrol/queue.rs",
        "        .filter(SignedDuration::is_zero)\n",
        "        .filter(|_| false)\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
    "a done convoy does not land": (
        "gt/src/patrol/convoys.rs",
        "    let landable = facts.landable.iter().map(land);\n",
        "    let landable = facts.landable.iter().take(0).map(land);\n",
        "town-sim:tests::every_bead_lands_whatever_goes_wrong",
    ),
}


def run_test(copy: pathlib.Path, target: str, test: str) -> tuple[bool, str]:
    """Whether the test passes, and what cargo said."""
    of = ["-p", "town-sim", "--lib"] if test.startswith("town-sim:") else ["-p", "town-tests", "--test", "e2e"]
    command = ["cargo", "test", "--locked", "--quiet", *of, "--", "--exact", test.removeprefix("town-sim:")]
    done = subprocess.run(command, cwd=copy, env={**os.environ, "CARGO_TARGET_DIR": target}, text=True, capture_output=True)
    said = done.stdout + done.stderr
    if "could not compile" in said or "running 0 tests" in said or "running 1 test" not in said:
        sys.exit(f"{test} did not run:\n{said[-3000:]}")
    return done.returncode == 0, said


def main() -> int:
    wanted = sys.argv[1:] or list(MUTANTS)
    alive = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = pathlib.Path(folder) / "tree"
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(copy)], check=True)
        target = os.environ.get("CARGO_TARGET_DIR") or str(ROOT / "target")
        for name in wanted:
            file, old, new, test = MUTANTS[name]
            path = copy / file
            text = path.read_text()
            if text.count(old) != 1:
                sys.exit(f"{name}: {file} has the code {text.count(old)} times: {old!r}")
            path.write_text(text.replace(old, new))
            passes, _ = run_test(copy, target, test)
            path.write_text(text)
            print(f"{'ALIVE' if passes else 'killed'}  {name}  ({test})", flush=True)
            if passes:
                alive.append(name)
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
