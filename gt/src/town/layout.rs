//! Defines every path of a town.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TownLayout {
    root: PathBuf,
}

impl TownLayout {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `mayor/`: the mayor's home and the town's own files.
    pub fn mayor(&self) -> PathBuf {
        self.root.join("mayor")
    }

    /// `mayor/town.json`: makes the folder a town.
    pub fn town_json(&self) -> PathBuf {
        self.mayor().join("town.json")
    }

    /// `mayor/rigs.json`: the rigs of the town.
    pub fn rigs_json(&self) -> PathBuf {
        self.mayor().join("rigs.json")
    }

    /// `mayor/accounts.json`: the accounts of agent programs.
    pub fn accounts_json(&self) -> PathBuf {
        self.mayor().join("accounts.json")
    }

    /// `mayor/quota.json`: the accounts that hit a usage limit.
    pub fn quota_json(&self) -> PathBuf {
        self.mayor().join("quota.json")
    }

    /// `mayor/daemon.json`: the settings of the daemon's patrols.
    pub fn daemon_json(&self) -> PathBuf {
        self.mayor().join("daemon.json")
    }

    /// `mayor/overseer.json`: the user who owns the town.
    pub fn overseer_json(&self) -> PathBuf {
        self.mayor().join("overseer.json")
    }

    /// `deacon/`: the deacon's home.
    pub fn deacon(&self) -> PathBuf {
        self.root.join("deacon")
    }

    /// `deacon/heartbeat.json`: the last heartbeat of the town.
    pub fn heartbeat(&self) -> PathBuf {
        self.deacon().join("heartbeat.json")
    }

    /// `ESTOP`: the emergency stop of the town.
    pub fn emergency_stop(&self) -> PathBuf {
        self.root.join("ESTOP")
    }

    /// `.runtime/deacon/paused.json`: the pause of the patrol.
    pub fn pause_file(&self) -> PathBuf {
        self.runtime().join("deacon/paused.json")
    }

    /// `.runtime/scheduler-state.json`: the pause of the scheduler.
    pub fn scheduler_state(&self) -> PathBuf {
        self.runtime().join("scheduler-state.json")
    }

    /// The links that answer questions from other devices.
    pub fn answer_links(&self) -> PathBuf {
        self.runtime().join("answer-links.json")
    }

    /// The costs that count for budgets, as they were last read.
    pub fn spending(&self) -> PathBuf {
        self.runtime().join("spending.json")
    }

    /// `.runtime/daily-sums/YEAR.jsonl`: the costs and counts of each day of a year.
    pub fn daily_sums(&self, year: i16) -> PathBuf {
        self.runtime().join(format!("daily-sums/{year:04}.jsonl"))
    }

    /// The lock for changing the daily sums.
    pub fn daily_sums_lock(&self) -> PathBuf {
        self.runtime().join("locks/daily-sums")
    }

    /// `.runtime/page-browsers.json`: the browsers that may use the page.
    pub fn page_browsers(&self) -> PathBuf {
        self.runtime().join("page-browsers.json")
    }

    /// The lock for claims while the whole town has a limit.
    pub fn scheduler_lock(&self) -> PathBuf {
        self.runtime().join("locks/scheduler")
    }

    /// `deacon/redispatch-state.json`: the repeated slings of stuck work.
    pub fn redispatch_state(&self) -> PathBuf {
        self.deacon().join("redispatch-state.json")
    }

    /// `deacon/health-check-state.json`: the responses of agents to health checks.
    pub fn health_state(&self) -> PathBuf {
        self.deacon().join("health-check-state.json")
    }

    /// `daemon/restart_state.json`: the starts of agents.
    pub fn restart_state(&self) -> PathBuf {
        self.daemon().join("restart_state.json")
    }

    /// `.runtime/halted`: the time of the last `gt down`.
    pub fn last_halt(&self) -> PathBuf {
        self.runtime().join("halted")
    }

    /// `deacon/chores.json`: the last run of each chore.
    pub fn chores(&self) -> PathBuf {
        self.deacon().join("chores.json")
    }

    /// `.runtime/hints.json`: the hints that the user has seen.
    pub fn hints(&self) -> PathBuf {
        self.runtime().join("hints.json")
    }

    /// `.runtime/hook-nudges.json`: the reminders of agents about their hooks.
    pub fn hook_nudges(&self) -> PathBuf {
        self.runtime().join("hook-nudges.json")
    }

    /// `.runtime/gate-looks.json`: the last queries of the forge about gates.
    pub fn gate_looks(&self) -> PathBuf {
        self.runtime().join("gate-looks.json")
    }

    /// `.runtime/usage-pauses.json`: the workers at a usage limit.
    pub fn usage_pauses(&self) -> PathBuf {
        self.runtime().join("usage-pauses.json")
    }

    /// `deacon/dogs/boot/.boot-status.json`: the last check of the deacon.
    pub fn boot_status(&self) -> PathBuf {
        self.deacon().join("dogs/boot/.boot-status.json")
    }

    /// The lock for carrying out requests that came by mail.
    pub fn requests_lock(&self) -> PathBuf {
        self.runtime().join("locks/requests")
    }

    /// The lock for changes to a state file.
    pub fn state_lock(&self, path: &Path) -> PathBuf {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        self.runtime().join("locks").join(format!("state-{name}"))
    }

    /// `settings/config.json`: the town's settings.
    pub fn settings(&self) -> PathBuf {
        self.root.join("settings/config.json")
    }

    /// `.runtime/restored-from`: the folder of the town whose backup this one was restored from.
    pub fn restored_from(&self) -> PathBuf {
        self.runtime().join("restored-from")
    }

    /// `settings/hosts/`: the other machines on which workers can run, a file for each.
    pub fn host_files(&self) -> PathBuf {
        self.root.join("settings/hosts")
    }

    /// `.runtime/hosts/<host>/`: the town's side of another machine.
    pub fn host(&self, name: &str) -> PathBuf {
        self.runtime().join("hosts").join(file_name_of(name))
    }

    /// `settings/prices.json`: the user's prices of models.
    pub fn prices(&self) -> PathBuf {
        self.root.join("settings/prices.json")
    }

    /// `settings/escalation.json`: the recipients and routes of escalations.
    pub fn escalation_json(&self) -> PathBuf {
        self.root.join("settings/escalation.json")
    }

    /// `config/messaging.json`: the mailing lists, queues and announcements of existing towns.
    pub fn messaging_json(&self) -> PathBuf {
        self.root.join("config/messaging.json")
    }

    /// `.runtime/notification-levels.json`: the agents that are not nudged, or nudged about each
    /// message.
    pub fn notification_levels(&self) -> PathBuf {
        self.runtime().join("notification-levels.json")
    }

    /// `.beads/`: the town's own beads, prefix `hq`.
    pub fn beads(&self) -> PathBuf {
        self.root.join(".beads")
    }

    /// `.beads/routes.jsonl`: the folder of each prefix.
    pub fn routes(&self) -> PathBuf {
        self.beads().join("routes.jsonl")
    }

    /// `.beads-wisp/config/<rig>.json`: the local layer of a rig's settings.
    pub fn wisp_config(&self, rig: &str) -> PathBuf {
        self.root
            .join(".beads-wisp/config")
            .join(format!("{rig}.json"))
    }

    /// `hooks/`: executables by event ([`crate::flow::place::town_hook`]).
    pub fn hooks(&self) -> PathBuf {
        self.root.join("hooks")
    }

    /// `plugins/`: plugins, each in a folder of its own.
    pub fn plugins(&self) -> PathBuf {
        self.root.join("plugins")
    }

    /// `plugins/.shipped.json`: the shipped plugins as they were installed.
    pub fn shipped_plugins(&self) -> PathBuf {
        self.plugins().join(".shipped.json")
    }

    /// `.runtime/plugins.json`: the state of the gates of plugins.
    pub fn plugin_memory(&self) -> PathBuf {
        self.runtime().join("plugins.json")
    }

    /// `.runtime/plugins/<plugin>/`: the logs of a plugin's last runs.
    pub fn plugin_logs(&self, plugin: &str) -> PathBuf {
        self.runtime().join("plugins").join(file_name_of(plugin))
    }

    /// The lock for running a plugin.
    pub fn plugin_lock(&self, plugin: &str) -> PathBuf {
        self.runtime()
            .join("locks")
            .join(format!("plugin-{}", file_name_of(plugin)))
    }

    /// `.runtime/`: local state that may be lost.
    pub fn runtime(&self) -> PathBuf {
        self.root.join(".runtime")
    }

    /// `.runtime/briefings/.state.json`: the beads for which the briefings are ready.
    pub fn briefing_state(&self) -> PathBuf {
        self.runtime().join("briefings/.state.json")
    }

    /// `.runtime/briefings/<convoy>.json`: briefings that gtd keeps ready.
    pub fn briefing(&self, convoy: &str) -> PathBuf {
        self.runtime()
            .join("briefings")
            .join(format!("{}.json", file_name_of(convoy)))
    }

    /// `.runtime/told/<mailbox>.json`: the messages that the last session of a mailbox was notified
    /// of.
    pub fn delivered_mail(&self, mailbox: &str) -> PathBuf {
        let name = mailbox.trim_end_matches('/').replace('/', ".");
        self.runtime().join("told").join(format!("{name}.json"))
    }

    /// `.runtime/told/<mailbox>.stop`: the state of the work at the last reminder by the stop hook.
    pub fn stop_reminder(&self, mailbox: &str) -> PathBuf {
        self.delivered_mail(mailbox).with_extension("stop")
    }

    /// `.runtime/told/<mailbox>.ending`: the last session of a mailbox that handed over.
    pub fn ending_session(&self, mailbox: &str) -> PathBuf {
        self.delivered_mail(mailbox).with_extension("ending")
    }

    /// `.runtime/told/<mailbox>.convoys`: the convoys whose decisions the last session has
    /// received.
    pub fn reported_convoys(&self, mailbox: &str) -> PathBuf {
        self.delivered_mail(mailbox).with_extension("convoys")
    }

    /// `.runtime/share/<rig>.json`: the last sync of a rig's beads, or of the town's own without a
    /// rig.
    pub fn sync_state(&self, rig: Option<&str>) -> PathBuf {
        // Not a valid rig name, so it never collides with one.
        let name = rig.unwrap_or(".town");
        self.runtime().join("share").join(format!("{name}.json"))
    }

    /// `.runtime/pulse/<session>.json`: the reports of the hooks of a session's agent program.
    pub fn pulse(&self, session: &str) -> PathBuf {
        self.runtime().join("pulse").join(format!("{session}.json"))
    }

    /// `.runtime/pulse/<session>.typed`: the time at which a message was last typed into a session,
    /// and the time of the last output before it.
    pub fn typed_message(&self, session: &str) -> PathBuf {
        self.pulse(session).with_extension("typed")
    }

    /// `.runtime/pulse/<session>.account`: the account that a session was started with.
    pub fn session_account(&self, session: &str) -> PathBuf {
        self.pulse(session).with_extension("account")
    }

    /// `.runtime/usage-windows.json`: the usage windows of accounts, as sessions reported them.
    pub fn usage_windows(&self) -> PathBuf {
        self.runtime().join("usage-windows.json")
    }

    /// `.runtime/scripted/<session>/`: the files of a running scripted agent.
    pub fn scripted(&self, session: &str) -> PathBuf {
        self.runtime().join("scripted").join(session)
    }

    /// `.runtime/gateway/`: the files of the calls of sessions in jails, in one folder per session.
    pub fn gateways(&self) -> PathBuf {
        self.runtime().join("gateway")
    }

    /// `.runtime/patrol.json`: the patrol's memory between passes.
    pub fn patrol_memory(&self) -> PathBuf {
        self.runtime().join("patrol.json")
    }

    /// `.runtime/session/`: start files of sessions, mode 0700.
    pub fn session_files(&self) -> PathBuf {
        self.runtime().join("session")
    }

    /// The lock for changes to the town's registry of rigs and its routes.
    pub fn registry_lock(&self) -> PathBuf {
        self.runtime().join("locks/registry")
    }

    /// `.runtime/backup.git/`: the repository in which backups are put together.
    pub fn backup_repository(&self) -> PathBuf {
        self.runtime().join("backup.git")
    }

    /// The lock for writing a backup.
    pub fn backup_lock(&self) -> PathBuf {
        self.runtime().join("locks/backup")
    }

    /// The lock of one review request for a convoy.
    pub fn review_lock(&self, request: &str) -> PathBuf {
        self.runtime()
            .join("locks")
            .join(format!("{}.review", file_name_of(request)))
    }

    /// The lock for creating the convoy of an epic.
    pub fn epic_lock(&self, epic: &str) -> PathBuf {
        self.runtime()
            .join("locks")
            .join(format!("epic-{}", file_name_of(epic)))
    }

    /// The lock of a convoy's landing.
    pub fn landing_lock(&self, convoy: &str) -> PathBuf {
        self.runtime()
            .join("locks")
            .join(format!("landing-{}", file_name_of(convoy)))
    }

    /// The lock for running the commands of an escalation.
    pub fn escalation_lock(&self, escalation: &str) -> PathBuf {
        self.runtime()
            .join("locks")
            .join(format!("escalation-{}", file_name_of(escalation)))
    }

    /// `.events.jsonl`: the events of the town.
    pub fn events(&self) -> PathBuf {
        self.root.join(".events.jsonl")
    }

    /// `.runtime/events.index`: the words of the events by block.
    pub fn event_index(&self) -> PathBuf {
        self.runtime().join("events.index")
    }

    /// `daemon/`: the daemon's lock, log and state.
    pub fn daemon(&self) -> PathBuf {
        self.root.join("daemon")
    }

    pub fn rig(&self, name: &str) -> RigLayout {
        RigLayout {
            root: self.root.join(name),
            name: name.to_owned(),
        }
    }
}

/// The folders and files of a rig.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RigLayout {
    root: PathBuf,
    name: String,
}

impl RigLayout {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `config.json`: the rig's identity.
    pub fn config(&self) -> PathBuf {
        self.root.join("config.json")
    }

    /// `settings/config.json`: the rig's settings.
    pub fn settings(&self) -> PathBuf {
        self.root.join("settings/config.json")
    }

    /// `.repo.git/`: the bare clone that all worktrees share.
    pub fn repo(&self) -> PathBuf {
        self.root.join(".repo.git")
    }

    /// `mayor/rig/`: the full clone, for reading.
    pub fn mayor_clone(&self) -> PathBuf {
        self.root.join("mayor/rig")
    }

    /// The folder of the rig's beads: `mayor/rig/.beads` if the repository tracks beads (then the
    /// rig's own folder has a redirect to it), otherwise `.beads`.
    pub fn beads(&self) -> PathBuf {
        let tracked = self.mayor_clone().join(".beads");
        let rig_beads = self.root.join(".beads");
        if rig_beads.join("redirect").is_file() || (!rig_beads.is_dir() && tracked.is_dir()) {
            tracked
        } else {
            rig_beads
        }
    }

    /// `hooks/`: executables by event, run after the town's.
    pub fn hooks(&self) -> PathBuf {
        self.root.join("hooks")
    }

    /// `plugins/`: the plugins of the rig, each in a folder of its own.
    pub fn plugins(&self) -> PathBuf {
        self.root.join("plugins")
    }

    /// `refinery/rig/`: the tree in which the merge queue runs gates.
    pub fn refinery(&self) -> PathBuf {
        self.root.join("refinery/rig")
    }

    /// `refinery/trees/`: the trees of gates that run side by side.
    pub fn further_gate_trees(&self) -> PathBuf {
        self.root.join("refinery/trees")
    }

    /// `refinery/caches/`: the files that gates find again in later runs.
    pub fn gate_caches(&self) -> PathBuf {
        self.root.join("refinery/caches")
    }

    /// `refinery/cache/`: the files that the gates of all branches shared in older versions.
    pub fn old_gate_cache(&self) -> PathBuf {
        self.root.join("refinery/cache")
    }

    /// `witness/`: the witness's home.
    pub fn witness(&self) -> PathBuf {
        self.root.join("witness")
    }

    /// `polecats/`.
    pub fn polecats(&self) -> PathBuf {
        self.root.join("polecats")
    }

    /// `polecats/<name>/`: a polecat's home.
    pub fn polecat(&self, name: &str) -> PathBuf {
        self.polecats().join(name)
    }

    /// `.repo.git/worktrees/sandbox.<name>/`: the town's repository of a polecat's sandbox, with HEAD
    /// and index.
    pub fn sandbox_repository(&self, name: &str) -> PathBuf {
        self.repo()
            .join("worktrees")
            .join(format!("sandbox.{name}"))
    }

    /// A polecat's sandbox: `polecats/<name>/<rig>/`, or the home itself in the old layout.
    pub fn sandbox(&self, name: &str) -> PathBuf {
        let home = self.polecat(name);
        let nested = home.join(&self.name);
        if !nested.exists() && home.join(".git").exists() {
            home
        } else {
            nested
        }
    }

    /// `crew/<name>/`: a crew member's clone.
    pub fn crew(&self, name: &str) -> PathBuf {
        self.root.join("crew").join(name)
    }

    /// `crew/`.
    pub fn crew_folder(&self) -> PathBuf {
        self.root.join("crew")
    }

    /// `crew/.removed/`: clones of removed crew members with unsaved work.
    pub fn removed_crew(&self) -> PathBuf {
        self.crew_folder().join(".removed")
    }

    /// `.runtime/`: local state that may be lost.
    pub fn runtime(&self) -> PathBuf {
        self.root.join(".runtime")
    }

    /// The lock of one polecat's slot, held by the process that changes its sandbox or session.
    pub fn slot_lock(&self, name: &str) -> PathBuf {
        self.runtime().join("locks").join(format!("{name}.slot"))
    }

    /// `.runtime/pushed/<polecat>.json`: the unfinished work of a polecat that the remote has.
    pub fn push_record(&self, name: &str) -> PathBuf {
        self.runtime().join("pushed").join(format!("{name}.json"))
    }

    /// The lock of the rig's merge queue.
    pub fn queue_lock(&self) -> PathBuf {
        self.runtime().join("locks/queue")
    }

    /// The lock for changes to the shared repository's list of worktrees. Never held during network
    /// access.
    pub fn repo_lock(&self) -> PathBuf {
        self.runtime().join("locks/repo")
    }

    /// The lock for creating convoys' own branches.
    pub fn branches_lock(&self) -> PathBuf {
        self.runtime().join("locks/branches")
    }

    /// `.runtime/hidden-files`: the files of the repository that were last left out of a sandbox.
    pub fn hidden_files(&self) -> PathBuf {
        self.runtime().join("hidden-files")
    }

    /// `.runtime/overlay/`: the carried files, which are copied into each work tree.
    pub fn overlay(&self) -> PathBuf {
        self.runtime().join("overlay")
    }

    /// `.runtime/setup-hooks/`: the executables that other versions run in new sandboxes.
    pub fn setup_hooks(&self) -> PathBuf {
        self.runtime().join("setup-hooks")
    }

    /// `<rig>/.runtime/far/<name>`: the last state of a sandbox on another machine.
    pub fn far_sandbox(&self, name: &str) -> PathBuf {
        self.runtime().join("far").join(file_name_of(name))
    }

    /// `.runtime/jail/`: the private folders of the rig's workers in a jail.
    pub fn session_jails(&self) -> PathBuf {
        self.runtime().join("jail")
    }

    /// `.runtime/jail/<name>/`: the home folder and the agent's configuration of a worker.
    pub fn session_jail(&self, name: &str) -> PathBuf {
        self.session_jails().join(name)
    }

    /// `.runtime/jail/<name>.txt`: the jail of a worker's last session, in words.
    pub fn session_jail_note(&self, name: &str) -> PathBuf {
        self.session_jails().join(format!("{name}.txt"))
    }

    /// `.runtime/desk/`: the state of the desks of work trees, and the logs of their commands.
    pub fn desks(&self) -> PathBuf {
        self.runtime().join("desk")
    }

    /// `.runtime/desk/failure.json`: the last failure that keeps the rig's workers from starting.
    pub fn desk_failure(&self) -> PathBuf {
        self.desks().join("failure.json")
    }

    /// `.runtime/desk/<tree>.json`: the desk of a work tree of the rig. Beside the tree, so that no
    /// worker changes it by accident.
    pub fn desk_state(&self, tree: &Path) -> PathBuf {
        self.desks().join(format!("{}.json", self.name_tree(tree)))
    }

    /// `.runtime/desk/<tree>.log`: the output of the last command of a desk.
    pub fn desk_log(&self, tree: &Path) -> PathBuf {
        self.desks().join(format!("{}.log", self.name_tree(tree)))
    }

    /// `.runtime/desk/<tree>.changed/`: the carried files that a worker had changed.
    pub fn changed_carried_files(&self, tree: &Path) -> PathBuf {
        let name = self.name_tree(tree);
        self.desks().join(format!("{name}.changed"))
    }

    /// The lock of a running command of a desk.
    pub fn desk_lock(&self, tree: &Path) -> PathBuf {
        let name = self.name_tree(tree);
        self.runtime().join("locks").join(format!("{name}.desk"))
    }

    /// `refinery/trees/desk/`: the scratch tree in which a user tries the desk.
    pub fn desk_trial(&self) -> PathBuf {
        self.further_gate_trees().join("desk")
    }

    /// The lock of a trial of the desk.
    pub fn desk_trial_lock(&self) -> PathBuf {
        self.runtime().join("locks/desk-trial")
    }

    /// Returns the path of a work tree below the rig as a file's name.
    fn name_tree(&self, tree: &Path) -> String {
        let below = tree.strip_prefix(&self.root).unwrap_or(tree);
        file_name_of(&below.to_string_lossy())
    }

    /// `.runtime/approvals/<request>.json`: what a user has allowed for a merge request.
    pub fn approval(&self, request: &str) -> PathBuf {
        self.runtime()
            .join("approvals")
            .join(format!("{}.json", file_name_of(request)))
    }

    /// `.runtime/pull-requests/<branch>.json`: what the queue pushed for a pull request, and when
    /// it last looked at it.
    pub fn pull_request(&self, branch: &str) -> PathBuf {
        self.runtime()
            .join("pull-requests")
            .join(format!("{}.json", file_name_of(branch)))
    }

    /// `.runtime/gate-history.json`: how the last requests fared at their gates.
    pub fn gate_history(&self) -> PathBuf {
        self.runtime().join("gate-history.json")
    }

    /// `.runtime/queue-pause.json`: the pause of the merge queue.
    pub fn queue_pause(&self) -> PathBuf {
        self.runtime().join("queue-pause.json")
    }

    /// `.runtime/target-losses.json`: merges that targets have lost.
    pub fn target_losses(&self) -> PathBuf {
        self.runtime().join("target-losses.json")
    }

    /// `.runtime/gates/`: logs of the merge queue's gates.
    pub fn gate_logs(&self) -> PathBuf {
        self.runtime().join("gates")
    }
}

/// Returns the id of a bead as a file's name. The ids of synced beads come from others, and one
/// that is a path must not lead out of the folder.
pub(crate) fn file_name_of(id: &str) -> String {
    id.chars()
        .map(|c| match c {
            '-' | '_' | '.' => c,
            c if c.is_alphanumeric() => c,
            _ => '%',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sandbox_layouts_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let rig = TownLayout::new(folder.path()).rig("web");
        assert_eq!(
            rig.sandbox("nux"),
            folder.path().join("web/polecats/nux/web")
        );
        std::fs::create_dir_all(rig.polecat("old")).unwrap();
        std::fs::write(rig.polecat("old").join(".git"), "gitdir: x").unwrap();
        assert_eq!(rig.sandbox("old"), folder.path().join("web/polecats/old"));
    }

    #[test]
    fn beads_live_in_the_clone_if_the_repository_tracks_them() {
        let folder = tempfile::tempdir().unwrap();
        let rig = TownLayout::new(folder.path()).rig("web");
        assert_eq!(rig.beads(), folder.path().join("web/.beads"));
        std::fs::create_dir_all(folder.path().join("web/.beads")).unwrap();
        std::fs::write(
            folder.path().join("web/.beads/redirect"),
            "mayor/rig/.beads",
        )
        .unwrap();
        assert_eq!(rig.beads(), folder.path().join("web/mayor/rig/.beads"));
    }

    #[test]
    fn an_id_that_is_a_path_stays_in_its_folder() {
        let rig = TownLayout::new(Path::new("/town")).rig("web");
        let approval = rig.approval("../../settings/config");
        let folder = Path::new("/town/web/.runtime/approvals");
        assert_eq!(approval.parent(), Some(folder));
        assert_eq!(rig.approval("web-mr-1"), folder.join("web-mr-1.json"));
    }
}
