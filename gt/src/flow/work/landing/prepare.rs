//! Prepares a landing in one rig (phase one): builds the commit to land. Never pushes.

use bd::git::{DrivenFile, TreeMerge};

use super::task::LandingBlocker;
use super::{LandingInterruption, RigLanding};
use crate::flow::place::discovery;
use crate::flow::work::convoy::integration::{LandedPart, LandingStep};
use crate::flow::work::mq::verify::{self, RefUpdate};
use crate::record::merge_request;
use crate::town::beads::is_beads_file;
use crate::town::config;
use crate::town::queue_pause::QueuePause;

/// Returns the tip of the fetched target, or an interruption that only waiting can solve.
pub(super) fn check_target(landing: &RigLanding) -> Result<String, LandingInterruption> {
    if landing.queue.settings.merge_queue.enabled == Some(false) {
        return Err(interrupt_for_later(
            landing,
            "its merge queue is turned off",
        ));
    }
    if let Some(pause) = QueuePause::load(landing.queue.rig) {
        return Err(interrupt_for_later(landing, &pause.describe()));
    }
    if let Err(error) = config::check_guards(landing.queue.rig) {
        return Err(interrupt_for_later(landing, &error.to_string()));
    }
    match landing.queue.fetch_target(&landing.branch.target) {
        Ok(Some(onto)) => Ok(onto),
        Ok(None) => {
            let reason = format!("the target branch {} does not exist", landing.branch.target);
            Err(interrupt_for_later(landing, &reason))
        }
        Err(error) => Err(interrupt_for_later(landing, &error.to_string())),
    }
}

/// Prepares the landing in one rig, or returns the step if it is prepared or has landed.
pub(super) fn prepare_rig(
    landing: &RigLanding,
    onto: String,
) -> Result<LandingStep, LandingInterruption> {
    let mut before = landing.branch.landing.clone().unwrap_or_default();
    if let Some(lost) = find_dropped_part(landing, &before, &onto)? {
        return Err(interrupt_blocked(landing, lost));
    }
    // A recorded landing is checked again, because the target may have been reset since. A
    // candidate that is on the target without a record was pushed by an attempt that was killed
    // before it could record it.
    let candidate_exists =
        !before.candidate.is_empty() && landing.queue.git.resolve(&before.candidate)?.is_some();
    let update = RefUpdate {
        onto: &before.onto,
        commit: &before.candidate,
    };
    before.landed = verify::contains_change(&landing.queue.git, &onto, update)?;
    let tip = landing.queue.resolve_branch(&landing.branch.branch)?;
    if before.landed && tip.as_ref().is_none_or(|tip| *tip == before.tip) {
        return Ok(before);
    }
    if let Some(lost) = find_lost_work(landing, tip.as_deref())? {
        return Err(interrupt_blocked(landing, lost));
    }
    let Some(tip) = tip else {
        // No work was ever merged to the branch.
        return Ok(build_empty_step(landing.branch.base.clone(), onto));
    };
    if candidate_exists && before.tip == tip && before.onto == onto {
        return Ok(before);
    }
    // A part of the convoy has landed before. Only the work that was added since is new.
    let part = before.landed_part();
    let from = part.as_ref().map(|part| &*part.tip);
    let step = build_candidate(landing, tip, onto, from)?;
    Ok(LandingStep { part, ..step })
}

/// Returns a blocker if landed work is no longer on its target, because someone reverted it there.
fn find_dropped_part(
    landing: &RigLanding,
    before: &LandingStep,
    onto: &str,
) -> anyhow::Result<Option<LandingBlocker>> {
    let Some(LandedPart {
        onto: target_before,
        candidate,
        ..
    }) = before.landed_part()
    else {
        return Ok(None);
    };
    let is_empty = candidate == target_before;
    let update = RefUpdate {
        onto: &target_before,
        commit: &candidate,
    };
    if is_empty || verify::contains_change(&landing.queue.git, onto, update)? {
        return Ok(None);
    }
    Ok(Some(LandingBlocker::LandingReverted { candidate }))
}

/// Builds the step of a rig in which nothing is left to land.
fn build_empty_step(tip: String, onto: String) -> LandingStep {
    LandingStep {
        tip,
        candidate: onto.clone(),
        onto,
        landed: true,
        part: None,
    }
}

/// Returns a blocker if merged work is no longer on the convoy's branch, because someone reverted
/// it there.
fn find_lost_work(
    landing: &RigLanding,
    tip: Option<&str>,
) -> anyhow::Result<Option<LandingBlocker>> {
    let beads = landing.queue.store.snapshot()?;
    let merged = beads
        .select(|bead| bead.has_kind_or_label(&bd::bead::Kind::MergeRequest, "gt:merge-request"));
    for request in merged.filter(|request| !request.is_open()) {
        if merge_request::receipt_of(request).target != landing.branch.branch {
            continue;
        }
        let commit = bd::bead::fields::get_field(&request.description, "merge_commit");
        let Some(commit) = commit.filter(|commit| commit != "null" && !commit.is_empty()) else {
            continue;
        };
        let is_on_branch = match tip {
            Some(tip) if landing.queue.git.resolve(&commit)?.is_some() => {
                landing.queue.git.is_ancestor(&commit, tip)?
            }
            _ => false,
        };
        if !is_on_branch && !has_landed_before(landing, &commit)? {
            let bead = merge_request::source_bead_of(request);
            return Ok(Some(LandingBlocker::WorkReverted { bead, commit }));
        }
    }
    Ok(None)
}

/// Returns true if a previous landing of the convoy contained the commit.
fn has_landed_before(landing: &RigLanding, commit: &str) -> anyhow::Result<bool> {
    if landing.queue.git.resolve(commit)?.is_none() {
        return Ok(false);
    }
    let merge_ref = format!("refs/gt/merged/{}", landing.convoy.id);
    let later_refs = format!("{merge_ref}.*");
    let call =
        landing
            .queue
            .git
            .plumbing(["for-each-ref", "--format=%(refname)", "--contains", commit]);
    Ok(!call.args([merge_ref, later_refs]).text()?.is_empty())
}

/// Builds the single commit and runs the gates on it.
fn build_candidate(
    landing: &RigLanding,
    tip: String,
    onto: String,
    part: Option<&str>,
) -> Result<LandingStep, LandingInterruption> {
    let git = &landing.queue.git;
    let Some(fork) = git.merge_base(&tip, &onto)? else {
        let (branch, target) = (&landing.branch.branch, &landing.branch.target);
        return Err(anyhow::anyhow!("{branch} and {target} have no commit in common").into());
    };
    // Discovery documents and beads files do not land: both keep the content of the branch's start.
    let keeps_start = |path: &[u8]| {
        discovery::is_in_gt_folder(path) || std::str::from_utf8(path).is_ok_and(is_beads_file)
    };
    let committer = landing.queue.identity();
    let from = git.tree_without(part.unwrap_or(&fork), &keeps_start, &fork)?;
    let tree = git.tree_without(&tip, &keeps_start, &fork)?;
    if tree == from {
        return Ok(build_empty_step(tip, onto));
    }
    let merged = match git.apply_change(&from, &tree, &onto)? {
        TreeMerge::Clean(merged) => {
            let mut driven_files = git.find_driven_files(&from, &tree, &onto, &merged)?;
            driven_files.retain(|file| !file.holds_change);
            if !driven_files.is_empty() {
                return Err(interrupt_blocked(
                    landing,
                    blocker_for_drivers(onto, driven_files),
                ));
            }
            merged
        }
        TreeMerge::Conflict { files, detail, .. } => {
            let blocker = LandingBlocker::Conflict {
                onto,
                files,
                detail,
            };
            return Err(interrupt_blocked(landing, blocker));
        }
    };
    if merged == git.tree_of(&onto)? {
        return Ok(build_empty_step(tip, onto));
    }
    let message = format_message(landing, part.unwrap_or(&fork), &tip)?;
    let candidate = git.commit_tree(&merged, &[&onto], &message, &committer)?;
    if let Some(failure) = landing.gate_run().run_gates(&candidate)? {
        if let Some(reason) = failure.describe_cannot_run() {
            return Err(interrupt_for_later(landing, &reason));
        }
        return Err(interrupt_blocked(
            landing,
            LandingBlocker::Gate { onto, failure },
        ));
    }
    // Protects the commit from garbage collection until it is pushed.
    let landing_ref = format!("refs/gt/landing/{}", landing.convoy.id);
    let old = git.resolve(&landing_ref)?;
    git.update_ref(&landing_ref, &candidate, old.as_deref())?;
    Ok(LandingStep {
        tip,
        onto,
        candidate,
        landed: false,
        part: None,
    })
}

/// Describes a merge in which a merge driver left out the branch's change as a conflict, because
/// the same next step resolves it.
fn blocker_for_drivers(onto: String, driven_files: Vec<DrivenFile>) -> LandingBlocker {
    let detail: Vec<String> = driven_files
        .iter()
        .map(|file| {
            format!(
                "The merge driver {} left out the branch's change of {}.",
                file.driver, file.path
            )
        })
        .collect();
    LandingBlocker::Conflict {
        onto,
        files: driven_files.into_iter().map(|file| file.path).collect(),
        detail: detail.join("\n"),
    }
}

/// Builds the message of the single commit: the convoy, its beads of this rig, and the authors.
fn format_message(landing: &RigLanding, fork: &str, tip: &str) -> anyhow::Result<String> {
    let beads = landing.queue.store.snapshot()?;
    let mut text = format!(
        "{}\n\nConvoy {}:\n\n",
        format_line(&landing.convoy.title),
        landing.convoy.id
    );
    for id in crate::record::convoy::tracked_ids(landing.convoy) {
        if let Some(bead) = beads.get(id) {
            text.push_str(&format!("- {id} {}\n", format_line(&bead.title)));
        }
    }
    let mut authors: Vec<String> = Vec::new();
    for commit in landing.queue.git.commits(fork, tip)?.iter().rev() {
        let author = format!(
            "{} <{}>",
            format_line(&commit.author_name),
            commit.author_email
        );
        if !author.contains("/refinery ") && !authors.contains(&author) {
            authors.push(author);
        }
    }
    if !authors.is_empty() {
        text.push('\n');
    }
    for author in authors {
        text.push_str(&format!("Co-authored-by: {author}\n"));
    }
    Ok(text)
}

fn format_line(text: &str) -> String {
    kit::ui::escape::escape_line(text)
}

fn interrupt_for_later(landing: &RigLanding, reason: &str) -> LandingInterruption {
    LandingInterruption::Later {
        rig: landing.queue.rig.name().to_owned(),
        reason: reason.to_owned(),
    }
}

fn interrupt_blocked(landing: &RigLanding, blocker: LandingBlocker) -> LandingInterruption {
    let rig = landing.queue.rig.name().to_owned();
    LandingInterruption::Blocked { rig, blocker }
}
