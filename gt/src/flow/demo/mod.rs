//! The demo: a whole town in a temporary folder, from a repository to a landed convoy.
//!
//! What must always hold: nothing is ever pushed to, or written in, the repository that was given: the
//! rig's origin is a bare copy of it in the temporary folder. The demo ends by itself, ends what it
//! started and nothing else, and leaves nothing behind unless it is to be kept.
//!
//! 1. A bare copy of the repository; a town; a rig with one gate.
//! 2. Three beads, the third waiting for the other two; a convoy.
//! 3. The daemon; all three are slung.
//! 4. Watch until the convoy has landed.
//! 5. Collect what to show.
//! 6. Take everything down.

mod build;
mod error;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use bd::git::Git;
use kit::sys::Env;
use serde::Serialize;

pub use error::DemoError;
pub use watch::{DemoBead, DemoWatcher};

use crate::flow::convoy::briefing;
use crate::host::LiveTown;
use crate::host::daemon;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct DemoRequest {
    /// The repository, a path or a URL; the one around the working directory when left out, else a small
    /// one made for the demo.
    pub repo: Option<String>,
    /// The agent runtime; the demo's own script when left out.
    pub agent: Option<String>,
    /// Leaves the town running.
    pub keep: bool,
}

/// What a demo shows at its end.
#[derive(Debug, Clone, Serialize)]
pub struct DemoReport {
    /// The town.
    pub town: PathBuf,
    /// The bare copy that played the origin.
    pub origin: PathBuf,
    /// The convoy.
    pub convoy: String,
    /// Whether it landed.
    pub landed: bool,
    /// The commits that were merged, oldest first.
    pub merged: Vec<MergedCommit>,
    /// The prior-work block that the third worker was given.
    pub briefing: String,
    /// How long the run itself took, in seconds.
    pub seconds: f64,
    /// Whether the town still runs.
    pub kept: bool,
}

/// A merged commit.
#[derive(Debug, Clone, Serialize)]
pub struct MergedCommit {
    /// Its id.
    pub id: String,
    /// The worker who wrote it.
    pub author: String,
    /// Its first line.
    pub subject: String,
}

/// Runs the demo. `watcher` is told how it goes.
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

/// The caller's environment without what would make the demo's town part of another one.
fn without_session(env: &Env) -> Env {
    const FOREIGN: [&str; 5] = ["GT_", "BD_", "BEADS_", "GIT_", "TMUX"];
    env.without(|name| {
        FOREIGN.iter().any(|prefix| name.starts_with(prefix)) && name != "TMUX_TMPDIR"
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

/// The commits on the target that were not there before.
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

/// The block that the third worker was given: from what its session was told where the script kept it,
/// else computed by the function that told it.
fn briefing_of(town: &LiveTown, built: &build::DemoTown) -> anyhow::Result<String> {
    let third = built.beads.last().map(String::as_str).unwrap_or_default();
    let stores = town.read_stores()?;
    let convoy = stores.town.get(&built.convoy);
    let block = convoy.and_then(|convoy| {
        briefing::format_briefing(
            &convoy.title,
            &briefing::collect_items(&stores, convoy),
            third,
        )
    });
    Ok(block.unwrap_or_default())
}

/// Ends the daemon and every session of the demo's town. What cannot be ended is not worth hiding the
/// demo's own result for.
fn take_down(town: &LiveTown) {
    daemon::stop_daemon(town).ok();
    for live in town.host.list().unwrap_or_default() {
        town.host.kill(&live.name).ok();
    }
    town.host.clean_up().ok();
    // The folder of sockets is only ours to remove when no other daemon has one in it.
    std::fs::remove_dir(daemon::socket_folder(town)).ok();
}
