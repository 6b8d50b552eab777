//! Builds the demo's town.

use std::path::{Path, PathBuf};

use bd::change::NewBead;
use bd::git::{Git, Identity};
use kit::sys::{Env, file};
use serde::Deserialize;
use serde_json::json;

use super::error::DemoError;
use super::{DemoRequest, DemoWatcher};
use crate::flow::place::install::{InstallRequest, install_town};
use crate::flow::place::rig;
use crate::flow::work::convoy;
use crate::flow::work::sling;
use crate::host::LiveTown;
use crate::town::Town;
use crate::town::identity::Address;
use crate::town::temporary::TemporaryFolder;

const WORKER_SCRIPT: &str = include_str!("../../../../templates/demo/work.sh");
const DEMO_BEADS: &str = include_str!("../../../../templates/demo/beads.json");
/// The gate command, which runs the programs that the workers wrote.
const GATE_COMMAND: &str = "for test in gastown-demo/*_test.sh; do sh \"$test\" || exit 1; done";

/// A demo that is ready to run.
pub(super) struct DemoTown {
    pub(super) town: LiveTown,
    pub(super) origin: PathBuf,
    pub(super) branch: String,
    pub(super) base: String,
    pub(super) beads: Vec<String>,
    pub(super) convoy: String,
}

/// Creates a temporary folder with a short path, because socket paths are limited to 108 bytes.
pub(super) fn create_demo_folder() -> std::io::Result<TemporaryFolder> {
    TemporaryFolder::new("gt-demo-")
}

pub(super) fn build_demo_town(
    env: &Env,
    request: &DemoRequest,
    place: &Path,
    watcher: &mut dyn DemoWatcher,
) -> anyhow::Result<DemoTown> {
    let origin = place.join("origin.git");
    let repo = prepare_source(env, request, place)?;
    watcher.report_step(&format!("Copying {repo} to a temporary origin"));
    copy_repository(env, &repo, &origin)?;
    let (branch, base) = find_head(&origin, &repo)?;
    let root = place.join("town");
    watcher.report_step(&format!("Making a town in {}", root.display()));
    let clock = kit::sys::Clock::System;
    let owner = InstallRequest {
        name: Some("demo".to_owned()),
        ..InstallRequest::default()
    };
    install_town(env, &clock, &root, &owner)?;
    let town = crate::host::live_town::open_live_town(&env.in_dir(&root), &root, Address::Overseer);
    let add = rig::AddRigRequest {
        name: "demo".to_owned(),
        url: Some(origin.display().to_string()),
        prefix: Some("demo".to_owned()),
        branch: Some(branch.clone()),
        no_remote: false,
        push_beads: Some(true),
        jail: false,
    };
    let added = rig::add_rig(&town, &add, &|text| tracing_free(text))?;
    write_demo_settings(&town, request)?;
    let beads = create_demo_beads(&town)?;
    let new = convoy::NewConvoy {
        title: "A small party".to_owned(),
        beads: beads.clone(),
        owner: Some(Address::Overseer.mailbox()),
        ..convoy::NewConvoy::default()
    };
    let convoy = convoy::create_convoy(&town, &new)?.id;
    drop(added);
    Ok(DemoTown {
        town,
        origin,
        branch,
        base,
        beads,
        convoy,
    })
}

/// The steps of `rig add` are not shown in the demo.
fn tracing_free(_text: &str) {}

/// The repository that the demo works on: the one given, the one around the working directory, or a
/// small one made here.
fn prepare_source(env: &Env, request: &DemoRequest, place: &Path) -> anyhow::Result<String> {
    if let Some(repo) = &request.repo {
        let path = env.make_absolute(repo);
        return Ok(if path.exists() {
            path.display().to_string()
        } else {
            repo.clone()
        });
    }
    if let Ok(top) = Git::at(env.cwd()).top() {
        return Ok(top.display().to_string());
    }
    let small = place.join("small");
    file::create_folder(&small, 0o755)?;
    let who = Identity {
        name: "Demo".to_owned(),
        email: "demo@gastown.local".to_owned(),
    };
    let git = Git::at(&small).with_identity(&who);
    git.init("main", false)?;
    file::replace_file(
        &small.join("README.md"),
        b"# A small repository for the demo\n",
        0o644,
    )?;
    git.add_all()?;
    git.commit_index("Begin")?;
    Ok(small.display().to_string())
}

/// Creates a bare copy that shares no objects and has no remote.
fn copy_repository(env: &Env, repo: &str, origin: &Path) -> Result<(), DemoError> {
    let to = origin.display().to_string();
    let clone = [
        "clone",
        "--quiet",
        "--bare",
        "--no-hardlinks",
        "--",
        repo,
        &to,
    ];
    Git::at(env.cwd())
        .plumbing(clone)
        .limit(std::time::Duration::from_secs(600))
        .finish_checked()
        .and_then(|_| {
            Git::at(origin)
                .plumbing(["remote", "remove", "origin"])
                .finish_checked()
        })
        .map(drop)
        .map_err(|source| DemoError::Copy {
            repo: repo.to_owned(),
            source,
        })
}

/// Returns the copy's branch and its commit. A detached HEAD becomes the branch `main`.
fn find_head(origin: &Path, repo: &str) -> anyhow::Result<(String, String)> {
    let git = Git::at(origin);
    let base = git.resolve("HEAD")?.ok_or_else(|| DemoError::Empty {
        repo: repo.to_owned(),
    })?;
    if let Some(branch) = git.head_branch()? {
        return Ok((branch, base));
    }
    git.plumbing(["branch", "--force", "main", &base])
        .finish_checked()?;
    git.plumbing(["symbolic-ref", "HEAD", "refs/heads/main"])
        .finish_checked()?;
    Ok(("main".to_owned(), base))
}

/// Writes the settings: the gate, and the requested agent or the demo's own script.
fn write_demo_settings(town: &Town, request: &DemoRequest) -> anyhow::Result<()> {
    let script = town.layout.root().join("demo-agent.sh");
    file::replace_file(&script, WORKER_SCRIPT.as_bytes(), 0o755)?;
    let agent = request
        .agent
        .clone()
        .unwrap_or_else(|| "demo-agent".to_owned());
    let town_settings = json!({
        "type": "town-settings", "version": 1, "default_agent": agent,
        "agents": { "demo-agent": { "provider": "scripted", "args": ["scripted", "--script", script] } },
    });
    let rig_settings = json!({
        "type": "rig-settings", "version": 1,
        "merge_queue": { "gates": { "tests": { "cmd": GATE_COMMAND, "timeout": "1m" } } },
    });
    write_json(&town.layout.settings(), &town_settings)?;
    write_json(&town.rig("demo").settings(), &rig_settings)
}

fn write_json(path: &Path, value: &serde_json::Value) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o755)?;
    }
    file::replace_file(path, format!("{value:#}\n").as_bytes(), 0o644)?;
    Ok(())
}

/// Creates the three beads. The last one depends on the others.
fn create_demo_beads(town: &Town) -> anyhow::Result<Vec<String>> {
    #[derive(Deserialize)]
    struct BeadText {
        title: String,
        description: String,
    }
    let texts: Vec<BeadText> = serde_json::from_str(DEMO_BEADS)?;
    let store = town.rig("demo").store()?;
    town.transact(&store, |tx| {
        let mut ids: Vec<String> = Vec::new();
        let last = texts.len().saturating_sub(1);
        for (place, text) in texts.into_iter().enumerate() {
            let blockers = if place == last {
                ids.clone()
            } else {
                Vec::new()
            };
            let deps = blockers
                .into_iter()
                .map(|id| (bd::bead::DepKind::Blocks, id))
                .collect();
            let new = NewBead {
                title: text.title,
                description: text.description,
                deps,
                ..NewBead::default()
            };
            ids.push(bd::change::create_bead(tx, new)?.id);
        }
        Ok(ids)
    })
}

/// Slings all beads. The last one is queued until the others are merged.
pub(super) fn sling_all(town: &LiveTown, built: &DemoTown) -> anyhow::Result<()> {
    for bead in &built.beads {
        let request = sling::SlingRequest {
            bead: bead.clone(),
            target: "demo".to_owned(),
            ..sling::SlingRequest::default()
        };
        sling::sling_bead(town, &request)?;
    }
    Ok(())
}
