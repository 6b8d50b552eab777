//! Keeps the sandbox of a worker on another machine and the town's copy of it alike.
//!
//! The town's sandbox of such a worker is the copy that everything in the town looks at: `gt done`,
//! rescues, `gt status`, the queue. For new work it goes to the host. Before a command of the worker
//! that looks at the sandbox, and now and then, its state comes back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use bd::git::Git;
use kit::gateway::Call;
use kit::sys::{Env, file};

use super::Sandbox;
use super::keep::is_commit_kept;
use crate::flow::place::unsaved::TOWN_PATTERNS;
use crate::host::daemon;
use crate::host::far::{
    BoxRequest, FarHost, GivenSandbox, HostSettings, SandboxQuestion, SandboxState, check_complete,
    is_object_id, restore_files,
};
use crate::host::live_town::open_live_town;
use crate::record::polecat::{PolecatIds, Slot, SlotState};
use crate::town::identity::Address;
use crate::town::lock::Lock;
use crate::town::sandbox_git::hold_sandbox;
use crate::town::{Rig, Town};

/// The commands of workers that look at the sandbox.
const SANDBOX_COMMANDS: [&str; 7] = [
    "checkpoint",
    "done",
    "handoff",
    "mq",
    "rescue",
    "session-restart",
    "why",
];

/// The number of commits that a host is known to have, for each rig.
const MAX_KNOWN: usize = 50;

/// The time for another process that changes the sandbox.
const SLOT_TIMEOUT: Duration = Duration::from_secs(20);

/// The time for an earlier transfer of the same sandbox.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(600);

impl Sandbox<'_> {
    /// Makes the sandbox on a host, in the state of the town's copy: its commit, and the uncommitted
    /// `files`.
    pub(crate) fn give_to(
        &self,
        host: &FarHost,
        slot: &Slot,
        files: Option<String>,
    ) -> anyhow::Result<()> {
        let _held = self.lock_transfer()?;
        let git = self.git()?;
        let target = &slot.target;
        let commit = git.resolve("HEAD")?.context("the sandbox has no commit")?;
        let branch = git.head_branch()?;
        let branch = branch.unwrap_or_else(|| slot.branch.to_string());
        let mut refs = BTreeMap::new();
        let name = format!("refs/remotes/origin/{target}");
        if let Some(tip) = self.find_target_tip(target)? {
            refs.insert(name, tip);
        }
        let mut wanted: Vec<String> = refs.values().cloned().collect();
        wanted.push(commit.clone());
        wanted.extend(files.clone());
        let mut excluded: Vec<String> = TOWN_PATTERNS.map(str::to_owned).to_vec();
        excluded.push(".beads/".to_owned());
        let mut given = GivenSandbox {
            rig: self.rig.name().to_owned(),
            worker: self.name.to_owned(),
            branch,
            commit,
            files,
            refs,
            excluded,
            hidden: list_hidden_files(&git)?,
            pack: None,
        };
        let known = self.read_known(host);
        if !known.is_empty() {
            // A host that has no such sandbox has nothing to save.
            self.keep_unseen_state(host).ok();
            given.pack = host.packs().offer(&git, &wanted, &known)?;
            let made = host.ask::<()>(&BoxRequest::Give(given.clone()));
            withdraw(host, &given);
            if made.is_ok() {
                return self.write_known(host, &wanted);
            }
            // The host may have lost what it once had.
        }
        given.pack = host.packs().offer(&git, &wanted, &[])?;
        let made = host.ask::<()>(&BoxRequest::Give(given.clone()));
        withdraw(host, &given);
        made?;
        self.write_known(host, &wanted)
    }

    /// Fetches the state of the sandbox on a host. `None` if the town has it.
    fn fetch_from(&self, host: &FarHost) -> anyhow::Result<Option<SandboxState>> {
        let shared = self.rig.git();
        let state: SandboxState = host.ask(&BoxRequest::Take(SandboxQuestion {
            rig: self.rig.name().to_owned(),
            worker: self.name.to_owned(),
            has: self.read_known(host),
        }))?;
        let mut commits = vec![state.head.clone()];
        commits.extend(state.files.clone());
        for commit in &commits {
            anyhow::ensure!(is_object_id(commit), "host {} names no commit", host.name());
        }
        let earlier = file::read_file_if_exists(&self.state_record())?;
        if earlier.as_deref() == Some(describe_state(&state).as_bytes()) {
            return Ok(None);
        }
        if let Some(offer) = &state.pack {
            host.fetch(offer)?.add_to(&shared)?;
        }
        check_complete(&shared, &commits)?;
        Ok(Some(state))
    }

    /// Saves what the last worker left on the host after the town looked there, because the sandbox is
    /// replaced.
    pub(crate) fn keep_unseen_state(&self, host: &FarHost) -> anyhow::Result<()> {
        let Some(state) = self.fetch_from(host)? else {
            return Ok(());
        };
        let commit = state.files.unwrap_or(state.head);
        let git = self.rig.git();
        if !is_commit_kept(&git, &commit)? {
            git.update_ref(&self.rescue_ref(None), &commit, None)?;
        }
        Ok(())
    }

    /// Puts the town's copy of the sandbox into a state. `branch` is that of the work.
    fn apply_state(
        &self,
        host: &FarHost,
        state: &SandboxState,
        branch: &str,
    ) -> anyhow::Result<()> {
        let git = self.git()?;
        hold_sandbox(self.rig, self.name)?;
        let SandboxState { head, files, .. } = state;
        let update = |git: &Git, arguments: [&str; 2]| {
            let call = git.plumbing(["update-ref", "--no-deref", "--create-reflog", "--"]);
            call.args(arguments).run()
        };
        if state.branch.as_deref() == Some(branch) {
            let reference = format!("refs/heads/{branch}");
            update(&git, [&reference, head])?;
            git.plumbing(["symbolic-ref", "HEAD", &reference]).run()?;
        } else {
            update(&git, ["HEAD", head])?;
        }
        // Without marks that hide changes.
        file::remove_file(&self.rig.sandbox_repository(self.name).join("index"))?;
        git.reset_hard(head)?;
        git.clean()?;
        if let Some(files) = files {
            restore_files(&git, files, head)?;
        }
        self.provision()?;
        self.hand_over()?;
        // The next pack has only what is newer.
        let mut known = self.read_known(host);
        known.push(head.clone());
        let surplus = known.len().saturating_sub(MAX_KNOWN);
        self.save_known(host, &known[surplus..])?;
        let described = describe_state(state);
        Ok(file::replace_file_relaxed(
            &self.state_record(),
            described.as_bytes(),
            0o644,
        )?)
    }

    /// Forgets what a host has, because it was made again.
    pub(crate) fn forget_host(&self, host: &FarHost) -> anyhow::Result<()> {
        file::remove_file(&self.known_record(host))?;
        Ok(file::remove_file(&self.state_record())?)
    }

    fn find_target_tip(&self, target: &str) -> anyhow::Result<Option<String>> {
        let shared = self.rig.git();
        match shared.resolve(&format!("refs/remotes/origin/{target}"))? {
            Some(tip) => Ok(Some(tip)),
            None => Ok(shared.resolve(&format!("refs/heads/{target}"))?),
        }
    }

    fn lock_transfer(&self) -> anyhow::Result<Lock> {
        let path = self.rig.far_sandbox(self.name).with_extension("lock");
        Ok(Lock::take(&path, TRANSFER_TIMEOUT)?)
    }

    /// The state that was taken last.
    fn state_record(&self) -> PathBuf {
        self.rig.far_sandbox(self.name)
    }

    fn known_record(&self, host: &FarHost) -> PathBuf {
        let name = format!("known-{}", host.name());
        self.rig.far_sandbox(&name)
    }

    /// Returns commits that a host got for this rig.
    fn read_known(&self, host: &FarHost) -> Vec<String> {
        // Without the record, everything is sent again.
        match fs::read_to_string(self.known_record(host)) {
            Ok(text) => text.lines().map(str::to_owned).collect(),
            Err(_) => Vec::new(),
        }
    }

    fn write_known(&self, host: &FarHost, commits: &[String]) -> anyhow::Result<()> {
        self.save_known(host, commits)?;
        // New work has no earlier state.
        Ok(file::remove_file(&self.state_record())?)
    }

    fn save_known(&self, host: &FarHost, commits: &[String]) -> anyhow::Result<()> {
        let path = self.known_record(host);
        let text = commits.join("\n") + "\n";
        file::create_folder(path.parent().unwrap_or(Path::new("/")), 0o755)?;
        Ok(file::replace_file_relaxed(&path, text.as_bytes(), 0o644)?)
    }
}

/// Brings the state of a worker's sandbox on another machine to the town, for a caller that is in
/// charge of the worker. Without a connection, the copy stays as the town saw it last.
pub(crate) fn refresh_copy(rig: &Rig, name: &str, slot: &Slot) {
    let refresh = |host: &str| -> anyhow::Result<()> {
        let host = open_far_host(rig.town(), host)?;
        let sandbox = Sandbox::new(rig, name);
        let _transfer = sandbox.lock_transfer()?;
        match sandbox.fetch_from(&host)? {
            Some(state) => sandbox.apply_state(&host, &state, slot.branch.as_str()),
            None => Ok(()),
        }
    };
    if let Some(host) = &slot.host_name {
        refresh(host).ok();
    }
}

/// Describes a state in a line.
fn describe_state(state: &SandboxState) -> String {
    format!(
        "{} {} {}\n",
        state.branch.as_deref().unwrap_or("-"),
        state.head,
        state.files.as_deref().unwrap_or("-")
    )
}

/// Removes the pack of a sandbox that a host has now.
fn withdraw(host: &FarHost, given: &GivenSandbox) {
    if let Some(offer) = &given.pack {
        host.packs().withdraw(offer);
    }
}

/// Returns the host of a name.
pub fn open_far_host(town: &Town, name: &str) -> anyhow::Result<FarHost> {
    if HostSettings::load(&town.layout, name)?.is_none() {
        anyhow::bail!("there is no host `{name}`; see `gt host list`");
    }
    let sockets = daemon::socket_folder(town);
    Ok(FarHost::new(
        name,
        &town.layout,
        &town.env,
        &town.exe,
        &sockets,
    ))
}

/// Prepares the town for a command of a worker on another machine: one that looks at the sandbox
/// finds its present state.
pub fn prepare_far_call(
    env: &Env,
    root: &Path,
    agent: &Address,
    host: &str,
    call: &Call,
) -> anyhow::Result<()> {
    let command = call.path.first().map(String::as_str);
    if call.program != "gt" || !command.is_some_and(|word| SANDBOX_COMMANDS.contains(&word)) {
        return Ok(());
    }
    take_far_state(env, root, agent, host)
}

/// Brings the state of a worker's sandbox on another machine to the town, while the worker has work
/// there.
pub fn take_far_state(env: &Env, root: &Path, agent: &Address, host: &str) -> anyhow::Result<()> {
    let Address::Polecat(rig, name) = agent else {
        return Ok(());
    };
    let town = open_live_town(env, root, agent.clone());
    let rig = town.find_rig(rig)?;
    let ids = PolecatIds::for_polecat(&rig, name);
    let load_slot = || -> anyhow::Result<Option<Slot>> {
        let slot = Slot::load(&rig.store()?.snapshot()?, &ids.slot);
        let has_work = !matches!(slot.state, SlotState::Idle | SlotState::Slinging(_));
        let is_there = slot.host_name.as_deref() == Some(host) && has_work;
        Ok(is_there.then_some(slot))
    };
    let Some(before) = load_slot()? else {
        return Ok(());
    };
    let sandbox = Sandbox::new(&rig, name);
    let host = &open_far_host(&town, host)?;
    let _transfer = sandbox.lock_transfer()?;
    let Some(state) = sandbox.fetch_from(host)? else {
        return Ok(());
    };
    // A `gt done` or a restart that runs changes the town's copy. A host that answers slowly must not
    // keep it from that.
    let _held = rig.take_slot(name, SLOT_TIMEOUT)?;
    match load_slot()? {
        Some(slot) if slot.lease == before.lease => {
            sandbox.apply_state(host, &state, slot.branch.as_str())
        }
        _ => Ok(()),
    }
}

/// Lists the tracked files that the worker does not get.
fn list_hidden_files(git: &Git) -> anyhow::Result<Vec<PathBuf>> {
    let listed = git.plumbing(["ls-files", "-v", "-z"]).records()?;
    let hidden = listed.iter().filter_map(|record| record.strip_prefix("S "));
    Ok(hidden.map(PathBuf::from).collect())
}
