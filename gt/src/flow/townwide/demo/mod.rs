//! Runs the demo: a whole town in a temporary folder, from a repository to a landed convoy.
//!
//! The given repository is never written or pushed to: the rig's origin is a bare copy in the
//! temporary folder. The demo ends on its own, ends only processes that it started, and leaves no
//! files behind unless the user asks to keep them.
//!
//! 1. Create a bare copy of the repository, a town, and a rig with one gate.
//! 2. Create three beads, the third waiting for the other two, and a convoy.
//! 3. Start the daemon and sling all three.
//! 4. Watch until the convoy has landed.
//! 5. Collect the results.
//! 6. Take everything down.

mod build;
mod error;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use bd::git::Git;
use kit::json::serialize_or_empty;
use kit::sys::Env;
use serde::Serialize;

pub use error::DemoError;
pub use watch::{DemoBead, DemoWatcher};

use crate::flow::work::convoy::briefing;
use crate::host::LiveTown;
use crate::host::daemon;
use crate::town::Town;

/// The options of a demo.
#[derive(Debug, Clone, Default)]
pub struct DemoRequest {
    /// The repository, a path or a URL. If `None`, the one around the working directory, otherwise
    /// a small generated one.
    pub repo: Option<String>,
    /// The agent runtime. If `None`, the demo's own script.
    pub agent: Option<String>,
    pub keep: bool,
}

/// The results that a demo shows at its end.
#[derive(Debug, Clone, Serialize)]
pub struct DemoReport {
    pub town: PathBuf,
    /// The bare copy that serves as the origin.
    pub origin: PathBuf,
    pub convoy: String,
    pub landed: bool,
    /// The commits that were merged, oldest first.
    pub merged: Vec<MergedCommit>,
    /// The prior-work block of the third worker.
    #[serde(serialize_with = "serialize_or_empty")]
    pub briefing: Option<String>,
    /// The duration of the run in seconds.
    pub seconds: f64,
    /// True if the town still runs.
    pub kept: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct MergedCommit {
    pub id: String,
    /// The worker that wrote the commit.
    pub author: String,
    pub subject: String,
}

/// Runs the demo and reports its progress to `watcher`.
pub fn run_demo(
    env: &Env,
    request: &DemoRequest,
    watcher: &mut dyn DemoWatcher,
) -> anyhow::Result<DemoReport> {
    let env = without_session(env);
    let mut place = build::create_demo_folder()?;
    let result = run_in_folder(&env, request, watcher, place.path());
    let keep = request.keep && result.is_ok();
    if keep {
        place.keep();
    } else if let Ok(root) = crate::town::find_town(&env.in_dir(&place.path().join("town"))) {
        take_down(&crate::host::live_town::open_live_town(
            &env,
            &root,
            crate::town::identity::Address::Overseer,
        ));
    }
    result
}

/// Returns the caller's environment without the variables that would connect the demo's town to
/// another one.
fn without_session(env: &Env) -> Env {
    const FOREIGN_PREFIXES: [&str; 5] = ["GT_", "BD_", "BEADS_", "GIT_", "TMUX"];
    env.without(|name| {
        FOREIGN_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
            && name != "TMUX_TMPDIR"
    })
}

fn run_in_folder(
    env: &Env,
    request: &DemoRequest,
    watcher: &mut dyn DemoWatcher,
    place: &std::path::Path,
) -> anyhow::Result<DemoReport> {
    let built = build::build_demo_town(env, request, place, watcher)?;
    let town = &built.town;
    let begun = town.clock.now();
    daemon::start_daemon(town)?;
    build::sling_all(town, &built)?;
    let patience = if request.agent.is_some() { 1800 } else { 300 };
    watch::wait_until_landed(town, &built.convoy, Duration::from_secs(patience), watcher)?;
    let seconds = town.clock.now().duration_since(begun).as_secs_f64();
    Ok(DemoReport {
        town: town.layout.root().to_owned(),
        origin: built.origin.clone(),
        convoy: built.convoy.clone(),
        landed: true,
        merged: find_merged_commits(&built)?,
        briefing: briefing_of(town, &built)?,
        seconds,
        kept: request.keep,
    })
}

/// Returns the commits that the demo added to the target.
fn find_merged_commits(built: &build::DemoTown) -> anyhow::Result<Vec<MergedCommit>> {
    let git = Git::at(&built.origin);
    let tip = format!("refs/heads/{}", built.branch);
    let commits = git.commits(&built.base, &tip)?;
    Ok(commits
        .into_iter()
        .map(|commit| MergedCommit {
            id: commit.id,
            author: commit.author_name,
            subject: commit.subject,
        })
        .collect())
}

/// Returns the third worker's block. Read from the session's record if the script kept one,
/// otherwise computed by the same function.
fn briefing_of(town: &Town, built: &build::DemoTown) -> anyhow::Result<Option<String>> {
    let stores = town.read_stores()?;
    let convoy = stores.town.get(&built.convoy);
    Ok(convoy.zip(built.beads.last()).and_then(|(convoy, third)| {
        let items = briefing::collect_items(&stores, convoy);
        briefing::format_briefing(&convoy.title, &items, third)
    }))
}

/// Ends the daemon and every session of the demo's town. Errors are ignored, so that they do not
/// hide the demo's result.
fn take_down(town: &LiveTown) {
    daemon::stop_daemon(town).ok();
    for live in town.host.list().into_iter().flatten() {
        town.host.kill(&live.name).ok();
    }
    town.host.clean_up().ok();
    // The folder of sockets may be removed only if no other daemon uses it.
    std::fs::remove_dir(daemon::socket_folder(town)).ok();
}
