//! The one table from gt's typed errors to hints, exit codes and JSON error codes. The bead library
//! has a table for its own errors.

use bd::git::GitError;
use kit::failure::Failure;

use crate::flow::agent::polecat::NotStuck;
use crate::flow::agent::recipient::{UnknownRecipient, UnreadMailbox};
use crate::flow::agent::role::MechanicalRole;
use crate::flow::agent::session::show::NotRunning;
use crate::flow::place::rig::RigError;
use crate::flow::townwide::escalate::EscalateError;
use crate::flow::work::convoy::review::ReviewError;
use crate::flow::work::molecule::{FormulaNotPoured, OpenStepsError};
use crate::host::HostError;
use crate::host::runtime::RuntimeError;
use crate::host::runtime::scripted::ScriptedError;
use crate::town::beads::UnknownBead;
use crate::town::hold::HeldError;
use crate::town::identity::BadAddress;
use crate::town::lock::LockError;
use crate::town::{NotInTown, UnknownRig, UnknownWorker};
use crate::view::why::UnknownName;

/// Builds the shown failure of a command from its error.
pub fn build_failure(error: &anyhow::Error) -> Failure {
    let mut failure = bd::error::describe_failure(error);
    if let Some(scripted) = error.downcast_ref::<ScriptedError>() {
        failure.exit = scripted.exit_code();
    }
    let review = error.chain().find_map(|cause| cause.downcast_ref());
    if let Some(ReviewError::Deferred { .. }) = review {
        failure.exit = 3;
    }
    if let Some(stopped) = error.downcast_ref::<NotRunning>() {
        failure.code = "no_session";
        failure.hint = Some(format!("type\n  {}", stopped.next_steps().join("\n  ")));
        return failure;
    }
    if let Some(not_stuck) = error.downcast_ref::<NotStuck>() {
        failure.hint = Some(format!("type\n  {}", not_stuck.next.join("\n  ")));
        return failure;
    }
    if let Some(role) = error.downcast_ref::<MechanicalRole>() {
        failure.code = "mechanical_role";
        failure.hint = Some(format!("`{}` gives the role to an agent", role.next_step()));
        return failure;
    }
    if let Some(UnreadMailbox(role)) = error.downcast_ref() {
        failure.code = "no_reader";
        failure.hint = Some(format!(
            "send it to mayor/, or give the role to an agent: `{}`",
            role.next_step()
        ));
        return failure;
    }
    if let Some(FormulaNotPoured { formula, bead }) = error.downcast_ref() {
        failure.hint = Some(format!(
            "to pour it and attach it to {bead}:\n  gt sling {formula} --on {bead}"
        ));
        return failure;
    }
    if let Some(HeldError(hold)) = error.chain().find_map(|cause| cause.downcast_ref()) {
        failure.code = "held";
        failure.hint = Some(format!("`{}` ends that", hold.next));
        return failure;
    }
    let found = error
        .chain()
        .find_map(|cause| classify_error(cause).or_else(|| classify_work_error(cause)));
    let Some((code, hint)) = found else {
        return failure;
    };
    failure.code = code;
    if let Some(hint) = hint {
        failure.hint = Some(hint.to_owned());
    }
    failure
}

/// Returns the JSON code and the hint of an error of this crate.
fn classify_error(
    error: &(dyn std::error::Error + 'static),
) -> Option<(&'static str, Option<&'static str>)> {
    if error.is::<NotInTown>() {
        return Some((
            "not_in_town",
            Some(
                "go to a town's folder, set GT_TOWN_ROOT, make a town, or look at one first\n  gt init\n  gt demo",
            ),
        ));
    }
    if error.is::<UnknownRig>() {
        return Some((
            "unknown_rig",
            Some("`gt rig list` shows the rigs; `gt rig add` makes one"),
        ));
    }
    if let Some(UnknownBead { id }) = error.downcast_ref() {
        let hint = if id.contains(' ') {
            "`bd create TITLE` makes a bead in the folder of its rig"
        } else {
            "`bd list` shows the beads of a rig, `gt status` the town"
        };
        return Some(("not_found", Some(hint)));
    }
    if error.is::<UnknownName>() {
        return Some((
            "not_found",
            Some(
                "`bd search WORDS` finds beads by their text, `gt status` shows rigs, agents and convoys",
            ),
        ));
    }
    if let Some(EscalateError::Unknown { .. }) = error.downcast_ref() {
        return Some((
            "not_found",
            Some("`gt escalate list --all` shows the escalations"),
        ));
    }
    if error.is::<UnknownWorker>() {
        let hint = "`gt polecat list` and `gt crew list` show the workers, `gt status` all agents";
        return Some(("not_found", Some(hint)));
    }
    if error.is::<BadAddress>() {
        return Some(("bad_address", None));
    }
    if let Some(error) = error.downcast_ref::<ReviewError>() {
        return Some(classify_review_error(error));
    }
    if let Some(error) = error.downcast_ref::<RigError>() {
        let is_url = matches!(error, RigError::BadName { name, .. } if name.contains('/'));
        let hint = is_url.then_some("the name comes first: `gt rig add NAME URL`");
        return Some((rig_code(error), hint));
    }
    if let Some(error) = error.downcast_ref::<RuntimeError>() {
        return Some(("agent", agent_hint(error)));
    }
    if let Some(error) = error.downcast_ref::<HostError>() {
        return Some(classify_host_error(error));
    }
    if let Some(error) = error.downcast_ref::<GitError>() {
        return Some(("git", git_hint(error)));
    }
    if let Some(LockError::Held { .. }) = error.downcast_ref() {
        return Some((
            "busy",
            Some("another gt or gtd is at work there; try again in a moment"),
        ));
    }
    None
}

/// Returns the JSON code and the hint of an error about hooked work or a message.
fn classify_work_error(
    error: &(dyn std::error::Error + 'static),
) -> Option<(&'static str, Option<&'static str>)> {
    if error.is::<UnknownRecipient>() {
        return Some(("not_found", Some("`gt status` shows rigs and agents")));
    }
    if error.is::<OpenStepsError>() {
        return Some((
            "steps_open",
            Some(
                "close each with `gt mol step done`; `gt done --close-steps` hands in without them",
            ),
        ));
    }
    None
}

fn classify_review_error(error: &ReviewError) -> (&'static str, Option<&'static str>) {
    match error {
        ReviewError::Rejected { .. } => ("rejected", None),
        ReviewError::Broken { .. } => (
            "hook_broken",
            Some("`gt why` shows its runs; fix the hook, or move it away to go on without it"),
        ),
        ReviewError::Deferred { .. } => (
            "deferred",
            Some("`gt convoy review show REQUEST` has the details, approve or reject answers it"),
        ),
        ReviewError::Unknown { .. } => ("not_found", None),
        ReviewError::Answered { .. } => ("answered", None),
    }
}

fn rig_code(error: &RigError) -> &'static str {
    match error {
        RigError::BadName { .. } => "bad_rig_name",
        RigError::Taken { .. } => "rig_exists",
        RigError::BadPrefix { .. } => "bad_prefix",
        RigError::PrefixTaken { .. } => "prefix_taken",
        RigError::PrefixDiffers { .. } => "prefix_differs",
        RigError::CheckedOut { .. } => "branch_checked_out",
        RigError::Empty { .. } => "empty_repository",
        RigError::NoBranch { .. } => "no_branch",
        RigError::Unsupported { .. } => "unsupported_repository",
        RigError::Io { .. } => "io",
        RigError::Running { .. } => "rig_running",
    }
}

fn agent_hint(error: &RuntimeError) -> Option<&'static str> {
    match error {
        RuntimeError::NotInstalled { .. } => Some(
            "install it, or choose another agent with --agent or `default_agent` in the settings",
        ),
        _ => None,
    }
}

fn classify_host_error(error: &HostError) -> (&'static str, Option<&'static str>) {
    match error {
        HostError::Missing { .. } => (
            "no_backend",
            Some("install tmux; work that needs no session goes on without it"),
        ),
        HostError::NoSession { name } if name == "hq-mayor" => (
            "no_session",
            Some("`gt mayor start` starts it, and `gt mail send mayor/` keeps a message for it"),
        ),
        HostError::NoSession { .. } => ("no_session", Some("`gt status` shows who runs")),
        HostError::Exists { .. } => ("session_exists", None),
        HostError::EndedAtOnce { .. } => ("agent_ended", None),
        _ => ("session", None),
    }
}

/// Returns a hint for a remote that refuses access.
fn git_hint(error: &GitError) -> Option<&'static str> {
    let GitError::Failed { words, .. } = error else {
        return None;
    };
    let refused = [
        "Authentication failed",
        "could not read Username",
        "Permission denied",
    ];
    refused.iter().any(|sign| words.contains(sign)).then_some(
        "set up a credential helper or an ssh key for this remote; the ssh form is git@HOST:OWNER/REPO.git",
    )
}
