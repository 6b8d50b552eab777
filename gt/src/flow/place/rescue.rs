//! Lists, shows, restores and drops saved work, `gt rescue`. Rescue refs are in the rig's
//! repository. Uncommitted work of crew is in their own clones.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bd::git::rescue::Rescue;
use bd::git::{Git, rescue};
use serde::Serialize;

use crate::flow::place::crew;
use crate::flow::place::sandbox;
use crate::host::LiveTown;
use crate::record::town_view::TownView;
use crate::town::config;
use crate::town::event::event;
use crate::town::lock::Lock;
use crate::town::sandbox_git::open_tree;
use crate::town::{Rig, Town};

/// A piece of saved work.
#[derive(Debug, Serialize)]
pub struct SavedWork {
    #[serde(rename = "ref")]
    pub reference: String,
    pub rig: String,
    pub commit: String,
    pub saved_at: String,
    /// The first line of the commit's message.
    pub subject: String,
    /// The worker that the work is from, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub polecat: Option<String>,
    /// The worker's last bead, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bead: Option<String>,
}

/// Returns the saved work of rigs.
pub fn list_saved_work(rigs: &[Rig]) -> anyhow::Result<Vec<SavedWork>> {
    let mut saved = Vec::new();
    for rig in rigs {
        let git = rig.git();
        for kind in ["rescue", "snap"] {
            let found = rescue::list_rescues(&git, &format!("refs/gt/{kind}/{}/", rig.name()))?;
            saved.extend(
                found
                    .into_iter()
                    .map(|found| saved_work_row(rig.name(), found)),
            );
        }
        // Uncommitted work of crew is in their own clones.
        for name in crew::list_member_names(rig) {
            let prefix = format!("refs/gt/snap/{}/crew/{name}/", rig.name());
            let found = rescue::list_rescues(&Git::at(rig.crew(&name)), &prefix)?;
            saved.extend(
                found
                    .into_iter()
                    .map(|found| saved_work_row(rig.name(), found)),
            );
        }
    }
    Ok(saved)
}

fn saved_work_row(rig: &str, saved: Rescue) -> SavedWork {
    let (polecat, bead) = parse_worker_and_bead(&saved.refname, &saved.subject);
    SavedWork {
        reference: saved.refname,
        rig: rig.to_owned(),
        commit: saved.commit,
        saved_at: saved.time.to_string(),
        subject: saved.subject,
        polecat,
        bead,
    }
}

/// Parses the worker and the bead from a ref's name and a commit's subject.
fn parse_worker_and_bead(reference: &str, subject: &str) -> (Option<String>, Option<String>) {
    // refs/gt/<kind>/<rig>/polecats/<name>/…
    let mut parts = reference.split('/').skip(4);
    let (Some("polecats"), Some(polecat)) = (parts.next(), parts.next()) else {
        return (None, None);
    };
    let last = parts.next().unwrap_or("");
    let named_bead = if reference.starts_with("refs/gt/snap/") {
        subject.rsplit_once(" on ").map(|(_, bead)| bead)
    } else {
        last.split_once('-').map(|(_, bead)| bead)
    };
    let bead = match named_bead {
        None | Some("") => None,
        Some(bead) => Some(bead.to_owned()),
    };
    (Some(polecat.to_owned()), bead)
}

/// Saved work with its changes.
#[derive(Debug, Serialize)]
pub struct SavedWorkDetails {
    #[serde(flatten)]
    pub work: SavedWork,
    /// The commits that are not on the target branch, newest first, each with its message and
    /// changes.
    pub log: String,
    /// The commits with the work in submodules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub submodules: Vec<SavedSubmodule>,
}

/// Saved work in a submodule. A restore leaves it to the user, because it moves the submodule to
/// another commit.
#[derive(Debug, Serialize)]
pub struct SavedSubmodule {
    pub path: String,
    pub commit: String,
    /// The repository that holds the commit.
    pub repository: PathBuf,
}

fn list_saved_submodules(git: &Git, reference: &str) -> anyhow::Result<Vec<SavedSubmodule>> {
    let commits = rescue::list_submodule_commits(git, reference)?;
    let repository = git.common_dir()?;
    Ok(commits
        .into_iter()
        .map(|submodule| SavedSubmodule {
            path: submodule.path.to_string_lossy().into_owned(),
            commit: submodule.commit,
            repository: repository.clone(),
        })
        .collect())
}

/// Returns saved work with the commits that are not on the rig's target branch.
pub fn show_saved_work(town: &Town, reference: &str) -> anyhow::Result<SavedWorkDetails> {
    let RescueRef {
        rig,
        reference,
        git,
    } = locate_ref(town, reference)?;
    let found = rescue::list_rescues(&git, &reference)?
        .into_iter()
        .find(|saved| saved.refname == reference);
    let Some(saved) = found else {
        anyhow::bail!(rescue::RestoreError::Missing { refname: reference });
    };
    let target = config::target_branch_of(&rig)
        .ok()
        .and_then(|branch| sandbox::find_start_commit(&rig, &branch).ok());
    // Staged changes are a second parent, and part of the changes since the first one. The options
    // override the user's git configuration.
    let mut log = git.plumbing(["log", "--first-parent", "-m", "--stat", "--patch"]);
    log = log.args(["--format=medium", "--no-color", "--no-ext-diff"]);
    log = log.args([&saved.commit]);
    // A crew member's clone may lack the target's last commit.
    if let Some(target) = target.filter(|target| git.resolve(target).is_ok_and(|at| at.is_some())) {
        log = log.args(["--not", &target]);
    }
    let log = log.text()?;
    Ok(SavedWorkDetails {
        work: saved_work_row(rig.name(), saved),
        log,
        submodules: list_saved_submodules(&git, &reference)?,
    })
}

#[derive(Debug, Serialize)]
pub struct RestoreReport {
    pub into: PathBuf,
    /// The restored files, relative to `into`.
    pub files: Vec<String>,
    /// The work in submodules, which is not restored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub submodules: Vec<SavedSubmodule>,
}

/// Restores saved work to a working tree, by default the worker's own. Never overwrites files there
/// that differ or are uncommitted.
pub fn restore_saved_work(
    town: &LiveTown,
    reference: &str,
    into: Option<&Path>,
) -> anyhow::Result<RestoreReport> {
    let RescueRef {
        rig,
        reference,
        git: home,
    } = locate_ref(town, reference)?;
    let into = match into {
        Some(path) => path.to_owned(),
        None => {
            // refs/gt/<kind>/<rig>/<role>/<name>/…
            let mut parts = reference.split('/').skip(4);
            match (parts.next(), parts.next()) {
                (Some("polecats"), Some(name)) => rig.sandbox(name),
                (Some("crew"), Some(name)) => rig.crew(name),
                _ => anyhow::bail!("the ref does not say whose it is: name the tree with --into"),
            }
        }
    };
    anyhow::ensure!(
        into.is_dir(),
        "there is no working tree at {} (name one with --into)",
        into.display()
    );
    let _held = lock_idle_sandbox(town, &into)?;
    let files: Vec<String> = rescue::restore_rescue(&home, &open_tree(&into)?, &reference)?
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    town.record_event(
        &event!(RescueRestored, rig: rig.name(), r#ref: reference, into: into, files: files),
    );
    let submodules = list_saved_submodules(&home, &reference)?;
    Ok(RestoreReport {
        into,
        files,
        submodules,
    })
}

/// Drops saved work. Returns its full ref and its commit.
pub fn drop_saved_work(town: &Town, reference: &str) -> anyhow::Result<(String, Option<String>)> {
    let RescueRef { reference, git, .. } = locate_ref(town, reference)?;
    let commit = git.resolve(&reference)?;
    rescue::drop_rescue(&git, &reference)?;
    Ok((reference, commit))
}

/// A rescue ref and its place.
struct RescueRef<'t> {
    rig: Rig<'t>,
    /// The full name.
    reference: String,
    /// The repository that holds it: the rig's, or the clone of the crew member.
    git: Git,
}

/// Finds a rescue ref, `refs/gt/rescue/<rig>/…` with or without `refs/gt/`.
fn locate_ref<'t>(town: &'t Town, text: &str) -> anyhow::Result<RescueRef<'t>> {
    let rest = text.strip_prefix("refs/gt/").unwrap_or(text);
    let mut parts = rest.split('/');
    let kind = parts.next().unwrap_or("");
    anyhow::ensure!(
        matches!(kind, "rescue" | "snap"),
        "`{text}` is no rescue ref (gt rescue list shows them)"
    );
    let rig = town.find_rig(parts.next().unwrap_or(""))?;
    let git = match (parts.next(), parts.next()) {
        (Some("crew"), Some(name))
            if crew::list_member_names(&rig)
                .iter()
                .any(|known| known == name) =>
        {
            Git::at(rig.crew(name))
        }
        _ => rig.git(),
    };
    Ok(RescueRef {
        rig,
        reference: format!("refs/gt/{rest}"),
        git,
    })
}

/// Refuses to write into the sandbox of a working polecat. Otherwise returns a lock that keeps a
/// session from starting there.
fn lock_idle_sandbox(town: &LiveTown, into: &Path) -> anyhow::Result<Option<Lock>> {
    let Some((rig, name)) = worker_of(town, into)? else {
        return Ok(None);
    };
    let address = format!("{}/{name}", rig.name());
    let lock = rig
        .try_take_slot(&name)
        .with_context(|| format!("{address} is just being given work or finishing it"))?;
    let view = TownView::read(town)?;
    let Ok(worker) = view.find_polecat(rig.name(), &name) else {
        return Ok(Some(lock));
    };
    let runs = worker
        .session
        .as_ref()
        .is_some_and(|live| live.dead.is_none());
    // If the sessions cannot be listed, a worker with a hook counts as working.
    let unasked = view.sessions.is_none() && worker.hook.is_some();
    let on = worker
        .hook
        .as_ref()
        .map_or_else(String::new, |bead| format!(" on {bead}"));
    anyhow::ensure!(
        !runs && !unasked,
        "{address} works{on} in {}: nothing was written. Bring it back into another working tree with --into PATH, or \
         wait until the worker is idle (gt polecat status {address})",
        into.display()
    );
    Ok(Some(lock))
}

/// Returns the worker in whose sandbox a folder is.
fn worker_of<'t>(town: &'t Town, into: &Path) -> anyhow::Result<Option<(Rig<'t>, String)>> {
    let Ok(into) = into.canonicalize() else {
        return Ok(None);
    };
    for rig in town.list_rigs()? {
        let Ok(polecats) = rig.polecats().canonicalize() else {
            continue;
        };
        let name = into
            .strip_prefix(&polecats)
            .ok()
            .and_then(|rest| rest.components().next());
        if let Some(name) = name {
            let name = name.as_os_str().to_string_lossy().into_owned();
            return Ok(Some((rig, name)));
        }
    }
    Ok(None)
}
