//! Checks the rigs' repositories: existence, settings that keep rescue refs safe, and the target
//! branch.

use bd::git::redact_urls;

use super::CheckFindings;
use crate::flow::place::repair::is_unsafe_refspec;
use crate::host::LiveTown;
use crate::patrol::rule;
use crate::town::Rig;
use crate::town::config::{self, FaultEffect, SettingFault};

pub(super) const STOPPED_BY_SETTINGS: &str =
    "nothing is started or merged until the settings are correct";

pub(super) fn check_rigs(town: &LiveTown, page: &mut CheckFindings) {
    let Ok(registry) = town.read_registry() else {
        return;
    };
    for (name, entry) in &registry.rigs {
        let before = page.all.len();
        let rig = town.rig(name);
        if !rig.root().is_dir() {
            let text = format!("rig {name}: {} is not there", rig.root().display());
            page.error(
                text,
                "restore the folder, or remove the rig from the list with `gt rig remove`",
            );
            continue;
        }
        if let Err(error) = check_repository(page, &rig, &entry.git_url) {
            let hint = "the shared repository is damaged or missing; do not remove it: rescue refs live in it";
            page.error(format!("rig {name}: {error}"), hint);
        }
        check_settings(page, &rig);
        page.ok_unless(before, format!("rig {name}: its repository is sound"));
    }
}

fn check_settings(page: &mut CheckFindings, rig: &Rig) {
    let name = rig.name();
    let layers = match config::SettingsLayers::load(rig.town(), Some(rig)) {
        Ok(layers) => layers,
        Err(error) => {
            let error = anyhow::Error::from(error);
            return page.error(format!("rig {name}: {error:#}"), STOPPED_BY_SETTINGS);
        }
    };
    for fault in layers.find_faults(Some(rig)) {
        report_setting_fault(page, format!("rig {name}: {}", fault.error), &fault);
    }
    for fault in rule::find_unknown_switches(&layers) {
        page.warn(format!("rig {name}: {fault}"), "correct or remove it");
    }
    for label in layers.ignored_labels() {
        let text = format!("rig {name}: the label {label:?} of the rig's bead has no effect");
        page.warn(
            text,
            "if you want it, set it with `gt config set`; labels come with the repository, and do not set what runs programs or lowers a guard",
        );
    }
}

/// Reports a fault of settings.
pub(super) fn report_setting_fault(page: &mut CheckFindings, text: String, fault: &SettingFault) {
    match fault.effect {
        FaultEffect::Stop => page.error(text, STOPPED_BY_SETTINGS),
        FaultEffect::Warning => page.warn(text, "correct or remove it"),
        FaultEffect::Note => page.note(text, "nothing is lost by that; you can take it out"),
    }
}

fn check_repository(page: &mut CheckFindings, rig: &Rig, registered: &str) -> anyhow::Result<()> {
    let name = rig.name();
    let git = rig.git();
    let url = git.remote_url("origin")?;
    if url.as_deref().unwrap_or("") != registered {
        let found = redact_urls(url.as_deref().unwrap_or("none"));
        let registered = redact_urls(registered);
        let text = format!("rig {name}: origin is {found}, but the registry says `{registered}`");
        page.warn(
            text,
            "the next command that fetches or pushes sets it to the registry's; correct mayor/rigs.json if that URL is wrong",
        );
    }
    if url.is_some() {
        // Git fails if there is none.
        let refspecs = git
            .plumbing(["config", "--get-all", "remote.origin.fetch"])
            .text()
            .unwrap_or_else(|_| String::new());
        for refspec in refspecs.lines().filter(|spec| is_unsafe_refspec(spec)) {
            let text = format!(
                "rig {name}: a fetch with its refspec {refspec} may overwrite branches of workers and rescue refs"
            );
            page.warn(text, "gt doctor --fix removes it");
        }
        if refspecs.is_empty() {
            let text = format!("rig {name}: a fetch gets no branch, because it has no refspec");
            page.warn(text, "gt doctor --fix sets it");
        }
    }
    if git.config_get("gc.pruneExpire")?.as_deref() != Some("never") {
        let text = format!("rig {name}: git may prune its unreachable commits");
        page.note(
            text,
            "gt doctor --fix sets gc.pruneExpire of .repo.git to never",
        );
    }
    let target = config::target_branch_of(rig)?;
    let places = [
        format!("refs/remotes/origin/{target}"),
        format!("refs/heads/{target}"),
    ];
    for place in &places {
        if git.resolve(place)?.is_some() {
            return Ok(());
        }
    }
    let text = format!("rig {name}: the branch {target} that work goes to is not there");
    page.error(text, "push it to origin, or set merge_queue.target_branch");
    Ok(())
}
