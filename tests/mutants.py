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

# name: (file, the code, what it becomes, the end-to-end test that must fail; `town-sim:` stands before a test of the
# simulation, `bd-cli:` before one of the program bd, `kit-jail:` before one of the jail, `gt:` and `bd:` before one of the libraries)
MUTANTS = {
    "root keeps its rights in the jail": (
        "kit/src/sys/jail/bubblewrap.rs",
        "[\"--unshare-all\", \"--die-with-parent\", \"--cap-drop\", \"ALL\"]",
        "[\"--unshare-all\", \"--die-with-parent\", \"--cap-add\", \"ALL\"]",
        "kit-jail:root_cannot_open_the_jail",
    ),
    "a program leaves its group": (
        "kit/src/sys/confine.rs",
        "            (libc::SYS_setsid, vec![]),\n",
        "",
        "kit-jail:nothing_survives_the_end_of_the_program",
    ),
    "every variable gets into the jail": (
        "kit/src/sys/exec.rs",
        "let Some(key) = key.to_str().filter(|key| is_kept(key)) else {",
        "let Some(key) = key.to_str().filter(|key| is_kept(key) || true) else {",
        "kit-jail:only_listed_variables_get_in_and_none_is_on_the_command_line",
    ),
    "unix sockets are open under Landlock": (
        "kit/src/sys/jail/landlock.rs",
        "JailNetwork::Full => SocketFamilies::Internet,",
        "JailNetwork::Full => SocketFamilies::InternetAndUnix,",
        "kit-jail:sockets_of_the_machine_cannot_be_reached",
    ),
    "Landlock lets programs connect while they send": (
        "kit/src/sys/confine.rs",
        "            refused.extend(calls_that_connect_while_sending()?);\n",
        "",
        "kit-jail:landlock_limits_the_network_to_tcp_connections_to_the_ports",
    ),
    "Landlock lets programs use protocols without ports": (
        "kit/src/sys/confine.rs",
        "            refused_sockets.extend(other_protocols()?);\n",
        "",
        "kit-jail:landlock_limits_the_network_to_tcp_connections_to_the_ports",
    ),
    "a listed name leads to any address": (
        "gt/src/host/network/mod.rs",
        "            .filter(|address| self.hosts.allows_address(host, address.ip(), port))\n",
        "",
        "gt:host::network::tests::a_listed_name_that_leads_to_this_machine_is_refused",
    ),
    "the proxy reaches each host": (
        "gt/src/host/network/mod.rs",
        "        if !self.hosts.allows_host(host, port) {\n",
        "        if false && !self.hosts.allows_host(host, port) {\n",
        "gt:host::network::tests::what_the_list_does_not_have_is_refused_and_recorded_once",
    ),
    "a worker with a list of hosts has the network of the machine": (
        "gt/src/host/jail/session.rs",
        "            NetworkAccess::Hosts(_) => JailNetwork::Ports(jail.ports.clone()),\n",
        "            NetworkAccess::Hosts(_) => JailNetwork::Full,\n",
        "jail::workers_and_gates_with_a_list_of_hosts_reach_only_those",
    ),
    "git obeys what a jailed gate wrote": (
        "gt/src/flow/work/mq/gate.rs",
        "            && let Some(path) = pointers.find_change()?\n",
        "            && let Some(path) = pointers.find_change()?.filter(|_| false)\n",
        "gt:flow::work::mq::tests::git_outside_the_jail_does_not_obey_what_a_gate_put_into_the_tree",
    ),
    "required runs gates without a jail": (
        "gt/src/host/jail/mod.rs",
        "Some(JailChoice::Missing { reason }) if settings.mode == JailMode::On => {",
        "Some(JailChoice::Missing { reason }) if settings.mode != JailMode::Off => {",
        "gt:flow::work::mq::tests::without_a_jail_on_runs_the_gate_and_required_does_not",
    ),
    "processes outlive the session of a worker": (
        "gt/src/host/jail/session.rs",
        "process.signal(rustix::process::Signal::KILL).ok();",
        "process.is_alive();",
        "jail::an_agent_in_the_jail_reaches_its_sandbox_and_leaves_no_process",
    ),
    "a pipe that a gate leaves is not noticed": (
        "gt/src/flow/work/mq/gate.rs",
        "if let Some(path) = find_stalling_file(tree) {",
        "if let Some(path) = find_stalling_file(tree).filter(|_| false) {",
        "gt:flow::work::mq::tests::a_gate_that_leaves_a_pipe_for_which_git_would_wait_fails",
    ),
    "receipts are believed": (
        "gt/src/flow/work/mq/receipt_check.rs",
        "fault.filter(|_| accepted != Some(describe_receipt(&receipt)))",
        "fault.filter(|_| accepted.is_some() && accepted != Some(describe_receipt(&receipt)))",
        "merged_means_merged::a_receipt_that_the_records_of_the_town_contradict_waits_for_the_user",
    ),
    "a call is run again after a cut": (
        "gt/src/host/gateway/repeated.rs",
        "        if ids.contains(&id) && !is_resumable {\n",
        "        if ids.contains(&id) && !is_resumable && id.is_empty() {\n",
        "gt:host::gateway::repeated::tests::a_call_whose_answers_were_lost_is_not_run_again_unless_it_can_be_resumed",
    ),
    "silence of a host is the end of its sessions": (
        "gt/src/record/polecat/mod.rs",
        "            (_, Some(live)) if live.unreachable.is_some() => SessionState::Unknown,\n",
        "            (_, Some(live)) if live.unreachable.is_some() => SessionState::Gone,\n",
        "hosts::silence_of_a_host_ends_and_restarts_nothing",
    ),
    "a host names any session": (
        "gt/src/host/far/far_host.rs",
        "                    started.iter().any(is_same)\n",
        "                    started.iter().any(is_same) || !live.name.is_empty()\n",
        "hosts::a_host_names_only_sessions_that_the_town_started",
    ),
    "times of a box are taken as those of the town": (
        "gt/src/host/far/box_server.rs",
        "    if ahead.abs() < MIN_CLOCK_DIFFERENCE {\n",
        "    if true || ahead.abs() < MIN_CLOCK_DIFFERENCE {\n",
        "hosts::a_worker_on_a_machine_with_a_wrong_clock_is_neither_quiet_nor_ahead",
    ),
    "a kept hand-in is not delivered": (
        "gt/src/host/far/box_server.rs",
        "                    deliver_kept_call(&server.pipe, &session, &kept_call_file(&socket)).ok();\n",
        "                    deliver_kept_call(&server.pipe, &session, &socket.with_extension(\"none\")).ok();\n",
        "hosts::work_that_is_handed_in_during_a_long_cut_is_kept_and_delivered_once",
    ),
    "an engine that does not answer reports the end of its places": (
        "gt/src/host/far/engine.rs",
        "            _ => None,\n        }\n    }\n\n    /// Removes the place.",
        "            PlaceState::Unknown(reason) => Some(reason),\n            _ => None,\n        }\n    }\n\n    /// Removes the place.",
        "engines::only_the_engine_says_that_a_place_is_gone",
    ),
    "the new place gets no uncommitted files": (
        "gt/src/flow/agent/session/place.rs",
        "    let files = if is_new {\n",
        "    let files = if is_new || is_place {\n",
        "engines::a_worker_whose_container_was_killed_goes_on_in_another_with_its_work",
    ),
    "a place is removed although its work could not be saved": (
        "gt/src/flow/place/engine.rs",
        "        save_last_state(&rig, &worker.name, name, &place)?;\n    }\n    remove_object",
        "        save_last_state(&rig, &worker.name, name, &place).ok();\n    }\n    remove_object",
        "engines::a_place_whose_work_cannot_be_saved_stays_until_it_can",
    ),
    "another engine is believed about a place": (
        "gt/src/host/far/engine.rs",
        "        if is_end && !self.is_same_engine() {\n",
        "        if is_end && !self.is_same_engine() && false {\n",
        "engines::another_engine_with_the_same_command_says_nothing_about_a_place",
    ),
    "a place is forgotten before its engine removed it": (
        "gt/src/flow/place/engine.rs",
        "    engine.remove()?;\n    forget_place",
        "    engine.remove().ok();\n    forget_place",
        "engines::a_place_that_could_not_be_removed_is_listed_and_removed_later",
    ),
    "a job serves only one connection": (
        "gt/src/host/far/box_socket.rs",
        "    for connection in listener.incoming().flatten() {",
        "    for connection in listener.incoming().flatten().take(1) {",
        "engines::sessions_in_a_job_outlive_the_step_that_opened_them",
    ),
    "a jailed worker changes its rig": (
        "gt/src/host/jail/session_plan.rs",
        "        writable.extend(caches.writable);\n",
        "        writable.extend(caches.writable);\n        writable.push(self.rig.root().to_owned());\n",
        "attacks::attacks_of_a_worker_in_the_jail_of_landlock_fail",
    ),
    "submodules of a jailed worker have no objects": (
        "gt/src/host/jail/session_plan.rs",
        "        paths.extend(list_submodule_objects(&own.join(\"modules\")));\n",
        "        list_submodule_objects(&own.join(\"modules\"));\n",
        "attacks::attacks_of_a_worker_in_the_jail_of_bubblewrap_fail",
    ),
    "a worker takes over the configuration of the last one": (
        "gt/src/host/jail/session_plan.rs",
        "    match fs::rename(&config, &last) {",
        "    match fs::read_dir(&config).map(drop) {",
        "gt:host::jail::session_plan::tests::new_work_gets_a_new_folder_and_only_transcripts_are_kept",
    ),
    "required starts workers without a jail": (
        "gt/src/host/jail/session_plan.rs",
        "JailChoice::Missing { reason } if mode == JailMode::On => {",
        "JailChoice::Missing { reason } if mode != JailMode::Off => {",
        "gt:flow::agent::session::place::tests::a_required_jail_that_cannot_be_built_is_one_failure_of_the_rig",
    ),
    "the page sets commands": (
        "gt/src/flow/townwide/setting_change.rs",
        "find_key(&self.key).filter(|key| key.is_on_page)",
        "find_key(&self.key)",
        "dashboard::every_open_view_shows_a_change",
    ),
    "a revoked browser stays": (
        "gtd/src/page/access.rs",
        "            .drain(..)\n            .filter(|session| SavedBrowser::from(session)",
        "            .iter()\n            .filter(|session| SavedBrowser::from(*session)",
        "dashboard::the_page_is_for_the_browser_with_the_link_only",
    ),
    "a day loses its costs with its transcripts": (
        "gt/src/flow/agent/costs/daily_file.rs",
        "        self.read_at = newer.read_at;\n",
        "        self.read_at = newer.read_at;\n        self.costs.clear();\n",
        "costs::a_model_and_a_runtime_have_what_they_merged_and_its_costs",
    ),
    "target always holds the work": (
        "gt/src/flow/work/mq/land.rs",
        "        Some(target) if job.queue.git.is_ancestor(candidate, target)? => {\n",
        "        Some(target) if job.queue.git.is_ancestor(candidate, target)? || true => {\n",
        "merged_means_merged::a_target_that_drops_the_push_is_detected_before_beads_are_closed",
    ),
    "taken back counts as there": (
        "gt/src/flow/work/mq/verify.rs",
        "        Containment::Missing(files) => TargetPresence::Undone { commit, files },\n",
        "        Containment::Missing(_) => TargetPresence::Yes { commit },\n",
        "merged_means_merged::a_reverted_tip_waits_for_the_user_and_both_next_steps_work",
    ),
    "candidate not recorded before the push": (
        "gt/src/flow/work/mq/land.rs",
        "            candidate: candidate.to_owned(),\n",
        "            candidate: String::new(),\n",
        "merged_means_merged::a_push_before_a_crash_is_recognized_despite_later_changes",
    ),
    "read-back of the tip skipped": (
        "gt/src/flow/work/done/push.rs",
        "    if found == tip {\n",
        "    if found == tip || !found.is_empty() {\n",
        "merged_means_merged::a_branch_with_a_different_tip_after_the_push_is_not_submitted",
    ),
    "closed source bead still merges": (
        "gt/src/flow/work/mq/withdraw.rs",
        "    if !bead.is_open() {\n",
        "    if false {\n",
        "one_attempt::a_submitted_bead_closed_by_its_own_worker_does_not_merge",
    ),
    "attempt number ignored": (
        "gt/src/flow/work/mq/withdraw.rs",
        "    (!is_current).then(|| {\n",
        "    (false && !is_current).then(|| {\n",
        "one_attempt::closing_and_reopening_a_bead_starts_another_attempt",
    ),
    "a repair closes whatever it was made for": (
        "gt/src/flow/work/mq/land.rs",
        "    Ok(containment == Containment::All)\n",
        "    Ok(containment == Containment::All || true)\n",
        "flow::gate::a_repair_without_the_original_work_does_not_count_as_its_merge",
    ),
    "gates see what earlier ones left": (
        "gt/src/flow/work/mq/gate_tree.rs",
        '        let mut clean = git.plumbing(["clean", "--quiet", "-f", "-f", "-d", "-x"]);\n',
        '        let mut clean = git.plumbing(["clean", "--quiet", "-f", "-n"]);\n',
        "merged_means_merged::each_gate_has_its_own_tree_whose_changes_are_never_pushed",
    ),
    "pushes past the queue are not noticed": (
        "gt/src/flow/place/worker_push.rs",
        "        if let Some(worker) = worker {\n",
        "        if let Some(worker) = worker.filter(|_| false) {\n",
        "merged_means_merged::work_that_the_worker_pushed_to_the_target_itself_waits_for_a_person",
    ),
    "gates work on the cache of the last merge itself": (
        "gt/src/flow/work/mq/gate_cache.rs",
        "                result = folder_copy::copy_tree(&kept, &beside);\n",
        "                result = fs::rename(&kept, &beside);\n",
        "gt:flow::work::mq::batch::tests::a_gate_finds_the_cache_of_merged_work_and_nothing_of_work_that_was_refused",
    ),
    "agents start at a desk that failed": (
        "gt/src/flow/place/desk/mod.rs",
        "    failure.save(rig)?;\n    Err(DeskError::failed(rig, failure))\n",
        "    drop(failure);\n    Ok(variables)\n",
        "desk::a_desk_is_ready_before_the_first_session_and_its_failure_is_one_need_of_the_rig",
    ),
    "commits of closed work are dropped": (
        "gt/src/flow/place/sandbox/keep.rs",
        "        } else if let Some(head_commit) = head_commit.as_deref().filter(|head| is_work(head)) {\n",
        "        } else if let Some(head_commit) = head_commit.as_deref().filter(|_| false) {\n",
        "one_attempt::a_worker_is_released_and_its_commits_kept_when_its_bead_is_closed",
    ),
    "no one hears of a bead without a worker": (
        "gt/src/patrol/attention/item.rs",
        "    for bead in held {\n",
        "    for bead in held.take(0) {\n",
        "attention::the_bead_of_a_manually_closed_request_is_reported",
    ),
    "idle agents get no notice": (
        "gt/src/patrol/mail.rs",
        "        .filter(|mailbox| mailbox.input == InputState::Idle)\n",
        "        .filter(|mailbox| mailbox.input == InputState::Unknown)\n",
        "mail_notice::a_question_of_a_worker_wakes_an_idle_mayor_once",
    ),
    "no one hears of unread calls": (
        "gt/src/patrol/attention/mod.rs",
        "            .chain(mail::unread_items(layout, view))\n",
        "            .chain(mail::unread_items(layout, view).into_iter().take(0))\n",
        "mail_notice::a_call_that_stays_unread_is_reported_to_the_user_until_someone_reads_it",
    ),
    "work that changes nothing is merged": (
        "gt/src/flow/work/done/proof.rs",
        "    Ok(Some(own_commits).filter(|own| !own.files.is_empty()))\n",
        "    Ok(Some(own_commits))\n",
        "no_work::forty_ways_to_say_done_without_work_are_not_accepted",
    ),
    "a copy counts as work": (
        "gt/src/flow/work/mq/verify.rs",
        "    Ok(own.peek().is_some() && own.all(|authorship| on_target.contains(&authorship)))\n",
        "    Ok(own.peek().is_some() && own.all(|_| false))\n",
        "merged_means_merged::a_copy_of_the_commits_of_another_worker_waits_for_a_person",
    ),
    "a forge is believed": (
        "gt/src/flow/work/mq/pull_request/mod.rs",
        "        if landed.is_none() && holds_pushed_change(job, &pushed, commit)? {\n",
        "        if landed.is_none() {\n",
        "pull_request::a_forge_that_names_an_older_commit_as_the_merge_is_not_believed",
    ),
    "lost merges are not noticed": (
        "gt/src/flow/place/target_history.rs",
        "            _ => record_drop(rig, &git, branch, &seen, tip.as_deref())?,\n",
        "            _ => {}\n",
        "lost_merges::a_forced_push_that_drops_merged_work_needs_a_person_who_can_bring_it_back",
    ),
    "removed commits return": (
        "gt/src/flow/work/done/proof.rs",
        "    let Some(newest) = commits.last() else {\n",
        "    let Some(newest) = commits.last().filter(|_| false) else {\n",
        "lost_merges::a_commit_that_was_forced_away_does_not_return_with_a_repair",
    ),
    "a wrong limit counts as none": (
        "gt/src/town/config/faults.rs",
        "-> FaultEffect {\n    if key.is_guard {\n",
        "-> FaultEffect {\n    if false && key.is_guard {\n",
        "settings_checked::a_wrong_limit_starts_no_worker_until_it_is_correct",
    ),
    "files of the town are read for a caller": (
        "kit/src/gateway/forwarded.rs",
        "        if !is_sent {\n",
        "        if false && !is_sent {\n",
        "gateway::no_file_of_the_town_is_read_or_written_for_a_caller",
    ),
    "programs of a caller run outside": (
        "gt/cli/src/lib.rs",
        "    if gateway::find_call_folder().is_some() && runs_in_place(",
        "    if false && gateway::find_call_folder().is_some() && runs_in_place(",
        "gateway::programs_of_the_caller_never_run_outside",
    ),
    "a worker may do everything": (
        "gt/src/town/permission.rs",
        "    if permission.is_held_by(caller, changes) {\n",
        "    if true || permission.is_held_by(caller, changes) {\n",
        "permissions::a_worker_lowers_no_guard_and_each_refusal_is_an_event",
    ),
    "a worker writes its own record": (
        "bd/src/store/commit/transaction.rs",
        "        if is_record || worker.is_some() && is_of_town() {\n",
        "        if (is_record || worker.is_some() && is_of_town()) && false {\n",
        "permissions::a_worker_changes_its_own_beads_and_comments_on_others",
    ),
    "a worker is known by its variables": (
        "gt/src/town/identity/detect.rs",
        "    match by_session.or_else(|| caller_from_env(env)) {\n",
        "    match caller_from_env(env).or(by_session.filter(|_| false)) {\n",
        "permissions::a_worker_without_variables_is_known_by_its_session",
    ),
    "a worker hands in the work of another": (
        "gt/src/flow/work/done/identify.rs",
        "        Some(held) if held == worker.slot.lease && token == worker.slot.token => Ok(worker),\n",
        "        Some(held) if held == worker.slot.lease && (true || token == worker.slot.token) => Ok(worker),\n",
        "permissions::a_worker_does_not_hand_in_the_work_of_another",
    ),
    "links in a beads folder are followed": (
        "bd/src/store/disk/entries.rs",
        "        if kind.is_file() || kind.is_dir() || !is_opened(&entry.file_name()) {\n",
        "        if true || !is_opened(&entry.file_name()) {\n",
        "bd-cli:cli::hostile::a_link_in_the_beads_folder_is_refused_and_its_target_stays",
    ),
    "labels set commands": (
        "gt/src/town/config/layers.rs",
        "            LabelEffect::None => false,\n",
        "            LabelEffect::None => true,\n",
        "foreign::a_label_of_the_rig_bead_runs_no_command_and_skips_no_review",
    ),
    "a changed remote of a rig decides where work is pushed": (
        "gt/src/flow/place/rig/remote.rs",
        "    if differences.is_empty() {\n",
        "    if true || differences.is_empty() {\n",
        "foreign::a_remote_that_was_changed_counts_only_in_the_rigs_repository_and_is_restored_there",
    ),
    "the repository of a sandbox is obeyed": (
        "gt/src/town/sandbox_git.rs",
        "        let git = Git::with_repository(&place, &own, Some(name));\n        git.check",
        "        let git = Git::at(&place);\n        git.check",
        "planted::nothing_that_a_worker_writes_into_its_repository_runs_in_a_command_of_the_town",
    ),
    "an index of a sandbox leads out of it": (
        "bd/src/git/take_over.rs",
        "            if !is_inside(&path) {",
        "            if false && !is_inside(&path) {",
        "bd:git::tests::separate::a_tree_with_the_state_of_a_stranger_is_refused",
    ),
    "a merge driver drops a change": (
        "gt/src/flow/work/mq/candidate.rs",
        "        .filter(|file| !file.holds_change && !accepted.contains(&file.path))\n",
        "        .filter(|file| false && !accepted.contains(&file.path))\n",
        "merged_means_merged::a_change_that_a_merge_driver_left_out_waits_for_a_person",
    ),
    "a synced approval counts": (
        "gt/src/flow/work/mq/block.rs",
        "    if !approval.reviewed_by.is_empty() {\n",
        "    if !approval.reviewed_by.is_empty() || job.request.metadata.is_some() {\n",
        "foreign::a_label_of_the_rig_bead_runs_no_command_and_skips_no_review",
    ),
    "the files of inner repositories are lost": (
        "gt/src/flow/place/sandbox/keep.rs",
        "        let dirty = git.has_unsaved_files()?;\n",
        "        let dirty = git.has_unsaved_files()? && git.inner_repositories()?.is_empty();\n",
        "foreign::the_files_of_an_inner_repository_survive_nuke_and_the_next_sling",
    ),
    "hidden changes count as none": (
        "gt/src/flow/work/done/proof.rs",
        "    if !hidden.is_empty() {\n",
        "    if false && !hidden.is_empty() {\n",
        "foreign::changes_that_git_hides_are_not_reported_as_done",
    ),
    "beads that vanish from the branch are deleted": (
        "bd/src/sync/unite.rs",
        "            if !vanished.is_empty() {\n",
        "            if false && !vanished.is_empty() {\n",
        "sync_full::beads_that_vanish_from_the_branch_stay_and_are_reported_once",
    ),
    "a foreign element hides its list": (
        "bd/src/bead/record/mod.rs",
        "        if !read_list(&mut bead, &key, raw.get()) {\n",
        "        if true || !read_list(&mut bead, &key, raw.get()) {\n",
        "bd-cli:cli::data::list_elements_of_other_programs_hide_no_others_and_survive_changes",
    ),
    "restarts of a quiet worker are forgotten": (
        "gt/src/patrol/witness.rs",
        "            if step.rule == rule::G2_RESTART_QUIET && worker.has_too_many_restarts(now, thresholds)\n",
        "            if polecats::has_too_many_restarts(&worker.respawns, now, thresholds)\n",
        "watch::with_the_built_in_times_a_worker_that_hangs_becomes_stuck_with_one_message",
    ),
    "usage limits are not recognized": (
        "gt/src/host/runtime/limit_screen.rs",
        "            .any(|row| line.starts_with(&row.words))\n",
        "            .any(|row| false && line.starts_with(&row.words))\n",
        "usage_limit::a_session_ended_by_its_usage_limit_starts_again_at_its_time_without_an_attempt",
    ),
    "a usage limit pauses no queued work": (
        "gt/src/record/start_use.rs",
        "            .filter(|paused| paused.uses == uses)\n",
        "            .filter(|paused| false && paused.uses == uses)\n",
        "usage_limit::work_for_an_agent_at_its_usage_limit_stays_queued_until_its_time",
    ),
    "no question keeps a worker waiting": (
        "gt/src/record/escalation.rs",
        "        .find(|escalation| escalation.related_bead == bead && escalation.severity > Severity::Low)\n",
        "        .find(|escalation| false && escalation.related_bead == bead && escalation.severity > Severity::Low)\n",
        "watch::a_worker_whose_session_ended_while_it_asks_waits_for_the_answer",
    ),
    "answers are only mailed": (
        "gt/src/flow/townwide/escalate/answer.rs",
        "    if nudge::nudge_agent(town, &agent, &text).is_ok() {\n",
        "    if false && nudge::nudge_agent(town, &agent, &text).is_ok() {\n",
        "watch::a_worker_at_its_prompt_gets_the_answer_to_its_question_at_once",
    ),
    "a failed gate is silent": (
        "gt/src/patrol/attention/mod.rs",
        "            .chain(gate_items(layout, view))\n",
        "            .chain(gate_items(layout, view).into_iter().take(0))\n",
        "bead_gates::a_gate_that_cannot_open_any_more_is_one_need_of_the_user_with_a_next_step",
    ),
    "a forge that does not answer is silent": (
        "gt/src/patrol/gates.rs",
        "        let queries = look.unanswered.clone()?;\n",
        "        let queries = look.unanswered.clone().filter(|_| false)?;\n",
        "bead_gates::a_forge_that_does_not_answer_is_reported_after_ten_minutes",
    ),
    "known lines count as new output": (
        "gt/src/record/observed.rs",
        "        if seen.lines.len() > before || is_first {\n",
        "        if true || seen.lines.len() > before || is_first {\n",
        "watch::the_same_lines_over_and_over_are_no_progress",
    ),
    "a crash after a change does not count": (
        "gt/src/flow/agent/session/start.rs",
        '            forget: Some(settings.duration("patrol.breaker.window")),\n',
        "            forget: Some(SignedDuration::ZERO),\n",
        "watch::a_worker_that_changes_a_file_and_crashes_again_and_again_becomes_stuck",
    ),
    "a worker that hangs is never restarted": (
        "gt/src/patrol/witness.rs",
        "            QuietStep::restart(at.max(last), rest.max(SignedDuration::ZERO))\n",
        "            QuietStep::restart(Timestamp::MAX, rest.max(SignedDuration::ZERO))\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "a worker with a dialog is never restarted": (
        "gt/src/patrol/witness.rs",
        "        (WorkerActivity::Dialog { .. }, _) => QuietStep::restart(progress.at, thresholds.restart),\n",
        "        (WorkerActivity::Dialog { .. }, _) => None,\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "a nudge does not count": (
        "gt/src/patrol/witness.rs",
        "        (last >= self.progress.work).then_some(last)\n",
        "        (false && last >= self.progress.work).then_some(last)\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "no one tries again after an outage": (
        "gt/src/patrol/outages.rs",
        "        let is_due = outage.next_try() <= now;\n",
        "        let is_due = false;\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "an outage opens breakers": (
        "gt/src/patrol/polecats/mod.rs",
        "    if polecat.refused {\n        return None;\n    }\n",
        "",
        "town-sim:tests::an_outage_costs_few_retries_and_one_message",
    ),
    "a sling is not taken up again": (
        "gt/src/patrol/polecats/mod.rs",
        "            return decide_verb(rule::P3_RESUME_SLING, WorkerVerb::ResumeSling);\n",
        "            return None;\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "a done is not finished": (
        "gt/src/patrol/polecats/mod.rs",
        "            return decide_verb(rule::P5_FINISH_DONE, WorkerVerb::FinishDone);\n",
        "            return None;\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "a done that cannot succeed is tried for ever": (
        "gt/src/record/polecat/slot.rs",
        "        self.failed_done().is_some_and(|failed| !failed.retry)\n",
        "        false && self.failed_done().is_some_and(|failed| !failed.retry)\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "a session without work is left": (
        "gt/src/patrol/polecats/mod.rs",
        "        return (alive || polecat.shown)\n",
        "        return (false && (alive || polecat.shown))\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "a ready request is not merged": (
        "gt/src/patrol/queue.rs",
        "        .filter(SignedDuration::is_zero)\n",
        "        .filter(|_| false)\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
    "a done convoy does not land": (
        "gt/src/patrol/convoys.rs",
        "        .landable\n        .iter()\n        .map(|convoy| Decision {\n",
        "        .landable\n        .iter()\n        .take(0)\n        .map(|convoy| Decision {\n",
        "town-sim:tests::every_bead_lands_under_every_kind_of_trouble",
    ),
}


def run_test(copy: pathlib.Path, target: str, test: str) -> tuple[bool, str]:
    """Whether the test passes, and what cargo said."""
    for suite, of in {"town-sim": ["-p", "town-sim", "--lib"], "bd-cli": ["-p", "bd-cli", "--test", "binary"], "kit-jail": ["-p", "kit", "--test", "jail"], "gt": ["-p", "gt", "--lib"], "bd": ["-p", "bd", "--lib"]}.items():
        if test.startswith(f"{suite}:"):
            name = test.removeprefix(f"{suite}:")
            break
    else:
        name, of = test, ["-p", "town-tests", "--test", "e2e"]
    command = ["cargo", "test", "--locked", "--quiet", *of, "--", "--exact", name]
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
