//! Manages dogs: helpers of the deacon that do one task at a time across all rigs.
//!
//! A chore ([`chore`]) is plain code that runs in the name of a dog. A plugin ([`plugin`]) is a
//! program or a task for its agent. A bead on a dog's hook (`gt
//! sling BEAD deacon/dogs/NAME`) starts its agent, with one worktree per rig. Uncommitted work is
//! never removed with a worktree.

pub mod chore;
pub mod health;
pub mod plugin;

pub use plugin::DogOutcome;

use std::path::PathBuf;

use bd::git::rescue::BigFilePolicy;
use bd::git::{Git, Identity, rescue};
use jiff::Timestamp;
use kit::sys::file;

use crate::flow::agent::{role, session};
use crate::flow::place::rig::check_remote;
use crate::flow::place::sandbox;
use crate::flow::place::unsaved::{
    commits_left_detached, find_ignored_files, find_unsaved_work, move_aside,
};
use crate::host::{LiveSession, LiveTown};
use crate::record::dog::{self, Dog, DogState};
use crate::record::hook;
use crate::record::plugin::run::PluginResult;
use crate::record::polecat::Slot;
use crate::town::beads::TownStores;
use crate::town::config;
use crate::town::identity::{Address, check_worker_name};
use crate::town::lock::Lock;
use crate::town::{Rig, Town, TownLayout};

/// The time that a change of the kennel waits for another one.
const KENNEL_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// Returns all dogs with their work: a chore, or the bead on the hook.
pub fn list_dogs(town: &Town) -> anyhow::Result<Vec<Dog>> {
    let dogs = dog::list_dogs(&town.layout);
    if dogs.is_empty() {
        return Ok(dogs);
    }
    Ok(list_dogs_in(&town.layout, &town.read_stores()?))
}

/// Returns all dogs with their work, from beads that are read already.
pub fn list_dogs_in(layout: &TownLayout, stores: &TownStores) -> Vec<Dog> {
    dog::list_dogs(layout)
        .into_iter()
        .map(|dog| add_hooked_work(stores, dog))
        .collect()
}

/// Returns one dog with its work.
pub fn find_dog(town: &Town, name: &str) -> anyhow::Result<Dog> {
    Ok(add_hooked_work(
        &town.read_stores()?,
        dog::find_dog(&town.layout, name)?,
    ))
}

fn add_hooked_work(stores: &TownStores, mut dog: Dog) -> Dog {
    let hooked = hook::hooked_bead_of(stores, &dog.address(), &Slot::default());
    if let Some(bead) = hooked.filter(|_| dog.state == DogState::Idle) {
        let active = dog.last_active;
        dog.begin(&bead.id, bead.updated_at.instant());
        dog.last_active = active;
    }
    dog
}

/// Adds the dog that a target names, `deacon/dogs/NAME`, or for `deacon/dogs` a dog if none is
/// idle. Does nothing for other targets.
pub fn add_missing_dog(town: &Town, target: &str) -> anyhow::Result<()> {
    let Some(rest) = target.trim_end_matches('/').strip_prefix("deacon/dogs") else {
        return Ok(());
    };
    let name = match rest.strip_prefix('/') {
        Some(name) => Some(name),
        None if rest.is_empty() => None,
        None => return Ok(()),
    };
    let is_there = match name {
        Some(name) => dog::load_dog(&town.layout, name)?.is_some(),
        None => list_dogs(town)?
            .iter()
            .any(|dog| dog.state == DogState::Idle),
    };
    if !is_there {
        add_dog(town, name)?;
    }
    Ok(())
}

/// Adds a dog with a worktree per rig. Without a name, it gets the next free one.
pub fn add_dog(town: &Town, name: Option<&str>) -> anyhow::Result<Dog> {
    let _lock = Lock::take(
        &town.layout.state_lock(&dog::kennel_folder(&town.layout)),
        KENNEL_WAIT,
    )?;
    let name = name.map_or_else(
        || dog::first_free_name(&dog::list_dogs(&town.layout)),
        str::to_owned,
    );
    let rigs = town.list_rigs()?;
    let names = rigs.iter().map(|rig| rig.name());
    check_worker_name(&Address::Dog(name.clone()), names)?;
    anyhow::ensure!(
        dog::load_dog(&town.layout, &name)?.is_none(),
        "there is a dog `{name}` already"
    );
    let now = town.clock.now();
    let mut dog = Dog {
        last_active: now,
        created_at: now,
        updated_at: now,
        name,
        ..Dog::default()
    };
    for rig in &rigs {
        let path = dog::dog_folder(&town.layout, &dog.name).join(rig.name());
        if !path.exists() {
            add_worktree(rig, &dog, now)?;
        }
        dog.worktrees.insert(rig.name().to_owned(), path);
    }
    dog::create_dog(&town.layout, &dog)?;
    Ok(dog)
}

/// Adds the worktree of a rig, on a branch of its own from the rig's target.
fn add_worktree(rig: &Rig, dog: &Dog, now: Timestamp) -> anyhow::Result<()> {
    let _held = Lock::take(&rig.repo_lock(), KENNEL_WAIT)?;
    let git = rig.git();
    let name = &dog.name;
    let branch = format!("dog/{name}-{}-{}", rig.name(), now.as_millisecond());
    if check_remote(rig)? {
        // Falls back to the local state if origin cannot be reached.
        git.fetch("origin").ok();
    }
    let start = sandbox::find_start_commit(rig, &config::target_branch_of(rig)?)?;
    let path = dog::dog_folder(&rig.town().layout, name).join(rig.name());
    git.worktree_add(&path, &branch, &start)?;
    Git::at(&path).complete_checkout()?;
    sandbox::provision_worktree(rig, &Git::at(path))?;
    Ok(())
}

/// Recreates a dog's worktrees from the rigs' targets, including those of new rigs. Refuses a
/// working dog. Refuses unsaved work without `force`, and saves it with it. Returns the places
/// of the saved work.
pub fn refresh_worktrees(town: &LiveTown, name: &str, force: bool) -> anyhow::Result<Vec<String>> {
    let _lock = Lock::take(
        &town.layout.state_lock(&dog::kennel_folder(&town.layout)),
        KENNEL_WAIT,
    )?;
    let dog = find_dog(town, name)?;
    anyhow::ensure!(
        dog.state == DogState::Idle,
        "dog {name} is at work on {}, so its work trees stay",
        dog.work
    );
    if !force {
        refuse_unsaved(town, &dog)?;
    }
    session::end::end_agent_session(town, &dog.address())?;
    let saved = remove_worktrees(town, &dog)?;
    let mut trees = std::collections::BTreeMap::new();
    for rig in &town.list_rigs()? {
        add_worktree(rig, &dog, town.clock.now())?;
        let path = dog::dog_folder(&town.layout, name).join(rig.name());
        trees.insert(rig.name().to_owned(), path);
    }
    dog::change_dog(town, name, |dog| {
        dog.worktrees = trees;
        Ok(())
    })?;
    Ok(saved)
}

fn refuse_unsaved(town: &Town, dog: &Dog) -> anyhow::Result<()> {
    for rig in town.list_rigs()? {
        let path = dog::dog_folder(&town.layout, &dog.name).join(rig.name());
        if !path.exists() {
            continue;
        }
        let unsaved = find_unsaved_work(&rig, &Git::at(&path), None)?;
        let reasons: Vec<String> = unsaved.iter().map(ToString::to_string).collect();
        anyhow::ensure!(
            reasons.is_empty(),
            "{} has work that is nowhere else: {} (--force saves it first)",
            path.display(),
            reasons.join(", ")
        );
    }
    Ok(())
}

/// Removes a dog's worktrees after saving the work that only they have. Returns its places.
fn remove_worktrees(town: &Town, dog: &Dog) -> anyhow::Result<Vec<String>> {
    let mut saved = Vec::new();
    for rig in town.list_rigs()? {
        let path = dog::dog_folder(&town.layout, &dog.name).join(rig.name());
        if path.exists() {
            saved.extend(save_worktree(&rig, dog)?);
            rig.git().worktree_remove(&path, true)?;
        }
    }
    Ok(saved)
}

/// Removes a dog. A dog with a task or unsaved work needs `force`, which saves the work. Returns
/// the places of the saved work.
pub fn remove_dog(town: &LiveTown, name: &str, force: bool) -> anyhow::Result<Vec<String>> {
    let dog = find_dog(town, name)?;
    if !force {
        anyhow::ensure!(
            dog.state == DogState::Idle,
            "dog {name} is at work on {} (--force removes it)",
            dog.work
        );
        refuse_unsaved(town, &dog)?;
    }
    session::end::end_agent_session(town, &dog.address())?;
    let mut saved = remove_worktrees(town, &dog)?;
    let folder = dog::dog_folder(&town.layout, name);
    saved.extend(move_remaining_worktrees(town, name)?);
    std::fs::remove_dir_all(folder)?;
    Ok(saved)
}

/// Moves the worktrees of rigs that were taken out of the town beside the dogs. Returns their new
/// places.
fn move_remaining_worktrees(town: &Town, name: &str) -> anyhow::Result<Vec<String>> {
    let kennel = dog::kennel_folder(&town.layout);
    let now = town.clock.now().as_millisecond();
    let aside = kennel.join(format!(".removed/{name}-{now}"));
    let mut moved = Vec::new();
    for entry in std::fs::read_dir(dog::dog_folder(&town.layout, name))? {
        let entry = entry?;
        if !entry.path().join(".git").exists() {
            continue;
        }
        let to = aside.join(entry.file_name());
        file::create_folder(&aside, 0o755)?;
        std::fs::rename(entry.path(), &to)?;
        moved.push(to.to_string_lossy().into_owned());
    }
    Ok(moved)
}

/// Saves the work that only one worktree has: files and commits to rescue refs, and what no rescue
/// has to a folder beside the dogs. Returns the refs and the folder.
fn save_worktree(rig: &Rig, dog: &Dog) -> anyhow::Result<Vec<String>> {
    let name = &dog.name;
    let now = rig.town().clock.now().as_millisecond();
    let layout = &rig.town().layout;
    let git = Git::at(dog::dog_folder(layout, name).join(rig.name()));
    let folder = format!("refs/gt/rescue/{}/dogs/{name}/{now}", rig.name());
    let author = Identity {
        name: dog.address().to_string(),
        email: "dog@gastown.local".to_owned(),
    };
    let message = format!("Uncommitted work of {}", dog.address());
    let mut saved = Vec::new();
    let files = rescue::save_rescue(
        &git,
        &format!("{folder}-files"),
        &message,
        &author,
        BigFilePolicy::MoveAside,
    )?;
    saved.extend(files.map(|saved| saved.refname));
    let visits = git.head_reflog()?;
    let left = git.unreached_commits(&commits_left_detached(&visits))?;
    for (number, commit) in left.iter().enumerate() {
        let name = format!("{folder}-left-{number}");
        git.update_ref(&name, commit, None)?;
        saved.push(name);
    }
    if let Some(tip) = git.resolve("HEAD")? {
        let start = sandbox::find_start_commit(rig, &config::target_branch_of(rig)?)?;
        if !git.is_ancestor(&tip, &start)? {
            let name = format!("{folder}-commits");
            git.update_ref(&name, &tip, None)?;
            saved.push(name);
        }
        if let Some(branch) = git.head_branch()? {
            // Fails while the branch is checked out. A remaining branch is harmless.
            git.delete_branch(&branch, &tip).ok();
        }
    }
    let mut paths: Vec<PathBuf> = find_ignored_files(rig, &git)?
        .into_iter()
        .map(|ignored| ignored.path)
        .collect();
    paths.extend(git.inner_repositories()?);
    if !paths.is_empty() {
        let aside = dog::kennel_folder(layout).join(format!(".removed/{name}-{now}"));
        let aside = aside.join(rig.name());
        move_aside(&git, &paths, &aside)?;
        saved.push(aside.to_string_lossy().into_owned());
    }
    Ok(saved)
}

/// Starts the session of a dog.
pub fn start_dog_session(
    town: &LiveTown,
    name: &str,
    runtime: Option<&str>,
) -> anyhow::Result<LiveSession> {
    let dog = dog::find_dog(&town.layout, name)?;
    let live = role::begin_session(town, &dog.address(), runtime)?;
    let now = town.clock.now();
    dog::change_dog(town, name, |dog| {
        dog.last_active = now;
        Ok(())
    })?;
    Ok(live)
}

/// Ends a dog's work and its session, and records the run of a plugin. Returns the finished work.
pub fn finish_work(town: &LiveTown, name: &str, outcome: &DogOutcome) -> anyhow::Result<String> {
    let now = town.clock.now();
    let (work, began) = dog::change_dog(town, name, |dog| {
        let work = (dog.work.clone(), dog.work_started_at);
        dog.rest(now);
        Ok(work)
    })?;
    let recorded = plugin::record_outcome(town, name, &work, began, outcome);
    // The dog has no work any more, so its session ends even if the record failed.
    session::end::end_agent_session(town, &Address::Dog(name.to_owned()))?;
    recorded?;
    Ok(work)
}

/// Takes the work from a dog. A running session needs `force`, which ends it.
pub fn clear_work(town: &LiveTown, name: &str, force: bool) -> anyhow::Result<String> {
    let dog = dog::find_dog(&town.layout, name)?;
    let runs =
        session::show::find_session(town, &dog.address())?.is_some_and(|live| live.dead.is_none());
    anyhow::ensure!(
        force || !runs,
        "the session of dog {name} runs (--force ends it)"
    );
    let outcome = DogOutcome {
        result: PluginResult::Failure,
        note: "its work was taken from the dog".to_owned(),
    };
    finish_work(town, name, &outcome)
}

/// Reserves a dog for a piece of work: the named one, otherwise the first idle one, otherwise with
/// `create` a new one. The flag is true for a new dog.
pub fn reserve_dog(
    town: &Town,
    wanted: Option<&str>,
    create: bool,
    work: &str,
) -> anyhow::Result<(Dog, bool)> {
    let found = list_dogs(town)?.into_iter().find(|dog| match wanted {
        Some(name) => dog.name == name,
        None => dog.state == DogState::Idle,
    });
    let (dog, is_new) = match (found, wanted) {
        (Some(dog), _) => (dog, false),
        (None, _) if create => (add_dog(town, wanted)?, true),
        (None, Some(name)) => (find_dog(town, name)?, false),
        (None, None) => anyhow::bail!("no dog is idle (`gt dog add` adds one, or say --create)"),
    };
    let is_free = dog.state == DogState::Idle;
    anyhow::ensure!(is_free, "dog {} is at work on {}", dog.name, dog.work);
    let now = town.clock.now();
    let dog = dog::change_dog(town, &dog.name, |dog| {
        let is_free = dog.state == DogState::Idle;
        anyhow::ensure!(is_free, "dog {} is at work on {}", dog.name, dog.work);
        dog.begin(work, now);
        Ok(dog.clone())
    })?;
    Ok((dog, is_new))
}
